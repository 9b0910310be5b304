/* SPDX-License-Identifier: MIT
 * trend_table: what is hot and how it moves, a series a line; and the tables that belong to it: factors, anomalies,
 * the plan of dumps. */
#include "trend_views.h"

#include "base/time_math.h"
#include "program/program.h"
#include "trend/outlook.h"
#include "trend/rate_plan.h"

#include <math.h>

#define DAY_HOURS   24.0
#define SPARKS      24	/* characters of a sparkline */

/* --- sparklines --- */

/* The day's factors, or the latest values, as bars of eight heights. */
static void
add_sparkline(const struct trends *t, uint32_t number, struct text_buffer *to)
{
	static const char *const bars[] = { "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
					    "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88" };
	const struct series *s = series_set_at(t->set, number);
	double sums[SPARKS] = { 0 }, counts[SPARKS] = { 0 }, least = INFINITY, most = -INFINITY;
	size_t count = 0;
	struct kept_point *points = NULL;
	unsigned slots = s->filter.factors == NULL ? 0 : season_period(s->rules->calendar, 0)->slots;

	if (slots > 0) {
		for (unsigned k = 0; k < slots; k++) {
			sums[k * SPARKS / slots] += s->filter.factors[k];
			counts[k * SPARKS / slots]++;
		}
	} else {
		points = outlook_points(t->set, number, plain_points_of(t, number), &count);
		for (size_t i = 0; i < count; i++) {
			sums[i * SPARKS / count] += points[i].value;
			counts[i * SPARKS / count]++;
		}
		free(points);
	}
	for (unsigned b = 0; b < SPARKS; b++)
		if (counts[b] > 0) {
			sums[b] /= counts[b];
			least = fmin(least, sums[b]);
			most = fmax(most, sums[b]);
		}
	for (unsigned b = 0; b < SPARKS; b++)
		if (counts[b] > 0)
			add_string(to, bars[most - least <= 1e-12 * fabs(most)
						    ? 0
						    : (unsigned)((sums[b] - least) / (most - least) * 7.999)]);
}

/* --- the table --- */

static uint64_t
count_changes(const struct trends *t, uint32_t number)
{
	const struct series *s = series_set_at(t->set, number);

	return t->settings->all_changes ? s->changes : s->news;
}

static double
season_p(const struct trends *t, uint32_t number)
{
	const struct series *s = series_set_at(t->set, number);

	if (t->plain != NULL)
		return trend_season_verdict(s->rules, plain_points_of(t, number)->at, plain_points_of(t, number)->count,
					    t->settings->literal_test ? SEASON_T : SEASON_SHIFT).p;
	return season_check_p(&s->season, &s->filter, s->rules, t->settings->literal_test);
}

static void
row_number(struct row_printer *rows, double value, int digits)
{
	struct text_buffer text = { 0 };

	if (rows->form != ROWS_TEXT) {
		row_real(rows, value, digits);
		return;
	}
	if (isnan(value))
		add_string(&text, "-");
	else if (value != 0 && fabs(value) < 0.001)
		add_format(&text, "%.1e", value);
	else if (fabs(value) < 1000)
		add_format(&text, "%.3g", value);
	else {
		if (value < 0)
			add_char(&text, '-');
		add_quantity(&text, fabs(value));
	}
	row_text(rows, text_in(&text, 0));
	array_release(&text);
}

static void
add_name_for_people(const struct trends *t, uint32_t number, struct text_buffer *to)
{
	const struct series *s = series_set_at(t->set, number);

	series_add_name(s, to);
	if (s->label.size > 0 && t->settings->form == ROWS_TEXT) {
		/* the start of a hash is enough to tell it from others */
		to->count = to->count > 8 ? 8 : to->count;
		add_string(to, "  ");
		add_text(to, s->label);
	}
}

static void
table_row(const struct trends *t, struct row_printer *rows, uint32_t number, struct text_buffer *text)
{
	const struct series *s = series_set_at(t->set, number);
	struct forecast_value next = { .time_ns = time_clamp(s->last_ns + t->settings->horizon_ns) };
	struct stk_error why = { 0 };
	bool known = outlook_forecast(t->set, number, plain_points_of(t, number), &next, 1, &why) == 0;
	bool people = t->settings->form == ROWS_TEXT;

	text->count = 0;
	add_name_for_people(t, number, text);
	row_text(rows, text_in(text, 0));
	row_number(rows, s->filter.level, 3);
	row_number(rows, s->filter.rate * DAY_HOURS, 3);
	if (!people)
		row_number(rows, s->filter.acceleration * DAY_HOURS * DAY_HOURS, 3);
	row_number(rows, season_p(t, number), 3);
	row_number(rows, s->filter.residual, 3);
	row_number(rows, known ? next.value : NAN, 3);
	row_number(rows, known ? next.low : NAN, 3);
	row_number(rows, known ? next.high : NAN, 3);
	row_count(rows, count_changes(t, number));
	text->count = 0;
	add_sparkline(t, number, text);
	row_text(rows, text_in(text, 0));
	if (people)
		return;
	row_text(rows, text_from(series_kind_names[s->kind]));
	row_text(rows, s->label.data == NULL ? text_of("", 0) : s->label);
	row_count(rows, s->filter.count);
}

