/* SPDX-License-Identifier: MIT
 * sample_groups: the samples of a stream, one after another, to the groups of some schemes, in parts of equal length if
 * asked for. Samples of perf's sched_switch are not work of any group: they are counted and belong to no group. */
#ifndef GROUP_SAMPLE_GROUPS_H
#define GROUP_SAMPLE_GROUPS_H

#include "base/time_range.h"
#include "choose/selection.h"
#include "choose/stack_prefix.h"
#include "group/scheme_set.h"

struct grouped_sample {
	uint64_t stack, state, thread, weight;
	uint32_t prefix;		/* of options.prefixes; 0: there are none */
	int64_t time;
};

/* The listener for samples and parts; each may be NULL. -1 with *err ends sample_groups_take with it. */
struct sample_groups_listener {
	/* The chosen samples of a block; perhaps none. */
	int (*begin)(void *context, struct stk_error *err);
	int (*sample)(void *context, const struct grouped_sample *sample, struct stk_error *err);
	/* A part of options.step_ns begins, or has ended: the sums of the groupings are then those of the part, and are
	 * cleared afterwards. A part begins again when a sample of it comes after those of another, unless parts come
	 * `once`. */
	int (*part_begins)(void *context, int64_t from_ns, struct stk_error *err);
	int (*part_ends)(void *context, int64_t from_ns, struct stk_error *err);
	void *context;
};

struct event_feed;

/* All borrowed. */
struct sample_groups_options {
	struct scheme_set *set;
	struct model *model;
	struct selection *selection;
	struct stack_prefixes *prefixes;	/* sums are by prefix as well; NULL */
	int64_t step_ns;			/* 0: no parts */
	bool once;				/* a sample of an earlier part counts to the present one */
	struct event_feed *feed;	/* places samples in activities and pairs: they are counted when all events of
					 * their stream are known; NULL */
	bool by_activity;		/* feed: samples are placed whether or not there are pairs */
	bool summing;				/* samples are added to the groupings, before the listener has them */
	struct sample_groups_listener listener;
};

struct sampling {
	uint64_t samples, switches;	/* switches: how many of the samples are of sched_switch */
	bool dumps, clocks, others;	/* what was summed: threads of dumps, clocks' samples, those of other events */
	struct time_range times;
	uint64_t late;			/* samples that count to a later part than theirs */
	uint64_t unplaced;		/* samples that did not wait for the first event */
};

struct sample_groups;

void sample_groups_open(struct sample_groups **out, const struct sample_groups_options *options);
/* NULL does nothing. */
void sample_groups_close(struct sample_groups *groups);

/* Takes a block of STK_SAMPLE. -1 with *err: it is damaged (nothing of it was taken), or the listener failed. */
int sample_groups_take(struct sample_groups *groups, struct stk_reader *reader, const struct stk_block *block,
		       struct stk_error *err) STK_MUST_CHECK;
/* The end of the samples: ends the current part, if any. */
int sample_groups_end(struct sample_groups *groups, struct stk_error *err) STK_MUST_CHECK;

/* Another stream begins, or none: before the model forgets the ids of the last one. -1 with *err: the listener
 * failed. */
int  sample_groups_turn(struct sample_groups *groups, struct stk_error *err) STK_MUST_CHECK;
/* Gives all samples so far their time, when nothing follows that could tell it better. */
void sample_groups_settle(struct sample_groups *groups);

/* Until now. */
const struct sampling *sample_groups_sampling(const struct sample_groups *groups);

#endif
