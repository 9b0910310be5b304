/* SPDX-License-Identifier: MIT
 * trend_records: the results, as records that follow the stream that was passed on. */
#include "trend_views.h"

#include "base/time_math.h"
#include "trend/outlook.h"
#include "trend/ranking.h"
#include "trend/trend_state.h"

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
		if (outlook_forecast(t->set, order[i], plain_points_of(t, order[i]), values, FORECAST_SLOTS, &why) < 0)
			continue;
		for (unsigned k = 0; k < FORECAST_SLOTS && result == 0; k++)
			result = write_forecast(s, &values[k], writer, err);
	}
	free(order);
	return result;
}

static int
write_ranks(const struct trends *t, struct stk_writer *writer, struct stk_error *err)
{
	struct ranking ranking;
	int result = rank_series(t, &ranking, err);

	for (size_t i = 0; i < ranking.count && result == 0; i++) {
		const struct ranked_series *ranked = &ranking.at[i];
		const struct series *s = series_set_at(t->set, ranked->number);
		struct stk_rank row = {
			.place = i + 1, .series = s->kind, .name = s->name, .part = s->part,
			.against = text_from(t->settings->subject),
			.correlation = ranked->correlation, .lag = ranked->lag_ns, .p = ranked->p, .q = ranked->q
		};

		result = stk_writer_add(writer, STK_RANK, &row, err);
	}
	ranking_release(&ranking);
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
	if (trend_state_add(t->set, false, writer, err) < 0 || write_forecasts(t, writer, err) < 0 ||
	    trend_state_add_changes(t->set, false, writer, err) < 0)
		return -1;
	return t->settings->subject == NULL ? 0 : write_ranks(t, writer, err);
}
