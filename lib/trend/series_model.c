/* SPDX-License-Identifier: MIT
 * series_model: candidates are filters with different periods, a season repeated as it was, and the last value. Each is
 * tried from many moments of the past; near and far, those that erred less weigh more. */
#include "trend/series_model.h"

#include "base/array.h"
#include "base/probability.h"
#include "base/time_math.h"
#include "trend/season_cycles.h"

#include <math.h>
#include <stdio.h>

#define CALENDARS 5 /* none, day, week, weekdays, and the year upon weeks */
/* each filter without and with its rate; a line and a curve through the latest measures; the last day, the last week,
 * the last year, the last value */
#define WAYS        (2 * CALENDARS + 6)
#define DISTANCES   6			/* parts of the horizon, each twice as far as the one before */
#define ORIGINS     40			/* moments of the past from which forecasts are tried */
#define TRIED       12			/* distances of each */
#define EVALUATIONS 120
#define CYCLES_FOR_FORECAST 3
#define DAY_NS      INT64_C(86400000000000)
#define YEAR_OF_WEEKS (52 * 7 * DAY_NS)

struct candidate {
	const char *periods;
	struct trend_rules rules;
	double error;			/* one step ahead; below 0: it cannot be used */
	double spar;
	struct trend_filter filter;	/* at the end of the points */
	bool open;
};

struct series_model {
	struct series_options options;
	struct candidate candidates[CALENDARS];
	unsigned count, best;
	int64_t slot_ns;
	/* of the last forecast: what each way weighs at each distance, and the size of errors there */
	double weights[DISTANCES][WAYS], sizes[DISTANCES];
};

/* --- slots --- */

