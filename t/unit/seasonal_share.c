/* SPDX-License-Identifier: MIT
 * seasonal_share: the first measures and hours, all or nothing, edges of hours and of weekends, evidence computed
 * another way, and what a state keeps. */
#include "../lib/tap.h"

#include "classify/seasonal_share.h"
#include "stkpipe/schema.h"

#include <math.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define HOUR   (3600 * SECOND)
#define MONDAY (INT64_C(1772409600) * SECOND)	/* midnight in UTC */

static bool
near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

static struct share_part
part_of(const struct seasonal_share *s, unsigned part)
{
	struct share_part is;

	(void)seasonal_share_part(s, part, &is);
	return is;
}

/* How many parts a state has. */
static unsigned
parts_of(const struct seasonal_share *s)
{
	struct share_part unused;
	unsigned count = 0;

	for (unsigned part = 0; part < SHARE_PARTS; part++)
		count += seasonal_share_part(s, part, &unused);
	return count;
}

static void
first_measures(void)
{
	struct seasonal_share *s = seasonal_share_open();
	struct share_change change;

	ok(seasonal_share_is_all(NULL) && seasonal_share_bytes(NULL) == 0 && parts_of(NULL) == 0, "no share");
	ok(seasonal_share_is_all(s) && parts_of(s) == 0, "no measure: no try missed, and a state has nothing of it");
	ok(!seasonal_share_take(s, 3, 3, MONDAY, &change) && seasonal_share_is_all(s) && s->blocks == 0 && !s->ready,
	   "one measure: nothing is expected yet");
	ok(!seasonal_share_take(s, 1, 3, MONDAY + SECOND, &change) && !seasonal_share_is_all(s), "two: a try missed");
	ok(!seasonal_share_take(s, 2, 3, MONDAY + HOUR - 1, &change) && s->blocks == 0 && near(s->block_hits, 6) &&
		   near(s->block_tries, 9),
	   "three, the last a nanosecond before the hour ends: the same hour");
	ok(!seasonal_share_take(s, 1, 1, MONDAY + HOUR, &change) && s->blocks == 1 && near(s->hits, 6) &&
		   near(s->tries, 9) && near(s->block_hits, 1) && s->ready,
	   "the next nanosecond is the next hour");
	ok(near(s->expected, 6.5 / 10), "until it is known, an hour is expected to have the share of all: %g", s->expected);
	seasonal_share_close(s);
	seasonal_share_close(NULL);
}

static void
all_or_nothing(void)
{
	struct seasonal_share *all = seasonal_share_open(), *none = seasonal_share_open();
	struct share_change change;
	bool changed = false;

	for (int i = 0; i < 2000; i++) {
		changed |= seasonal_share_take(all, 5, 5, MONDAY + i * HOUR / 10, &change);
		changed |= seasonal_share_take(none, 0, 5, MONDAY + i * HOUR / 10, &change);
	}
	ok(!changed && all->slots == NULL && none->slots == NULL && seasonal_share_is_all(all) &&
		   !seasonal_share_is_all(none),
	   "where all hit, or none did, there is no season to know, and no change");
	seasonal_share_close(all);
	seasonal_share_close(none);
}

/* Two of four hit, once an hour. */
static void
take_hours(struct seasonal_share *s, int64_t from_ns, unsigned hours)
{
	struct share_change change;

	for (unsigned i = 0; i < hours; i++)
		(void)seasonal_share_take(s, 2, 4, from_ns + i * HOUR, &change);
}

static void
slots_of_hours(void)
{
	struct seasonal_share *s = seasonal_share_open();

	take_hours(s, MONDAY + 4 * 24 * HOUR, 24 * 3 + 1);	/* from Friday on, and an hour that ends Sunday */
	ok(part_of(s, 0).count == 1 && part_of(s, 23).count == 1 && part_of(s, 24).count == 2 &&
		   part_of(s, 47).count == 2,
	   "hours of Friday are one, those of Saturday and Sunday the same");
	seasonal_share_close(s);
	s = seasonal_share_open();
	take_hours(s, -HOUR, 3);	/* 1970 began with a Thursday */
	ok(part_of(s, 23).count == 1 && part_of(s, 0).count == 1, "the hour before 1970 is one of a working day");
	seasonal_share_close(s);
	s = seasonal_share_open();
	for (int i = 0; i < 13; i++) {
		struct share_change change;

		(void)seasonal_share_take(s, 1, 2, STK_TIME_UNKNOWN, &change);
	}
	ok(s->blocks == 1 && near(s->hits, 12) && s->slots == NULL, "without times twelve measures are an hour, of no slot");
	seasonal_share_close(s);
}

