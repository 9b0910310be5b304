/* SPDX-License-Identifier: MIT
 * Differences of counts: against values of R (binom.test, prop.test, p.adjust), and how often limits hold. */
#include "../lib/tap.h"

#include "base/probability.h"
#include "timetree/rate_difference.h"

#include <math.h>

static bool
is_close(double a, double b, double by)
{
	return fabs(a - b) <= by;
}

static uint64_t chance = 12345;

static double
random_part(void)
{
	chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
	return (double)(chance >> 11) / 9007199254740992.0;
}

/* By inversion; means are small. */
static uint64_t
random_poisson(double mean)
{
	double p = exp(-mean), sum = p, u = random_part();
	uint64_t k = 0;

	while (u > sum && k < 10000)
		sum += p *= mean / (double)++k;
	return k;
}

static void
test_distributions(void)
{
	ok(is_close(binomial_at_most(3, 10, 0.5), 0.171875, 1e-12), "pbinom(3, 10, 0.5)");
	ok(is_close(binomial_at_most(40, 100, 0.5), 0.028443966820, 1e-11), "pbinom(40, 100, 0.5)");
	ok(is_close(binomial_at_most(500100, 1000000, 0.5), 0.579651, 1e-5), "pbinom(500100, 1e6, 0.5)");
	ok(binomial_at_most(-1, 10, 0.5) <= 0 && binomial_at_most(10, 10, 0.5) >= 1, "its ends");
	ok(is_close(student_quantile(0.9, 10), 1.3721836411, 1e-9) &&
		   is_close(student_quantile(0.9, 22), 1.3212367416, 1e-9) &&
		   is_close(student_quantile(0.9, 94), 1.2906227080, 1e-9) &&
		   is_close(student_quantile(0.9, 190), 1.2860231267, 1e-9),
	   "qt(0.9, df) for 10, 22, 94 and 190");
	ok(is_close(student_above(30, 10) / 1.98089617e-11, 1, 1e-6) &&
		   is_close(student_below(-30, 10) / 1.98089617e-11, 1, 1e-6),
	   "far tails keep their digits: %.9g", student_above(30, 10));
	ok(is_close(normal_quantile(0.975), 1.959963984540, 1e-10) &&
		   is_close(normal_below(1.959963984540), 0.975, 1e-12),
	   "the normal and its inverse");
}

static void
test_rates(void)
{
	struct rate_difference d = rate_difference(100, 10, 150, 10, 1, 0.95);

	ok(is_close(d.a, 10, 1e-12) && is_close(d.b, 15, 1e-12) && is_close(d.delta, 5, 1e-12),
	   "rates are counts a second");
	ok(d.low > 1.8 && d.low < 2.1 && d.high > 7.9 && d.high < 8.3, "limits of 100 and 150 in 10 s: %.3f to %.3f",
	   d.low, d.high);
	ok(d.p > 0.0014 && d.p < 0.0017, "binom.test(150, 250) is 0.00187, its mid-p less: %.5f", d.p);
	d = rate_difference(0, 10, 0, 10, 1, 0.95);
	ok(d.p >= 1 && d.low < 0 && d.high > 0, "nothing and nothing differ by nothing, within limits");
	d = rate_difference(0, 10, 1000, 10, 1, 0.95);
	ok(d.p < 1e-100 && d.low > 90, "nothing and a thousand do differ");
	d = rate_difference(1000, 10, 10000, 100, 1, 0.95);
	ok(d.p > 0.9 && is_close(d.delta, 0, 1e-12), "ten times as many in ten times the time are the same");
	ok(rate_difference(100, 10, 150, 10, 4, 0.95).p > 0.1, "samples that come in bursts prove less");
}

static void
test_shares(void)
{
	struct rate_difference d = share_difference(30, 100, 50, 100, 1, 0.95);

	ok(is_close(d.p, 0.003892417, 1e-8), "prop.test(c(30, 50), c(100, 100), correct = FALSE): %.9f", d.p);
	ok(is_close(d.low, 0.0646, 2e-3) && is_close(d.high, 0.3250, 2e-3), "Newcombe's limits: %.4f to %.4f", d.low,
	   d.high);
	d = share_difference(0, 0, 5, 10, 1, 0.95);
	ok(d.p >= 1 && isfinite(d.low), "no samples prove nothing");
}

static void
test_discovery(void)
{
	static const double p[] = { 0.01, 0.04, 0.03, 0.005, 0.5 };
	bool significant[5];

	false_discovery(p, 5, 0.05, significant);
	ok(significant[0] && significant[3] && significant[2] && significant[1] && !significant[4],
	   "p.adjust(method = \"BH\") of five: four are at most 0.05");
	false_discovery(p, 5, 0.04, significant);
	ok(significant[0] && significant[3] && !significant[2] && !significant[1] && !significant[4],
	   "at 4 percent two");
}

/* Limits of 95 % miss the true difference in about 5 % of the cases, and of findings among pure noise almost none is
 * believed. */
static void
test_coverage(void)
{
	unsigned missed = 0, rounds = 4000, believed = 0;

	for (unsigned r = 0; r < rounds; r++) {
		double x = 1 + 20 * random_part(), y = 1 + 20 * random_part();
		struct rate_difference d = rate_difference(random_poisson(2 * x), x, random_poisson(3 * y), y, 1, 0.95);

		missed += d.low > 1 || d.high < 1;
	}
	ok(missed > rounds * 3 / 100 && missed < rounds * 65 / 1000, "limits miss in %.1f %% of the cases",
	   100.0 * missed / rounds);
	for (unsigned r = 0; r < 200; r++) {
		double p[100];
		bool significant[100];

		for (unsigned i = 0; i < 100; i++)
			p[i] = rate_difference(random_poisson(20), 10, random_poisson(20), 10, 1, 0.95).p;
		false_discovery(p, 100, 0.05, significant);
		for (unsigned i = 0; i < 100; i++)
			believed += significant[i];
	}
	ok(believed < 25, "%u of 20000 comparisons of the same with itself are believed", believed);
}

static void
test_dispersion(void)
{
	static const uint64_t even[] = { 10, 10, 10, 10 }, bursts[] = { 40, 0, 0, 0 };

	ok(is_close(count_dispersion(even, 4), 1, 1e-12) && is_close(count_dispersion(bursts, 4), 40, 1e-9),
	   "bursts have a larger variance than mean");
}

int
main(void)
{
	test_distributions();
	test_rates();
	test_shares();
	test_discovery();
	test_coverage();
	test_dispersion();
	return tap_end();
}