static int
compare_spans(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t
series_slot_ns(const struct trend_point *points, size_t count)
{
	static const int minutes[] = { 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440 };
	int64_t *spans = mem_new(count + 1, sizeof *spans), usual;
	size_t m = 0;

	for (size_t i = 1; i < count; i++)
		spans[i - 1] = points[i].time_ns - points[i - 1].time_ns;
	qsort(spans, count > 0 ? count - 1 : 0, sizeof *spans, compare_spans);
	/* where measures are missing, most gaps are longer than the interval */
	usual = count > 1 ? spans[(count - 1) / 10] : 0;
	free(spans);
	while (m + 1 < sizeof minutes / sizeof *minutes && minutes[m] * INT64_C(60000000000) < usual)
		m++;
	return minutes[m] * INT64_C(60000000000);
}

/* --- opening --- */

void
series_model_open(struct series_model **out, const struct series_options *options)
{
	*out = mem_new(1, sizeof **out);
	(*out)->options = *options;
}

static void
close_candidate(struct candidate *c)
{
	if (c->open)
		trend_filter_release(&c->filter);
	season_calendar_close(c->rules.calendar);
	spline_shelf_close(c->rules.splines);
	*c = (struct candidate){ 0 };
}

void
series_model_close(struct series_model *m)
{
	if (m == NULL)
		return;
	for (unsigned i = 0; i < CALENDARS; i++)
		close_candidate(&m->candidates[i]);
	free(m);
}

static void
set_spar(struct candidate *c, double spar)
{
	spline_shelf_close(c->rules.splines);
	c->rules.splines = NULL;
	c->spar = spar;
	if (spar > SPAR_NONE)
		spline_shelf_open(&c->rules.splines, spar);
}

static bool
any_negative(const struct trend_point *points, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (points[i].value < 0)
			return true;
	return false;
}

/* The season of the year upon the others, which takes two years. */
static void
fit_year(struct candidate *c, struct trend_point *points, size_t count)
{
	double parts[12];
	unsigned n = season_year_parts(c->rules.calendar);
	bool known;

	if (n == 0)
		return;
	season_year_set(c->rules.calendar, NULL);
	trend_points_place(&c->rules, points, count);
	known = season_year_parts_find(points, count, n, c->rules.additive, parts);
	season_year_set(c->rules.calendar, known ? parts : NULL);
}

static int
open_candidate(struct series_model *m, const char *periods, struct trend_point *points, size_t count,
	       struct stk_error *err)
{
	const struct series_options *o = &m->options;
	struct candidate *c = &m->candidates[m->count];

	m->count++;
	c->periods = periods;
	c->error = -1;
	if (season_calendar_open(&c->rules.calendar, periods, m->slot_ns, o->zone, o->shift_s, err) < 0)
		return -1;
	if (o->holidays != NULL && !season_calendar_is_flat(c->rules.calendar) &&
	    o->holidays(o->context, c->rules.calendar, err) < 0)
		return -1;
	c->rules.constants = o->constants_given ? o->constants : trend_constants_usual;
	c->rules.additive = o->additive_given ? o->additive : any_negative(points, count);
	c->rules.clip = o->clip;
	c->rules.clip_after = 50;
	c->rules.floor = 1e-3;
	c->rules.usual_hours = trend_usual_hours(points, count);
	set_spar(c, o->spar_given ? o->spar : SPAR_NONE);
	if (season_year_parts(c->rules.calendar) > 0)
		fit_year(c, points, count);
	return 0;
}

/* --- choosing --- */

static double
try_constants(struct series_model *m, struct candidate *c, const struct trend_point *points, size_t count, size_t from)
{
	if (m->options.constants_given)
		return trend_loss(&c->rules, points, count, trend_fit_begin(&c->rules, points, count), from, false)
			.mean_error;
	return trend_fit(&c->rules, points, count, from,
			 m->options.evaluations > 0 ? m->options.evaluations : EVALUATIONS)
		.mean_error;
}

/* Whether the same with a change does better: then it is kept. */
static void
try_spar(struct series_model *m, struct candidate *c, double spar, const struct trend_point *points, size_t count,
	 size_t from)
{
	struct trend_constants before = c->rules.constants;
	double had = c->spar, error;

	set_spar(c, spar);
	error = try_constants(m, c, points, count, from);
	if (error < c->error * 0.99) {
		c->error = error;
		return;
	}
	set_spar(c, had);
	c->rules.constants = before;
	c->rules.powers[0] = 0;
}

/* Whether seasons add or multiply; what is known of the year is in these terms. */
static void
set_additive(struct candidate *c, bool additive, struct trend_point *points, size_t count)
{
	c->rules.additive = additive;
	fit_year(c, points, count);
	trend_points_place(&c->rules, points, count);
}

static void
try_additive(struct series_model *m, struct candidate *c, struct trend_point *points, size_t count, size_t from)
{
	struct trend_constants before = c->rules.constants;
	double error;

	set_additive(c, true, points, count);
	error = try_constants(m, c, points, count, from);
	if (error < c->error * 0.98) {
		c->error = error;
		return;
	}
	set_additive(c, false, points, count);
	c->rules.constants = before;
	c->rules.powers[0] = 0;
}

static bool
lacks_year(const struct candidate *c)
{
	return season_year_parts(c->rules.calendar) > 0 && season_year(c->rules.calendar) == NULL;
}

/* All candidates are measured over the same points: those that the slowest of them can predict. */
static int
open_candidates(struct series_model *m, struct trend_point *points, size_t count, size_t *from, struct stk_error *err)
{
	static const char *const names[CALENDARS] = { "none", "day", "week", "weekdays", "week*months" };

	for (unsigned i = 0; i < CALENDARS; i++)
		close_candidate(&m->candidates[i]);
	m->count = 0;
	m->slot_ns = m->options.slot_ns > 0 ? m->options.slot_ns : series_slot_ns(points, count);
	*from = 0;
	for (unsigned i = 0; i < (m->options.periods != NULL ? 1 : CALENDARS); i++) {
		size_t begin;

		if (open_candidate(m, m->options.periods != NULL ? m->options.periods : names[i], points, count, err) <
		    0)
			return -1;
		begin = trend_fit_begin(&m->candidates[i].rules, points, count);
		/* too short to be judged */
		if (m->options.periods == NULL &&
		    ((begin + begin / 4 > count && i > 0) || lacks_year(&m->candidates[i]))) {
			close_candidate(&m->candidates[--m->count]);
			break;
		}
		*from = begin > *from && begin < count ? begin : *from;
	}
	return 0;
}

static void
start_filter(struct candidate *c, struct trend_point *points, size_t count)
{
	size_t begin = trend_fit_begin(&c->rules, points, count);
	struct trend_step step;

	trend_start(&c->filter, &c->rules, points, begin);
	c->open = true;
	for (size_t i = begin; i < count; i++)
		trend_filter_update_at(&c->filter, &c->rules, &points[i].place, points[i].time_ns, points[i].value,
				       points[i].weight, &step);
}

int
series_model_choose(struct series_model *m, struct trend_point *points, size_t count, struct stk_error *err)
{
	size_t from;

	if (open_candidates(m, points, count, &from, err) < 0)
		return -1;
	m->best = 0;
	for (unsigned i = 0; i < m->count; i++) {
		struct candidate *c = &m->candidates[i];

		trend_points_place(&c->rules, points, count);
		c->error = try_constants(m, c, points, count, from);
		if (c->error < m->candidates[m->best].error)
			m->best = i;
	}
	if (!season_calendar_is_flat(m->candidates[m->best].rules.calendar)) {
		struct candidate *c = &m->candidates[m->best];

		trend_points_place(&c->rules, points, count);
		if (!m->options.additive_given && !c->rules.additive)
			try_additive(m, c, points, count, from);
		if (!m->options.spar_given)
			try_spar(m, c, 0, points, count, from);
		if (!m->options.spar_given && c->spar > SPAR_NONE)
			try_spar(m, c, 0.3, points, count, from);
	}
	trend_points_place(&m->candidates[m->best].rules, points, count);
	return 0;
}

struct trend_rules *
series_model_rules(struct series_model *m)
{
	return &m->candidates[m->best].rules;
}

const char *
series_model_periods(const struct series_model *m)
{
	return m->candidates[m->best].periods;
}

double
series_model_spar(const struct series_model *m)
{
	return m->candidates[m->best].spar;
}

double
series_model_error(const struct series_model *m)
{
	return m->candidates[m->best].error;
}

/* --- ways of forecasting --- */

/* The value some days before a moment, between the points around it; counted back until it is past. NAN: there is
 * none. */
static double
value_before(const struct trend_point *points, size_t count, int64_t time_ns, int64_t back_ns)
{
	size_t low = 0, high = count;
	int64_t last = points[count - 1].time_ns;

	time_ns -= ((time_ns - last - 1) / back_ns + (time_ns > last)) * back_ns;
	if (time_ns < points[0].time_ns)
		return NAN;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (points[middle].time_ns <= time_ns)
			low = middle;
		else
			high = middle;
	}
	if (high == count || points[low].time_ns == time_ns)
		return points[low].value;
	return points[low].value + (points[high].value - points[low].value) * (double)(time_ns - points[low].time_ns) /
					   (double)(points[high].time_ns - points[low].time_ns);
}

