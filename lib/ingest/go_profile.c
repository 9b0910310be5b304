/* SPDX-License-Identifier: MIT
 * go_profile: profiles of Go as text that count stacks: /debug/pprof/goroutine?debug=1 and threadcreate?debug=1.
 *
 *	goroutine profile: total 7
 *	6 @ 0x43a2b6 0x44bd3b
 *	# labels: {"handler":"price"}
 *	#	0x43a2b5	main.work+0x35	/src/shop/main.go:12
 *
 * Each profile is a dump; a record is a sample that weighs as many goroutines. */
#include "ingest/ingest.h"
#include "ingest/text_lines.h"

#define TOTAL      " profile: total "
#define LABELS     "# labels: "
#define NAME_MOST  40		/* of a profile */

/* The name of the profile that begins with the line. */
static bool
is_head(struct stk_text line, struct stk_text *name)
{
	const char *total = text_find(line, TOTAL), *at = total != NULL ? total + strlen(TOTAL) : NULL;
	uint64_t number;

	if (total == NULL || total == line.data || total - line.data > NAME_MOST ||
	    memchr(line.data, ' ', (size_t)(total - line.data)) != NULL)
		return false;
	*name = between(line.data, total);
	return scan_decimal(&at, line.data + line.size, &number) && at == line.data + line.size;
}

/* "6 @ 0x43a2b6 0x44bd3b"; Go writes "6 @" for goroutines without a stack. *stack: from the @ on. */
static bool
is_record(struct stk_text line, uint64_t *count, struct stk_text *stack)
{
	const char *at = line.data, *end = line.data + line.size;

	if (!scan_decimal(&at, end, count) || end - at < 2 || memcmp(at, " @", 2) != 0)
		return false;
	*stack = between(at + 1, end);
	return stack->size == 1 || text_starts(*stack, "@ 0x");
}

static bool
is_frame(struct stk_text line)
{
	return text_starts(line, "#\t0x");
}

/* --- scanning --- */

/* Adds what begins with # below the record to its stack, and counts these lines. */
static uint32_t
take_frames(struct stk_text *stack, struct stk_text line, struct stk_text *labels, const char *end)
{
	uint32_t lines = 0;

	for (line = line_after(line, end); line.size > 0 && *line.data == '#'; line = line_after(line, end), lines++) {
		if (text_starts(line, LABELS))
			*labels = trimmed(text_of(line.data + strlen(LABELS), line.size - strlen(LABELS)));
		*stack = between(stack->data, line.data + line.size);
	}
	return lines;
}

/* A long profile is scanned in pieces, of which only the first has the head. Those of goroutines are long. */
static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	const char *end = piece.data + piece.size;
	struct stk_text name = text_from("goroutine"), next;
	uint32_t number = 0;

	for (struct stk_text line = line_at(piece.data, end); line.data < end; line = next, number++) {
		struct found_sample sample = { .time_ns = STK_TIME_UNKNOWN, .processor = PROCESSOR_UNKNOWN };
		struct stk_text text = trimmed(line);

		next = line_after(line, end);
		if (is_head(text, &name)) {
			found(findings, FOUND_DUMP, number)->is.dump.civil_ns = STK_TIME_UNKNOWN;
		} else if (is_record(text, &sample.weight, &sample.stack)) {
			uint32_t lines = take_frames(&sample.stack, line, &sample.note, end);

			sample.name = name;
			sample.hash = scan_hash(sample.stack);
			found(findings, FOUND_SAMPLE, number)->is.sample = sample;
			next = line_after(line_at(sample.stack.data + sample.stack.size, end), end);
			number += lines;
		} else if (text.size > 0) {
			bool frame = *text.data == '#';

			found_skipped(findings, number, text, 1, frame ? SKIP_BROKEN : SKIP_NOISE,
				      frame ? "a frame without a count above it" : "not part of a profile");
		}
	}
	findings->lines = scan_count_lines(piece.data, end);
}

/* --- stacks --- */

/* Leaf first; without names of functions, the addresses. */
static void
read_stack(struct stack_reading *reading, struct stk_text stack)
{
	const char *end = stack.data + stack.size;
	struct stk_text first = line_at(stack.data, end);
	bool named = false;

	for (struct stk_text line = line_after(first, end); line.data < end; line = line_after(line, end))
		if (is_frame(line)) {
			stack_frame(reading, trimmed(line));
			named = true;
		} else if (!text_starts(line, LABELS)) {
			stack_broken(reading, trimmed(line), "a line of a stack that is not understood");
		}
	for (const char *at = text_find(first, " 0x"); !named && at != NULL; ) {
		struct stk_text rest = between(at + 1, first.data + first.size);

		at = text_find(rest, " 0x");
		stack_frame(reading, trimmed(between(rest.data, at != NULL ? at : rest.data + rest.size)));
	}
}

/* "#	0x43a2b5	main.work+0x35	/src/main.go:12", or "0x43a2b6". */
static bool
read_frame(struct frame_parts *parts, struct stk_text line)
{
	const char *at, *end = line.data + line.size, *plus, *colon;
	struct stk_text place;
	uint64_t number;

	parts->form = STK_FORM_NATIVE;
	if (text_starts(line, "#\t"))
		line = between(line.data + 2, end);
	at = line.data;
	if (!scan_hex(&at, end, &parts->address))
		return false;
	line = unindented(between(at, end));
	at = memchr(line.data, '\t', line.size);
	place = at == NULL ? text_of(end, 0) : unindented(between(at, end));
	parts->function = at == NULL ? line : between(line.data, at);
	plus = parts->function.size > 0 ? memrchr(parts->function.data, '+', parts->function.size) : NULL;
	if (plus != NULL && plus + 1 < end && plus[1] == '0') {
		at = plus + 1;
		if (scan_hex(&at, end, &parts->offset))
			parts->function = between(parts->function.data, plus);
	}
	if (parts->function.size == 0)
		parts->function = text_from("[unknown]");
	colon = place.size > 0 ? memrchr(place.data, ':', place.size) : NULL;
	at = colon != NULL ? colon + 1 : NULL;
	if (at != NULL && scan_decimal(&at, end, &number) && at == end && number <= INT32_MAX) {
		parts->line = (int64_t)number;
		place = between(place.data, colon);
	}
	parts->file = place;
	return true;
}

/* --- the beginning and the end of a file --- */

/* A piece ends after an empty line. */
static size_t
cut(struct stk_text text)
{
	for (size_t i = text.size; i > 1; i--)
		if (text.data[i - 1] == '\n' && text.data[i - 2] == '\n')
			return i;
	return 0;
}

/* A head with a record below it. */
static const char *
find(struct stk_text text)
{
	const char *end = text.data + text.size;

	for (struct stk_text line = line_at(text.data, end); line.data < end; line = line_after(line, end)) {
		struct stk_text name, stack;
		uint64_t count;

		if (is_head(trimmed(line), &name) && is_record(trimmed(line_after(line, end)), &count, &stack))
			return line.data;
	}
	return NULL;
}

static int
recognise(struct stk_text text)
{
	return find(text) != NULL ? 90 : 0;
}

const struct text_format go_profile_format = {
	.name = "go-profile",
	.about = "text profiles of Go that count stacks: goroutine?debug=1, threadcreate?debug=1",
	.shown_by = "a line \"goroutine profile: total N\" above \"N @ 0x...\"",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_NATIVE,
	.is_dump = true,
	.recognise = recognise,
	.find = find,
	.cut = cut,
	.cut_tail = cut,
	.scan = scan_piece,
	.read_stack = read_stack,
	.read_frame = read_frame
};
