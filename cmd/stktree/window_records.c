/* SPDX-License-Identifier: MIT
 * window_records: definitions are copied frame by frame as stacks need them. */
#include "window_records.h"

#include "base/id_table.h"
#include "base/memory.h"
#include "model/recorder.h"
#include "program/program.h"

#include <stdlib.h>

struct window_records {
	struct output *output;
	struct stk_writer *writer;
	struct recorder *recorder;
	const struct model *model;		/* whose ids the tables are of */
	struct id_table frames, stacks;		/* by id there: id here */
	uint32_t source;
	int64_t time;
	uint64_t lost;				/* samples whose stack is not defined */
	uint64_t findings;
};

static int
write_bytes(void *context, const void *from, size_t size, struct stk_error *err)
{
	return output_write(context, from, size, err);
}

int
window_records_open(struct window_records **out, struct output *output, struct stk_error *err)
{
	struct window_records *r = *out = mem_new(1, sizeof *r);
	struct stk_writer_options options = { .write = write_bytes,
		.context = output,
		.level = output_is_file(output) ? STK_LEVEL_FILE : STK_LEVEL_PIPE };

	if (output_is_terminal(output))
		return stk_fail(err, STK_EUSAGE, "-f stream: records are not for a terminal (-f text shows them)");
	if (program_common.level >= 0)
		options.level = (int)program_common.level;
	r->frames.size = r->stacks.size = sizeof(uint32_t);
	return stk_writer_open(&r->writer, &options, err) < 0 ? -1 : recorder_open(&r->recorder, r->writer);
}

static uint32_t
copy_frame(struct window_records *r, uint32_t id)
{
	uint32_t *known = id_table_at(&r->frames, id);
	struct stk_frame frame = model_frame(r->model, id);

	if (*known != 0)
		return *known;
	frame.function = recorder_string(r->recorder,
		model_knows(r->model, STK_FRAME, id) ? model_string(r->model, frame.function) : text_from("?"));
	frame.module = recorder_string(r->recorder, model_string(r->model, frame.module));
	frame.file = recorder_string(r->recorder, model_string(r->model, frame.file));
	return *known = recorder_frame(r->recorder, &frame);
}

static uint32_t
copy_stack(struct window_records *r, uint32_t id)
{
	ARRAY(uint32_t) way = { 0 };
	uint32_t copy = 0;

	for (uint32_t at = id; at != 0 && model_knows(r->model, STK_STACK, at); ) {
		const uint32_t *known = id_table_find(&r->stacks, at);
		uint32_t parent = (uint32_t)model_stack(r->model, at).parent;

		if (known != NULL && *known != 0) {
			copy = *known;
			break;
		}
		*array_push(&way) = at;
		at = parent < at ? parent : 0;
	}
	while (way.count > 0) {
		uint32_t at = way.at[--way.count];

		copy = recorder_stack(r->recorder, copy, copy_frame(r, (uint32_t)model_stack(r->model, at).frame));
		*(uint32_t *)id_table_at(&r->stacks, at) = copy;
	}
	array_release(&way);
	return copy;
}

/* In place of a stack that is not defined. */
static uint32_t
lost_stack(struct window_records *r)
{
	struct stk_frame frame = { .function = recorder_string(r->recorder, text_of("?", 1)) };

	return recorder_stack(r->recorder, 0, recorder_frame(r->recorder, &frame));
}

static int
take_stack(void *context, const struct model *model, struct stk_text prefix, uint32_t stack, uint64_t samples,
	uint64_t weight, struct stk_error *err)
{
	struct window_records *r = context;
	struct stk_sample row = { .time = r->time, .weight = weight, .processor = -1 };
	struct stk_thread thread = { .source = r->source };

	if (model != r->model) {
		id_table_clear(&r->frames);
		id_table_clear(&r->stacks);
		r->model = model;
	}
	row.stack = copy_stack(r, stack);
	if (row.stack == 0 && stack != 0) {
		row.stack = lost_stack(r);
		r->lost += samples;
	}
	if (prefix.size > 0) {
		thread.name = recorder_string(r->recorder, prefix);
		row.thread = recorder_thread(r->recorder, &thread);
	}
	return recorder_error(r->recorder, err) < 0 ? -1 : stk_writer_add(r->writer, STK_SAMPLE, &row, err);
}

/* What no stack has: a sample of one frame, so that totals and shares are right for whoever reads this. */
static int
take_left_out(struct window_records *r, const struct answer_bounds *known, struct stk_error *err)
{
	struct stk_frame frame = { .function = recorder_string(r->recorder, text_from(LEFT_OUT)) };
	struct stk_sample row = { .time = r->time, .weight = known->left.weight, .processor = -1 };

	if (known->left.weight == 0)
		return 0;
	row.stack = recorder_stack(r->recorder, 0, recorder_frame(r->recorder, &frame));
	return recorder_error(r->recorder, err) < 0 ? -1 : stk_writer_add(r->writer, STK_SAMPLE, &row, err);
}

int
window_records_note(struct window_records *r, const char *about, const char *text, struct stk_error *err)
{
	struct stk_note note = { .about = text_from(about), .text = text_from(text) };

	return stk_writer_add(r->writer, STK_NOTE, &note, err);
}

int
window_records_add_finding(struct window_records *r, struct stk_finding *row, struct stk_error *err)
{
	row->number = ++r->findings;
	return recorder_error(r->recorder, err) < 0 ? -1 : stk_writer_add(r->writer, STK_FINDING, row, err);
}

uint32_t
window_records_source(struct window_records *r, const struct recording_facts *facts, const char *name)
{
	struct stk_source source = { .clock = facts->monotonic ? STK_CLOCK_MONOTONIC
					      : facts->wall    ? STK_CLOCK_WALL
							       : STK_CLOCK_UNKNOWN };

	source.name = recorder_string(r->recorder, text_from(name));
	return recorder_source(r->recorder, &source);
}

int
window_records_add(struct window_records *r, struct recording *recording, const char *name, struct tree_interval window,
	struct answer *answer, struct stk_error *err)
{
	const struct recording_facts *facts = recording_facts(recording);
	struct answer_bounds known;

	r->source = window_records_source(r, facts, name);
	r->time = window.from == INT64_MIN ? facts->times.from_ns : window.from;
	if (recording_count(recording, window, answer, err) < 0)
		return -1;
	if (recording_stacks(recording, take_stack, r, answer, err) < 0)
		return -1;
	known = recording_left_out(recording);
	return take_left_out(r, &known, err);
}

int
window_records_close(struct window_records *r, bool whole, struct stk_error *err)
{
	int result;

	if (r == NULL)
		return 0;
	stk_writer_lost(r->writer, r->lost);
	result = whole ? recorder_error(r->recorder, err) : 0;	/* of a window without samples nobody asked yet */
	if (stk_writer_close(r->writer, whole && result == 0, err) < 0)
		result = -1;
	recorder_close(r->recorder);
	id_table_clear(&r->frames);
	id_table_clear(&r->stacks);
	free(r);
	return result;
}
