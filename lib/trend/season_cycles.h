/* SPDX-License-Identifier: MIT
 * season_cycles: whether a series goes through its days, weeks, months, quarters and years alike: its latest cycle of
 * each kind against every earlier one; and the part of the year in which it is high. */
#ifndef TREND_SEASON_CYCLES_H
#define TREND_SEASON_CYCLES_H

#include "base/array.h"
#include "trend/season_test.h"
#include "trend/trend_start.h"

enum season_cycle {
	CYCLE_DAY,		/* any day, by its slots */
	CYCLE_WEEKDAY,		/* Monday to Friday, by their slots */
	CYCLE_WEEKEND,		/* Saturday and Sunday together */
	CYCLE_WEEK,		/* from Monday on */
	CYCLE_MONTH,		/* by its days */
	CYCLE_QUARTER,		/* by its 13 weeks */
	CYCLE_YEAR,		/* by its months */
	SEASON_CYCLES
};
extern const char *const season_cycle_names[SEASON_CYCLES];

/* Days are local ones, counted from 1970. */
struct cycle_pair {
	int64_t latest_day, earlier_day;	/* with which they begin */
	struct season_verdict verdict;
	double shift_p;				/* the rank of r among those of all rotations */
	bool season;				/* the test says so, and no rotation does much better */
};

struct cycle_pairs { struct cycle_pair *at; size_t count, room; };

/* Months of the year, from January on, that are far above the others. */
struct high_months {
	bool known;				/* a whole year was seen */
	size_t years;
	double factors[12], threshold;		/* of the mean of its year */
	bool high[12];
	int64_t from_day, to_day;		/* the latest such season, to_day not in it; equal: not seen */
};

/* Compares the latest cycle with up to 60 before it, those latest first. Cycles with less than three quarters of their
 * slots are left out. The calendar has days that are all alike ("day"); points are placed in it. The pairs that were
 * added to *pairs. */
size_t season_cycles_compare(enum season_cycle cycle, struct season_calendar *calendar,
			     const struct trend_point *points, size_t count, enum season_method method,
			     struct cycle_pairs *pairs);

/* What each part of the year is above the level, as season_year_set takes it: the mean of days over a level that moves
 * from year to year. Years count back from the last point; false: there are not two of them. The places of points are
 * known. additive: differences, not ratios. */
bool season_year_parts_find(const struct trend_point *points, size_t count, unsigned parts, bool additive,
			    double *values);

/* By means of whole years. */
struct high_months season_high_months(struct season_calendar *calendar, const struct trend_point *points, size_t count);

#endif
