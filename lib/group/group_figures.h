/* SPDX-License-Identifier: MIT
 * group_figures: what each group of a scheme has, without and with the groups below it: samples, events, time. */
#ifndef GROUP_GROUP_FIGURES_H
#define GROUP_GROUP_FIGURES_H

#include "group/grouping.h"

/* The source of times when there are both pairs of events and samples. TIME_FILLED: pairs have the time that they take,
 * less that of samples inside of them which belong to other groups; samples have the rest. TIME_MEAN: likewise, but
 * all pairs of a group take the mean of their time and of that of the samples inside. TIME_NORMALISED: the samples
 * inside of the pairs of a group are made to take as long as the pairs. Or only one of the two.
 * Samples of which it is not known whether they are inside are taken for those of their own group: it has the longer of
 * both times, or their mean, or, normalised, that of its pairs. */
enum time_from { TIME_FILLED, TIME_PAIRED, TIME_SAMPLED, TIME_MEAN, TIME_NORMALISED };

struct group_figures {
	uint64_t count, weight;			/* by itself; count: samples, pairs and points */
	uint64_t pairs, points;
	uint64_t total_count, total_weight;	/* with those below */
	uint64_t shared_count;			/* of group 0: samples that came from two groups at the top */
	double part, total_part;		/* what shares are of: weight, or seconds where there are pairs */
	uint64_t untimed;			/* samples whose time is not known, with those below */
	double sampled, paired;			/* seconds by either measure, without the groups below */
	double total_sampled, total_paired;
	double shared_samples;			/* of total_sampled: what came from two groups below */
	double seconds, total_seconds;
	double shared;				/* sampled seconds that came from two groups below */
	double inside, inside_squares;		/* of all samples inside of its pairs, as in struct group_sum; of group
						 * 0: between pairs */
	double timed, unknown;			/* what its samples have of `seconds`, and those that may be inside */
	double scale;				/* of samples inside of its pairs */
	double payload;				/* of events of one name; NAN: of several */
	bool measured;				/* they had any payload */
	struct time_range times;		/* of samples and events, with those below */
};

struct group_figures_options {
	enum time_from time;
	int64_t part;		/* of which events count, see event_time.h */
};

/* Fills figures[0] (of no group) to figures[N] for the N groups of the grouping's scheme, for a key. Returns the whole
 * that each `part` is a part of: the weight of all samples of the key, each once; or, where it has pairs of events and
 * these are asked for, the time of all groups and of none. Goes through all sums at most twice. */
double group_figures_gather(const struct grouping *grouping, uint32_t key, const struct group_figures_options *options,
			    struct group_figures *figures);

/* Of all groups and of none, each sample once; worth: what a sample stands for on average, in seconds. */
struct group_all { uint64_t count, untimed; double seconds, worth; struct time_range times; };
struct group_all group_figures_all(const struct scheme *scheme, const struct group_figures *figures);

/* The time of the samples inside of the pairs of a group (of 0: between pairs), less that of the pairs; and the limits
 * between which it is in 95 of 100 recordings where samples come by chance: of no sample, limits are those of samples
 * of the usual size. agrees: 0 is between them. */
struct group_check { double difference, low, high; bool agrees; };
struct group_check group_figures_check(const struct group_figures *figures, size_t groups, uint32_t group);

#endif
