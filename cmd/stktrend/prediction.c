/* SPDX-License-Identifier: MIT
 * prediction: the model is chosen anew each time that the past has grown by half; between, the filter runs on. */
#include "prediction.h"

#include "holidays.h"

#include "base/probability.h"

#include <math.h>
#include <stdio.h>

#define FIRST_CHOICE 20		/* measures before anything is chosen */

static int
add_holidays(void *context, struct season_calendar *calendar, struct stk_error *err)
{
	return holidays_read(context, calendar, err);
}

static struct series_options
options_of(const struct settings *s, int shift_s)
{
	return (struct series_options){ .periods = s->periods, .slot_ns = s->slot_ns, .zone = s->zone, .shift_s = shift_s, .additive_given = s->additive || s->multiplicative, .additive = s->additive,
		.spar_given = s->smooth_given, .spar = s->smooth, .constants_given = s->constants_given, .constants = s->constants, .clip = s->clip,
		.holidays = s->holidays == NULL ? NULL : add_holidays, .context = (void *)(uintptr_t)s->holidays };
}

/* The filter as it stands after the points so far, under what was chosen. */
static void
restart(struct series *series, const struct trend_point *points, size_t count)
{
	size_t begin = trend_fit_begin(series->rules, points, count);
	struct trend_step step;

	if (series->begun)
		trend_filter_release(&series->filter);
	trend_start(&series->filter, series->rules, points, begin);
	for (size_t i = begin; i < count; i++)
		trend_filter_update_at(&series->filter, series->rules, &points[i].place, points[i].time_ns, points[i].value, points[i].weight, &step);
	series->begun = true;
}

static int
choose(struct series *series, struct trend_point *points, size_t count, struct stk_error *err)
{
	char before[32];

	(void)snprintf(before, sizeof before, "%s", series->begun ? series_model_periods(series->model) : "");
	if (series_model_choose(series->model, points, count, err) < 0)
		return -1;
	if (strcmp(before, series_model_periods(series->model)) != 0)
		series->watch = (struct change_watch){ 0 };	/* other seasons: what is usual is learned anew */
	series->rules = series_model_rules(series->model);
	restart(series, points, count);
	return 0;
}

/* Hours to add to the zone so that the days of the series are days: those with which one step ahead is seen best. */
static int
fit_shift(struct series *series, const struct settings *s, struct trend_point *points, size_t count, int *shift_s, struct stk_error *err)
{
	double best = INFINITY;

	for (int hours = -12; hours <= 14; hours++) {
		struct series_options options = options_of(s, hours * 3600);
		struct series_model *model;

		options.periods = options.periods == NULL ? "week" : options.periods;
		options.spar_given = options.additive_given = true;
		options.spar = SPAR_NONE;
		options.evaluations = 30;
		series_model_open(&model, &options);
		if (series_model_choose(model, points, count, err) < 0) {
			series_model_close(model);
			return -1;
		}
		if (series_model_error(model) < best)
			best = series_model_error(model), *shift_s = hours * 3600;
		series_model_close(model);
	}
	(void)series;
	return 0;
}

static void
print_row(struct row_printer *rows, const struct settings *s, const struct trend_point *point, const struct trend_step *step, bool known)
{
	double z = normal_quantile(0.5 + s->confidence / 2) * 1.2533;
	char text[TIME_TEXT_MAX];

	row_time(rows, time_print(text, point->time_ns, s->zone));
	row_real(rows, point->value, 3);
	row_real(rows, known ? step->predicted : NAN, 3);
	row_real(rows, known ? step->predicted - z * step->deviation : NAN, 3);
	row_real(rows, known ? step->predicted + z * step->deviation : NAN, 3);
	row_count(rows, step->clipped);
}

int
predict_series(struct series_set *set, const struct settings *settings, uint32_t number, struct plain_points *points, struct row_printer *rows, struct stk_error *err)
{
	struct series *series = series_set_at(set, number);
	struct series_options options;
	size_t next = FIRST_CHOICE;
	int shift_s = 0;

	if (points->count == 0)
		return stk_fail(err, STK_EUSAGE, "%.*s: no measures", (int)series->name.size, series->name.data);
	if (settings->fit_zone && fit_shift(series, settings, points->at, points->count, &shift_s, err) < 0)
		return -1;
	options = options_of(settings, shift_s);
	series_model_open(&series->model, &options);
	/* with constants given, or with nothing shown on the way, one choice at the end is enough, but anomalies are seen on the way */
	if (choose(series, points->at, 1, err) < 0)
		return -1;
	if (rows != NULL)
		print_row(rows, settings, &points->at[0], &(struct trend_step){ 0 }, false);
	for (size_t i = 1; i < points->count; i++) {
		struct trend_point *point = &points->at[i];
		struct trend_step step;
		struct change change;

		if (i == next) {
			if (choose(series, points->at, i, err) < 0)
				return -1;
			next = i + i / 2;
		}
		point->place = season_place(series->rules->calendar, point->time_ns);
		trend_filter_update_at(&series->filter, series->rules, &point->place, point->time_ns, point->value, point->weight, &step);
		if (change_watch_take(&series->watch, &settings->watch, &series->filter, series->rules, point->time_ns, point->value, &step, &change))
			series_set_changed(set, number, text_of("", 0), change_kind_names[change.kind], &change);
		if (rows != NULL)
			print_row(rows, settings, point, &step, true);
	}
	series->first_ns = points->at[0].time_ns;
	series->last_ns = points->at[points->count - 1].time_ns;
	series->last = points->at[points->count - 1].value;
	if (rows != NULL)
		return 0;
	return choose(series, points->at, points->count, err);
}
