/* SPDX-License-Identifier: MIT
 * explained_series: --explain: one series from the inside: where its filter stands, and what was seen in it. */
#include "trend_views.h"

#include <math.h>

static void
explain_season(const struct trends *t, const struct series *s, struct text_buffer *to)
{
	const struct season_calendar *calendar = s->rules->calendar;
	const struct trend_filter *f = &s->filter;
	double least = INFINITY, most = -INFINITY;

	if (f->factors == NULL) {
		add_string(
			to,
			"  season        none yet: two cycles of its periods are needed, or --periods none was given\n");
		return;
	}
	for (unsigned k = 0; k < season_slots(calendar); k++) {
		least = fmin(least, f->factors[k]);
		most = fmax(most, f->factors[k]);
	}
	add_string(to, "  season        ");
	for (unsigned p = 0; p < season_periods(calendar); p++)
		add_format(to, "%s%s of %u slots", p > 0 ? ", " : "", season_period(calendar, p)->name,
			   season_period(calendar, p)->slots);
	add_format(to, "; %s from %.4g to %.4g (gamma %.4g a cycle)\n",
		   s->rules->additive ? "added to the level" : "factors", least, most, s->rules->constants.gamma);
	if (t->plain == NULL && s->season.measures > 0)
		add_format(
			to,
			"                the last cycle went with it by r = %.3f, p = %.3g; it explains %.0f %% of the variance\n",
			s->season.r, season_check_p(&s->season, f, s->rules, t->settings->literal_test),
			100 * s->season.strength);
}

static void
explain_filter(const struct trends *t, uint32_t number, struct text_buffer *to)
{
	const struct series *s = series_set_at(t->set, number);
	const struct trend_filter *f = &s->filter;
	const struct trend_constants *c = &s->rules->constants;
	char first[TIME_TEXT_MAX], last[TIME_TEXT_MAX];

	series_add_name(s, to);
	if (s->label.size > 0) {
		add_string(to, "  ");
		add_masked(to, s->label);
	}
	add_format(to, "\n  measures      %llu, from %s to %s; the last is ", (unsigned long long)f->count,
		   time_print(first, s->first_ns, t->settings->zone), time_print(last, s->last_ns, t->settings->zone));
	add_format(to, "%.6g\n", s->last);
	add_format(
		to,
		"  level         %.6g, of which each measure moves it by %.3g of its surprise (alpha %.4g an hour)\n",
		f->level, f->level_weight > 0 ? 1 / f->level_weight : 1, c->alpha);
	add_format(to, "  rate          %.6g a day (beta %.4g an hour)\n", f->rate * 24, c->beta);
	add_format(to, "  acceleration  %.6g a day, a day (kappa %.4g an hour%s)\n", f->acceleration * 576, c->kappa,
		   c->kappa > 0 ? "" : ": off");
	explain_season(t, s, to);
	add_format(
		to,
		"  residual      mean %.6g, mean size %.6g (%.6g over a longer time); last error %.6g (delta %.4g an hour, phi %.4g)\n",
		f->residual, f->deviation, f->slow_deviation, f->last_error, c->delta, c->phi);
	add_format(to, "  clipped       %llu of %llu measures; errors beyond %.4g mean deviations are cut\n",
		   (unsigned long long)f->clipped, (unsigned long long)f->count, f->cut);
	if (s->model != NULL)
		add_format(to, "  chosen        periods %s, factors %s, mean error of one step %.6g\n",
			   series_model_periods(s->model),
			   series_model_spar(s->model) > SPAR_NONE ? "smoothed" : "as they are",
			   series_model_error(s->model));
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
			add_format(
				to,
				"  %-12s  %s: %.6g where %.6g was expected, score %.3g; level %.6g before, %.6g after%s\n",
				changes[i].kind, time_print(text, c->time_ns, t->settings->zone), c->value, c->expected,
				c->score, c->before, c->after, changes[i].dropped ? " (no news)" : "");
	}
}

int
show_explanation(const struct trends *t, struct stk_error *err)
{
	unsigned found = 0;

	for (uint32_t n = 1; n <= series_set_count(t->set); n++) {
		if (!series_is_shown(series_set_at(t->set, n)) ||
		    !series_matches(series_set_at(t->set, n), t->settings->subject))
			continue;
		found++;
		explain_filter(t, n, &t->printer->text);
		explain_changes(t, n, &t->printer->text);
	}
	if (found == 0)
		return stk_fail(err, STK_EUSAGE, "--explain: no series '%s' in the input", t->settings->subject);
	return printer_settle(t->printer, true, err);
}
