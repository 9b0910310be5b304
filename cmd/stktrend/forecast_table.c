/* SPDX-License-Identifier: MIT
 * forecast_table: what comes next, as tables: when limits are reached, and forecasts, a line a step. */
#include "series_text.h"
#include "sparkline.h"
#include "trend_views.h"

#include "base/quantities.h"
#include "base/time_math.h"
#include "program/program.h"
#include "trend/outlook.h"

#include <stdlib.h>

#define FORECAST_STEPS_MOST 100000
#define SOON_NS (30 * INT64_C(86400000000000))	/* a limit that is reached by then is worth a look */

/* --- limits --- */

struct limit_row { uint32_t number; const struct limit *limit; struct outlook outlook; };

struct limits {
	const struct trends *trends;
	ARRAY(struct limit_row) list;
	struct series_labels labels;
	struct row_printer rows;
};

static void
print_moment(struct row_printer *rows, const struct settings *s, int64_t ns)
{
	char text[TIME_TEXT_MAX];

	if (ns == INT64_MAX)
		row_text(rows, text_from("never"));
	else if (rows->form == ROWS_TEXT)
		row_minute(rows, ns, s->zone);
	else
		row_time(rows, time_print(text, ns / 1000000000 * 1000000000, s->zone));
}

static void
row_for_programs(struct limits *l, const struct limit_row *is)
{
	const struct settings *s = l->trends->settings;
	const struct series *series = series_set_at(l->trends->set, is->number);
	struct text_buffer name = { 0 };

	series_add_name(series, &name);
	row_text(&l->rows, text_in(&name, 0));
	array_release(&name);
	row_real(&l->rows, is->limit->value, 1);
	row_real(&l->rows, is->outlook.now, 1);
	row_real(&l->rows, is->outlook.rate, 3);
	row_real(&l->rows, is->outlook.rate_error, 3);
	print_moment(&l->rows, s, is->outlook.when_ns);
	print_moment(&l->rows, s, is->outlook.earliest_ns);
	print_moment(&l->rows, s, is->outlook.latest_ns);
	row_kind_and_about(series, &l->rows);
	row_count(&l->rows, is->outlook.restarts);
	print_moment(&l->rows, s, is->outlook.since_ns);
	print_moment(&l->rows, s, is->outlook.next_ns);
	row_count(&l->rows, is->outlook.shorter);
	row_count(&l->rows, is->outlook.shorter + is->outlook.longer);
	row_count(&l->rows, is->outlook.trials);
}

static void
row_left(struct row_printer *rows, const struct limit_row *is, int64_t last_ns)
{
	struct text_buffer text = { 0 };

	if (is->outlook.when_ns == INT64_MAX)
		add_char(&text, '-');
	else if (is->outlook.when_ns <= last_ns)
		add_string(&text, "now");
	else
		add_distance(time_difference(last_ns, is->outlook.when_ns), &text);
	row_text(rows, text_in(&text, 0));
	array_release(&text);
}

/* Reached within the time that forecasts are for, or soon after that. */
static enum paint
paint_of(const struct limits *l, const struct limit_row *is, int64_t last_ns)
{
	int64_t left = is->outlook.when_ns == INT64_MAX ? INT64_MAX : time_difference(last_ns, is->outlook.when_ns);

	return left <= l->trends->settings->horizon_ns ? PAINT_HOT : left <= SOON_NS ? PAINT_WARM : PAINT_NONE;
}

static void
row_for_people(struct limits *l, size_t i)
{
	const struct settings *s = l->trends->settings;
	const struct limit_row *is = &l->list.at[i];
	const struct series *series = series_set_at(l->trends->set, is->number);

	series_cells(&l->labels, i, &l->rows);
	row_text(&l->rows, text_from(is->limit->text));
	row_amount(&l->rows, series, is->outlook.now);
	row_change(&l->rows, series, is->outlook.rate);
	row_paint(&l->rows, paint_of(l, is, series->last_ns));
	print_moment(&l->rows, s, is->outlook.when_ns);
	row_paint(&l->rows, PAINT_NONE);
	row_left(&l->rows, is, series->last_ns);
	print_moment(&l->rows, s, is->outlook.earliest_ns);
	print_moment(&l->rows, s, is->outlook.latest_ns);
	row_amount(&l->rows, series, is->outlook.rate_error);
}

/* Whether the series is set back before: by when it usually is, or else by how long earlier times between lasted. */
static void
add_next_restart(const struct outlook *o, const struct settings *s, struct text_buffer *to)
{
	char time[TIME_TEXT_MAX];

	if (o->next_ns != INT64_MAX)
		add_format(to, "; the next is due about %.10s%s", time_print(time, o->next_ns, s->zone),
			   o->never                  ? ""
			   : o->next_ns < o->when_ns ? ", before that"
						     : ", after that");
	if (!o->never && o->shorter + o->longer > 0)
		add_format(to, "; %zu of %zu earlier runs of this age ended before they would have reached it",
			   o->shorter, o->shorter + o->longer);
	else if (!o->never)
		add_string(to, "; no earlier run reached this age");
}

