/* SPDX-License-Identifier: MIT
 * rate_plan: how often to take dumps, by time of day, so that the hottest series are known as exactly as the
 * options ask. */
#ifndef TREND_RATE_PLAN_H
#define TREND_RATE_PLAN_H

#include "trend/series_set.h"

#define RATE_PLAN_LEAST 0.2	/* threads a dump below which a series does not set the rate */

struct planned_slot {
	const struct season_period *period;	/* of the set's calendar */
	unsigned slot;
	int64_t of_day_s;	/* when it begins */
	double interval_hours;	/* from a dump to the next */
	uint64_t dumps;		/* in the slot */
	uint32_t series;	/* which wants the most of them */
};

struct rate_plan { ARRAY(struct planned_slot) slots; };

/* Fills *plan with the slots of all periods. False, with nothing in it: no class, segment or group has a season and
 * RATE_PLAN_LEAST. Release it in both cases. */
bool rate_plan_make(struct rate_plan *plan, const struct series_set *set);
void rate_plan_release(struct rate_plan *plan);

#endif
