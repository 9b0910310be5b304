/* SPDX-License-Identifier: MIT
 * trend_fit: constants are fitted to what there is after the measures that a filter begins with, and stay as they were
 * when there is nothing. */
#include "../lib/tap.h"

#include "trend/trend_fit.h"

#include <math.h>

#define HOUR  INT64_C(3600000000000)
#define BEGIN (INT64_C(1404691200) * 1000000000)	/* 2014-07-07, a Monday */

static struct trend_point points[400];

static bool
constants_stay(struct season_calendar *calendar, size_t count, double *error)
{
	struct trend_rules rules = { .constants = trend_constants_usual,
				     .calendar = calendar,
				     .clip = 6,
				     .clip_after = 50,
				     .floor = 1e-3,
				     .usual_hours = 1 };

	trend_points_place(&rules, points, count);
	*error = trend_fit(&rules, points, count, 0, 40).mean_error;
	return memcmp(&rules.constants, &trend_constants_usual, sizeof rules.constants) == 0;
}

int
main(void)
{
	struct season_calendar *flat, *day;
	struct stk_error err = { 0 };
	double error;

	for (int i = 0; i < 400; i++)
		points[i] = (struct trend_point){
			.time_ns = BEGIN + i * HOUR, .weight = 1, .value = 100 + i % 7 * (i % 5)
		};
	if (season_calendar_open(&flat, "none", HOUR, NULL, 0, &err) < 0 ||
	    season_calendar_open(&day, "day", HOUR, NULL, 0, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		return 99;
	}
	for (size_t count = 0; count <= 3; count++)
		ok(constants_stay(flat, count, &error) && error <= 0, "%zu measures: nothing to fit", count);
	ok(constants_stay(flat, 19, &error) && error <= 0, "19 measures are what a filter begins with");
	ok(!constants_stay(flat, 20, &error) && error > 0, "to 20 it is fitted");
	ok(constants_stay(day, 48, &error) && error <= 0, "two days are what a filter of days begins with");
	ok(!constants_stay(day, 50, &error) && error > 0, "to what comes after them it is fitted");
	season_calendar_close(flat);
	season_calendar_close(day);
	return tap_end();
}
