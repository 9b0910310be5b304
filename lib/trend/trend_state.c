/* SPDX-License-Identifier: MIT
 * trend_state: a struct of the engine and a row of the stream are the same thing twice; both directions are side by
 * side here. */
#include "trend/trend_state.h"

#include "base/id_table.h"
#include "base/time_text.h"
#include "base/time_math.h"
#include "trend/class_paths.h"
#include "trend/count_state.h"
#include "trend/hour_counts.h"
#include "trend/series_news.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DAY_NS INT64_C(86400000000000)
#define HOUR INT64_C(3600000000000)
#define HOLIDAYS_ABOUT "holidays up to a day, and their hash"

/* --- one series --- */

static struct stk_filter_state
filter_row(const struct series_set *set, uint32_t number, const struct series *s)
{
	const struct trend_filter *f = &s->filter;

	return (struct stk_filter_state){ .id = number, .series = s->kind, .name = s->name, .part = s->part,
		.label = s->label.data == NULL ? text_of("", 0) : s->label, .parent = s->parent,
		.split = s->split ? (uint64_t)s->split_ns : 0,
		.clock = series_set_clock_source(set, s->clock), .periods = s->stage, .since = s->first_ns,
		.time = s->begun ? f->time_ns : STK_TIME_UNKNOWN, .last = s->last,
		.level = f->level, .rate = f->rate, .acceleration = f->acceleration, .residual = f->residual,
		.deviation = f->deviation, .slow_deviation = f->slow_deviation,
		.last_error = f->last_error, .level_weight = f->level_weight, .rate_weight = f->rate_weight,
		.acceleration_weight = f->acceleration_weight,
		.residual_weight = f->residual_weight, .cut = f->cut, .run = f->run, .count = f->count,
		.clipped = f->clipped, .day = f->day, .touched = f->touched, .sum = s->sum,
		.step = series_set_step_time(set, &s->lane), .latest = s->lane.latest_ns,
		.weight = s->weight, .slots = f->factors == NULL ? 0 : season_slots(s->rules->calendar),
		.counted = s->counted, .counted_at = s->counted_ns };
}

/* Days since 1970 of times that are believed. */
static bool
is_day(int64_t day)
{
	return day >= -DURATION_MOST / DAY_NS - 1 && day <= DURATION_MOST / DAY_NS + 1;
}

static void
restore_filter(struct series_set *set, struct series *s, const struct stk_filter_state *row)
{
	struct trend_filter *f = &s->filter;

	s->parent = row->parent;
	s->split = row->split != 0;
	s->split_ns = (int64_t)row->split;
	s->clock = row->clock.size == 0 ? 0 : series_set_clock(set, row->clock);
	s->stage = (unsigned)row->periods;
	s->rules = &set->rules[s->stage];
	s->begun = row->time != STK_TIME_UNKNOWN;
	s->first_ns = row->since;
	s->last_ns = row->time;
	s->last = row->last;
	s->sum = row->sum;
	s->weight = row->weight;
	s->counted = row->counted;
	s->counted_ns = row->counted_at;
	series_set_restore_lane(set, &s->lane, row->step, row->latest);
	if (!s->begun)
		return;
	trend_filter_open(f, s->rules, row->time, row->level, row->slots > 0);
	f->rate = row->rate;
	f->acceleration = row->acceleration;
	f->residual = row->residual;
	f->deviation = row->deviation;
	f->slow_deviation = row->slow_deviation;
	f->last_error = row->last_error;
	f->level_weight = row->level_weight;
	f->rate_weight = row->rate_weight;
	f->acceleration_weight = row->acceleration_weight;
	f->residual_weight = row->residual_weight;
	f->cut = row->cut;
	f->run = (int32_t)row->run;
	f->count = row->count;
	f->clipped = row->clipped;
	f->day = is_day(row->day) ? row->day : INT64_MIN;
	f->touched = row->touched;
}

static int
add_factors(uint32_t number, const struct series *s, struct stk_writer *writer, struct stk_error *err)
{
	const struct season_calendar *calendar = s->rules->calendar;

	for (unsigned p = 0; p < season_periods(calendar) && s->filter.factors != NULL; p++) {
		const struct season_period *period = season_period(calendar, p);

		for (unsigned k = 0; k < period->slots; k++) {
			struct stk_seasonal_factor row = { .id = number, .period = text_from(period->name), .slot = k,
				.factor = s->filter.factors[period->first + k],
				.weight = (double)s->filter.weights[period->first + k] };

			if (stk_writer_add(writer, STK_SEASONAL_FACTOR, &row, err) < 0)
				return -1;
		}
	}
	return 0;
}

