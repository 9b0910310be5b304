/* SPDX-License-Identifier: MIT
 * walked_stack: stacks that a live capture walked itself (lib/walk/vm_walker.h and walked_names.h say how they are
 * written). Not in the
 * table of formats: there are no files of it. */
#include "ingest/ingest.h"
#include "ingest/scan_text.h"
#include "ingest/text_lines.h"

#define FIELDS 7u

/* The fields of a line; missing ones are empty. */
static void
split_fields(struct stk_text line, struct stk_text fields[FIELDS])
{
	const char *at = line.data, *end = line.data + line.size;

	for (unsigned i = 0; i < FIELDS; i++) {
		const char *tab = at < end ? memchr(at, '\t', (size_t)(end - at)) : NULL;

		fields[i] = between(at, tab != NULL ? tab : end);
		at = tab != NULL ? tab + 1 : end;
	}
}

/* Two fields; without a number the line stays as it is. */
static void
read_source(struct frame_parts *parts, const struct stk_text fields[2])
{
	const char *digits = fields[1].data;
	uint64_t line;

	parts->file = fields[0];
	if (fields[1].size > 0 && scan_decimal(&digits, fields[1].data + fields[1].size, &line) && line <= INT32_MAX)
		parts->line = (int64_t)line;
}

static void
read_method(struct frame_parts *parts, const struct stk_text fields[FIELDS])
{
	parts->form = STK_FORM_JAVA;
	parts->line = text_is(fields[5], "native") ? STK_LINE_NATIVE : STK_LINE_NO_SOURCE;
	read_source(parts, &fields[4]);
}

static void
read_native(struct frame_parts *parts, const struct stk_text fields[FIELDS])
{
	const char *digits = fields[4].data;

	parts->form = STK_FORM_NATIVE;
	if (fields[4].size > 0)
		(void)scan_hex(&digits, fields[4].data + fields[4].size, &parts->offset);
	read_source(parts, &fields[5]);
}

static void
read_inlined(struct frame_parts *parts, const struct stk_text fields[FIELDS])
{
	parts->form = STK_FORM_INLINED;
	read_source(parts, &fields[4]);
}

static bool
read_frame(struct frame_parts *parts, struct stk_text line)
{
	struct stk_text fields[FIELDS];
	const char *digits;

	split_fields(line, fields);
	*parts = (struct frame_parts){ .function = fields[1], .form = STK_FORM_PLAIN };
	if (text_is(fields[0], "m"))
		return true;
	digits = fields[1].data;
	(void)scan_hex(&digits, fields[1].data + fields[1].size, &parts->address);
	parts->module = fields[2];
	parts->function = fields[3];
	if (text_is(fields[0], "j"))
		read_method(parts, fields);
	else if (text_is(fields[0], "i"))
		read_inlined(parts, fields);
	else
		read_native(parts, fields);
	return true;
}

static void
read_stack(struct stack_reading *reading, struct stk_text stack)
{
	const char *at = stack.data, *end = stack.data + stack.size;

	while (at < end) {
		const char *line_end = scan_line_end(at, end);

		stack_frame(reading, between(at, line_end));
		at = line_end < end ? line_end + 1 : end;
	}
}

const struct text_format walked_stack_format = {
	.name = "walked-stack",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_JVM,
	.read_stack = read_stack,
	.read_frame = read_frame,
};
