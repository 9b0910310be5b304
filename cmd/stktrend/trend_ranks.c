/* SPDX-License-Identifier: MIT
 * trend_ranks: which series explain another, such as the heap; and one series explained from the inside. */
#include "trend_views.h"

#include "base/probability.h"
#include "base/time_math.h"
#include "program/program.h"
#include "trend/explanation.h"
#include "trend/trend_state.h"

#include <math.h>

#define STEPS_MOST 10000000	/* compared, the latest: errors may be far apart, and each step between them takes room */
#define LAGS_MOST  1000000

/* --- ranks --- */

static uint32_t
find_subject(const struct trends *t, const char *pattern)
{
	for (uint32_t n = 1; n <= series_set_count(t->set); n++)
		if (series_is_shown(series_set_at(t->set, n)) && series_matches(series_set_at(t->set, n), pattern))
			return n;
	return 0;
}

/* Errors on the steps of the other one; NAN where there is none. */
static void
spread_errors(const struct series *s, int64_t from_ns, int64_t step_ns, double *to, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = NAN;
	for (size_t i = 0; i < s->errors.count; i++) {
		int64_t at = time_difference(from_ns, s->errors.at[i].time_ns) / step_ns;

		if (s->errors.at[i].time_ns >= from_ns && (uint64_t)at < count)
			to[at] = s->errors.at[i].value;
	}
}

static struct error_match
compare_errors(const struct trends *t, const struct series *s, const struct series *of, unsigned lags)
{
	int64_t step_ns = t->set->step_ns, day_ns = INT64_C(86400000000000), from_ns, last_ns;
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
	spread_errors(s, from_ns, step_ns, a, count);
	spread_errors(of, from_ns, step_ns, b, count);
	e = match_errors(a, b, count, (size_t)(step_ns < day_ns ? day_ns / step_ns : 1), lags);
	free(a);
	free(b);
	return e;
}

