/* SPDX-License-Identifier: MIT
 * series_set: steps of no, one, two and three dumps, their exact edges, rows that come late or again, which series are
 * followed, and which changes are news. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "trend/outlook.h"
#include "trend/series_news.h"

#include <math.h>

#define SECOND INT64_C(1000000000)
#define MINUTE (60 * SECOND)
#define HOUR   (60 * MINUTE)

static struct trend_options
usual_options(void)
{
	struct trend_options options = { .periods = "none",
					 .step_ns = MINUTE,
					 .smooth = SPAR_NONE,
					 .clip = 6,
					 .confidence = 0.95,
					 .keep_history = true,
					 .constants = trend_constants_usual,
					 .watch = watch_rules_usual };

	for (unsigned k = 0; k < sizeof options.kinds / sizeof *options.kinds; k++)
		options.kinds[k] = true;
	return options;
}

static struct series_set *
open_set(const struct trend_options *options)
{
	struct series_set *set;
	struct stk_error err = { 0 };

	if (series_set_open(&set, options, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		exit(99);
	}
	return set;
}

static uint32_t
class_of(struct series_set *set, const char *name)
{
	return series_set_find(set, STK_SERIES_CLASS, text_from(name), text_of("", 0));
}

/* A dump with so many threads in a class; false: it was taken before. */
static bool
add_dump(struct series_set *set, uint32_t series, int64_t time_ns, double threads)
{
	if (!series_set_come_to(set, LANE_CLASSES, time_ns))
		return false;
	series_set_tick(set, 0);
	series_set_add(set, series, threads);
	return true;
}

/* --- few dumps --- */

static void
test_few(void)
{
	struct trend_options options = usual_options();

	for (unsigned dumps = 0; dumps <= 3; dumps++) {
		struct series_set *set = open_set(&options);
		uint32_t series = class_of(set, "a");
		const struct series *is;

		for (unsigned d = 0; d < dumps; d++)
			(void)add_dump(set, series, (int64_t)d * MINUTE, 5);
		is = series_set_at(set, series);
		is_u64(is->history.count, dumps > 0 ? dumps - 1 : 0,
		       "%u dumps, one a step: all steps but the present one are over", dumps);
		series_set_finish(set);
		is = series_set_at(set, series);
		is_u64(is->history.count, dumps, "%u dumps: at the end each step is one", dumps);
		is_u64(is->filter.count, dumps, "%u dumps: the filter has taken each", dumps);
		ok(is->begun == (dumps > 0) && series_is_shown(is) == (dumps > 0),
		   "%u dumps: a series is shown once it has begun", dumps);
		is_i64(is->last_ns, dumps > 0 ? (int64_t)(dumps - 1) * MINUTE : STK_TIME_UNKNOWN,
		       "%u dumps: the last step is known", dumps);
		ok(dumps == 0 || fabs(is->filter.level - 5) < 1e-9, "%u dumps of 5: the level is 5", dumps);
		series_set_close(set);
	}
}

static void
test_means(void)
{
	struct trend_options options = usual_options();
	struct series_set *set = open_set(&options);
	uint32_t a = class_of(set, "a"), b = class_of(set, "b");

	for (unsigned d = 0; d < 3; d++)
		(void)add_dump(set, a, (int64_t)d * SECOND, d * 3);
	series_set_finish(set);
	ok(fabs(series_set_at(set, a)->last - 3) < 1e-9, "three dumps of a step are one measure: their mean");
	ok(series_set_at(set, b)->begun && fabs(series_set_at(set, b)->last) < 1e-9, "a class in none of them has 0");
	series_set_close(set);

	options.literal_counts = true;
	set = open_set(&options);
	a = class_of(set, "a");
	b = class_of(set, "b");
	(void)add_dump(set, a, 0, 3);
	series_set_finish(set);
	ok(series_set_at(set, a)->begun && !series_set_at(set, b)->begun,
	   "... but no measure where only counts above 0 are measures");
	series_set_close(set);
}

/* --- edges of steps --- */