/* The rate fades: half of it is left after as long as the horizon. */
static double
filter_forecast(const struct trend_filter *f, struct trend_rules *rules, int64_t time_ns, double fade_hours)
{
	double hours = (double)(time_ns - f->time_ns) / HOUR_NS, factor, level = f->level, echo;
	struct season_place place = trend_filter_place(f, rules, time_ns);

	factor = trend_filter_factor(f, rules, &place);
	if (fade_hours > 0)
		level += f->rate * fade_hours / M_LN2 * -expm1(-hours * M_LN2 / fade_hours);
	echo = rules->constants.phi > 0 && rules->usual_hours > 0
		       ? f->last_error * pow(rules->constants.phi, hours / rules->usual_hours)
		       : 0;
	return rules->additive ? level + factor + echo : (level + echo) * factor;
}

/* --- a line and a curve --- */

#define CURVE_HORIZONS 3.0	/* of the past that they go through */
#define CURVE_POINTS   500	/* of these at most */
#define CURVE_LEAST    24

/* Through the latest measures without their season, by least squares; x in horizons from the last one. */
struct local_curve {
	bool known;
	double line[2], curve[3];	/* constant, linear, square */
	int64_t last_ns;
	double horizon_hours;
};

/* Solves the symmetric n x n equations a z = b by elimination; false: they do not say. */
static bool
solve(double a[3][3], double *b, unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		if (!(fabs(a[k][k]) > 1e-12))
			return false;
		for (unsigned i = k + 1; i < n; i++) {
			double part = a[i][k] / a[k][k];

			for (unsigned j = k; j < n; j++)
				a[i][j] -= part * a[k][j];
			b[i] -= part * b[k];
		}
	}
	for (unsigned k = n; k-- > 0;) {
		for (unsigned j = k + 1; j < n; j++)
			b[k] -= a[k][j] * b[j];
		b[k] /= a[k][k];
	}
	return true;
}

