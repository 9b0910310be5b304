/* SPDX-License-Identifier: MIT
 * stktrend: follows classes, segments, groups and metrics over time, forecasts them, and finds what explains them. */
#include "series_text.h"
#include "trend_views.h"

#include "base/output.h"
#include "choose/selected_pass.h"
#include "program/filter.h"
#include "program/lost_ids.h"
#include "program/printing.h"
#include "program/program.h"
#include "stream/state_file.h"
#include "trend/prediction.h"
#include "trend/series_news.h"
#include "trend/stream_series.h"
#include "trend/trend_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct stktrend {
	struct settings settings;
	struct trend_options options;	/* the part of the settings for the engines */
	struct filter filter;
	struct model *model;
	struct series_set *set;
	struct stream_series *stream;
	struct plain_series plain;
	struct state_file *state;	/* locked; a new one is beside it until all is delivered */
	struct selection *selection;
	bool counted_before;		/* some rows are not affected by the selection of samples */
	bool lost_columns;		/* of rows that were selected and rewritten */
	bool too_early;			/* the request needs a longer past */
	struct printer printer;
	struct settings_identity identity;
	bool wanted[STK_KIND_COUNT];
};

static int64_t
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* --- the state --- */

static struct state_kind
kind_of_state(const struct stktrend *t)
{
	return (struct state_kind){ .program = "stktrend", .about = "state of stktrend", .identity = t->identity.present,
				    .former = t->identity.former };
}

struct state_intake { struct filter *filter; struct trend_state *state; };

static int
take_state(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct state_intake *to = context;

	return filter_take_clocks(to->filter, reader, block) ? 0 : trend_state_take(to->state, reader, block, err);
}

/* 1; 0: there is none. */
static int
read_state(struct stktrend *t, const char *path, struct stk_error *err)
{
	struct state_kind kind = kind_of_state(t);
	struct state_intake to = { .filter = &t->filter };
	int got;

	trend_state_open(&to.state, t->set);
	got = state_file_read(path, &kind, take_state, &to, err);
	if (got > 0 && trend_state_left_paths(to.state))
		program_warn("%s: a build between two releases wrote it, without the order of the segments that classes go "
			     "through: where each class is in the call tree is known when it comes again", path);
	trend_state_close(to.state);
	return got;
}

static int
open_state(struct stktrend *t, struct stk_error *err)
{
	if (t->settings.state == NULL)
		return 0;
	if (state_file_open(&t->state, t->settings.state, err) < 0)
		return -1;
	return t->settings.merge || read_state(t, t->settings.state, err) >= 0 ? 0 : -1;
}

static int
add_state(void *context, struct stk_writer *writer, struct stk_error *err)
{
	const struct stktrend *t = context;

	return filter_write_clocks(&t->filter, writer, err) < 0 ? -1 : trend_state_write(t->set, writer, err);
}

static int
write_state(struct stktrend *t, struct stk_error *err)
{
	struct state_kind kind = kind_of_state(t);

	return t->state == NULL || program_stopping() ? 0 : state_file_write(t->state, &kind, add_state, t, err);
}

static struct trends
trends_of(struct stktrend *t)
{
	return (struct trends){ .settings = &t->settings, .set = t->set, .printer = &t->printer,
		.plain = t->settings.csv_given ? &t->plain : NULL, .too_early = &t->too_early };
}

/* --- a stream --- */

static bool
is_ours(unsigned kind)
{
	return kind == STK_FILTER_STATE || kind == STK_SEASONAL_FACTOR || kind == STK_FORECAST || kind == STK_ANOMALY ||
	       kind == STK_RANK || kind == STK_MEASURE || kind == STK_CAPACITY || kind == STK_COUNT_STATE ||
	       kind == STK_HOLDER || kind == STK_HELD;
}