/* How many steps two dumps at these times make. */
static size_t
steps_of(int64_t first_ns, int64_t second_ns)
{
	struct trend_options options = usual_options();
	struct series_set *set = open_set(&options);
	uint32_t series = class_of(set, "a");
	size_t steps;

	(void)add_dump(set, series, first_ns, 1);
	(void)add_dump(set, series, second_ns, 1);
	series_set_finish(set);
	steps = series_set_at(set, series)->history.count;
	series_set_close(set);
	return steps;
}

static void
test_edges(void)
{
	is_u64(steps_of(0, MINUTE - 1), 1, "the last nanosecond of a step is part of it");
	is_u64(steps_of(0, MINUTE), 2, "where a step ends the next one begins");
	is_u64(steps_of(MINUTE - 1, MINUTE), 2, "... however near the two are");
	is_u64(steps_of(-1, 0), 2, "so it is where time begins");
	is_u64(steps_of(-MINUTE, -1), 1, "a step before that begins at its edge");
	is_u64(steps_of(-MINUTE - 1, -MINUTE), 2, "... and not before it");
	is_u64(steps_of(5, 5), 1, "two dumps at the same time are in one step");
	is_u64(steps_of(STK_TIME_UNKNOWN, 0), 1, "a dump at no time is in no step");
}

static void
test_late(void)
{
	struct trend_options options = usual_options();
	struct series_set *set = open_set(&options);
	uint32_t series = class_of(set, "a");
	uint64_t late, known;

	(void)add_dump(set, series, MINUTE, 1);
	(void)add_dump(set, series, MINUTE - 1, 3);
	series_set_oddities(set, &late, &known);
	ok(late == 1 && known == 0, "a dump of a step that is over is late");
	series_set_finish(set);
	ok(series_set_at(set, series)->history.count == 1 && fabs(series_set_at(set, series)->last - 2) < 1e-9,
	   "... and counts in the present one");
	series_set_close(set);
}

static void
test_resumed(void)
{
	struct trend_options options = usual_options();
	struct series_set *set = open_set(&options);
	struct lane *lane = &set->lanes[LANE_CLASSES];
	uint32_t series = class_of(set, "a");
	uint64_t late, known;

	is_i64(series_set_step_time(set, lane), STK_TIME_UNKNOWN, "before the first dump there is no step");
	series_set_restore_lane(set, lane, 2 * MINUTE, 2 * MINUTE + 7);
	is_i64(series_set_step_time(set, lane), 2 * MINUTE, "a state says which step is the present one");
	ok(!add_dump(set, series, 2 * MINUTE + 7, 1), "the latest dump of the run before is known");
	ok(!add_dump(set, series, 0, 1), "and each before it");
	ok(add_dump(set, series, 2 * MINUTE + 8, 1), "a nanosecond after it is new");
	series_set_oddities(set, &late, &known);
	ok(late == 0 && known == 2, "the known ones are counted");
	series_set_close(set);
}

/* --- metrics --- */

static void
test_measures(void)
{
	struct trend_options options = usual_options();
	struct series_set *set = open_set(&options);
	uint32_t n = series_set_find(set, STK_SERIES_METRIC, text_from("heap"), text_from("web-1"));

	series_set_measure(set, 0, 0, 1);
	series_set_measure(set, n, STK_TIME_UNKNOWN, 1);
	series_set_measure(set, n, 0, NAN);
	series_set_measure(set, n, 0, INFINITY);
	series_set_finish(set);
	ok(!series_set_at(set, n)->begun, "what is no measure, or at no time, begins no series");
	series_set_measure(set, n, 0, 2);
	series_set_measure(set, n, MINUTE - 1, 4);
	series_set_measure(set, n, MINUTE, 9);
	ok(series_set_at(set, n)->history.count == 1 && fabs(series_set_at(set, n)->last - 3) < 1e-9,
	   "measures of a step are their mean");
	series_set_measure(set, n, 30, 100);
	is_u64(series_set_at(set, n)->measures.count, 3,
	       "a measure that comes late is not kept for lines, which want order");
	is_u64(series_set_at(set, n)->lane.late, 1, "... and counted");
	series_set_close(set);
}

