/* SPDX-License-Identifier: MIT
 * trend_views: the output of stktrend, one function per view. */
#ifndef STKTREND_TREND_VIEWS_H
#define STKTREND_TREND_VIEWS_H

#include "trend_settings.h"

#include "stkpipe/stream.h"
#include "trend/heap_holders.h"
#include "trend/plain_series.h"
#include "trend/ranking.h"
#include "trend/series_set.h"

struct trends {
	const struct settings *settings;
	const struct series_set *set;
	struct printer *printer;
	const struct plain_series *plain;	/* of --csv; series are in the same order */
	/* set when a view fails because it needs a longer past: the state, where the past grows, is still replaced */
	bool *too_early;
};

/* Each prints all of its view. -1 with *err: the output failed, or the request cannot be met (STK_EUSAGE). */
int show_table(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_gauges(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_factors(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_forecast(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_anomalies(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_explanation(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_rate_plan(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_ranks(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_changes(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_seasons(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_regressions(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_constants(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;
int show_limits(const struct trends *trends, struct stk_error *err) STK_MUST_CHECK;

/* Whether all rules of --alert are valid: checked before anything is read. */
int alert_rules_check(const struct settings *settings, struct stk_error *err) STK_MUST_CHECK;

/* Whether a rule asks what holds the heap. */
bool alert_rules_want_holders(const struct settings *settings);

/* What was looked at, where nothing was found, and what cannot be judged yet: no finding alone looks as if all were
 * well. Beside the table of anomalies; on standard error where that is for programs, and of alerts. */
void say_what_was_judged(const struct trends *trends, size_t found);

/* The findings of --alert, one per line; *found counts them. */
int show_alerts(const struct trends *trends, unsigned *found, struct stk_error *err) STK_MUST_CHECK;

/* Whether the view of anomalies, of alerts or of records reports a finding. */
bool is_told_anomaly(const struct trends *trends, const struct found_change *found);
bool is_told_alert(const struct trends *trends, const struct found_change *found);
bool is_told_record(const struct trends *trends, const struct found_change *found);

/* The same as records, after the stream that was passed on. */
int write_trends(const struct trends *trends, struct stk_writer *writer, struct stk_error *err) STK_MUST_CHECK;

/* --- common to the views --- */

/* The points of a plain series, or NULL. */
static inline const struct plain_points *
plain_points_of(const struct trends *t, uint32_t number)
{
	return t->plain == NULL ? NULL : &t->plain->points.at[number - 1];
}

/* A series that --against names, and what explains it. */
struct explained {
	uint32_t subject;
	bool seasonal;			/* it has a season, and the ranking its place */
	struct ranking ranking;
	struct heap_holders holders;	/* nothing unless hours are kept */
};
struct explained_list { struct explained *at; size_t count, room; };

/* Release *list in any case. */
int  explain_subjects(const struct trends *trends, struct explained_list *list, struct stk_error *err) STK_MUST_CHECK;
void explained_release(struct explained_list *list);
/* Of a series; NULL: it is none. */
const struct heap_holder *holder_of(const struct explained *explained, uint32_t number);
/* All threads, as a holder. */
struct heap_holder holder_of_load(const struct explained *explained);
/* What holds it, as a sentence and a table. */
int  show_holders(const struct trends *trends, const struct explained *explained, struct stk_error *err) STK_MUST_CHECK;

#endif
