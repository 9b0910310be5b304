/* SPDX-License-Identifier: MIT
 * path_samples: stkpath samples. A path becomes a stack, its function followed by its blocks, with as many samples as
 * it was taken. */
#include "stkpath.h"

#include "base/bytes.h"
#include "model/model.h"
#include "model/recorder.h"
#include "program/filter.h"
#include "program/lost_ids.h"
#include "program/program.h"
#include "report/counting_methods.h"

#define INEXACT_FRAME "[inexact counts]"

/* How a function was counted is known only at the end. */
struct held_sample { struct stk_sample row; uint32_t function, path; };

struct sampling {
	struct filter filter;
	struct model *model;
	struct recorder *recorder;
	uint32_t event;
	struct counting_methods methods;
	struct text_table functions, paths;	/* "function	file"; blocks */
	struct text_buffer scratch;
	ARRAY(struct held_sample) held;
	uint64_t lost;			/* rows whose source is not defined: kept without one */
};

static struct stk_frame
block_frame(struct sampling *s, struct stk_text block, uint32_t file)
{
	struct stk_frame frame = { .file = file };
	size_t name = 0;

	while (name < block.size && block.data[name] != '@')
		name++;
	for (size_t i = name + 1;
	     i < block.size && block.data[i] >= '0' && block.data[i] <= '9' && frame.line < INT32_MAX; i++)
		frame.line = frame.line * 10 + (block.data[i] - '0');
	frame.function = recorder_string(s->recorder, text_of(block.data, name));
	return frame;
}

/* A frame of its own marks inexact counts, so that every view of the samples shows it. */
static uint32_t
stack_of(struct sampling *s, struct stk_text function, struct stk_text file_name, struct stk_text blocks)
{
	uint32_t file = recorder_string(s->recorder, file_name), stack;
	struct stk_frame frame = { .function = recorder_string(s->recorder, function), .file = file };

	stack = recorder_stack(s->recorder, 0, recorder_frame(s->recorder, &frame));
	if (counting_methods_are_inexact(&s->methods, function, file_name)) {
		frame = (struct stk_frame){ .function = recorder_string(s->recorder, text_from(INEXACT_FRAME)) };
		stack = recorder_stack(s->recorder, stack, recorder_frame(s->recorder, &frame));
	}
	while (blocks.size > 0) {
		frame = block_frame(s, text_take(&blocks, ' '), file);
		stack = recorder_stack(s->recorder, stack, recorder_frame(s->recorder, &frame));
	}
	return stack;
}

/* The program is the thread: its threads are not distinguished. */
static uint32_t
thread_of(struct sampling *s, uint64_t id)
{
	struct stk_source had = model_source(s->model, model_id(s->model, STK_SOURCE, id)),
			  source = { .pid = had.pid, .runtime = STK_RUNTIME_NATIVE, .clock = STK_CLOCK_WALL };
	struct stk_thread thread = { .tid = had.pid };

	source.name = recorder_string(s->recorder, model_string(s->model, had.name));
	source.host = recorder_string(s->recorder, model_string(s->model, had.host));
	source.process = recorder_string(s->recorder, model_string(s->model, had.process));
	thread.source = recorder_source(s->recorder, &source);
	thread.name = source.process;
	return recorder_thread(s->recorder, &thread);
}

static int
take_counts(struct sampling *s, const struct stk_block *block, struct stk_error *err)
{
	if (stk_reader_rows(s->filter.reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		struct stk_path_count row;
		struct stk_sample sample = { .processor = -1, .event = s->event, .state = STK_STATE_RUNNING };

		stk_reader_row(s->filter.reader, i, &row);
		if (row.count == 0)
			continue;
		s->lost += !model_knows(s->model, STK_SOURCE, row.source);
		sample.time = row.time;
		sample.thread = thread_of(s, row.source);
		sample.weight = row.count;
		*array_push(&s->held) = (struct held_sample){
			sample, text_table_number(&s->functions, text_joined(&s->scratch, row.function, row.file)),
			text_table_number(&s->paths, row.path)
		};
		if (recorder_error(s->recorder, err) < 0)
			return -1;
	}
	return 0;
}

static int
take_calls(struct sampling *s, const struct stk_block *block, struct stk_error *err)
{
	if (stk_reader_rows(s->filter.reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		struct stk_path_call row;

		stk_reader_row(s->filter.reader, i, &row);
		counting_methods_take(&s->methods, &row);
	}
	return 0;
}

/* An occurrence is on several overlapping paths, so that a stack of each would count it as often. */
static int
write_samples(struct sampling *s, struct stk_error *err)
{
	size_t left_out = 0;

	for (size_t i = 0; i < s->held.count; i++) {
		struct held_sample *one = &s->held.at[i];
		struct stk_text file = text_table_text(&s->functions, one->function), function;

		function = text_take(&file, '\t');
		if (counting_methods_overlap(&s->methods, function, file)) {
			left_out++;
			continue;
		}
		one->row.stack = stack_of(s, function, file, text_table_text(&s->paths, one->path));
		if (recorder_error(s->recorder, err) < 0 ||
		    stk_writer_add(s->filter.writer, STK_SAMPLE, &one->row, err) < 0)
			return -1;
	}
	if (left_out > 0)
		program_warn(
			"%zu paths of %zu functions are left out: they overlap (method ac), so that samples of them would count a call several times",
			left_out, s->methods.overlapping.texts.count);
	if (s->methods.inexact.texts.count > 0)
		program_say("samples of %zu functions have a frame \"" INEXACT_FRAME "\": " INEXACT_COUNTS,
			    s->methods.inexact.texts.count);
	return recorder_error(s->recorder, err);
}

static int
take_block(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct sampling *s = context;

	if (model_take(s->model, s->filter.reader, block, err) < 0)
		return -1;
	return block->kind == STK_PATH_COUNT  ? take_counts(s, block, err)
	       : block->kind == STK_PATH_CALL ? take_calls(s, block, err) : 0;
}

int
path_samples(char **operands, int count)
{
	struct sampling s = { .filter = { .tell_lost = true } };
	struct stk_error err = { 0 };
	int result = filter_open(&s.filter, operands, count, &err);

	if (result == 0)
		result = filter_records(&s.filter, &err);
	if (result == 0 && model_open(&s.model) == 0 && recorder_open(&s.recorder, s.filter.writer) == 0) {
		s.event = recorder_string(s.recorder, text_from("path"));
		result = filter_each(&s.filter, take_block, &s, &err);
		if (result == 0)
			result = write_samples(&s, &err);
		report_lost_ids(s.model);
	}
	if (result < 0)
		program_report("output", &err);
	if (s.filter.writer != NULL)
		stk_writer_lost(s.filter.writer, s.lost);
	counting_methods_release(&s.methods);
	text_table_release(&s.functions);
	text_table_release(&s.paths);
	array_release(&s.scratch);
	array_release(&s.held);
	recorder_close(s.recorder);
	model_close(s.model);
	filter_close(&s.filter, result == 0);
	return program_end();
}