static int
add_watch(uint32_t number, const struct series *s, struct stk_writer *writer, struct stk_error *err)
{
	const struct change_watch *w = &s->watch;
	const struct season_check *c = &s->season;
	struct stk_watch_state watch = { .id = number, .began = w->began_ns, .lasted = w->lasted, .quiet = w->quiet,
		.value = w->value, .expected = w->expected, .score = w->score, .level = w->level,
		.noise = w->noise, .away = w->away, .scale = w->scale, .rest = w->rest, .rest_slow = w->rest_slow,
		.ceiling = w->ceiling, .at_ceiling = w->at_ceiling, .above = w->above, .below = w->below,
		.above_from = w->above_ns, .below_from = w->below_ns, .count = w->count,
		.told = (uint64_t)w->noisy + 2 * (uint64_t)w->pinned };
	struct stk_season_state season = { .id = number, .until = c->until, .n = c->n, .x = c->x, .s = c->s,
		.xx = c->xx, .ss = c->ss, .xs = c->xs, .r = c->r, .measures = c->measures, .strength = c->strength };

	if (stk_writer_add(writer, STK_WATCH_STATE, &watch, err) < 0)
		return -1;
	return stk_writer_add(writer, STK_SEASON_STATE, &season, err);
}

static void
restore_watch(struct series *s, const struct stk_watch_state *row)
{
	s->watch = (struct change_watch){ .began_ns = row->began, .lasted = (unsigned)row->lasted,
		.quiet = (unsigned)row->quiet, .value = row->value, .expected = row->expected, .score = row->score,
		.level = row->level, .noise = row->noise, .away = row->away, .scale = row->scale, .rest = row->rest,
		.rest_slow = row->rest_slow, .ceiling = row->ceiling, .at_ceiling = (unsigned)row->at_ceiling,
		.above = row->above, .below = row->below, .above_ns = row->above_from, .below_ns = row->below_from,
		.count = row->count,
		.noisy = row->told & 1, .pinned = row->told >> 1 & 1 };
}

static void
restore_season(struct series *s, const struct stk_season_state *row)
{
	s->season = (struct season_check){ .until = is_day(row->until) ? row->until : 0, .n = row->n, .x = row->x,
		.s = row->s, .xx = row->xx, .ss = row->ss, .xs = row->xs, .r = row->r, .measures = row->measures,
		.strength = row->strength };
}

/* the column raw of kept_point */
enum point_sort {
	POINT_STEP,
	POINT_MEASURE,
	POINT_ERROR,
	POINT_HOUR,
	POINT_HOUR_COUNT,
	POINT_LEAST,
	POINT_THREADS /* and twice the clock; 1 more: those of odd dumps */
};
#define POINT_OF_NO_ORDER UINT32_MAX /* a segment that a class goes through, as builds between releases wrote it */
#define POINT_DUMPS (UINT32_MAX - 1) /* the dumps of the latest step of a count */
#define POINT_SUM   (UINT32_MAX - 2) /* of the measures of an hour, of which the least is kept, too */
#define POINT_COUNT (UINT32_MAX - 3) /* of these measures */
#define POINT_PATH  (UINT32_MAX - 4) /* a segment that a class goes through, after those before: its id; */
#define PATH_NONE   0 /* or none: when the class or segment came first. Builds that do not know it leave it out */

static int
add_points(uint32_t number, enum point_sort sort, const struct kept_points *points, struct stk_writer *writer,
	   struct stk_error *err)
{
	for (size_t i = 0; i < points->count; i++) {
		struct stk_kept_point row = { .id = number, .raw = sort, .time = points->at[i].time_ns,
			.value = points->at[i].value };

		if (stk_writer_add(writer, STK_KEPT_POINT, &row, err) < 0)
			return -1;
	}
	return 0;
}

static int
add_hours(uint32_t number, const struct metric_hours *hours, struct stk_writer *writer, struct stk_error *err)
{
	for (size_t i = 0; i < hours->count; i++) {
		struct stk_kept_point row = { .id = number,
					      .raw = POINT_HOUR,
					      .time = time_clamp(hours->at[i].hour * HOUR),
					      .value = hours->at[i].sum };

		if (stk_writer_add(writer, STK_KEPT_POINT, &row, err) < 0)
			return -1;
		row.raw = POINT_HOUR_COUNT;
		row.value = (double)hours->at[i].count;
		if (!hours->least && stk_writer_add(writer, STK_KEPT_POINT, &row, err) < 0)
			return -1;
	}
	return 0;
}

