/* SPDX-License-Identifier: MIT
 * stkcap: turns text dumps of many kinds, or the stacks of running processes, into one record stream. */
#include "capture_summary.h"
#include "format_list.h"
#include "live.h"
#include "misplaced_options.h"
#include "rejects.h"
#include "tick_condition.h"
#include "vm_list.h"

#include "base/input.h"
#include "base/output.h"
#include "base/quantities.h"
#include "base/time_text.h"
#include "base/workers.h"
#include "capture/file_pattern.h"
#include "ingest/intake.h"
#include "ingest/members.h"
#include "ingest/source_name.h"
#include "model/plain_name.h"
#include "program/program.h"
#include "program/progress.h"
#include "stkpipe/stream.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *format_name, *zone_name = "UTC", *time_from, *named_source, *rejects_file;
static struct scan_choice choice;
static bool        only_stacks, raw_symbols, formats_asked;
static int64_t     expanded_bytes;
static uint64_t    plain_names;

static struct live_settings live = { .patience_ns = INT64_C(2000000000), .pace = { .budget = 0.01 } };
static bool        list_asked;

static int
add_command(const char *text, struct stk_error *err)
{
	if (live.commands_count == LIVE_COMMANDS_MAX)
		return stk_fail(err, STK_EUSAGE, "at most %d", LIVE_COMMANDS_MAX);
	live.commands[live.commands_count++] = text;
	return 0;
}

static int
take_keep(const char *text, struct stk_error *err)
{
	size_t size = strlen(text);
	bool is_number = size > 0 && text[size - 1] >= '0' && text[size - 1] <= '9';

	return size_parse(text, is_number ? &live.files.keep : &live.files.most_total, err);
}

static double budget = 1;		/* percent */

static int64_t     ticks_hertz;
static const char *tick_event;
static uint64_t    stack_copy = UINT64_MAX;	/* not given */

enum orders { DO_STACK, DO_COUNT, DO_READ, DO_STATISTICS, DO_SPIN };		/* the first four as enum tick_order */
static enum orders tick_order;

static int
add_condition(const char *text, struct stk_error *err)
{
	return tick_condition_add(&live.ticks.plan, text, err);
}

