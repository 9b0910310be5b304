/* SPDX-License-Identifier: MIT
 * filter: the loop that all filters share: the blocks of all inputs in turn, and an output. */
#include "base/quantities.h"
#include "program/filter.h"

#include "base/input.h"
#include "base/output.h"
#include "base/workers.h"
#include "choose/moments.h"
#include "program/program.h"
#include "program/progress.h"
#include "program/sample_choice.h"
#include "stream/reader.h"
#include "stream/stream_file.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FOLLOW_PAUSE_MS 100

static uint64_t unlisted;	/* folders that could not be listed since the last input was begun */

static void
complain(const char *path, const struct stk_error *why)
{
	program_report(path, why);
	unlisted++;
}

int
filter_open(struct filter *filter, char **operands, int count, struct stk_error *err)
{
	memset(filter, 0, sizeof *filter);
	filter->times = TIME_RANGE_NONE;
	filter->asks_clocks = sample_choice_has_window();
	if (count == 0 && isatty(STDIN_FILENO))
		program_usage("no input: name a file, or pipe something in");
	if (output_open(&filter->output, program_common.output, err) < 0)
		return -1;
	filter->operands = operands;
	filter->operands_count = count;
	return file_list_open(&filter->files, operands, count, complain);
}

static int
write_output(void *context, const void *from, size_t size, struct stk_error *err)
{
	struct filter *filter = context;

	filter->bytes_out += size;
	return output_write(filter->output, from, size, err);
}

int
filter_records(struct filter *filter, struct stk_error *err)
{
	struct stk_writer_options options = { .write = write_output, .context = filter };

	if (output_is_terminal(filter->output))
		program_usage("records are not for a terminal: use -o FILE, a pipe, or -f text");
	options.level = program_common.level >= 0        ? (int)program_common.level
			: output_is_file(filter->output) ? STK_LEVEL_FILE
							 : STK_LEVEL_PIPE;
	if (program_threads() > 1)
		options.workers = filter->workers = stk_workers_open(program_threads());
	return stk_writer_open(&filter->writer, &options, err);
}

/* A stream that is still being written has no end yet. */
static bool
waits_for_more(const struct filter *filter)
{
	return filter->follow && !input_ends_for_good(filter->input) && !program_stopping();
}

static long
read_input(void *context, void *to, size_t size, struct stk_error *err)
{
	struct filter *filter = context;
	long got;

	if (filter->before_read != NULL)
		filter->before_read(filter->before_read_context, filter->input);
	if (filter->at >= filter->limit)
		return 0;
	if (size > (uint64_t)(filter->limit - filter->at))
		size = (size_t)(filter->limit - filter->at);
	while ((got = input_read(filter->input, to, size, err)) == 0 && waits_for_more(filter)) {
		if (filter->while_waiting != NULL)
			filter->while_waiting(filter->before_read_context, filter->input);
		(void)poll(NULL, 0, FOLLOW_PAUSE_MS);
	}
	if (got > 0) {
		filter->at += got;
		filter->bytes_in += (uint64_t)got;
		progress_add(got, 0);
	}
	return got;
}

static int
seek_input(void *context, int64_t offset)
{
	struct filter *filter = context;

	filter->at = offset;
	return input_seek(filter->input, offset);
}

/* What a writer had lost is lost to us as well: the next filter must know. */
static void
note_lost(struct filter *filter, uint64_t more)
{
	filter->lost += more;
	if (filter->tell_lost)
		program_warn("%s: incomplete: its own input was damaged or truncated in %llu place%s", filter->name,
			     (unsigned long long)more, plural(more, "", "s"));
	if (filter->writer != NULL)
		stk_writer_lost(filter->writer, more);
}

struct look { const struct input *input; int64_t at; };

static long
look_read(void *context, void *to, size_t size, struct stk_error *err)
{
	struct look *look = context;
	long got = input_read_at(look->input, to, size, look->at);

	if (got < 0)
		return stk_fail_errno(err, "cannot read");
	look->at += got;
	return got;
}

