/* SPDX-License-Identifier: MIT
 * series_set: counts of dumps become means over steps, which the filters of all series take at once; a series
 * begins without a season, and gets one as soon as its past shows two cycles of it: first of days, then of weeks. */
#include "trend/series_set.h"

#include "base/text_table.h"
#include "base/time_math.h"
#include "trend/holidays.h"
#include "trend/hour_counts.h"

#include <fnmatch.h>
#include <math.h>
#include <xxhash.h>

#define DEVIATIONS_OF_MEAN 1.2533	/* a standard deviation, in mean sizes of errors */
#define STEPS_MOST     (4u << 20)	/* kept of all series: 128 MB */
#define STEPS_SERIES   200u		/* the hottest, which keep theirs when these are too many */
#define MEASURES_MOST  20000u		/* of a metric, kept for lines through them; and errors of a series */
#define CYCLES_LEAST   2
#define DAY_NS         8.64e13
#define QUARTER_NS     INT64_C(900000000000)

const char *const series_kind_names[STK_SERIES_COUNTER + 1] = { "class", "segment", "group", "metric", "counter" };

static const struct lane new_lane = { .step = INT64_MIN, .latest_ns = STK_TIME_UNKNOWN, .resume_ns = STK_TIME_UNKNOWN };

/* --- opening --- */

static int
open_stage(struct series_set *set, const char *periods, struct stk_error *err)
{
	const struct trend_options *s = set->options;
	struct trend_rules *rules = &set->rules[set->stages++];

	*rules = (struct trend_rules){ .constants = s->constants, .additive = s->additive,
		.usual_hours = (double)set->step_ns / HOUR_NS, .clip = s->clip, .clip_after = 50, .floor = 1e-3 };
	if (season_calendar_open(&rules->calendar, periods, s->slot_ns > 0 ? s->slot_ns : QUARTER_NS, s->zone, 0, err) <
	    0)
		return -1;
	if (s->smooth_given && s->smooth > SPAR_NONE)
		spline_shelf_open(&rules->splines, s->smooth);
	return s->holidays == NULL || season_calendar_is_flat(rules->calendar)
		       ? 0
		       : holidays_read(s->holidays, rules->calendar, &s->listener, err);
}

/* A name that no source has. */
#define GROUP_CLOCK "\1groups"

/* A series begins without a season; then come those that the options name, or days and weeks. */
static int
open_stages(struct series_set *set, struct stk_error *err)
{
	const char *periods = set->options->periods;

	if (open_stage(set, "none", err) < 0)
		return -1;
	if (periods != NULL)
		return strcmp(periods, "none") == 0 ? 0 : open_stage(set, periods, err);
	return open_stage(set, "day", err) < 0 || open_stage(set, "week", err) < 0 ? -1 : 0;
}

int
series_set_open(struct series_set **out, const struct trend_options *options, struct stk_error *err)
{
	struct series_set *set = mem_new(1, sizeof *set);

	*out = NULL;
	set->options = options;
	set->keep_errors = options->keep_errors;
	set->hours = options->keep_hours ? hour_counts_open() : NULL;
	set->step_ns = options->step_ns > 0 ? options->step_ns : options->slot_ns > 0 ? options->slot_ns : QUARTER_NS;
	for (unsigned l = 0; l < LANES; l++)
		set->lanes[l] = new_lane;
	set->counts.moment_ns = STK_TIME_UNKNOWN;
	array_lengthen(&set->ticks, 1);
	set->group_clock = series_set_clock(set, text_of(GROUP_CLOCK, sizeof GROUP_CLOCK - 1));
	if (open_stages(set, err) < 0) {
		series_set_close(set);
		return -1;
	}
	*out = set;
	return 0;
}

