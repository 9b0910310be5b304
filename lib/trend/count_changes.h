/* SPDX-License-Identifier: MIT
 * count_changes: whether a count of threads is another one after a moment than before it, and which moment divides a
 * record best.
 *
 * Counts are counts: a Poisson likelihood, over-dispersed as far as the record is. The season is taken out by
 * comparing like with like: given how many there were in a stratum (a slot of the season) on both sides, only how many
 * of these came after it tells of the change. That is glm(k ~ factor(stratum) + after, quasipoisson, offset =
 * log(dumps)), with limits of the profile likelihood; what a stratum has on one side alone says nothing. */
#ifndef TREND_COUNT_CHANGES_H
#define TREND_COUNT_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum count_side { SIDE_NONE = -1, SIDE_BEFORE, SIDE_AFTER };

/* Of a record, in the order of time. */
struct count_slots {
	size_t count;
	const int64_t *time_ns;
	const double *dumps;
	const unsigned *stratum;	/* below strata */
	unsigned strata;
	const signed char *side;	/* enum count_side */
};

struct count_change {
	double hits[2];			/* before and after, of all slots with a side */
	double level[2];		/* hits a dump, as if both had had the same slots */
	double ratio;			/* of the levels; INFINITY: there were none before */
	double low, high;		/* its limits, 0 to INFINITY */
	double p;
	/* how much more it varies than a Poisson count, from hour to hour and from day to day */
	double hourly, daily;
	double freedom;			/* degrees, of the dispersion */
	/* between the passes */
	double days, day_freedom, day_hits, day_dispersion;
};

/* Room and figures of one series at a time. */
struct count_comparison;
void count_comparison_open(struct count_comparison **out, const struct count_slots *slots);
void count_comparison_close(struct count_comparison *comparison);	/* NULL does nothing */

/* What is in strata that both sides have: the share of the dumps of the smaller side, 0: nothing can be compared; the
 * slots of the side with fewer of them; and the share of all dumps that are in strata of one side. */
struct count_common { double of_smaller; size_t slots; double left_out; };
struct count_common count_comparable(const struct count_slots *slots);

/* The first pass over a series: its counts by slot, its ratio, and how much it varies. False: too little to compare. */
bool count_change_fit(struct count_comparison *comparison, const double *hits, struct count_change *to);
/* How much days vary by themselves, as a share of their mean, squared: of all series of a first pass. */
double count_day_noise(const struct count_change *fits, size_t count);
/* The second pass: limits, and p of the ratio not being `usual`. The same series must be fitted anew before, unless it
 * was the last one. */
void count_change_judge(struct count_comparison *comparison, double usual, double day_noise, double confidence,
			struct count_change *of);

/* Adds a series to the season that all have in common, towards which their own lean while there is little of them. */
void count_comparison_pool(struct count_comparison *comparison, const double *hits);
/* Adds to gains[i], for each slot, how much better (in natural logarithms, beyond `least`) a change where it begins
 * explains the counts than none. Returns the slot at which the series divides best; 0: nowhere. */
size_t count_change_gains(struct count_comparison *comparison, const double *hits, double least, double *gains);

/* The ratio of most: a median, in which none has more than a tenth of the weight. 1 of fewer than ten series. */
double count_common_ratio(const struct count_change *fits, size_t count);

/* Benjamini and Yekutieli: the rate of false claims among those with a p up to each, whatever their dependence. */
void count_discovery_rates(const double *p, size_t count, double *q);

#endif
