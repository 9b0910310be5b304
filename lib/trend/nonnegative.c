/* SPDX-License-Identifier: MIT
 * nonnegative: a column joins where its gradient is steepest; columns that would fall below 0 leave at the first of
 * them that does. */
#include "trend/nonnegative.h"

#include <math.h>
#include <string.h>

#define ROUNDS_MOST 200
#define TINY 1e-10 /* of a column's own square: what the others leave of it is nothing */

/* Cholesky's factor of the rows and columns that are in; columns that depend on earlier ones are taken out. */
static void
factor(const double *g, size_t k, bool *in, double l[NONNEGATIVE_MOST][NONNEGATIVE_MOST])
{
	for (size_t j = 0; j < k; j++) {
		double left = g[j * k + j];

		if (!in[j])
			continue;
		for (size_t i = 0; i < j; i++)
			left -= in[i] ? l[j][i] * l[j][i] : 0;
		if (!(left > TINY * g[j * k + j])) {
			in[j] = false;
			continue;
		}
		l[j][j] = sqrt(left);
		for (size_t r = j + 1; r < k; r++) {
			double sum = g[r * k + j];

			for (size_t i = 0; i < j; i++)
				sum -= in[i] ? l[r][i] * l[j][i] : 0;
			l[r][j] = sum / l[j][j];
		}
	}
}

static void
solve_in(const double *g, const double *b, size_t k, bool *in, double *m)
{
	double l[NONNEGATIVE_MOST][NONNEGATIVE_MOST];

	factor(g, k, in, l);
	for (size_t j = 0; j < k; j++) {
		m[j] = in[j] ? b[j] : 0;
		for (size_t i = 0; i < j && in[j]; i++)
			m[j] -= in[i] ? l[j][i] * m[i] : 0;
		m[j] /= in[j] ? l[j][j] : 1;
	}
	for (size_t j = k; j-- > 0;) {
		for (size_t i = j + 1; i < k && in[j]; i++)
			m[j] -= in[i] ? l[i][j] * m[i] : 0;
		m[j] /= in[j] ? l[j][j] : 1;
	}
}

/* The column outside that lowers the sum of squares most; k: none does. */
static size_t
steepest(const double *g, const double *b, size_t k, const bool *in, const bool *refused, const double *m)
{
	size_t best = k;
	double most = 0;

	for (size_t j = 0; j < k; j++) {
		double slope = b[j], size = g[j * k + j];

		for (size_t i = 0; i < k; i++)
			slope -= g[j * k + i] * m[i];
		if (in[j] || refused[j] || !(size > 0) || !(slope > 1e-12 * fabs(b[j])))
			continue;
		if (slope * slope / size > most) {
			most = slope * slope / size;
			best = j;
		}
	}
	return best;
}

/* Goes from m towards the solution as far as nothing falls below 0; what reaches 0 leaves. True: it is reached. */
static bool
step_to(const double *wanted, size_t k, bool *in, double *m)
{
	double share = 1;

	for (size_t j = 0; j < k; j++)
		if (in[j] && wanted[j] < 0)
			share = fmin(share, m[j] / (m[j] - wanted[j]));
	for (size_t j = 0; j < k; j++) {
		m[j] = in[j] ? m[j] + share * (wanted[j] - m[j]) : 0;
		if (share < 1 && in[j] && wanted[j] < 0 && m[j] <= TINY * fabs(wanted[j])) {
			in[j] = false;
			m[j] = 0;
		}
	}
	return share >= 1;
}

void
nonnegative_solve(const double *g, const double *b, size_t k, double *m)
{
	bool in[NONNEGATIVE_MOST] = { false }, refused[NONNEGATIVE_MOST] = { false };
	double wanted[NONNEGATIVE_MOST];

	memset(m, 0, k * sizeof *m);
	for (int round = 0; round < ROUNDS_MOST; round++) {
		size_t j = steepest(g, b, k, in, refused, m);

		if (j == k)
			return;
		in[j] = true;
		do
			solve_in(g, b, k, in, wanted);
		while (!step_to(wanted, k, in, m));
		refused[j] = !in[j];
	}
}

bool
symmetric_inverse(const double *g, size_t k, double *inverse)
{
	for (size_t j = 0; j < k; j++) {
		bool in[NONNEGATIVE_MOST];
		double unit[NONNEGATIVE_MOST] = { 0 }, column[NONNEGATIVE_MOST];

		for (size_t i = 0; i < k; i++)
			in[i] = true;
		unit[j] = 1;
		solve_in(g, unit, k, in, column);
		for (size_t i = 0; i < k; i++) {
			if (!in[i])
				return false;
			inverse[i * k + j] = column[i];
		}
	}
	return true;
}
