/* SPDX-License-Identifier: MIT
 * trend_start: the beginning of a filter from the first cycles of its series: factors are means of what was seen over
 * the level of its cycle. */
#ifndef TREND_TREND_START_H
#define TREND_TREND_START_H

#include "trend/season_test.h"
#include "trend/trend_filter.h"

struct trend_point { int64_t time_ns; double value, weight; struct season_place place; };

/* Finds the places of points, which the functions below want to be known. */
void trend_points_place(const struct trend_rules *rules, struct trend_point *points, size_t count);

/* How many times everything has come round between the first and the last point. */
double trend_cycles_seen(const struct trend_rules *rules, const struct trend_point *points, size_t count);

/* Opens the filter at the first point with factors of all points (of at least two cycles: else without a season), and
 * takes the points in. Factors stay what they were found to be; levels follow. */
void trend_start(struct trend_filter *filter, struct trend_rules *rules, const struct trend_point *points,
		 size_t count);

/* Both halves of it: what does not depend on the constants, and what does. */
void trend_start_season(struct trend_filter *filter, struct trend_rules *rules, const struct trend_point *points,
			size_t count);
void trend_start_replay(struct trend_filter *filter, struct trend_rules *rules, const struct trend_point *points,
			size_t count);

/* Whether the latest whole cycle goes as an earlier one did: the verdict on the best of them. All zero but p = 1 where
 * there are no two cycles. */
struct season_verdict trend_season_verdict(const struct trend_rules *rules, const struct trend_point *points,
					   size_t count, enum season_method method);

/* Mean hours between points. */
double trend_usual_hours(const struct trend_point *points, size_t count);

#endif