/* The mean powers of x, and of x and y: what the equations are made of. */
static bool
fit_powers(const double *powers, const double *with_y, unsigned n, double *to)
{
	double a[3][3];

	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = 0; j < n; j++)
			a[i][j] = powers[i + j];
		to[i] = with_y[i];
	}
	return solve(a, to, n);
}

static struct local_curve
fit_curve(struct series_model *m, const struct trend_filter *filters, const struct trend_point *points, size_t count,
	  double horizon_hours)
{
	const struct trend_filter *f = &filters[m->best];
	struct trend_rules *rules = &m->candidates[m->best].rules;
	struct local_curve c = { .last_ns = points[count - 1].time_ns, .horizon_hours = horizon_hours };
	double powers[5] = { 0 }, with_y[3] = { 0 }, n = 0;
	size_t from = count, stride;

	while (from > 0 &&
	       (double)(c.last_ns - points[from - 1].time_ns) / HOUR_NS <= CURVE_HORIZONS * horizon_hours)
		from--;
	stride = (count - from) / CURVE_POINTS + 1;
	for (size_t i = count; i > from; i -= i > stride ? stride : i) {
		const struct trend_point *p = &points[i - 1];
		struct season_place place = trend_filter_place(f, rules, p->time_ns);
		double factor = trend_filter_factor(f, rules, &place), power = 1,
		       x = (double)(p->time_ns - c.last_ns) / HOUR_NS / horizon_hours,
		       y = rules->additive ? p->value - factor : p->value / factor;

		for (unsigned k = 0; k < 5; k++, power *= x) {
			powers[k] += power;
			if (k < 3)
				with_y[k] += power * y;
		}
		n++;
	}
	/* so much of the past as they reach ahead is no less than twice that */
	c.known = n >= CURVE_LEAST && from > 0 && fit_powers(powers, with_y, 2, c.line) &&
		  fit_powers(powers, with_y, 3, c.curve);
	return c;
}

static double
curve_forecast(struct series_model *m, const struct trend_filter *filters, const struct local_curve *c, bool square,
	       int64_t time_ns)
{
	const struct trend_filter *f = &filters[m->best];
	struct trend_rules *rules = &m->candidates[m->best].rules;
	struct season_place place = trend_filter_place(f, rules, time_ns);
	double x = (double)(time_ns - c->last_ns) / HOUR_NS / c->horizon_hours,
	       level = square ? c->curve[0] + (c->curve[1] + c->curve[2] * x) * x : c->line[0] + c->line[1] * x,
	       factor = trend_filter_factor(f, rules, &place);

	return rules->additive ? level + factor : level * factor;
}

/* What each way says; NAN where it cannot. */
static void
forecast_ways(struct series_model *m, struct trend_filter *filters, const struct local_curve *curve,
	      const struct trend_point *points, size_t count, int64_t time_ns, double horizon_hours, double *ways)
{
	for (unsigned w = 0; w < WAYS; w++)
		ways[w] = NAN;
	for (unsigned i = 0; i < m->count; i++) {
		struct candidate *c = &m->candidates[i];

		ways[2 * i] = filter_forecast(&filters[i], &c->rules, time_ns, 0);
		ways[2 * i + 1] = filter_forecast(&filters[i], &c->rules, time_ns, horizon_hours / 2);
	}
	ways[2 * CALENDARS] = value_before(points, count, time_ns, DAY_NS);
	ways[2 * CALENDARS + 1] = value_before(points, count, time_ns, 7 * DAY_NS);
	ways[2 * CALENDARS + 2] = value_before(points, count, time_ns, YEAR_OF_WEEKS);
	ways[2 * CALENDARS + 3] = points[count - 1].value;
	if (curve->known) {
		ways[2 * CALENDARS + 4] = curve_forecast(m, filters, curve, false, time_ns);
		ways[2 * CALENDARS + 5] = curve_forecast(m, filters, curve, true, time_ns);
	}
}

/* --- how they did --- */

static unsigned
distance_of(double hours, double horizon_hours)
{
	double part = hours / horizon_hours;
	unsigned d = DISTANCES - 1;

	while (d > 0 && part <= 1.0 / (1u << (DISTANCES - d)))
		d--;
	return d;
}

struct trial { double value, ways[WAYS]; unsigned distance; };

struct trials { struct trial *at; size_t count, room; };

