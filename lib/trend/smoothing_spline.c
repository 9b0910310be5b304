/* SPDX-License-Identifier: MIT
 * smoothing_spline: cubic B-splines on a subset of the points as knots; (X'X + lambda S) c = X'y by banded Cholesky. */
#include "trend/smoothing_spline.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ORDER 4
#define THIRD 0.3330	/* R's Gram matrix has this in place of 1/3, and its results follow from it */

struct basis { unsigned first; double at[ORDER]; };	/* the four splines that are not 0 at a point, and their
							 * values */

struct smoothing_spline {
	size_t n;
	unsigned coefficients;
	double *knots;			/* coefficients + 4 of them */
	struct basis *basis;		/* for each point */
	double (*band)[ORDER];		/* the Cholesky factor: band[i][k] is L[i + k][i] */
	double *work;
	double lambda;
};

/* How many of n points are knots. */
static unsigned
count_inner_knots(size_t n)
{
	double x = (double)n, a1 = log2(50), a2 = log2(100), a3 = log2(140), a4 = log2(200);

	if (n < 50)
		return (unsigned)n;
	if (n < 200)
		return (unsigned)pow(2, a1 + (a2 - a1) * (x - 50) / 150);
	if (n < 800)
		return (unsigned)pow(2, a2 + (a3 - a2) * (x - 200) / 600);
	if (n < 3200)
		return (unsigned)pow(2, a3 + (a4 - a3) * (x - 800) / 2400);
	return (unsigned)(200 + pow(x - 3200, 0.2));
}

static void
place_knots(struct smoothing_spline *s, unsigned inner)
{
	double last = (double)(s->n - 1), step = last / (double)(inner - 1);
	double *at = s->knots;

	for (unsigned i = 0; i < ORDER - 1; i++)
		*at++ = 0;
	for (unsigned j = 0; j < inner - 1; j++)
		*at++ = (floor(1 + (double)j * step) - 1) / last;	/* as the points are computed */
	for (unsigned i = 0; i < ORDER; i++)
		*at++ = 1;
}

/* De Boor's recurrence: the values of the splines of an order at x, in the interval that begins with knot `left`. */
static void
spline_values(const double *knots, unsigned left, double x, unsigned order, double *values)
{
	double right_gap[ORDER], left_gap[ORDER];

	values[0] = 1;
	for (unsigned j = 1; j < order; j++) {
		double saved = 0;

		right_gap[j - 1] = knots[left + j] - x;
		left_gap[j - 1] = x - knots[left + 1 - j];
		for (unsigned r = 0; r < j; r++) {
			double term = values[r] / (right_gap[r] + left_gap[j - 1 - r]);

			values[r] = saved + right_gap[r] * term;
			saved = left_gap[j - 1 - r] * term;
		}
		values[j] = saved;
	}
}

/* The second derivatives of the four cubic splines at x, from the two linear ones. */
static void
spline_curvatures(const double *knots, unsigned left, double x, double *curvatures)
{
	double a[ORDER][ORDER] = { { 0 } }, linear[ORDER] = { 0 };

	spline_values(knots, left, x, 2, linear);
	for (unsigned i = 0; i < ORDER; i++)
		a[i][i] = 1;
	for (unsigned c = 0; c < ORDER; c++) {
		double d[ORDER];
		unsigned base = left - (ORDER - 1);

		/* coefficients of the derivative of spline base + c, twice */
		memcpy(d, a[c], sizeof d);
		for (unsigned k = 1; k <= 2; k++)
			for (unsigned i = ORDER - 1; i >= k; i--)
				d[i] = (ORDER - k) * (d[i] - d[i - 1]) /
				       (knots[base + i + ORDER - k] - knots[base + i]);
		curvatures[c] = d[2] * linear[0] + d[3] * linear[1];
	}
}

static unsigned
interval_of(const struct smoothing_spline *s, double x, unsigned from)
{
	while (from < s->coefficients - 1 && x >= s->knots[from + 1])
		from++;
	return from;
}

static void
evaluate_basis(struct smoothing_spline *s)
{
	unsigned left = ORDER - 1;

	for (size_t i = 0; i < s->n; i++) {
		double x = (double)i / (double)(s->n - 1);

		left = interval_of(s, x, left);
		s->basis[i].first = left - (ORDER - 1);
		spline_values(s->knots, left, x, ORDER, s->basis[i].at);
	}
}

