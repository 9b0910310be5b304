/* SPDX-License-Identifier: MIT
 * window_report: overlapping windows are joined before they are read, so that no sample is counted twice. */
#include "window_report.h"

#include "tree_reports.h"
#include "window_records.h"

#include "base/memory.h"
#include "base/quantities.h"
#include "base/time_math.h"
#include "program/lost_ids.h"
#include "program/printing.h"
#include "program/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS_MOST 10000000

struct reporting {
	const struct settings *settings;
	struct recording **recordings;
	char **paths;
	int count;
	struct call_tree tree;
	struct printer printer;
	struct window_records *records;
	struct answer answer;
	bool first;			/* no report was printed yet */
};

/* --- messages --- */

static bool hushed;		/* what is read again was reported before */

void
hush_recordings(void)
{
	hushed = true;
}

static void
tell_damage(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	(void)bytes;
	if (hushed)
		return;
	program_warn("%s:%lld: %s", (const char *)context, (long long)offset, what);
}

static void
tell_lost(void *context, int64_t from, int64_t to, const char *why)
{
	char first[TIME_TEXT_MAX], last[TIME_TEXT_MAX];

	if (hushed)
		return;
	time_print(first, from, NULL);
	time_print(last, to, NULL);
	if (from == STK_TIME_UNKNOWN && to == STK_TIME_UNKNOWN)
		program_warn("%s: samples without a time are lost", (const char *)context);
	else if (to == INT64_MAX)
		program_warn("%s: the recording is %s: nothing after %s is known", (const char *)context, why,
			from == STK_TIME_UNKNOWN ? "its beginning" : first);
	else
		program_warn("%s: the recording is %s: samples from %s to %s are lost", (const char *)context, why,
			from == STK_TIME_UNKNOWN ? "its beginning" : first, last);
}

static void
tell_visit(void *context, const struct stk_tree_node *node, bool samples)
{
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];

	if (hushed)
		return;
	time_print(from, node->time, NULL);
	time_print(to, (int64_t)((uint64_t)node->time + (uint64_t)node->length), NULL);
	if (samples)
		program_say("%s: node %llu, %s to %s: its samples, %llu rows", (const char *)context,
			    (unsigned long long)node->id, from, to, (unsigned long long)node->rows);
	else
		program_say("%s: node %llu, %s to %s: its counts, of %llu samples", (const char *)context,
			    (unsigned long long)node->id, from, to, (unsigned long long)node->samples);
}

int
open_recording(struct recording **out, const char *path, const struct settings *settings, struct stk_error *err)
{
	struct recording_listener listener = {
		.damage = tell_damage, .lost = tell_lost, .visit = settings->verbose ? tell_visit : NULL,
		.context = (void *)(uintptr_t)path
	};
	struct stk_error why;

	if (recording_open(out, path, &settings->recording, &listener, err) == 0)
		return 0;
	why = *err;
	if (why.code == STK_EUSAGE)
		return -1;
	stk_error_clear(err);
	return stk_fail(err, why.code, "%s: %s", path, why.text);
}

void
say_lost_ids(const struct recording *recording)
{
	size_t streams = recording == NULL ? 0 : recording_streams(recording);

	for (size_t s = 0; s < streams; s++)
		report_lost_ids(recording_model(recording, s));
}

void
close_recording(struct recording *recording)
{
	say_lost_ids(recording);
	recording_close(recording);
}