/* Limits of a series that was set back are reached only if it is not set back again before. */
static void
remark_restarts(const struct limits *l)
{
	const struct trends *t = l->trends;

	for (size_t i = 0; i < l->list.count; i++) {
		const struct outlook *o = &l->list.at[i].outlook;
		struct text_buffer text = { 0 };
		char since[TIME_TEXT_MAX];

		if (o->restarts == 0)
			continue;
		series_add_name(series_set_at(t->set, l->list.at[i].number), &text);
		add_format(&text, ": %s without a restart; %zu %s so far, the last at %.16s",
			   o->never ? "not reached" : "reached at that time", o->restarts,
			   plural(o->restarts, "restart", "restarts"),
			   time_print(since, o->since_ns / 1000000000 * 1000000000, t->settings->zone));
		add_next_restart(o, t->settings, &text);
		printer_remark(t->printer, "%.*s", (int)text.count, text.at);
		array_release(&text);
	}
}

/* Of each series that the limit is for. */
static int
find_rows(struct limits *l, const struct limit *limit, struct stk_error *err)
{
	const struct trends *t = l->trends;
	uint32_t *order = series_set_by_name(t->set);
	size_t before = l->list.count;
	int result = 0;

	for (uint32_t i = 0; i < series_set_count(t->set) && result == 0; i++) {
		uint32_t n = order[i];
		struct limit_row row = { .number = n, .limit = limit };

		if (!series_matches(series_set_at(t->set, n), limit->series) ||
		    !series_is_shown(series_set_at(t->set, n)))
			continue;
		row.outlook = outlook_of_limit(t->set, n, plain_points_of(t, n), limit->value);
		if (!row.outlook.known) {
			*t->too_early = true;
			result = stk_fail(err, STK_EUSAGE, "--limit %s: too few measures: %d needed", limit->series,
					  OUTLOOK_POINTS_LEAST);
		}
		*array_push(&l->list) = row;
		series_labels_add(&l->labels, t->set, n);
	}
	free(order);
	return result < 0 || l->list.count > before
		       ? result
		       : fail_no_series(l->trends->set, "--limit", limit->series, err);
}

static int
print_limits(struct limits *l, struct stk_error *err)
{
	static const char *const plain_names[] = { "series",   "limit",    "now",          "rate",         "rate_error",
						   "reached",  "earliest", "latest",       "kind",         "about",
						   "restarts", "since",    "next_restart", "ended_before", "as_old",
						   "trials",   NULL };
	const char *names[SERIES_NAMES + 9];
	const struct settings *s = l->trends->settings;
	unsigned n;

	if (s->form != ROWS_TEXT) {
		row_printer_begin(&l->rows, s->form, l->trends->printer, plain_names);
		for (size_t i = 0; i < l->list.count; i++)
			row_for_programs(l, &l->list.at[i]);
		return row_printer_end(&l->rows, err);
	}
	series_labels_make(&l->labels);
	n = series_columns(&l->labels, names);
	names[n++] = "limit#";
	names[n++] = "now#";
	names[n++] = "a day#";
	names[n++] = s->zone == NULL ? "reached (UTC)" : "reached";
	names[n++] = "in#?";
	names[n++] = "earliest?";
	names[n++] = "latest?";
	names[n++] = "give or take#?";
	names[n] = NULL;
	row_printer_begin(&l->rows, s->form, l->trends->printer, names);
	for (size_t i = 0; i < l->list.count; i++)
		row_for_people(l, i);
	table_print(&l->rows.table, l->trends->printer);
	remark_restarts(l);
	series_remark(&l->labels, l->trends->printer);
	return row_printer_end(&l->rows, err);
}

int
show_limits(const struct trends *t, struct stk_error *err)
{
	struct limits l = { .trends = t };
	int result = 0;

	for (unsigned i = 0; i < t->settings->limits_count && result == 0; i++)
		result = find_rows(&l, &t->settings->limits[i], err);
	if (result == 0)
		result = print_limits(&l, err);
	array_release(&l.list);
	series_labels_release(&l.labels);
	return result;
}

/* --- forecasts --- */

struct forecasting {
	const struct trends *trends;
	struct row_printer rows;
	/* series: lines begin with their name, and one that has no forecast is left out */
	bool many;
	size_t found, left_out;
	struct stk_error why;		/* the first is left out */
	struct series_labels labels;
};

