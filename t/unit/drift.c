/* SPDX-License-Identifier: MIT
 * drift: a level that moves too slowly for any measure to be an outlier is reported, in either direction; one that only
 * trembles is not. */
#include "../lib/tap.h"

#include "trend/change_watch.h"

#include <math.h>

#define HOUR INT64_C(3600000000000)
#define DAY  (24 * HOUR)
#define REST 1500

struct seen { unsigned drifts, others, early; struct change first; };

/* 1,500 hours around a level of 100, then as many in which it moves by `slope` an hour. */
static struct seen
watch(double slope)
{
	struct trend_rules rules = {
		.constants = trend_constants_usual, .usual_hours = 1, .clip = 6, .clip_after = 50
	};
	struct change_watch watch = { 0 };
	struct seen seen = { 0 };
	struct trend_filter filter;
	struct trend_step step;
	struct change change;
	struct stk_error err = { 0 };

	if (season_calendar_open(&rules.calendar, "none", DAY, NULL, 0, &err) < 0)
		abort();
	trend_filter_open(&filter, &rules, 0, 100, false);
	for (int i = 1; i <= 2 * REST; i++) {
		double value = 100 + (i * 7919 % 101 / 50.0 - 1) + (i > REST ? slope * (i - REST) : 0);

		trend_filter_update(&filter, &rules, i * HOUR, value, 1, &step);
		if (!change_watch_take(&watch, &watch_rules_usual, &filter, &rules, i * HOUR, value, 0, &step, &change))
			continue;
		seen.early += i <= REST;
		seen.others += change.kind != CHANGE_DRIFT;
		if (change.kind == CHANGE_DRIFT && seen.drifts++ == 0)
			seen.first = change;
	}
	trend_filter_release(&filter);
	season_calendar_close(rules.calendar);
	return seen;
}

int
main(void)
{
	struct seen still = watch(0), up = watch(0.05), down = watch(-0.03);

	is_u64(still.drifts + still.others, 0, "a level that trembles does not drift");
	ok(up.drifts >= 1 && up.early == 0, "one that rises slowly does: %u drifts, %u others", up.drifts, up.others);
	ok(fabs(up.first.before - 100) < 10 && up.first.after > up.first.before + 10, "from where it was, up: %.1f, %.1f",
	   up.first.before, up.first.after);
	ok(down.drifts >= 1 && down.early == 0, "one that falls slowly, too: %u drifts, %u others", down.drifts, down.others);
	ok(fabs(down.first.before - 100) < 10 && down.first.after < down.first.before - 10, "down: %.1f, %.1f",
	   down.first.before, down.first.after);
	return tap_end();
}