static int
add_cells(uint64_t id, uint32_t clock, const struct hour_cells *cells, struct stk_writer *writer, struct stk_error *err)
{
	for (size_t i = 0; cells != NULL && i < cells->count; i++)
		for (unsigned odd = 0; odd < 2; odd++) {
			struct stk_kept_point row = { .id = id,
						      .raw = POINT_THREADS + 2 * (uint64_t)clock + odd,
						      .time = time_clamp(cells->at[i].hour * HOUR),
						      .value = (double)(odd ? cells->at[i].odd : cells->at[i].even) };

			if (row.value > 0 && stk_writer_add(writer, STK_KEPT_POINT, &row, err) < 0)
				return -1;
		}
	return 0;
}

static int
add_measures(uint32_t id, const struct hour_measures *hour, struct stk_writer *writer, struct stk_error *err)
{
	struct stk_kept_point row = { .id = id, .raw = POINT_LEAST, .time = time_clamp(hour->hour * HOUR),
		.value = hour->least };

	if (stk_writer_add(writer, STK_KEPT_POINT, &row, err) < 0)
		return -1;
	if (!(hour->count > 0))
		return 0;
	row.raw = POINT_SUM;
	row.value = hour->sum;
	if (stk_writer_add(writer, STK_KEPT_POINT, &row, err) < 0)
		return -1;
	row.raw = POINT_COUNT;
	row.value = hour->count;
	return stk_writer_add(writer, STK_KEPT_POINT, &row, err);
}

/* What holders of a heap are found by: the measures of a metric by hour, the threads of a class by clock and hour. */
static int
add_hour_counts(const struct series_set *set, uint32_t id, uint32_t number, const uint32_t *clocks,
		struct stk_writer *writer, struct stk_error *err)
{
	const struct hours_of_metric *metric = set->hours == NULL ? NULL : hour_counts_measures(set->hours, number);

	for (size_t i = 0; metric != NULL && i < metric->count; i++)
		if (add_measures(id, &metric->at[i], writer, err) < 0)
			return -1;
	for (uint32_t c = 0; set->hours != NULL && c < set->ticks.count; c++)
		if (add_cells(id, c, hour_counts_of(set->hours, clocks[c], number), writer, err) < 0)
			return -1;
	return 0;
}

static int
add_step_dumps(uint32_t id, const struct series *s, struct stk_writer *writer, struct stk_error *err)
{
	struct stk_kept_point row = { .id = id, .raw = POINT_DUMPS, .time = STK_TIME_UNKNOWN,
		.value = s->filter.dumps };

	return s->filter.dumps > 0 ? stk_writer_add(writer, STK_KEPT_POINT, &row, err) : 0;
}

static int
add_path(uint32_t id, const struct series *s, const uint32_t *ids, struct stk_writer *writer, struct stk_error *err)
{
	struct stk_kept_point came = { .id = id, .raw = POINT_PATH, .time = s->came_ns, .value = PATH_NONE };
	int result = s->came_ns == STK_TIME_UNKNOWN ? 0 : stk_writer_add(writer, STK_KEPT_POINT, &came, err);

	for (size_t i = 0; i < s->path.count && result == 0; i++) {
		struct stk_kept_point row = {
			.id = id, .raw = POINT_PATH, .time = STK_TIME_UNKNOWN, .value = ids[s->path.at[i] - 1]
		};

		result = stk_writer_add(writer, STK_KEPT_POINT, &row, err);
	}
	return result;
}

/* The dumps themselves: of no series. */
static int
add_hour_dumps(const struct series_set *set, const uint32_t *clocks, struct stk_writer *writer, struct stk_error *err)
{
	for (uint32_t c = 0; set->hours != NULL && c < set->ticks.count; c++)
		if (add_cells(0, c, hour_counts_dumps(set->hours, clocks[c]), writer, err) < 0)
			return -1;
	return 0;
}

/* Hours come in order; what a state claims beyond that is left out. */
static void
take_hour(struct metric_hours *hours, const struct stk_kept_point *row)
{
	int64_t hour = time_units(row->time, HOUR);
	struct metric_hour *last = hours->count == 0 ? NULL : &hours->at[hours->count - 1];

	if (row->raw == POINT_HOUR_COUNT && last != NULL && last->hour == hour && row->value >= 1 && row->value < 1e15)
		last->count = (uint64_t)row->value;
	if (row->raw == POINT_HOUR && (last == NULL || hour > last->hour) && stk_measure_is_believed(row->value / 1e15))
		*array_push(hours) = (struct metric_hour){ hour, row->value, 1 };
}

/* --- all --- */

static bool
is_told(const struct series *s, bool whole)
{
	return whole ? s->stage != NOT_FOLLOWED : series_is_shown(s);
}