static void
try_from(struct series_model *m, struct trend_filter *filters, const struct trend_point *points, size_t count,
	 size_t origin, double horizon_hours, struct trials *trials)
{
	int64_t last = points[origin - 1].time_ns;
	struct local_curve curve = fit_curve(m, filters, points, origin, horizon_hours);
	size_t end = origin, step;

	while (end < count && (double)(points[end].time_ns - last) / HOUR_NS <= horizon_hours)
		end++;
	/* near ones one by one, far ones with steps between */
	step = 1;
	for (size_t i = origin, tried = 0; i < end; i += step, tried++) {
		struct trial *trial = array_push(trials);

		forecast_ways(m, filters, &curve, points, origin, points[i].time_ns, horizon_hours, trial->ways);
		trial->value = points[i].value;
		trial->distance = distance_of((double)(points[i].time_ns - last) / HOUR_NS, horizon_hours);
		step = (end - origin) / TRIED > 0 ? (tried < 3 ? 1 : (end - origin) / TRIED) : 1;
	}
}

static void
run_trials(struct series_model *m, struct trend_point *points, size_t count, double horizon_hours,
	   struct trials *trials)
{
	struct trend_filter filters[CALENDARS];
	struct trend_step step;
	size_t first = 1, next, gap;

	for (unsigned i = 0; i < m->count; i++) {
		size_t begin = trend_fit_begin(&m->candidates[i].rules, points, count);

		first = begin > first ? begin : first;
	}
	first = first >= count ? count - 1 : first;
	first = first < count / 4 ? count / 4 : first;
	for (unsigned i = 0; i < m->count; i++) {
		struct trend_rules *rules = &m->candidates[i].rules;
		size_t begin = trend_fit_begin(rules, points, count);

		begin = begin > first ? first : begin;
		trend_points_place(rules, points, count);
		trend_start(&filters[i], rules, points, begin);
		for (size_t k = begin; k < first; k++)
			trend_filter_update_at(&filters[i], rules, &points[k].place, points[k].time_ns, points[k].value,
					       points[k].weight, &step);
	}
	gap = (count - first) / ORIGINS + 1;
	gap += gap % 2 == 0;		/* origins at many times of day */
	next = first;
	for (size_t k = first; k < count; k++) {
		if (k == next) {
			try_from(m, filters, points, count, k, horizon_hours, trials);
			next += gap;
		}
		for (unsigned i = 0; i < m->count; i++)
			trend_filter_update(&filters[i], &m->candidates[i].rules, points[k].time_ns, points[k].value,
					    points[k].weight, &step);
	}
	for (unsigned i = 0; i < m->count; i++)
		trend_filter_release(&filters[i]);
}

static double
combine(const double *weights, const double *ways)
{
	double sum = 0, weight = 0;

	for (unsigned w = 0; w < WAYS; w++)
		if (!isnan(ways[w]) && weights[w] > 0) {
			sum += weights[w] * ways[w];
			weight += weights[w];
		}
	return weight > 0 ? sum / weight : NAN;
}

/* Weights fall with a high power of the error: the better ones share, the bad ones are out. */
static void
weigh_ways(struct series_model *m, const struct trials *trials)
{
	for (unsigned d = 0; d < DISTANCES; d++) {
		double errors[WAYS] = { 0 }, counts[WAYS] = { 0 }, least = INFINITY, all = 0;

		/* neighbouring distances count a little, so that few trials do not decide */
		for (size_t t = 0; t < trials->count; t++) {
			const struct trial *trial = &trials->at[t];
			unsigned apart = trial->distance > d ? trial->distance - d : d - trial->distance;
			double share = apart == 0 ? 1 : apart == 1 ? 0.25 : 0;

			for (unsigned w = 0; w < WAYS && share > 0; w++)
				if (!isnan(trial->ways[w])) {
					errors[w] += share * fabs(trial->ways[w] - trial->value);
					counts[w] += share;
				}
			all += share;
		}
		for (unsigned w = 0; w < WAYS; w++) {
			errors[w] = counts[w] > all * 0.5 ? errors[w] / counts[w] : NAN;
			if (!isnan(errors[w]) && errors[w] < least)
				least = errors[w];
		}
		for (unsigned w = 0; w < WAYS; w++)
			m->weights[d][w] = isnan(errors[w]) ? 0
					   : least > 0      ? pow(least / errors[w], 8)
							    : errors[w] <= 0;
		for (unsigned w = 0; w < WAYS; w++)
			if (m->weights[d][w] < 0.15)
				m->weights[d][w] = 0;
	}
}

