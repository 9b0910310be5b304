/* SPDX-License-Identifier: MIT
 * ranking: none, one, two and three series against a subject; which cannot be compared; and the order of those that
 * can. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "trend/outlook.h"
#include "trend/ranking.h"
#include "trend/rate_plan.h"

#include <math.h>

#define HOUR  INT64_C(3600000000000)
#define SLOTS 24

static const struct trend_options options = { .kinds = { true, true, true, true, true },
					      .periods = "day",
					      .slot_ns = HOUR,
					      .smooth = SPAR_NONE,
					      .clip = 6,
					      .confidence = 0.95,
					      .relative_error = 0.1,
					      .keep_errors = true,
					      .constants = { .alpha = 0.25, .gamma = 0.15, .delta = 0.02 } };

static struct series_set *
open_set(void)
{
	struct series_set *set;
	struct stk_error err = { 0 };

	if (series_set_open(&set, &options, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(99);
	}
	return set;
}

/* A series with a season: a wave that is `shift` slots late, with `noise` of its own. */
static uint32_t
add_wave(struct series_set *set, enum stk_series kind, const char *name, unsigned shift, double noise)
{
	uint32_t number = series_set_find(set, kind, text_from(name), text_of("", 0));
	struct series *s = series_set_edit(set, number);

	s->stage = 1;
	s->rules = &set->rules[1];
	s->begun = true;
	trend_filter_open(&s->filter, s->rules, 0, 1, true);
	for (unsigned k = 0; k < season_slots(s->rules->calendar); k++)
		s->filter.factors[k] = 1 + 0.5 * sin(2 * M_PI * (double)(k + SLOTS - shift) / SLOTS) +
				       noise * ((double)(k * 7919 % 101) / 101 - 0.5);
	return number;
}

static void
test_few(void)
{
	struct series_set *set = open_set();
	uint32_t flat = series_set_find(set, STK_SERIES_METRIC, text_from("flat"), text_of("", 0)), subject;
	struct ranking ranking;

	ok(!ranking_make(&ranking, set, flat) && ranking.count == 0,
	   "a subject without a season is explained by nothing yet");
	ranking_release(&ranking);
	subject = add_wave(set, STK_SERIES_METRIC, "heap", 0, 0);
	ok(ranking_make(&ranking, set, subject) && ranking.count == 0, "no series: an empty ranking");
	ranking_release(&ranking);
	(void)add_wave(set, STK_SERIES_CLASS, "same", 0, 0);
	ok(ranking_make(&ranking, set, subject) && ranking.count == 1, "one series: a ranking of one");
	ok(ranking.at[0].correlation > 0.99999 && ranking.at[0].lag_ns == 0,
	   "the same wave goes with it all the way, at once");
	is_u64(ranking.at[0].number, subject + 1, "... by its number");
	ok(fabs(ranking.at[0].p - ranking.at[0].q) < 1e-12, "of one, as much is claimed falsely as by chance");
	ok(isnan(ranking.at[0].together), "without errors nothing is known of what seasons leave");
	ranking_release(&ranking);
	series_set_close(set);
}

static void
test_order(void)
{
	struct series_set *set = open_set();
	uint32_t rough = add_wave(set, STK_SERIES_CLASS, "rough", 0, 2),
		 subject = add_wave(set, STK_SERIES_METRIC, "heap", 0, 0),
		 close_by = add_wave(set, STK_SERIES_GROUP, "close", 0, 0.1),
		 same = add_wave(set, STK_SERIES_SEGMENT, "same", 0, 0);
	struct ranking ranking;

	ok(ranking_make(&ranking, set, subject) && ranking.count == 3, "three series: a ranking of three");
	ok(ranking.at[0].number == same && ranking.at[1].number == close_by && ranking.at[2].number == rough,
	   "the one that explains best comes first");
	ok(ranking.at[0].p <= ranking.at[1].p && ranking.at[1].p <= ranking.at[2].p, "chance grows along the list");
	ok(ranking.at[0].q <= ranking.at[1].q && ranking.at[1].q <= ranking.at[2].q,
	   "so does what is false of the claims up to there");
	ranking_release(&ranking);
	series_set_close(set);
}

static void
test_equals(void)
{
	struct series_set *set = open_set();
	uint32_t first = add_wave(set, STK_SERIES_CLASS, "x", 0, 0),
		 second = add_wave(set, STK_SERIES_CLASS, "y", 0, 0);
	uint32_t subject = add_wave(set, STK_SERIES_METRIC, "heap", 0, 0);
	struct ranking ranking;

	ok(ranking_make(&ranking, set, subject) && ranking.count == 2, "two series: a ranking of two");
	ok(ranking.at[0].number == first && ranking.at[1].number == second,
	   "equals come in the order in which they were met");
	ranking_release(&ranking);
	series_set_close(set);
}

