/* SPDX-License-Identifier: MIT
 * trend_fit: the constants with which the filters would have predicted a series best, one step ahead. */
#ifndef TREND_TREND_FIT_H
#define TREND_TREND_FIT_H

#include "trend/trend_start.h"

struct trend_loss {
	double mean_error;		/* mean of sizes, or of squares */
	size_t count;			/* measures that were predicted */
};

/* Runs a filter from the first `begin` points, of which it is started, over the rest; errors count from point `from`
 * on. */
struct trend_loss trend_loss(struct trend_rules *rules, const struct trend_point *points, size_t count, size_t begin,
			     size_t from, bool squares);

/* How many of the points its beginning needs: those of the first two cycles. Count when that is all. */
size_t trend_fit_begin(const struct trend_rules *rules, const struct trend_point *points, size_t count);

/* Sets rules->constants by the method of Nelder and Mead, from where they are. The mean error then, of points from
 * `from` on (or all that can be predicted). */
struct trend_loss trend_fit(struct trend_rules *rules, const struct trend_point *points, size_t count, size_t from,
			    int evaluations);

/* Many series at once, with one set of constants; their places are those of the rules. The mean over series of the size
 * of their errors, of which 1 is with the constants that the rules had before; of those that have more than their
 * beginning, whose number is in *used. dumps: of whose threads each point is the mean; 0: it is not a count. */
struct trend_past { const struct trend_point *points; size_t count; double dumps; };
double trend_fit_many(struct trend_rules *rules, const struct trend_past *pasts, size_t count, int evaluations,
		      size_t *used);

/* Finds a low point of a function of a few variables; at holds a start and gets the result. */
double nelder_mead(double (*of)(void *context, const double *at), void *context, double *at, unsigned n, double width,
		   int evaluations);
#define NELDER_MEAD_MOST 8

#endif
