/* SPDX-License-Identifier: MIT
 * outlook: what comes next: the values of a series at moments to come, and when it reaches a limit.
 *
 * plain: the points of the series when it was read from a file, which its set does not keep; NULL for series of a
 * stream. */
#ifndef TREND_OUTLOOK_H
#define TREND_OUTLOOK_H

#include "trend/plain_series.h"
#include "trend/series_set.h"

#define OUTLOOK_POINTS_LEAST 8		/* measures that a line through them wants */

/* The values at the times of `values`, with the limits between which they are with the set's confidence. careful: of a
 * metric as metric_forecast.h has it, which takes its time; else by its filter. -1 with *err (STK_EUSAGE): its past is
 * too short. */
int outlook_forecast(const struct series_set *set, uint32_t number, const struct plain_points *plain, bool careful,
		     struct forecast_value *values, size_t count, struct stk_error *err) STK_MUST_CHECK;

/* How far apart the values of a forecast are, when nobody asks for another step. */
int64_t outlook_step_ns(const struct series_set *set, uint32_t number, const struct plain_points *plain);

/* The measures that a line goes through: as they came where they are kept, else by steps. Free it. */
struct kept_point *outlook_points(const struct series_set *set, uint32_t number, const struct plain_points *plain,
				  size_t *count);

/* The measures without their season, over days since the last one. A season that may be chance is left in. */
void outlook_without_season(const struct series *series, const struct kept_point *points, size_t count, double *x,
			    double *y);

struct outlook {
	bool known;			/* there are measures enough, OUTLOOK_POINTS_LEAST */
	bool never;			/* not within twenty years */
	double now, rate, rate_error;	/* without the season; a day */
	int64_t when_ns, earliest_ns, latest_ns;	/* INT64_MAX: never */
	size_t restarts;		/* after which the series began low again */
	int64_t since_ns;		/* the last of them, or the first measure: the line is of the time since */
	size_t longer, shorter;		/* of earlier times between restarts, those longer than the present one already
					 * is: that would have reached the value, and that would not */
	int64_t next_ns;		/* when the next restart is due, as earlier ones were; INT64_MAX: not known */
	size_t trials;			/* forecasts of what is known by now, which the limits rest on; 0: none */
};

/* When a series reaches a value from below if it is not set back before: by hours (metric_line.h), or where there are
 * too few of these by a robust line through its measures without their season since the last restart. */
struct outlook outlook_of_limit(const struct series_set *set, uint32_t number, const struct plain_points *plain,
				double limit);

#endif
