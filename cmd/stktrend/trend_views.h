/* SPDX-License-Identifier: MIT
 * trend_views: what stktrend shows, one function a view. */
#ifndef STKTREND_TREND_VIEWS_H
#define STKTREND_TREND_VIEWS_H

#include "trend_settings.h"

#include "stkpipe/stream.h"
#include "trend/plain_series.h"
#include "trend/series_set.h"

struct trends {
	const struct settings *settings;
	const struct series_set *set;
	struct printer *printer;
	const struct plain_series *plain;	/* of --csv; series are in the same order */
	bool *too_early;			/* set when a view fails because it takes a longer past: then the state, in which that grows, still moves on */
};

/* Each prints all of its view. -1 with *err: the output failed, or what was asked for cannot be had (STK_EUSAGE). */
int show_table(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_factors(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_forecast(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_anomalies(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_explanation(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_rate_plan(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_ranks(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_limits(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;

/* Whether all rules of --alert can be understood: asked before anything is read. */
int alert_rules_check(const struct settings *settings, struct stk_error *err) STK_MUST_CHECK;

/* The findings of --alert, a line each; *found counts them. */
int show_alerts(const struct trends *trends, unsigned *found, struct stk_error *err) STK_MUST_CHECK;

/* The same as records, behind what was passed on. */
int write_trends(const struct trends *trends, struct stk_writer *writer, struct stk_error *err) STK_MUST_CHECK;

/* --- what views share --- */

/* A series' value at moments to come. -1 with *err: its past is too short. */
int  forecast_series(const struct trends *trends, uint32_t number, struct forecast_value *values, size_t count, struct stk_error *err) STK_MUST_CHECK;
/* Series that have begun, the hottest first; free it. */
uint32_t *sorted_series(const struct trends *trends, size_t *count);
/* The measures of a series that lines go through: as they came where they are kept. Free it. */
struct kept_point *points_of_series(const struct trends *trends, uint32_t number, size_t *count);
void add_series_name(const struct trends *trends, uint32_t number, struct text_buffer *to);

struct outlook { bool known, never; double now, rate, rate_error; int64_t when_ns, earliest_ns, latest_ns; };	/* latest: INT64_MAX, never */
/* When a series will reach a value, by a robust line through its measures without their season. rate: a day. */
struct outlook series_outlook(const struct trends *trends, uint32_t number, double limit);

struct ranked_series { uint32_t number; double correlation, together, p, q; int64_t lag_ns; };	/* together: correlation of what seasons leave */
/* Series by how well they explain another; free *ranks. 0 with *count 0 when nothing can be compared. */
int rank_series(const struct trends *trends, const char *subject, struct ranked_series **ranks, size_t *count, struct stk_error *err) STK_MUST_CHECK;

#endif
