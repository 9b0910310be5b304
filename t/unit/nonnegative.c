/* SPDX-License-Identifier: MIT
 * nonnegative: the coefficients of R's nnls, the least of all subsets of columns, columns that are alike or nothing. */
#include "../lib/tap.h"

#include "trend/nonnegative.h"

#include <math.h>
#include <string.h>

#define ROWS 12
#define MOST 8

static double
uniform(uint64_t *state)
{
	*state = (1103515245 * *state + 12345) % 2147483648u;
	return (double)*state / 2147483648.0;
}

struct problem {
	size_t k;
	double x[ROWS][MOST], y[ROWS], g[MOST * MOST], b[MOST];
};

static struct problem
make(size_t k, uint64_t *state)
{
	struct problem p = { .k = k };

	for (size_t r = 0; r < ROWS; r++)
		for (size_t j = 0; j < k; j++)
			p.x[r][j] = uniform(state) * 2 - .6;
	for (size_t r = 0; r < ROWS; r++)
		p.y[r] = uniform(state) * 2 - .7;
	for (size_t i = 0; i < k; i++)
		for (size_t r = 0; r < ROWS; r++) {
			p.b[i] += p.x[r][i] * p.y[r];
			for (size_t j = 0; j < k; j++)
				p.g[i * k + j] += p.x[r][i] * p.x[r][j];
		}
	return p;
}

static double
squares_left(const struct problem *p, const double *m)
{
	double sum = 0;

	for (size_t r = 0; r < ROWS; r++) {
		double left = p->y[r];

		for (size_t j = 0; j < p->k; j++)
			left -= m[j] * p->x[r][j];
		sum += left * left;
	}
	return sum;
}

/* R: nnls(X, y)$x of package nnls 1.4, of the same numbers. */
static void
test_reference(void)
{
	static const struct {
		size_t k;
		double m[MOST];
	} wanted[] = {
		{ 1, { 0.033574769137 } },
		{ 3, { 0.239465186388, 0.317484418596, 0 } },
		{ 5, { 0, 0.0931717997729, 0.67829209315, 0.352440462873, 0.154722919331 } },
		{ 8, { 0, 0, 0, 0.515107711633, 0, 0, 0, 0 } },
	};
	uint64_t state = 11;

	for (size_t w = 0; w < 4; w++) {
		struct problem p = make(wanted[w].k, &state);
		double m[MOST], worst = 0;

		nonnegative_solve(p.g, p.b, p.k, m);
		for (size_t j = 0; j < p.k; j++)
			worst = fmax(worst, fabs(m[j] - wanted[w].m[j]));
		ok(worst < 1e-9, "%zu columns: as R's nnls has them, to %.1g", p.k, worst);
	}
}

/* The least over all subsets of columns, by Gauss and Jordan. */
static double
least_of_subsets(const struct problem *p)
{
	double least = squares_left(p, (double[MOST]){ 0 });

	for (unsigned set = 1; set < 1u << p->k; set++) {
		double a[MOST][MOST + 1] = { { 0 } }, m[MOST] = { 0 };
		bool possible = true;

		for (size_t i = 0; i < p->k; i++)
			for (size_t j = 0; j <= p->k; j++)
				a[i][j] = (set >> i & 1) == 0   ? (i == j)
					  : j == p->k           ? p->b[i]
					  : (set >> j & 1) == 0 ? 0
								: p->g[i * p->k + j];
		for (size_t i = 0; i < p->k; i++)
			for (size_t r = 0; r < p->k; r++) {
				double times = a[r][i] / a[i][i];

				for (size_t j = 0; j <= p->k && r != i; j++)
					a[r][j] -= times * a[i][j];
			}
		for (size_t i = 0; i < p->k; i++) {
			m[i] = (set >> i & 1) == 0 ? 0 : a[i][p->k] / a[i][i];
			possible &= m[i] >= 0;
		}
		least = possible ? fmin(least, squares_left(p, m)) : least;
	}
	return least;
}

static void
test_subsets(void)
{
	uint64_t state = 5;
	unsigned wrong = 0;

	for (unsigned i = 0; i < 400; i++) {
		struct problem p = make(1 + i % 6, &state);
		double m[MOST];

		nonnegative_solve(p.g, p.b, p.k, m);
		for (size_t j = 0; j < p.k; j++)
			wrong += m[j] < 0;
		wrong += fabs(squares_left(&p, m) - least_of_subsets(&p)) > 1e-9;
	}
	ok(wrong == 0, "400 problems: the least of all subsets of columns");
}

static void
test_edges(void)
{
	double twice[] = { 2, 2, 2, 2 }, b[] = { 3, 3 }, m[2], nothing[] = { 0, 0, 0, 4 }, inverse[4];

	nonnegative_solve(twice, b, 2, m);
	ok(fabs(m[0] + m[1] - 1.5) < 1e-12 && m[0] * m[1] == 0, "of two equal columns one is taken");
	nonnegative_solve(nothing, b, 2, m);
	ok(m[0] == 0 && fabs(m[1] - 0.75) < 1e-12, "a column of nothing gets nothing");
	nonnegative_solve(twice, (double[]){ -1, -2 }, 2, m);
	ok(m[0] == 0 && m[1] == 0, "columns that go the other way get nothing");
	nonnegative_solve(twice, b, 0, m);
	ok(!symmetric_inverse(twice, 2, inverse), "equal columns have no inverse");
	ok(symmetric_inverse((double[]){ 4, 1, 1, 3 }, 2, inverse) && fabs(inverse[0] - 3. / 11) < 1e-12 &&
		   fabs(inverse[1] + 1. / 11) < 1e-12 && inverse[1] == inverse[2] && fabs(inverse[3] - 4. / 11) < 1e-12,
	   "others do");
}

int
main(void)
{
	test_reference();
	test_subsets();
	test_edges();
	return tap_end();
}