static const struct option_row options[] = {
	OPT_TEXT('f', "format", &format_name, "NAME",
		 "thread-dump, perf-script, folded, ... (default: by the content)"),
	OPT_TEXT(0, "zone", &zone_name, "ZONE",
		 "zone of times written without one: UTC (default), local, +02:00, Europe/Berlin"),
	OPT_TEXT(0, "time-from", &time_from, "HOW",
		 "time of dumps without one: mtime, or name:PATTERN (name:%Y%m%d-%H%M%S)"),
	OPT_TEXT(0, "source", &named_source, "NAME",
		 "source of all files (default: one for files that differ only in date or counter)"),
	OPT_TEXT(0, "rejects", &rejects_file, "FILE", "write skipped lines to FILE, with file and line number"),
	OPT_FLAG(0, "addresses", &choice.keep_addresses, "keep instruction addresses and offsets in frames"),
	OPT_FLAG(0, "raw-symbols", &raw_symbols, "keep symbols of Java methods in profiles as they are written"),
	OPT_LIST(0, "demangle", &plain_names, "WHAT,...", PLAIN_NAME_WORDS, "name functions as their sources do"),
	OPT_FLAG(0, "as-events", &choice.as_events,
		 "keep tracepoints of perf, spans of JFR and slices of Chrome as events, not as samples"),
	OPT_FLAG(0, "list-formats", &formats_asked, "list the formats of files, and how each is recognised"),
	OPT_FLAG(0, "only-stacks", &only_stacks, "leave out cpu and elapsed times and the addresses of locks"),
	OPT_SIZE(0, "max-expand", &expanded_bytes, "SIZE", "stop reading a compressed file or archive that expands to more (64G)"),
	OPT_HEADING("Live capture (no FILEs)"),
	OPT_FLAG(0, "list", &list_asked,
		 "list the Java VMs of this machine, and what can be captured from each (-f tsv, ndjson)"),
	OPT_TEXT(0, "jvm", &live.jvm, "LIST",
		 "take dumps of these Java VMs: a comma-separated list of PID and NAME (a pattern), or all"),
	OPT_TEXT(0, "native", &live.native, "LIST", "take native stacks of these processes, unwound while they are stopped"),
	OPT_TAKE(0, "exec", add_command, "COMMAND",
		 "take the output of a command: eu-stack, gdb, py-spy, goroutines ...; may be repeated"),
	OPT_TEXT(0, "of", &live.of, "LIST", "run --exec for each {pid} of these processes"),
	OPT_DURATION(0, "every", &live.every_ns, "TIME", "capture every TIME, all at the same moments (default: once)"),
	OPT_NUMBER_IN(0, "count", &live.count, 1, 9.3e18, "N", "stop after N moments (default: run until interrupted)"),
	OPT_DURATION(0, "deadline", &live.patience_ns, "TIME", "how long an answer may take (2s)"),
	OPT_PERCENT(0, "budget", &budget, 0, 100, "PERCENT",
		    "share of time that a VM may be stopped; else it is asked less often (1%)"),
	OPT_FLAG(0, "adaptive", &live.pace.adaptive,
		 "lower the rate to what is needed to know the running share within 10 %"),
	OPT_FLAG(0, "agent", &live.agent, "use an agent in the VM, which stays loaded: a third of the pause"),
	OPT_NUMBER_IN(0, "ticks", &ticks_hertz, 1, 10000, "HZ",
		      "count what each processor does HZ times a second, and in which VM"),
	OPT_TEXT(0, "on", &tick_event, "EVENT:N",
		 "tick every N of an event: cycles, instructions, page-faults ..."),
	OPT_CHOICE(0, "order", &tick_order, "WHAT", "stack, count, read, statistics, spin", "what to do at a tick in a VM"),
	OPT_TAKE(0, "when", add_condition, "WHAT",
		 "count ticks only while user=, process=, cgroup=, file= or load> holds; may be repeated"),
	OPT_SIZE(0, "stack-copy", &stack_copy, "SIZE",
		 "copy at most so much of a thread's stack at a tick (64K); 0: none"),
	OPT_DURATION(0, "rotate-interest", &live.ticks.rotate_ns, "TIME",
		     "count ticks of one VM after another, for TIME each"),
	OPT_FLAG(0, "locks", &live.locks, "also show owned synchronizers; the VM stops and walks its heap"),
	OPT_SIZE(0, "max-size", &live.files.most_bytes, "SIZE", "begin another file when one reaches this size"),
	OPT_TAKE(0, "keep", take_keep, "N|SIZE",
		 "keep only the latest N files, or SIZE (10G), of the pattern of -o"),
	OPT_OLD("tz", "zone"),
	OPT_NEEDS("order", "ticks on"),
	OPT_NEEDS("when", "ticks on"),
	OPT_NEEDS("rotate-interest", "ticks on"),
	OPT_NEEDS("stack-copy", "ticks on"),
	OPT_NEEDS("of", "exec"),
	OPT_NEEDS("every", "jvm native exec ticks on"),
	OPT_NEEDS("count", "jvm native exec ticks on"),
	OPT_NEEDS("deadline", "jvm native exec ticks on list"),
	OPT_NEEDS("budget", "jvm native exec ticks on"),
	OPT_NEEDS("adaptive", "jvm native exec ticks on"),
	OPT_NEEDS("agent", "jvm"),
	OPT_NEEDS("locks", "jvm"),
	OPT_NEEDS("keep", "output"),
	OPT_NEEDS("max-size", "output"),
	OPT_ONE_OF("ticks on"),
	OPT_END
};

struct capture {
	struct output *output;
	struct stk_writer *writer;
	struct stk_workers *workers;
	struct collect *collect;
	struct intake *intake;
	struct file_list *files;
	struct time_zone *zone;
	struct rejects *rejects;
};

static int
write_output(void *context, const void *from, size_t size, struct stk_error *err)
{
	return output_write(context, from, size, err);
}

static uint64_t complaints;		/* files that could not be opened */

static void
complain(const char *path, const struct stk_error *why)
{
	program_report(path, why);
	complaints++;
}

static bool
time_from_is_known(void)
{
	return time_from == NULL || strcmp(time_from, "mtime") == 0 || strncmp(time_from, "name:", 5) == 0;
}

/* The time of dumps without one. */
static int64_t
fallback_time(const struct capture *capture, const char *path, int64_t modified_ns)
{
	int64_t ns;

	if (time_from == NULL)
		return STK_TIME_UNKNOWN;
	if (strcmp(time_from, "mtime") == 0)
		return modified_ns;
	if (time_match(text_from(path), time_from + 5, capture->zone, &ns) && stk_time_is_believed(ns))
		return ns;
	program_warn("%s: the name does not match '%s'; its dumps have no time", path, time_from + 5);
	return STK_TIME_UNKNOWN;
}

static int
open_writer(struct capture *capture, struct stk_error *err)
{
	struct stk_writer_options to = { .write = write_output };

	if (output_open(&capture->output, program_common.output, err) < 0)
		return -1;
	if (output_is_terminal(capture->output))
		program_usage(
			"records are not for a terminal: use -o FILE, or a pipe such as `stkcap FILE | stkcat -f text`");
	to.context = capture->output;
	to.workers = capture->workers;
	to.level = program_common.level >= 0         ? (int)program_common.level
		   : output_is_file(capture->output) ? STK_LEVEL_FILE
						     : STK_LEVEL_PIPE;
	return stk_writer_open(&capture->writer, &to, err);
}

