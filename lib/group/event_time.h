/* SPDX-License-Identifier: MIT
 * event_time: time by pairs of events. Each moment of a thread belongs to one of the groups whose pairs are open,
 * chosen as among the frames of a stack: the highest priority; of these a group before those that contain it; of the
 * rest the pair that began last. While the thread is switched out it belongs to none. A payload belongs to the same
 * group, that of a start to the group that has the time after it; else to the group of its own event, else to that of
 * its stack. */
#ifndef GROUP_EVENT_TIME_H
#define GROUP_EVENT_TIME_H

#include "base/time_range.h"
#include "base/time_text.h"
#include "group/scheme.h"

struct event_time;

/* payload: of one name; NAN when there are several. payloads: the first for event_time_payload; 0: none. times: of its
 * time, from the beginning to the end, and of what happened. */
struct group_events {
	int64_t ns;
	uint64_t pairs, points;
	double payload;
	uint32_t payloads;
	struct time_range times;
};

/* What events of a group measured under a name: `value` under the event's own, without a unit. */
struct group_payload {
	struct stk_text name, unit;
	uint64_t count;
	double sum, least, most, median, p99;
	uint32_t next;			/* of the same group; 0: none */
};

/* What is about to count: time from a moment on, a pair that begins, a point or a payload. */
struct event_piece {
	const struct scheme *scheme;
	uint64_t thread, stack;		/* stack: of the event, or of the one that began the pair; 0: none */
	int64_t time, processor;	/* processor: that of the thread's last event; -1: not known */
	uint32_t group;			/* 0: none */
	struct stk_text name;		/* of that event; empty: none */
};

/* What counts: time within windows, and in parts, which begin at multiples of step_ns. A pair that is open at the ends
 * of a window has the time between. */
struct event_choice {
	const struct time_window *windows;	/* borrowed */
	unsigned windows_count;			/* 0: all times */
	int64_t step_ns;			/* 0: one part, that of 0 */
	/* Whether a piece counts; NULL: all do. For time it is asked at its beginning and at each of the cuts in it. */
	bool (*takes)(void *context, const struct event_piece *piece);
	void *context;
	const int64_t *cuts;			/* ascending; borrowed */
	size_t cuts_count;
	bool keeps_changes;			/* for event_time_inside */
};

struct event_oddities {
	uint64_t unknown;		/* events that no group mentions */
	/* stops without a start; pairs open at the end, which count up to the thread's last event */
	uint64_t unstarted, unstopped;
	uint64_t overlapping;		/* stops of a pair that was not the innermost: it ends there */
	uint64_t backward;		/* events earlier than the one before them: time does not go back */
	uint64_t untimed;		/* events without a time, which divide nothing and are in no window or part */
	uint64_t late;			/* additions to parts that were shown before */
	uint64_t beyond;		/* additions to more parts, keys, groups and payloads than are kept */
};

/* What the events of a sample's thread say of its moment: nothing; that no pair is open; that it is not known whose
 * events they are; or, of INSIDE_PAIR and a group, that a pair of this group has the time. */
enum inside { INSIDE_NOTHING, INSIDE_GAP, INSIDE_UNKNOWN, INSIDE_PAIR = INSIDE_UNKNOWN };

/* The group of the pair; 0: none. */
static inline uint32_t
inside_group(uint32_t inside)
{
	return inside > INSIDE_PAIR ? inside - INSIDE_PAIR : 0;
}

/* The scheme is borrowed. */
void event_time_open(struct event_time **out, struct scheme *scheme);
void event_time_close(struct event_time *events);

/* Before the first event. */
void event_time_choose(struct event_time *events, const struct event_choice *choice);

/* Whose event it is, and on which processor (-1: not known); the key that it counts for, and that which the thread's
 * time counts for after it; the group of its stack, or 0; always: whatever choice.takes says. */
struct event_place {
	uint64_t thread;
	int64_t processor;
	uint32_t key, key_after, stack_group;
	bool always;
};
/* The next event of a thread, in the order of time. */
void event_time_take(struct event_time *events, const struct event_place *of, const struct stk_event *event);
/* From a time on a thread is another: its open pairs go on there, before that one's event at the time. */
void event_time_rename(struct event_time *events, uint64_t thread, uint64_t as, int64_t time);
/* From a time on, a thread's time counts for another key, up to its next event as ever. */
void event_time_turn_key(struct event_time *events, uint64_t thread, uint32_t key, int64_t time);
/* What the events so far say of moments of threads, which are in the order of time: thread 0 is unknown. last: of the
 * thread's last event, from which on nothing is said. */
struct event_moment { uint64_t thread; int64_t time, last; };
/* An `enum inside` for each: whose pair has the time then, if the choice takes that time. */
void event_time_inside(struct event_time *events, const struct event_moment *moments, size_t count, uint32_t *inside);
/* From a time on a thread's time is that of a group (0: none), or the thread is out. number: their order. */
struct event_change { uint64_t thread, number; int64_t time; uint32_t group; bool out; };
/* All changes of the events so far, if the choice keeps them; the caller frees *out. Returns how many. */
size_t event_time_changes(const struct event_time *events, struct event_change **out);
/* Threads have other numbers from now on: those of another stream. All pairs end. Of threads from EVENT_THREADS_KEPT on
 * event_time_inside still knows. */
#define EVENT_THREADS_KEPT (UINT64_C(1) << 62)
void event_time_turn(struct event_time *events);
/* The end of the events. */
void event_time_end(struct event_time *events);

/* The first group that an event of this name starts, stops or is a point of; 0: none. */
uint32_t event_time_group_of_name(struct event_time *events, struct stk_text name);

/* Whether any group has something in a part for a key. */
bool event_time_any(const struct event_time *events, int64_t part, uint32_t key);
/* What a group has in a part for a key. Of group 0: what belongs to no group. Valid until the next event. */
const struct group_events *event_time_of(const struct event_time *events, int64_t part, uint32_t key, uint32_t group);
void event_time_payload(const struct event_time *events, uint32_t number, struct group_payload *out);
/* From the first event to the last, within a window (NULL: all). */
double event_time_seconds(const struct event_time *events, const struct time_window *window);
/* Keys that have anything in any part, in the order in which they came. */
const uint32_t *event_time_keys(const struct event_time *events, size_t *count);
/* After the end: the first part from a time on; false when there is none. */
bool event_time_next(const struct event_time *events, int64_t from, int64_t *part);
/* A part and those before it were shown: what comes to them is late. */
void event_time_shown(struct event_time *events, int64_t part);
struct event_oddities event_time_oddities(const struct event_time *events);

#endif