static int
look_seek(void *context, int64_t offset)
{
	((struct look *)context)->at = offset;
	return 0;
}

/* Of a file whose end another program replaces now and then, as stktree --follow does, only the blocks before the
 * present end are read: they stay. Other files, also those without an end yet, are read to where they end. */
static void
limit_to_settled(struct filter *filter)
{
	struct look look = { .input = filter->input };
	struct stk_reader_options options = { .read = look_read, .seek = look_seek, .context = &look };
	struct stream_file *file = NULL;
	struct stk_error ignored = { 0 };
	uint64_t lost = 0;
	unsigned streams;

	if (filter->follow || !input_is_being_written(filter->input))
		return;
	options.size = input_hold_end(filter->input);
	if (options.size > 0 && stream_file_open_indexed(&file, &options, &ignored) == 0 &&
	    (streams = stream_file_streams(file)) > 0) {
		filter->limit = stream_file_blocks_end(file, streams - 1);
		lost = stream_file_lost(file, streams - 1);
	}
	input_let_go_end(filter->input);
	stream_file_close(file);
	if (lost > 0)
		note_lost(filter, lost);
}

static void
tell_damage(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	struct filter *filter = context;

	filter->lost++;
	if (filter->writer != NULL)		/* at once, so that it is recorded in the stream with the damage */
		stk_writer_lost(filter->writer, 1);
	if (bytes > 0)
		program_warn("%s:%lld: %s; %llu bytes are left out", filter->name, (long long)offset, what,
			     (unsigned long long)bytes);
	else
		program_warn("%s:%lld: %s", filter->name, (long long)offset, what);
}

/* A capture holds a lock on its file: the file ends where the capture is. One that had an end when we came is
 * whole as far as we read it. */
static bool
is_growing(void *context)
{
	struct filter *filter = context;

	if (filter->limit != INT64_MAX)
		return true;
	if (filter->follow || !input_is_being_written(filter->input))
		return false;
	program_say("%s: still being written; read as far as it is now", filter->name);
	return true;
}

/* An input, or several, that nobody could read: what is written is no more complete than one of damaged input. */
static void
note_unread(struct filter *filter, uint64_t inputs)
{
	filter->lost += inputs;
	if (filter->writer != NULL)
		stk_writer_lost(filter->writer, inputs);
}

/* The next of the files; folders that could not be listed meanwhile are inputs, too. */
static const char *
next_name(struct filter *filter)
{
	const char *name = file_list_next(filter->files);

	note_unread(filter, unlisted);
	unlisted = 0;
	return name;
}

/* Opens the next input that can be opened: 1, 0 when there is none left, -1. */
static int
next_input(struct filter *filter, struct stk_error *err)
{
	while ((filter->name = next_name(filter)) != NULL) {
		struct stk_error why = { 0 };
		struct stk_reader_options options = {
			.read = read_input, .context = filter, .damage = tell_damage, .damage_context = filter
		};
		static const struct input_limits limits = { .keep_zstd = true };

		if (input_open_one(&filter->input, filter->name, &limits, &why) < 0) {
			program_report(filter->name, &why);
			note_unread(filter, 1);
			continue;
		}
		filter->at = 0;
		filter->limit = INT64_MAX;
		options.size = input_raw_size(filter->input);
		if (options.size >= 0 && !filter->follow && input_seek(filter->input, 0) == 0) {
			options.seek = seek_input;
			limit_to_settled(filter);
			if (filter->limit != INT64_MAX)
				options.size = filter->limit;
		}
		if (stk_reader_open(&filter->reader, &options, err) < 0)
			return -1;
		reader_growing(filter->reader, is_growing, filter);
		if (filter->wanted != NULL)
			stk_reader_want(filter->reader, filter->wanted, filter->wanted_kinds);
		if (filter->window)
			stk_reader_window(filter->reader, filter->from_ns, filter->to_ns);
		return 1;
	}
	return 0;
}