static void
test_comparable(void)
{
	struct series_set *set = open_set();
	uint32_t subject = add_wave(set, STK_SERIES_METRIC, "heap", 0, 0),
		 split = add_wave(set, STK_SERIES_SEGMENT, "split", 0, 0);
	uint32_t hidden = add_wave(set, STK_SERIES_CLASS, "hidden", 0, 0),
		 other = add_wave(set, STK_SERIES_CLASS, "other", 0, 0);
	struct ranking ranking;

	(void)add_wave(set, STK_SERIES_METRIC, "metric", 0, 0);
	(void)series_set_find(set, STK_SERIES_CLASS, text_from("young"), text_of("", 0));
	series_set_edit(set, split)->split = true;
	series_set_edit(set, hidden)->hidden = true;
	series_set_edit(set, other)->rules = &set->rules[0];
	ok(ranking_make(&ranking, set, subject) && ranking.count == 0,
	   "metrics, segments that were split, hidden series, those of another calendar and those without a season explain nothing");
	ranking_release(&ranking);
	series_set_edit(set, other)->rules = &set->rules[1];
	series_set_close(set);
}

/* --- what else is computed of all series --- */

static void
test_plan(void)
{
	struct series_set *set = open_set();
	struct rate_plan plan;
	uint32_t hot, cold;

	ok(!rate_plan_make(&plan, set) && plan.slots.count == 0, "no series: no plan");
	rate_plan_release(&plan);
	cold = add_wave(set, STK_SERIES_CLASS, "cold", 0, 0);
	series_set_edit(set, cold)->filter.level = nextafter(RATE_PLAN_LEAST, 0);
	ok(!rate_plan_make(&plan, set), "a series just below the least sets no rate");
	rate_plan_release(&plan);
	series_set_edit(set, cold)->filter.level = RATE_PLAN_LEAST;
	ok(rate_plan_make(&plan, set) && plan.slots.count == SLOTS, "one at the least does: a row for each slot");
	rate_plan_release(&plan);
	hot = add_wave(set, STK_SERIES_CLASS, "hot", 0, 0);
	series_set_edit(set, hot)->filter.level = 50;
	ok(rate_plan_make(&plan, set) && plan.slots.at[6].series == cold,
	   "what is rare wants more dumps than what is hot");
	ok(plan.slots.at[18].series == hot && plan.slots.at[18].dumps < plan.slots.at[6].dumps,
	   "... but not in a slot where it is below the least");
	ok(plan.slots.at[0].of_day_s == 0 && plan.slots.at[SLOTS - 1].of_day_s == (SLOTS - 1) * 3600,
	   "slots have their time of day");
	ok(plan.slots.at[0].dumps >= 1 && plan.slots.at[0].interval_hours <= 1, "each has a dump at least");
	rate_plan_release(&plan);
	series_set_close(set);
}

/* A line through so many measures, one an hour, that grow by one an hour. */
static struct outlook
outlook_of(size_t count, double limit)
{
	struct series_set *set = open_set();
	uint32_t n = series_set_find(set, STK_SERIES_METRIC, text_from("heap"), text_of("", 0));
	struct trend_point points[100] = { 0 };
	struct plain_points plain = { .at = points, .count = count };
	struct outlook outlook;

	for (size_t i = 0; i < count; i++)
		points[i] = (struct trend_point){ .time_ns = (int64_t)i * HOUR,
						  .value = (double)i + (i % 2 == 0 ? 0.01 : -0.01),
						  .weight = 1 };
	outlook = outlook_of_limit(set, n, &plain, limit);
	series_set_close(set);
	return outlook;
}

static void
test_outlook(void)
{
	struct outlook o;

	for (size_t count = 0; count < OUTLOOK_POINTS_LEAST; count++)
		ok(!outlook_of(count, 100).known, "%zu measures: when the limit is reached is not known", count);
	o = outlook_of(50, 100);
	ok(o.known && !o.never && fabs(o.rate - 24) < 0.5, "50 measures: it grows by 24 a day");
	ok(llabs(o.when_ns - 100 * HOUR) <= HOUR && o.earliest_ns <= o.when_ns && o.when_ns <= o.latest_ns,
	   "... and is 100 after 100 hours, between its limits");
	o = outlook_of(50, 10);
	is_i64(o.when_ns, 49 * HOUR, "a limit that was passed is reached now");
	o = outlook_of(50, 1e9);
	ok(o.known && o.never && o.when_ns == INT64_MAX, "one that is too far is never reached");
}

int
main(void)
{
	test_few();
	test_order();
	test_equals();
	test_comparable();
	test_plan();
	test_outlook();
	return tap_end();
}
