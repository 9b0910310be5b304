/* SPDX-License-Identifier: MIT
 * event_lines: events from a text, TSV: time, thread, happening (point, start, stop, switch-out, switch-in), name,
 * value. */
#ifndef GROUP_EVENT_LINES_H
#define GROUP_EVENT_LINES_H

#include "base/time_text.h"
#include "stkpipe/error.h"
#include "stkpipe/rows.h"

struct event_line {
	struct stk_text thread;
	struct stk_event event;		/* without a thread and a stack */
};

/* Reads a line: 1 an event, 0 a line without one (empty, a comment with '#', a heading that begins with "time"), -1 not
 * an event. line: NUL-terminated, cut into its fields in place; out points into it. A time without a date is seconds
 * since 1970, as with '@'; zone may be NULL (UTC). */
int event_line_read(char *line, const struct time_zone *zone, struct event_line *out);

struct event_line_listener {
	/* Threads have numbers from 1 on, in the order of their first events. */
	void (*event)(void *context, uint64_t thread, const struct event_line *line);
	/* A line that is not an event; it is skipped. */
	void (*no_event)(void *context, const char *path, unsigned line);
	void *context;
};

/* Gives the events of a file to a listener; "-" is standard input. -1 with *err: it cannot be read; events before that
 * were given. */
int event_lines_read(const char *path, const struct time_zone *zone, const struct event_line_listener *listener,
		     struct stk_error *err) STK_MUST_CHECK;

#endif
