/* SPDX-License-Identifier: MIT
 * ranking: two kinds of evidence for each series, put together as one p: its factors against those of the subject,
 * its errors against theirs. */
#include "trend/ranking.h"

#include "base/probability.h"
#include "base/time_math.h"
#include "trend/explanation.h"
#include "trend/season_points.h"

#include <math.h>
#include <stdlib.h>

/* The latest are compared: errors may be far apart, and each step between them takes room. */
#define STEPS_MOST 10000000
#define LAGS_MOST 1000000

/* Only days of the high season are compared, where there is one. */
static bool
is_compared(const struct ranking *ranking, const struct series *s, int64_t time_ns)
{
	int64_t day;

	if (!ranking->high.known)
		return true;
	day = season_place(s->rules->calendar, time_ns).day;
	return day >= ranking->high.from_day && day < ranking->high.to_day;
}

/* Errors on the steps of the other one; NAN where there is none. */
static void
spread_errors(const struct ranking *ranking, const struct series *s, int64_t from_ns, int64_t step_ns, double *to,
	      size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = NAN;
	for (size_t i = 0; i < s->errors.count; i++) {
		int64_t at = time_difference(from_ns, s->errors.at[i].time_ns) / step_ns;

		if (s->errors.at[i].time_ns >= from_ns && (uint64_t)at < count &&
		    is_compared(ranking, s, s->errors.at[i].time_ns))
			to[at] = s->errors.at[i].value;
	}
}

static struct error_match
compare_errors(const struct ranking *ranking, const struct series_set *set, const struct series *s,
	       const struct series *of, unsigned lags)
{
	int64_t step_ns = set->step_ns, day_ns = INT64_C(86400000000000), from_ns, last_ns;
	struct error_match e = { .correlation = NAN };
	double *a, *b;
	size_t count;

	if (of->errors.count < 2)
		return e;
	from_ns = of->errors.at[0].time_ns;
	last_ns = of->errors.at[of->errors.count - 1].time_ns;
	if (time_difference(from_ns, last_ns) / step_ns >= STEPS_MOST)
		from_ns = last_ns - (STEPS_MOST - 1) * step_ns;
	count = (size_t)(time_difference(from_ns, last_ns) / step_ns) + 1;
	a = mem_new(count, sizeof *a);
	b = mem_new(count, sizeof *b);
	spread_errors(ranking, s, from_ns, step_ns, a, count);
	spread_errors(ranking, of, from_ns, step_ns, b, count);
	e = match_errors(a, b, count, (size_t)(step_ns < day_ns ? day_ns / step_ns : 1), lags);
	free(a);
	free(b);
	return e;
}

static unsigned
lags_of(const struct series_set *set, int64_t step_ns)
{
	return (unsigned)(set->options->lag_ns / step_ns < LAGS_MOST ? set->options->lag_ns / step_ns : LAGS_MOST);
}

