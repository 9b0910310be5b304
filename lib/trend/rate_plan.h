/* SPDX-License-Identifier: MIT
 * rate_plan: how often to take dumps, by time of day, so that series are known as exactly as the options ask, and not
 * more often. The series are those that the options name, or else the hottest. No dump is taken to see a thread that
 * the one before it saw. */
#ifndef TREND_RATE_PLAN_H
#define TREND_RATE_PLAN_H

#include "trend/series_set.h"

#define RATE_PLAN_LEAST 0.2	/* threads a dump below which a series does not set the rate */

struct planned_slot {
	const struct season_period *period;	/* of the plan's calendar */
	unsigned slot;
	int64_t of_day_s;	/* when it begins; of the first day of the period */
	double interval_hours;	/* from a dump to the next */
	uint64_t dumps;		/* in the slot */
	uint32_t series;	/* which wants the most of them */
};

struct held_series {
	uint32_t number;
	unsigned slots;		/* in which it has RATE_PLAN_LEAST */
	unsigned slots_short;	/* of these, in which the shortest interval does not give the wanted error */
	double error;		/* the greatest in a slot, at the confidence, as a part of the mean */
};

struct rate_plan {
	const struct season_calendar *calendar;	/* of the set */
	ARRAY(struct planned_slot) slots;
	ARRAY(struct held_series) held;
	ARRAY(uint32_t) left_out;	/* that were named, and have no season in this calendar */
	double dumps_a_week;
	double steady_a_week;	/* dumps at the same rate in all slots, that of the slot that needs the most */
};

/* Fills *plan with the slots of all periods. False, with nothing in it: no class, segment or group has a season and
 * RATE_PLAN_LEAST. Release it in both cases. */
bool rate_plan_make(struct rate_plan *plan, const struct series_set *set);
void rate_plan_release(struct rate_plan *plan);

#endif