/* The present input's writer wrote that it had lost something. */
static void
pass_on_lost(struct filter *filter)
{
	struct stk_reader_state state;
	uint64_t more;

	stk_reader_state(filter->reader, &state);
	more = state.writer_lost - filter->writer_lost;
	if (more == 0)
		return;
	filter->writer_lost = state.writer_lost;
	note_lost(filter, more);
}

void
filter_tell_thinned(struct filter *filter, int64_t from_ns, int64_t to_ns, const struct time_zone *zone)
{
	filter->tell_thinned = filter->asks_clocks = true;
	filter->thinned_from_ns = from_ns;
	filter->thinned_to_ns = to_ns;
	filter->zone = zone;
}

static void
note_clocks(struct filter *filter, struct stk_reader *reader, uint32_t rows)
{
	struct stk_error ignored = { 0 };
	const uint64_t *clocks;

	if (stk_reader_column(reader, STK_COLUMN(source, clock), &clocks, &ignored) < 0)
		return;		/* damage was reported */
	for (uint32_t i = 0; i < rows; i++) {
		filter->monotonic |= clocks[i] == STK_CLOCK_MONOTONIC;
		filter->wall |= clocks[i] == STK_CLOCK_WALL;
	}
}

int
filter_write_clocks(const struct filter *filter, struct stk_writer *writer, struct stk_error *err)
{
	const bool met[] = { [STK_CLOCK_WALL] = filter->wall, [STK_CLOCK_MONOTONIC] = filter->monotonic };

	for (unsigned clock = 0; clock < sizeof met / sizeof *met; clock++) {
		struct stk_source source = { .clock = clock };

		if (met[clock] && stk_writer_add(writer, STK_SOURCE, &source, err) < 0)
			return -1;
	}
	return 0;
}

bool
filter_take_clocks(struct filter *filter, struct stk_reader *reader, const struct stk_block *block)
{
	if (block->kind == STK_SOURCE)
		note_clocks(filter, reader, block->rows);
	return block->kind == STK_SOURCE;
}

const struct time_zone *
filter_zone(const struct filter *filter, const struct time_zone *zone)
{
	return filter->monotonic && !filter->wall ? time_zone_undated() : zone;
}

char *
filter_print_time(const struct filter *filter, char to[TIME_TEXT_MAX], int64_t ns, const struct time_zone *zone)
{
	return moment_print(to, ns, filter_zone(filter, zone), false);
}

/* Nodes are after the samples: what they have is known at the end. */
static void
note_thinned(struct filter *filter, uint32_t rows)
{
	enum { TIME, LENGTH, FORM, SAMPLES, SET, WANTED };
	static const unsigned wanted[WANTED] = { STK_COLUMN(tree_node, time), STK_COLUMN(tree_node, length),
						 STK_COLUMN(tree_node, form), STK_COLUMN(tree_node, samples),
						 STK_COLUMN(tree_node, set) };
	const uint64_t *columns[WANTED];
	struct stk_error ignored = { 0 };

	for (unsigned c = 0; c < WANTED; c++)
		if (stk_reader_column(filter->reader, wanted[c], &columns[c], &ignored) < 0)
			return;		/* damage was reported */
	for (uint32_t i = 0; i < rows; i++) {
		int64_t from = (int64_t)columns[TIME][i], to = (int64_t)(columns[TIME][i] + columns[LENGTH][i]);

		if (columns[FORM][i] != STK_NODE_THINNED || columns[SET][i] != 0 || from == STK_TIME_UNKNOWN ||
		    from >= filter->thinned_to_ns || to <= filter->thinned_from_ns)
			continue;
		if (filter->thinned == 0 || from < filter->first_thinned_ns)
			filter->first_thinned_ns = from;
		if (filter->thinned == 0 || to > filter->last_thinned_ns)
			filter->last_thinned_ns = to;
		filter->thinned += columns[SAMPLES][i];
	}
}

static void
note_tree_event(struct filter *filter)
{
	struct stk_error ignored = { 0 };
	struct stk_tree tree;

	if (stk_reader_rows(filter->reader, &ignored) < 0)
		return;		/* damage was reported */
	stk_reader_row(filter->reader, 0, &tree);
	(void)snprintf(filter->tree_event, sizeof filter->tree_event, "%.*s", (int)tree.event.size,
		       tree.event.size == 0 ? "" : tree.event.data);
	if (tree.event.size == 0)
		(void)snprintf(filter->tree_event, sizeof filter->tree_event, "all");
}