void
say_window(const struct recording *recording, const char *path, const struct settings *settings,
	struct tree_interval window)
{
	const struct recording_facts *facts = recording_facts(recording);
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];
	bool bounded = window.from != INT64_MIN || window.to != INT64_MAX;

	if (!bounded)
		return;
	if (facts->monotonic && facts->wall)
		program_warn(
			"%s: its sources have clocks of two kinds, wall and monotonic, whose times cannot be compared (--process separates them)",
			path);
	if (facts->untimed > 0)
		program_say("%s: samples without a time are in no window", path);
	if (facts->times.from_ns == STK_TIME_UNKNOWN) {
		program_warn("%s: no sample has a time, so every window is empty", path);
	} else if (window.from > facts->times.to_ns || window.to <= facts->times.from_ns) {
		time_print(from, facts->times.from_ns, settings->zone);
		time_print(to, facts->times.to_ns, settings->zone);
		program_warn("%s: the window is outside the recording, which is from %s to %s", path, from, to);
	}
}

static void
say_coverage(const struct answer *a)
{
	uint64_t whole = a->samples + a->tree.left_out;

	if (a->tree.left_out > 0)
		program_say(
			"coverage %.2f%%: counts cover %llu of %llu samples; no stack has more than %llu beyond those shown",
			floor(10000 * (double)a->samples / (double)whole) / 100, (unsigned long long)a->samples,
			(unsigned long long)whole,
			(unsigned long long)(a->tree.bound < a->tree.left_out ? a->tree.bound : a->tree.left_out));
	if (a->tree.edges > 0)
		program_say(
			"the window cuts intervals that have only counts: their %llu samples count at the interval's beginning",
			(unsigned long long)a->tree.edges);
	if (a->replaced > 0)
		program_warn("%llu damaged node%s of the tree: the samples were counted instead",
			     (unsigned long long)a->replaced, plural(a->replaced, "", "s"));
	else if (a->tree.damaged > 0)
		program_warn("%llu damaged node%s of the tree: those below were read instead, where there are any",
			     (unsigned long long)a->tree.damaged, plural(a->tree.damaged, "", "s"));
}

/* Rounded down: 100 % is all. */
static void
print_coverage(char *to, size_t room, const struct answer *a)
{
	uint64_t whole = a->samples + a->tree.left_out;

	if (a->incomplete)
		(void)snprintf(to, room, "unknown");
	else if (a->tree.left_out == 0)
		(void)snprintf(to, room, "100%%");
	else
		(void)snprintf(to, room, "%.6g%%", floor(10000 * (double)a->samples / (double)whole) / 100);
}

void
say_answer(const struct answer *a, struct recording *const *recordings, int count, const struct settings *settings)
{
	uint64_t bytes_read = 0, file_bytes = 0;
	char coverage[40];

	for (int i = 0; i < count; i++) {
		bytes_read += recording_bytes_read(recordings[i]);
		file_bytes += recording_bytes(recordings[i]);
	}

	say_coverage(a);
	if (a->samples == 0)
		program_warn("no samples in the window");
	if (!settings->stats)
		return;
	print_coverage(coverage, sizeof coverage, a);
	program_say("nodes %llu, stacks %llu, bytes %llu of %llu, coverage %s", (unsigned long long)a->tree.nodes,
		    (unsigned long long)(a->tree.stacks + a->scanned),
		    (unsigned long long)(bytes_read < file_bytes ? bytes_read : file_bytes),
		    (unsigned long long)file_bytes, coverage);
	program_say("%.1f ms of CPU time, including start-up", 1000 * (double)clock() / CLOCKS_PER_SEC);
}

/* --- windows --- */

struct time_range
range_of_recordings(struct recording *const *recordings, int count)
{
	struct time_range range = TIME_RANGE_NONE;

	for (int i = 0; i < count; i++)
		time_range_join(&range, &recording_facts(recordings[i])->times);
	return range;
}

/* The requested windows, in order; one of all times when there is none. */
static unsigned
read_windows(const struct settings *s, struct tree_interval windows[OPTION_TEXTS_MOST + 1])
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

/* Builds the call tree from the counts; for a printed tree, only the part that is shown. */
static void
grow_tree(struct reporting *r)
{
	const struct settings *s = r->settings;
	struct growth_limits all = { 0 }, shown = { .least = s->least, .depth = (uint64_t)s->depth };

	if (r->records == NULL)
		recordings_grow(
			r->recordings, (size_t)r->count, s->view == VIEW_TREE ? shown : all, &r->tree, 0, &r->answer);
}

