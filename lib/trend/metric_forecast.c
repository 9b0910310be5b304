/* SPDX-License-Identifier: MIT
 * metric_forecast: steps of a metric are kept for good; its line is of hours, so that what steps are above it and how
 * they scatter is measured. */
#include "trend/metric_forecast.h"

#include "base/probability.h"
#include "base/time_math.h"
#include "trend/prediction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_READ 3000 /* the latest: a month of quarters of an hour */
#define STEPS_LEAST 20
#define SLOPE_CLEAR 3.0 /* standard errors, from which on a line without a restart is one */
#define DAYS_LEAST 4
#define DAY_NS INT64_C(86400000000000)
#define FACTOR_CLEAR 2.0 /* by which its trials were further off, at most */

/* The standard error of the change in a day of a series that walks at random: from how the changes of its days differ.
 * 0: too few days. */
static double
walk_error(const struct kept_points *steps)
{
	double mean = 0, squares = 0, days = 0, today = 0, count = 0, before = 0;
	int64_t day = INT64_MIN;
	bool any = false;

	for (size_t i = 0; i <= steps->count; i++) {
		int64_t next = i < steps->count ? time_units(steps->at[i].time_ns, DAY_NS) : INT64_MAX;

		if (next != day && count > 0) {
			double change = today - before, away = change - mean;

			if (any) {
				days++;
				mean += away / days;
				squares += away * (change - mean);
			}
			any = true;
			before = today;
			count = today = 0;
		}
		day = next;
		if (i < steps->count)
			today += (steps->at[i].value - today) / ++count;
	}
	return days >= DAYS_LEAST ? sqrt(squares / (days - 1) / days) : 0;
}

/* What was set back grows between: where it does not, it only fell. A slope that a random walk would have as well is
 * none. */
static bool
is_line(const struct metric_line *m, const struct kept_points *steps)
{
	const struct capacity_line *line = &m->line;
	double error = SLOPE_CLEAR * line->factor * sqrt(line->slope_variance);

	if (m->epochs > 1)
		return line->slope > error;
	return line->trials > 0 && line->factor < FACTOR_CLEAR && fabs(line->slope) > error &&
	       fabs(line->slope) > SLOPE_CLEAR * walk_error(steps);
}

/* How steps of the present epoch are beside the line. */
static void
measure_steps(struct metric_forecast *f, const struct kept_points *steps)
{
	int64_t since = f->line.starts_ns[f->line.epochs - 1];
	double sum = 0, squares = 0, n = 0;

	for (size_t i = steps->count; i-- > 0 && steps->at[i].time_ns >= since;) {
		double away = steps->at[i].value - metric_line_value(&f->line, steps->at[i].time_ns);

		sum += away;
		squares += away * away;
		n++;
	}
	f->above = n > 0 ? sum / n : 0;
	f->scatter = n > 1 ? sqrt(fmax(squares / n - f->above * f->above, 0)) : f->line.line.spread;
}

static bool
open_model(struct metric_forecast *f, const struct series_set *set, const struct kept_points *steps)
{
	size_t from = steps->count > STEPS_READ ? steps->count - STEPS_READ : 0;
	struct series_options options = prediction_options(set->options, set->options->zone, 0);
	struct stk_error why = { 0 };

	f->count = steps->count - from;
	if (f->count < STEPS_LEAST)
		return false;
	f->points = mem_new(f->count, sizeof *f->points);
	for (size_t i = 0; i < f->count; i++)
		f->points[i] = (struct trend_point){ .time_ns = steps->at[from + i].time_ns,
						     .value = steps->at[from + i].value,
						     .weight = 1 };
	series_model_open(&f->model, &options);
	if (series_model_choose(f->model, f->points, f->count, &why) == 0)
		return true;
	metric_forecast_release(f);
	return false;
}

bool
metric_forecast_open(struct metric_forecast *out, const struct series_set *set, uint32_t number)
{
	const struct series *s = series_set_at(set, number);

	*out = (struct metric_forecast){ 0 };
	if (s->kind != STK_SERIES_METRIC || s->model != NULL)
		return false;
	if (metric_line_fit(&out->line, set, number, s->measures.at, s->measures.count)) {
		if (is_line(&out->line, &s->history)) {
			out->by_line = true;
			measure_steps(out, &s->history);
			return true;
		}
		metric_line_release(&out->line);
	}
	return open_model(out, set, &s->history);
}

void
metric_forecast_release(struct metric_forecast *f)
{
	metric_line_release(&f->line);
	series_model_close(f->model);
	free(f->points);
	*f = (struct metric_forecast){ 0 };
}

bool
metric_forecast_values(struct metric_forecast *f, double confidence, struct forecast_value *values, size_t count)
{
	double z = normal_quantile(0.5 + confidence / 2);
	struct stk_error why = { 0 };

	if (!f->by_line)
		return series_model_forecast(f->model, f->points, f->count, confidence, values, count, &why) == 0;
	for (size_t i = 0; i < count; i++) {
		double line = metric_line_drift(&f->line, values[i].time_ns),
		       error = z * sqrt(line * line + f->scatter * f->scatter);

		values[i].value = metric_line_value(&f->line, values[i].time_ns) + f->above;
		values[i].low = values[i].value - error;
		values[i].high = values[i].value + error;
	}
	return true;
}
