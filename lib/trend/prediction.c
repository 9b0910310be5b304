/* SPDX-License-Identifier: MIT
 * prediction: the model is chosen anew each time that the past has grown by half; between, the filter runs on. */
#include "trend/prediction.h"

#include "base/probability.h"
#include "trend/holidays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DEVIATION    1.2533	/* standard deviations in a mean deviation, of errors that are normal */
#define ERRORS_LEAST 2		/* for an interval */
#define ERRORS_MANY  200	/* from which their size is known */
#define FIRST_CHOICE 20		/* measures before anything is chosen */

static int
add_holidays(void *context, struct season_calendar *calendar, struct stk_error *err)
{
	const struct trend_options *options = context;

	return holidays_read(options->holidays, calendar, &options->listener, err);
}

struct series_options
prediction_options(const struct trend_options *o, const struct time_zone *zone, int shift_s)
{
	return (struct series_options){
		.periods = o->periods, .slot_ns = o->slot_ns, .zone = zone, .shift_s = shift_s,
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

/* Of how many mean deviations an interval consists on either side, after so many errors: their size is itself known
 * only roughly from few, and not at all from one. The first measure, which nothing foresaw, is in the mean as an error
 * of 0. */
static double
deviations(double confidence, size_t errors)
{
	double below = 0.5 + confidence / 2, count = (double)errors;

	if (errors < ERRORS_LEAST)
		return NAN;
	if (errors >= ERRORS_MANY)
		return DEVIATION * normal_quantile(below);
	return DEVIATION * student_quantile(below, count) * (count + 1) / count;
}

/* errors: of the predictions before this one. */
static void
tell(const struct prediction_listener *listener, const struct trend_options *o, const struct trend_point *point,
     const struct trend_step *step, size_t errors)
{
	struct predicted_point is = { .point = point, .predicted = NAN, .low = NAN, .high = NAN };
	double by;

	if (listener == NULL)
		return;
	if (step != NULL) {
		by = deviations(o->confidence, errors) * step->deviation;
		is = (struct predicted_point){ point, step->predicted, step->predicted - by, step->predicted + by,
					       step->clipped };
	}
	listener->take(listener->context, &is);
}

/* Or has none to learn. */
static bool
knows_season(const struct series *series)
{
	return series->filter.factors != NULL || season_calendar_is_flat(series->rules->calendar);
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
	tell(listener, set->options, &points->at[0], NULL, 0);
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
		/* what the season to come will explain is no news yet */
		if (knows_season(series) &&
		    change_watch_take(&series->watch, &set->options->watch, &series->filter, series->rules,
				      point->time_ns, point->value, 0, &step, &change))
			series_set_changed(set, number, text_of("", 0), change_kind_names[change.kind], &change);
		tell(listener, set->options, point, &step, i - 1);
	}
	return 0;
}

/* --- the whole record --- */

/* Levels that change slowly or stay changed are better seen with all of the record at hand than on the way. More noise
 * than before is no news beside them: it is seen where levels change, too. */
static void
drop_online_shifts(struct series_set *set, uint32_t number)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->changes.count; i++) {
		struct found_change *found = &set->changes.at[i];

		found->dropped |= found->series == number && found->change.kind == CHANGE_VARIANCE;
		if (found->series != number ||
		    (found->change.kind != CHANGE_SHIFT && found->change.kind != CHANGE_DRIFT))
			set->changes.at[kept++] = *found;
	}
	set->changes.count = kept;
}

#define FEW_HOURS 6.0		/* between measures: a day has few of them */

/* What the season of a day leaves repeats from day to day and would look like changes: there the filters on the way
 * know better. */
static bool
is_seen_whole(const struct series *series, const struct plain_points *points)
{
	return series->filter.factors == NULL || trend_usual_hours(points->at, points->count) >= FEW_HOURS;
}

static double
without_season(const struct series *series, const struct trend_point *point)
{
	struct season_place place = trend_filter_place(&series->filter, series->rules, point->time_ns);
	double factor = trend_filter_factor(&series->filter, series->rules, &place);

	return series->rules->additive ? point->value - factor : factor > 0 ? point->value / factor : point->value;
}

static void
find_shifts(struct series_set *set, uint32_t number, const struct plain_points *points)
{
	double *values = mem_new(points->count, sizeof *values);
	struct level_change *levels;
	size_t count;

	for (size_t i = 0; i < points->count; i++)
		values[i] = without_season(series_set_at(set, number), &points->at[i]);
	count = level_changes_find(values, points->count, &set->options->levels, &levels);
	drop_online_shifts(set, number);
	for (size_t i = 0; i < count; i++) {
		size_t last = (i + 1 < count ? levels[i + 1].from : points->count) - 1;
		struct change change = { .kind = CHANGE_SHIFT, .time_ns = points->at[levels[i].from].time_ns,
			.end_ns = points->at[last].time_ns, .value = levels[i].after, .expected = levels[i].before,
			.score = levels[i].steps, .before = levels[i].before, .after = levels[i].after };

		series_set_changed(set, number, text_of("", 0), change_kind_names[CHANGE_SHIFT], &change);
		set->changes.at[set->changes.count - 1].settled = true;
	}
	free(levels);
	free(values);
}

int
predict_series(struct series_set *set, uint32_t number, struct plain_points *points,
	       const struct prediction_listener *listener, struct stk_error *err)
{
	struct series *series = series_set_edit(set, number);
	struct series_options options;

	if (points->count == 0)
		return stk_fail(err, STK_EUSAGE, "%.*s: no measures", (int)series->name.size, series->name.data);
	if (set->options->fit_zone &&
	    zone_fit_find(&series->fit, set->options, points->at, points->count, err) < 0)
		return -1;
	options = prediction_options(set->options, series_zone(set, series), series_shift(series));
	series_model_open(&series->model, &options);
	if (follow(set, number, points, listener, err) < 0)
		return -1;
	series->first_ns = points->at[0].time_ns;
	series->last_ns = points->at[points->count - 1].time_ns;
	series->last = points->at[points->count - 1].value;
	if (listener != NULL)
		return 0;
	if (choose(series, points->at, points->count, err) < 0)
		return -1;
	if (is_seen_whole(series_set_at(set, number), points))
		find_shifts(set, number, points);
	return 0;
}