static int
open_capture(struct capture *capture, char **operands, int count, struct stk_error *err)
{
	const struct text_format *format = format_name == NULL ? NULL : text_format_named(format_name);
	static char local[TIME_TEXT_MAX];
	bool is_local = strcmp(zone_name, "local") == 0;
	struct collect_options collecting = { .zone_name = is_local ? time_zone_local_name(local) : zone_name,
					      .choice = choice,
					      .only_stacks = only_stacks,
					      .raw_symbols = raw_symbols,
					      .plain_names = plain_names,
					      .skipped = rejects_take };

	choice.count_blank = rejects_file != NULL;
	if (format_name != NULL && format == NULL)
		format_list_refuse(format_name);
	if (!time_from_is_known())
		program_usage("--time-from: expected mtime or name:PATTERN, not '%s'", time_from);
	if (count == 0 && isatty(STDIN_FILENO))
		program_usage("no input: name a file, or pipe something in");
	if (time_zone_open(&capture->zone, zone_name, err) < 0)
		program_usage("--zone: %s", err->text);
	if (program_threads() > 1)
		capture->workers = stk_workers_open(program_threads());
	if (open_writer(capture, err) < 0 || rejects_open(&capture->rejects, rejects_file, err) < 0)
		return -1;
	collecting.writer = capture->writer;
	collecting.zone = capture->zone;
	collecting.context = capture->rejects;
	if (collect_open(&capture->collect, &collecting) < 0)
		return -1;
	intake_open(&capture->intake, capture->collect, capture->workers, format, &choice);
	intake_watch(capture->intake, progress_add, program_stopping);
	return file_list_open(&capture->files, operands, count, complain);
}

/* Samples, metrics and events taken so far. */
static uint64_t
samples_taken(const struct capture *capture)
{
	struct collect_counts counts;

	collect_counts(capture->collect, &counts);
	return counts.samples + counts.metrics + counts.events;
}

/* Reads one file or member of an archive. -1 only when it cannot continue; one that is bad, or cannot be read, is
 * reported, and counted in the end record. */
static int
take_member(struct capture *capture, const struct member *member, struct stk_error *err)
{
	struct stk_error why = { 0 };
	uint64_t before = samples_taken(capture);
	char source[PATH_MAX];
	int got;

	got = intake_file(capture->intake, member->input, member->name,
			  named_source != NULL ? named_source : source_name(member->name, source, sizeof source),
			  fallback_time(capture, member->name, member->modified_ns), &why);
	if (got < 0 && !program_stopping()) {
		*err = why;
		return -1;
	}
	if (got > 0) {
		program_report(member->name, &why);
		stk_writer_lost(capture->writer, 1);
	} else if (samples_taken(capture) == before && !program_stopping()) {
		program_warn("%s: no stack, no metric and no event found", member->name);
	}
	return 0;
}

/* An operand, or a file of a folder. */
static int
take_file(struct capture *capture, const char *path, struct stk_error *err)
{
	struct input_limits limits = { .expanded_bytes = expanded_bytes };
	struct members *members;
	struct member member = { .name = path };
	struct stk_error why = { 0 };
	int got = members_open(&members, path, &limits, &why), result = 0;

	if (got == 0)
		got = members_next(members, &member, &why);
	while (got != 0 && result == 0 && !program_stopping()) {
		if (got > 0) {
			result = take_member(capture, &member, err);
		} else {
			program_report(member.name, &why);
			stk_writer_lost(capture->writer, 1);
		}
		stk_error_clear(&why);
		got = members == NULL ? 0 : members_next(members, &member, &why);
	}
	members_close(members);
	return result;
}

static void
close_capture(struct capture *capture, struct stk_error *err)
{
	struct collect_counts counts = { 0 };
	bool well = err->code == STK_EOK;
	bool appears_whole = capture->output != NULL && output_is_file(capture->output) &&
			     program_common.output != NULL && strcmp(program_common.output, "-") != 0;

	if (capture->collect != NULL)
		collect_counts(capture->collect, &counts);
	if (counts.broken > 0)
		program_status_raise(PROGRAM_BAD_INPUT);
	if (capture->writer != NULL)
		stk_writer_lost(capture->writer, counts.broken + complaints);
	progress_end();
	if (stk_writer_close(capture->writer, well && !program_stopping(), err) < 0)
		well = false;
	if (output_close(capture->output, well && !program_stopping(), err) < 0)
		well = false;
	well &= rejects_close(capture->rejects, err) == 0;
	if (!well)
		program_report(program_common.output == NULL ? "standard output" : program_common.output, err);
	intake_close(capture->intake);
	collect_close(capture->collect);
	stk_workers_close(capture->workers);
	file_list_close(capture->files);
	time_zone_close(capture->zone);
	if (rejects_file != NULL)
		summary_say_lines(&counts);
	summary_say(&counts, appears_whole, well);
}

