/* SPDX-License-Identifier: MIT
 * metric_hours: the latest hours of a metric: of a heap the least measure of each, which is what remains after
 * collections; of any other metric the mean. */
#ifndef TREND_METRIC_HOURS_H
#define TREND_METRIC_HOURS_H

#include "stkpipe/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define METRIC_HOURS_MOST 5760 /* half of them go when there are more: 120 days are always left */

struct metric_hour {
	int64_t hour; /* since 1970 */
	double sum; /* of a heap: the least */
	uint64_t count;
};

struct metric_hours {
	struct metric_hour *at;
	size_t count, room;
	bool least;
};

/* Metrics whose name has "heap" or "memory" in it. */
bool metric_hours_are_least(struct stk_text name);

/* Measures come in order of time. */
void metric_hours_take(struct metric_hours *hours, int64_t time_ns, double value);
double metric_hours_value(const struct metric_hours *hours, size_t i);
void metric_hours_release(struct metric_hours *hours);

#endif
