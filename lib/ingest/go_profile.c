/* SPDX-License-Identifier: MIT
 * go_profile: profiles of Go as text that count stacks: /debug/pprof/goroutine?debug=1 and threadcreate?debug=1.
 *
 *	goroutine profile: total 7
 *	6 @ 0x43a2b6 0x44bd3b
 *	# labels: {"handler":"price"}
 *	#	0x43a2b5	main.work+0x35	/src/shop/main.go:12
 *
 * Each profile is a dump; a record is a sample that weighs as many goroutines. */
#include "ingest/go_record.h"

#define TOTAL      " profile: total "
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

/* --- scanning --- */

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
			uint32_t lines = go_record_lines(findings, number, &sample.stack, line, &sample.note, end);

			sample.name = name;
			sample.hash = scan_hash(sample.stack);
			found(findings, FOUND_SAMPLE, number)->is.sample = sample;
			next = line_after(line_at(sample.stack.data + sample.stack.size, end), end);
			number += lines;
		} else {
			go_skip_line(findings, number, text);
		}
	}
	findings->lines = scan_count_lines(piece.data, end);
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
	.ends_at_section = true,
	.recognise = recognise,
	.find = find,
	.cut = cut,
	.cut_tail = cut,
	.scan = scan_piece,
	.read_stack = go_read_stack,
	.read_frame = go_read_frame
};
