/* SPDX-License-Identifier: MIT
 * explained_series: --explain: one series from the inside: where its filter stands, and what was seen in it. */
#include "series_text.h"
#include "trend_views.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define WORD_WIDTH 16	/* of what begins a line, with its blanks */
#define AMOUNT_MAX 40

/* "  level         336.5; ...": as many lines as the screen needs. */
static void STK_PRINTF(3, 4)
explain(struct printer *to, const char *word, const char *format, ...)
{
	size_t from = to->text.count, size = strlen(word);
	char text[500];
	va_list list;

	va_start(list, format);
	(void)vsnprintf(text, sizeof text, format, list);
	va_end(list);
	printer_prose(to, WORD_WIDTH, text_from(text));
	memcpy(to->text.at + from + 2, word, size < WORD_WIDTH - 2 ? size : WORD_WIDTH - 2);
}

/* An amount as text; amounts in one line have a place each. */
static const char *
amount(const struct series *s, double value, char to[AMOUNT_MAX])
{
	struct text_buffer text = { 0 };

	add_amount(s, value, &text);
	(void)snprintf(to, AMOUNT_MAX, "%.*s", (int)text.count, text.at);
	array_release(&text);
	return to;
}

static void
explain_year(const struct series *s, struct printer *to)
{
	const double *year = season_year(s->rules->calendar);
	double least = INFINITY, most = -INFINITY, neutral = s->rules->additive ? 0 : 1;

	for (unsigned k = 0; k < season_year_parts(s->rules->calendar) && year != NULL; k++) {
		least = fmin(least, neutral + year[k]);
		most = fmax(most, neutral + year[k]);
	}
	if (year != NULL)
		explain(to, "", "upon it a year of %u parts, from %.4g to %.4g", season_year_parts(s->rules->calendar),
			least, most);
}

static void
explain_season(const struct trends *t, const struct series *s, struct printer *to)
{
	const struct season_calendar *calendar = s->rules->calendar;
	const struct trend_filter *f = &s->filter;
	double least = INFINITY, most = -INFINITY;

	struct text_buffer periods = { 0 };

	if (f->factors == NULL) {
		explain(to, "season", "none yet: two cycles of its periods are needed, or --periods none was given");
		return;
	}
	for (unsigned k = 0; k < season_slots(calendar); k++) {
		least = fmin(least, f->factors[k]);
		most = fmax(most, f->factors[k]);
	}
	for (unsigned p = 0; p < season_periods(calendar); p++)
		add_format(&periods, "%s%s of %u slots", p > 0 ? ", " : "", season_period(calendar, p)->name,
			   season_period(calendar, p)->slots);
	explain(to, "season", "%.*s; %s from %.4g to %.4g (gamma %.4g a cycle)", (int)periods.count, periods.at,
		s->rules->additive ? "added to the level" : "factors", least, most, s->rules->constants.gamma);
	array_release(&periods);
	explain_year(s, to);
	if (t->plain == NULL && s->season.measures > 0)
		explain(to, "",
			"the last cycle went with it by r = %.3f, p = %.3g; it explains %.0f %% of the variance",
			s->season.r, season_check_p(&s->season, f, s->rules, t->settings->literal_test),
			100 * s->season.strength);
}

static void
explain_name(const struct series *s, struct printer *to)
{
	struct text_buffer text = { 0 };

	series_add_name(s, &text);
	if (s->label.size > 0) {
		add_string(&text, "  ");
		add_text(&text, s->label);
	}
	printer_prose(to, 0, text_in(&text, 0));
	array_release(&text);
}

static void
explain_zone(const struct series *s, struct printer *to)
{
	struct text_buffer zone = { 0 };

	add_fitted_zone(s, &zone);
	explain(to, "zone", "%.*s: with its days one step ahead is seen best", (int)zone.count, zone.at);
	array_release(&zone);
}

static void
explain_filter(const struct trends *t, uint32_t number, struct printer *to)
{
	const struct series *s = series_set_at(t->set, number);
	const struct trend_filter *f = &s->filter;
	const struct trend_constants *c = &s->rules->constants;
	char first[TIME_TEXT_MAX], last[TIME_TEXT_MAX], text[AMOUNT_MAX];

	explain_name(s, to);
	explain(to, "measures", "%llu, from %s to %s; the last is %s", (unsigned long long)f->count,
		time_print(first, s->first_ns, t->settings->zone), time_print(last, s->last_ns, t->settings->zone),
		amount(s, s->last, text));
	explain(to, "level", "%s; each measure moves it by %.3g of its surprise (alpha %.4g an hour)",
		amount(s, f->level, text), f->level_weight > 0 ? 1 / f->level_weight : 1, c->alpha);
	explain(to, "rate", "%s a day (beta %.4g an hour)", amount(s, f->rate * 24, text), c->beta);
	explain(to, "acceleration", "%.6g a day, a day (kappa %.4g an hour%s)", f->acceleration * 576, c->kappa,
		c->kappa > 0 ? "" : ": off");
	explain_season(t, s, to);
	explain(to, "residual",
		"mean %.6g, mean size %.6g (%.6g over a longer time); last error %.6g (delta %.4g an hour, phi %.4g)",
		f->residual, f->deviation, f->slow_deviation, f->last_error, c->delta, c->phi);
	explain(to, "clipped", "%llu of %llu measures; errors beyond %.4g mean deviations are cut",
		(unsigned long long)f->clipped, (unsigned long long)f->count, f->cut);
	if (t->settings->fit_zone)
		explain_zone(s, to);
	if (s->model != NULL)
		explain(to, "chosen", "periods %s, factors %s, mean error of one step %.6g",
			series_model_periods(s->model),
			series_model_spar(s->model) > SPAR_NONE ? "smoothed" : "as they are",
			series_model_error(s->model));
}

static void
explain_changes(const struct trends *t, uint32_t number, struct printer *to)
{
	const struct found_change *changes = t->set->changes.at;
	const struct series *s = series_set_at(t->set, number);
	size_t count = t->set->changes.count;
	char value[AMOUNT_MAX], expected[AMOUNT_MAX], before[AMOUNT_MAX], after[AMOUNT_MAX];

	for (size_t i = 0; i < count; i++) {
		const struct change *c = &changes[i].change;
		char text[TIME_TEXT_MAX];

		if (changes[i].series == number)
			explain(to, changes[i].kind,
				"%s: %s where %s was expected, score %.3g; level %s before, %s after%s",
				time_print(text, c->time_ns, t->settings->zone), amount(s, c->value, value),
				amount(s, c->expected, expected), c->score, amount(s, c->before, before),
				amount(s, c->after, after), changes[i].dropped ? " (no news)" : "");
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
		explain_filter(t, n, t->printer);
		explain_changes(t, n, t->printer);
	}
	if (found == 0)
		return fail_no_series(t->set, "--explain", t->settings->subject, err);
	return printer_settle(t->printer, true, err);
}