static int
print_report(struct reporting *r, const struct tree_interval *window, struct stk_error *err)
{
	struct window_report report = {
		.settings = r->settings, .recordings = r->recordings, .recordings_count = r->count, .tree = &r->tree,
		.printer = &r->printer, .window = window, .first = r->first
	};

	r->first = false;
	if (r->records != NULL)
		return 0;
	switch (r->settings->view) {
	case VIEW_FLAT:    return report_flat(&report, err);
	case VIEW_PATHS:   return report_paths(&report, err);
	case VIEW_CALLERS: return report_callers(&report, err);
	case VIEW_FOLDED:  return report_folded(&report, err);
	default:           return report_tree(&report, err);
	}
}

/* The line above a table for people, after an empty line unless it is the first. */
static void
print_heading(struct reporting *r, struct tree_interval window, uint64_t samples, uint64_t weight)
{
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX], title[4 * TIME_TEXT_MAX];
	struct time_range range = range_of_recordings(r->recordings, r->count);
	int64_t first = window.from == INT64_MIN ? range.from_ns : window.from;
	int64_t last = window.to != INT64_MAX ? window.to : time_range_is_known(&range) ? range.to_ns : 0;
	struct text_buffer *text = &r->printer.text;
	size_t begin;

	if (r->settings->form != FORM_TEXT || r->settings->view == VIEW_FOLDED || r->records != NULL)
		return;
	time_print(from, first, r->settings->zone);
	time_print_after(to, last, r->settings->zone, from);
	(void)snprintf(title, sizeof title, "%s to %s: ", from, to);
	if (first == STK_TIME_UNKNOWN)
		title[0] = '\0';
	(void)snprintf(title + strlen(title), 32, "%llu %s", (unsigned long long)samples,
		       samples == 1 ? "sample" : "samples");
	if (weight != samples && !r->settings->recording.samples)
		(void)snprintf(title + strlen(title), 32, ", weight %llu", (unsigned long long)weight);
	if (!r->first)
		add_char(text, '\n');
	begin = text->count;
	printer_prose(&r->printer, 0, text_from(title));
	printer_paint(&r->printer, begin, PAINT_HEAD);
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
		uint64_t before = r->answer.samples, weight_before = r->answer.weight;

		call_tree_clear(&r->tree);
		if (answer_window(r, part, err) < 0)
			return -1;
		grow_tree(r);
		if (r->answer.samples > before) {
			print_heading(r, part, r->answer.samples - before, r->answer.weight - weight_before);
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
	unsigned count = read_windows(r->settings, windows);

	for (int i = 0; i < r->count; i++)
		for (unsigned w = 0; w < count; w++)
			say_window(r->recordings[i], r->paths[i], r->settings, windows[w]);
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
	grow_tree(r);
	print_heading(r, (struct tree_interval){ windows[0].from, windows[count - 1].to }, r->answer.samples,
		      r->answer.weight);
	return print_report(r, NULL, err);
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
	call_tree_open(&r.tree, 1);
	for (int i = 0; i < r.count && result == 0; i++)
		result = open_recording(&r.recordings[i], r.paths[i], settings, err);
	if (result == 0 && settings->view == VIEW_RECORDS)
		result = window_records_open(&r.records, output, err);
	if (result == 0)
		result = report_all(&r, err);
	if (result == 0)
		say_answer(&r.answer, r.recordings, r.count, settings);
	if (window_records_close(r.records, result == 0, result == 0 ? err : &(struct stk_error){ 0 }) < 0)
		result = -1;
	for (int i = 0; i < r.count; i++)
		close_recording(r.recordings[i]);
	free(r.recordings);
	call_tree_release(&r.tree);
	printer_release(&r.printer);
	return result;
}
