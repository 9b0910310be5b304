/* SPDX-License-Identifier: MIT
 * explanation: which series go the way of another one, such as the heap: correlation of their seasonal factors, the lag
 * that fits best, and how little chance would do as well. */
#ifndef TREND_EXPLANATION_H
#define TREND_EXPLANATION_H

#include "trend/season_calendar.h"

#include <stddef.h>

struct explanation {
	double correlation;		/* at the best lag; over all periods */
	int64_t lag_ns;			/* by which the other follows the series */
	double p;			/* of one as high by chance, at any of the lags tried */
};

/* Factors as in filters. lags: slots tried to either side. NAN correlation: one of them never moves. */
struct explanation explain_by_factors(const double *series, const double *other, const struct season_calendar *calendar,
				      unsigned lags);

/* How what is left when seasons and levels are taken off goes together: errors of one step, at even intervals, NAN
 * where there is none. The same errors moved by whole days against each other say what chance does with series of such
 * habits. */
struct error_match {
	double correlation;		/* at the best lag; NAN: too few */
	double by_chance;		/* mean of those at whole days */
	double squares;			/* of their distances from that mean */
	size_t days, pairs;
};
struct error_match match_errors(const double *series, const double *other, size_t count, size_t per_day, unsigned lags);
/* P of a match as good, when `deviation` is that of correlations by chance. */
double match_p(const struct error_match *match, double deviation, unsigned lags);

/* The chance of two independent findings, by Fisher's method. */
double combined_p(double a, double b);

/* One number of correlations over different numbers of slots: the mean of atanh r, each weighed by n - 3. */
double pooled_correlation(const double *r, const size_t *n, size_t count);

#endif
