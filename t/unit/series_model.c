/* SPDX-License-Identifier: MIT
 * series_model: intervals widen with the distance, in steps at the halves of the horizon; and what past a forecast
 * needs. */
#include "../lib/tap.h"

#include "trend/series_model.h"

#include <math.h>

#define HOUR    INT64_C(3600000000000)
#define MINUTE  (HOUR / 60)
#define BEGIN   (INT64_C(1404691200) * 1000000000)	/* 2014-07-07, a Monday */
#define STEP    (15 * MINUTE)
#define HORIZON 64

/* A walk: each value is the one before, and chance. */
static void
walk(struct trend_point *points, size_t count)
{
	uint64_t chance = 88172645463325252u;
	double value = 1000;

	for (size_t i = 0; i < count; i++) {
		chance ^= chance << 13;
		chance ^= chance >> 7;
		chance ^= chance << 17;
		value += (double)(chance >> 11) / 9007199254740992.0 - 0.5;
		points[i] = (struct trend_point){ .time_ns = BEGIN + (int64_t)i * STEP, .weight = 1, .value = value };
	}
}

static int
forecast(const struct trend_point *past, size_t count, struct forecast_value *values, size_t wanted,
	 struct stk_error *err)
{
	struct trend_point *points = malloc(count * sizeof *points);
	struct series_options options = { .clip = 6, .periods = "none", .evaluations = 20 };
	struct series_model *model;
	int result;

	memcpy(points, past, count * sizeof *points);
	series_model_open(&model, &options);
	result = series_model_choose(model, points, count, err);
	if (result == 0)
		result = series_model_forecast(model, points, count, 0.95, values, wanted, err);
	series_model_close(model);
	free(points);
	return result;
}

static double
width(const struct forecast_value *value)
{
	return value->high - value->low;
}

static void
test_widths(void)
{
	struct trend_point points[1200];
	struct forecast_value values[HORIZON];
	struct stk_error err = { 0 };
	bool same = true;

	walk(points, 1200);
	for (int i = 0; i < HORIZON; i++)
		values[i].time_ns = points[1199].time_ns + (i + 1) * STEP;
	ok(forecast(points, 1200, values, HORIZON, &err) == 0, "a walk is forecast %s", err.text);
	ok(width(&values[0]) > 0 && width(&values[0]) * 3 < width(&values[HORIZON - 1]),
	   "of a walk the next step is known better than a far one: %.2f, %.2f", width(&values[0]),
	   width(&values[HORIZON - 1]));
	for (int last = HORIZON; last > 8; last /= 2) {
		for (int i = last / 2; i < last; i++)
			same = same && width(&values[i]) >= width(&values[last - 1]) &&
			       width(&values[i]) <= width(&values[last - 1]);
		ok(width(&values[last / 2 - 1]) < width(&values[last / 2]),
		   "it widens after step %d of %d: %.2f, %.2f", last / 2, HORIZON, width(&values[last / 2 - 1]),
		   width(&values[last / 2]));
	}
	ok(same, "and is the same between");
}

static void
test_needs(void)
{
	struct trend_point points[24];
	struct forecast_value values[16];
	struct stk_error err = { 0 };

	walk(points, 24);
	for (int i = 0; i < 16; i++)
		values[i].time_ns = points[18].time_ns + (i + 1) * STEP;
	ok(forecast(points, 19, values, 1, &err) < 0 && strstr(err.text, "19 measures seen, 20 needed") != NULL,
	   "19 measures are too few: %s", err.text);
	stk_error_clear(&err);
	for (int i = 0; i < 16; i++)
		values[i].time_ns = points[19].time_ns + (i + 1) * STEP;
	ok(forecast(points, 20, values, 1, &err) == 0, "20 are enough %s", err.text);
	ok(forecast(points, 20, values, 0, &err) == 0, "no value of none is asked %s", err.text);
	ok(forecast(points, 20, values, 13, &err) < 0 && strstr(err.text, "4h45m of data seen, 4h53m needed") != NULL,
	   "the past is one and a half times as long: %s", err.text);
	stk_error_clear(&err);
	for (int i = 0; i < 16; i++)
		values[i].time_ns = points[21].time_ns + (i + 1) * STEP;
	ok(forecast(points, 22, values, 14, &err) == 0, "exactly so long is enough %s", err.text);
}

int
main(void)
{
	test_widths();
	test_needs();
	return tap_end();
}