int
show_table(const struct trends *t, struct stk_error *err)
{
	static const char *const people[] = { "series*", "level#", "a day#", "season p#", "residual#", "next#",
					      "low#",    "high#",  "news#",  "shape",     NULL };
	static const char *const programs[] = { "series",   "level",    "rate",  "accel", "season_p",
						"residual", "forecast", "low",   "high",  "anomalies",
						"shape",    "kind",     "about", "count", NULL };
	const struct settings *s = t->settings;
	struct text_buffer text = { 0 };
	struct row_printer rows;
	size_t count;
	uint32_t *order = series_set_by_level(t->set, &count);

	row_printer_begin(&rows, s->form, t->printer, s->form == ROWS_TEXT ? people : programs);
	for (size_t i = 0; i < count && (s->form != ROWS_TEXT || i < (size_t)s->top); i++)
		table_row(t, &rows, order[i], &text);
	free(order);
	array_release(&text);
	if (row_printer_end(&rows, err) < 0)
		return -1;
	if (s->form == ROWS_TEXT && count > (size_t)s->top)
		program_say("%zu more series: --top shows more, --series some", count - (size_t)s->top);
	return 0;
}

/* --- factors --- */

int
show_factors(const struct trends *t, struct stk_error *err)
{
	static const char *const one[] = { "period", "slot#", "factor#", NULL }, *const many[] = { "series*", "period",
												   "slot#", "factor#",
												   NULL };
	const struct settings *s = t->settings;
	struct text_buffer name = { 0 };
	struct row_printer rows;
	size_t count, found = 0;
	uint32_t *order = series_set_by_level(t->set, &count);

	row_printer_begin(&rows, s->form, t->printer, count > 1 ? many : one);
	for (size_t i = 0; i < count && (s->form != ROWS_TEXT || i < (size_t)s->top); i++) {
		const struct series *series = series_set_at(t->set, order[i]);

		if (series->filter.factors == NULL)
			continue;
		found++;
		name.count = 0;
		series_add_name(series, &name);
		for (unsigned p = 0; p < season_periods(series->rules->calendar); p++) {
			const struct season_period *period = season_period(series->rules->calendar, p);

			for (unsigned k = 0; k < period->slots; k++) {
				if (count > 1)
					row_text(&rows, text_in(&name, 0));
				row_text(&rows, text_from(period->name));
				row_count(&rows, k);
				row_real(&rows, series->filter.factors[period->first + k], 4);
			}
		}
	}
	free(order);
	array_release(&name);
	if (row_printer_end(&rows, err) < 0)
		return -1;
	*t->too_early = found == 0;
	return found > 0 ? 0
			 : stk_fail(err, STK_EUSAGE,
				    "--factors: no series has a season yet: two cycles of its periods are needed");
}

/* --- anomalies --- */

int
show_anomalies(const struct trends *t, struct stk_error *err)
{
	static const char *const names[] = { "time",   "series*", "what",   "value#", "expected#",
					     "score#", "before#", "after#", NULL };
	const struct settings *s = t->settings;
	struct text_buffer name = { 0 };
	struct row_printer rows;
	const struct found_change *changes = t->set->changes.at;
	size_t count = t->set->changes.count;

	row_printer_begin(&rows, s->form, t->printer, names);
	for (size_t i = 0; i < count; i++) {
		const struct change *c = &changes[i].change;
		char text[TIME_TEXT_MAX];

		if (changes[i].old || (changes[i].dropped && !s->all_changes) ||
		    (changes[i].series > 0 && (series_set_at(t->set, changes[i].series)->split ||
					       series_set_at(t->set, changes[i].series)->hidden)))
			continue;
		name.count = 0;
		if (changes[i].series == 0)
			add_text(&name, changes[i].subject);
		else
			add_name_for_people(t, changes[i].series, &name);
		row_time(&rows, time_print(text, c->time_ns, s->zone));
		row_text(&rows, text_in(&name, 0));
		row_text(&rows, text_from(changes[i].kind));
		row_number(&rows, c->value, 3);
		row_number(&rows, c->expected, 3);
		row_number(&rows, c->score, 3);
		row_number(&rows, c->before, 3);
		row_number(&rows, c->after, 3);
	}
	array_release(&name);
	return row_printer_end(&rows, err);
}

/* --- how often to take dumps --- */

static void
slot_row(const struct trends *t, struct row_printer *rows, const struct planned_slot *is, struct text_buffer *text)
{
	char interval[TIME_TEXT_MAX];

	text->count = 0;
	add_format(text, "%02d:%02d", (int)(is->of_day_s / 3600 % 24), (int)(is->of_day_s / 60 % 60));
	row_text(rows, text_from(is->period->name));
	row_count(rows, is->slot);
	row_text(rows, text_in(text, 0));
	if (t->settings->form == ROWS_TEXT)
		row_text(rows, text_from(duration_print(interval, int64_of(is->interval_hours * HOUR_NS))));
	else
		row_real(rows, is->interval_hours * 3600, 3);
	row_count(rows, is->dumps);
	text->count = 0;
	add_name_for_people(t, is->series, text);
	row_text(rows, text_in(text, 0));
}

int
show_rate_plan(const struct trends *t, struct stk_error *err)
{
	static const char *const names[] = { "period", "slot#", "at", "interval#", "dumps#", "series*", NULL };
	struct row_printer rows;
	struct text_buffer text = { 0 };
	struct rate_plan plan;

	if (!rate_plan_make(&plan, t->set)) {
		*t->too_early = true;
		return stk_fail(
			err, STK_EUSAGE,
			"--rate-plan: no class, segment or group has a season and %.1f threads a dump: two days of dumps are needed",
			RATE_PLAN_LEAST);
	}
	row_printer_begin(&rows, t->settings->form, t->printer, names);
	for (size_t i = 0; i < plan.slots.count; i++)
		slot_row(t, &rows, &plan.slots.at[i], &text);
	array_release(&text);
	rate_plan_release(&plan);
	return row_printer_end(&rows, err);
}