static void
measure_sizes(struct series_model *m, const struct trials *trials)
{
	double most = 0;

	for (unsigned d = 0; d < DISTANCES; d++) {
		double sum = 0, squares = 0, count = 0;

		for (size_t t = 0; t < trials->count; t++) {
			double e;

			if (trials->at[t].distance != d)
				continue;
			e = fabs(combine(m->weights[d], trials->at[t].ways) - trials->at[t].value);
			if (isnan(e))
				continue;
			sum += e;
			squares += e * e;
			count++;
		}
		/* the larger of two measures of spread: tails can be heavy */
		m->sizes[d] = count > 0 ? fmax(1.2533 * sum / count, sqrt(squares / count)) : 0;
		most = m->sizes[d] = fmax(most, m->sizes[d]);	/* what is farther is not known better */
	}
}

static int
check_past(struct series_model *m, const struct trend_point *points, size_t count, double horizon_hours,
	   struct stk_error *err)
{
	const struct candidate *c = &m->candidates[m->best];
	double cycles = trend_cycles_seen(&c->rules, points, count),
	       past = count > 1 ? (double)(points[count - 1].time_ns - points[0].time_ns) / HOUR_NS : 0;
	char seen[TIME_TEXT_MAX], needed[TIME_TEXT_MAX];

	if (m->options.periods != NULL && !season_calendar_is_flat(c->rules.calendar) &&
	    cycles < CYCLES_FOR_FORECAST - 0.01)
		return stk_fail(
			err, STK_EUSAGE,
			"a forecast by %s periods: %d cycles seen, %d needed (two to begin with, one to be judged by)",
			c->periods, (int)(cycles + 0.01), CYCLES_FOR_FORECAST);
	if (m->options.periods != NULL && lacks_year(c))
		return stk_fail(err, STK_EUSAGE, "a forecast by %s periods: two years are needed, %.0f days seen",
				c->periods, past / 24);
	if (count < 20)
		return stk_fail(err, STK_EUSAGE, "a forecast: %zu %s seen, 20 needed", count,
				count == 1 ? "measure" : "measures");
	if (past < 1.5 * horizon_hours)
		return stk_fail(err, STK_EUSAGE, "a forecast so far ahead: %s of data seen, %s needed",
				duration_print(seen, int64_of(past * HOUR_NS)),
				duration_print(needed, int64_of(1.5 * horizon_hours * HOUR_NS)));
	return 0;
}

int
series_model_forecast(struct series_model *m, const struct trend_point *points, size_t count, double confidence,
		      struct forecast_value *values, size_t wanted, struct stk_error *err)
{
	double horizon = wanted == 0 ? 0 : (double)(values[wanted - 1].time_ns - points[count - 1].time_ns) / HOUR_NS,
	       z = normal_quantile(0.5 + confidence / 2);
	struct trend_point *copy;
	struct trend_filter filters[CALENDARS];
	struct local_curve curve;
	struct trials trials = { 0 };

	if (wanted == 0)
		return 0;
	if (check_past(m, points, count, horizon, err) < 0)
		return -1;
	copy = mem_new(count, sizeof *copy);
	memcpy(copy, points, count * sizeof *copy);
	run_trials(m, copy, count, horizon, &trials);
	weigh_ways(m, &trials);
	measure_sizes(m, &trials);
	for (unsigned i = 0; i < m->count; i++) {
		trend_points_place(&m->candidates[i].rules, copy, count);
		if (!m->candidates[i].open)
			start_filter(&m->candidates[i], copy, count);
		filters[i] = m->candidates[i].filter;
	}
	curve = fit_curve(m, filters, points, count, horizon);
	for (size_t i = 0; i < wanted; i++) {
		double ways[WAYS], hours = (double)(values[i].time_ns - points[count - 1].time_ns) / HOUR_NS;
		unsigned d = distance_of(hours, horizon);

		forecast_ways(m, filters, &curve, points, count, values[i].time_ns, horizon, ways);
		values[i].value = combine(m->weights[d], ways);
		values[i].low = values[i].value - z * m->sizes[d];
		values[i].high = values[i].value + z * m->sizes[d];
	}
	array_release(&trials);
	free(copy);
	return 0;
}
