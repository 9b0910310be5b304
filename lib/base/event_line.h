/* SPDX-License-Identifier: MIT
 * event_line: an event as a line of text, with tabs between: time, thread, happening (point, start or begin, stop or
 * end, switch-out, switch-in), name, value, activity, stack, processor, process, values (event_values.h). What follows
 * the happening may be missing. An activity is a number, or a trace id of W3C's trace context, of which the last 16
 * digits are kept. */
#ifndef BASE_EVENT_LINE_H
#define BASE_EVENT_LINE_H

#include "base/time_text.h"
#include "stkpipe/rows.h"

struct event_line {
	struct stk_text thread;
	struct stk_text stack;		/* frames with ';' between, root first; empty: none */
	struct stk_text process;	/* its number or its name; empty: not known */
	struct stk_event event;		/* without a thread and a stack */
	bool zoned;			/* its time is sure; else it is one of the zone that was given, or as if UTC */
};

/* Reads a line: 1 an event, 0 a line without one (empty, a comment with '#', a heading of these columns), -1 not an
 * event. out points into it. A time without a date is seconds since 1970, as with '@'; zone may be NULL (UTC). */
int event_line_read(struct stk_text line, const struct time_zone *zone, struct event_line *out);

#endif
