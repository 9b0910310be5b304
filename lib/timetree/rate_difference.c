/* SPDX-License-Identifier: MIT
 * rate_difference: limits by the method of variance estimates recovery from those of each count (Byar's for a Poisson
 * count, Wilson's for a share); p of rates by the conditional binomial test with half of the observed chance, of shares
 * by the pooled score. */
#include "timetree/rate_difference.h"

#include "base/probability.h"

#include <math.h>

/* --- limits of one count --- */

struct limits { double low, high; };

static struct limits
poisson_limits(double k, double z)
{
	struct limits l = { 0, 0 };
	double m = k + 1, root;

	if (k > 0) {
		root = 1 - 1 / (9 * k) - z / (3 * sqrt(k));
		l.low = root <= 0 ? 0 : k * root * root * root;
	}
	root = 1 - 1 / (9 * m) + z / (3 * sqrt(m));
	l.high = m * root * root * root;
	return l;
}

static struct limits
wilson_limits(double k, double n, double z)
{
	double p = k / n, middle = p + z * z / (2 * n), half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)),
	       scale = 1 + z * z / n;
	struct limits l = { (middle - half) / scale, (middle + half) / scale };

	l.low = l.low < 0 || k <= 0 ? 0 : l.low;
	l.high = l.high > 1 || k >= n ? 1 : l.high;
	return l;
}

static void
recover_limits(struct rate_difference *d, struct limits a, struct limits b)
{
	d->delta = d->b - d->a;
	d->low = d->delta - sqrt((d->b - b.low) * (d->b - b.low) + (a.high - d->a) * (a.high - d->a));
	d->high = d->delta + sqrt((b.high - d->b) * (b.high - d->b) + (d->a - a.low) * (d->a - a.low));
}

/* --- differences --- */

/* Twice the smaller tail, with half of the chance of what was observed. */
static double
conditional_p(double a, double x, double b, double y)
{
	double n = a + b, chance = y / (x + y), below, at;

	if (n <= 0)
		return 1;
	below = binomial_at_most(b - 1, n, chance);
	at = binomial_at_most(b, n, chance) - below;
	below += at / 2;
	return fmin(1, 2 * fmin(below, 1 - below));
}

#define FREEDOM_MOST 1e6	/* Student's t is the normal distribution */

double
confidence_quantile(double confidence, double freedom)
{
	double p = 0.5 + confidence / 2;

	return freedom < FREEDOM_MOST ? student_quantile(p, freedom) : normal_quantile(p);
}

static double
quantile(struct dispersion of, double confidence)
{
	return of.quantile > 0 ? of.quantile : confidence_quantile(confidence, of.freedom);
}

static double
both_tails(double z, double freedom)
{
	double below = freedom < FREEDOM_MOST ? student_below(-fabs(z), freedom) : normal_below(-fabs(z));

	return fmin(1, 2 * below);
}

struct rate_difference
rate_difference_dispersed(uint64_t a, double x, uint64_t b, double y, struct dispersion of, double confidence)
{
	struct rate_difference d = { .a = (double)a / x, .b = (double)b / y };
	double dispersion = of.factor, z = quantile(of, confidence);
	double k = (double)a / dispersion, l = (double)b / dispersion;
	struct limits of_a = poisson_limits(k, z), of_b = poisson_limits(l, z);

	of_a.low *= dispersion / x;
	of_a.high *= dispersion / x;
	of_b.low *= dispersion / y;
	of_b.high *= dispersion / y;
	recover_limits(&d, of_a, of_b);
	d.p = conditional_p(k, x, l, y);
	if (of.freedom < FREEDOM_MOST)
		d.p = both_tails(normal_quantile(d.p / 2), of.freedom);
	return d;
}

struct rate_difference
rate_difference(uint64_t a, double x, uint64_t b, double y, double dispersion, double confidence)
{
	struct dispersion of = { .factor = dispersion, .freedom = INFINITY };

	return rate_difference_dispersed(a, x, b, y, of, confidence);
}

struct rate_difference
share_difference_dispersed(uint64_t a, uint64_t of_a, uint64_t b, uint64_t of_b, struct dispersion of,
			   double confidence)
{
	double m = (double)of_a, n = (double)of_b, z = quantile(of, confidence), pooled, error;
	double dispersion = of.factor;
	struct rate_difference d = { 0 };

	if (of_a == 0 || of_b == 0) {
		d.p = 1;
		d.low = -1;
		d.high = 1;
		return d;
	}
	d.a = (double)a / m;
	d.b = (double)b / n;
	recover_limits(&d, wilson_limits((double)a / dispersion, m / dispersion, z),
		       wilson_limits((double)b / dispersion, n / dispersion, z));
	pooled = ((double)a + (double)b) / (m + n);
	error = sqrt(dispersion * pooled * (1 - pooled) * (1 / m + 1 / n));
	d.p = error > 0 ? both_tails(d.delta / error, of.freedom) : 1;
	return d;
}

struct rate_difference
share_difference(uint64_t a, uint64_t of_a, uint64_t b, uint64_t of_b, double dispersion, double confidence)
{
	struct dispersion of = { .factor = dispersion, .freedom = INFINITY };

	return share_difference_dispersed(a, of_a, b, of_b, of, confidence);
}

double
count_dispersion(const uint64_t *counts, size_t slices)
{
	double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < slices; i++)
		sum += (double)counts[i];
	mean = sum / (double)slices;
	if (slices < 2 || mean <= 0)
		return 1;
	for (size_t i = 0; i < slices; i++)
		squares += ((double)counts[i] - mean) * ((double)counts[i] - mean);
	return fmax(1, squares / (double)(slices - 1) / mean);
}
