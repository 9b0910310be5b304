/* SPDX-License-Identifier: MIT
 * trend_settings: the options of stktrend. */
#ifndef STKTREND_TREND_SETTINGS_H
#define STKTREND_TREND_SETTINGS_H

#include "program/options.h"
#include "program/sample_choice.h"
#include "report/row_printer.h"
#include "trend/change_watch.h"
#include "trend/season_test.h"
#include "trend/trend_filter.h"
#include "trend/trend_options.h"

#include <stdbool.h>

#define ALERTS_MOST 32
#define LIMITS_MOST 16

enum trend_view {
	TREND_RECORDS,
	TREND_TABLE,
	TREND_GAUGES,
	TREND_PREDICT,
	TREND_FACTORS,
	TREND_FORECAST,
	TREND_AGAINST,
	TREND_EXPLAIN,
	TREND_ANOMALIES,
	TREND_ALERT,
	TREND_RATE_PLAN,
	TREND_CHANGES,
	TREND_SEASONS,
	TREND_REGRESSIONS,
	TREND_CONSTANTS
};

struct limit { const char *series, *text; double value; };	/* text: the value as it was typed */

struct settings {
	enum trend_view view;
	enum row_form form;
	bool yaml;			/* --rate-plan: as a file for stkcap --adaptive */
	const char *csv, *column, *time;	/* --csv: its file and columns */
	bool csv_given;
	bool merge;
	const char *state;
	const char *subject;		/* of --explain, --against and --regressions */
	struct option_texts series;	/* only those that match one of these */
	bool holders;			/* what holds a metric is asked for, of the whole input */
	const char *alerts[ALERTS_MOST];
	unsigned alerts_count;
	struct limit limits[LIMITS_MOST];
	unsigned limits_count;
	bool kinds[5];			/* of enum stk_series: which are followed */
	/* the model */
	const char *periods;		/* NULL: chosen by the data */
	const char *holidays;		/* a file */
	int64_t slot_ns, step_ns;
	struct sample_choice choice;
	const struct time_zone *zone;	/* of choice; at last that of filter_zone */
	bool fit_zone;
	bool additive, multiplicative;
	bool smooth_given;
	double smooth;			/* SPAR_NONE: none */
	bool high_season;		/* --against: only this counts */
	bool constants_given;
	struct trend_constants constants;
	double clip;
	bool literal_counts, literal_test;	/* as published */
	enum season_method season_method;	/* of the tests of --seasons */
	struct time_window changed;	/* of --at and --between; STK_TIME_UNKNOWN: to be found */
	bool all_changes;		/* also those that ended, and shifted costs */
	struct watch_rules watch;
	/* the output */
	int64_t horizon_ns, lag_ns, stuck_ns;
	double confidence, relative_error, discovery;
	int64_t top, now_ns;
};

int  settings_read(struct settings *s, int argc, char **argv, int64_t now_ns);
/* The part of the settings for the engines. */
struct trend_options settings_of_engines(const struct settings *s);
void settings_choose(struct settings *s, bool to_terminal);
void settings_release(struct settings *s);

/* The options that a state depends on, as text; as version 0.1 wrote it. */
struct settings_identity { char present[1600], former[1000]; };

struct settings_identity settings_identify(const struct settings *settings);

#endif
