/* SPDX-License-Identifier: MIT
 * high_season_ranks: what a heap follows in its high season may be another class than the one it follows today. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "trend/ranking.h"

#include <math.h>

#define HOUR INT64_C(3600000000000)
#define DAY (24 * HOUR)

static struct trend_options options = { .kinds = { true, true, true, true, true },
					.periods = "day",
					.slot_ns = HOUR,
					.step_ns = HOUR,
					.smooth = SPAR_NONE,
					.clip = 6,
					.confidence = 0.95,
					.relative_error = 0.1,
					.keep_errors = true,
					.keep_history = true,
					.constants = { .alpha = 0.25, .gamma = 0.15, .delta = 0.02 } };

/* A day with its height at an hour. */
static double
around(int hour, int top)
{
	int away = abs(hour - top) % 24;

	away = away > 12 ? 24 - away : away;
	return exp(-away * away / 8.0);
}

/* From 2024-01-01 on: from June to August the heap is high, and goes with the class of mornings; else with that of
 * evenings. */
static uint32_t
fill(struct series_set *set, int days)
{
	uint32_t heap = series_set_find(set, STK_SERIES_METRIC, text_from("heap"), text_of("", 0)),
		 morning = series_set_find(set, STK_SERIES_CLASS, text_from("morning"), text_of("", 0)),
		 evening = series_set_find(set, STK_SERIES_CLASS, text_from("evening"), text_of("", 0));

	for (int i = 0; i < days * 24; i++) {
		int64_t time_ns = INT64_C(1704067200000000000) + i * HOUR;
		int day = i / 24, hour = i % 24;
		bool high = day >= 152 && day < 244;
		double jitter = (double)(i * 7919LL % 101) / 101;

		(void)series_set_come_to(set, LANE_CLASSES, time_ns);
		series_set_tick(set, 0);
		series_set_add(set, morning, 1 + 5 * around(hour, 9) + jitter);
		series_set_add(set, evening, 1 + 5 * around(hour, 19) + (double)(i * 104729LL % 97) / 97);
		series_set_measure(set, heap, time_ns,
				   (high ? 200 : 100) + 50 * around(hour, high ? 9 : 19) +
					   (double)(i * 1299709LL % 89) / 89);
	}
	series_set_finish(set);
	return heap;
}

/* The best of the heap after so many days; NULL: there is no ranking. */
static const char *
best_after(int days, bool high_season, struct high_months *high)
{
	static char name[32];
	struct series_set *set;
	struct stk_error err = { 0 };
	struct ranking ranking;
	uint32_t heap;
	bool known;

	options.high_season = high_season;
	if (series_set_open(&set, &options, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(99);
	}
	heap = fill(set, days);
	known = ranking_make(&ranking, set, heap);
	*high = ranking.high;
	if (known && ranking.count == 2) {
		struct stk_text is = series_set_at(set, ranking.at[0].number)->name;

		(void)snprintf(name, sizeof name, "%.*s", (int)is.size, is.data);
		ok(ranking.at[0].correlation > 0.95 && ranking.at[1].correlation < 0.5,
		   "one of two goes with it: %.3f, %.3f", ranking.at[0].correlation, ranking.at[1].correlation);
	}
	ranking_release(&ranking);
	series_set_close(set);
	return known ? name : "none";
}

int
main(void)
{
	struct high_months high;

	is_text(best_after(420, false, &high), "evening", "over all of the past the heap goes with evenings");
	ok(!high.known, "a high season is not sought unless asked for");
	is_text(best_after(420, true, &high), "morning", "in its high season with mornings");
	ok(high.known && high.high[5] && high.high[6] && high.high[7] && !high.high[4] && !high.high[8],
	   "which is from June to August");
	ok(high.from_day == 19723 + 152 && high.to_day == 19723 + 244, "to the day: %lld to %lld",
	   (long long)high.from_day, (long long)high.to_day);
	is_text(best_after(300, true, &high), "none", "less than a year has none");
	return tap_end();
}