/* What refers to a series follows all series. */
static int
add_rest(uint32_t id, const struct series *s, bool whole, struct stk_writer *writer, struct stk_error *err)
{
	if (add_factors(id, s, writer, err) < 0)
		return -1;
	if (!whole)
		return 0;
	return add_watch(id, s, writer, err) < 0 || add_points(id, POINT_STEP, &s->history, writer, err) < 0 ||
			       add_points(id, POINT_MEASURE, &s->measures, writer, err) < 0 ||
			       add_hours(id, &s->hours, writer, err) < 0 ||
			       add_points(id, POINT_ERROR, &s->errors, writer, err) < 0
		       ? -1
		       : 0;
}

int
trend_state_add(const struct series_set *set, bool whole, struct stk_writer *writer, struct stk_error *err)
{
	uint32_t *order = series_set_by_name(set), count = series_set_count(set),
		 *ids = mem_new((size_t)count + 1, sizeof *ids), *clocks = series_set_clocks_by_source(set);
	int result = 0;

	for (uint32_t i = 0; i < count && result == 0; i++) {
		const struct series *s = series_set_at(set, order[i]);

		ids[order[i] - 1] = i + 1;
		if (is_told(s, whole)) {
			struct stk_filter_state row = filter_row(set, i + 1, s);

			result = stk_writer_add(writer, STK_FILTER_STATE, &row, err);
		}
	}
	if (result == 0)
		result = stk_writer_flush(writer, err);
	for (uint32_t i = 0; i < count && result == 0; i++) {
		const struct series *s = series_set_at(set, order[i]);

		if (is_told(s, whole))
			result = add_rest(i + 1, s, whole, writer, err);
		if (is_told(s, whole) && whole && result == 0)
			result = count_state_add(set, i + 1, s, writer, err);
		if (is_told(s, whole) && whole && result == 0)
			result = add_hour_counts(set, i + 1, order[i], clocks, writer, err);
		if (is_told(s, whole) && whole && result == 0)
			result = add_step_dumps(i + 1, s, writer, err) < 0 ? -1
									   : add_path(i + 1, s, ids, writer, err);
	}
	free(clocks);
	free(ids);
	free(order);
	return result;
}

#define KEPT_NS INT64_C(2592000000000000)	/* changes are kept for thirty days */

static struct stk_anomaly
change_row(const struct series_set *set, const struct found_change *found)
{
	const struct change *c = &found->change;
	const struct series *s = found->series > 0 ? series_set_at(set, found->series) : NULL;

	return (struct stk_anomaly){ .time = c->time_ns,
				     .series = s == NULL ? STK_SERIES_CLASS : s->kind,
				     .name = s == NULL ? found->subject : s->name,
				     .part = s == NULL ? text_of("", 0) : s->part,
				     .what = text_from(found->kind),
				     .value = c->value,
				     .expected = c->expected,
				     .score = c->score,
				     .until = c->end_ns,
				     .before = c->before,
				     .after = c->after,
				     .news = !found->dropped,
				     .untold = !found->old && !found->told,
				     .finding = found->finding_ns,
				     .low = found->low,
				     .high = found->high };
}

/* An order that does not depend on that in which blocks came. */
static int
compare_rows(const void *a, const void *b)
{
	const struct stk_anomaly *x = a, *y = b;
	int order = (x->time > y->time) - (x->time < y->time);

	order = order != 0 ? order : (x->series > y->series) - (x->series < y->series);
	order = order != 0 ? order : text_compare(x->name, y->name);
	order = order != 0 ? order : text_compare(x->part, y->part);
	order = order != 0 ? order : text_compare(x->what, y->what);
	return order != 0 ? order : (x->until > y->until) - (x->until < y->until);
}

int
trend_state_add_changes(const struct series_set *set, bool old, struct stk_writer *writer, struct stk_error *err)
{
	const struct found_change *changes = set->changes.at;
	size_t count = set->changes.count;
	int64_t latest = INT64_MIN;

	struct stk_anomaly *rows = mem_new(count + 1, sizeof *rows);
	size_t kept = 0;
	int result = 0;

	for (size_t i = 0; i < count; i++)
		latest = changes[i].change.time_ns > latest ? changes[i].change.time_ns : latest;
	for (size_t i = 0; i < count; i++) {
		if (!old && changes[i].series > 0 && series_set_at(set, changes[i].series)->hidden)
			continue;
		if ((changes[i].old && !old) ||
		    (old && time_difference(changes[i].change.time_ns, latest) > KEPT_NS))
			continue;
		rows[kept] = change_row(set, &changes[i]);
		rows[kept].untold = old && rows[kept].untold;
		kept++;
	}
	if (kept > 0)
		qsort(rows, kept, sizeof *rows, compare_rows);
	for (size_t i = 0; i < kept && result == 0; i++)
		result = stk_writer_add(writer, STK_ANOMALY, &rows[i], err);
	free(rows);
	return result;
}

