/* SPDX-License-Identifier: MIT
 * explanation: periods are correlated one by one, since their levels differ for reasons of their own, and put together
 * by Fisher's transformation. */
#include "trend/explanation.h"

#include "trend/season_test.h"

#include "base/memory.h"
#include "base/probability.h"

#include <math.h>
#include <stdlib.h>

#define SURE 0.999999	/* atanh of 1 is infinite */

double
pooled_correlation(const double *r, const size_t *n, size_t count)
{
	double sum = 0, weight = 0;

	for (size_t i = 0; i < count; i++) {
		if (isnan(r[i]) || n[i] < 4)
			continue;
		sum += (double)(n[i] - 3) * atanh(fmax(-SURE, fmin(SURE, r[i])));
		weight += (double)(n[i] - 3);
	}
	return weight > 0 ? tanh(sum / weight) : NAN;
}

/* The other one moved so that it stands `lag` slots earlier, within a period's ring. */
static void
rotate(double *to, const double *from, unsigned n, int lag)
{
	for (unsigned s = 0; s < n; s++)
		to[s] = from[(s + (unsigned)(lag + (int)n)) % n];
}

static double
correlation_at(const double *series, const double *other, const struct season_calendar *calendar, int lag, double *room)
{
	double r[SEASON_PERIODS_MOST];
	size_t n[SEASON_PERIODS_MOST];

	for (unsigned p = 0; p < season_periods(calendar); p++) {
		const struct season_period *period = season_period(calendar, p);

		rotate(room, other + period->first, period->slots, lag);
		r[p] = correlation(series + period->first, room, period->slots, &n[p]);
	}
	return pooled_correlation(r, n, season_periods(calendar));
}

/* Independent pairs in all periods together. */
static double
pairs_of(const double *series, const double *other, const struct season_calendar *calendar)
{
	double pairs = 0;

	for (unsigned p = 0; p < season_periods(calendar); p++) {
		const struct season_period *period = season_period(calendar, p);

		if (!isnan(correlation(series + period->first, other + period->first, period->slots, NULL)))
			pairs += effective_pairs(series + period->first, other + period->first, period->slots, 0);
	}
	return pairs;
}

struct explanation
explain_by_factors(const double *series, const double *other, const struct season_calendar *calendar, unsigned lags)
{
	struct explanation e = { .correlation = NAN, .p = 1 };
	unsigned slots = season_slots(calendar);
	double *room = mem_new(slots + 1, sizeof *room), pairs, tried;
	int best = 0;

	for (int k = 0; k <= 2 * (int)lags; k++) {
		int lag = k % 2 != 0 ? (k + 1) / 2 : -(k / 2);		/* nearer ones first: they win ties */
		double r = correlation_at(series, other, calendar, lag, room);

		if (!isnan(r) && (isnan(e.correlation) || r > e.correlation + 1e-9)) {
			e.correlation = r;
			best = lag;
		}
	}
	free(room);
	if (isnan(e.correlation))
		return e;
	e.lag_ns = best * season_slot_ns(calendar);
	pairs = pairs_of(series, other, calendar);
	/* lags beside each other say the same: as many count as are independent */
	tried = fmax(1, (2 * (double)lags + 1) * pairs / slots);
	e.p = correlation_p(e.correlation, pairs);
	e.p = -expm1(tried * log1p(-fmin(e.p, 1 - 1e-16)));
	return e;
}

/* --- errors --- */

#define PAIRS_LEAST 16

static double
error_correlation(const double *series, const double *other, size_t count, int lag, size_t *pairs)
{
	size_t apart = (size_t)abs(lag);

	*pairs = 0;
	if (apart + PAIRS_LEAST > count)
		return NAN;
	return correlation(lag > 0 ? series : series + apart, lag > 0 ? other + apart : other, count - apart, pairs);
}

struct error_match
match_errors(const double *series, const double *other, size_t count, size_t per_day, unsigned lags)
{
	struct error_match m = { .correlation = NAN };
	double sum = 0, squares = 0, r;
	size_t pairs;
	int best = 0;

	for (int k = 0; k <= 2 * (int)lags; k++) {
		int lag = k % 2 != 0 ? (k + 1) / 2 : -(k / 2);

		r = error_correlation(series, other, count, lag, &pairs);
		if (!isnan(r) && pairs >= PAIRS_LEAST && (isnan(m.correlation) || r > m.correlation)) {
			m.correlation = r;
			m.pairs = pairs;
			best = lag;
		}
	}
	for (int day = 1; (size_t)day * per_day * 2 < count && !isnan(m.correlation); day++)
		for (int side = -1; side <= 1; side += 2) {
			r = error_correlation(series, other, count, best + side * day * (int)per_day, &pairs);
			if (!isnan(r) && pairs >= PAIRS_LEAST) {
				sum += r;
				squares += r * r;
				m.days++;
			}
		}
	if (m.days > 0) {
		m.by_chance = sum / (double)m.days;
		m.squares = fmax(0, squares - sum * m.by_chance);
	}
	return m;
}

double
match_p(const struct error_match *m, double deviation, unsigned lags)
{
	double p;

	if (isnan(m->correlation) || m->days < 2)
		return 1;
	deviation = fmax(deviation, 1 / sqrt((double)m->pairs)) * sqrt(1 + 1 / (double)m->days);
	p = normal_below(-(m->correlation - m->by_chance) / deviation);
	return -expm1((2 * (double)lags + 1) * log1p(-fmin(p, 1 - 1e-16)));
}

double
combined_p(double a, double b)
{
	double product = a * b;

	return product > 0 ? fmin(1, product * (1 - log(product))) : 0;
}
