/* SPDX-License-Identifier: MIT
 * smooth_counts: how many threads of a class there were: by the few dumps of a slot, by what was counted in slots
 * around it and at the same hour of other days, and by all others. A line of these counts that leaves the least error
 * once the noise of counting is known. Pure computation. */
#ifndef TREND_SMOOTH_COUNTS_H
#define TREND_SMOOTH_COUNTS_H

#include <stddef.h>

struct smooth_counts;

/* Slots in order of time: their hour, and weight 0 to 1. Both are borrowed. Close it. */
struct smooth_counts *smooth_counts_open(const double *hour, const double *weight, size_t slots);

/* counts: by slot the mean of its dumps. others: of what else tells of it, with noise of its own; NULL: nothing. noise:
 * the square of half the difference between two halves of the dumps. counts and to may be the same. */
void smooth_counts_apply(const struct smooth_counts *s, const double *counts, const double *others, const double *noise,
			 double *to);
void smooth_counts_close(struct smooth_counts *s);

#endif
