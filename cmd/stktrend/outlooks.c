/* SPDX-License-Identifier: MIT
 * outlooks: what comes next: forecasts of series, and when a limit is reached. */
#include "trend_views.h"

#include "base/probability.h"
#include "base/time_math.h"
#include "program/program.h"
#include "trend/robust_line.h"

#include <math.h>

#define FADE_HOURS   24.0	/* half of a rate is left after so long, in forecasts of filters alone */
#define DAY_HOURS    24.0
#define YEARS_MOST   20
#define POINTS_LEAST 20
#define LINE_LEAST   8		/* measures that a line wants */

void
add_series_name(const struct trends *t, uint32_t number, struct text_buffer *to)
{
	series_add_name(series_set_at(t->set, number), to);
}

/* --- forecasts --- */

/* By the filter alone: each step adds what the level may have moved by meanwhile. */
static void
forecast_by_filter(const struct series *s, double z, struct forecast_value *value)
{
	const struct trend_filter *f = &s->filter;
	struct trend_rules *rules = s->rules;
	double hours = fmax(0, (double)(value->time_ns - f->time_ns) / HOUR_NS), steps = rules->usual_hours > 0 ? hours / rules->usual_hours : 1;
	double level = f->level + f->rate * FADE_HOURS / M_LN2 * -expm1(-hours * M_LN2 / FADE_HOURS), gain = f->level_weight > 0 ? 1 / f->level_weight : 1;
	double factor = trend_filter_factor(f, rules, f->factors == NULL ? 0 : season_place(rules->calendar, value->time_ns).slot);
	double spread = 1.2533 * fmax(f->deviation, rules->floor * fabs(f->level)) * sqrt(1 + fmax(0, steps - 1) * gain * gain) * (rules->additive ? 1 : factor);

	value->value = rules->additive ? level + factor : level * factor;
	value->low = value->value - z * spread;
	value->high = value->value + z * spread;
	if (s->kind <= STK_SERIES_GROUP) {		/* counts are not below 0 */
		value->value = fmax(value->value, 0);
		value->low = fmax(value->low, 0);
	}
}

int
forecast_series(const struct trends *t, uint32_t number, struct forecast_value *values, size_t count, struct stk_error *err)
{
	const struct series *s = series_set_at(t->set, number);
	double z = normal_quantile(0.5 + t->settings->confidence / 2);

	if (s->model != NULL)
		return series_model_forecast(s->model, t->plain->points.at[number - 1].at, t->plain->points.at[number - 1].count, t->settings->confidence, values, count, err);
	if (s->filter.count < POINTS_LEAST)
		return stk_fail(err, STK_EUSAGE, "a forecast: %llu steps seen, %d needed", (unsigned long long)s->filter.count, POINTS_LEAST);
	if (s->filter.factors == NULL && t->settings->periods != NULL && !season_calendar_is_flat(t->set->rules[t->set->stages - 1].calendar)) {
		double days = ((double)(s->last_ns - s->first_ns) + (double)t->set->step_ns) / 8.64e13;

		return stk_fail(err, STK_EUSAGE, "a forecast by %s periods: %d cycles seen, 2 needed", t->settings->periods,
				(int)(days / season_cycle_days(t->set->rules[t->set->stages - 1].calendar)));
	}
	for (size_t i = 0; i < count; i++)
		forecast_by_filter(s, z, &values[i]);
	return 0;
}

/* --- limits --- */

struct kept_point *
points_of_series(const struct trends *t, uint32_t number, size_t *count)
{
	const struct series *s = series_set_at(t->set, number);
	struct kept_point *points;

	if (t->plain != NULL) {
		const struct plain_points *from = &t->plain->points.at[number - 1];

		points = mem_new(from->count + 1, sizeof *points);
		for (size_t i = 0; i < from->count; i++)
			points[i] = (struct kept_point){ from->at[i].time_ns, from->at[i].value };
		*count = from->count;
		return points;
	}
	*count = s->measures.count > 0 ? s->measures.count : s->history.count;
	points = mem_new(*count + 1, sizeof *points);
	if (*count > 0)
		memcpy(points, s->measures.count > 0 ? s->measures.at : s->history.at, *count * sizeof *points);
	return points;
}