/* The integral of the product of second derivatives, interval by interval. */
static void
add_gram(const struct smoothing_spline *s, double (*gram)[ORDER])
{
	for (unsigned left = ORDER - 1; left < s->coefficients; left++) {
		double l[ORDER], r[ORDER], width = s->knots[left + 1] - s->knots[left];

		spline_curvatures(s->knots, left, s->knots[left], l);
		spline_curvatures(s->knots, left, s->knots[left + 1], r);
		for (unsigned i = 0; i < ORDER; i++)
			for (unsigned j = i; j < ORDER; j++) {
				double di = r[i] - l[i], dj = r[j] - l[j];

				gram[left - (ORDER - 1) + i][j - i] +=
					width * (l[i] * l[j] + (di * l[j] + dj * l[i]) * 0.5 + di * dj * THIRD);
			}
	}
}

static void
factor(struct smoothing_spline *s, double spar)
{
	unsigned p = s->coefficients;
	double (*gram)[ORDER] = mem_new(p, sizeof *gram), of_points = 0, of_gram = 0;

	for (size_t i = 0; i < s->n; i++)
		for (unsigned a = 0; a < ORDER; a++)
			for (unsigned b = a; b < ORDER; b++)
				s->band[s->basis[i].first + a][b - a] += s->basis[i].at[a] * s->basis[i].at[b];
	add_gram(s, gram);
	for (unsigned i = 2; i + 3 < p; i++) {
		of_points += s->band[i][0];
		of_gram += gram[i][0];
	}
	s->lambda = of_points / of_gram * pow(256, 3 * spar - 1);
	for (unsigned i = 0; i < p; i++)
		for (unsigned k = 0; k < ORDER; k++)
			s->band[i][k] += s->lambda * gram[i][k];
	free(gram);
	for (unsigned i = 0; i < p; i++) {
		double root = sqrt(s->band[i][0]);

		for (unsigned k = 0; k < ORDER; k++)
			s->band[i][k] /= root;
		for (unsigned k = 1; k < ORDER && i + k < p; k++)
			for (unsigned m = k; m < ORDER && i + m < p; m++)
				s->band[i + k][m - k] -= s->band[i][k] * s->band[i][m];
	}
}

void
smoothing_spline_open(struct smoothing_spline **out, size_t n, double spar)
{
	struct smoothing_spline *s = mem_new(1, sizeof *s);
	unsigned inner = count_inner_knots(n);

	*out = s;
	s->n = n;
	s->coefficients = inner + 2;
	s->knots = mem_new(inner + 6, sizeof *s->knots);
	s->basis = mem_new(n, sizeof *s->basis);
	s->band = mem_new(s->coefficients, sizeof *s->band);
	s->work = mem_new(s->coefficients, sizeof *s->work);
	place_knots(s, inner);
	evaluate_basis(s);
	factor(s, spar);
}

void
smoothing_spline_close(struct smoothing_spline *s)
{
	if (s == NULL)
		return;
	free(s->knots);
	free(s->basis);
	free(s->band);
	free(s->work);
	free(s);
}

size_t
smoothing_spline_size(const struct smoothing_spline *s)
{
	return s->n;
}

double
smoothing_spline_lambda(const struct smoothing_spline *s)
{
	return s->lambda;
}

void
smoothing_spline_fit(const struct smoothing_spline *s, const double *y, double *fit)
{
	unsigned p = s->coefficients;
	double *c = s->work;

	memset(c, 0, p * sizeof *c);
	for (size_t i = 0; i < s->n; i++)
		for (unsigned k = 0; k < ORDER; k++)
			c[s->basis[i].first + k] += s->basis[i].at[k] * y[i];
	for (unsigned i = 0; i < p; i++) {
		c[i] /= s->band[i][0];
		for (unsigned k = 1; k < ORDER && i + k < p; k++)
			c[i + k] -= s->band[i][k] * c[i];
	}
	for (unsigned i = p; i-- > 0; ) {
		for (unsigned k = 1; k < ORDER && i + k < p; k++)
			c[i] -= s->band[i][k] * c[i + k];
		c[i] /= s->band[i][0];
	}
	for (size_t i = 0; i < s->n; i++) {
		const struct basis *b = &s->basis[i];

		fit[i] = b->at[0] * c[b->first] + b->at[1] * c[b->first + 1] + b->at[2] * c[b->first + 2] +
			 b->at[3] * c[b->first + 3];
	}
}
