/* SPDX-License-Identifier: MIT
 * season_points: the measures of a series with their places in a day, as season_cycles wants them. */
#ifndef TREND_SEASON_POINTS_H
#define TREND_SEASON_POINTS_H

#include "trend/plain_series.h"
#include "trend/season_cycles.h"
#include "trend/series_set.h"

struct season_points {
	struct season_calendar *calendar;	/* of days that are all alike */
	struct trend_point *at;
	size_t count;
};

/* plain: its points when it was read from a file, else NULL: then its steps, which the set's options keep for good.
 * Close it in any case. -1 with *err: the slots cannot be (STK_EUSAGE). */
int  season_points_open(struct season_points *out, const struct series_set *set, uint32_t number,
			const struct plain_points *plain, struct stk_error *err) STK_MUST_CHECK;
void season_points_close(struct season_points *points);

#endif