static int
take(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct stktrend *t = context;

	if (block->kind == STK_HEAD)
		stream_series_link(t->stream);
	if (model_take(t->model, t->filter.reader, block, err) < 0)
		return -1;
	if (block->kind == STK_HEAD)
		stream_series_turn(t->stream, t->filter.reader);
	if (stream_series_take(t->stream, t->filter.reader, block, err) < 0)
		return -1;
	t->counted_before |= block->kind == STK_INTENSITY || block->kind == STK_METRIC || block->kind == STK_COUNTER;
	if (t->filter.writer == NULL || is_ours(block->kind))
		return 0;
	return selected_pass(t->selection, t->filter.reader, block, t->filter.writer, &t->lost_columns, err);
}

/* Which findings the view at hand reports: the state has the others for a later run. */
static void
mark_told(struct stktrend *t)
{
	struct trends trends = trends_of(t);

	for (size_t i = 0; i < t->set->changes.count; i++) {
		struct found_change *found = &t->set->changes.at[i];

		found->told = t->settings.view == TREND_ANOMALIES ? is_told_anomaly(&trends, found) :
			      t->settings.view == TREND_ALERT     ? is_told_alert(&trends, found) :
			      t->settings.view == TREND_RECORDS	  ? is_told_record(&trends, found) : false;
	}
}

/* What was found is judged, and the state written, before steps that are not over end for the view. */
static int
settle(struct stktrend *t, struct stk_error *err)
{
	size_t found;

	series_news_judge(t->set);
	mark_told(t);
	if (write_state(t, err) < 0)
		return -1;
	found = t->set->changes.count;
	series_set_finish(t->set);
	if (t->state != NULL)		/* the next run finds them when their step is over */
		t->set->changes.count = found;
	return 0;
}

static int
run_states(struct stktrend *t, char **paths, int count, struct stk_error *err)
{
	if (open_state(t, err) < 0)
		return -1;
	for (int i = 0; i < count; i++) {
		int got = read_state(t, paths[i], err);

		if (got <= 0)
			return got < 0 ? -1 : stk_fail(err, STK_ESYSTEM, "%s: no such file", paths[i]);
	}
	t->settings.zone = filter_zone(&t->filter, t->settings.choice.zone);
	return settle(t, err);
}

static int
run_stream(struct stktrend *t, struct stk_error *err)
{
	uint64_t late, known, bare;

	if (model_open(&t->model) < 0 || open_state(t, err) < 0)
		return -1;
	if (selection_open(&t->selection, t->model, &t->settings.choice.selection, err) < 0)
		return sample_choice_was_file(err);
	filter_tell_thinned(&t->filter, t->settings.choice.selection.from_ns, t->settings.choice.selection.to_ns,
			    t->settings.zone);
	stream_series_open(&t->stream, t->set, t->model, t->selection);
	if (filter_each(&t->filter, take, t, err) < 0)
		return -1;
	t->settings.zone = filter_zone(&t->filter, t->settings.choice.zone);
	stream_series_link(t->stream);
	series_set_end_moment(t->set);
	report_lost_ids(t->model);
	series_set_oddities(t->set, &late, &known);
	if (known > 0)
		program_say("%llu rows were read in an earlier run and are left out", (unsigned long long)known);
	bare = stream_series_bare_dumps(t->stream);
	if (bare > 0)
		program_warn("%llu dumps have no samples in the input, as when these were chosen before: levels of groups are "
			     "means over the other dumps (choose samples with stktrend instead)",
			     (unsigned long long)bare);
	if (late > 0)
		program_warn(
			"%llu rows are older than the row before them, and count in a later step (expected rows sorted by time: stkcat --merge --sort)",
			(unsigned long long)late);
	if (settle(t, err) < 0)
		return -1;
	if (t->counted_before && sample_choice_is_filtered())
		program_warn(
			"--thread and the like select samples, but classes and metrics in the input are already counted: use them with stkclass");
	report_lost_columns(t->lost_columns);
	if (!sample_choice_report(&t->settings.choice, &t->filter) && series_set_count(t->set) == 0)
		program_warn("no series in the input (expected the output of stkclass or stkgroup, or metrics)");
	return 0;
}

/* --- a plain series --- */

struct shown_rows { struct row_printer rows; const struct time_zone *zone; };

