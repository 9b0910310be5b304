/* SPDX-License-Identifier: MIT
 * prediction: the model is chosen anew each time that the past has grown by half; between, the filter runs on. */
#include "trend/prediction.h"

#include "base/probability.h"
#include "trend/holidays.h"

#include <math.h>
#include <stdio.h>

#define FIRST_CHOICE 20		/* measures before anything is chosen */

static int
add_holidays(void *context, struct season_calendar *calendar, struct stk_error *err)
{
	const struct trend_options *options = context;

	return holidays_read(options->holidays, calendar, &options->listener, err);
}

static struct series_options
options_of(const struct trend_options *o, int shift_s)
{
	return (struct series_options){
		.periods = o->periods, .slot_ns = o->slot_ns, .zone = o->zone, .shift_s = shift_s,
		.additive_given = o->additive || o->multiplicative, .additive = o->additive,
		.spar_given = o->smooth_given, .spar = o->smooth, .constants_given = o->constants_given,
		.constants = o->constants, .clip = o->clip,
		.holidays = o->holidays == NULL ? NULL : add_holidays, .context = (void *)(uintptr_t)o
	};
}

/* The filter after the points so far, with the chosen options. */
static void
restart(struct series *series, const struct trend_point *points, size_t count)
{
	size_t begin = trend_fit_begin(series->rules, points, count);
	struct trend_step step;

	if (series->begun)
		trend_filter_release(&series->filter);
	trend_start(&series->filter, series->rules, points, begin);
	for (size_t i = begin; i < count; i++)
		trend_filter_update_at(&series->filter, series->rules, &points[i].place, points[i].time_ns,
				       points[i].value, points[i].weight, &step);
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
fit_shift(const struct trend_options *o, struct trend_point *points, size_t count, int *shift_s, struct stk_error *err)
{
	double best = INFINITY;

	for (int hours = -12; hours <= 14; hours++) {
		struct series_options options = options_of(o, hours * 3600);
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
		if (series_model_error(model) < best) {
			best = series_model_error(model);
			*shift_s = hours * 3600;
		}
		series_model_close(model);
	}
	return 0;
}

static void
tell(const struct prediction_listener *listener, const struct trend_options *o, const struct trend_point *point,
     const struct trend_step *step)
{
	double z = normal_quantile(0.5 + o->confidence / 2) * 1.2533;
	struct predicted_point is = { .point = point, .predicted = NAN, .low = NAN, .high = NAN };

	if (listener == NULL)
		return;
	if (step != NULL)
		is = (struct predicted_point){ point, step->predicted, step->predicted - z * step->deviation,
					       step->predicted + z * step->deviation, step->clipped };
	listener->take(listener->context, &is);
}

/* One step ahead all the way: with nothing heard on the way one choice at the end would be enough, but changes are
 * seen on the way. */
static int
follow(struct series_set *set, uint32_t number, struct plain_points *points, const struct prediction_listener *listener,
       struct stk_error *err)
{
	struct series *series = series_set_edit(set, number);
	size_t next = FIRST_CHOICE;

	if (choose(series, points->at, 1, err) < 0)
		return -1;
	tell(listener, set->options, &points->at[0], NULL);
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
		trend_filter_update_at(&series->filter, series->rules, &point->place, point->time_ns, point->value,
				       point->weight, &step);
		if (change_watch_take(&series->watch, &set->options->watch, &series->filter, series->rules,
				      point->time_ns, point->value, &step, &change))
			series_set_changed(set, number, text_of("", 0), change_kind_names[change.kind], &change);
		tell(listener, set->options, point, &step);
	}
	return 0;
}

int
predict_series(struct series_set *set, uint32_t number, struct plain_points *points,
	       const struct prediction_listener *listener, struct stk_error *err)
{
	struct series *series = series_set_edit(set, number);
	struct series_options options;
	int shift_s = 0;

	if (points->count == 0)
		return stk_fail(err, STK_EUSAGE, "%.*s: no measures", (int)series->name.size, series->name.data);
	if (set->options->fit_zone && fit_shift(set->options, points->at, points->count, &shift_s, err) < 0)
		return -1;
	options = options_of(set->options, shift_s);
	series_model_open(&series->model, &options);
	if (follow(set, number, points, listener, err) < 0)
		return -1;
	series->first_ns = points->at[0].time_ns;
	series->last_ns = points->at[points->count - 1].time_ns;
	series->last = points->at[points->count - 1].value;
	return listener != NULL ? 0 : choose(series, points->at, points->count, err);
}