/* --- which series --- */

static void
test_choice(void)
{
	struct trend_options options = usual_options();
	struct series_set *set;
	struct text_buffer name = { 0 };
	uint32_t a, hidden;
	size_t count;

	options.series = (const char *const[]){ "a*" };
	options.series_count = 1;
	options.also = "heap@*";
	set = open_set(&options);
	is_u64(series_set_count(set), 0, "a set begins empty");
	free(series_set_by_level(set, &count));
	is_u64(count, 0, "... with nothing to show");
	is_u64(series_set_first(set, "*"), 0, "... and nothing that matches");
	a = class_of(set, "a");
	ok(a != 0 && class_of(set, "a") == a, "a series is found again");
	is_u64(series_set_find(set, STK_SERIES_SEGMENT, text_from("b"), text_of("", 0)), 0,
	       "one that nobody asked for is not followed");
	ok(series_set_find(set, STK_SERIES_METRIC, text_from("heap"), text_from("web-1")) != 0,
	   "... unless a second pattern does");
	ok(series_set_find(set, STK_SERIES_SEGMENT, text_from("a"), text_of("", 0)) != a,
	   "another kind of the same name is another series");
	series_add_name(series_set_at(set, 3), &name);
	ok(text_is(text_in(&name, 0), "heap@web-1"), "a part is in the name");
	array_release(&name);
	hidden = class_of(set, "b");
	ok(hidden != 0 && series_set_at(set, hidden)->hidden,
	   "classes are followed, and hidden, where segments are asked for, whose forecasts are made of theirs");
	series_set_close(set);

	options.follow_all = true;
	set = open_set(&options);
	hidden = class_of(set, "b");
	ok(hidden != 0 && series_set_at(set, hidden)->hidden,
	   "for a state all are followed, and those that nobody asked for are hidden");
	(void)add_dump(set, hidden, 0, 1);
	series_set_finish(set);
	ok(series_set_at(set, hidden)->begun && !series_is_shown(series_set_at(set, hidden)), "... even with measures");
	series_set_close(set);
}

static void
test_bad_options(void)
{
	struct trend_options options = usual_options();
	struct series_set *set = (struct series_set *)&options;
	struct stk_error err = { 0 };

	options.periods = "no-such-period";
	ok(series_set_open(&set, &options, &err) < 0 && set == NULL && err.code != STK_EOK,
	   "periods that cannot be open no set: %s", err.text);
	stk_error_clear(&err);
	series_set_close(NULL);
}

/* --- news --- */

static void
shift(struct series_set *set, uint32_t series, int64_t time_ns, double before, double after)
{
	struct change change = { .kind = CHANGE_SHIFT,
				 .time_ns = time_ns,
				 .end_ns = time_ns,
				 .before = before,
				 .after = after,
				 .score = 10 };

	series_set_changed(set, series, text_of("", 0), "shift", &change);
}

/* How many of two shifts of a series, there and back, are news when they are so far apart. */
static uint64_t
news_of(int64_t apart_ns, double back_to)
{
	struct trend_options options = usual_options();
	struct series_set *set = open_set(&options);
	uint32_t series = class_of(set, "a");
	uint64_t news;

	shift(set, series, 100 * HOUR, 10, 20);
	shift(set, series, 100 * HOUR + apart_ns, 20, back_to);
	series_news_judge(set);
	news = series_set_at(set, series)->news;
	series_set_close(set);
	return news;
}

/* The same of two siblings, of which one wins what the other loses. */
static uint64_t
news_of_siblings(int64_t apart_ns, double won)
{
	struct trend_options options = usual_options();
	struct series_set *set = open_set(&options);
	uint32_t a = class_of(set, "a"), b = class_of(set, "b");
	uint64_t news;

	series_set_edit(set, a)->parent = series_set_edit(set, b)->parent = 77;
	shift(set, a, 100 * HOUR, 10, 20);
	shift(set, b, 100 * HOUR + apart_ns, 20, 20 - won);
	series_news_judge(set);
	news = series_set_at(set, a)->news + series_set_at(set, b)->news;
	series_set_close(set);
	return news;
}

