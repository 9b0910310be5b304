/* SPDX-License-Identifier: MIT
 * stkcap: turns text dumps of many kinds, or the stacks of running processes, into one record stream. */
#include "capture_summary.h"
#include "format_list.h"
#include "live_command.h"
#include "live_options.h"
#include "misplaced_options.h"
#include "rejects.h"
#include "status_report.h"
#include "vm_list.h"

#include "base/input.h"
#include "base/output.h"
#include "base/time_text.h"
#include "base/workers.h"
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

static bool        list_asked;
static const char *config_file, *status_socket;

static const struct option_row options[] = {
	OPT_TEXT('f', "format", &format_name, "NAME",
		 "thread-dump, perf-script, folded, ... (default: by the content)"),
	OPT_TEXT(0, "zone", &zone_name, "ZONE",
		 "zone of times without one (UTC): local, +02:00, Europe/Berlin"),
	OPT_TEXT(0, "time-from", &time_from, "HOW",
		 "time of dumps without one: mtime, or name:PATTERN (name:%Y%m%d-%H%M%S)"),
	OPT_TEXT(0, "source", &named_source, "NAME",
		 "source of all files (default: without dates and counters of names)"),
	OPT_TEXT(0, "rejects", &rejects_file, "FILE", "write skipped lines to FILE, with file and line number"),
	OPT_FLAG(0, "addresses", &choice.keep_addresses, "keep instruction addresses and offsets in frames"),
	OPT_FLAG(0, "raw-symbols", &raw_symbols, "keep symbols of Java methods in profiles as they are written"),
	OPT_LIST(0, "demangle", &plain_names, "WHAT,...", PLAIN_NAME_WORDS, "plain names"),
	OPT_FLAG(0, "as-events", &choice.as_events,
		 "keep tracepoints of perf, spans of JFR, slices of Chrome as events"),
	OPT_FLAG(0, "as-off-cpu", &choice.as_off_cpu,
		 "the same, but switches become samples of time off the processor"),
	OPT_FLAG(0, "list-formats", &formats_asked, "list the formats of files, and how each is recognised"),
	OPT_FLAG(0, "only-stacks", &only_stacks, "leave out cpu and elapsed times and the addresses of locks"),
	OPT_SIZE(0, "max-expand", &expanded_bytes, "SIZE", "stop reading a compressed file or archive that expands to more (64G)"),
	OPT_HEADING("Live capture (no FILEs)"),
	OPT_FLAG(0, "list", &list_asked,
		 "list Java VMs and Pythons, and what each can give (-f tsv, ndjson)"),
	OPT_TABLE(live_set_options),
	OPT_TABLE(live_capture_options),
	OPT_TEXT(0, "config", &config_file, "FILE", "capture by the options in FILE, which SIGHUP reads again"),
	OPT_TEXT(0, "status", &status_socket, "SOCKET",
		 "ask a running capture how it does (-f tsv, ndjson, openmetrics)"),
	OPT_TABLE(live_rules),
	OPT_TABLE(live_set_rules),
	OPT_OLD("tz", "zone"),
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

	collecting.choice.as_events = choice.as_events |= choice.as_off_cpu;
	collecting.choice.count_blank = choice.count_blank = rejects_file != NULL;
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
	if (counts.broken + counts.unreturned > 0)
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

/* Options beside --config and --status would have no effect. */
static void
refuse_others(const char *alone, const struct option_row *rows, const char *but)
{
	for (; rows->type != OPTION_END; rows++)
		if (rows->name != NULL && program_given(rows->name) &&
		    options_word(but, rows->name, strlen(rows->name)) < 0)
			program_usage("--%s has no effect with --%s", rows->name, alone);
}

static bool
is_live(void)
{
	const struct live_set *set = &live_given.set;

	return set->jvm != NULL || set->native != NULL || set->python != NULL || set->commands_count > 0;
}

int
main(int argc, char **argv)
{
	int first = program_begin(
		"stkcap", "turn dumps and profiles, or the stacks of running programs, into a record stream",
		"[FILE | DIR | -]...", NULL, options, argc, argv);

	if (status_socket != NULL || config_file != NULL) {
		const char *alone = status_socket != NULL ? "status" : "config";
		const char *but = status_socket != NULL ? "status, format, deadline" : "config";

		refuse_others(alone, live_set_options, but);
		refuse_others(alone, live_capture_options, but);
		refuse_others(alone, options, but);
	}
	if (plain_name_missing(plain_names) != NULL)
		program_usage("--demangle: %s", plain_name_missing(plain_names));
	if (formats_asked)
		return format_list_show(format_name);
	if (list_asked)
		return show_vms(format_name, live_given.set.native);
	if (status_socket != NULL)
		return show_status(status_socket, format_name, live_given.live.patience_ns);
	if (config_file != NULL || is_live()) {
		refuse_file_options();
		return live_command(config_file, zone_name, named_source, plain_names, argc - first);
	}
	refuse_live_options();
	return take_files(argv + first, argc - first);
}
