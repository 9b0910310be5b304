/* SPDX-License-Identifier: MIT
 * metric_line: a metric by the hour, cut at its restarts, and the line of the time since the last one. Of a heap an
 * hour is its least measure, which is what remains after collections; of any other metric the mean. */
#ifndef TREND_METRIC_LINE_H
#define TREND_METRIC_LINE_H

#include "trend/capacity.h"
#include "trend/series_set.h"

struct metric_line {
	struct capacity_line line;
	const struct time_zone *zone;
	int64_t origin_ns, last_ns; /* of the line's days; of the last hour's middle */
	int64_t *starts_ns; /* the first hour of each epoch */
	size_t epochs;
};

/* points: the measures in order of time, which hours that the series has kept go before. False: there are too few
 * hours, or they are far apart; nothing is to be released. */
bool metric_line_fit(struct metric_line *out, const struct series_set *set, uint32_t number,
		     const struct kept_point *points, size_t count);
void metric_line_release(struct metric_line *m);

double metric_line_value(const struct metric_line *m, int64_t time_ns);
/* The standard error of the line itself, as trials had it. */
double metric_line_drift(const struct metric_line *m, int64_t time_ns);
/* That of an hour at that time. */
double metric_line_error(const struct metric_line *m, int64_t time_ns);
/* The first hour, from the last one on, in which the line and z standard errors are not below a limit; INT64_MAX: in
 * none of twenty years. */
int64_t metric_line_reaches(const struct metric_line *m, double limit, double z);

#endif
