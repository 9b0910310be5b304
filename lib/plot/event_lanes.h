/* SPDX-License-Identifier: MIT
 * event_lanes: events as spans, in a lane for each name. What begins something lasts until an event of the same name,
 * thread and activity ends it. A stop whose name begins nothing ends what began last of its thread and activity, under
 * a name that no stop has. */
#ifndef PLOT_EVENT_LANES_H
#define PLOT_EVENT_LANES_H

#include "base/array.h"
#include "base/text_table.h"
#include "plot/chart.h"
#include "stkpipe/rows.h"

#define LANES_MOST 12u
#define SPANS_MOST 2000u	/* of a panel */

/* to_ns STK_TIME_UNKNOWN: it is open. lane: number of a name. part: what the caller makes of it; 0. */
struct happening { int64_t from_ns, to_ns; uint32_t lane, part; };

/* Of another name than the start; lane 0: none. */
struct other_stop { int64_t time_ns; uint32_t lane; };

struct event_lanes {			/* a zeroed struct has none */
	struct text_table names;
	ARRAY(struct happening) list;
	struct text_table openers;	/* of a name, a thread and an activity */
	/* 0: nothing is open; else 1 and the place in list: by opener, of what it began last; by place, of what was
	 * open before it. */
	ARRAY(uint32_t) open, below;
	ARRAY(bool) ends;		/* by lane: whether stops have the name of their start */
	ARRAY(bool) begins;		/* by lane: whether a start has this name */
	/* The same for stops of another name: by opener with lane 0, and by place. */
	ARRAY(uint32_t) last, before;
	ARRAY(struct other_stop) others;	/* by place */
	uint64_t two_names;		/* pairs of a start and a stop of another name */
};

void event_lanes_release(struct event_lanes *lanes);
/* Threads and activities are others from now on. */
void event_lanes_turn(struct event_lanes *lanes);
/* The happening that it is or begins, until the next call; NULL: it ends one, or is none. */
struct happening *event_lanes_take(struct event_lanes *lanes, const struct stk_event *event);
/* After the last event, before anything is drawn: ends what stops of another name end. */
void event_lanes_settle(struct event_lanes *lanes);
/* Whether it lasted. */
static inline bool
is_pair(const struct happening *is)
{
	return is->to_ns != STK_TIME_UNKNOWN && is->to_ns > is->from_ns;
}
/* Adds spans to the first panel, if there is one. */
void event_lanes_draw(struct event_lanes *lanes, struct chart *chart);

/* Adds spans that have ended, by lane and beginning, to a panel that has their lanes, numbered from 1. Returns how many
 * there was no room for. */
size_t add_spans(struct chart *chart, struct chart_panel *panel, const struct happening *list, size_t count);

#endif
