/* SPDX-License-Identifier: MIT
 * trend_records: the results, as records that follow the stream that was passed on. */
#include "series_text.h"
#include "trend_views.h"

#include "base/probability.h"
#include "base/time_math.h"
#include "program/program.h"
#include "trend/outlook.h"
#include "trend/trend_state.h"

#include <math.h>
#include <stdlib.h>

#define FORECAST_SLOTS 96	/* written for each series: a day in quarters of an hour */
#define RECORDED_MOST  100	/* series whose forecasts are written: the hottest */

static int
write_forecast(const struct series *s, const struct forecast_value *value, struct stk_writer *writer,
	       struct stk_error *err)
{
	struct stk_forecast row = {
		.time = value->time_ns, .series = s->kind, .name = s->name, .part = s->part, .value = value->value,
		.low = value->low, .high = value->high
	};

	return stk_writer_add(writer, STK_FORECAST, &row, err);
}

static int
write_forecasts(const struct trends *t, struct stk_writer *writer, struct stk_error *err)
{
	struct forecast_value values[FORECAST_SLOTS];
	size_t count;
	uint32_t *order = series_set_by_level(t->set, &count);
	int result = 0;

	for (size_t i = 0; i < count && i < RECORDED_MOST && result == 0; i++) {
		const struct series *s = series_set_at(t->set, order[i]);
		struct stk_error why = { 0 };

		for (unsigned k = 0; k < FORECAST_SLOTS; k++)
			values[k].time_ns =
				time_clamp(s->last_ns + (int64_t)(k + 1) * (t->settings->horizon_ns / FORECAST_SLOTS));
		if (outlook_forecast(t->set, order[i], plain_points_of(t, order[i]), true, values, FORECAST_SLOTS,
				     &why) < 0)
			continue;
		for (unsigned k = 0; k < FORECAST_SLOTS && result == 0; k++)
			result = write_forecast(s, &values[k], writer, err);
	}
	free(order);
	return result;
}

/* Ids of filter_state rows count series by name. Free it. */
static uint32_t *
ids_of_series(const struct series_set *set)
{
	uint32_t *order = series_set_by_name(set), *ids = mem_new((size_t)series_set_count(set) + 1, sizeof *ids);

	for (uint32_t i = 0; i < series_set_count(set); i++)
		ids[order[i]] = i + 1;
	free(order);
	return ids;
}

/* What was expected is within z standard deviations; counts are not below 0. */
static struct stk_measure
measure_row(const struct series *s, uint32_t id, const struct kept_step *step, double z)
{
	struct stk_measure row = { .id = id, .time = step->time_ns, .value = step->value,
		.expected = (double)step->expected, .level = (double)step->level,
		.low = (double)step->expected - z * (double)step->spread,
		.high = (double)step->expected + z * (double)step->spread };

	if (s->kind <= STK_SERIES_GROUP) {
		row.expected = row.expected < 0 ? 0 : row.expected;
		row.low = row.low < 0 ? 0 : row.low;
		row.high = row.high < 0 ? 0 : row.high;
	}
	return row;
}

/* The steps of the series whose forecasts are written. */
static int
write_measures(const struct trends *t, const uint32_t *ids, struct stk_writer *writer, struct stk_error *err)
{
	double z = normal_quantile(0.5 + t->settings->confidence / 2);
	size_t count, dropped = 0;
	uint32_t *order = series_set_by_level(t->set, &count);
	int result = 0;

	for (size_t i = 0; i < count && i < RECORDED_MOST && result == 0; i++) {
		const struct series *s = series_set_at(t->set, order[i]);

		dropped += s->steps_dropped;
		for (size_t k = 0; k < s->steps.count && result == 0; k++) {
			struct stk_measure row = measure_row(s, ids[order[i]], &s->steps.at[k], z);

			result = stk_writer_add(writer, STK_MEASURE, &row, err);
		}
	}
	if (count > RECORDED_MOST)
		program_say("measures and forecasts of the %d hottest of %zu series are written", RECORDED_MOST, count);
	if (dropped > 0)
		program_say("%zu of them lack their first measures, to save memory: a longer --step keeps more", dropped);
	free(order);
	return result;
}

static int64_t
moment_or_unknown(int64_t ns)
{
	return ns == INT64_MAX ? STK_TIME_UNKNOWN : ns;
}

static int
write_capacity(const struct trends *t, uint32_t number, uint32_t id, const struct limit *limit,
	       struct stk_writer *writer, struct stk_error *err)
{
	struct outlook o = outlook_of_limit(t->set, number, NULL, limit->value);
	struct stk_capacity row = { .id = id, .value = limit->value, .now = o.now, .rate = o.rate,
		.rate_error = o.rate_error, .reached = moment_or_unknown(o.when_ns),
		.earliest = moment_or_unknown(o.earliest_ns), .latest = moment_or_unknown(o.latest_ns),
		.restarts = o.restarts, .since = o.since_ns };

	if (!o.known) {
		program_warn("--limit %s: too few measures: %d needed", limit->series, OUTLOOK_POINTS_LEAST);
		return 0;
	}
	return stk_writer_add(writer, STK_CAPACITY, &row, err);
}

