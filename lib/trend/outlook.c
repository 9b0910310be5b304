/* SPDX-License-Identifier: MIT
 * outlook: forecasts by the filter alone, or by the model of a plain series; limits by the hours of a metric, or by a
 * robust line. */
#include "trend/outlook.h"

#include "base/probability.h"
#include "base/time_math.h"
#include "trend/class_paths.h"
#include "trend/epochs.h"
#include "trend/metric_forecast.h"

#include <math.h>
#include <stdlib.h>

#define FADE_HOURS  24.0	/* the time after which half of a rate is left, in forecasts of filters alone */
#define DAY_HOURS   24.0
#define DAY_NS      8.64e13
#define YEARS_MOST  20
#define STEPS_LEAST 20
#define SEASON_P    0.05	/* of a season by chance, for limits */

/* --- forecasts --- */

/* By the filter alone, and the standard deviation: each step adds what the level may have moved by meanwhile. */
static double
forecast_by_filter(const struct series *s, int64_t time_ns, double *spread)
{
	const struct trend_filter *f = &s->filter;
	struct trend_rules *rules = s->rules;
	double hours = fmax(0, (double)(time_ns - f->time_ns) / HOUR_NS),
	       steps = rules->usual_hours > 0 ? hours / rules->usual_hours : 1;
	double level = series_level(s) + f->rate * FADE_HOURS / M_LN2 * -expm1(-hours * M_LN2 / FADE_HOURS);
	double gain = f->level_weight > 0 ? 1 / f->level_weight : 1;
	struct season_place place = trend_filter_place(f, rules, time_ns);
	double factor = trend_filter_factor(f, rules, &place);
	double of_step =
		1.2533 * fmax(f->deviation, rules->floor * fabs(f->level)) * sqrt(1 + fmax(0, steps - 1) * gain * gain);
	double value = rules->additive ? level + factor : level * factor;

	*spread = of_step * (rules->additive ? 1 : factor);
	/* by night fewer threads vary less, but not in proportion */
	if (f->dumps > 0)
		*spread = fmax(*spread, sqrt(fmax(value, 0) / f->dumps));
	return s->kind <= STK_SERIES_GROUP ? fmax(value, 0) : value;	/* counts are not below 0 */
}

/* A segment has the threads of all classes that go through it, where these are known: the forecasts of a call tree add
 * up. How far off they are is known best of the segment itself. */
static void
forecast_counts(const struct series_set *set, uint32_t number, double z, struct forecast_value *value)
{
	const struct series *s = series_set_at(set, number);
	double spread, of_class;
	size_t count;
	const uint32_t *classes = class_paths_of(set, number, &count);

	value->value = forecast_by_filter(s, value->time_ns, &spread);
	if (classes != NULL)
		value->value = 0;
	for (size_t i = 0; classes != NULL && i < count; i++)
		value->value += forecast_by_filter(series_set_at(set, classes[i]), value->time_ns, &of_class);
	value->low = value->value - z * spread;
	value->high = value->value + z * spread;
	if (s->kind <= STK_SERIES_GROUP)
		value->low = fmax(value->low, 0);
}

/* With periods that were asked for a forecast without them is none. */
static int
check_cycles(const struct series_set *set, const struct series *s, struct stk_error *err)
{
	const struct season_calendar *last = set->rules[set->stages - 1].calendar;
	double days;

	if (s->filter.factors != NULL || set->options->periods == NULL || season_calendar_is_flat(last))
		return 0;
	days = ((double)(s->last_ns - s->first_ns) + (double)set->step_ns) / DAY_NS;
	return stk_fail(err, STK_EUSAGE, "a forecast by %s periods: %d cycles seen, 2 needed", set->options->periods,
			(int)(days / season_cycle_days(last)));
}

static bool
forecast_carefully(const struct series_set *set, uint32_t number, struct forecast_value *values, size_t count)
{
	struct metric_forecast f;
	bool known = metric_forecast_open(&f, set, number) &&
		     metric_forecast_values(&f, set->options->confidence, values, count);

	metric_forecast_release(&f);
	return known;
}

