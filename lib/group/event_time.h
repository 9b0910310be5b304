/* SPDX-License-Identifier: MIT
 * event_time: time by pairs of events: each moment of a thread belongs to the group of the innermost pair that is open,
 * and to none while the thread is switched out. A payload belongs to the innermost open pair, else to the group of its
 * own event, else to that of its stack. */
#ifndef GROUP_EVENT_TIME_H
#define GROUP_EVENT_TIME_H

#include "group/scheme.h"

struct event_time;

struct group_events { int64_t ns; uint64_t pairs, points; double payload; };

struct event_oddities {
	uint64_t unknown;		/* events that no group mentions */
	/* stops without a start; pairs open at the end, which count up to the thread's last event */
	uint64_t unstarted, unstopped;
	uint64_t overlapping;		/* stops of a pair that was not the innermost: it ends there */
	uint64_t backward;		/* events earlier than the one before them: time does not go back */
	uint64_t untimed;		/* events without a time, which divide nothing */
};

/* The scheme is borrowed. */
void event_time_open(struct event_time **out, struct scheme *scheme);
void event_time_close(struct event_time *events);

/* The next event of a thread, in the order of time. stack_group: that of its stack, or 0. */
void event_time_take(struct event_time *events, uint64_t thread, const struct stk_event *event, uint32_t stack_group);
/* The end of the events. */
void event_time_end(struct event_time *events);

/* Of group 0: what belongs to no group. */
const struct group_events *event_time_of(const struct event_time *events, uint32_t group);
struct event_oddities event_time_oddities(const struct event_time *events);

#endif
