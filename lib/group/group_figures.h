/* SPDX-License-Identifier: MIT
 * group_figures: what each group of a scheme has, without and with the groups below it: samples, events, time. */
#ifndef GROUP_GROUP_FIGURES_H
#define GROUP_GROUP_FIGURES_H

#include "group/grouping.h"

/* The source of times when there are both pairs of events and samples: pairs where a group has any, else samples; only
 * one of them; or the mean of both. */
enum time_from { TIME_FILLED, TIME_PAIRED, TIME_SAMPLED, TIME_MEAN };

struct group_figures {
	uint64_t count, weight;			/* by itself; count: samples, pairs and points */
	uint64_t pairs, points;
	uint64_t total_count, total_weight;	/* with those below */
	double part, total_part;		/* what shares are of: weight, or seconds where there are pairs */
	uint64_t untimed;			/* samples whose time is not known, with those below */
	double sampled, paired;			/* seconds by either measure, without the groups below */
	double seconds, total_seconds;
	double shared;				/* sampled seconds that came from two groups below */
	double payload;				/* of events of one name; NAN: of several */
	bool measured;				/* they had any payload */
	struct time_range times;		/* of samples, with those below */
};

struct group_figures_options {
	enum time_from time;
	int64_t part;		/* of which events count, see event_time.h */
};

/* Fills figures[0] (of no group) to figures[N] for the N groups of the grouping's scheme, for a key. Returns the whole
 * that each `part` is a part of: the weight of all samples of the key, each once; or, where it has pairs of events and
 * these are asked for, the time of all groups and of none. Goes through all sums once. */
double group_figures_gather(const struct grouping *grouping, uint32_t key, const struct group_figures_options *options,
			    struct group_figures *figures);

#endif
