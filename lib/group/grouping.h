/* SPDX-License-Identifier: MIT
 * grouping: attributes the samples of a stream to the groups of one scheme. */
#ifndef GROUP_GROUPING_H
#define GROUP_GROUPING_H

#include "base/pair_sums.h"
#include "base/time_range.h"
#include "group/attribution.h"
#include "group/event_time.h"
#include "model/model.h"

struct grouping;

/* What a key (a process, a thread; 0 when not asked for) has of a group, without the groups below; group 0: ungrouped.
 * shared: not of the group but counted once too often on the way from groups to it and, for group 0, to all: by samples
 * in several groups. times: of samples; ns: the time they stand for; squares: the sum of the squares of it, in seconds;
 * inside: of its samples. */
struct group_sum {
	uint32_t key, group, inside;
	bool shared;
	uint64_t count, weight, untimed;	/* untimed: whose time is not known */
	int64_t ns;
	double squares;
	struct time_range times;
};

/* A sample, and what it stands for: ns, WORTH_UNKNOWN, or a rate above 0 that grouping_settle will ask for. */
struct group_sample {
	uint32_t key, rate, inside;
	uint64_t stack, state, thread, weight;
	uint64_t times;		/* how many times the rate */
	int64_t time, ns;
};

/* The scheme is borrowed. */
void grouping_open(struct grouping **out, struct scheme *scheme);
void grouping_close(struct grouping *grouping);
struct scheme *grouping_scheme(const struct grouping *grouping);
struct attribution *grouping_attribution(const struct grouping *grouping);
struct event_time *grouping_events(const struct grouping *grouping);

/* Ids start anew. */
void grouping_turn(struct grouping *grouping);

/* The groups of a stack: *groups and how many; 0: none. Decided once. */
uint32_t grouping_of_stack(struct grouping *grouping, const struct model *model, uint64_t stack,
			   const uint32_t **groups);
/* The same of a sample: its thread's state counts where the scheme asks for states. */
uint32_t grouping_of_sample(struct grouping *grouping, const struct model *model, uint64_t stack, uint64_t state,
			    const uint32_t **groups);
/* The same of a thread without a stack, by its name. */
uint32_t grouping_of_thread(struct grouping *grouping, const struct model *model, uint64_t thread,
			    const uint32_t **groups);
/* Whether the scheme passes a frame over as one of a library. */
bool grouping_is_library(struct grouping *grouping, const struct model *model, uint32_t frame);
/* The group of each frame, root first; how many frames; valid until the next call. */
uint32_t grouping_of_frames(struct grouping *grouping, const struct model *model, uint64_t stack,
			    const uint32_t **frames, const uint32_t **groups);

/* What was summed up since it was cleared, for later: free out->at. And what a grouping goes on with instead, whose
 * memory it then owns. */
struct kept_sums { struct group_sum *at; size_t count; };
void grouping_take_sums(struct grouping *grouping, struct kept_sums *out);
void grouping_put_sums(struct grouping *grouping, const struct kept_sums *sums);

void grouping_add(struct grouping *grouping, const struct model *model, const struct group_sample *sample);
/* Asks for the time of each rate: whether it is known for good, and *ns. Sums have the time of those that are, with
 * `last` of all, and forget the rate. */
typedef bool group_rate(const void *context, uint32_t rate, int64_t *ns);
void grouping_settle(struct grouping *grouping, group_rate *ask, const void *context, bool last);
/* How many samples were added that are in several groups. */
uint64_t grouping_in_several(const struct grouping *grouping);
/* The sums that are not empty, by key and group in the order of arrival. */
const struct group_sum *grouping_sums(const struct grouping *grouping, size_t *count);
void grouping_clear(struct grouping *grouping);		/* the sums */

#endif
