/* SPDX-License-Identifier: MIT
 * event_lines: events from a text, TSV: time, thread, happening (point, start, stop, switch-out, switch-in), name, value. Lines in the order of time. */
#ifndef STKGROUP_EVENT_LINES_H
#define STKGROUP_EVENT_LINES_H

#include "base/time_text.h"
#include "group/grouping.h"

/* Gives the events to all groupings. Lines that are none are told. -1: the file cannot be read. */
int event_lines_read(const char *path, struct grouping **groupings, unsigned count, const struct time_zone *zone, struct stk_error *err) STK_MUST_CHECK;

#endif
