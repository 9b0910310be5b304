/* SPDX-License-Identifier: MIT
 * event_lines: events from a text, one a line. */
#ifndef GROUP_EVENT_LINES_H
#define GROUP_EVENT_LINES_H

#include "base/event_line.h"
#include "stkpipe/error.h"

struct event_line_listener {
	void (*event)(void *context, const struct event_line *line);
	/* A line that is not an event; it is skipped. */
	void (*no_event)(void *context, const char *path, unsigned line);
	void *context;
};

/* Gives the events of a file to a listener; "-" is standard input. -1 with *err: it cannot be read; events before that
 * were given. */
int event_lines_read(const char *path, const struct time_zone *zone, const struct event_line_listener *listener,
		     struct stk_error *err) STK_MUST_CHECK;

#endif
