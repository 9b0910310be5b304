/* SPDX-License-Identifier: MIT
 * window_report: overlapping windows are joined before they are read, so that no sample is counted twice. */
#include "window_report.h"

#include "answer_words.h"
#include "program/open_recordings.h"
#include "row_times.h"
#include "tree_reports.h"
#include "window_heading.h"
#include "window_records.h"

#include "base/memory.h"
#include "base/quantities.h"
#include "base/time_math.h"
#include "program/printing.h"
#include "program/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MOST 10000000

struct reporting {
	const struct settings *settings;
	struct recording **recordings;
	char **paths;
	int count;
	struct call_tree tree;
	uint64_t *functions;		/* sums by its names, where these are all that is wanted */
	struct call_walk *walk;		/* its nodes, where each is wanted once */
	struct printer printer;
	struct window_records *records;
	struct answer answer;
	struct counted counted;
	struct column_bounds bounds;	/* of the present report */
	bool first;			/* no report was printed yet */
	struct when_counts when;
};

/* --- windows --- */

unsigned
chosen_windows(const struct settings *s, struct tree_interval windows[OPTION_TEXTS_MOST + 1])
{
	const struct selection_options *chosen = &s->choice.selection;

	windows[0] = (struct tree_interval){ INT64_MIN, INT64_MAX };
	for (unsigned w = 0; w < chosen->windows_count; w++)
		windows[w] = (struct tree_interval){ chosen->windows[w].from_ns, chosen->windows[w].to_ns };
	return chosen->windows_count > 0 ? chosen->windows_count : 1;
}

/* --- reports --- */

static int
answer_window(struct reporting *r, struct tree_interval window, struct stk_error *err)
{
	for (int i = 0; i < r->count; i++) {
		if (r->records != NULL &&
			window_records_add(r->records, r->recordings[i], r->paths[i], window, &r->answer, err) < 0)
			return -1;
		if (r->records == NULL && recording_count(r->recordings[i], window, &r->answer, err) < 0)
			return -1;
	}
	return 0;
}

/* Whether frames are shown, and counts have no bounds: what is left out would be a stack, too. */
static bool
is_plain(const struct reporting *r)
{
	if (r->settings->recording.as != AS_FRAMES)
		return false;
	for (int i = 0; i < r->count; i++)
		if (recording_facts(r->recordings[i])->bounded)
			return false;
	return true;
}

/* Neither folded stacks nor functions need a call tree. */
static bool
is_lines(const struct reporting *r)
{
	return r->settings->view == VIEW_FOLDED && is_plain(r);
}

static bool
is_functions(const struct reporting *r)
{
	return r->settings->view == VIEW_FLAT && !r->settings->when && is_plain(r);
}

/* Nor do those who want each node once, in the order in which they are printed. */
static bool
is_walk(const struct reporting *r)
{
	const struct settings *s = r->settings;
	bool in_order = s->view == VIEW_TREE && s->form != FORM_TEXT && s->top == 0;

	return (in_order || s->view == VIEW_CALLERS) && !s->when && is_plain(r);
}

/* What was counted, as lines. */
static int
print_lines(struct reporting *r, struct stk_error *err)
{
	struct folded_lines *lines;
	uint64_t before = r->settings->recording.samples ? r->answer.samples : r->answer.weight;
	int result;

	folded_lines_open(&lines);
	result = recordings_lines(r->recordings, (size_t)r->count, lines, &r->answer, err);
	if (result == 0)
		result = report_lines(r->settings, lines,
				      (r->settings->recording.samples ? r->answer.samples : r->answer.weight) - before,
				      &r->printer, err);
	folded_lines_close(lines);
	return result;
}

/* Builds the call tree from the counts; for a printed tree without bounds, only the part that is shown. */
static int
grow_tree(struct reporting *r, struct stk_error *err)
{
	const struct settings *s = r->settings;
	struct growth_limits limits = { 0 };
	size_t count = (size_t)r->count;

	if (r->records != NULL || is_lines(r))
		return 0;
	if (is_functions(r)) {
		free(r->functions);
		return recordings_functions(r->recordings, count, &r->tree, &r->functions, &r->answer, err);
	}
	if (is_walk(r)) {
		call_walk_close(r->walk);
		return recordings_walk(&r->walk, r->recordings, count, &r->tree, &r->answer, err);
	}
	if (s->view == VIEW_TREE && r->bounds.bounds == 0)
		limits = (struct growth_limits){ .least = s->least, .depth = (uint64_t)s->depth };
	if (recordings_grow(r->recordings, count, limits, &r->tree, 0, &r->answer, err) < 0)
		return -1;
	return recordings_grow_bounds(r->recordings, count, &r->tree, 0, r->bounds.bounds, &r->bounds.known, err);
}

