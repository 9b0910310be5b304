/* SPDX-License-Identifier: MIT
 * activity_lanes: when each piece of work was under way, over all threads: while more was begun in it than has ended,
 * whatever the names of its events are. A lane is one activity. */
#ifndef PLOT_ACTIVITY_LANES_H
#define PLOT_ACTIVITY_LANES_H

#include "base/array.h"
#include "plot/chart.h"
#include "stkpipe/rows.h"

struct activity_event { uint64_t activity; int64_t time_ns; int change; };	/* change: 1 begins, -1 ends, 0 */

struct activity_lanes {			/* a zeroed struct has none */
	ARRAY(struct activity_event) list;
};

void activity_lanes_release(struct activity_lanes *lanes);
/* In any order. Events without a time or an activity are none. */
void activity_lanes_take(struct activity_lanes *lanes, const struct stk_event *event);
/* "activity 17" */
void add_activity(struct text_buffer *to, uint64_t activity);
/* Adds the lanes of those that took longest to the first panel, if there is one. */
void activity_lanes_draw(struct activity_lanes *lanes, struct chart *chart);

#endif
