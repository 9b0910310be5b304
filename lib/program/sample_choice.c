/* SPDX-License-Identifier: MIT
 * sample_choice: the options by which every filter selects samples. */
#include "program/sample_choice.h"

#include "base/input.h"
#include "base/memory.h"
#include "base/time_math.h"
#include "choose/moments.h"
#include "choose/where.h"
#include "program/filter.h"
#include "program/program.h"
#include "stream/stream_file.h"
#include "timetree/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EARLIEST_DATE_NS (INT64_C(100000000) * 1000000000) /* in 1973 */

static const char *from, *to_time, *thread, *process, *states, *grep, *where, *event, *zone_name;
static struct option_texts windows;
static bool took_today;		/* for a time that was typed without a date, as no file said the day */
static bool invert, running;

const struct option_row sample_choice_options[] = {
	OPT_HEADING("select samples"),
	OPT_TIME(0, "from", &from, "TIME", "at or after this moment: 09:00, -2h (before the end), 2026-11-19"),
	OPT_TIME(0, "to", &to_time, "TIME", "before this moment"),
	OPT_WINDOWS(0, "window", &windows, "FROM..TO", "in this window; may be repeated"),
	OPT_PATTERN(0, "thread", &thread, "REGEX", "of threads whose name matches"),
	OPT_PATTERN(0, "process", &process, "REGEX", "of processes whose name or number matches"),
	OPT_TEXT(0, "state", &states, "STATE,...", "in these states"),
	OPT_PATTERN(0, "grep", &grep, "REGEX", "with a matching frame in the stack"),
	OPT_FLAG(0, "invert", &invert, "without a matching frame"),
	OPT_TEXT(0, "where", &where, "COND", "for which this holds: thread = exec-* and not state = waiting"),
	OPT_FLAG(0, "running", &running, "that run, not those that wait in the system"),
	OPT_TEXT(0, "event", &event, "NAME", "of this sampling event, or all"),
	OPT_NEEDS("invert", "grep"),
	OPT_END
};

const struct option_row sample_zone_option[] = {
	OPT_TEXT(0, "zone", &zone_name, "ZONE", "read and show times in this zone: local, Europe/Berlin"),
	OPT_END
};

void
sample_choice_set_zone(const char *name)
{
	zone_name = name;
}

static void
usage_unless(int result, const char *option, const struct stk_error *err)
{
	if (result < 0)
		program_usage("--%s: %s", option, err->text);
}

void
sample_choice_describe(char *to, size_t size)
{
	const char *const texts[] = { from, to_time, thread, process, states, grep, where, event };
	const char *const names[] = { "from", "to", "thread", "process", "state", "grep", "where", "event" };
	size_t used = 0;

	if (size > 0)
		*to = '\0';
	for (size_t i = 0; i < sizeof texts / sizeof *texts && used < size; i++)
		if (texts[i] != NULL)
			used += (size_t)snprintf(to + used, size - used, " %s=%s", names[i], texts[i]);
	for (unsigned w = 0; w < windows.count && used < size; w++)
		used += (size_t)snprintf(to + used, size - used, " window=%s", windows.at[w]);
	if (used < size)
		(void)snprintf(to + used, size - used, "%s%s", invert ? " invert" : "", running ? " running" : "");
}

bool
sample_choice_has_window(void)
{
	return from != NULL || to_time != NULL || windows.count > 0;
}

bool
sample_choice_is_filtered(void)
{
	return thread != NULL || process != NULL || states != NULL || grep != NULL || where != NULL || running;
}

/* --- what times are relative to --- */

static bool keeps_file;
static struct { char *path; struct stream_file *file; } still_open;

void
sample_choice_keep_file(void)
{
	keeps_file = true;
}

struct stream_file *
sample_choice_take_file(const char *path)
{
	struct stream_file *file = still_open.file;

	if (file == NULL || strcmp(path, still_open.path) != 0)
		return NULL;
	still_open.file = NULL;
	return file;
}

static void
close_still_open(void)
{
	stream_file_close(still_open.file);
	free(still_open.path);
	still_open.file = NULL;
	still_open.path = NULL;
}

static int64_t
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The later reader of the file reports what is wrong with it. */
static void
ignore(const char *path, const struct stk_error *why)
{
	(void)path;
	(void)why;
}

