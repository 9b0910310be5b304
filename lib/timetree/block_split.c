/* SPDX-License-Identifier: MIT
 * block_split: rows of one block into several. */
#include "timetree/block_split.h"

#include "stream/writer.h"

#define STACKS_MOST   1024	/* fewer: more bytes, and a longer index; more: more is decoded than is asked for */
#define SAMPLES_PART 48		/* of all samples so far: what a window at its edges decodes is little of them */
#define SAMPLES_LEAST 3072

void
block_split_prepare(struct stk_writer *writer)
{
	writer_limit_rows(writer, STK_STACK, STACKS_MOST);
}

/* How many rows a block of a kind should have; 0: any. */
static uint64_t
rows_most(const struct stk_block *block, uint64_t samples)
{
	if (block->kind == STK_STACK)
		return STACKS_MOST;
	if (block->kind != STK_SAMPLE || !block->has_time)
		return 0;
	return samples / SAMPLES_PART > SAMPLES_LEAST ? samples / SAMPLES_PART : SAMPLES_LEAST;
}

/* Whether the rows have columns that this version has not. */
static bool
has_more_columns(const struct stk_block *block)
{
	return block->schema == NULL || block->schema->columns > stk_schema()->kind[block->kind].columns;
}

/* Rows keep their ids. Blocks of definitions begin at multiples of their size, wherever those of the input do: so their
 * rows are next to each other where they are kept by id. */
static int
keep_ids(struct stk_writer *writer, const struct stk_block *block, struct stk_error *err)
{
	if (block->first_id == 0 || stk_writer_next_id(writer, (enum stk_kind)block->kind) == block->first_id)
		return 0;
	if (stk_writer_flush(writer, err) < 0)
		return -1;
	stk_writer_skip_ids(writer, (enum stk_kind)block->kind, block->first_id);
	return 0;
}

/* The columns of the reader's block; NULL where all is 0. */
static int
load_columns(struct stk_reader *reader, const struct stk_kind_schema *kind, const uint64_t *columns[STK_COLUMN_MAX],
	struct stk_error *err)
{
	for (unsigned c = 0; c < kind->columns; c++) {
		uint64_t word;

		columns[c] = NULL;
		if (stk_reader_is_constant(reader, c, &word) && word == 0)
			continue;
		if (stk_reader_column(reader, c, &columns[c], err) < 0)
			return -1;
	}
	return 0;
}

/* The row after `from` at which the next block begins. */
static uint32_t
next_cut(const struct stk_block *block, uint32_t from, uint64_t most)
{
	uint64_t at = block->first_id != 0 ? (uint64_t)block->first_id - 1 + from : from;
	uint64_t cut = from + most - at % most;

	return cut < block->rows ? (uint32_t)cut : block->rows;
}

int
block_split(struct stk_writer *writer, struct stk_reader *reader, const struct stk_block *block, uint64_t samples,
	bool ids_later, struct stk_error *err)
{
	enum stk_kind kind = (enum stk_kind)block->kind;
	const uint64_t *columns[STK_COLUMN_MAX];
	uint64_t most = rows_most(block, samples);
	uint32_t to;

	if (most == 0 || block->rows <= most || has_more_columns(block) ||
		(block->first_id != 0 && block->first_id < stk_writer_next_id(writer, kind)))
		return ids_later && kind == STK_SAMPLE ? pass_ids_later(writer, reader, err)
						       : stk_writer_pass(writer, reader, err);
	if (load_columns(reader, &stk_schema()->kind[kind], columns, err) < 0 || keep_ids(writer, block, err) < 0)
		return -1;
	if (next_cut(block, 0, most) == most && stk_writer_cut(writer, kind, err) < 0)
		return -1;
	for (uint32_t from = 0; from < block->rows; from = to) {
		to = next_cut(block, from, most);
		if (writer_add_columns(writer, kind, columns, from, to, err) < 0 ||
			stk_writer_cut(writer, kind, err) < 0)
			return -1;
	}
	return 0;
}