int
outlook_forecast(const struct series_set *set, uint32_t number, const struct plain_points *plain, bool careful,
		 struct forecast_value *values, size_t count, struct stk_error *err)
{
	const struct series *s = series_set_at(set, number);
	double z = normal_quantile(0.5 + set->options->confidence / 2);

	if (s->model != NULL)
		return series_model_forecast(s->model, plain->at, plain->count, set->options->confidence, values, count,
					     err);
	if (s->filter.count < STEPS_LEAST)
		return stk_fail(err, STK_EUSAGE, "a forecast takes more: %llu of %d steps seen",
				(unsigned long long)s->filter.count, STEPS_LEAST);
	if (check_cycles(set, s, err) < 0)
		return -1;
	if (careful && forecast_carefully(set, number, values, count))
		return 0;
	for (size_t i = 0; i < count; i++)
		forecast_counts(set, number, z, &values[i]);
	return 0;
}

int64_t
outlook_step_ns(const struct series_set *set, uint32_t number, const struct plain_points *plain)
{
	if (set->options->step_ns > 0)
		return set->options->step_ns;
	return series_set_at(set, number)->model != NULL ? series_slot_ns(plain->at, plain->count) : set->step_ns;
}

/* --- limits --- */

struct kept_point *
outlook_points(const struct series_set *set, uint32_t number, const struct plain_points *plain, size_t *count)
{
	const struct series *s = series_set_at(set, number);
	bool measured = s->measures.count > 0;
	struct kept_point *points;

	*count = plain != NULL ? plain->count : measured ? s->measures.count : s->history.count;
	points = mem_new(*count + 1, sizeof *points);
	for (size_t i = 0; plain != NULL && i < *count; i++)
		points[i] = (struct kept_point){ plain->at[i].time_ns, plain->at[i].value };
	if (plain == NULL && *count > 0)
		memcpy(points, measured ? s->measures.at : s->history.at, *count * sizeof *points);
	return points;
}

/* A season that chance explains as well is none: its highest slot would bring the limit nearer. */
static bool
has_season(const struct series *s)
{
	return s->filter.factors != NULL &&
	       (s->model != NULL || !(season_check_p(&s->season, &s->filter, s->rules, false) > SEASON_P));
}

void
outlook_without_season(const struct series *s, const struct kept_point *points, size_t count, double *x, double *y)
{
	bool seasonal = has_season(s);

	for (size_t i = 0; i < count; i++) {
		struct season_place place = trend_filter_place(&s->filter, s->rules, points[i].time_ns);
		double factor;

		place.year = 0;		/* a limit is not of one part of the year */
		factor = trend_filter_factor(&s->filter, s->rules, &place);
		factor = seasonal ? factor : s->rules->additive ? 0 : 1;
		x[i] = (double)(points[i].time_ns - points[count - 1].time_ns) / HOUR_NS / DAY_HOURS;
		y[i] = s->rules->additive ? points[i].value - factor : points[i].value / factor;
	}
}

/* The limit for a level: the season's highest slot reaches the limit itself. */
static double
limit_of_level(const struct series *s, double limit)
{
	double most = s->rules->additive ? 0 : 1;

	for (unsigned k = 0; has_season(s) && k < season_slots(s->rules->calendar); k++)
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
	return isnan(days) ? INT64_MAX : time_clamp(time_sum(from_ns, int64_of(days * DAY_NS)));
}

static struct outlook
read_line(const struct series *s, const struct robust_line *line, int64_t last_ns, double limit, double z)
{
	double of_level = limit_of_level(s, limit), when = day_reached(line, of_level, 0);

	return (struct outlook){
		.known = isfinite(line->slope_error), .never = isnan(when),
		.now = line_at(line, 0), .rate = line->slope, .rate_error = z * line->slope_error,
		.when_ns = moment_in(last_ns, when),
		.earliest_ns = moment_in(last_ns, day_reached(line, of_level, z)),
		.latest_ns = moment_in(last_ns, day_reached(line, of_level, -z))
	};
}