/* Programs read bounds of each count, where there are any; people a line about them. */
static void
open_columns(struct reporting *r)
{
	bool bounded = false;

	for (int i = 0; i < r->count; i++)
		bounded |= r->recordings[i] != NULL && recording_facts(r->recordings[i])->bounded;
	bounded = bounded && r->settings->form != FORM_TEXT;
	r->bounds = (struct column_bounds){ .bounds = bounded ? 1 : 0,
					    .labels = r->settings->recording.as != AS_FRAMES };
	call_tree_open(&r->tree, bounded ? 3 : r->settings->when ? ROW_TIMES_COLUMN + 1 : 1);
}

static int
print_view(struct reporting *r, const struct window_report *report, struct stk_error *err)
{
	if (is_lines(r))
		return print_lines(r, err);
	switch (r->settings->view) {
	case VIEW_FLAT:    return report_flat(report, err);
	case VIEW_PATHS:   return report_paths(report, err);
	case VIEW_CALLERS: return report_callers(report, err);
	case VIEW_FOLDED:  return report_folded(report, err);
	default:           return report->walk != NULL ? report_nodes(report, err) : report_tree(report, err);
	}
}

static int
print_report(struct reporting *r, const struct tree_interval *window, struct stk_error *err)
{
	struct window_report report = {
		.settings = r->settings, .recordings = r->recordings, .recordings_count = r->count, .tree = &r->tree,
		.functions = r->functions, .walk = r->walk,
		.printer = &r->printer, .window = window, .first = r->first, .bounds = &r->bounds,
		.counted = r->counted, .when = r->settings->when ? &r->when : NULL,
		.seconds = facts_of_recordings(r->recordings, r->count).seconds
	};

	r->first = false;
	r->functions = NULL;		/* the report has them */
	if (r->records != NULL)
		return 0;
	if (print_view(r, &report, err) < 0)
		return -1;
	row_times_remark(&report);
	if (r->settings->form == FORM_TEXT && r->settings->view != VIEW_FOLDED)
		remark_bounds(&r->printer, &r->bounds.known, *call_tree_total(&r->tree, 0));
	return printer_settle(&r->printer, true, err);
}

/* The line above a table for people, after an empty line unless it is the first. */
static void
print_heading(struct reporting *r, const struct tree_interval *windows, unsigned count)
{
	struct recordings_facts facts = facts_of_recordings(r->recordings, r->count);
	struct text_buffer *text = &r->printer.text, title = { 0 };
	size_t begin;

	if (r->settings->form != FORM_TEXT || r->settings->view == VIEW_FOLDED || r->records != NULL)
		return;
	add_heading(&title, windows, count, &facts, &r->counted, r->settings->zone);
	if (!r->first)
		add_char(text, '\n');
	begin = text->count;
	printer_prose(&r->printer, 0, text_in(&title, 0));
	printer_paint(&r->printer, begin, PAINT_HEAD);
	array_release(&title);
}

/* Rounded down: 1 is all. */
static double
covered_share(const struct reporting *r, uint64_t samples, bool unseen)
{
	const struct answer_bounds *known = &r->bounds.known;

	if (r->answer.incomplete || unseen || (known->left.samples == 0 && known->most > 0))
		return NAN;
	return samples == 0 ? 1 : floor(1e6 * (double)(samples - known->left.samples) / (double)samples) / 1e6;
}

/* What the answers count since `before`. */
static void
note_counted(struct reporting *r, const struct answer *before)
{
	struct counted *c = &r->counted;

	c->samples = r->answer.samples - before->samples + r->bounds.known.left.samples;
	c->weight = r->answer.weight - before->weight + r->bounds.known.left.weight;
	c->covered = covered_share(r, c->samples, r->answer.unseen > before->unseen);
	c->estimated = r->bounds.known.possible > 0;
	c->plain = r->settings->recording.samples || c->samples == c->weight;
	c->event = facts_of_recordings(r->recordings, r->count).event;
}