/* The sum of ln(p of another share / p of the expected one), with the formula of the page written out again. Hours of
 * 100 tries of which 50 hit, then 63, so that nothing varies beyond chance and all is known in closed form. */
static void
evidence(void)
{
	struct seasonal_share *s = seasonal_share_open();
	struct share_change change = { 0 };
	double p, away, from, to, sum = 0;
	unsigned measures = 0;

	for (int i = 0; i < 60; i++)
		(void)seasonal_share_take(s, 50, 100, MONDAY + i * HOUR, &change);
	ok(near(s->varies_now, 1) && s->rise.sum <= 0 && s->fall.sum <= 0, "what is as expected is evidence of nothing");
	(void)seasonal_share_take(s, 50, 100, MONDAY + 60 * HOUR, &change);
	p = s->expected;
	ok(near(p, (s->slots[12].hits + 20 * (s->hits + 0.5) / (s->tries + 1)) / (s->slots[12].tries + 20)),
	   "a known hour has its own share, with twenty tries of all: %g", p);
	away = 0.5 * sqrt(1 / ((s->slots[12].tries + 20.) * p * (1 - p)));
	from = 1 / (1 + exp(-log(p / (1 - p)) - away));
	to = 1 / (1 + exp(-log(p / (1 - p)) - away - log(2)));
	while (!seasonal_share_take(s, 63, 100, MONDAY + 60 * HOUR + ++measures, &change) && measures < 100) {
		sum += 63 * log(to / from) + 37 * log((1 - to) / (1 - from));
		if (measures == 1)
			ok(near(s->rise.sum, sum) && s->fall.sum <= 0, "evidence is a likelihood ratio: %g", s->rise.sum);
	}
	ok(measures == 1 + (unsigned)(14.5 / (sum / (measures - 1))), "it is told when it is beyond 14.5: after %u", measures);
	ok(near(change.seen, 0.63) && near(change.expected, p) &&
		   near(change.score, (0.63 - p) * 100 * measures / sqrt(100 * measures * p * (1 - p))),
	   "by what was seen since, what was expected, and how many deviations: %g", change.score);
	ok(s->measures == 0 && s->rise.sum <= 0 && near(s->hits, 63 * measures) && near(s->tries, 100 * measures),
	   "then it is learned anew");
	seasonal_share_close(s);
}

static void
states(void)
{
	struct seasonal_share *whole = seasonal_share_open(), *again = seasonal_share_open();
	struct share_change a, b;
	bool same = true;

	for (unsigned i = 0; i < 400; i++)
		(void)seasonal_share_take(whole, i * 7 % 11, 12, MONDAY + i * HOUR / 3, &a);
	for (unsigned part = 0; part < SHARE_PARTS; part++) {
		struct share_part is;

		if (seasonal_share_part(whole, part, &is))
			seasonal_share_restore(again, part, &is);
	}
	seasonal_share_resume(again);
	seasonal_share_resume(NULL);
	for (unsigned part = 0; part < SHARE_PARTS; part++) {
		struct share_part x = part_of(whole, part), y = part_of(again, part);

		same &= memcmp(&x, &y, sizeof x) == 0;
	}
	ok(same && parts_of(whole) > 20, "a state has all of it");
	same = true;
	for (unsigned i = 400; i < 900; i++) {
		double hits = i < 700 ? i * 7 % 11 : 11;
		bool x = seasonal_share_take(whole, hits, 12, MONDAY + i * HOUR / 3, &a);
		bool y = seasonal_share_take(again, hits, 12, MONDAY + i * HOUR / 3, &b);

		same &= x == y && (!x || memcmp(&a, &b, sizeof a) == 0);
	}
	ok(same && memcmp(&whole->rise, &again->rise, sizeof whole->rise) == 0, "and goes on as without it");
	seasonal_share_close(whole);
	seasonal_share_close(again);
}

int
main(void)
{
	first_measures();
	all_or_nothing();
	slots_of_hours();
	evidence();
	states();
	return tap_end();
}