static unsigned
lags_of(const struct trends *t, int64_t step_ns)
{
	return (unsigned)(t->settings->lag_ns / step_ns < LAGS_MOST ? t->settings->lag_ns / step_ns : LAGS_MOST);
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

int
rank_series(const struct trends *t, const char *pattern, struct ranked_series **ranks, size_t *count, struct stk_error *err)
{
	uint32_t subject = find_subject(t, pattern);
	const struct series *of;
	struct error_match *matches;
	double squares = 0, freedom = 0;

	*ranks = NULL;
	*count = 0;
	if (subject == 0)
		return stk_fail(err, STK_EUSAGE, "--against: no series '%s' in the input", pattern);
	of = series_set_at(t->set, subject);
	if (of->filter.factors == NULL)
		return *t->too_early = true, stk_fail(err, STK_EUSAGE, "--against %s: it has no season yet: two days of it are needed", pattern);
	*ranks = mem_new((size_t)series_set_count(t->set) + 1, sizeof **ranks);
	matches = mem_new((size_t)series_set_count(t->set) + 1, sizeof *matches);
	for (uint32_t n = 1; n <= series_set_count(t->set); n++) {
		const struct series *s = series_set_at(t->set, n);
		unsigned lags = lags_of(t, season_slot_ns(s->rules->calendar));
		struct explanation e;
		struct error_match left;

		if (n == subject || s->split || !series_is_shown(s) || s->filter.factors == NULL || s->rules->calendar != of->rules->calendar || s->kind >= STK_SERIES_METRIC)
			continue;
		e = explain_by_factors(s->filter.factors, of->filter.factors, s->rules->calendar, lags);
		left = compare_errors(t, s, of, lags);
		if (isnan(e.correlation))
			continue;
		(*ranks)[*count] = (struct ranked_series){ .number = n, .correlation = e.correlation, .together = left.correlation, .p = e.p, .lag_ns = e.lag_ns };
		matches[(*count)++] = left;
		squares += left.squares;
		freedom += left.days > 1 ? (double)left.days - 1 : 0;
	}
	/* how far correlations by chance spread is known best from all series together */
	for (size_t i = 0; i < *count; i++)
		if (freedom > 0)
			(*ranks)[i].p = combined_p((*ranks)[i].p, match_p(&matches[i], sqrt(squares / freedom), lags_of(t, t->set->step_ns)));
	free(matches);
	qsort(*ranks, *count, sizeof **ranks, compare_ranks);
	estimate_false(*ranks, *count);
	return 0;
}

int
show_ranks(const struct trends *t, struct stk_error *err)
{
	static const char *const names[] = { "series*", "correlation#", "lag#", "p#", "q#", "together#", NULL }, *const programs[] = { "series", "correlation", "lag", "p", "q", "together", "kind", "about", NULL };
	const struct settings *s = t->settings;
	struct ranked_series *ranks;
	struct text_buffer text = { 0 };
	struct row_printer rows;
	size_t count, claimed = 0;

	if (rank_series(t, s->subject, &ranks, &count, err) < 0) {
		free(ranks);
		return -1;
	}
	row_printer_begin(&rows, s->form, t->printer, (size_t)s->width, s->form == ROWS_TEXT ? names : programs);
	for (size_t i = 0; i < count && (s->form != ROWS_TEXT || i < (size_t)s->top); i++) {
		const struct series *series = series_set_at(t->set, ranks[i].number);
		char lag[TIME_TEXT_MAX];

		if (s->form == ROWS_TEXT && ranks[i].q > s->discovery)
			continue;
		claimed++;
		text.count = 0;
		add_series_name(t, ranks[i].number, &text);
		if (s->form == ROWS_TEXT && series->label.size > 0) {
			add_string(&text, "  ");
			add_text(&text, series->label);
		}
		row_text(&rows, text_in(&text, 0));
		row_real(&rows, ranks[i].correlation, 3);
		if (s->form == ROWS_TEXT)
			row_text(&rows, text_from(duration_print(lag, ranks[i].lag_ns)));
		else
			row_real(&rows, (double)ranks[i].lag_ns / 1e9, 0);
		if (s->form == ROWS_TEXT) {
			text.count = 0;
			add_format(&text, "%.2g", ranks[i].p);
			row_text(&rows, text_in(&text, 0));
			text.count = 0;
			add_format(&text, "%.2g", ranks[i].q);
			row_text(&rows, text_in(&text, 0));
			row_real(&rows, ranks[i].together, 3);
			continue;
		}
		row_real(&rows, ranks[i].p, 6);
		row_real(&rows, ranks[i].q, 6);
		row_real(&rows, ranks[i].together, 6);
		row_text(&rows, text_from(series_kind_names[series->kind]));
		row_text(&rows, series->label.data == NULL ? text_of("", 0) : series->label);
	}
	free(ranks);
	array_release(&text);
	if (s->form == ROWS_TEXT && claimed == 0)
		program_say("none of %zu series explains %s: at most %.0f %% of what is claimed may be chance", count, s->subject, s->discovery * 100);
	return row_printer_end(&rows, err);
}

/* --- one series --- */

static void
explain_filter(const struct trends *t, uint32_t number, struct text_buffer *to)
{
	const struct series *s = series_set_at(t->set, number);
	const struct trend_filter *f = &s->filter;
	const struct trend_constants *c = &s->rules->constants;
	char first[TIME_TEXT_MAX], last[TIME_TEXT_MAX];

	add_series_name(t, number, to);
	if (s->label.size > 0) {
		add_string(to, "  ");
		add_masked(to, s->label);
	}
	add_format(to, "\n  measures      %llu, from %s to %s; the last is ", (unsigned long long)f->count, time_print(first, s->first_ns, t->settings->zone), time_print(last, s->last_ns, t->settings->zone));
	add_format(to, "%.6g\n", s->last);
	add_format(to, "  level         %.6g, of which each measure moves it by %.3g of its surprise (alpha %.4g an hour)\n", f->level, f->level_weight > 0 ? 1 / f->level_weight : 1, c->alpha);
	add_format(to, "  rate          %.6g a day (beta %.4g an hour)\n", f->rate * 24, c->beta);
	add_format(to, "  acceleration  %.6g a day, a day (kappa %.4g an hour%s)\n", f->acceleration * 576, c->kappa, c->kappa > 0 ? "" : ": off");
	if (f->factors == NULL) {
		add_string(to, "  season        none yet: two cycles of its periods are needed, or --periods none was given\n");
	} else {
		double least = INFINITY, most = -INFINITY;

		for (unsigned k = 0; k < season_slots(s->rules->calendar); k++) {
			least = fmin(least, f->factors[k]);
			most = fmax(most, f->factors[k]);
		}
		add_string(to, "  season        ");
		for (unsigned p = 0; p < season_periods(s->rules->calendar); p++)
			add_format(to, "%s%s of %u slots", p > 0 ? ", " : "", season_period(s->rules->calendar, p)->name, season_period(s->rules->calendar, p)->slots);
		add_format(to, "; %s from %.4g to %.4g (gamma %.4g a cycle)\n", s->rules->additive ? "added to the level" : "factors", least, most, c->gamma);
		if (t->plain == NULL && s->season.measures > 0)
			add_format(to, "                the last cycle went with it by r = %.3f, p = %.3g; it explains %.0f %% of the variance\n", s->season.r, season_check_p(&s->season, f, s->rules, t->settings->literal_test), 100 * s->season.strength);
	}
	add_format(to, "  residual      mean %.6g, mean size %.6g (%.6g over a longer time); last error %.6g (delta %.4g an hour, phi %.4g)\n", f->residual, f->deviation, f->slow_deviation, f->last_error, c->delta, c->phi);
	add_format(to, "  clipped       %llu of %llu measures; errors beyond %.4g mean deviations are cut\n", (unsigned long long)f->clipped, (unsigned long long)f->count, f->cut);
	if (s->model != NULL)
		add_format(to, "  chosen        periods %s, factors %s, mean error of one step %.6g\n", series_model_periods(s->model), series_model_spar(s->model) > SPAR_NONE ? "smoothed" : "as they are", series_model_error(s->model));
}

static void
explain_changes(const struct trends *t, uint32_t number, struct text_buffer *to)
{
	const struct found_change *changes = t->set->changes.at;
	size_t count = t->set->changes.count;

	for (size_t i = 0; i < count; i++) {
		const struct change *c = &changes[i].change;
		char text[TIME_TEXT_MAX];

		if (changes[i].series == number)
			add_format(to, "  %-12s  %s: %.6g where %.6g was expected, score %.3g; level %.6g before, %.6g after%s\n", changes[i].kind, time_print(text, c->time_ns, t->settings->zone), c->value, c->expected,
				   c->score, c->before, c->after, changes[i].dropped ? " (no news)" : "");
	}
}

int
show_explanation(const struct trends *t, struct stk_error *err)
{
	unsigned found = 0;

	for (uint32_t n = 1; n <= series_set_count(t->set); n++) {
		if (!series_is_shown(series_set_at(t->set, n)) || !series_matches(series_set_at(t->set, n), t->settings->subject))
			continue;
		found++;
		explain_filter(t, n, &t->printer->text);
		explain_changes(t, n, &t->printer->text);
	}
	if (found == 0)
		return stk_fail(err, STK_EUSAGE, "--explain: no series '%s' in the input", t->settings->subject);
	return printer_settle(t->printer, true, err);
}

/* --- records --- */

#define FORECAST_SLOTS 96	/* written for each series: a day in quarters of an hour */
#define RECORDED_MOST  100	/* series whose forecasts are written: the hottest */

static int
write_forecasts(const struct trends *t, struct stk_writer *writer, struct stk_error *err)
{
	struct forecast_value values[FORECAST_SLOTS];
	size_t count;
	uint32_t *order = sorted_series(t, &count);
	int result = 0;

	for (size_t i = 0; i < count && i < RECORDED_MOST && result == 0; i++) {
		const struct series *s = series_set_at(t->set, order[i]);
		struct stk_error why = { 0 };

		for (unsigned k = 0; k < FORECAST_SLOTS; k++)
			values[k].time_ns = time_clamp(s->last_ns + (int64_t)(k + 1) * (t->settings->horizon_ns / FORECAST_SLOTS));
		if (forecast_series(t, order[i], values, FORECAST_SLOTS, &why) < 0)
			continue;
		for (unsigned k = 0; k < FORECAST_SLOTS && result == 0; k++) {
			struct stk_forecast row = { .time = values[k].time_ns, .series = s->kind, .name = s->name, .part = s->part, .value = values[k].value, .low = values[k].low, .high = values[k].high };

			result = stk_writer_add(writer, STK_FORECAST, &row, err);
		}
	}
	free(order);
	return result;
}

static int
write_ranks(const struct trends *t, struct stk_writer *writer, struct stk_error *err)
{
	struct ranked_series *ranks;
	size_t count;
	int result = rank_series(t, t->settings->subject, &ranks, &count, err);

	for (size_t i = 0; i < count && result == 0; i++) {
		const struct series *s = series_set_at(t->set, ranks[i].number);
		struct stk_rank row = { .place = i + 1, .series = s->kind, .name = s->name, .part = s->part, .against = text_from(t->settings->subject), .correlation = ranks[i].correlation, .lag = ranks[i].lag_ns, .p = ranks[i].p, .q = ranks[i].q };

		result = stk_writer_add(writer, STK_RANK, &row, err);
	}
	free(ranks);
	return result;
}

int
write_trends(const struct trends *t, struct stk_writer *writer, struct stk_error *err)
{
	if (trend_state_add(t->set, false, writer, err) < 0 || write_forecasts(t, writer, err) < 0 || trend_state_add_changes(t->set, false, writer, err) < 0)
		return -1;
	return t->settings->subject == NULL ? 0 : write_ranks(t, writer, err);
}
