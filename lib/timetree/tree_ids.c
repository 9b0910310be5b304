/* SPDX-License-Identifier: MIT
 * tree_ids: definitions go into a model; ids that are taken are known by their end. */
#include "timetree/tree_ids.h"

#define ID_SKIP_MOST (1u << 31)		/* a writer never comes to an id from here on */

int
tree_ids_open(struct tree_ids *ids)
{
	*ids = (struct tree_ids){ 0 };
	for (unsigned k = 0; k < STK_KIND_COUNT; k++)
		ids->next[k] = 1;
	return model_open(&ids->model);
}

void
tree_ids_close(struct tree_ids *ids)
{
	model_close(ids->model);
	ids->model = NULL;
}

/* The ids of a block of definitions are taken, whether or not it can be read. */
static void
note_ids(struct tree_ids *ids, const struct file_block *at, const struct stk_block *block)
{
	uint32_t *next = &ids->next[at->kind];
	uint64_t end = (block != NULL ? block->first_id : *next) + (uint64_t)at->rows;

	if (end > *next)
		*next = end < UINT32_MAX ? (uint32_t)end : UINT32_MAX;
}

/* 1: the model has what a block defines; 0: the block is damaged; -1. */
static int
learn_block(struct tree_ids *ids, struct stream_file *file, const struct file_block *at, struct stk_error *err)
{
	struct stk_block block;
	int got = stream_file_go(file, 0, at, &block, err);

	note_ids(ids, at, got > 0 ? &block : NULL);
	if (got > 0 && model_take(ids->model, stream_file_reader(file), &block, err) < 0)
		got = err->code == STK_EDATA ? 0 : -1;
	if (got >= 0)
		stk_error_clear(err);
	return got;
}

int
tree_ids_learn(struct tree_ids *ids, struct stream_file *file, size_t from, uint64_t *damaged, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(file, 0, &count);

	for (size_t b = from; b < count; b++) {
		int got;

		if (blocks[b].kind == STK_HEAD || blocks[b].kind >= STK_KIND_COUNT ||
			!stk_schema()->kind[blocks[b].kind].definition)
			continue;
		got = learn_block(ids, file, &blocks[b], err);
		if (got < 0)
			return -1;
		*damaged += got == 0;
	}
	return 0;
}

int
tree_ids_learn_more(struct tree_ids *ids, struct stream_file *file, uint64_t *damaged, struct stk_error *err)
{
	if (tree_ids_learn(ids, file, ids->known, damaged, err) < 0)
		return -1;
	(void)stream_file_all_blocks(file, 0, &ids->known);
	return 0;
}

/* Ids in a column that nothing defines. */
static void
skip_ids(struct tree_ids *ids, enum stk_kind kind, const uint64_t *column, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i++)
		if (column[i] >= ids->next[kind] && column[i] < ID_SKIP_MOST)
			ids->next[kind] = (uint32_t)column[i] + 1;
}

static int
skip_column(
	struct tree_ids *ids, struct stream_file *file, const struct file_block *at, unsigned c, struct stk_error *err)
{
	const struct stk_column_schema *column = &stk_schema()->kind[at->kind].column[c];
	struct stk_block block;
	const uint64_t *values;
	int got = column->type != STK_TYPE_ID ? 0 : stream_file_go(file, 0, at, &block, err);

	if (got > 0 && stk_reader_column(stream_file_reader(file), c, &values, err) == 0)
		skip_ids(ids, (enum stk_kind)column->refers, values, block.rows);
	if (got < 0 || (err->code != STK_EOK && err->code != STK_EDATA))
		return -1;
	stk_error_clear(err);		/* damage is counted where the block is used */
	return 0;
}

int
tree_ids_skip_lost(struct tree_ids *ids, struct stream_file *file, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_all_blocks(file, 0, &count);

	for (size_t b = 0; b < count; b++) {
		const struct stk_kind_schema *kind =
			blocks[b].kind < STK_KIND_COUNT ? &stk_schema()->kind[blocks[b].kind] : NULL;

		if (kind == NULL || kind->name == NULL || blocks[b].bytes == 0)
			continue;
		for (unsigned c = 0; c < kind->columns; c++)
			if (skip_column(ids, file, &blocks[b], c, err) < 0)
				return -1;
	}
	return 0;
}