static void
show_predicted(void *context, const struct predicted_point *is)
{
	struct shown_rows *shown = context;
	char text[TIME_TEXT_MAX];

	row_time(&shown->rows, time_print(text, is->point->time_ns, shown->zone));
	row_real(&shown->rows, is->point->value, 3);
	row_real(&shown->rows, is->predicted, 3);
	row_real(&shown->rows, is->low, 3);
	row_real(&shown->rows, is->high, 3);
	row_count(&shown->rows, is->clipped);
}

/* Which zones were found where these were to be fitted. */
static void
say_zones(const struct stktrend *t)
{
	for (uint32_t n = 1; n <= series_set_count(t->set) && t->settings.fit_zone; n++) {
		const struct series *s = series_set_at(t->set, n);
		struct text_buffer zone = { 0 };

		add_fitted_zone(s, &zone);
		program_say("%.*s: its days fit best with %.*s", (int)s->name.size, s->name.data, (int)zone.count, zone.at);
		array_release(&zone);
	}
}

/* A season of the year that was asked for, and which the past is too short for. */
static void
warn_years(const struct stktrend *t)
{
	for (uint32_t n = 1; n <= series_set_count(t->set); n++) {
		const struct series *s = series_set_at(t->set, n);

		if (s->model != NULL && s->begun && season_year_parts(s->rules->calendar) > 0 &&
		    season_year(s->rules->calendar) == NULL)
			program_warn("%.*s: the season of the year is left out: two years of measures are needed",
				     (int)s->name.size, s->name.data);
	}
}

static int
run_plain(struct stktrend *t, struct stk_error *err)
{
	static const char *const one[] = { "time", "value#", "predicted#", "low#", "high#", "clipped#", NULL };
	const struct settings *s = &t->settings;
	const struct plain_source source = { .path = s->csv, .columns = s->column, .time = s->time,
		.now_ns = s->now_ns, .zone = s->zone, .listener = t->options.listener };
	struct shown_rows rows = { .zone = s->zone };
	struct prediction_listener listener = { show_predicted, &rows },
				   *shown = s->view == TREND_PREDICT ? &listener : NULL;
	unsigned done = 0;

	if (plain_series_read(&t->plain, &source, err) < 0)
		return -1;
	if (shown != NULL && t->plain.names.count > 1)
		return stk_fail(err, STK_EUSAGE, "--predict shows one series: use --column to choose one of %zu",
				t->plain.names.count);
	if (shown != NULL)
		row_printer_begin(&rows.rows, s->form, &t->printer, one);
	for (size_t i = 0; i < t->plain.names.count; i++) {
		uint32_t number = series_set_find(t->set, STK_SERIES_METRIC, t->plain.names.at[i], text_of("", 0));
		struct stk_error why = { 0 };

		if (number == 0)
			continue;
		if (number != i + 1) {
			program_warn("%s: two columns are named '%.*s'; the second is left out", s->csv,
				     (int)t->plain.names.at[i].size, t->plain.names.at[i].data);
			continue;
		}
		if (predict_series(t->set, number, &t->plain.points.at[i], shown, &why) == 0) {
			done++;
			continue;
		}
		if (why.code == STK_EUSAGE && t->plain.points.at[i].count > 0)
			return stk_fail(err, why.code, "%s", why.text);
		program_warn("%s: %s", s->csv, why.text);
	}
	if (done == 0)
		return stk_fail(err, STK_EDATA, "%s: no series found", s->csv);
	say_zones(t);
	warn_years(t);
	return shown != NULL ? row_printer_end(&rows.rows, err) : 0;
}

/* --- output --- */

static void
say_untold_findings(const struct stktrend *t)
{
	const struct found_change *changes = t->set->changes.at;
	size_t untold = 0;

	for (size_t i = 0; i < t->set->changes.count; i++)
		untold += !changes[i].old && !changes[i].told && !changes[i].dropped;
	if (untold > 0)
		program_say("%zu %s not shown; the state keeps what was found for a run with --anomalies or --alert",
			    untold, untold == 1 ? "finding was" : "findings were");
}

/* The answer, when limits were asked for; to people then the table of series. */
static int
show_tables(const struct stktrend *t, const struct trends *trends, struct stk_error *err)
{
	int result = t->settings.limits_count > 0 ? show_limits(trends, err) : show_table(trends, err);

	if (result < 0 || t->settings.limits_count == 0 || t->settings.form != ROWS_TEXT)
		return result;
	add_char(&trends->printer->text, '\n');
	return show_table(trends, err);
}

