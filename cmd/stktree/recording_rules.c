/* SPDX-License-Identifier: MIT
 * recording_rules: rules that look at the same, such as functions or pools, are answered together: for each the
 * recordings are opened and counted anew. */
#include "recording_rules.h"

#include "answer_words.h"
#include "program/open_recordings.h"
#include "window_heading.h"
#include "window_records.h"
#include "window_report.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/memory.h"
#include "choose/function_sums.h"
#include "program/printing.h"
#include "program/program.h"
#include "report/row_printer.h"
#include "timetree/tree_rules.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct watching {
	ARRAY(struct rule_finding) findings;	/* of the present rule; their texts are in the arena */
	struct arena texts;
	const struct settings *settings;
	char **paths;
	int count;
	struct recording **recordings;	/* that are looked at */
	struct printer printer;
	struct row_printer rows;
	struct window_records *records;	/* of -f stream, in place of rows */
	struct time_range times;	/* that are looked at */
	struct text_buffer summary;
	bool found, answered;
};

static unsigned
view_of(const struct watch_rule *rule)
{
	return rule->of == RULE_CLASS ? AS_CLASSES : rule->of == RULE_GROUP ? AS_GROUPS : AS_FRAMES;
}

static bool
look_at_the_same(const struct watch_rule *a, const struct watch_rule *b)
{
	return view_of(a) == view_of(b) && strcmp(tree_rule_keys(a), tree_rule_keys(b)) == 0;
}

static double
share_of(const struct rule_finding *f)
{
	return (double)f->part / (double)f->whole;
}

static void
note_finding(void *context, const struct rule_finding *finding)
{
	struct watching *w = context;
	struct rule_finding *kept = array_push(&w->findings);

	*kept = *finding;
	if (kept->what.size > 0)
		kept->what.data = arena_copy(&w->texts, kept->what.data, kept->what.size);
}

/* The farthest beyond the limit first, then by name. */
static int
compare_findings(const void *a, const void *b)
{
	const struct rule_finding *x = a, *y = b;
	double first = share_of(x), second = share_of(y);
	int order = (first < second) - (first > second);

	if (order != 0)
		return x->rule->bound == RULE_UNDER ? -order : order;
	return text_compare(x->what, y->what);
}

static void
print_finding(struct watching *w, const struct rule_finding *f)
{
	bool people = w->settings->form == FORM_TEXT;
	double share = share_of(f), scale = people ? 100 : 1;

	row_text(&w->rows, f->rule->name);
	row_paint(&w->rows, PAINT_HOT);
	row_real(&w->rows, scale * share, people ? 1 : 6);
	row_real(&w->rows, scale * f->rule->by, people ? 1 : 6);
	row_count(&w->rows, f->part);
	row_count(&w->rows, f->whole);
	row_text(&w->rows, f->what);
}

/* The recording that a finding is of, which tells the clock of its times; 0 where it is of several. */
static uint32_t
source_of_findings(const struct watching *w)
{
	uint32_t source = 0;

	for (int i = 0; i < w->count; i++)
		source = window_records_source(w->records, recording_facts(w->recordings[i]), w->paths[i]);
	return w->count == 1 ? source : 0;
}

static int
record_finding(struct watching *w, const struct rule_finding *f, struct stk_error *err)
{
	struct stk_finding row = { .time = w->times.from_ns, .until = w->times.to_ns, .rule = f->rule->name,
				   .severity = STK_SEVERITY_WARNING, .source = source_of_findings(w),
				   .subject = f->what, .samples = f->part,
				   .other_time = STK_TIME_UNKNOWN, .other_until = STK_TIME_UNKNOWN };

	w->summary.count = 0;
	add_text(&w->summary, f->what);
	add_format(&w->summary, ": %.1f %% of %llu samples, %s the limit of %g %%", 100 * share_of(f),
		   (unsigned long long)f->whole, f->rule->bound == RULE_UNDER ? "under" : "over", 100 * f->rule->by);
	row.summary = text_in(&w->summary, 0);
	return window_records_add_finding(w->records, &row, err);
}

/* The part of the recordings that the windows have; unknown without any. */
static struct time_range
times_of(const struct watching *w, struct recording *const *recordings)
{
	struct tree_interval windows[OPTION_TEXTS_MOST + 1];
	unsigned count = chosen_windows(w->settings, windows);
	struct time_range times = TIME_RANGE_NONE;

	for (int i = 0; i < w->count; i++)
		for (unsigned n = 0; n < count; n++) {
			struct time_range of = recording_facts(recordings[i])->times;

			if (!time_range_is_known(&of) || of.to_ns < windows[n].from || of.from_ns >= windows[n].to)
				continue;
			of.from_ns = of.from_ns > windows[n].from ? of.from_ns : windows[n].from;
			of.to_ns = of.to_ns < windows[n].to ? of.to_ns : windows[n].to;
			time_range_join(&times, &of);
		}
	return times;
}

static int
judge_rule(struct watching *w, const struct watch_rule *rule, const struct judged_tree *of, struct stk_error *err)
{
	int result = 0;

	tree_rule_judge(rule, of, note_finding, w);
	if (w->findings.count > 1)
		qsort(w->findings.at, w->findings.count, sizeof *w->findings.at, compare_findings);
	for (size_t i = 0; i < w->findings.count && result == 0; i++)
		if (w->records != NULL)
			result = record_finding(w, &w->findings.at[i], err);
		else
			print_finding(w, &w->findings.at[i]);
	w->found |= w->findings.count > 0;
	w->findings.count = 0;
	arena_reset(&w->texts);
	return result;
}

