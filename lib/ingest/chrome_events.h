/* SPDX-License-Identifier: MIT
 * chrome_events: trace events that are kept as events, until the names of their threads are known. */
#ifndef INGEST_CHROME_EVENTS_H
#define INGEST_CHROME_EVENTS_H

#include "base/array.h"
#include "base/text_buffer.h"
#include "base/text_table.h"

struct kept_chrome_event {
	int64_t time_ns, span_ns;	/* span_ns: of X; else 0 */
	uint64_t activity;
	size_t values_at;		/* in values */
	uint32_t values_size, name, track, order;
	uint16_t happening;
};

struct chrome_events {			/* a zeroed struct is an empty one */
	ARRAY(struct kept_chrome_event) list;
	struct text_table names;
	struct text_buffer values;
};

/* What a trace event says. */
struct chrome_event {
	struct stk_text name, id, values;
	char phase;
	int64_t time_ns, duration_ns;
	uint32_t track;			/* of its thread */
};

/* False: events of this phase mean no time and no moment of a thread. */
bool chrome_events_take(struct chrome_events *events, const struct chrome_event *event);
/* By track, and by time; an outer span begins before those in it and ends after them. */
void chrome_events_sort(struct chrome_events *events);
struct stk_text chrome_events_name(const struct chrome_events *events, const struct kept_chrome_event *event);
struct stk_text chrome_events_values(const struct chrome_events *events, const struct kept_chrome_event *event);
void chrome_events_release(struct chrome_events *events);

#endif