static int
show(struct stktrend *t, struct stk_error *err)
{
	struct trends trends = trends_of(t);
	unsigned found;

	switch (t->settings.view) {
	case TREND_RECORDS:   return write_trends(&trends, t->filter.writer, err);
	case TREND_TABLE:     return show_tables(t, &trends, err);
	case TREND_GAUGES:    return show_gauges(&trends, err);
	case TREND_PREDICT:   return t->settings.csv_given ? 0 : stk_fail(err, STK_EUSAGE, "--predict needs --csv");
	case TREND_FACTORS:   return show_factors(&trends, err);
	case TREND_FORECAST:  return show_forecast(&trends, err);
	case TREND_AGAINST:   return show_ranks(&trends, err);
	case TREND_EXPLAIN:   return show_explanation(&trends, err);
	case TREND_ANOMALIES: return show_anomalies(&trends, err);
	case TREND_RATE_PLAN: return show_rate_plan(&trends, err);
	case TREND_CHANGES:   return show_changes(&trends, err);
	case TREND_SEASONS:   return show_seasons(&trends, err);
	case TREND_REGRESSIONS: return show_regressions(&trends, err);
	case TREND_CONSTANTS: return show_constants(&trends, err);
	case TREND_ALERT:
		if (show_alerts(&trends, &found, err) < 0)
			return -1;
		if (found > 0)
			program_status_raise(PROGRAM_FOUND);
		return 0;
	}
	return 0;
}

static int
run(struct stktrend *t, char **operands, int count, struct stk_error *err)
{
	static char nothing[] = "/dev/null", *no_input[] = { nothing };
	bool plain = t->settings.csv_given, none = plain || t->settings.merge;

	if (alert_rules_check(&t->settings, err) < 0)
		return -1;
	if (plain && count > 0)
		return stk_fail(err, STK_EUSAGE, "--csv: expected no other input, not '%s'", operands[0]);
	if (t->settings.merge && count == 0)
		return stk_fail(err, STK_EUSAGE, "--merge: expected the states to merge");
	if (filter_open(&t->filter, none ? no_input : operands, none ? 1 : count, err) < 0)
		return -1;
	settings_choose(&t->settings, output_is_terminal(t->filter.output));
	t->settings.holders |= t->settings.view == TREND_ALERT && alert_rules_want_holders(&t->settings);
	t->options = settings_of_engines(&t->settings);
	t->identity = settings_identify(&t->settings);
	t->printer = printer_to(t->filter.output);
	if (t->settings.view == TREND_RECORDS && filter_records(&t->filter, err) < 0)
		return -1;
	if (series_set_open(&t->set, &t->options, err) < 0)
		return -1;
	if ((plain			? run_plain(t, err)
	     : t->settings.merge	? run_states(t, operands, count, err)
					: run_stream(t, err)) < 0)
		return -1;
	series_news_judge(t->set);
	if (show(t, err) < 0)
		return -1;
	if (t->settings.state != NULL)
		say_untold_findings(t);
	return printer_settle(&t->printer, true, err);
}

/* The next run leaves out what the new state knows, so the state is replaced only after all output was delivered. */
static void
close_state(struct stktrend *t, bool delivered)
{
	struct stk_error err = { 0 };

	if (t->state == NULL)
		return;
	program_close_stdout();
	if (state_file_close(t->state, delivered, &err) < 0)
		program_report(NULL, &err);
}

int
main(int argc, char **argv)
{
	static struct stktrend t;
	struct stk_error err = { 0 };
	int first = settings_read(&t.settings, argc, argv, now());
	bool well = run(&t, argv + first, argc - first, &err) == 0;

	filter_close(&t.filter, well);
	close_state(&t, well || t.too_early);
	stream_series_close(t.stream);
	selection_close(t.selection);
	series_set_close(t.set);
	plain_series_release(&t.plain);
	model_close(t.model);
	printer_release(&t.printer);
	settings_release(&t.settings);
	return program_finish(&err, NULL);
}