static int
compare_lengths(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Of the epochs that lasted longer than the present one has: which lasted until the value is reached? The next restart
 * is due after as long as most of them lasted. */
static void
count_longer(struct outlook *outlook, const int64_t *starts_ns, size_t epochs, int64_t last_ns)
{
	int64_t age, wanted, *lengths = mem_new(epochs, sizeof *lengths), usual;

	outlook->restarts = epochs - 1;
	outlook->since_ns = starts_ns[epochs - 1];
	outlook->next_ns = INT64_MAX;
	age = time_difference(outlook->since_ns, last_ns);
	wanted = outlook->never ? INT64_MAX : time_difference(outlook->since_ns, outlook->when_ns);
	for (size_t e = 0; e + 1 < epochs; e++) {
		lengths[e] = time_difference(starts_ns[e], starts_ns[e + 1]);
		outlook->longer += lengths[e] > age && lengths[e] >= wanted;
		outlook->shorter += lengths[e] > age && lengths[e] < wanted;
	}
	if (epochs > 2) { /* the first epoch began before the record */
		qsort(lengths + 1, epochs - 2, sizeof *lengths, compare_lengths);
		usual = lengths[1 + (epochs - 2) / 2];
		if (usual > age)
			outlook->next_ns = time_sum(outlook->since_ns, usual);
	}
	free(lengths);
}

static struct outlook
outlook_by_hours(const struct metric_line *m, int64_t last_ns, double limit, double z)
{
	struct outlook outlook = { .known = true,
				   .now = capacity_level(&m->line, (double)(last_ns - m->origin_ns) / DAY_NS),
				   .rate = m->line.slope,
				   .rate_error = z * m->line.factor * sqrt(m->line.slope_variance),
				   .when_ns = metric_line_reaches(m, limit, 0),
				   .earliest_ns = metric_line_reaches(m, limit, z),
				   .latest_ns = metric_line_reaches(m, limit, -z),
				   .trials = m->line.trials };
	int64_t *const moments[] = { &outlook.when_ns, &outlook.earliest_ns, &outlook.latest_ns };

	for (size_t i = 0; i < 3; i++)
		if (*moments[i] != INT64_MAX) /* an hour that has begun is now */
			*moments[i] = *moments[i] < last_ns ? last_ns : time_clamp(*moments[i]);
	outlook.never = outlook.when_ns == INT64_MAX;
	count_longer(&outlook, m->starts_ns, m->epochs, last_ns);
	return outlook;
}

static struct outlook
outlook_by_measures(const struct series *s, const struct kept_point *points, size_t count, double limit, double z)
{
	double *x = mem_new(count, sizeof *x), *y = mem_new(count, sizeof *y);
	int64_t last_ns = points[count - 1].time_ns, *starts_ns;
	struct robust_line line;
	struct outlook outlook;
	size_t *starts, epochs;

	outlook_without_season(s, points, count, x, y);
	epochs = epochs_find(x, y, count, EPOCHS_FALL, &starts);
	line = epochs_line(x, y, count, starts, epochs);
	outlook = read_line(s, &line, last_ns, limit, z);
	starts_ns = mem_new(epochs, sizeof *starts_ns);
	for (size_t e = 0; e < epochs; e++)
		starts_ns[e] = points[starts[e]].time_ns;
	count_longer(&outlook, starts_ns, epochs, last_ns);
	free(starts_ns);
	free(starts);
	free(x);
	free(y);
	return outlook;
}

struct outlook
outlook_of_limit(const struct series_set *set, uint32_t number, const struct plain_points *plain, double limit)
{
	double z = normal_quantile(0.5 + set->options->confidence / 2);
	struct outlook outlook = { 0 };
	struct metric_line m;
	size_t count;
	struct kept_point *points = outlook_points(set, number, plain, &count);

	if (count >= OUTLOOK_POINTS_LEAST && metric_line_fit(&m, set, number, points, count)) {
		outlook = outlook_by_hours(&m, points[count - 1].time_ns, limit, z);
		metric_line_release(&m);
	} else if (count >= OUTLOOK_POINTS_LEAST) {
		outlook = outlook_by_measures(series_set_at(set, number), points, count, limit, z);
	}
	free(points);
	return outlook;
}