static int
compare_ranks(const void *a, const void *b)
{
	const struct ranked_series *x = a, *y = b;

	if (x->p != y->p)
		return x->p > y->p ? 1 : -1;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

/* What is claimed of a list is false at such a rate. */
static void
estimate_false(struct ranked_series *ranks, size_t count)
{
	double *p = mem_new(count + 1, sizeof *p), *q = mem_new(count + 1, sizeof *q);

	for (size_t i = 0; i < count; i++)
		p[i] = ranks[i].p;
	false_discovery_rates(p, count, q);
	for (size_t i = 0; i < count; i++)
		ranks[i].q = q[i];
	free(p);
	free(q);
}

static bool
is_comparable(const struct series *s, const struct series *of)
{
	return s != of && !s->split && series_is_shown(s) && s->filter.factors != NULL &&
	       s->rules->calendar == of->rules->calendar && s->kind < STK_SERIES_METRIC;
}

/* How far correlations by chance spread is known best from all series together. */
static void
join_evidence(const struct series_set *set, struct ranking *ranking, const struct error_match *matches)
{
	double squares = 0, freedom = 0;

	for (size_t i = 0; i < ranking->count; i++) {
		squares += matches[i].squares;
		freedom += matches[i].days > 1 ? (double)matches[i].days - 1 : 0;
	}
	for (size_t i = 0; i < ranking->count && freedom > 0; i++)
		ranking->at[i].p = combined_p(
			ranking->at[i].p, match_p(&matches[i], sqrt(squares / freedom), lags_of(set, set->step_ns)));
}

/* --- factors --- */

#define HIGH_DAYS_LEAST 14

/* The factors of the high season alone, as its measures give them; of the filter where all of the past counts. NULL:
 * there are none. Free *own. */
static const double *
factors_of(const struct ranking *ranking, const struct series *s, double **own)
{
	struct trend_rules rules = *s->rules;
	struct trend_filter f = { 0 };
	ARRAY(struct trend_point) points = { 0 };

	*own = NULL;
	if (!ranking->high.known || s->filter.factors == NULL)
		return s->filter.factors;
	for (size_t i = 0; i < s->history.count; i++)
		if (is_compared(ranking, s, s->history.at[i].time_ns))
			*array_push(&points) = (struct trend_point){ .time_ns = s->history.at[i].time_ns,
								     .value = s->history.at[i].value,
								     .weight = 1 };
	if (points.count > 0) {
		trend_points_place(&rules, points.at, points.count);
		trend_start_season(&f, &rules, points.at, points.count);
		*own = f.factors;
		f.factors = NULL;
		trend_filter_release(&f);
	}
	array_release(&points);
	return *own;
}

static bool
find_high_season(struct ranking *ranking, const struct series_set *set, uint32_t subject)
{
	struct season_points points;
	struct stk_error why = { 0 };

	if (season_points_open(&points, set, subject, NULL, &why) == 0)
		ranking->high = season_high_months(points.calendar, points.at, points.count);
	season_points_close(&points);
	return ranking->high.known && ranking->high.to_day - ranking->high.from_day >= HIGH_DAYS_LEAST;
}

static void
rank_one(struct ranking *ranking, const struct series_set *set, uint32_t number, const struct series *of,
	 const double *of_factors, struct error_match *matches)
{
	const struct series *s = series_set_at(set, number);
	unsigned lags = lags_of(set, season_slot_ns(s->rules->calendar));
	double *own;
	const double *factors = factors_of(ranking, s, &own);
	struct explanation e = { .correlation = NAN };

	if (factors != NULL)
		e = explain_by_factors(factors, of_factors, s->rules->calendar, lags);
	free(own);
	if (isnan(e.correlation))
		return;
	matches[ranking->count] = compare_errors(ranking, set, s, of, lags);
	ranking->at[ranking->count] = (struct ranked_series){ .number = number,
							      .correlation = e.correlation,
							      .together = matches[ranking->count].correlation,
							      .p = e.p,
							      .lag_ns = e.lag_ns };
	ranking->count++;
}

bool
ranking_make(struct ranking *ranking, const struct series_set *set, uint32_t subject)
{
	const struct series *of = series_set_at(set, subject);
	struct error_match *matches;
	const double *factors;
	double *own;

	*ranking = (struct ranking){ 0 };
	if (of->filter.factors == NULL || (set->options->high_season && !find_high_season(ranking, set, subject)))
		return false;
	factors = factors_of(ranking, of, &own);
	if (factors == NULL)
		return false;
	ranking->at = mem_new((size_t)series_set_count(set) + 1, sizeof *ranking->at);
	matches = mem_new((size_t)series_set_count(set) + 1, sizeof *matches);
	for (uint32_t n = 1; n <= series_set_count(set); n++)
		if (is_comparable(series_set_at(set, n), of))
			rank_one(ranking, set, n, of, factors, matches);
	free(own);
	join_evidence(set, ranking, matches);
	free(matches);
	qsort(ranking->at, ranking->count, sizeof *ranking->at, compare_ranks);
	estimate_false(ranking->at, ranking->count);
	return true;
}

void
ranking_release(struct ranking *ranking)
{
	free(ranking->at);
	*ranking = (struct ranking){ 0 };
}
