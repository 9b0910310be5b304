/* SPDX-License-Identifier: MIT
 * season_check: whether a season is still valid, checked while it runs and without keeping the cycle: how the measures
 * of the current cycle fit the factors found in the earlier ones. */
#ifndef TREND_SEASON_CHECK_H
#define TREND_SEASON_CHECK_H

#include "trend/trend_filter.h"

struct season_check {
	int64_t until;			/* the day with which the next cycle begins */
	double n, x, s, xx, ss, xs;	/* sums over it: measures without the level, and factors */
	double r, measures;		/* of the last cycle that is over; measures 0: none is */
	double strength;		/* the part of the variance that the season explains */
};

/* Before trend_filter_update: with the filter before the measure. */
void season_check_take(struct season_check *check, const struct trend_filter *filter, const struct trend_rules *rules,
		       const struct season_place *place, double value);

/* The chance of a correlation as high without a season; NAN: not known yet. literal: each measure counts as independent
 * of the others. */
double season_check_p(const struct season_check *check, const struct trend_filter *filter,
		      const struct trend_rules *rules, bool literal);

#endif