void
series_set_close(struct series_set *set)
{
	if (set == NULL)
		return;
	for (size_t i = 0; i < set->series.count; i++) {
		trend_filter_release(&set->series.at[i].filter);
		series_model_close(set->series.at[i].model);
		zone_fit_release(&set->series.at[i].fit);
		array_release(&set->series.at[i].history);
		array_release(&set->series.at[i].path);
		array_release(&set->series.at[i].counts);
		array_release(&set->series.at[i].measures);
		metric_hours_release(&set->series.at[i].hours);
		array_release(&set->series.at[i].errors);
		array_release(&set->series.at[i].steps);
	}
	for (unsigned i = 0; i < set->stages; i++) {
		season_calendar_close(set->rules[i].calendar);
		spline_shelf_close(set->rules[i].splines);
	}
	array_release(&set->series);
	text_table_release(&set->keys);
	text_table_release(&set->sources);
	text_table_release(&set->subjects);
	array_release(&set->ticks);
	array_release(&set->passing);
	array_release(&set->passing_from);
	for (size_t c = 0; c < set->dumps.count; c++)
		array_release(&set->dumps.at[c]);
	array_release(&set->dumps);
	hour_counts_close(set->hours);
	array_release(&set->changes);
	array_release(&set->standings);
	hash_map_release(&set->standing_map);
	hash_map_release(&set->by_key);
	watched_counts_release(&set->counts);
	array_release(&set->room);
	free(set);
}

/* --- which series --- */

void
series_add_name(const struct series *series, struct text_buffer *to)
{
	add_text(to, series->name);
	if (series->part.size > 0) {
		add_char(to, '@');
		add_text(to, series->part);
	}
}

bool
series_matches(const struct series *series, const char *pattern)
{
	struct text_buffer text = { 0 };
	bool matches;

	add_text(&text, series->name);
	add_char(&text, '\0');
	matches = fnmatch(pattern, text.at, 0) == 0;
	text.count = 0;
	series_add_name(series, &text);
	add_char(&text, '\0');
	matches |= fnmatch(pattern, text.at, 0) == 0;
	if (!matches && series->label.size > 0) {
		text.count = 0;
		add_text(&text, series->label);
		add_char(&text, '\0');
		matches = fnmatch(pattern, text.at, 0) == 0;
	}
	array_release(&text);
	return matches;
}

bool
series_is_shown(const struct series *series)
{
	return series->stage != NOT_FOLLOWED && series->begun && !series->hidden;
}

uint32_t
series_set_first(const struct series_set *set, const char *pattern)
{
	for (uint32_t n = 1; n <= series_set_count(set); n++)
		if (series_is_shown(series_set_at(set, n)) && series_matches(series_set_at(set, n), pattern))
			return n;
	return 0;
}

static int
compare_names(const void *a, const void *b, void *context)
{
	const struct series_set *set = context;
	const struct series *x = series_set_at(set, *(const uint32_t *)a),
			    *y = series_set_at(set, *(const uint32_t *)b);
	int order = (x->kind > y->kind) - (x->kind < y->kind);

	order = order != 0 ? order : text_compare(x->name, y->name);
	return order != 0 ? order : text_compare(x->part, y->part);
}

uint32_t *
series_set_by_name(const struct series_set *set)
{
	uint32_t count = series_set_count(set), *numbers = mem_new((size_t)count + 1, sizeof *numbers);

	for (uint32_t n = 1; n <= count; n++)
		numbers[n - 1] = n;
	if (count > 0)
		qsort_r(numbers, count, sizeof *numbers, compare_names, (void *)(uintptr_t)set);
	return numbers;
}

static int
compare_sources(const void *a, const void *b, void *context)
{
	return text_compare(series_set_clock_source(context, *(const uint32_t *)a),
			    series_set_clock_source(context, *(const uint32_t *)b));
}

uint32_t *
series_set_clocks_by_source(const struct series_set *set)
{
	uint32_t count = (uint32_t)set->ticks.count, first = set->group_clock + 1;
	uint32_t *clocks = mem_new(count, sizeof *clocks);

	for (uint32_t c = 0; c < count; c++)
		clocks[c] = c;
	qsort_r(clocks + first, count - first, sizeof *clocks, compare_sources, (void *)(uintptr_t)set);
	return clocks;
}

struct by_level { uint32_t number, place; double level; };

