/* SPDX-License-Identifier: MIT
 * plain_text: a text of no known format. All of its lines are noise, in which sections of any format are found. */
#include "ingest/text_lines.h"

static int
plain_recognise(struct stk_text text)
{
	(void)text;
	return 0;
}

#define CUT_KEEPS 32	/* lines that stay with what follows: they may be the head of something */

static size_t
plain_cut(struct stk_text text)
{
	const char *at = text.data + text.size;

	for (int lines = 0; lines <= CUT_KEEPS && at != NULL; lines++)
		at = text.size > 0 ? memrchr(text.data, '\n', (size_t)(at - text.data)) : NULL;
	return at != NULL ? (size_t)(at + 1 - text.data) : 0;
}

static void
plain_scan(struct findings *findings, struct stk_text piece)
{
	struct stk_text text = trimmed(piece);

	if (text.size > 0)
		found_skipped(findings, 0, text, scan_count_lines(text.data, text.data + text.size) + 1, SKIP_NOISE,
			      "not a known format");
	findings->lines = scan_count_lines(piece.data, piece.data + piece.size);
}

static void
plain_read_stack(struct stack_reading *reading, struct stk_text stack)
{
	(void)reading, (void)stack;
}

static bool
plain_read_frame(struct frame_parts *parts, struct stk_text line)
{
	(void)parts, (void)line;
	return false;
}

const struct text_format plain_text_format = {
	.name = "text",
	.about = "any text, with sections of other formats in it",
	.clock = STK_CLOCK_UNKNOWN,
	.runtime = STK_RUNTIME_UNKNOWN,
	.recognise = plain_recognise,
	.cut = plain_cut,
	.cut_tail = plain_cut,
	.scan = plain_scan,
	.read_stack = plain_read_stack,
	.read_frame = plain_read_frame
};