/* False when one of the inputs is a pipe. */
static bool
read_span(struct recording_span *span, char **operands, int count)
{
	struct stk_error err = { 0 };
	struct file_list *files;
	const char *path;
	bool all = true, keeps = keeps_file && count == 1 && still_open.file == NULL,
	     ids = recording_asks_ids(sample_choice_is_filtered(), event);

	if (file_list_open(&files, operands, count, ignore) < 0)
		return false;
	while (all && (path = file_list_next(files)) != NULL) {
		all = input_is_file(path);
		if (all && recording_span_add(span, path, keeps ? &still_open.file : NULL, keeps && ids, &err) < 0) {
			/* the later reader may have better luck, with times that mean something else */
			if (err.code == STK_ESYSTEM)
				program_report(path, &err);
			stk_error_clear(&err);
		}
		if (keeps && still_open.file != NULL)
			still_open.path = mem_string(path);
		keeps = keeps && still_open.file == NULL;
	}
	file_list_close(files);
	return all;
}

void
sample_choice_refer(struct sample_choice *choice, char **operands, int count)
{
	struct stk_error unused = { 0 };

	if (!read_span(&choice->span, operands, count) || !time_range_is_known(&choice->span.range)) {
		recording_span_init(&choice->span);
		choice->last_ns = now_ns();
		return;
	}
	choice->last_ns = choice->span.range.to_ns;
	if (choice->zone == NULL && choice->span.zone[0] != '\0' &&
	    time_zone_open(&choice->typed_zone, choice->span.zone, &unused) < 0)
		choice->typed_zone = NULL;		/* unknown on this machine: UTC, as it is shown */
}

const struct time_zone *
sample_choice_typing_zone(const struct sample_choice *choice)
{
	return choice->zone != NULL ? choice->zone : choice->typed_zone;
}

/* --- windows --- */