/* What the filter itself needs to know of a block. */
static void
look_at(struct filter *filter, const struct stk_block *block)
{
	filter->streams += block->kind == STK_HEAD;
	if (filter->asks_clocks && block->kind == STK_SOURCE)
		note_clocks(filter, filter->reader, block->rows);
	if (filter->tell_thinned && block->kind == STK_TREE_NODE)
		note_thinned(filter, block->rows);
	if (filter->asks_tree_event && block->kind == STK_TREE && block->rows > 0 && filter->streams == 1)
		note_tree_event(filter);
}

static void
tell_thinned(struct filter *filter)
{
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];

	if (filter->thinned == 0)
		return;
	filter_print_time(filter, from, filter->first_thinned_ns, filter->zone);
	filter_print_time(filter, to, filter->last_thinned_ns, filter->zone);
	program_warn("%s: %llu samples from %s to %s are thinned to counts of its time tree, which only stktree reports: they are not counted here",
		     filter->name, (unsigned long long)filter->thinned, from, to);
	filter->thinned = 0;
}

/* well: it was read to its end. */
static void
leave_input(struct filter *filter, bool well)
{
	struct stk_reader_state state;

	if (filter->reader == NULL)
		return;
	stk_reader_state(filter->reader, &state);
	time_range_add(&filter->times, state.from_ns);
	time_range_add(&filter->times, state.to_ns);
	if (well && state.streams == 0 && state.damages == 0)
		program_warn("%s: empty, expected a record stream", filter->name);
	pass_on_lost(filter);
	tell_thinned(filter);
	stk_reader_close(filter->reader);
	filter->reader = NULL;
	input_close(filter->input);
	filter->input = NULL;
	filter->writer_lost = 0;
}

int
filter_next(struct filter *filter, struct stk_block *block, struct stk_error *err)
{
	for (;;) {
		struct stk_error why = { 0 };
		int got;

		if (program_stopping()) {
			program_finish_soon();
			return 0;
		}
		if (filter->reader == NULL && (got = next_input(filter, err)) <= 0)
			return got;
		got = stk_reader_next(filter->reader, block, &why);
		pass_on_lost(filter);
		if (got > 0) {
			look_at(filter, block);
			return 1;
		}
		if (got < 0 && !program_stopping()) {
			program_report(filter->name, &why);
			note_unread(filter, 1);
		}
		leave_input(filter, got == 0);
	}
}

void
filter_damaged(struct filter *filter, const struct stk_error *err)
{
	(void)filter;
	(void)err;		/* the reader has reported it through tell_damage */
	program_status_raise(PROGRAM_BAD_INPUT);
}

int
filter_each(struct filter *filter, filter_take_function *take, void *context, struct stk_error *err)
{
	struct stk_block block;
	int got;

	while ((got = filter_next(filter, &block, err)) > 0) {
		if (take(context, &block, err) == 0)
			continue;
		if (err->code != STK_EDATA)
			return -1;
		filter_damaged(filter, err);
		stk_error_clear(err);
	}
	return got < 0 ? -1 : 0;
}

void
filter_close(struct filter *filter, bool well)
{
	struct stk_error err = { 0 };

	leave_input(filter, true);
	if (stk_writer_close(filter->writer, well && !program_stopping(), &err) < 0)
		program_report(program_common.output == NULL ? "standard output" : program_common.output, &err);
	/* a followed input ends only by a signal */
	well = well && err.code == STK_EOK && (!program_stopping() || filter->follow);
	stk_error_clear(&err);
	if (output_close(filter->output, well, &err) < 0)
		program_report(program_common.output == NULL ? "standard output" : program_common.output, &err);
	stk_workers_close(filter->workers);
	file_list_close(filter->files);
	memset(filter, 0, sizeof *filter);
}
