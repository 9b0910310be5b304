/* SPDX-License-Identifier: MIT
 * season_test: whether a season is there at all: whether the latest cycle goes the way of an earlier one.
 *
 * The t test, Fisher's and the permutation test take slots as independent of each other, which loads are not: of two
 * smooth profiles that have nothing to do with each other they accept a third and more at a level of 0.1. The shift
 * test compares with the profile moved around the cycle, which is as smooth. */
#ifndef TREND_SEASON_TEST_H
#define TREND_SEASON_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum season_method {
	SEASON_SHIFT,		/* rank among all rotations; of 12 slots or fewer: the best of them */
	SEASON_T,		/* Student's t of n - 2, one-sided */
	SEASON_FISHER,		/* atanh(r) sqrt(n - 3) is normal */
	SEASON_PERMUTATION,
	SEASON_EFFECTIVE	/* t with as many slots as the smoothness leaves */
};

struct season_verdict {
	double r, statistic, p;
	size_t n;		/* pairs that were there in both */
	bool exists;		/* p <= level */
};

/* NAN where a cycle has no value. Fewer than 4 pairs, or a cycle without variance: r is 0, p is 1. */
struct season_verdict season_test(const double *latest, const double *earlier, size_t slots, enum season_method method,
				  double level);

/* Pearson's; NAN where either has no variance. Pairs with a NAN are left out; their number in *pairs (may be NULL). */
double correlation(const double *a, const double *b, size_t n, size_t *pairs);
/* How many independent pairs two smooth series are worth: 1/n_e = 1/n + 2/n sum (1 - j/n) rho_a(j) rho_b(j), j up to
 * `lags` (0: all). At least 3. */
double effective_pairs(const double *a, const double *b, size_t n, size_t lags);
/* P of a correlation at least this large between n_e pairs. */
double correlation_p(double r, double pairs);

#endif
