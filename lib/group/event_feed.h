/* SPDX-License-Identifier: MIT
 * event_feed: the events of streams and texts, in the order of their times, to all groupings of a set; those that a
 * selection chooses. A pair is chosen by its thread and its start, its time by the moments that it is of, and by its
 * group. */
#ifndef GROUP_EVENT_FEED_H
#define GROUP_EVENT_FEED_H

#include "choose/selection.h"
#include "choose/stack_prefix.h"
#include "group/activity_paths.h"
#include "group/scheme_set.h"

struct event_feed;

/* All borrowed; events of the set's groupings are chosen by the feed from now on. prefixes: keys; NULL: none. */
struct event_feed_options {
	struct scheme_set *set;
	struct model *model;
	struct selection *selection;
	struct stack_prefixes *prefixes;
	struct event_choice choice;	/* windows and steps */
	bool by_activity;		/* keys have the activity as well; prefixes are there */
	bool by_pair;			/* samples are asked whether they are inside of pairs */
	bool by_path;			/* for event_feed_paths; by_activity as well */
};

void event_feed_open(struct event_feed **out, const struct event_feed_options *options);
/* NULL does nothing. */
void event_feed_close(struct event_feed *feed);

/* The events of a block of STK_EVENT. -1 with *err: the block is damaged. */
int  event_feed_take(struct event_feed *feed, struct stk_reader *reader, const struct stk_block *block,
		     struct stk_error *err) STK_MUST_CHECK;
/* An event that is not of a stream: nothing but its time chooses it, and of its thread only the name is known. */
void event_feed_add(struct event_feed *feed, struct stk_text thread, uint32_t key, const struct stk_event *event);

/* Another stream begins, before the model forgets the last one; or a text does. Open pairs end. */
void event_feed_turn(struct event_feed *feed);
/* Nothing comes any more from before a time. */
void event_feed_until(struct event_feed *feed, int64_t until_ns);
void event_feed_end(struct event_feed *feed);

/* Samples of the present stream are placed in activities and pairs after its last event, which must have come: gives
 * the keys of some, in the order of time, and for each grouping of the set and sample what it is inside of. */
struct placed_sample { uint64_t thread; int64_t time; uint32_t key; };
/* Whether any event came; or any of the present stream or of a file. */
bool event_feed_met(const struct event_feed *feed);
bool event_feed_met_now(const struct event_feed *feed);
void event_feed_flush(struct event_feed *feed);
void event_feed_place(struct event_feed *feed, struct placed_sample *samples, size_t count, uint32_t *inside);
/* How many samples were placed in pairs; of how many the thread has events or surely none; of how many it has events
 * with times; and how many are from the first of these to the last. */
struct placing { uint64_t samples, known, of_events, within; };
struct placing event_feed_placing(const struct event_feed *feed);
/* Of activities: stops of what nobody opened, and openings that were forgotten. */
void event_feed_odd_activities(const struct event_feed *feed, uint64_t *unstarted, uint64_t *forgotten);

/* After the end: the critical paths of activities. */
const struct activity_paths *event_feed_paths(const struct event_feed *feed);

/* Whether pairs were open at the end of a stream that another followed. */
bool event_feed_cut(const struct event_feed *feed);
/* Events that came after later ones, and were put in order. */
uint64_t event_feed_moved(const struct event_feed *feed);

#endif
