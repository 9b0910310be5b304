/* SPDX-License-Identifier: MIT
 * count_changes: figures of R's glm and p.adjust, another way to the same likelihood, and the smallest cases. */
#include "../lib/tap.h"

#include "base/probability.h"
#include "trend/count_changes.h"

#include <math.h>

#define SLOTS  48
#define STRATA 8
#define HOUR   INT64_C(3600000000000)

struct record {
	int64_t times[SLOTS];
	double dumps[SLOTS], hits[SLOTS];
	unsigned strata[SLOTS];
	signed char sides[SLOTS];
	struct count_slots slots;
};

static double
uniform(uint64_t *state)
{
	*state = (1103515245 * *state + 12345) % 2147483648u;
	return (double)*state / 2147483648.0;
}

static bool
near(double a, double b, double by)
{
	return fabs(a - b) <= by * fmax(1, fabs(b));
}

/* Slots of an hour, the second half half as high again. */
static void
make_record(struct record *r)
{
	uint64_t state = 1;

	for (int i = 0; i < SLOTS; i++) {
		r->times[i] = i * HOUR;
		r->strata[i] = (unsigned)i % STRATA;
		r->dumps[i] = 3 + i * i % 7;
		r->sides[i] = i >= SLOTS / 2 ? SIDE_AFTER : SIDE_BEFORE;
		r->hits[i] = floor(uniform(&state) * 10 * (1 + r->strata[i] / 4.0) * (i >= SLOTS / 2 ? 1.5 : 1));
	}
	r->slots = (struct count_slots){ .count = SLOTS, .time_ns = r->times, .dumps = r->dumps,
		.stratum = r->strata, .strata = STRATA, .side = r->sides };
}

/* Half the deviance of glm(k ~ factor(stratum), poisson, offset = log(dumps) + after * log(ratio)), but a constant. */
static double
lack_of_fit(const struct record *r, double ratio)
{
	double hits[STRATA] = { 0 }, dumps[STRATA] = { 0 }, sum = 0;

	for (int i = 0; i < SLOTS; i++) {
		hits[r->strata[i]] += r->hits[i];
		dumps[r->strata[i]] += r->dumps[i] * (r->sides[i] == SIDE_AFTER ? ratio : 1);
	}
	for (int i = 0; i < SLOTS; i++) {
		double mean = hits[r->strata[i]] / dumps[r->strata[i]] * r->dumps[i] *
			      (r->sides[i] == SIDE_AFTER ? ratio : 1);

		sum += mean - (r->hits[i] > 0 ? r->hits[i] * log(mean) : 0);
	}
	return sum;
}

static struct count_change
compare(const struct record *r, double usual, double confidence)
{
	struct count_comparison *comparison;
	struct count_change change;

	count_comparison_open(&comparison, &r->slots);
	if (count_change_fit(comparison, r->hits, &change))
		count_change_judge(comparison, usual, 0.0025, confidence, &change);
	count_comparison_close(comparison);
	return change;
}

static void
glm_of_r(void)
{
	struct record r;
	struct count_change c;
	double q, by, best;

	make_record(&r);
	c = compare(&r, 1, 0.9);
	ok(near(c.ratio, 1.77752061241293, 1e-9), "the ratio is that of glm: %.12g", c.ratio);
	ok(near(2 * (lack_of_fit(&r, 1) - lack_of_fit(&r, c.ratio)), 46.5148715087337, 1e-9),
	   "and the deviance of no change");
	q = student_quantile(0.95, c.freedom);
	by = c.daily * q * q / 2;
	best = lack_of_fit(&r, c.ratio);
	ok(near(lack_of_fit(&r, c.low) - best, by, 1e-9) && c.low < c.ratio, "the lower limit is of the profile: %g", c.low);
	ok(near(lack_of_fit(&r, c.high) - best, by, 1e-9) && c.high > c.ratio, "and the upper one: %g", c.high);
	ok(near(c.p, 2 * student_above(sqrt(2 * (lack_of_fit(&r, 1) - best) / c.daily), c.freedom), 1e-9),
	   "p is of the likelihood ratio over the dispersion: %g", c.p);
	ok(near(c.level[1] / c.level[0], c.ratio, 1e-9), "levels have the same ratio");
	ok(compare(&r, c.ratio, 0.9).p > 0.999, "what is usual is no change");
}