static void
forecast_rows(struct forecasting *f, size_t i, const struct forecast_value *values, size_t steps)
{
	const struct settings *s = f->trends->settings;
	const struct series *series = series_set_at(f->trends->set, f->labels.numbers.at[i]);
	struct text_buffer name = { 0 };

	f->found++;
	series_add_name(series, &name);
	for (size_t k = 0; k < steps; k++) {
		char text[TIME_TEXT_MAX];

		if (s->form == ROWS_TEXT)
			series_cells(&f->labels, i, &f->rows);
		else if (f->many)
			row_text(&f->rows, text_in(&name, 0));
		if (s->form == ROWS_TEXT)
			row_minute(&f->rows, values[k].time_ns, s->zone);
		else
			row_time(&f->rows, time_print(text, values[k].time_ns, s->zone));
		row_amount(&f->rows, series, values[k].value);
		row_amount(&f->rows, series, values[k].low);
		row_amount(&f->rows, series, values[k].high);
		if (s->form == ROWS_TEXT)
			continue;
		if (!f->many)
			row_text(&f->rows, text_in(&name, 0));
		row_kind_and_about(series, &f->rows);
	}
	array_release(&name);
}

/* The past of a series is too short: of many, the others are shown. */
static int
pass_over(struct forecasting *f, uint32_t number, const struct stk_error *why, struct stk_error *err)
{
	struct text_buffer name = { 0 };

	if (f->many) {
		f->why = f->left_out++ == 0 ? *why : f->why;
		return 0;
	}
	*f->trends->too_early = true;
	series_add_name(series_set_at(f->trends->set, number), &name);
	(void)stk_fail(err, STK_EUSAGE, "%.*s: %s", (int)name.count, name.at, why->text);
	array_release(&name);
	return -1;
}

/* The rows of a table are printed at its end: pictures are above it. */
static void
picture_one(struct forecasting *f, size_t i, const struct forecast_value *values, size_t steps)
{
	const struct trends *t = f->trends;
	uint32_t number = f->labels.numbers.at[i];
	size_t count;
	struct kept_point *points = outlook_points(t->set, number, plain_points_of(t, number), &count);

	print_outlook(series_set_at(t->set, number), f->labels.labels.at[i], points, count, values, steps, t->printer);
	free(points);
}

/* Every step of the horizon. */
static int
forecast_one(struct forecasting *f, size_t i, struct stk_error *err)
{
	const struct trends *t = f->trends;
	uint32_t number = f->labels.numbers.at[i];
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
	if (outlook_forecast(t->set, number, plain_points_of(t, number), true, values, steps, &why) < 0)
		result = pass_over(f, number, &why, err);
	else if (t->settings->form == ROWS_TEXT)
		picture_one(f, i, values, steps);
	if (result == 0 && why.text[0] == '\0')
		forecast_rows(f, i, values, steps);
	free(values);
	return result;
}

static void
begin_forecasts(struct forecasting *f)
{
	static const char *const one[] = { "time", "forecast", "low", "high", "series", "kind", "about", NULL },
				 *const many[] = {
					 "series", "time", "forecast", "low", "high", "kind", "about", NULL
				 };
	/* the row printer keeps them while it is used */
	static const char *names[SERIES_NAMES + 5];
	const struct settings *s = f->trends->settings;
	unsigned n = series_columns(&f->labels, names);

	names[n++] = s->zone == NULL ? "time (UTC)" : "time";
	names[n++] = f->labels.threads ? "threads#" : "forecast#";
	names[n++] = "low#?";
	names[n++] = "high#?";
	names[n] = NULL;
	row_printer_begin(&f->rows, s->form, f->trends->printer, s->form == ROWS_TEXT ? names : f->many ? many : one);
}

static void
say_left_out(const struct forecasting *f)
{
	if (f->left_out == 1)
		program_say("a series is left out: %s", f->why.text);
	else if (f->left_out > 1)
		program_say("%zu series are left out; the first: %s", f->left_out, f->why.text);
}

int
show_forecast(const struct trends *t, struct stk_error *err)
{
	size_t count, shown;
	uint32_t *order = series_set_by_level(t->set, &count);
	struct forecasting f = { .trends = t, .many = count > 1 };
	int result = 0;

	shown = t->settings->form == ROWS_TEXT && count > (size_t)t->settings->top ? (size_t)t->settings->top : count;
	for (size_t i = 0; i < shown; i++)
		series_labels_add(&f.labels, t->set, order[i]);
	free(order);
	series_labels_make(&f.labels);
	begin_forecasts(&f);
	for (size_t i = 0; i < shown && result == 0; i++)
		result = forecast_one(&f, i, err);
	say_left_out(&f);
	series_labels_release(&f.labels);
	if (result == 0 && f.found == 0) {
		*t->too_early = true;
		result = stk_fail(err, STK_EUSAGE, "no series has a past long enough for a forecast");
	}
	if (result == 0)
		return row_printer_end(&f.rows, err);
	row_printer_drop(&f.rows);
	return result;
}