/* The rules from this one on that look at the same. */
static int
judge_view(struct watching *w, const struct tree_rules *rules, size_t from, struct recording *const *recordings,
	   struct stk_error *err)
{
	struct tree_interval windows[OPTION_TEXTS_MOST + 1];
	unsigned count = chosen_windows(w->settings, windows);
	struct answer answer = { 0 };
	struct call_tree tree;
	uint64_t *sums;
	int result = 0;

	w->times = times_of(w, recordings);
	for (int i = 0; i < w->count; i++) {
		if (!w->answered)
			say_windows(recordings[i], w->paths[i], w->settings->zone, windows, count);
		for (unsigned n = 0; n < count; n++)
			if (recording_count(recordings[i], windows[n], &answer, err) < 0)
				return -1;
	}
	call_tree_open(&tree, 1);
	if (recordings_grow(recordings, (size_t)w->count, (struct growth_limits){ 0 }, &tree, 0, &answer, err) < 0) {
		call_tree_release(&tree);
		return -1;
	}
	sums = function_sums(&tree, 0);
	for (size_t r = from; r < rules->list.count && result == 0; r++) {
		const struct judged_tree of = { &tree, sums, answer.tree.left.samples + answer.tree.possible.samples };

		if (look_at_the_same(&rules->list.at[r], &rules->list.at[from]))
			result = judge_rule(w, &rules->list.at[r], &of, err);
	}
	free(sums);
	call_tree_release(&tree);
	if (!w->answered)
		say_answer(&answer, recordings, w->count, w->settings);
	w->answered = true;		/* what is to be said of the recordings is said once */
	return result;
}

static int
answer_view(struct watching *w, const struct tree_rules *rules, size_t from, struct stk_error *err)
{
	struct settings asked = *w->settings;
	struct recording **recordings = mem_new((size_t)w->count, sizeof *recordings);
	int result = 0;

	asked.recording.as = view_of(&rules->list.at[from]);
	asked.recording.by = tree_rule_keys(&rules->list.at[from]);
	asked.recording.samples = true;		/* shares of threads and of time in states are of samples */
	w->recordings = recordings;
	for (int i = 0; i < w->count && result == 0; i++)
		result = open_recording(&recordings[i], w->paths[i], &asked.recording, asked.verbose, err);
	if (result == 0)
		result = need_labels(recordings, w->count, w->paths[0], &asked.recording, err);
	if (result == 0)
		result = judge_view(w, rules, from, recordings, err);
	for (int i = 0; i < w->count; i++)
		close_recording(recordings[i]);
	free(recordings);
	w->recordings = NULL;
	return result;
}

static bool
is_pipe(const char *path)
{
	struct stat is;

	return (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &is) : stat(path, &is)) == 0 &&
	       (S_ISFIFO(is.st_mode) || S_ISSOCK(is.st_mode));
}

static bool
is_first_of_view(const struct tree_rules *rules, size_t rule)
{
	for (size_t r = 0; r < rule; r++)
		if (look_at_the_same(&rules->list.at[r], &rules->list.at[rule]))
			return false;
	return true;
}

/* Of a pipe only rules that look at the same can be answered: it is read once. */
static int
refuse_pipes(const struct watching *w, const struct tree_rules *rules, struct stk_error *err)
{
	for (size_t r = 1; r < rules->list.count; r++)
		for (int i = 0; i < w->count; i++)
			if (is_first_of_view(rules, r) && is_pipe(w->paths[i]))
				return stk_fail(err, STK_EUSAGE,
						"--rules: these rules read their input more than once, and %s is a pipe: write it to a file first",
						w->paths[i]);
	return 0;
}

int
report_rules(const struct settings *settings, struct output *output, char **operands, int count, struct stk_error *err)
{
	static const char *const programs[] = { "rule", "share", "limit", "samples", "of", "what", NULL },
				 *const people[] = { "rule>", "%#", "limit %#", "samples#", "of#?", "what*", NULL };
	static char dash[] = "-", *standard_input[] = { dash };
	struct watching w = { .settings = settings,
			      .paths = count == 0 ? standard_input : operands,
			      .count = count == 0 ? 1 : count,
			      .printer = printer_to(output) };
	struct tree_rules rules;
	int result = tree_rules_read(&rules, settings->rules, false, err);

	if (result == 0)
		result = refuse_pipes(&w, &rules, err);
	if (result == 0 && settings->view == VIEW_RECORDS)
		result = window_records_open(&w.records, output, err);
	else if (result == 0)
		row_printer_begin(&w.rows, (enum row_form)settings->form, &w.printer,
				  settings->form == FORM_TEXT ? people : programs);
	for (size_t r = 0; r < rules.list.count && result == 0; r++)
		if (is_first_of_view(&rules, r))
			result = answer_view(&w, &rules, r, err);
	if (result == 0 && w.found)
		program_status_raise(PROGRAM_FOUND);
	if (window_records_close(w.records, result == 0, err) < 0)
		result = -1;
	if (result == 0 && w.found && settings->view != VIEW_RECORDS)
		result = row_printer_end(&w.rows, err);
	else
		table_release(&w.rows.table);		/* silence is good news */
	array_release(&w.summary);
	array_release(&w.findings);
	arena_release(&w.texts);
	tree_rules_release(&rules);
	printer_release(&w.printer);
	return result;
}
