/* SPDX-License-Identifier: MIT
 * tree_stage: a scratch and a writer; with a base, a writer that is in the middle of the base's stream. */
#include "timetree/tree_stage.h"

#include "base/memory.h"
#include "stream/writer.h"
#include "timetree/block_split.h"
#include "timetree/sample_sort.h"
#include "timetree/tree_builder.h"

#include <stdlib.h>

/* --- opening and closing --- */

static int
write_stage(void *context, const void *from, size_t size, struct stk_error *err)
{
	return scratch_write(context, from, size, err);
}

static struct stk_index
index_of(const struct file_block *block, int64_t start)
{
	struct stk_index index = { .kind = block->kind,
		.rows = block->rows,
		.offset = (uint64_t)(block->offset - start),
		.time = STK_TIME_UNKNOWN,
		.holds = block->holds };

	if (block->has_time) {
		index.time = block->from_ns;
		index.length = tree_span(block->from_ns, block->to_ns);
	}
	return index;
}

/* The writer goes on in the middle of the base's stream, whose index it writes anew: as it was, even where an append
 * that was interrupted has overwritten it. */
static int
resume(const struct tree_stage *stage, struct stk_error *err)
{
	struct stream_file *base = stage->base;
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(base, 0, &count);
	int64_t start = stream_file_start(base, 0);
	struct stk_index *index;

	if (writer_lists_ids(stage->writer) && stream_file_list_ids(base, 0, err) < 0)
		return -1;
	index = mem_new(count + 1, sizeof *index);
	for (size_t b = 0; b < count; b++)
		index[b] = index_of(&blocks[b], start);
	stk_writer_resume(
		stage->writer, index, count, (uint64_t)(stream_file_blocks_end(base, 0) - start), stage->ids->next);
	stk_writer_lost(stage->writer, stream_file_lost(base, 0));
	free(index);
	return 0;
}

int
tree_stage_open(struct tree_stage *stage, const struct tree_stage *settings, struct stk_error *err)
{
	struct stk_writer_options options = {
		.write = write_stage, .level = settings->level, .workers = settings->workers
	};

	*stage = (struct tree_stage){
		.level = settings->level, .workers = settings->workers, .base = settings->base, .ids = settings->ids
	};
	stage->file = settings->place == NULL ? NULL : output_scratch(settings->place);
	if (stage->file == NULL && scratch_open(&stage->file, err) < 0)
		return -1;
	options.context = stage->file;
	if (stk_writer_open(&stage->writer, &options, err) < 0)
		return -1;
	block_split_prepare(stage->writer);
	return stage->base != NULL ? resume(stage, err) : 0;
}

void
tree_stage_close(struct tree_stage *stage)
{
	struct stk_error unheard = { 0 };

	tree_stage_forget(stage);
	if (stk_writer_close(stage->writer, false, &unheard) < 0)
		stk_error_clear(&unheard);
	scratch_close(stage->file);
	stage->writer = NULL;
	stage->file = NULL;
}

int
tree_stage_end(struct tree_stage *stage, struct stk_error *err)
{
	struct stk_writer *writer = stage->writer;

	stk_writer_set_level(writer, stage->level);	/* nodes have a low one; every reader begins with the index */
	stage->writer = NULL;
	return stk_writer_close(writer, true, err);
}

/* --- reading back --- */

int
tree_stage_read_back(struct tree_stage *stage, struct stk_error *err)
{
	tree_stage_forget(stage);
	if (stage->writer != NULL && stk_writer_flush(stage->writer, err) < 0)
		return -1;
	return stream_file_open_scratch(&stage->staged, stage->file, NULL, NULL, err);
}

void
tree_stage_forget(struct tree_stage *stage)
{
	stream_file_close(stage->staged);
	stage->staged = NULL;
}

bool
tree_stage_is_empty(const struct tree_stage *stage)
{
	return stream_file_streams(stage->staged) == 0;
}

const struct file_block *
tree_stage_samples(const struct tree_stage *stage, size_t *count)
{
	*count = 0;
	return tree_stage_is_empty(stage) ? NULL : stream_file_blocks(stage->staged, 0, STK_SAMPLE, count);
}

int
tree_stage_replace(struct tree_stage *stage, struct tree_stage *anew, struct stk_error *err)
{
	tree_stage_close(stage);
	*stage = *anew;
	*anew = (struct tree_stage){ 0 };
	return tree_stage_read_back(stage, err);
}

/* --- sorting --- */

/* The samples of the reader's block go into the sort. */
static int
sort_samples(struct sample_sort *sort, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct stk_sample sample;

	for (uint32_t i = 0; i < block->rows; i++) {
		stk_reader_row(reader, i, &sample);
		if (sample_sort_add(sort, &sample, err) < 0)
			return -1;
	}
	return 0;
}

/* A block of the stage goes into the sort, or as it is into the new stage. -1 with *err. */
static int
sort_block(struct tree_stage *stage, struct tree_stage *sorted, const struct file_block *at, struct sample_sort *sort,
	uint64_t *damaged, struct stk_error *err)
{
	struct stk_reader *reader = stream_file_reader(stage->staged);
	struct stk_block block;
	int got = at->bytes == 0 ? 0 : stream_file_go(stage->staged, 0, at, &block, err);

	if (got <= 0)
		return got;
	if (block.kind != STK_SAMPLE)
		return stk_writer_pass(sorted->writer, reader, err);
	if (stk_reader_rows(reader, err) == 0)
		return sort_samples(sort, reader, &block, err);
	*damaged += 1;
	return err->code == STK_EDATA ? 0 : -1;
}

int
tree_stage_sort(struct tree_stage *stage, uint64_t *damaged, struct stk_error *err)
{
	struct tree_stage sorted;
	struct sample_sort *sort;
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(stage->staged, 0, &count);
	int result = tree_stage_open(&sorted, stage, err);

	sample_sort_open(&sort);
	for (size_t b = 0; b < count && result == 0; b++) {
		result = sort_block(stage, &sorted, &blocks[b], sort, damaged, err);
		if (result == 0)
			stk_error_clear(err);
	}
	if (result == 0)
		result = sample_sort_write(sort, sorted.writer, err);
	sample_sort_close(sort);
	if (result < 0) {
		tree_stage_close(&sorted);
		return -1;
	}
	return tree_stage_replace(stage, &sorted, err);
}
