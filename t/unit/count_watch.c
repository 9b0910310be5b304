/* SPDX-License-Identifier: MIT
 * count_watch: limits and tails by another way, what is told of the smallest records, and that neither the order of
 * series nor a gap matters. */
#include "../lib/tap.h"

#include "trend/count_watch.h"

#include <math.h>

#define DUMP_S	720
#define A_DAY	(86400 / DUMP_S)
#define BEGIN_S INT64_C(1772409600)	/* a Monday */
#define MOST	32

struct told { struct count_finding at[400]; unsigned count; };

static void
tell(void *context, const struct count_finding *finding)
{
	struct told *told = context;

	if (told->count < 400)
		told->at[told->count++] = *finding;
}

static uint64_t chance_state;

static double
unit(void)
{
	chance_state = chance_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return ((double)(chance_state >> 11) + 0.5) * 0x1p-53;
}

static double
poisson(double mean)
{
	double least = exp(-mean), count = 0;

	for (double left = unit(); left > least; left *= unit())
		count++;
	return count;
}

static bool
near(double a, double b)
{
	return fabs(a - b) <= 1e-6 * fmax(1, fabs(b));
}

struct world {
	struct season_calendar *calendar;
	struct count_watch watch;
	struct told told;
	uint32_t place[MOST];
	unsigned series;
};

static void
open_world(struct world *w, unsigned series, bool backwards)
{
	struct stk_error err = { 0 };

	*w = (struct world){ .series = series };
	if (season_calendar_open(&w->calendar, "week", INT64_C(900000000000), NULL, 0, &err) < 0)
		abort();
	count_watch_open(&w->watch, w->calendar);
	for (unsigned s = 0; s < series; s++)
		w->place[backwards ? series - 1 - s : s] = count_watch_add(&w->watch, true, false);
}

static void
close_world(struct world *w)
{
	count_watch_release(&w->watch);
	season_calendar_close(w->calendar);
}

/* The mean of a series in a dump: `times` as high from `from` to `to`. */
struct plan { unsigned series; int from, to; double times, base; };

static void
run_dumps(struct world *w, int first, int last, const struct plan *plan, double base)
{
	struct count_listener listener = { tell, &w->told };

	for (int d = first; d < last; d++) {
		for (unsigned s = 0; s < w->series; s++) {
			bool planned = plan != NULL && plan->series == s;
			double mean = planned ? plan->base : base, hits;

			if (planned && d >= plan->from && d < plan->to)
				mean *= plan->times;
			hits = mean > 0 ? poisson(mean) : 0;
			if (hits > 0)
				count_watch_hit(&w->watch, w->place[s], hits);
		}
		count_watch_dump(&w->watch, (BEGIN_S + (int64_t)d * DUMP_S) * 1000000000, 1, &listener);
	}
}

static void
test_limits(void)
{
	double tries = 6 * 100 / 0.5;

	ok(near(count_watch_limit(RISES_TWOFOLD, 720), log(720 * tries) + 6.5) &&
		   near(count_watch_limit(RISES_EIGHTFOLD, 720), log(21600 * tries) + 7),
	   "limits are logarithms of the tries of a month, and what was fitted");
	ok(near(count_burst(12, 2, 1), 11.476180086) && near(count_burst(24, 4, 1.5), 11.604728591) &&
		   near(count_burst(36, 6, 5), 4.148522909) && count_burst(2, 2, 1) == 0 && count_burst(1, 0, 1) == 0,
	   "the tail of a burst is that of a negative binomial");
}

static void
test_quiet(void)
{
	struct world w;

	chance_state = 7;
	open_world(&w, 12, false);
	run_dumps(&w, 0, 13 * A_DAY, NULL, 2);
	ok(!count_watch_is_ready(&w.watch) && w.told.count == 0, "nothing is told before two weeks are over");
	run_dumps(&w, 13 * A_DAY, 28 * A_DAY, NULL, 2);
	ok(count_watch_is_ready(&w.watch) && w.told.count == 0, "and nothing of two more quiet weeks");
	close_world(&w);
}

static unsigned
count_told(const struct told *told, uint32_t series, enum count_kind kind)
{
	unsigned count = 0;

	for (unsigned i = 0; i < told->count; i++)
		count += told->at[i].series == series && told->at[i].kind == kind;
	return count;
}

static void
test_doubled(void)
{
	struct plan plan = { .series = 3, .from = 20 * A_DAY + 40, .to = 99 * A_DAY, .times = 2, .base = 2 };
	struct world w;
	const struct count_finding *f;

	chance_state = 11;
	open_world(&w, 12, false);
	run_dumps(&w, 0, 24 * A_DAY, &plan, 2);
	f = &w.told.at[0];
	ok(w.told.count >= 1 && f->series == w.place[3] && f->kind == COUNT_SHIFT, "a class that doubled is the first told");
	ok(f->told_ns < (BEGIN_S + (int64_t)(plan.from + A_DAY) * DUMP_S) * 1000000000 &&
		   llabs(f->began_ns / 1000000000 - BEGIN_S - (int64_t)plan.from * DUMP_S) < 6 * 3600,
	   "within a day, and began when it did");
	ok(f->low < 4 && f->high > 4 && f->after > 1.4 * f->before, "with limits that hold the new level");
	ok(w.watch.series.at[w.place[3]].level > 3, "and what it is now is what is expected");
	close_world(&w);
}