/* --- reading --- */

struct known_series { uint32_t number; unsigned next_slot; };	/* of the set; of factors */

struct trend_state {
	struct series_set *set;
	uint32_t number; /* of the states that the set is filled from */
	struct id_table series;		/* struct known_series, by id in the state */
	struct id_table clocks; /* uint32_t, the same of clocks */
	bool no_order;		/* paths of classes were left out */
};

void
trend_state_open(struct trend_state **out, struct series_set *set)
{
	*out = mem_new(1, sizeof **out);
	**out = (struct trend_state){ .set = set,
				      .number = ++set->states,
				      .series = { .size = sizeof(struct known_series) },
				      .clocks = { .size = sizeof(uint32_t) } };
}

bool
trend_state_left_paths(const struct trend_state *state)
{
	return state->no_order;
}

void
trend_state_close(struct trend_state *state)
{
	if (state == NULL)
		return;
	count_state_settle(state->set);
	class_paths_index(state->set);
	id_table_clear(&state->series);
	id_table_clear(&state->clocks);
	free(state);
}

static struct series *
series_of(struct trend_state *r, uint64_t id)
{
	const struct known_series *known = id_table_find(&r->series, id);

	return known == NULL || known->number == 0 ? NULL : series_set_edit(r->set, known->number);
}

/* Series go on by themselves, so that those of several states can be put together. What follows dumps is of all of
 * them, and so of one state: the seasons that classes share, the threads, the steps at hand. */
static int
claim_dumps(struct trend_state *r, struct stk_error *err)
{
	if (r->set->dumps_state != 0 && r->set->dumps_state != r->number)
		return stk_fail(err, STK_EDATA,
				"it has dumps, and a state before it has, too: classes, groups and threads are of all dumps, and can be followed in one state only");
	r->set->dumps_state = r->number;
	return 0;
}

static int
claim_series(const struct trend_state *r, struct series *s, struct stk_error *err)
{
	struct text_buffer name = { 0 };
	int result = 0;

	if (s->state == r->number)
		return stk_fail(err, STK_EDATA, "damaged: a series is in it twice");
	series_add_name(s, &name);
	if (s->state != 0)
		result = stk_fail(err, STK_EDATA,
				  "a state before it follows %.*s, too: expected each series in one state",
				  (int)name.count, name.at);
	array_release(&name);
	s->state = r->number;
	return result;
}

static int
take_filter(struct trend_state *r, const struct stk_filter_state *row, struct stk_error *err)
{
	uint32_t number;
	unsigned slots;

	if (row->series > STK_SERIES_COUNTER || row->periods >= r->set->stages ||
	    (row->time != STK_TIME_UNKNOWN && row->since == STK_TIME_UNKNOWN))
		return stk_fail(err, STK_EDATA, "damaged: a filter state that cannot be");
	slots = season_slots(r->set->rules[row->periods].calendar);
	if (row->slots != 0 && row->slots != slots)
		return stk_fail(err, STK_EDATA, "of other periods: %llu slots, not %u", (unsigned long long)row->slots,
				slots);
	number = series_set_find_labelled(r->set, (enum stk_series)row->series, row->name, row->part, row->label);
	((struct known_series *)id_table_at(&r->series, row->id))->number = number;
	if (number == 0)
		return 0;
	if (claim_series(r, series_set_edit(r->set, number), err) < 0)
		return -1;
	restore_filter(r->set, series_set_edit(r->set, number), row);
	if (row->label.size > 0)
		series_set_label(r->set, number, row->label);
	return 0;
}

static int
take_factor(struct trend_state *r, const struct stk_seasonal_factor *row, struct stk_error *err)
{
	struct series *s = series_of(r, row->id);
	unsigned slot;

	if (s == NULL)
		return 0;
	slot = ((struct known_series *)id_table_find(&r->series, row->id))->next_slot++;
	if (s->filter.factors == NULL || slot >= season_slots(s->rules->calendar))
		return stk_fail(err, STK_EDATA, "damaged: a factor that cannot be");
	s->filter.factors[slot] = row->factor;
	s->filter.weights[slot] = (float)row->weight;
	return 0;
}

