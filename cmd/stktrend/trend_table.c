/* SPDX-License-Identifier: MIT
 * trend_table: what is hot and how it moves, a series a line; and the tables that belong to it: factors, the plan of
 * dumps. */
#include "series_text.h"
#include "sparkline.h"
#include "trend_views.h"

#include "base/probability.h"
#include "base/time_math.h"
#include "trend/outlook.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DAY_HOURS        24.0
#define SPARKS           24	/* characters of a sparkline */
#define CAREFUL_MOST     40	/* metrics whose forecast is as --forecast has it: it takes its time */
#define MEASURES_TRUSTED 20	/* until a rate is one */

/* --- sparklines --- */

/* The day's factors, or the latest values, as bars of eight heights. */
static void
add_sparkline(const struct trends *t, uint32_t number, struct text_buffer *to)
{
	const struct series *s = series_set_at(t->set, number);
	double sums[SPARKS] = { 0 }, counts[SPARKS] = { 0 }, least = INFINITY, most = -INFINITY;
	size_t count = 0, shown = 0;
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
			sums[shown] = sums[b] / counts[b];
			least = fmin(least, sums[shown]);
			most = fmax(most, sums[shown]);
			shown++;
		}
	add_bars(sums, shown, least, most, to);
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

/* For programs: every column. */
static void
table_row(const struct trends *t, struct row_printer *rows, uint32_t number, bool careful, struct text_buffer *text)
{
	const struct series *s = series_set_at(t->set, number);
	struct forecast_value next = { .time_ns = time_clamp(s->last_ns + t->settings->horizon_ns) };
	struct stk_error why = { 0 };
	bool known = outlook_forecast(t->set, number, plain_points_of(t, number), careful, &next, 1, &why) == 0;

	text->count = 0;
	series_add_name(s, text);
	row_text(rows, text_in(text, 0));
	row_real(rows, series_level(s), 3);
	row_real(rows, s->filter.rate * DAY_HOURS, 3);
	row_real(rows, s->filter.acceleration * DAY_HOURS * DAY_HOURS, 3);
	row_real(rows, season_p(t, number), 3);
	row_real(rows, s->filter.residual, 3);
	row_real(rows, known ? next.value : NAN, 3);
	row_real(rows, known ? next.low : NAN, 3);
	row_real(rows, known ? next.high : NAN, 3);
	row_count(rows, count_changes(t, number));
	text->count = 0;
	add_sparkline(t, number, text);
	row_text(rows, text_in(text, 0));
	row_kind_and_about(s, rows);
	row_count(rows, s->filter.count);
}

static int
print_rows(const struct trends *t, const uint32_t *order, size_t count, struct stk_error *err)
{
	static const char *const names[] = { "series",   "level",    "rate",  "accel", "season_p",
					     "residual", "forecast", "low",   "high",  "anomalies",
					     "shape",    "kind",     "about", "count", NULL };
	struct text_buffer text = { 0 };
	struct row_printer rows;

	row_printer_begin(&rows, t->settings->form, t->printer, names);
	for (size_t i = 0; i < count; i++)
		table_row(t, &rows, order[i], i < CAREFUL_MOST, &text);
	array_release(&text);
	return row_printer_end(&rows, err);
}

/* For people: what is known of the series that are shown decides which columns there are. */
struct overview {
	const struct trends *trends;
	struct series_labels labels;
	ARRAY(struct forecast_value) next;	/* NAN: not known */
	ARRAY(double) p;			/* of the season */
	bool forecasts, seasons, anomalies;	/* some are known */
	struct stk_error why_not;		/* the first that is not */
	struct row_printer rows;
};

static void
look_at(struct overview *o, uint32_t number)
{
	const struct trends *t = o->trends;
	struct forecast_value next = { .time_ns = time_clamp(series_set_at(t->set, number)->last_ns +
							     t->settings->horizon_ns) };
	struct stk_error why = { 0 };

	series_labels_add(&o->labels, t->set, number);
	if (outlook_forecast(t->set, number, plain_points_of(t, number), true, &next, 1, &why) == 0)
		o->forecasts = true;
	else
		next.value = next.low = next.high = NAN;
	if (why.code != 0 && o->why_not.code == 0)
		o->why_not = why;
	*array_push(&o->next) = next;
	*array_push(&o->p) = season_p(t, number);
	o->anomalies |= count_changes(t, number) > 0;
	o->seasons |= !isnan(o->p.at[o->p.count - 1]);
}

/* A tenth of the level in a day, by more than its errors are. */
static bool
grows(const struct series *s)
{
	double day = s->filter.rate * DAY_HOURS;

	return s->filter.count >= MEASURES_TRUSTED && day > 0.1 * fabs(s->filter.level) &&
	       day > (s->rules->additive ? 1 : fabs(s->filter.level)) * s->filter.slow_deviation;
}