static int
take_files(char **operands, int count)
{
	struct capture capture = { 0 };
	struct stk_error err = { 0 };
	const char *path;

	if (open_capture(&capture, operands, count, &err) == 0) {
		progress_begin(file_list_bytes(capture.files));
		while (!program_stopping() && (path = file_list_next(capture.files)) != NULL)
			if (take_file(&capture, path, &err) < 0)
				break;
	}
	close_capture(&capture, &err);
	return program_end();
}

/* --- live --- */

/* Combines --ticks, --on and --order. */
static void
settle_ticks(void)
{
	const char *colon = tick_event != NULL ? strchr(tick_event, ':') : NULL;
	static char event[64];
	char *end;

	live.has_ticks = ticks_hertz > 0 || tick_event != NULL;
	if (!live.has_ticks)
		return;
	if (tick_event != NULL &&
	    (colon == NULL || (live.ticks.plan.period = strtoull(colon + 1, &end, 10)) == 0 || *end != '\0'))
		program_usage("--on: expected EVENT:N, such as cycles:100000, not '%s'", tick_event);
	if (tick_event != NULL) {
		snprintf(event, sizeof event, "%.*s", (int)(colon - tick_event), tick_event);
		live.ticks.plan.event = event;
	}
	live.ticks.plan.hertz = (uint64_t)ticks_hertz;
	live.ticks.plan.most_age_ns = INT64_C(5000000);
	live.ticks.plan.spin = tick_order == DO_SPIN;
	live.ticks.order = tick_order == DO_SPIN ? ORDER_STACK : (enum tick_order)tick_order;
	live.ticks.agent = live.agent;
	live.ticks.copy_bytes = stack_copy;
	if (stack_copy != UINT64_MAX && (live.agent || live.ticks.order != ORDER_STACK))
		program_usage("--stack-copy has no effect with %s", live.agent ? "--agent" : "this --order");
	live.only_ticks = live.every_ns == 0;
	if (live.only_ticks)
		live.every_ns = INT64_C(1000000000);
}

static int
take_live(int operands)
{
	struct time_zone *zone = NULL;
	struct stk_error err = { 0 };

	if (operands > 0)
		program_usage("a live capture reads no files: remove the operands, or --jvm, --native and --exec");
	refuse_file_options();
	if (time_zone_open(&zone, zone_name, &err) < 0)
		program_usage("--zone: %s", err.text);
	if (program_common.output == NULL && isatty(STDOUT_FILENO))
		program_usage(
			"records are not for a terminal: use -o FILE, or a pipe such as `stkcap --jvm all | stkcat -f text`");
	if (live.of != NULL && live.commands_count == 0)
		program_usage("--of has no effect without --exec");
	if ((live.files.keep > 0 || live.files.most_total > 0) && program_common.output != NULL &&
	    file_pattern_check(program_common.output, &err) < 0)
		program_usage("--keep: %s", err.text);
	settle_ticks();
	live.pace.budget = budget / 100;
	if (live.count > 1 && live.every_ns == 0)
		program_usage("--count %lld needs --every TIME",
			      (long long)live.count);
	live.pace.every_ns = live.every_ns;
	live.source = named_source;
	live.files.name = program_common.output;
	live.files.level = program_common.level;
	live.files.zone = zone;
	live.plain_names = plain_names;
	program_stop_patiently();
	if (live_run(&live, &err) < 0 && err.code == STK_EUSAGE)
		program_usage("%s", err.text);
	if (err.code != STK_EOK)
		program_fail("%s", err.text);
	time_zone_close(zone);
	return program_end();
}

int
main(int argc, char **argv)
{
	int first = program_begin(
		"stkcap", "turn dumps and profiles, or the stacks of running Java VMs, into a record stream",
		"[FILE | DIR | -]...", NULL, options, argc, argv);

	if (plain_name_missing(plain_names) != NULL)
		program_usage("--demangle: %s", plain_name_missing(plain_names));
	if (formats_asked)
		return format_list_show(format_name);
	if (list_asked)
		return show_vms(format_name);
	if (live.jvm != NULL || live.native != NULL || live.commands_count > 0)
		return take_live(argc - first);
	refuse_live_options();
	return take_files(argv + first, argc - first);
}