/* The measures without their season, over days since the last one. */
static void
take_season_off(const struct series *s, const struct kept_point *points, size_t count, double *x, double *y)
{
	for (size_t i = 0; i < count; i++) {
		double factor = trend_filter_factor(&s->filter, s->rules, s->filter.factors == NULL ? 0 : season_place(s->rules->calendar, points[i].time_ns).slot);

		x[i] = (double)(points[i].time_ns - points[count - 1].time_ns) / HOUR_NS / DAY_HOURS;
		y[i] = s->rules->additive ? points[i].value - factor : points[i].value / factor;
	}
}

/* The limit for a level: the season's highest slot reaches the limit itself. */
static double
limit_of_level(const struct series *s, double limit)
{
	double most = s->rules->additive ? 0 : 1;

	for (unsigned k = 0; s->filter.factors != NULL && k < season_slots(s->rules->calendar); k++)
		most = fmax(most, s->filter.factors[k]);
	return s->rules->additive ? limit - most : limit / most;
}

/* The first day on which the line, moved by z standard errors, is beyond the limit; NAN: not within years. */
static double
day_reached(const struct robust_line *line, double limit, double z)
{
	double low = 0, high = 365.25 * YEARS_MOST;

	if (line_at(line, low) + z * line_error(line, low) >= limit)
		return 0;
	if (line_at(line, high) + z * line_error(line, high) < limit)
		return NAN;
	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (line_at(line, middle) + z * line_error(line, middle) >= limit)
			high = middle;
		else
			low = middle;
	}
	return high;
}

static int64_t
moment_in(int64_t from_ns, double days)
{
	return isnan(days) ? INT64_MAX : time_clamp(time_sum(from_ns, int64_of(days * 8.64e13)));
}

struct outlook
series_outlook(const struct trends *t, uint32_t number, double limit)
{
	const struct series *s = series_set_at(t->set, number);
	struct outlook o = { 0 };
	size_t count;
	struct kept_point *points = points_of_series(t, number, &count);
	double *x = mem_new(count + 1, sizeof *x), *y = mem_new(count + 1, sizeof *y), z = normal_quantile(0.5 + t->settings->confidence / 2), of_level, when;
	struct robust_line line;

	if (count >= LINE_LEAST) {
		take_season_off(s, points, count, x, y);
		line = robust_line(x, y, count, LINE_BISQUARE, true, 0);
		of_level = limit_of_level(s, limit);
		o.known = isfinite(line.slope_error);
		o.now = line_at(&line, 0);
		o.rate = line.slope;
		o.rate_error = z * line.slope_error;
		when = day_reached(&line, of_level, 0);
		o.never = isnan(when);
		o.when_ns = moment_in(points[count - 1].time_ns, when);
		o.earliest_ns = moment_in(points[count - 1].time_ns, day_reached(&line, of_level, z));
		o.latest_ns = moment_in(points[count - 1].time_ns, day_reached(&line, of_level, -z));
	}
	free(points);
	free(x);
	free(y);
	return o;
}

static void
print_moment(struct row_printer *rows, const struct settings *s, int64_t ns)
{
	char text[TIME_TEXT_MAX];

	if (ns == INT64_MAX)
		row_text(rows, text_from("never"));
	else
		row_time(rows, time_print(text, ns / 1000000000 * 1000000000, s->zone));
}