static void
painted_change(struct row_printer *rows, const struct series *s, double value, bool hot)
{
	row_paint(rows, hot ? PAINT_WARM : PAINT_NONE);
	row_change(rows, s, value);
	row_paint(rows, PAINT_NONE);
}

/* The change of its level in a day: that of the line of --limit, where there is one beside the table. */
static double
rate_of(const struct trends *t, uint32_t number)
{
	const struct series *s = series_set_at(t->set, number);

	for (unsigned i = 0; i < t->settings->limits_count; i++)
		if (series_matches(s, t->settings->limits[i].series)) {
			struct outlook line = outlook_of_limit(t->set, number, plain_points_of(t, number),
							       t->settings->limits[i].value);

			if (line.known)
				return line.rate;
		}
	return s->filter.rate * DAY_HOURS;
}

static void
overview_row(struct overview *o, size_t i, struct text_buffer *text)
{
	const struct trends *t = o->trends;
	uint32_t number = o->labels.numbers.at[i];
	const struct series *s = series_set_at(t->set, number);
	const struct forecast_value *next = &o->next.at[i];

	series_cells(&o->labels, i, &o->rows);
	row_amount(&o->rows, s, series_level(s));
	painted_change(&o->rows, s, rate_of(t, number), grows(s));
	if (o->anomalies) {
		row_paint(&o->rows, count_changes(t, number) > 0 ? PAINT_HOT : PAINT_NONE);
		row_count(&o->rows, count_changes(t, number));
		row_paint(&o->rows, PAINT_NONE);
	}
	if (o->forecasts)
		row_amount(&o->rows, s, next->value);
	text->count = 0;
	add_sparkline(t, number, text);
	row_text(&o->rows, text_in(text, 0));
	if (o->forecasts) {
		row_amount(&o->rows, s, next->low);
		row_amount(&o->rows, s, next->high);
	}
	if (o->seasons)
		row_number(&o->rows, o->p.at[i]);
	row_change(&o->rows, s, s->filter.residual);
	if (o->labels.hashes)
		series_hash_cell(&o->labels, i, &o->rows);
}

static void
begin_overview(struct overview *o, char next[64])
{
	/* the row printer keeps them while it is used */
	static const char *names[SERIES_NAMES + 10];
	const struct trends *t = o->trends;
	unsigned n = series_columns(&o->labels, names);
	char horizon[TIME_TEXT_MAX];

	(void)snprintf(next, 64, "in %s#?", duration_print(horizon, t->settings->horizon_ns));
	names[n++] = o->labels.threads ? "threads#" : "level#";
	names[n++] = "a day#";
	if (o->anomalies)
		names[n++] = "anomalies#?";
	if (o->forecasts)
		names[n++] = next;
	names[n++] = "shape?";
	if (o->forecasts) {
		names[n++] = "low#?";
		names[n++] = "high#?";
	}
	if (o->seasons)
		names[n++] = "season p#?";
	names[n++] = "residual#?";
	if (o->labels.hashes)
		names[n++] = "name?";
	names[n] = NULL;
	row_printer_begin(&o->rows, ROWS_TEXT, t->printer, names);
	o->rows.table.fair = SERIES_FAIR;
}

static int
print_overview(const struct trends *t, const uint32_t *order, size_t count, struct stk_error *err)
{
	struct overview o = { .trends = t };
	struct text_buffer text = { 0 };
	size_t shown = count < (size_t)t->settings->top ? count : (size_t)t->settings->top;
	char next[64];
	int result;

	for (size_t i = 0; i < shown; i++)
		look_at(&o, order[i]);
	series_labels_make(&o.labels);
	begin_overview(&o, next);
	for (size_t i = 0; i < shown; i++)
		overview_row(&o, i, &text);
	table_print(&o.rows.table, t->printer);
	series_remark(&o.labels, t->printer);
	if (o.labels.counted && !o.labels.threads)
		printer_remark(t->printer, "level: of classes, segments and groups, threads a dump");
	if (shown > 0 && !o.forecasts)
		printer_remark(t->printer, "%s", o.why_not.text);
	if (count > shown)
		printer_remark(t->printer, "%zu more series: --top shows more, --series some", count - shown);
	result = row_printer_end(&o.rows, err);
	array_release(&text);
	series_labels_release(&o.labels);
	array_release(&o.next);
	array_release(&o.p);
	return result;
}

int
show_table(const struct trends *t, struct stk_error *err)
{
	size_t count;
	uint32_t *order = series_set_by_level(t->set, &count);
	int result = t->settings->form == ROWS_TEXT ? print_overview(t, order, count, err)
						    : print_rows(t, order, count, err);

	free(order);
	return result;
}

/* --- factors --- */

struct factors {
	const struct trends *trends;
	struct series_labels labels;	/* of those that have factors */
	struct row_printer rows;
	bool many;			/* rows begin with their series */
};