static int
write_capacities(const struct trends *t, const uint32_t *ids, struct stk_writer *writer, struct stk_error *err)
{
	for (unsigned i = 0; i < t->settings->limits_count; i++) {
		const struct limit *limit = &t->settings->limits[i];
		unsigned found = 0;

		for (uint32_t n = 1; n <= series_set_count(t->set); n++) {
			const struct series *s = series_set_at(t->set, n);

			if (!series_matches(s, limit->series) || !series_is_shown(s))
				continue;
			found++;
			if (write_capacity(t, n, ids[n], limit, writer, err) < 0)
				return -1;
		}
		if (found == 0)
			return fail_no_series(t->set, "--limit", limit->series, err);
	}
	return 0;
}

/* alone: it is the only one that was asked about, and keeps the name that it was asked by. */
static int
write_ranking(const struct trends *t, const struct explained *e, bool alone, struct stk_writer *writer,
	      struct stk_error *err)
{
	struct text_buffer against = { 0 };
	int result = 0;

	if (alone)
		add_string(&against, t->settings->subject);
	else
		series_add_name(series_set_at(t->set, e->subject), &against);
	for (size_t i = 0; i < e->ranking.count && result == 0; i++) {
		const struct ranked_series *ranked = &e->ranking.at[i];
		const struct series *s = series_set_at(t->set, ranked->number);
		struct stk_rank row = {
			.place = i + 1, .series = s->kind, .name = s->name, .part = s->part,
			.against = text_in(&against, 0),
			.correlation = ranked->correlation, .lag = ranked->lag_ns, .p = ranked->p, .q = ranked->q
		};

		result = stk_writer_add(writer, STK_RANK, &row, err);
	}
	array_release(&against);
	return result;
}

/* Rows of what is held are of the holders before them, by number. */
static int
write_held(const struct heap_holders *h, size_t id, const double *held, struct stk_writer *writer,
	   struct stk_error *err)
{
	for (size_t i = 0; i < h->slots; i++) {
		struct stk_held row = { .id = id, .time = h->time_ns[i], .value = held[i] };

		if (stk_writer_add(writer, STK_HELD, &row, err) < 0)
			return -1;
	}
	return 0;
}

static int
write_holder(const struct trends *t, const struct explained *e, size_t id, size_t k, struct stk_writer *writer,
	     struct stk_error *err)
{
	const struct series *of = series_set_at(t->set, e->subject);
	const struct heap_fit *fit = &e->holders.fit;
	struct heap_holder holder = k < fit->count ? fit->holders[k] : holder_of_load(e);
	uint32_t number = k < fit->count ? e->holders.classes[holder.class] : 0;
	double z = normal_quantile(0.5 + t->settings->confidence / 2);
	struct stk_holder row = { .id = id, .against = of->name, .against_part = of->part,
		.what = text_from(holder.grows ? "grows" : "holds"), .per_thread = holder.per_thread,
		.low = fmax(0, holder.per_thread - z * holder.error), .high = holder.per_thread + z * holder.error,
		.held = holder.held, .share = holder.held / fit->mean };

	if (number != 0)
		row.name = series_set_at(t->set, number)->name;
	return stk_writer_add(writer, STK_HOLDER, &row, err);
}

/* What is held hour by hour, and under it what nobody holds: base and leak. */
static int
write_holders(const struct trends *t, const struct explained *e, size_t *id, struct stk_writer *writer,
	      struct stk_error *err)
{
	const struct series *of = series_set_at(t->set, e->subject);
	const struct heap_fit *fit = &e->holders.fit;
	struct stk_holder rest = { .against = of->name, .against_part = of->part, .what = text_from("rest") };
	size_t count = fit->count + heap_follows_load(fit);
	int result = 0;

	if (!fit->known)
		return 0;
	for (size_t k = 0; k < count && result == 0; k++) {
		result = write_holder(t, e, ++*id, k, writer, err);
		if (result == 0)
			result = write_held(&e->holders, *id, e->holders.held + k * e->holders.slots, writer, err);
	}
	rest.id = ++*id;
	rest.held = fit->base;
	rest.share = fit->base / fit->mean;
	if (result == 0)
		result = stk_writer_add(writer, STK_HOLDER, &rest, err);
	return result < 0 ? -1 : write_held(&e->holders, *id, e->holders.rest, writer, err);
}

static int
write_ranks(const struct trends *t, struct stk_writer *writer, struct stk_error *err)
{
	struct explained_list list;
	size_t id = 0;
	int result = explain_subjects(t, &list, err);

	for (size_t i = 0; i < list.count && result == 0; i++) {
		result = write_ranking(t, &list.at[i], list.count == 1, writer, err);
		if (result == 0)
			result = write_holders(t, &list.at[i], &id, writer, err);
	}
	explained_release(&list);
	return result;
}

bool
is_told_record(const struct trends *t, const struct found_change *found)
{
	return found->series == 0 || !series_set_at(t->set, found->series)->hidden;
}

int
write_trends(const struct trends *t, struct stk_writer *writer, struct stk_error *err)
{
	uint32_t *ids = ids_of_series(t->set);
	int result = trend_state_add(t->set, false, writer, err);

	if (result == 0)
		result = write_measures(t, ids, writer, err);
	if (result == 0)
		result = write_capacities(t, ids, writer, err);
	free(ids);
	if (result < 0 || write_forecasts(t, writer, err) < 0 ||
	    trend_state_add_changes(t->set, false, writer, err) < 0)
		return -1;
	return t->settings->subject == NULL ? 0 : write_ranks(t, writer, err);
}