static int
take_hour_count(struct trend_state *r, const struct stk_kept_point *row, struct stk_error *err)
{
	const struct known_series *known = row->id == 0 ? NULL : id_table_find(&r->series, row->id);
	bool of_metric = row->raw == POINT_LEAST || row->raw == POINT_SUM || row->raw == POINT_COUNT;
	const uint32_t *clock = of_metric ? NULL : id_table_find(&r->clocks, (row->raw - POINT_THREADS) / 2);
	struct hour_cell cell = { .hour = time_units(row->time, HOUR) };
	struct hour_measures measures = { .hour = cell.hour, .least = INFINITY };

	if ((row->id != 0 && (known == NULL || known->number == 0)) || !stk_measure_is_believed(row->value / 1e15))
		return 0;
	if (r->set->hours == NULL)
		r->set->hours = hour_counts_open();
	*(row->raw == POINT_SUM	    ? &measures.sum :
	  row->raw == POINT_COUNT ? &measures.count :
				    &measures.least) = row->value;
	if (of_metric && known != NULL && (row->raw != POINT_COUNT || row->value >= 1))
		hour_counts_restore_measures(r->set->hours, known->number, &measures);
	if (of_metric || clock == NULL || !(row->value > 0))
		return 0;
	*((row->raw - POINT_THREADS) % 2 == 0 ? &cell.even : &cell.odd) = (float)row->value;
	hour_counts_restore(r->set->hours, *clock, known == NULL ? 0 : known->number, &cell);
	return claim_dumps(r, err);
}

/* Segments have their rows before all points. */
static void
take_path(struct trend_state *r, const struct stk_kept_point *row)
{
	const struct known_series *class = id_table_find(&r->series, row->id), *segment;

	if (class == NULL || class->number == 0)
		return;
	if (!(row->value >= 1))
		series_set_edit(r->set, class->number)->came_ns = row->time;
	if (!(row->value >= 1 && row->value < 4294967296.0))
		return;
	segment = id_table_find(&r->series, (uint64_t)row->value);
	if (segment != NULL && segment->number != 0 &&
	    series_set_at(r->set, segment->number)->kind == STK_SERIES_SEGMENT)
		class_paths_add(r->set, class->number, segment->number);
}

static int
take_point(struct trend_state *r, const struct stk_kept_point *row, struct stk_error *err)
{
	struct series *s = series_of(r, row->id);

	if (row->raw == POINT_OF_NO_ORDER || row->raw == POINT_PATH) {
		if (row->raw == POINT_PATH)
			take_path(r, row);
		else
			r->no_order = true;
		return 0;
	}
	if (row->raw == POINT_DUMPS) {
		if (s != NULL && row->value > 0 && row->value < 1e15)
			s->filter.dumps = row->value;
		return 0;
	}
	if (row->time != STK_TIME_UNKNOWN && row->raw >= POINT_LEAST)
		return take_hour_count(r, row, err);
	if (s == NULL || row->time == STK_TIME_UNKNOWN)
		return 0;
	if (row->raw == POINT_HOUR || row->raw == POINT_HOUR_COUNT) {
		take_hour(&s->hours, row);
		return 0;
	}
	r->set->keep_errors |= row->raw == POINT_ERROR;
	*array_push(row->raw == POINT_STEP    ? &s->history :
		    row->raw == POINT_MEASURE ? &s->measures :
						&s->errors) = (struct kept_point){ row->time, row->value };
	return 0;
}

/* "stuck" and others that do not come from a filter have no kind of change. */
static void
take_change(struct trend_state *r, const struct stk_anomaly *row)
{
	struct found_change found = { .old = row->untold == 0,
				      .change = { .time_ns = row->time,
						  .end_ns = row->until,
						  .value = row->value,
						  .expected = row->expected,
						  .score = row->score,
						  .before = row->before,
						  .after = row->after },
				      .finding_ns = row->finding,
				      .low = row->low,
				      .high = row->high,
				      .settled = row->finding != STK_TIME_UNKNOWN,
				      .dropped = row->finding != STK_TIME_UNKNOWN && row->news == 0 };

	if (row->time == STK_TIME_UNKNOWN || row->until == STK_TIME_UNKNOWN)
		return;
	for (unsigned k = CHANGE_NONE + 1; k < CHANGE_KINDS; k++)
		if (text_is(row->what, change_kind_names[k]) || (k == CHANGE_SHIFT && text_is(row->what, "cost-shift"))) {
			found.change.kind = (enum change_kind)k;
			/* what follows one that was told is judged anew, but not what it is called */
			found.kind = found.settled && text_is(row->what, "cost-shift") ? "cost-shift" : change_kind_names[k];
		}
	if (found.kind == NULL) {
		found.kind = "stuck";
		found.subject = row->name;
	} else if (found.settled && text_is(row->name, ALL_THREADS)) {
		found.subject = row->name;
	} else if (row->series <= STK_SERIES_COUNTER) {
		found.series = series_set_find(r->set, (enum stk_series)row->series, row->name, row->part);
	}
	if (found.series > 0 || found.subject.size > 0)
		series_set_restore_change(r->set, &found);
}