/* One report for each part of a window. */
static int
report_steps(struct reporting *r, struct tree_interval window, struct stk_error *err)
{
	struct time_range range = range_of_recordings(r->recordings, r->count);
	int64_t first = window.from == INT64_MIN ? range.from_ns : window.from, step = r->settings->step_ns;
	int64_t last = window.to != INT64_MAX ? window.to - 1 : time_range_is_known(&range) ? range.to_ns : 0;

	if (first == STK_TIME_UNKNOWN)
		return 0;
	if (window.from == INT64_MIN)
		first = time_floor(first, step);		/* whole minutes, hours */
	if (last >= first && (last - first) / step >= STEPS_MOST)
		program_usage("--step: more than ten million steps in the window");
	for (int64_t at = first; at <= last && !program_stopping(); ) {
		struct tree_interval part = { at,
			window.to != INT64_MAX && window.to - at < step ? window.to : at + step };
		struct answer before = r->answer;

		call_tree_fell(&r->tree);
		if (answer_window(r, part, err) < 0 || grow_tree(r, err) < 0)
			return -1;
		if (r->answer.samples > before.samples || r->bounds.known.left.samples > 0 || is_lines(r)) {
			note_counted(r, &before);
			print_heading(r, &part, 1);
			if (print_report(r, &part, err) < 0)
				return -1;
		}
		at = part.to;
	}
	return 0;
}

static int
report_all(struct reporting *r, struct stk_error *err)
{
	struct tree_interval windows[OPTION_TEXTS_MOST + 1];
	unsigned count = chosen_windows(r->settings, windows);

	for (int i = 0; i < r->count; i++)
		say_windows(r->recordings[i], r->paths[i], r->settings->zone, windows, count);
	for (unsigned w = 0; w < count; w++) {
		if (r->settings->step_ns > 0) {
			if (report_steps(r, windows[w], err) < 0)
				return -1;
		} else if (answer_window(r, windows[w], err) < 0) {
			return -1;
		}
	}
	if (r->settings->step_ns > 0)
		return 0;
	if (grow_tree(r, err) < 0)
		return -1;
	note_counted(r, &(struct answer){ 0 });
	if (r->settings->when) {
		hush_recordings(r->recordings, r->count);	/* they are read again */
		if (row_times_make(&r->when, r->settings, r->recordings, r->count, &r->tree, err) < 0)
			return -1;
	}
	print_heading(r, windows, count);
	return print_report(r, NULL, err);
}

/* The reader of the records does not see what is said here. */
static int
note_answer(const struct reporting *r, struct stk_error *err)
{
	char text[256];

	if (describe_coverage(text, sizeof text, &r->answer) &&
	    window_records_note(r->records, "coverage", text, err) < 0)
		return -1;
	return describe_estimate(text, sizeof text, &r->answer)
		       ? window_records_note(r->records, "estimate", text, err)
		       : 0;
}

/* Nor does the reader of folded stacks: a line that begins with # is a comment to those who read these. */
static int
comment_answer(struct reporting *r, struct stk_error *err)
{
	struct text_buffer *to = &r->printer.text;
	char text[256];

	if (describe_coverage(text, sizeof text, &r->answer)) {
		add_string(to, "# ");
		add_string(to, text);
		add_char(to, '\n');
	}
	if (describe_estimate(text, sizeof text, &r->answer)) {
		add_string(to, "# ");
		add_string(to, text);
		add_char(to, '\n');
	}
	return printer_settle(&r->printer, true, err);
}

int
report_windows(
	const struct settings *settings, struct output *output, char **operands, int count, struct stk_error *err)
{
	static char dash[] = "-", *standard_input[] = { dash };
	struct reporting r = { .settings = settings,
		.paths = count == 0 ? standard_input : operands,
		.count = count == 0 ? 1 : count,
		.printer = printer_to(output),
		.first = true };
	int result = 0;

	r.recordings = mem_new((size_t)r.count, sizeof *r.recordings);
	for (int i = 0; i < r.count && result == 0; i++)
		result = open_recording(&r.recordings[i], r.paths[i], &settings->recording, settings->verbose, err);
	if (result == 0)
		result = need_labels(r.recordings, r.count, r.paths[0], &settings->recording, err);
	if (result == 0)
		open_columns(&r);
	if (result == 0 && settings->view == VIEW_RECORDS)
		result = window_records_open(&r.records, output, err);
	if (result == 0)
		result = report_all(&r, err);
	if (result == 0 && r.records != NULL)
		result = note_answer(&r, err);
	else if (result == 0 && settings->view == VIEW_FOLDED)
		result = comment_answer(&r, err);
	if (result == 0)
		say_answer(&r.answer, r.recordings, r.count, settings);
	if (window_records_close(r.records, result == 0, result == 0 ? err : &(struct stk_error){ 0 }) < 0)
		result = -1;
	for (int i = 0; i < r.count; i++)
		close_recording(r.recordings[i]);
	free(r.recordings);
	call_tree_release(&r.tree);
	free(r.functions);
	call_walk_close(r.walk);
	when_counts_release(&r.when);
	printer_release(&r.printer);
	return result;
}
