/* SPDX-License-Identifier: MIT
 * frame_text: a frame's parts to text, the inverse of the read_frame functions of lib/ingest. */
#include "model/frame_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NUMBER_MAX 24	/* "+0x" and 16 digits, or ':' and 19 */

struct room { char *to; size_t room, size; };	/* size: what was wanted, which may be more than the room */

static void
put(struct room *r, const char *from, size_t size)
{
	if (r->size < r->room && size > 0)
		memcpy(r->to + r->size, from, size < r->room - r->size ? size : r->room - r->size);
	r->size += size;
}

static void
put_text(struct room *r, struct stk_text text)
{
	put(r, text.data, text.size);
}

static void
put_string(struct room *r, const char *string)
{
	put(r, string, strlen(string));
}

static void
put_file(struct room *r, const struct frame_names *frame)
{
	char number[NUMBER_MAX];

	put_text(r, frame->file);
	if (frame->line > 0)
		put(r, number, (size_t)snprintf(number, sizeof number, ":%" PRId64, frame->line));
}

static void
put_java(struct room *r, const struct frame_names *frame)
{
	put_text(r, frame->function);
	put_string(r, "(");
	if (frame->module.size > 0) {
		put_text(r, frame->module);
		put_string(r, "/");
	}
	switch (frame->line) {
	case STK_LINE_NATIVE:    put_string(r, "Native Method"); break;
	case STK_LINE_NO_SOURCE: put_string(r, "Unknown Source"); break;
	case STK_LINE_REDEFINED: put_string(r, "Redefined"); break;
	default:                 put_file(r, frame); break;
	}
	put_string(r, ")");
}

static void
put_native(struct room *r, const struct frame_names *frame)
{
	char number[NUMBER_MAX];

	put_text(r, frame->function);
	if (frame->offset != 0)
		put(r, number, (size_t)snprintf(number, sizeof number, "+0x%" PRIx64, frame->offset));
	if (frame->module.size > 0) {
		put_string(r, " (");
		put_text(r, frame->module);
		put_string(r, ")");
	}
}

size_t
frame_text(const struct frame_names *frame, char *to, size_t room)
{
	struct room r = { to, room, 0 };

	switch (frame->form) {
	case STK_FORM_JAVA:
		put_java(&r, frame);
		break;
	case STK_FORM_NATIVE:
		put_native(&r, frame);
		break;
	case STK_FORM_INLINED:
		put_text(&r, frame->function);
		put_string(&r, " (inlined)");
		break;
	default:
		put_text(&r, frame->function);
		break;
	}
	return r.size;
}
