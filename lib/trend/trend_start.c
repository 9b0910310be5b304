/* SPDX-License-Identifier: MIT
 * trend_start: slot means first, so that a crowd of measures in one slot is one voice; then their ratios to the level
 * of their cycle. */
#include "trend/trend_start.h"

#include "base/array.h"

#include <math.h>

#define CYCLES_LEAST 2
#define DAY_HOURS    24

/* The mean of a slot of one day. */
struct cell { int64_t time_ns, day; unsigned period, slot; double value, weight; };

struct cells { struct cell *at; size_t count, room; };

double
trend_usual_hours(const struct trend_point *points, size_t count)
{
	return count < 2 ? 0 : (double)(points[count - 1].time_ns - points[0].time_ns) / HOUR_NS / (double)(count - 1);
}

double
trend_cycles_seen(const struct trend_rules *rules, const struct trend_point *points, size_t count)
{
	/* the last point counts for an interval, too */
	double hours = count < 2 ? 0 : trend_usual_hours(points, count) * (double)count;

	return hours / DAY_HOURS / season_cycle_days(rules->calendar);
}

static double
without_year(const struct trend_rules *rules, const struct trend_point *point)
{
	return rules->additive ? point->value - point->place.year : point->value / (1 + point->place.year);
}

/* Without the season of the year, which is not what factors are made of. */
static void
fill_cells(struct cells *cells, const struct trend_rules *rules, const struct trend_point *points, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct season_place place = points[i].place;
		struct cell *cell = cells->count == 0 ? NULL : &cells->at[cells->count - 1];

		if (cell == NULL || cell->slot != place.slot || cell->day != place.day) {
			cell = array_push(cells);
			*cell = (struct cell){ .time_ns = points[i].time_ns,
					       .day = place.day,
					       .period = place.period,
					       .slot = place.slot };
		}
		cell->weight += points[i].weight;
		cell->value += (without_year(rules, &points[i]) - cell->value) * points[i].weight / cell->weight;
	}
}

/* --- single outliers --- */

#define AROUND 5		/* cells that are neighbours, the one itself in the middle */