static void
test_news(void)
{
	struct trend_options options = usual_options();
	struct series_set *set = open_set(&options);

	series_news_judge(set);
	is_u64(set->changes.count, 0, "of no changes none is news");
	series_set_close(set);
	is_u64(news_of(72 * HOUR, 10), 0, "a level that came back within three days is no news");
	is_u64(news_of(72 * HOUR + 1, 10), 2, "... after them both ways are");
	is_u64(news_of(HOUR, 13.4), 0, "nearly back is back");
	is_u64(news_of(HOUR, 13.6), 2, "... and half the way is not");
	is_u64(news_of_siblings(4 * MINUTE, 10), 0, "what moved between siblings within four steps is no news");
	is_u64(news_of_siblings(4 * MINUTE + 1, 10), 2,
	       "... a nanosecond later they have nothing to do with each other");
	is_u64(news_of_siblings(0, 7), 2, "... nor when one won much less than the other lost");
}

/* --- levels of rare classes --- */

static double
random_part(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (double)(*state >> 11) / 9007199254740992.0;
}

static double
random_poisson(uint64_t *state, double mean)
{
	double limit = exp(-mean), product = random_part(state), count = 0;

	for (; product > limit; count++)
		product *= random_part(state);
	return count;
}

/* The levels, in parts of the true one, of four classes after four weeks until Sunday night: of a wave of the day that
 * leaves a fifth at night, and of which weekends have 0.4. And the widths of bands of Monday noon, in those that
 * chance alone makes. */
static void
levels_after_weekend(const double *threads, double *parts, double *widths)
{
	struct trend_options options = usual_options();
	struct series_set *set;
	uint32_t series[4];
	uint64_t state = 11;
	double usual = (5 + 2 * 0.4) / 7;

	options.periods = "week";
	options.step_ns = 15 * MINUTE;
	set = open_set(&options);
	for (unsigned c = 0; c < 4; c++)
		series[c] = class_of(set, (char[]){ (char)('a' + c), 0 });
	for (int64_t i = 0; i < 28 * 288; i++) {
		int64_t time_ns = (4 * 24 * 60 + i * 5) * MINUTE;	/* from a Monday on */
		double wave = (1 + 0.8 * sin((double)(i % 288 - 72) / 288 * 2 * M_PI)) * (i / 288 % 7 >= 5 ? 0.4 : 1);

		(void)series_set_come_to(set, LANE_CLASSES, time_ns);
		series_set_tick(set, 0);
		for (unsigned c = 0; c < 4; c++)
			series_set_add(set, series[c], random_poisson(&state, threads[c] * wave));
	}
	series_set_finish(set);
	for (unsigned c = 0; c < 4; c++) {
		struct forecast_value noon = { .time_ns = (4 + 28) * 24 * HOUR + 12 * HOUR };
		struct stk_error err = { 0 };

		parts[c] = series_set_at(set, series[c])->filter.level / (threads[c] * usual);
		ok(outlook_forecast(set, series[c], NULL, false, &noon, 1, &err) == 0, "a forecast of class %u", c);
		widths[c] = (noon.high - noon.value) / (1.96 * sqrt(noon.value / 3));
	}
	series_set_close(set);
}

static void
test_rare(void)
{
	static const double threads[4] = { 0.3, 0.8, 1, 4 };
	double parts[4], widths[4];

	levels_after_weekend(threads, parts, widths);
	for (unsigned c = 0; c < 4; c++)
		ok(parts[c] > 0.7 && parts[c] < 1.3,
		   "the few threads of a weekend's night make no level of several times the true one: %g threads, %.2f times",
		   threads[c], parts[c]);
	for (unsigned c = 0; c < 4; c++)
		ok(widths[c] > 0.99 && widths[c] < 2.5,
		   "... nor bands of several times chance's width: %g threads, %.2f times", threads[c], widths[c]);
}

int
main(void)
{
	test_few();
	test_means();
	test_edges();
	test_late();
	test_resumed();
	test_measures();
	test_choice();
	test_bad_options();
	test_news();
	test_rare();
	return tap_end();
}