/* Days of the past that were holidays must be so again: what was learned of them would be of another kind of day. */
static int
take_holidays(const struct trend_state *r, const struct stk_note *row, struct stk_error *err)
{
	const struct season_calendar *calendar = r->set->rules[r->set->stages - 1].calendar;
	char text[64], date[TIME_TEXT_MAX], *end;
	int64_t day;

	(void)snprintf(text, sizeof text, "%.*s", (int)row->text.size, row->text.data);
	if (!text_is(row->about, HOLIDAYS_ABOUT))
		return 0;
	day = strtoll(text, &end, 10);
	if (end == text || *end != ' ' || !is_day(day))
		return stk_fail(err, STK_EDATA, "damaged: holidays that cannot be");
	if (season_calendar_holidays(calendar, day) == strtoull(end, NULL, 16))
		return 0;
	time_print(date, day * DAY_NS, NULL);
	return stk_fail(err, STK_EUSAGE, "was made with other holidays up to %.10s", date);
}

/* The clock of all, and that of groups, also hold the state of their lanes. */
static int
take_ticks(struct trend_state *r, const struct stk_ticks *row, struct stk_error *err)
{
	uint32_t clock = row->id == 0 ? 0 : series_set_clock(r->set, row->source);

	*(uint32_t *)id_table_at(&r->clocks, row->id) = clock;
	if (row->dumps == 0 && row->from == STK_TIME_UNKNOWN && row->to == STK_TIME_UNKNOWN)
		return 0;
	if (claim_dumps(r, err) < 0)
		return -1;
	r->set->ticks.at[clock] = row->dumps;
	if (clock == 0 || clock == r->set->group_clock)
		series_set_restore_lane(r->set, &r->set->lanes[clock == 0 ? LANE_CLASSES : LANE_GROUPS], row->from,
					row->to);
	return 0;
}

static int
take_count(struct trend_state *r, const struct stk_count_state *row, struct stk_error *err)
{
	const struct known_series *known = id_table_find(&r->series, row->id);
	const uint32_t *clock = id_table_find(&r->clocks, row->id);

	if (count_state_is_of_clock(row) && clock == NULL)
		return stk_fail(err, STK_EDATA, "damaged: a state of counts of no clock");
	if (count_state_is_of_clock(row) && claim_dumps(r, err) < 0)
		return -1;
	return count_state_take(r->set, known == NULL ? 0 : known->number, clock == NULL ? 0 : *clock, row, err);
}

static int
take_standing(struct trend_state *r, const struct stk_standing *row, struct stk_error *err)
{
	uint32_t number = series_set_standing(r->set, row->thread);

	if (row->latest == STK_TIME_UNKNOWN || row->since == STK_TIME_UNKNOWN)
		return 0;
	if (claim_dumps(r, err) < 0)
		return -1;
	r->set->standings.at[number - 1] = (struct standing){ .thread = row->thread, .place = row->place,
		.since_ns = row->since, .latest_ns = row->latest,
		.dumps = row->dumps < UINT32_MAX ? (uint32_t)row->dumps : UINT32_MAX, .told = row->told != 0 };
	return 0;
}

union any_row {
	struct stk_filter_state filter_state;
	struct stk_seasonal_factor seasonal_factor;
	struct stk_watch_state watch_state;
	struct stk_season_state season_state;
	struct stk_kept_point kept_point;
	struct stk_count_state count_state;
	struct stk_ticks ticks;
	struct stk_anomaly anomaly;
	struct stk_standing standing;
	struct stk_note note;
};

static int
take_row(struct trend_state *r, unsigned kind, const union any_row *row, struct stk_error *err)
{
	struct series *s;

	switch (kind) {
	case STK_FILTER_STATE:    return take_filter(r, &row->filter_state, err);
	case STK_SEASONAL_FACTOR: return take_factor(r, &row->seasonal_factor, err);
	case STK_TICKS:           return take_ticks(r, &row->ticks, err);
	case STK_KEPT_POINT:      return take_point(r, &row->kept_point, err);
	case STK_COUNT_STATE: return take_count(r, &row->count_state, err);
	case STK_ANOMALY:         take_change(r, &row->anomaly); break;
	case STK_NOTE:            return take_holidays(r, &row->note, err);
	case STK_STANDING:        return take_standing(r, &row->standing, err);
	case STK_WATCH_STATE:
		if ((s = series_of(r, row->watch_state.id)) != NULL)
			restore_watch(s, &row->watch_state);
		break;
	case STK_SEASON_STATE:
		if ((s = series_of(r, row->season_state.id)) != NULL)
			restore_season(s, &row->season_state);
		break;
	default: break;
	}
	return 0;
}

