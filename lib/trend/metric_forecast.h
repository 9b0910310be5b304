/* SPDX-License-Identifier: MIT
 * metric_forecast: what a metric of a stream will be, step by step. One that grows or is set back by restarts goes on
 * along its line, by which limits are reached, too (metric_line.h); of any other the model of a plain series is made.
 * The limits of both come from forecasts of what is known by now. */
#ifndef TREND_METRIC_FORECAST_H
#define TREND_METRIC_FORECAST_H

#include "trend/metric_line.h"

struct metric_forecast {
	bool by_line;
	struct metric_line line;
	double above, scatter; /* of the mean of a step, beside the line */
	struct series_model *model;
	struct trend_point *points; /* of the model */
	size_t count;
};

/* False: its past is too short; nothing is to be released. It takes up to a second. */
bool metric_forecast_open(struct metric_forecast *out, const struct series_set *set, uint32_t number);
void metric_forecast_release(struct metric_forecast *f);

/* The values at the times of `values`, with limits of a confidence. False: so far ahead the past is too short. */
bool metric_forecast_values(struct metric_forecast *f, double confidence, struct forecast_value *values, size_t count);

#endif
