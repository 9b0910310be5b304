/* SPDX-License-Identifier: MIT
 * series_model: how to continue a series whose past is available: which periods it has, with which constants its filter
 * predicts best, and how far each way of forecasting can be trusted at each distance. All is chosen by what would have
 * done best on the past: nothing is taken on faith. */
#ifndef TREND_SERIES_MODEL_H
#define TREND_SERIES_MODEL_H

#include "trend/trend_fit.h"

struct series_options {
	const char *periods;		/* NULL: chosen */
	int64_t slot_ns;		/* 0: chosen */
	const struct time_zone *zone;
	int shift_s;
	bool additive_given, additive;
	bool spar_given;		/* smoothing is not to be chosen */
	double spar;			/* SPAR_NONE: none */
	bool constants_given;
	struct trend_constants constants;
	double clip;
	int evaluations;		/* of a fit; 0: 120 */
	/* Adds the holidays to a calendar; may be NULL. */
	int (*holidays)(void *context, struct season_calendar *calendar, struct stk_error *err);
	void *context;
};

#define SPAR_NONE (-100.0)

struct series_model;

void series_model_open(struct series_model **out, const struct series_options *options);
void series_model_close(struct series_model *model);

/* Chooses for the points so far; their places are set. -1 with *err: the options cannot be (STK_EUSAGE). */
int series_model_choose(struct series_model *model, struct trend_point *points, size_t count,
			struct stk_error *err) STK_MUST_CHECK;

/* What was chosen. The rules may be used for a filter of one's own while the model lives. */
struct trend_rules *series_model_rules(struct series_model *model);
const char *series_model_periods(const struct series_model *model);
double series_model_spar(const struct series_model *model);
double series_model_error(const struct series_model *model);	/* mean size of one-step errors */

struct forecast_value { int64_t time_ns; double value, low, high; };

/* After series_model_choose with the same points: what comes at the times of `values`, with the interval that holds it
 * with a confidence. -1 with *err (STK_EUSAGE): what the past is too short for. */
int series_model_forecast(struct series_model *model, const struct trend_point *points, size_t count, double confidence,
			  struct forecast_value *values, size_t wanted, struct stk_error *err) STK_MUST_CHECK;

/* The slot length for points at such intervals: a divisor of a day, 15 minutes at least. */
int64_t series_slot_ns(const struct trend_point *points, size_t count);

#endif