static int
compare_windows(const void *a, const void *b)
{
	const struct time_window *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* In order, and those that touch are one. */
static unsigned
join_windows(struct time_window *list, unsigned count)
{
	unsigned kept = 0;

	qsort(list, count, sizeof *list, compare_windows);
	for (unsigned i = 0; i < count; i++) {
		if (kept == 0 || list[i].from_ns > list[kept - 1].to_ns)
			list[kept++] = list[i];
		else if (list[i].to_ns > list[kept - 1].to_ns)
			list[kept - 1].to_ns = list[i].to_ns;
	}
	return kept;
}

static int64_t
read_bound(const struct sample_choice *choice, const char *option, const char *text, int64_t unbounded)
{
	struct stk_error err = { 0 };
	int64_t ns = unbounded;

	if (text == NULL)
		return unbounded;
	usage_unless(time_parse(text, choice->last_ns, sample_choice_typing_zone(choice), &ns, &err), option, &err);
	return time_clamp(ns);
}

static void
check_order(const struct sample_choice *choice, const struct time_window *window)
{
	/* nothing is read yet: what is so early was typed in seconds of a clock without a date */
	bool seconds = window->from_ns < EARLIEST_DATE_NS && window->to_ns < EARLIEST_DATE_NS;
	char first[TIME_TEXT_MAX], last[TIME_TEXT_MAX];

	if (window->from_ns < window->to_ns)
		return;
	moment_print(first, window->from_ns, sample_choice_typing_zone(choice), seconds);
	moment_print(last, window->to_ns, sample_choice_typing_zone(choice), seconds);
	program_usage("the window from %s to %s is empty: it ends %s", first, last,
		      window->from_ns == window->to_ns ? "where it begins" : "before it begins");
}

/* Those of --window, and that from --from to --to. */
static void
read_windows(struct sample_choice *choice)
{
	struct selection_options *s = &choice->selection;
	struct stk_error err = { 0 };
	unsigned count = 0;

	for (unsigned w = 0; w < windows.count; w++, count++)
		usage_unless(time_window_parse(windows.at[w], choice->last_ns, sample_choice_typing_zone(choice),
					       &choice->windows[count], &err),
			     "window", &err);
	if (from != NULL || to_time != NULL)
		choice->windows[count++] = (struct time_window){ read_bound(choice, "from", from, INT64_MIN),
								 read_bound(choice, "to", to_time, INT64_MAX) };
	for (unsigned w = 0; w < count; w++)
		check_order(choice, &choice->windows[w]);
	if (count == 0)
		return;
	count = join_windows(choice->windows, count);
	s->windows = choice->windows;
	s->windows_count = count;
	s->from_ns = choice->windows[0].from_ns;
	s->to_ns = choice->windows[count - 1].to_ns;
}

/* --- times without a date --- */

#define DAY_NS INT64_C(86400000000000)

static bool
differs_by_day(const struct sample_choice *choice, const char *text)
{
	const struct time_zone *zone = sample_choice_typing_zone(choice);
	struct stk_error unused = { 0 };
	int64_t today = 0, before = 0;

	return text != NULL && time_parse(text, choice->last_ns, zone, &today, &unused) == 0 &&
	       time_parse(text, choice->last_ns - DAY_NS, zone, &before, &unused) == 0 && today != before;
}

static bool
window_differs_by_day(const struct sample_choice *choice, const char *text)
{
	const struct time_zone *zone = sample_choice_typing_zone(choice);
	struct stk_error unused = { 0 };
	struct time_window today = { 0 }, before = { 0 };

	return time_window_parse(text, choice->last_ns, zone, &today, &unused) == 0 &&
	       time_window_parse(text, choice->last_ns - DAY_NS, zone, &before, &unused) == 0 &&
	       (today.from_ns != before.from_ns || today.to_ns != before.to_ns);
}

/* A pipe does not tell the day of its end before it is read. */
static bool
takes_today(const struct sample_choice *choice)
{
	bool differs = differs_by_day(choice, from) || differs_by_day(choice, to_time);

	for (unsigned w = 0; w < windows.count; w++)
		differs |= window_differs_by_day(choice, windows.at[w]);
	return differs && !time_range_is_known(&choice->span.range);
}

const char *
sample_choice_hint(void)
{
	return took_today ? "; in a pipe, a time without a date is today's: give the date, or the file" : "";
}

/* --- all --- */

static void
read_where(struct sample_choice *choice)
{
	struct stk_error err = { 0 };

	if (where == NULL)
		return;
	if (where_open(&choice->selection.where, where, choice->last_ns, sample_choice_typing_zone(choice), &err) < 0)
		program_usage("%s", err.text);
}

void
sample_choice_read(struct sample_choice *choice, char **operands, int count)
{
	struct stk_error err = { 0 };

	*choice = (struct sample_choice){
		.from = from,
		.to = to_time,
		.zone_name = zone_name,
		.selection = {
			.from_ns = INT64_MIN,
			.to_ns = INT64_MAX,
			.grep = grep,
			.invert = invert,
			.thread = thread,
			.process = process,
			.states = states,
			.event = event,
			.activity = running ? ACTIVITY_RUNNING : ACTIVITY_ANY
		}
	};
	recording_span_init(&choice->span);
	if (zone_name != NULL)
		usage_unless(time_zone_open(&choice->zone, zone_name, &err), "zone", &err);
	if (sample_choice_has_window() || where != NULL)
		sample_choice_refer(choice, operands, count);
	read_windows(choice);
	took_today = takes_today(choice);
	read_where(choice);
}

int
sample_choice_was_file(struct stk_error *err)
{
	size_t used = strlen(err->text);

	if (states != NULL && err->code == STK_EUSAGE)
		(void)snprintf(err->text + used, sizeof err->text - used, "; to resume from a file: --resume FILE");
	return -1;
}

/* None of the windows overlaps the range. */
static bool
lies_outside(const struct sample_choice *choice, const struct time_range *range)
{
	const struct selection_options *s = &choice->selection;

	for (unsigned w = 0; w < s->windows_count; w++)
		if (s->windows[w].from_ns <= range->to_ns && s->windows[w].to_ns > range->from_ns)
			return false;
	return s->windows_count > 0;
}

bool
sample_choice_report(const struct sample_choice *choice, const struct filter *filter)
{
	const struct time_range *range = &filter->times;
	char first[TIME_TEXT_MAX], last[TIME_TEXT_MAX];

	if (!time_range_is_known(range) || !lies_outside(choice, range))
		return false;
	filter_print_time(filter, first, range->from_ns, sample_choice_typing_zone(choice));
	filter_print_time(filter, last, range->to_ns, sample_choice_typing_zone(choice));
	program_warn("the window is outside the recording, which is from %s to %s%s", first, last, sample_choice_hint());
	return true;
}

void
sample_choice_release(struct sample_choice *choice)
{
	close_still_open();
	where_close(choice->selection.where);
	time_zone_close(choice->typed_zone);
	time_zone_close(choice->zone);
}
