/* SPDX-License-Identifier: MIT
 * trend_options: the options of the trend engines. The caller that opens one fills it; it is borrowed until they are
 * closed. */
#ifndef TREND_TREND_OPTIONS_H
#define TREND_TREND_OPTIONS_H

#include "stkpipe/error.h"
#include "stkpipe/rows.h"
#include "trend/change_watch.h"
#include "trend/level_changes.h"
#include "trend/trend_filter.h"

#include <stdbool.h>

struct time_zone;

/* Called for what is left out of an input: a line of text, with its place, without a newline. */
struct trend_listener {
	void (*left_out)(void *context, const char *text);	/* NULL: nobody listens */
	void *context;
};

struct trend_options {
	/* which series */
	bool kinds[STK_SERIES_COUNTER + 1];	/* of enum stk_series */
	const char *const *series;	/* of these kinds, only those that match one of these */
	unsigned series_count;		/* 0: all */
	const char *also;		/* and those that match this; NULL: none */
	/* the others are followed, too, but hidden: for a state, which is of all series */
	bool follow_all;
	/* what is kept of them */
	/* each step for good, not only until the last stage of seasons: for forecasts */
	bool keep_history;
	bool keep_errors;		/* what was not expected of each step: for rankings */
	bool keep_steps;		/* each step with what was expected of it: for records */
	bool keep_counts;		/* of each step, as they were counted, and its dumps: for changes */
	bool keep_hours;		/* how many threads were in each hour, and the least of metrics: for holders */
	/* the model */
	const char *periods;		/* NULL: chosen by what there is */
	const char *holidays;		/* a file, or NULL */
	int64_t slot_ns, step_ns;	/* 0: the usual ones */
	const struct time_zone *zone;		/* NULL: UTC */
	bool fit_zone;			/* of a plain series: the zone in which its days are days */
	bool additive, multiplicative;	/* neither: chosen by what there is */
	bool smooth_given;
	double smooth;			/* SPAR_NONE: none */
	bool constants_given;
	struct trend_constants constants;
	double clip;
	bool literal_counts;		/* a step without a measure is none, as published; not one of 0 */
	struct watch_rules watch;
	struct level_rules levels;	/* of plain series, whose whole record is there */
	int64_t stuck_ns;		/* in one busy stack makes a stuck thread */
	/* what is asked of it */
	double confidence;		/* of limits, 0 to 1 */
	int64_t lag_ns;			/* of rankings: tried to either side */
	bool high_season;		/* of rankings: only the latest high season of the subject counts */
	double relative_error;		/* of plans: of a mean, at that confidence */
	struct trend_listener listener;
};

/* Calls the listener, if there is one. */
void trend_left_out(const struct trend_listener *listener, const char *format, ...) STK_PRINTF(2, 3);

#endif
