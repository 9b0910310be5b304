/* SPDX-License-Identifier: MIT
 * go_record: records of text profiles of Go, with names of functions or without. */
#include "ingest/go_record.h"

#include "ingest/log_line.h"

#define LABELS "# labels: "

static bool
is_frame(struct stk_text line)
{
	return text_starts(line, "#\t0x");
}

static bool
is_of_stack(struct stk_text line)
{
	return line.size > 0 && *line.data == '#';
}

uint32_t
go_record_lines(struct findings *findings, uint32_t number, struct stk_text *stack, struct stk_text line,
		struct stk_text *labels, const char *end)
{
	uint32_t lines = 0;

	for (line = line_after(line, end); is_of_stack(line) || is_of_stack(first_unlogged(line, end));
	     line = line_after(line, end)) {
		lines++;
		if (!is_of_stack(line)) {
			if (findings != NULL)
				found_skipped(findings, number + lines, line, 1, SKIP_NOISE, "a line of a log");
			continue;
		}
		if (text_starts(line, LABELS))
			*labels = trimmed(text_of(line.data + strlen(LABELS), line.size - strlen(LABELS)));
		*stack = between(stack->data, line.data + line.size);
	}
	return lines;
}

void
go_skip_line(struct findings *findings, uint32_t number, struct stk_text text)
{
	bool frame = text_starts(text, "#\t");

	if (text.size > 0)
		found_skipped(findings, number, text, 1, frame ? SKIP_BROKEN : SKIP_NOISE,
			      frame ? "a frame without a count above it" : "not part of a profile");
}

/* Leaf first; without names of functions, the addresses. */
void
go_read_stack(struct stack_reading *reading, struct stk_text stack)
{
	const char *end = stack.data + stack.size;
	struct stk_text first = line_at(stack.data, end);
	bool named = false;

	for (struct stk_text line = line_after(first, end); line.data < end; line = line_after(line, end))
		if (is_frame(line)) {
			stack_frame(reading, trimmed(line));
			named = true;
		} else if (!text_starts(line, LABELS) && !log_line_is(line)) {
			stack_broken(reading, trimmed(line), "a line of a stack that is not understood");
		}
	for (const char *at = text_find(first, " 0x"); !named && at != NULL; ) {
		struct stk_text rest = between(at + 1, first.data + first.size);

		at = text_find(rest, " 0x");
		stack_frame(reading, trimmed(between(rest.data, at != NULL ? at : rest.data + rest.size)));
	}
}

/* "#	0x43a2b5	main.work+0x35	/src/main.go:12", or "0x43a2b6". */
bool
go_read_frame(struct frame_parts *parts, struct stk_text line)
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