static void
test_new_and_gone(void)
{
	struct plan plan = { .series = 0, .from = 16 * A_DAY, .to = 18 * A_DAY, .times = 1, .base = 3 };
	struct world w;
	struct count_listener listener = { tell, &w.told };

	chance_state = 5;
	open_world(&w, 11, false);
	for (int d = 0; d < 22 * A_DAY; d++) {
		for (unsigned s = 0; s < w.series; s++) {
			bool there = s == 0 ? d >= plan.from : s == 1 ? d < plan.to : true;
			double hits = there ? poisson(plan.base) : 0;

			if (hits > 0)
				count_watch_hit(&w.watch, w.place[s], hits);
		}
		count_watch_dump(&w.watch, (BEGIN_S + (int64_t)d * DUMP_S) * 1000000000, 1, &listener);
	}
	ok(count_told(&w.told, w.place[0], COUNT_NEW) == 1, "a class that was not there is new, once");
	ok(count_told(&w.told, w.place[1], COUNT_GONE) == 1, "one that ended is gone, once");
	close_world(&w);
}

static void
test_burst(void)
{
	struct plan plan = { .series = 2, .from = 17 * A_DAY + 60, .to = 17 * A_DAY + 66, .times = 6, .base = 4 };
	struct world w;
	const struct count_finding *f = NULL;

	chance_state = 3;
	open_world(&w, 11, false);
	run_dumps(&w, 0, 19 * A_DAY, &plan, 4);
	f = &w.told.at[0];
	ok(w.told.count == 2 && f->kind == COUNT_BURST && f->series == w.place[2] &&
		   f->told_ns <= (BEGIN_S + (int64_t)(plan.from + 2) * DUMP_S) * 1000000000,
	   "a burst is told within three dumps");
	ok(w.told.at[1].kind == COUNT_WENT_AWAY && w.told.at[1].series == w.place[2], "and that it went away");
	close_world(&w);
}

static void
test_order(void)
{
	struct plan plan = { .series = 3, .from = 16 * A_DAY, .to = 99 * A_DAY, .times = 3, .base = 1 };
	struct world a, b;
	bool same = true;

	for (unsigned backwards = 0; backwards < 2; backwards++) {
		chance_state = 21;
		open_world(backwards ? &b : &a, 14, backwards);
		run_dumps(backwards ? &b : &a, 0, 18 * A_DAY, &plan, 0.7);
	}
	same = a.told.count == b.told.count && a.watch.load == b.watch.load && a.watch.day_noise == b.watch.day_noise;
	for (unsigned s = 0; s < 14; s++) {
		const struct counted *x = &a.watch.series.at[a.place[s]], *y = &b.watch.series.at[b.place[s]];

		same &= x->level == y->level && x->rate == y->rate && x->weight == y->weight &&
			memcmp(x->tests, y->tests, sizeof x->tests) == 0 &&
			memcmp(x->blocks, y->blocks, sizeof x->blocks) == 0;
	}
	ok(same && a.told.count > 0, "the order of series changes nothing, to the last bit");
	close_world(&a);
	close_world(&b);
}

static void
test_smallest(void)
{
	struct world w;
	struct count_listener listener = { tell, &w.told };

	open_world(&w, 1, false);
	count_watch_dump(&w.watch, BEGIN_S * 1000000000, 1, &listener);
	count_watch_hit(&w.watch, w.place[0], 1e18);
	count_watch_dump(&w.watch, (BEGIN_S + 60) * 1000000000, 1, &listener);
	count_watch_dump(&w.watch, (BEGIN_S + 60) * 1000000000, 2, &listener);
	count_watch_dump(&w.watch, (BEGIN_S + 86400 * 400) * 1000000000, 1, &listener);
	count_watch_dump(&w.watch, STK_TIME_MOST, 1, &listener);
	ok(w.told.count == 0 && isfinite(w.watch.series.at[0].level), "one series, few dumps, years apart: nothing is told");
	close_world(&w);
	open_world(&w, 0, false);
	run_dumps(&w, 0, 15 * A_DAY, NULL, 1);
	ok(w.told.count == 0, "nor of no series at all");
	close_world(&w);
}

int
main(void)
{
	test_limits();
	test_quiet();
	test_doubled();
	test_new_and_gone();
	test_burst();
	test_order();
	test_smallest();
	return tap_end();
}