static int
compare_levels(const void *a, const void *b)
{
	const struct by_level *x = a, *y = b;

	if (x->level != y->level)
		return x->level < y->level ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

uint32_t *
series_set_by_level(const struct series_set *set, size_t *count)
{
	struct by_level *order = mem_new((size_t)series_set_count(set) + 1, sizeof *order);
	uint32_t *numbers = series_set_by_name(set);

	*count = 0;
	for (uint32_t i = 0; i < series_set_count(set); i++) {
		const struct series *s = series_set_at(set, numbers[i]);

		if (series_is_shown(s) && !s->split)
			/* metrics first: they are few */
			order[(*count)++] = (struct by_level){
				numbers[i], i, s->kind <= STK_SERIES_GROUP ? series_level(s) : 1e300 };
	}
	qsort(order, *count, sizeof *order, compare_levels);
	for (size_t i = 0; i < *count; i++)
		numbers[i] = order[i].number;
	free(order);
	return numbers;
}

/* Whether somebody asked for it: by kind, and by name. */
static bool
is_asked_for(const struct series_set *set, const struct series *series)
{
	const struct trend_options *o = set->options;

	if (!o->kinds[series->kind])
		return false;
	for (unsigned i = 0; i < o->series_count; i++)
		if (series_matches(series, o->series[i]))
			return true;
	return o->series_count == 0 || (o->also != NULL && series_matches(series, o->also));
}

/* Whether it is followed though nobody asked for it: for the state, or since forecasts of segments are sums of those of
 * classes. */
static bool
is_needed(const struct series_set *set, enum stk_series kind)
{
	return set->options->follow_all || (kind == STK_SERIES_CLASS && set->options->kinds[STK_SERIES_SEGMENT]);
}

static void
add_key(enum stk_series kind, struct stk_text name, struct stk_text part, struct text_buffer *to)
{
	add_char(to, (char)('0' + kind));
	add_text(to, name);
	add_char(to, '\0');
	add_text(to, part);
}

uint64_t
series_key(enum stk_series kind, struct stk_text name, struct stk_text part)
{
	struct text_buffer key = { 0 };
	uint64_t hash;

	add_key(kind, name, part, &key);
	hash = XXH3_64bits(key.at, key.count);
	array_release(&key);
	return hash | (hash == 0);
}

static struct stk_text
kept_label(struct series_set *set, struct stk_text label)
{
	return text_table_text(&set->subjects, text_table_number(&set->subjects, label));
}

uint32_t
series_set_find(struct series_set *set, enum stk_series kind, struct stk_text name, struct stk_text part)
{
	return series_set_find_labelled(set, kind, name, part, text_of("", 0));
}

uint32_t
series_set_find_labelled(struct series_set *set, enum stk_series kind, struct stk_text name, struct stk_text part,
			 struct stk_text label)
{
	struct text_buffer key = { 0 };
	uint32_t number;

	add_key(kind, name, part, &key);
	number = text_table_number(&set->keys, text_in(&key, 0));
	array_release(&key);
	if (number > set->series.count) {
		struct stk_text kept = text_table_text(&set->keys, number);
		struct series *series = array_push(&set->series);

		*series = (struct series){ .kind = kind,
					   .name = text_of(kept.data + 1, name.size),
					   .part = text_of(kept.data + 2 + name.size, part.size),
					   .key = series_key(kind, name, part),
					   .came_ns = STK_TIME_UNKNOWN,
					   .first_ns = STK_TIME_UNKNOWN,
					   .last_ns = STK_TIME_UNKNOWN,
					   .counted_ns = STK_TIME_UNKNOWN,
					   .lane = new_lane,
					   .hours.least = kind == STK_SERIES_METRIC && metric_hours_are_least(name),
					   .rules = &set->rules[0] };
		if (label.size > 0)
			series->label = kept_label(set, label);
		series->hidden = !is_asked_for(set, series);
		series->stage = series->hidden && !is_needed(set, kind) ? NOT_FOLLOWED : 0;
		hash_map_put(&set->by_key, series->key, number);
	}
	return set->series.at[number - 1].stage == NOT_FOLLOWED ? 0 : number;
}

uint32_t
series_set_seek(const struct series_set *set, enum stk_series kind, struct stk_text name, struct stk_text part)
{
	struct text_buffer key = { 0 };
	uint32_t number;

	add_key(kind, name, part, &key);
	number = text_table_find(&set->keys, text_in(&key, 0));
	array_release(&key);
	return number == 0 || number > set->series.count || set->series.at[number - 1].stage == NOT_FOLLOWED ? 0
													     : number;
}

const struct series *
series_set_of_key(const struct series_set *set, uint64_t key)
{
	uint32_t at = hash_map_start(&set->by_key, key), number;

	while ((number = hash_map_next(&set->by_key, key, &at)) != 0)
		if (set->series.at[number - 1].key == key)
			return &set->series.at[number - 1];
	return NULL;
}

void
series_set_clone(struct series_set *set, uint32_t from, uint32_t to)
{
	const struct series *whole = &set->series.at[from - 1];
	struct series *half = &set->series.at[to - 1];

	if (half->begun || !whole->begun || from == to)
		return;
	trend_filter_clone(&half->filter, &whole->filter, whole->rules, 1);
	half->begun = true;
	half->stage = whole->stage;
	half->rules = whole->rules;
	half->watch = whole->watch;
	half->season = whole->season;
	half->sum = whole->sum;
	half->last = whole->last;
	half->first_ns = whole->first_ns;
	half->last_ns = whole->last_ns;
	array_reserve(&half->history, whole->history.count);
	for (size_t i = 0; i < whole->history.count; i++)
		*array_push(&half->history) = whole->history.at[i];
	for (size_t i = 0; i < whole->counts.count; i++)
		*array_push(&half->counts) = whole->counts.at[i];
	watched_counts_copy(set, from, to);
}

void
series_set_label(struct series_set *set, uint32_t number, struct stk_text label)
{
	set->series.at[number - 1].label = kept_label(set, label);
}

uint32_t
series_set_clock(struct series_set *set, struct stk_text source)
{
	uint32_t clock = text_table_number(&set->sources, source);

	array_lengthen(&set->ticks, (size_t)clock + 1);
	return clock;
}

/* --- filters --- */

static bool
keeps_history(const struct series_set *set, const struct series *series)
{
	return series->kind >= STK_SERIES_METRIC || series->stage + 1 < set->stages || set->options->keep_history;
}

/* The points that a filter begins with; a step without a measure of a class is one with none. */
static size_t
points_of(struct series_set *set, const struct series *series)
{
	set->room.count = 0;
	for (size_t i = 0; i < series->history.count; i++)
		*array_push(&set->room) = (struct trend_point){ .time_ns = series->history.at[i].time_ns,
			.value = series->history.at[i].value, .weight = 1 };
	return set->room.count;
}

static bool
goes_below_zero(const struct series *series)
{
	for (size_t i = 0; i < series->history.count; i++)
		if (series->history.at[i].value < 0)
			return true;
	return false;
}

unsigned
series_set_days_needed(const struct series_set *set, unsigned stage)
{
	return CYCLES_LEAST * season_cycle_days(set->rules[stage].calendar);
}

double
series_set_days_seen(const struct series_set *set)
{
	double days = 0;

	for (uint32_t n = 1; n <= series_set_count(set); n++) {
		const struct series *s = series_set_at(set, n);

		if (series_is_shown(s))
			days = fmax(days, (double)time_difference(s->first_ns, s->last_ns) / DAY_NS);
	}
	return days;
}

/* With two cycles of the next stage's periods behind it a series gets its seasons anew. */
static void
try_next_stage(struct series_set *set, struct series *series)
{
	struct trend_rules *rules = &set->rules[series->stage + 1];
	double days = ((double)(series->last_ns - series->history.at[0].time_ns) + (double)set->step_ns) / 8.64e13,
	       dumps = series->filter.dumps;	/* of the present step: as many as of those before, as a rule */
	struct season_verdict first;
	size_t count;

	if (days < CYCLES_LEAST * (double)season_cycle_days(rules->calendar) - 1e-6)
		return;
	if (!rules->additive && !set->options->multiplicative && goes_below_zero(series) && !set->options->additive)
		return;		/* seasons cannot multiply a level that crosses zero */
	count = points_of(set, series);
	trend_points_place(rules, set->room.at, count);
	trend_filter_release(&series->filter);
	trend_start_season(&series->filter, rules, set->room.at, count);
	series->filter.dumps = dumps;
	trend_start_replay(&series->filter, rules, set->room.at, count);
	series->season = (struct season_check){ 0 };
	first = trend_season_verdict(rules, set->room.at, count, SEASON_T);
	series->season.r = first.r;
	series->season.measures = (double)first.n;
	series->watch = (struct change_watch){ 0 };
	series->rules = rules;
	series->stage++;
	if (!keeps_history(set, series))
		array_release(&series->history);
}

static void
keep_latest(struct kept_points *points, int64_t time_ns, double value)
{
	if (points->count >= MEASURES_MOST) {
		memmove(points->at, points->at + MEASURES_MOST / 2, MEASURES_MOST / 2 * sizeof *points->at);
		points->count = MEASURES_MOST / 2;
	}
	*array_push(points) = (struct kept_point){ time_ns, value };
}

/* Views are of the hottest series: the others give up their steps first. */
static void
drop_cold_steps(struct series_set *set)
{
	size_t count;
	uint32_t *order = series_set_by_level(set, &count);
	bool *hot = mem_new(set->series.count, sizeof *hot);

	for (size_t i = 0; i < count && i < STEPS_SERIES; i++)
		hot[order[i] - 1] = true;
	set->steps_kept = 0;
	for (size_t i = 0; i < set->series.count; i++) {
		struct series *s = &set->series.at[i];

		if (!hot[i] && s->steps.count > 0) {
			s->steps_dropped = true;
			array_release(&s->steps);
		}
		set->steps_kept += s->steps.count;
	}
	free(hot);
	free(order);
}

static void
keep_step(struct series_set *set, struct series *series, int64_t time_ns, double value, const struct trend_step *step)
{
	bool first = series->filter.count <= 1;
	struct kept_steps *kept = &series->steps;

	if (kept->count >= MEASURES_MOST) {
		memmove(kept->at, kept->at + MEASURES_MOST / 2, MEASURES_MOST / 2 * sizeof *kept->at);
		kept->count = MEASURES_MOST / 2;
		set->steps_kept -= MEASURES_MOST / 2;
		series->steps_dropped = true;
	}
	*array_push(kept) = (struct kept_step){ .time_ns = time_ns, .value = value,
		.expected = first ? NAN : (float)step->predicted,
		.spread = first ? NAN : (float)(DEVIATIONS_OF_MEAN * step->deviation),
		.level = (float)series_level(series) };
	if (++set->steps_kept > STEPS_MOST)
		drop_cold_steps(set);
}

static bool
is_counted(const struct series *series)
{
	return series->kind <= STK_SERIES_GROUP;
}

#define COUNT_FLOOR 0.02 /* threads that may be expected of any class */

/* What a mean of counts varies by at least: as Poisson's do. Groups may be rates. */
static double
chance_of(const struct series *series, double ticks, const struct trend_step *step)
{
	return series->kind <= STK_SERIES_SEGMENT && ticks > 0 ? sqrt((fmax(step->predicted, 0) + COUNT_FLOOR) / ticks)
							       : 0;
}

/* ticks: dumps whose mean it is, of a count. */
static void
update(struct series_set *set, uint32_t number, const struct season_place *places, int64_t time_ns, double value,
       double ticks)
{
	struct series *series = &set->series.at[number];
	struct trend_step step;
	struct change change;

	if (!series->begun) {
		trend_filter_open(&series->filter, series->rules, time_ns, value, false);
		series->begun = true;
		series->first_ns = time_ns;
	}
	season_check_take(&series->season, &series->filter, series->rules, &places[series->stage], value);
	series->filter.dumps = ticks;
	trend_filter_update_at(&series->filter, series->rules, &places[series->stage], time_ns, value, 1, &step);
	/* what the season to come will explain is no news yet */
	if (series->stage + 1 == set->stages && !watched_counts_tell(set, number + 1) &&
	    change_watch_take(&series->watch, &set->options->watch, &series->filter, series->rules, time_ns, value,
			      chance_of(series, ticks, &step), &step, &change))
		series_set_changed(set, number + 1, text_of("", 0), change_kind_names[change.kind], &change);
	series->last = value;
	series->last_ns = time_ns;
	if (set->keep_errors && series->filter.factors != NULL && step.deviation > 0)
		keep_latest(&series->errors, time_ns, step.error / step.deviation);
	if (set->options->keep_steps)
		keep_step(set, series, time_ns, value, &step);
	if (keeps_history(set, series))
		*array_push(&series->history) = (struct kept_point){ time_ns, value };
	if (series->stage + 1 < set->stages && series->history.count > 0)
		try_next_stage(set, series);
}

/* --- steps --- */

static enum set_lane
lane_of(const struct series *series)
{
	return series->kind == STK_SERIES_GROUP ? LANE_GROUPS : LANE_CLASSES;
}

static void
find_places(struct series_set *set, int64_t time_ns, struct season_place *places)
{
	for (unsigned i = 0; i < set->stages; i++)
		places[i] = season_place(set->rules[i].calendar, time_ns);
}

static void
keep_dumps(struct series_set *set, enum set_lane lane, int64_t time_ns)
{
	array_lengthen(&set->dumps, set->ticks.count);
	for (uint32_t c = 0; c < set->ticks.count; c++)
		if (set->ticks.at[c] > 0 && (c == set->group_clock) == (lane == LANE_GROUPS))
			*array_push(&set->dumps.at[c]) = (struct kept_point){ time_ns, (double)set->ticks.at[c] };
}

/* All series of a lane take what the step had: those that were in no dump take nothing, which is a measure too. */
static void
end_lane_step(struct series_set *set, enum set_lane lane)
{
	int64_t time_ns = series_set_step_time(set, &set->lanes[lane]);
	struct season_place places[SERIES_STAGES];

	find_places(set, time_ns, places);
	for (uint32_t i = 0; i < set->series.count; i++) {
		struct series *series = &set->series.at[i];
		double ticks;

		if (!is_counted(series) || lane_of(series) != lane || series->stage == NOT_FOLLOWED)
			continue;
		ticks = (double)set->ticks.at[series->clock];
		if (ticks > 0 && !(set->options->literal_counts && series->sum <= 0))
			update(set, i, places, time_ns, series->sum / ticks, ticks);
		if (set->options->keep_counts && ticks > 0 && series->sum > 0)
			*array_push(&series->counts) = (struct kept_point){ time_ns, series->sum };
		series->sum = 0;
	}
	if (set->options->keep_counts)
		keep_dumps(set, lane, time_ns);
	for (uint32_t c = 0; c < set->ticks.count; c++)
		if ((c == set->group_clock) == (lane == LANE_GROUPS))
			set->ticks.at[c] = 0;
}

int64_t
series_set_step_time(const struct series_set *set, const struct lane *lane)
{
	/* the first of all begins before the first time */
	return lane->step == INT64_MIN ? STK_TIME_UNKNOWN : time_clamp(lane->step * set->step_ns);
}

static void
end_own_step(struct series_set *set, uint32_t number)
{
	struct series *series = &set->series.at[number];
	struct season_place places[SERIES_STAGES];
	double mean = series->sum / series->weight;
	int64_t time_ns = series_set_step_time(set, &series->lane);

	if (series->weight <= 0 || time_ns == STK_TIME_UNKNOWN)
		return;
	series->sum = series->weight = 0;
	find_places(set, time_ns, places);
	update(set, number, places, time_ns, mean, 0);
}

/* Whether a moment is in a later step than the present one. It is late when it is in an earlier one. */
static bool
is_over(struct lane *lane, int64_t step)
{
	if (lane->step == INT64_MIN)
		lane->step = step;
	lane->late += step < lane->step;
	return step > lane->step;
}

static int64_t
step_of(const struct series_set *set, int64_t time_ns)
{
	return time_ns / set->step_ns - (time_ns % set->step_ns < 0);
}

static bool
is_known(struct lane *lane, int64_t time_ns)
{
	if (lane->resume_ns == STK_TIME_UNKNOWN || time_ns > lane->resume_ns)
		return false;
	lane->known++;
	return true;
}

bool
series_set_come_to(struct series_set *set, enum set_lane which, int64_t time_ns)
{
	struct lane *lane = &set->lanes[which];

	if (time_ns == STK_TIME_UNKNOWN || is_known(lane, time_ns))
		return false;
	if (which == LANE_CLASSES)
		watched_counts_come_to(set, time_ns);
	if (is_over(lane, step_of(set, time_ns))) {
		end_lane_step(set, which);
		lane->step = step_of(set, time_ns);
	}
	lane->latest_ns = time_ns > lane->latest_ns ? time_ns : lane->latest_ns;
	return true;
}

void
series_set_tick(struct series_set *set, uint32_t clock)
{
	set->ticks.at[clock]++;
	if (clock != set->group_clock)
		watched_counts_tick(set, clock);
}

void
series_set_add(struct series_set *set, uint32_t number, double amount)
{
	struct series *series;

	if (number == 0)
		return;
	series = series_set_edit(set, number);
	/* of those in a state that does not say it, nobody knows */
	if (series->came_ns == STK_TIME_UNKNOWN && series->state == 0 && series->kind <= STK_SERIES_SEGMENT)
		series->came_ns = set->lanes[LANE_CLASSES].latest_ns;
	series->sum += amount;
	watched_counts_add(set, number, amount);
}

void
series_set_measure(struct series_set *set, uint32_t number, int64_t time_ns, double value)
{
	struct series *series;

	if (number == 0 || !stk_measure_is_believed(value) || time_ns == STK_TIME_UNKNOWN)
		return;
	series = &set->series.at[number - 1];
	if (is_known(&series->lane, time_ns))
		return;
	if (set->hours != NULL)
		hour_counts_measure(set->hours, number, time_ns, value);
	if (is_over(&series->lane, step_of(set, time_ns))) {
		end_own_step(set, number - 1);
		series = &set->series.at[number - 1];
		series->lane.step = step_of(set, time_ns);
	}
	series->sum += value;
	series->weight++;
	if (time_ns >= series->lane.latest_ns) {	/* lines want order */
		series->lane.latest_ns = time_ns;
		keep_latest(&series->measures, time_ns, value);
		metric_hours_take(&series->hours, time_ns, value);
	}
}

void
series_set_end_moment(struct series_set *set)
{
	watched_counts_end(set);
}

void
series_set_finish(struct series_set *set)
{
	for (unsigned l = 0; l < LANES; l++)
		if (set->lanes[l].step != INT64_MIN)
			end_lane_step(set, (enum set_lane)l);
	for (uint32_t i = 0; i < set->series.count; i++)
		if (!is_counted(&set->series.at[i]))
			end_own_step(set, i);
}

/* --- changes --- */

void
series_set_changed(struct series_set *set, uint32_t number, struct stk_text subject, const char *kind,
		   const struct change *change)
{
	uint32_t kept = number > 0 ? 0 : text_table_number(&set->subjects, subject);

	*array_push(&set->changes) = (struct found_change){ .series = number,
							    .subject = text_table_text(&set->subjects, kept),
							    .change = *change,
							    .kind = kind,
							    .finding_ns = STK_TIME_UNKNOWN,
							    .low = NAN,
							    .high = NAN };
}

bool
series_set_is_of_halves(const struct series_set *set, const struct found_change *found)
{
	const struct series *series = found->series == 0 ? NULL : &set->series.at[found->series - 1];
	int64_t until_ns = found->settled ? found->change.end_ns : time_sum(found->change.end_ns, set->step_ns - 1);

	return series != NULL && series->split && until_ns >= series->split_ns;
}

void
series_set_restore_change(struct series_set *set, const struct found_change *change)
{
	struct found_change *kept = array_push(&set->changes);

	*kept = *change;
	if (kept->series == 0)
		kept->subject = text_table_text(&set->subjects, text_table_number(&set->subjects, change->subject));
}

/* --- threads --- */

uint32_t
series_set_standing(struct series_set *set, uint64_t thread)
{
	uint32_t at = hash_map_start(&set->standing_map, thread), number;

	while ((number = hash_map_next(&set->standing_map, thread, &at)) != 0)
		if (set->standings.at[number - 1].thread == thread)
			return number;
	*array_push(&set->standings) = (struct standing){ .thread = thread, .latest_ns = STK_TIME_UNKNOWN };
	hash_map_put(&set->standing_map, thread, (uint32_t)set->standings.count);
	return (uint32_t)set->standings.count;
}

/* --- states --- */

void
series_set_restore_lane(const struct series_set *set, struct lane *lane, int64_t step_ns, int64_t latest_ns)
{
	lane->step = step_ns == STK_TIME_UNKNOWN ? INT64_MIN : step_of(set, step_ns);
	lane->latest_ns = lane->resume_ns = latest_ns;
}

struct stk_text
series_set_clock_source(const struct series_set *set, uint32_t clock)
{
	return text_table_text(&set->sources, clock);
}

void
series_set_oddities(const struct series_set *set, uint64_t *late, uint64_t *known)
{
	*late = *known = 0;
	for (unsigned l = 0; l < LANES; l++) {
		*late += set->lanes[l].late;
		*known += set->lanes[l].known;
	}
	for (size_t i = 0; i < set->series.count; i++) {
		*late += set->series.at[i].lane.late;
		*known += set->series.at[i].lane.known;
	}
}
