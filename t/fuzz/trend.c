/* SPDX-License-Identifier: MIT
 * Any bytes as rules of periods and a series: filters, fits and forecasts end, and what they say is finite. */
#include "trend/change_watch.h"
#include "trend/series_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MOST 400
#define STEPS       8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Six bytes a point: how long after the one before, and a value that may be anything finite. */
static size_t
read_points(const uint8_t *data, size_t size, struct trend_point *points)
{
	int64_t at = INT64_C(1404691200000000000);
	size_t count = 0;

	for (; size >= 6 && count < POINTS_MOST; data += 6, size -= 6) {
		float value;

		memcpy(&value, data + 2, sizeof value);
		at += (int64_t)data[0] * (INT64_C(1) << (data[1] % 44));
		if (isfinite(value) && fabsf(value) < 1e30f)
			points[count++] = (struct trend_point){ .time_ns = at, .value = (double)value, .weight = 1 };
	}
	return count;
}

static void
follow(struct series_model *model, const struct trend_point *points, size_t count)
{
	struct trend_rules *rules = series_model_rules(model);
	struct change_watch watch = { 0 };
	struct trend_filter filter;
	struct trend_step step;
	struct change change;

	trend_start(&filter, rules, points, count / 2 + 1);
	for (size_t i = count / 2 + 1; i < count; i++) {
		trend_filter_update(&filter, rules, points[i].time_ns, points[i].value, 1, &step);
		(void)change_watch_take(&watch, &watch_rules_usual, &filter, rules, points[i].time_ns, points[i].value,
					0, &step, &change);
		if (!isfinite(filter.level) || !isfinite(filter.rate))
			abort();
	}
	trend_filter_release(&filter);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const usual[] = { NULL, "none", "day", "week", "weekdays", "months" };
	static struct trend_point points[POINTS_MOST];
	struct forecast_value values[STEPS];
	struct series_options options = { .clip = 6, .evaluations = 20 };
	struct series_model *model;
	struct stk_error err = { 0 };
	char rules[64] = "";
	size_t taken, count;

	if (size < 2)
		return 0;
	taken = data[0] % 64;
	taken = taken < size - 1 ? taken : size - 1;
	memcpy(rules, data + 1, taken);
	options.periods = taken < 6 ? usual[taken] : rules;
	options.slot_ns = INT64_C(3600000000000);
	count = read_points(data + 1 + taken, size - 1 - taken, points);
	if (count == 0)
		return 0;
	series_model_open(&model, &options);
	if (series_model_choose(model, points, count, &err) == 0) {
		follow(model, points, count);
		for (int i = 0; i < STEPS; i++)
			values[i].time_ns = points[count - 1].time_ns + (i + 1) * INT64_C(3600000000000);
		if (series_model_forecast(model, points, count, 0.95, values, STEPS, &err) < 0)
			stk_error_clear(&err);
	}
	series_model_close(model);
	return 0;
}
