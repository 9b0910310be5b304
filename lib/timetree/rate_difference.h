/* SPDX-License-Identifier: MIT
 * rate_difference: whether two counts of samples differ by more than chance: rates of Poisson counts over exposures, or
 * shares of totals, and the limits of the difference. */
#ifndef TIMETREE_RATE_DIFFERENCE_H
#define TIMETREE_RATE_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rate_difference {
	double a, b;			/* the rates or shares */
	double delta, low, high;	/* b - a, and its limits */
	double p;			/* of a difference as large by chance alone */
};

/* How much more than those of independent samples counts vary: the variance is so many times that of a Poisson count.
 * freedom: degrees of freedom of that estimate; INFINITY when it is known. */
struct dispersion {
	double factor, freedom;
	double quantile;		/* confidence_quantile() of the freedom, for callers with many; 0: not known */
};

double confidence_quantile(double confidence, double freedom);

/* Counts in windows of exposures x and y (seconds, dumps). confidence: 0.95. dispersion: how many times the variance is
 * that of a Poisson count; 1 for independent samples. */
struct rate_difference rate_difference(uint64_t a, double x, uint64_t b, double y, double dispersion,
				       double confidence);

/* Counts out of totals. */
struct rate_difference share_difference(uint64_t a, uint64_t of_a, uint64_t b, uint64_t of_b, double dispersion,
					double confidence);

/* The same, where the dispersion was estimated. */
struct rate_difference rate_difference_dispersed(uint64_t a, double x, uint64_t b, double y, struct dispersion of,
					      double confidence);
struct rate_difference share_difference_dispersed(uint64_t a, uint64_t of_a, uint64_t b, uint64_t of_b,
					       struct dispersion of, double confidence);

/* The variance of counts in slices of equal exposure over their mean; at least 1. */
double count_dispersion(const uint64_t *counts, size_t slices);

#endif
