/* SPDX-License-Identifier: MIT
 * probability: Student's t and the binomial through the incomplete beta function; inverses by halving. */
#include "base/probability.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

#define TERMS_MOST 10000
#define TINY       1e-300
#define CLOSE      1e-15

double
normal_below(double z)
{
	return 0.5 * erfc(-z / sqrt(2));
}

double
normal_quantile(double p)
{
	double low = -40, high = 40;

	for (int i = 0; i < 200 && high - low > 1e-14; i++) {
		double middle = (low + high) / 2;

		if (normal_below(middle) < p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double
beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < TINY ? TINY : d);
	f = d;
	for (int m = 1; m < TERMS_MOST; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
		       odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), change;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < TINY ? TINY : d);
		c = fabs(c) < TINY ? TINY : c;
		f *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < TINY ? TINY : d);
		c = fabs(c) < TINY ? TINY : c;
		change = d * c;
		f *= change;
		if (fabs(change - 1) < CLOSE)
			break;
	}
	return f;
}

/* The regularized incomplete beta function. */
static double
beta_below(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
					 : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double
binomial_at_most(double k, double n, double p)
{
	if (k < 0)
		return 0;
	return k >= n ? 1 : beta_below(1 - p, n - k, k + 1);
}

double
student_above(double t, double freedom)
{
	double half = beta_below(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;

	return t > 0 ? half : 1 - half;
}

double
student_below(double t, double freedom)
{
	return student_above(-t, freedom);
}

double
student_quantile(double p, double freedom)
{
	double low = -1, high = 1;

	while (student_below(low, freedom) > p && low > -1e300)
		low *= 2;
	while (student_below(high, freedom) < p && high < 1e300)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-15 * fmax(1, fabs(low)); i++) {
		double middle = (low + high) / 2;

		if (student_below(middle, freedom) < p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* --- many at once --- */

struct ranked { double p; size_t at; };

static int
compare_p(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->p, y = ((const struct ranked *)b)->p;

	return (x > y) - (x < y);
}

void
false_discovery(const double *p, size_t count, double rate, bool *significant)
{
	struct ranked *order = mem_new(count + 1, sizeof *order);
	size_t last = 0;

	for (size_t i = 0; i < count; i++)
		order[i] = (struct ranked){ p[i], i };
	qsort(order, count, sizeof *order, compare_p);
	for (size_t i = 0; i < count; i++)
		if (order[i].p <= rate * (double)(i + 1) / (double)count)
			last = i + 1;
	for (size_t i = 0; i < count; i++)
		significant[order[i].at] = i < last;
	free(order);
}

void
false_discovery_rates(const double *p, size_t count, double *q)
{
	struct ranked *order = mem_new(count + 1, sizeof *order);
	double least = 1;

	for (size_t i = 0; i < count; i++)
		order[i] = (struct ranked){ p[i], i };
	qsort(order, count, sizeof *order, compare_p);
	for (size_t i = count; i-- > 0; ) {
		least = fmin(least, order[i].p * (double)count / (double)(i + 1));
		q[order[i].at] = least;
	}
	free(order);
}