static void
sides(void)
{
	struct record r;
	struct count_change c;

	make_record(&r);
	for (int i = 0; i < SLOTS; i++)
		r.hits[i] = i < SLOTS / 2 ? 0 : r.hits[i];
	c = compare(&r, 1, 0.95);
	ok(isinf(c.ratio) && isinf(c.high) && c.low > 10 && c.p < 1e-3 && c.level[0] == 0, "new: over %g", c.low);
	make_record(&r);
	for (int i = SLOTS / 2; i < SLOTS; i++)
		r.hits[i] = 0;
	c = compare(&r, 1, 0.95);
	ok(c.ratio == 0 && c.low == 0 && c.high < 0.1 && c.p < 1e-3 && c.level[1] == 0, "gone: below %g", c.high);
	make_record(&r);
	for (int i = 0; i < SLOTS; i++)
		r.strata[i] = i < SLOTS / 2 ? 0 : 1;
	ok(count_comparable(&r.slots).of_smaller == 0 && count_comparable(&r.slots).slots == 0 &&
		   isnan(compare(&r, 1, 0.95).ratio) && compare(&r, 1, 0.95).p == 1,
	   "strata of one side each: nothing is said");
	make_record(&r);
	for (int i = 0; i < SLOTS; i++) {
		r.dumps[i] = 1;
		r.strata[i] = i < 12 ? 0 : i < 40 ? 1 : 2;
	}
	ok(near(count_comparable(&r.slots).of_smaller, 16. / 24, 1e-12) && count_comparable(&r.slots).slots == 12 &&
		   near(count_comparable(&r.slots).left_out, 20. / 48, 1e-12),
	   "a stratum that both sides have, 12 and 16 of 24 slots; the rest is left out");
	make_record(&r);
	for (int i = 0; i < SLOTS; i++)
		r.sides[i] = SIDE_BEFORE;
	ok(count_comparable(&r.slots).of_smaller == 0, "one side alone: nothing can be compared");
	r.slots.count = 0;
	ok(count_comparable(&r.slots).of_smaller == 0 && isnan(compare(&r, 1, 0.95).ratio), "no slots");
}

/* Ten hits, each before or after with the same chance: 7 after. Two slots an hour apart with as many dumps. */
static void
exact(void)
{
	struct record r;
	struct count_change c;

	make_record(&r);
	for (int i = 0; i < SLOTS; i++) {
		r.times[i] = i * HOUR / 10;
		r.strata[i] = 0;
		r.dumps[i] = 1;
		r.hits[i] = i == 3 || i == 10 || i == 20 || (i >= 24 && i % 3 == 0 && i < 45) ? 1 : 0;
	}
	c = compare(&r, 1, 0.95);
	ok(c.hits[0] == 3 && c.hits[1] == 7 && near(c.p, 2 * (56 + 60) / 1024.0, 1e-12), "mid-p of the binomial: %g", c.p);
	r.hits[24] = 0;
	r.hits[27] = 0;
	r.hits[30] = 0;
	ok(near(compare(&r, 1, 0.95).p, 2 * (29 + 35 / 2.0) / 128, 1e-12), "and of 4 of 7: %g", compare(&r, 1, 0.95).p);
	r.hits[20] = r.hits[10] = 0;
	ok(isnan(compare(&r, 1, 0.95).ratio), "five hits: too few");
}

static void
rates(void)
{
	static const double p[] = { .001, .2, .013, .04, .9 };
	static const double by[] = { .01141666666666667, .5708333333333333, .07420833333333333, .1522222222222222, 1 };
	double q[5];
	bool well = true;

	count_discovery_rates(p, 5, q);
	for (int i = 0; i < 5; i++)
		well &= near(q[i], by[i], 1e-12);
	ok(well, "p.adjust(p, \"BY\")");
}

static void
common(void)
{
	struct count_change fits[12] = { 0 };

	for (int i = 0; i < 12; i++)
		fits[i] = (struct count_change){ .hits = { 100, 50 + (i > 8) * 9e5 }, .hourly = 1,
			.ratio = i > 8 ? 9000 : 0.5 + i / 1000.0 };
	ok(near(count_common_ratio(fits, 12), 0.506, 0.01), "three great ones do not move the ratio of most: %g",
	   count_common_ratio(fits, 12));
	ok(count_common_ratio(fits, 9) == 1 && count_common_ratio(fits, 0) == 1, "fewer than ten series have none");
}

static void
moment(void)
{
	struct record r;
	struct count_comparison *comparison;
	double gains[SLOTS] = { 0 };
	size_t at;

	make_record(&r);
	for (int i = 0; i < SLOTS; i++)
		r.hits[i] = r.dumps[i] * (10 + 5 * (i % STRATA)) * (i >= 21 ? 2 : 1);
	count_comparison_open(&comparison, &r.slots);
	at = count_change_gains(comparison, r.hits, 3, gains);
	ok(at == 21, "the counts divide best at %zu", at);
	for (size_t i = 0; i < SLOTS; i++)
		at = gains[i] > gains[at] ? i : at;
	ok(at == 21 && gains[0] == 0 && gains[21] > 10, "and the gain is greatest there: %g", gains[at]);
	for (int i = 0; i < SLOTS; i++)
		r.hits[i] = 5 * r.dumps[i];
	ok(count_change_gains(comparison, r.hits, 3, gains) == 0, "even counts divide nowhere");
	for (int i = 0; i < SLOTS; i++)
		r.hits[i] = 0;
	ok(count_change_gains(comparison, r.hits, 0, gains) == 0, "nor do none");
	count_comparison_close(comparison);
}

int
main(void)
{
	glm_of_r();
	sides();
	exact();
	rates();
	common();
	moment();
	return tap_end();
}
