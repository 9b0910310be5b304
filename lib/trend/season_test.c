/* SPDX-License-Identifier: MIT
 * season_test: correlations and what they are worth. */
#include "trend/season_test.h"

#include "base/memory.h"
#include "base/probability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS_LEAST   4
#define PERMUTATIONS  999
#define SHORT_CYCLE   12	/* slots up to which one rotation in all is the least p that the shift test can give */

double
correlation(const double *a, const double *b, size_t n, size_t *pairs)
{
	double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(a[i]) && !isnan(b[i])) {
			mean_a += a[i];
			mean_b += b[i];
			count++;
		}
	mean_a /= (double)count;
	mean_b /= (double)count;
	for (size_t i = 0; i < n; i++) {
		if (isnan(a[i]) || isnan(b[i]))
			continue;
		aa += (a[i] - mean_a) * (a[i] - mean_a);
		bb += (b[i] - mean_b) * (b[i] - mean_b);
		ab += (a[i] - mean_a) * (b[i] - mean_b);
	}
	if (pairs != NULL)
		*pairs = count;
	/* what is left of a constant is rounding */
	if (count == 0 || aa <= 1e-24 * (double)count * mean_a * mean_a ||
	    bb <= 1e-24 * (double)count * mean_b * mean_b)
		return NAN;
	return fmax(-1, fmin(1, ab / sqrt(aa * bb)));
}

double
correlation_p(double r, double pairs)
{
	double freedom = pairs - 2;

	if (isnan(r) || freedom <= 0)
		return 1;
	if (fabs(r) >= 1)
		return r > 0 ? 0 : 1;
	return student_above(r * sqrt(freedom / (1 - r * r)), freedom);
}

/* The correlation of a ring with itself, moved by `shift`. */
static double
autocorrelation(const double *a, size_t n, size_t shift, double mean, double variance)
{
	double sum = 0;

	for (size_t i = 0; i + shift < n; i++)
		if (!isnan(a[i]) && !isnan(a[i + shift]))
			sum += (a[i] - mean) * (a[i + shift] - mean);
	return sum / ((double)n * variance);
}

static void
moments(const double *a, size_t n, double *mean, double *variance)
{
	size_t count = 0;

	*mean = *variance = 0;
	for (size_t i = 0; i < n; i++)
		if (!isnan(a[i])) {
			*mean += a[i];
			count++;
		}
	*mean /= count > 0 ? (double)count : 1;
	for (size_t i = 0; i < n; i++)
		if (!isnan(a[i]))
			*variance += (a[i] - *mean) * (a[i] - *mean);
	*variance /= count > 0 ? (double)count : 1;
}

double
effective_pairs(const double *a, const double *b, size_t n, size_t lags)
{
	double mean_a, mean_b, variance_a, variance_b, sum = 0, pairs;

	moments(a, n, &mean_a, &variance_a);
	moments(b, n, &mean_b, &variance_b);
	if (variance_a <= 0 || variance_b <= 0)
		return 3;
	for (size_t j = 1; j < n && (lags == 0 || j <= lags); j++)
		sum += (1 - (double)j / (double)n) * autocorrelation(a, n, j, mean_a, variance_a) *
		       autocorrelation(b, n, j, mean_b, variance_b);
	pairs = 1 / (1 / (double)n + 2 / (double)n * sum);
	return !(pairs > 3) ? 3 : fmin(pairs, (double)n);
}

/* --- ranks --- */

static double
rotated(const double *a, const double *b, size_t n, size_t shift, double *room)
{
	memcpy(room, b + shift, (n - shift) * sizeof *room);
	memcpy(room + (n - shift), b, shift * sizeof *room);
	return correlation(a, room, n, NULL);
}

static double
shift_p(const double *a, const double *b, size_t n, double r)
{
	double *room = mem_new(n, sizeof *room);
	size_t as_good = 0;

	for (size_t shift = 0; shift < n; shift++)
		as_good += rotated(a, b, n, shift, room) >= r - 1e-12;
	free(room);
	return (double)as_good / (double)n;
}

static double
permutation_p(const double *a, const double *b, size_t n, double r)
{
	double *room = mem_new(n, sizeof *room);
	uint64_t chance = UINT64_C(0x9e3779b97f4a7c15);
	size_t as_good = 0;

	memcpy(room, b, n * sizeof *room);
	for (int k = 0; k < PERMUTATIONS; k++) {
		for (size_t i = n - 1; i > 0; i--) {
			size_t other;
			double swap = room[i];

			chance ^= chance << 13;
			chance ^= chance >> 7;
			chance ^= chance << 17;
			other = (size_t)((chance >> 11) % (i + 1));
			room[i] = room[other];
			room[other] = swap;
		}
		as_good += correlation(a, room, n, NULL) >= r;
	}
	free(room);
	return (1 + (double)as_good) / (PERMUTATIONS + 1);
}

struct season_verdict
season_test(const double *latest, const double *earlier, size_t slots, enum season_method method, double level)
{
	struct season_verdict v = { .p = 1 };
	double r = correlation(latest, earlier, slots, &v.n), n = (double)v.n;

	if (isnan(r) || v.n < PAIRS_LEAST)
		return v;
	v.r = r;
	v.statistic = r * sqrt((n - 2) / (1 - r * r));
	switch (method) {
	case SEASON_T:           v.p = correlation_p(r, n); break;
	case SEASON_FISHER:
		v.statistic = atanh(r) * sqrt(n - 3);
		v.p = normal_below(-v.statistic);
		break;
	case SEASON_PERMUTATION: v.p = permutation_p(latest, earlier, slots, r); break;
	case SEASON_EFFECTIVE:   v.p = correlation_p(r, effective_pairs(latest, earlier, slots, 0)); break;
	case SEASON_SHIFT:       v.p = shift_p(latest, earlier, slots, r); break;
	}
	v.exists = v.p <= fmax(level, method == SEASON_SHIFT && slots <= SHORT_CYCLE ? 1.0 / (double)slots : 0) + 1e-12;
	return v;
}