int
show_limits(const struct trends *t, struct stk_error *err)
{
	static const char *const names[] = { "series*", "limit#", "now#", "rate a day#", "give or take#", "reached*", "earliest*", "latest*", NULL };
	static const char *const plain_names[] = { "series", "limit", "now", "rate", "rate_error", "reached", "earliest", "latest", NULL };
	struct row_printer rows;
	struct text_buffer name = { 0 };
	int result = 0;

	row_printer_begin(&rows, t->settings->form, t->printer, (size_t)t->settings->width, t->settings->form == ROWS_TEXT ? names : plain_names);
	for (unsigned l = 0; l < t->settings->limits_count && result == 0; l++) {
		const struct limit *limit = &t->settings->limits[l];
		unsigned met = 0;

		for (uint32_t n = 1; n <= series_set_count(t->set) && result == 0; n++) {
			struct outlook o;

			if (!series_matches(series_set_at(t->set, n), limit->series) || !series_is_shown(series_set_at(t->set, n)))
				continue;
			met++;
			o = series_outlook(t, n, limit->value);
			if (!o.known) {
				*t->too_early = true;
				result = stk_fail(err, STK_EUSAGE, "--limit %s: too few measures: %d needed", limit->series, LINE_LEAST);
				break;
			}
			name.count = 0;
			add_series_name(t, n, &name);
			row_text(&rows, text_in(&name, 0));
			row_real(&rows, limit->value, 1);
			row_real(&rows, o.now, 1);
			row_real(&rows, o.rate, 3);
			row_real(&rows, o.rate_error, 3);
			print_moment(&rows, t->settings, o.when_ns);
			print_moment(&rows, t->settings, o.earliest_ns);
			print_moment(&rows, t->settings, o.latest_ns);
		}
		if (met == 0)
			result = stk_fail(err, STK_EUSAGE, "--limit: no series '%s' in the input", limit->series);
	}
	array_release(&name);
	if (result == 0)
		return row_printer_end(&rows, err);
	row_printer_drop(&rows);
	return result;
}

/* --- the forecast as a table --- */

/* Every slot of the horizon, of every series that is asked for. */
int
show_forecast(const struct trends *t, struct stk_error *err)
{
	static const char *const names[] = { "series*", "time", "forecast#", "low#", "high#", NULL }, *const one[] = { "time", "forecast", "low", "high", NULL };
	const struct settings *s = t->settings;
	size_t count, found = 0;
	uint32_t *order = sorted_series(t, &count);
	struct row_printer rows;
	struct text_buffer name = { 0 };
	int result = 0;
	bool many = count > 1;

	row_printer_begin(&rows, s->form, t->printer, (size_t)s->width, s->form == ROWS_TEXT || many ? names : one);
	for (size_t i = 0; i < count && (s->form != ROWS_TEXT || i < (size_t)s->top); i++) {
		const struct series *series = series_set_at(t->set, order[i]);
		int64_t step = s->step_ns > 0 ? s->step_ns : series->model != NULL ? series_slot_ns(t->plain->points.at[order[i] - 1].at, t->plain->points.at[order[i] - 1].count) : t->set->step_ns;
		size_t steps = (size_t)(s->horizon_ns / step + (s->horizon_ns % step > 0));
		struct forecast_value *values;
		struct stk_error why = { 0 };

		if (steps > 100000) {
			result = stk_fail(err, STK_EUSAGE, "--forecast: more than 100,000 steps: expected a shorter time, or a longer --step");
			break;
		}
		values = mem_new(steps, sizeof *values);
		for (size_t k = 0; k < steps; k++)
			values[k].time_ns = time_clamp(time_sum(series->last_ns, (int64_t)(k + 1) * step));
		name.count = 0;
		add_series_name(t, order[i], &name);
		if (forecast_series(t, order[i], values, steps, &why) < 0) {
			if (!many) {
				*t->too_early = true;
				result = stk_fail(err, STK_EUSAGE, "%.*s: %s", (int)name.count, name.at, why.text);
				free(values);
				break;
			}
			program_say("%.*s: %s", (int)name.count, name.at, why.text);
			free(values);
			continue;
		}
		found++;
		for (size_t k = 0; k < steps; k++) {
			char text[TIME_TEXT_MAX];

			if (s->form == ROWS_TEXT || many)
				row_text(&rows, text_in(&name, 0));
			row_time(&rows, time_print(text, values[k].time_ns, s->zone));
			row_real(&rows, values[k].value, 3);
			row_real(&rows, values[k].low, 3);
			row_real(&rows, values[k].high, 3);
		}
		free(values);
	}
	free(order);
	array_release(&name);
	if (result == 0 && found == 0) {
		*t->too_early = true;
		result = stk_fail(err, STK_EUSAGE, "no series has a past long enough for a forecast");
	}
	return row_printer_end(&rows, result < 0 ? &(struct stk_error){ 0 } : err) < 0 ? -1 : result;
}