static int
compare_reals(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median_around(const struct cells *cells, size_t i)
{
	size_t from = i < AROUND / 2 ? 0 : i - AROUND / 2,
	       count = cells->count - from < AROUND ? cells->count - from : AROUND;
	double near[AROUND];

	for (size_t k = 0; k < count; k++)
		near[k] = cells->at[from + k].value;
	qsort(near, count, sizeof *near, compare_reals);
	return near[count / 2];
}

/* A cell far from its neighbours becomes their median, so that one wild measure does not make a factor: the filter
 * itself cannot tell yet. */
static void
calm_cells(struct cells *cells, const struct trend_rules *rules)
{
	double *medians = mem_new(cells->count + 1, sizeof *medians),
	       *distances = mem_new(cells->count + 1, sizeof *distances), usual;

	for (size_t i = 0; i < cells->count; i++) {
		medians[i] = median_around(cells, i);
		distances[i] = fabs(cells->at[i].value - medians[i]);
	}
	qsort(distances, cells->count, sizeof *distances, compare_reals);
	usual = distances[cells->count * 3 / 4];
	for (size_t i = 0; i < cells->count && rules->clip > 0; i++)
		if (usual > 0 && fabs(cells->at[i].value - medians[i]) > 2 * rules->clip * usual)
			cells->at[i].value = medians[i];
	free(medians);
	free(distances);
}

/* --- levels of cycles --- */

struct levels { double *at; size_t count; int64_t first_day; unsigned days; };

static void
measure_levels(struct levels *levels, const struct cells *cells, unsigned days)
{
	int64_t last = cells->at[cells->count - 1].day;
	double *weights;

	levels->first_day = cells->at[0].day;
	levels->days = days;
	levels->count = (size_t)(last - levels->first_day + 1) / days;
	levels->count = levels->count == 0 ? 1 : levels->count;
	levels->at = mem_new(levels->count, sizeof *levels->at);
	weights = mem_new(levels->count, sizeof *weights);
	for (size_t i = 0; i < cells->count; i++) {
		size_t cycle = (size_t)(cells->at[i].day - levels->first_day) / days;

		if (cycle >= levels->count)	/* a cycle that is not over */
			break;
		levels->at[cycle] += cells->at[i].value;
		weights[cycle]++;
	}
	for (size_t c = 0; c < levels->count; c++)
		levels->at[c] = weights[c] > 0 ? levels->at[c] / weights[c] : c > 0 ? levels->at[c - 1] : 0;
	free(weights);
}

/* The level at a day: on the line between the middles of cycles. */
static double
level_at(const struct levels *l, double day)
{
	double at = (day - (double)l->first_day + 0.5) / l->days - 0.5;
	size_t cycle;

	if (at <= 0 || l->count == 1)
		return l->at[0];
	cycle = (size_t)at;
	if (cycle + 1 >= l->count)
		return l->at[l->count - 1];
	return l->at[cycle] + (l->at[cycle + 1] - l->at[cycle]) * (at - (double)cycle);
}

/* --- factors --- */

static void
fill_gaps(double *factors, const double *weights, const struct season_period *period)
{
	unsigned n = period->slots, known = n;

	for (unsigned s = 0; s < n && known == n; s++)
		if (weights[period->first + s] > 0)
			known = s;
	if (known == n)
		return;
	/* around the ring, from a slot that is known to the next one */
	for (unsigned from = known, left = n; left > 0; ) {
		unsigned gap = 1;

		while (weights[period->first + (from + gap) % n] <= 0)
			gap++;
		for (unsigned k = 1; k < gap; k++) {
			double a = factors[period->first + from], b = factors[period->first + (from + gap) % n];

			factors[period->first + (from + k) % n] = a + (b - a) * k / gap;
		}
		left -= gap < left ? gap : left;
		from = (from + gap) % n;
	}
}

/* A period that was not seen yet has the mean of what the others have at its time of day. */
static void
fill_periods(double *factors, const double *weights, const struct season_calendar *calendar, double neutral)
{
	unsigned per_day = (unsigned)(INT64_C(86400000000000) / season_slot_ns(calendar));

	for (unsigned p = 0; p < season_periods(calendar); p++) {
		const struct season_period *period = season_period(calendar, p);
		bool known = false;

		for (unsigned s = 0; s < period->slots; s++)
			known |= weights[period->first + s] > 0;
		for (unsigned s = 0; s < period->slots && !known; s++) {
			double sum = 0, count = 0;

			for (unsigned q = 0; q < season_periods(calendar) && period->days > 0; q++) {
				const struct season_period *other = season_period(calendar, q);

				for (unsigned k = s % per_day; k < other->slots && q != p; k += per_day)
					if (weights[other->first + k] > 0) {
						sum += factors[other->first + k];
						count++;
					}
			}
			factors[period->first + s] = count > 0 ? sum / count : neutral;
		}
	}
}

static void
find_factors(double *factors, const struct trend_rules *rules, const struct cells *cells, const struct levels *levels)
{
	unsigned slots = season_slots(rules->calendar);
	double *weights = mem_new(slots, sizeof *weights), neutral = rules->additive ? 0 : 1;

	memset(factors, 0, slots * sizeof *factors);
	for (size_t i = 0; i < cells->count; i++) {
		const struct cell *cell = &cells->at[i];
		double level = level_at(levels, (double)cell->day), seen = rules->additive ? cell->value - level
									   : level > 0     ? cell->value / level
											   : 1;

		factors[cell->slot] += seen;
		weights[cell->slot]++;
	}
	for (unsigned s = 0; s < slots; s++)
		factors[s] = weights[s] > 0 ? factors[s] / weights[s] : neutral;
	for (unsigned p = 0; p < season_periods(rules->calendar); p++)
		fill_gaps(factors, weights, season_period(rules->calendar, p));
	fill_periods(factors, weights, rules->calendar, neutral);
	free(weights);
}

static void
smooth_factors(struct trend_filter *f, const struct trend_rules *rules)
{
	for (unsigned p = 0; p < season_periods(rules->calendar) && rules->splines != NULL; p++)
		trend_filter_smooth(f, rules, p, p, p, p);
}

/* --- the beginning --- */

static void
start_seasonal(struct trend_filter *f, struct trend_rules *rules, const struct cells *cells, int64_t time_ns)
{
	struct levels levels = { 0 };

	measure_levels(&levels, cells, season_cycle_days(rules->calendar));
	trend_filter_open(f, rules, time_ns, levels.at[0], true);
	find_factors(f->factors, rules, cells, &levels);
	smooth_factors(f, rules);
	trend_filter_renormalise(f, rules);
	if (levels.count > 1 && rules->constants.beta > 0)
		f->rate = (levels.at[levels.count - 1] - levels.at[0]) /
			  ((double)(levels.count - 1) * levels.days * DAY_HOURS);
	free(levels.at);
}

void
trend_start_season(struct trend_filter *f, struct trend_rules *rules, const struct trend_point *points, size_t count)
{
	struct cells cells = { 0 };

	if (season_calendar_is_flat(rules->calendar) || trend_cycles_seen(rules, points, count) < CYCLES_LEAST - 0.01) {
		trend_filter_open(f, rules, points[0].time_ns, without_year(rules, &points[0]), false);
		return;
	}
	fill_cells(&cells, rules, points, count);
	calm_cells(&cells, rules);
	start_seasonal(f, rules, &cells, points[0].time_ns);
	array_release(&cells);
}

void
trend_start_replay(struct trend_filter *f, struct trend_rules *rules, const struct trend_point *points, size_t count)
{
	struct trend_step step;

	if (f->factors != NULL)
		trend_filter_weigh(f, rules);
	rules->hold = true;
	for (size_t i = 0; i < count; i++)
		trend_filter_update_at(f, rules, &points[i].place, points[i].time_ns, points[i].value, points[i].weight,
				       &step);
	rules->hold = false;
}

void
trend_start(struct trend_filter *f, struct trend_rules *rules, const struct trend_point *points, size_t count)
{
	trend_start_season(f, rules, points, count);
	trend_start_replay(f, rules, points, count);
}

void
trend_points_place(const struct trend_rules *rules, struct trend_point *points, size_t count)
{
	for (size_t i = 0; i < count; i++)
		points[i].place = season_place(rules->calendar, points[i].time_ns);
}

/* --- is there a season --- */

#define CYCLES_COMPARED 8	/* the latest ones */

/* The place of a cell in its cycle, and which cycle that is. */
static unsigned
place_in_cycle(const struct trend_rules *rules, const struct cell *cell, int64_t first_day, size_t *cycle)
{
	const struct season_period *period = season_period(rules->calendar, cell->period);
	unsigned days = season_cycle_days(rules->calendar),
		 per_day = (unsigned)(INT64_C(86400000000000) / season_slot_ns(rules->calendar));

	if (period->days == 0) {
		struct time_civil first, date;

		time_civil_of(&first, first_day * 86400);
		time_civil_of(&date, cell->day * 86400);
		*cycle = (size_t)(date.year - first.year);
		return cell->slot - period->first;
	}
	*cycle = (size_t)(cell->day - first_day) / days;
	return (unsigned)((cell->day - first_day) % days) * per_day + (cell->slot - period->first) % per_day;
}

struct season_verdict
trend_season_verdict(const struct trend_rules *rules, const struct trend_point *points, size_t count,
		     enum season_method method)
{
	struct season_verdict best = { .p = 1 };
	struct cells cells = { 0 };
	size_t slots, cycles = (size_t)(trend_cycles_seen(rules, points, count) + 0.01), skip;
	double *values, *latest;

	if (season_calendar_is_flat(rules->calendar) || cycles < CYCLES_LEAST)
		return best;
	slots = season_period(rules->calendar, 0)->days == 0
			? 12
			: season_cycle_days(rules->calendar) *
				  (size_t)(INT64_C(86400000000000) / season_slot_ns(rules->calendar));
	skip = cycles > CYCLES_COMPARED ? cycles - CYCLES_COMPARED : 0;
	values = mem_new((cycles - skip) * slots, sizeof *values);
	for (size_t i = 0; i < (cycles - skip) * slots; i++)
		values[i] = NAN;
	fill_cells(&cells, rules, points, count);
	for (size_t i = 0; i < cells.count; i++) {
		size_t cycle;
		unsigned slot = place_in_cycle(rules, &cells.at[i], cells.at[0].day, &cycle);

		if (cycle >= skip && cycle < cycles && slot < slots)
			values[(cycle - skip) * slots + slot] = cells.at[i].value;
	}
	latest = values + (cycles - skip - 1) * slots;
	for (size_t c = 0; c + skip + 1 < cycles; c++) {
		struct season_verdict v = season_test(latest, values + c * slots, slots, method, 0.1);

		if (v.p < best.p || (v.p <= best.p && v.r > best.r))
			best = v;
	}
	array_release(&cells);
	free(values);
	return best;
}