/* "06:15"; 24:00 begins the second day of a period. Slots of months have none. */
static void
row_at(struct factors *f, const struct series *s, const struct season_period *period, unsigned slot)
{
	int64_t minutes = (int64_t)slot * (season_slot_ns(s->rules->calendar) / 1000000000) / 60;
	char text[32] = "";

	if (period == NULL || period->days == 0) {
		row_unknown(&f->rows);
		return;
	}
	(void)snprintf(text, sizeof text, "%02d:%02d", (int)(minutes / 60), (int)(minutes % 60));
	row_text(&f->rows, text_from(text));
}

/* period: NULL: of the year, whose limits are not known. */
static void
factor_row(struct factors *f, size_t i, const struct season_period *period, const char *name, unsigned slot,
	   double factor)
{
	const struct series *s = series_set_at(f->trends->set, f->labels.numbers.at[i]);
	bool people = f->rows.form == ROWS_TEXT;
	struct text_buffer text = { 0 };
	double by = period == NULL ? NAN : normal_quantile(0.5 + f->trends->set->options->confidence / 2) *
					   trend_filter_factor_error(&s->filter, s->rules, period->first + slot);

	series_add_name(s, &text);
	if (people)
		series_cells(&f->labels, i, &f->rows);
	else if (f->many)
		row_text(&f->rows, text_in(&text, 0));
	row_text(&f->rows, text_from(name));
	row_count(&f->rows, slot);
	if (people)
		row_at(f, s, period, slot);
	row_real(&f->rows, factor, 4);
	if (people) {
		row_number(&f->rows, factor - by);
		row_number(&f->rows, factor + by);
	}
	if (!people) {
		row_at(f, s, period, slot);
		if (!f->many)
			row_text(&f->rows, text_in(&text, 0));
		row_kind_and_about(s, &f->rows);
		row_real(&f->rows, factor - by, 4);
		row_real(&f->rows, factor + by, 4);
	}
	array_release(&text);
}

/* Those of the year, which are upon the others, last. */
static void
factor_rows(struct factors *f, size_t i)
{
	const struct series *s = series_set_at(f->trends->set, f->labels.numbers.at[i]);
	const struct season_calendar *calendar = s->rules->calendar;
	const double *year = season_year(calendar);
	unsigned parts = season_year_parts(calendar);

	for (unsigned p = 0; p < season_periods(calendar) && s->filter.factors != NULL; p++) {
		const struct season_period *period = season_period(calendar, p);

		for (unsigned k = 0; k < period->slots; k++)
			factor_row(f, i, period, period->name, k, s->filter.factors[period->first + k]);
	}
	for (unsigned k = 0; k < parts && year != NULL; k++)
		factor_row(f, i, NULL, parts == 4 ? "quarters" : "months", k, s->rules->additive ? year[k] : 1 + year[k]);
}

static int
print_factors(struct factors *f, struct stk_error *err)
{
	static const char *const one[] = { "period", "slot",  "factor", "at",   "series",
					 "kind",   "about", "low",    "high", NULL },
				 *const many[] = {
					 "series", "period", "slot", "factor", "at", "kind", "about", "low", "high", NULL
				 };
	const struct trends *t = f->trends;
	const char *names[SERIES_NAMES + 7];
	unsigned n;

	series_labels_make(&f->labels);
	n = series_columns(&f->labels, names);
	names[n++] = "period";
	names[n++] = "slot#?";
	names[n++] = "at?";
	names[n++] = "factor#";
	names[n++] = "low#?";
	names[n++] = "high#?";
	names[n] = NULL;
	row_printer_begin(&f->rows, t->settings->form, t->printer,
			  t->settings->form == ROWS_TEXT ? names : f->many ? many : one);
	for (size_t i = 0; i < f->labels.numbers.count; i++)
		factor_rows(f, i);
	return row_printer_end(&f->rows, err);
}

int
show_factors(const struct trends *t, struct stk_error *err)
{
	const struct settings *s = t->settings;
	struct factors f = { .trends = t };
	size_t count;
	uint32_t *order = series_set_by_level(t->set, &count);
	int result = 0;

	f.many = count > 1;
	for (size_t i = 0; i < count && (s->form != ROWS_TEXT || i < (size_t)s->top); i++) {
		const struct series *series = series_set_at(t->set, order[i]);

		if (series->filter.factors != NULL || season_year(series->rules->calendar) != NULL)
			series_labels_add(&f.labels, t->set, order[i]);
	}
	free(order);
	*t->too_early = f.labels.numbers.count == 0;
	if (f.labels.numbers.count > 0)
		result = print_factors(&f, err);
	else if (t->plain != NULL || t->set->stages < 2)
		result = stk_fail(err, STK_EUSAGE,
				  "--factors: no series has a season yet: two cycles of its periods are needed");
	else
		result = stk_fail(err, STK_EUSAGE,
				  "--factors: no series has a season yet: it takes %u days to learn one, %.3g so far",
				  series_set_days_needed(t->set, 1), series_set_days_seen(t->set));
	series_labels_release(&f.labels);
	return result;
}
