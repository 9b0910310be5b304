/* SPDX-License-Identifier: MIT
 * forecast_table: what comes next, as tables: when limits are reached, and forecasts, a line a step. */
#include "trend_views.h"

#include "base/time_math.h"
#include "program/program.h"
#include "trend/outlook.h"

#include <stdlib.h>

#define FORECAST_STEPS_MOST 100000

/* --- limits --- */

static void
print_moment(struct row_printer *rows, const struct settings *s, int64_t ns)
{
	char text[TIME_TEXT_MAX];

	if (ns == INT64_MAX)
		row_text(rows, text_from("never"));
	else
		row_time(rows, time_print(text, ns / 1000000000 * 1000000000, s->zone));
}

static void
limit_row(const struct trends *t, struct row_printer *rows, uint32_t number, double limit, const struct outlook *o)
{
	struct text_buffer name = { 0 };

	series_add_name(series_set_at(t->set, number), &name);
	row_text(rows, text_in(&name, 0));
	array_release(&name);
	row_real(rows, limit, 1);
	row_real(rows, o->now, 1);
	row_real(rows, o->rate, 3);
	row_real(rows, o->rate_error, 3);
	print_moment(rows, t->settings, o->when_ns);
	print_moment(rows, t->settings, o->earliest_ns);
	print_moment(rows, t->settings, o->latest_ns);
}

/* Of each series that the limit is for. */
static int
limit_rows(const struct trends *t, struct row_printer *rows, const struct limit *limit, struct stk_error *err)
{
	unsigned met = 0;

	for (uint32_t n = 1; n <= series_set_count(t->set); n++) {
		struct outlook o;

		if (!series_matches(series_set_at(t->set, n), limit->series) ||
		    !series_is_shown(series_set_at(t->set, n)))
			continue;
		met++;
		o = outlook_of_limit(t->set, n, plain_points_of(t, n), limit->value);
		if (!o.known) {
			*t->too_early = true;
			return stk_fail(err, STK_EUSAGE, "--limit %s: too few measures: %d needed", limit->series,
					OUTLOOK_POINTS_LEAST);
		}
		limit_row(t, rows, n, limit->value, &o);
	}
	return met > 0 ? 0 : stk_fail(err, STK_EUSAGE, "--limit: no series '%s' in the input", limit->series);
}

int
show_limits(const struct trends *t, struct stk_error *err)
{
	static const char *const names[] = { "series*",  "limit#",    "now#",    "rate a day#", "give or take#",
					     "reached*", "earliest*", "latest*", NULL };
	static const char *const plain_names[] = { "series",  "limit",    "now",    "rate", "rate_error",
						   "reached", "earliest", "latest", NULL };
	const struct settings *s = t->settings;
	struct row_printer rows;
	int result = 0;

	row_printer_begin(&rows, s->form, t->printer, s->form == ROWS_TEXT ? names : plain_names);
	for (unsigned l = 0; l < s->limits_count && result == 0; l++)
		result = limit_rows(t, &rows, &s->limits[l], err);
	if (result == 0)
		return row_printer_end(&rows, err);
	row_printer_drop(&rows);
	return result;
}

/* --- forecasts --- */

struct forecasting {
	const struct trends *trends;
	struct row_printer rows;
	/* series: lines begin with their name, and one that has no forecast is left out */
	bool many;
	size_t found;
	struct text_buffer name;
};

static void
forecast_rows(struct forecasting *f, const struct forecast_value *values, size_t steps)
{
	const struct settings *s = f->trends->settings;

	f->found++;
	for (size_t k = 0; k < steps; k++) {
		char text[TIME_TEXT_MAX];

		if (s->form == ROWS_TEXT || f->many)
			row_text(&f->rows, text_in(&f->name, 0));
		row_time(&f->rows, time_print(text, values[k].time_ns, s->zone));
		row_real(&f->rows, values[k].value, 3);
		row_real(&f->rows, values[k].low, 3);
		row_real(&f->rows, values[k].high, 3);
	}
}

/* The past of a series is too short: of many, the others are shown. */
static int
pass_over(struct forecasting *f, const struct stk_error *why, struct stk_error *err)
{
	if (f->many) {
		program_say("%.*s: %s", (int)f->name.count, f->name.at, why->text);
		return 0;
	}
	*f->trends->too_early = true;
	return stk_fail(err, STK_EUSAGE, "%.*s: %s", (int)f->name.count, f->name.at, why->text);
}

/* Every step of the horizon. */
static int
forecast_one(struct forecasting *f, uint32_t number, struct stk_error *err)
{
	const struct trends *t = f->trends;
	int64_t horizon = t->settings->horizon_ns, step = outlook_step_ns(t->set, number, plain_points_of(t, number));
	size_t steps = (size_t)(horizon / step + (horizon % step > 0));
	struct stk_error why = { 0 };
	struct forecast_value *values;
	int result = 0;

	if (steps > FORECAST_STEPS_MOST)
		return stk_fail(err, STK_EUSAGE,
				"--forecast: more than 100,000 steps: expected a shorter time, or a longer --step");
	values = mem_new(steps, sizeof *values);
	for (size_t k = 0; k < steps; k++)
		values[k].time_ns =
			time_clamp(time_sum(series_set_at(t->set, number)->last_ns, (int64_t)(k + 1) * step));
	f->name.count = 0;
	series_add_name(series_set_at(t->set, number), &f->name);
	if (outlook_forecast(t->set, number, plain_points_of(t, number), values, steps, &why) < 0)
		result = pass_over(f, &why, err);
	else
		forecast_rows(f, values, steps);
	free(values);
	return result;
}

int
show_forecast(const struct trends *t, struct stk_error *err)
{
	static const char *const names[] = { "series*", "time", "forecast#", "low#", "high#", NULL }, *const one[] = {
		"time", "forecast", "low", "high", NULL
	};
	const struct settings *s = t->settings;
	size_t count;
	uint32_t *order = series_set_by_level(t->set, &count);
	struct forecasting f = { .trends = t, .many = count > 1 };
	int result = 0;

	row_printer_begin(&f.rows, s->form, t->printer, s->form == ROWS_TEXT || f.many ? names : one);
	for (size_t i = 0; i < count && (s->form != ROWS_TEXT || i < (size_t)s->top) && result == 0; i++)
		result = forecast_one(&f, order[i], err);
	free(order);
	array_release(&f.name);
	if (result == 0 && f.found == 0) {
		*t->too_early = true;
		result = stk_fail(err, STK_EUSAGE, "no series has a past long enough for a forecast");
	}
	return row_printer_end(&f.rows, result < 0 ? &(struct stk_error){ 0 } : err) < 0 ? -1 : result;
}