static bool
is_stored(unsigned kind)
{
	return kind == STK_FILTER_STATE || kind == STK_SEASONAL_FACTOR || kind == STK_WATCH_STATE ||
	       kind == STK_SEASON_STATE || kind == STK_KEPT_POINT || kind == STK_TICKS || kind == STK_ANOMALY ||
	       kind == STK_STANDING || kind == STK_NOTE || kind == STK_COUNT_STATE;
}

int
trend_state_take(struct trend_state *r, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	union any_row row;

	if (!is_stored(block->kind))
		return 0;
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		stk_reader_row(reader, i, &row);
		if (take_row(r, block->kind, &row, err) < 0)
			return -1;
	}
	return 0;
}

/* --- writing --- */

static int
add_clocks(const struct series_set *set, const uint32_t *clocks, struct stk_writer *writer, struct stk_error *err)
{
	for (uint32_t id = 0; id < set->ticks.count; id++) {
		uint32_t c = clocks[id];
		const struct lane *lane = &set->lanes[c == set->group_clock ? LANE_GROUPS : LANE_CLASSES];
		struct stk_ticks row = { .id = id, .source = series_set_clock_source(set, c), .dumps = set->ticks.at[c],
			.from = series_set_step_time(set, lane), .to = lane->latest_ns };

		if (stk_writer_add(writer, STK_TICKS, &row, err) < 0)
			return -1;
	}
	return 0;
}

static int
compare_standings(const void *a, const void *b)
{
	const struct standing *x = a, *y = b;

	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Those that are in one busy place. */
static int
add_standings(const struct series_set *set, struct stk_writer *writer, struct stk_error *err)
{
	size_t count = set->standings.count;
	struct standing *sorted = mem_new(count + 1, sizeof *sorted);
	int64_t latest = INT64_MIN;
	int result = 0;

	for (size_t i = 0; i < count; i++) {
		sorted[i] = set->standings.at[i];
		latest = sorted[i].latest_ns > latest ? sorted[i].latest_ns : latest;
	}
	if (count > 0)
		qsort(sorted, count, sizeof *sorted, compare_standings);
	for (size_t i = 0; i < count && result == 0; i++) {
		const struct standing *s = &sorted[i];
		struct stk_standing row = { .thread = s->thread, .place = s->place, .since = s->since_ns,
			.latest = s->latest_ns, .dumps = s->dumps, .told = s->told };

		if (s->dumps > 0 && time_difference(s->latest_ns, latest) <= STANDING_FORGOTTEN_NS)
			result = stk_writer_add(writer, STK_STANDING, &row, err);
	}
	free(sorted);
	return result;
}

static int
add_holidays(const struct series_set *set, struct stk_writer *writer, struct stk_error *err)
{
	struct season_calendar *calendar = set->rules[set->stages - 1].calendar;
	struct stk_note row = { .about = text_from(HOLIDAYS_ABOUT) };
	int64_t latest = INT64_MIN, day;
	char text[64];

	for (uint32_t n = 1; n <= series_set_count(set); n++)
		if (series_set_at(set, n)->begun && series_set_at(set, n)->last_ns > latest)
			latest = series_set_at(set, n)->last_ns;
	if (latest == INT64_MIN)
		return 0;
	day = season_place(calendar, latest).day;
	(void)snprintf(text, sizeof text, "%lld %llx", (long long)day,
		       (unsigned long long)season_calendar_holidays(calendar, day));
	row.text = text_from(text);
	return stk_writer_add(writer, STK_NOTE, &row, err);
}

int
trend_state_write(struct series_set *set, struct stk_writer *writer, struct stk_error *err)
{
	uint32_t *clocks;
	int result;

	series_news_judge(set);
	if (set->hours != NULL)
		hour_counts_forget(set->hours);
	clocks = series_set_clocks_by_source(set);
	if (add_holidays(set, writer, err) < 0 || add_clocks(set, clocks, writer, err) < 0 ||
	    trend_state_add(set, true, writer, err) < 0 || add_hour_dumps(set, clocks, writer, err) < 0 ||
	    count_state_add_clocks(set, clocks, writer, err) < 0 ||
	    trend_state_add_changes(set, true, writer, err) < 0)
		result = -1;
	else
		result = add_standings(set, writer, err);
	free(clocks);
	return result;
}
