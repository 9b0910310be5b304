/* SPDX-License-Identifier: MIT
 * stack_lender: the row of a stack is its id less one, where no id was skipped, and the file knows which block has
 * which rows. */
#include "timetree/stack_lender.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define KEPT_MOST (UINT64_C(128) << 20)	/* bytes of blocks that were asked for again */

struct lent_block {
	bool taken;			/* damaged ones too */
	enum { NOT_READ, READ, UNREADABLE } state;
	uint64_t *kept;			/* parents, then frames; NULL: to be read */
};

struct stack_lender {
	struct stream_file *file;
	unsigned stream;
	struct model *model;
	const struct file_block *blocks;
	size_t count;
	struct lent_block *lent;	/* by block */
	uint64_t kept_bytes;
	struct stk_error failure;
};

/* Writers give ids that rise and never twice the same: where the last block has the ids of its rows, all have. */
static int
has_ids_of_rows(struct stack_lender *l, struct stk_error *err)
{
	size_t all;
	const struct file_block *blocks = stream_file_all_blocks(l->file, l->stream, &all);
	const struct file_block *last = l->count == 0 ? NULL : &l->blocks[l->count - 1];
	struct stk_block block;
	int got;

	for (size_t b = 1; b < all; b++)
		if (blocks[b].offset != blocks[b - 1].offset + (int64_t)blocks[b - 1].bytes)
			return 0;		/* some may be missing */
	if (last == NULL)
		return 0;
	got = stream_file_go(l->file, l->stream, last, &block, err);
	return got <= 0 ? got : block.first_id == last->first_row + 1;
}

/* Reads a block: what is wrong with it is noted when it is read first. */
static bool
read_lent(struct stack_lender *l, size_t b, struct stk_block *block, struct lent_rows *rows)
{
	struct stk_reader *reader = stream_file_reader(l->file);
	struct stk_error err = { 0 };
	int got = l->lent[b].state == UNREADABLE ? 0 : stream_file_go(l->file, l->stream, &l->blocks[b], block, &err);

	if (got > 0 && block->first_id != l->blocks[b].first_row + 1)
		got = 0;		/* not from any writer: its stacks stay unknown */
	if (got > 0 && (stk_reader_column(reader, STK_COLUMN(stack, parent), &rows->parents, &err) < 0 ||
			stk_reader_column(reader, STK_COLUMN(stack, frame), &rows->frames, &err) < 0))
		got = err.code == STK_EDATA ? 0 : -1;
	if (got < 0 && l->failure.code == STK_EOK)
		l->failure = err;
	stk_error_clear(&err);		/* damage was reported */
	rows->first = block->first_id;
	rows->rows = block->rows;
	if (got > 0 && l->lent[b].state == NOT_READ)
		model_check_lent(l->model, rows);
	l->lent[b].state = got > 0 ? READ : UNREADABLE;
	return got > 0;
}

static void
take_block(struct stack_lender *l, size_t b)
{
	struct stk_error err = { 0 };
	struct stk_block block;
	struct lent_rows rows;

	if (l->lent[b].taken)
		return;
	l->lent[b].taken = true;
	if (read_lent(l, b, &block, &rows) && model_take(l->model, stream_file_reader(l->file), &block, &err) < 0)
		stk_error_clear(&err);		/* damage was reported */
}

/* The block with a row; count when there is none. */
static size_t
block_of_row(const struct stack_lender *l, uint64_t row)
{
	size_t low = 0, high = l->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->blocks[middle].first_row + l->blocks[middle].rows <= row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
load(void *context, uint64_t stack)
{
	struct stack_lender *l = context;
	size_t b = block_of_row(l, stack - 1);

	if (b < l->count)
		take_block(l, b);
}

/* Whoever asks for one window after the other needs the same blocks again and again. */
static void
keep(struct stack_lender *l, struct lent_block *lent, const struct lent_rows *rows)
{
	size_t size = rows->rows * sizeof *lent->kept;

	if (l->kept_bytes + 2 * size > KEPT_MOST)
		return;
	l->kept_bytes += 2 * size;
	lent->kept = mem_new(2 * (size_t)rows->rows, sizeof *lent->kept);
	memcpy(lent->kept, rows->parents, size);
	memcpy(lent->kept + rows->rows, rows->frames, size);
}

static bool
lend_rows(void *context, uint64_t stack, struct lent_rows *rows)
{
	struct stack_lender *l = context;
	size_t b = block_of_row(l, stack - 1);
	struct lent_block *lent = &l->lent[b];
	struct stk_block block;
	bool again;

	if (b == l->count)
		return false;
	if (lent->kept != NULL) {
		const struct file_block *at = &l->blocks[b];

		*rows = (struct lent_rows){ (uint32_t)at->first_row + 1, at->rows, lent->kept, lent->kept + at->rows };
		return true;
	}
	again = lent->state == READ;
	if (!read_lent(l, b, &block, rows))
		return false;
	if (again)
		keep(l, lent, rows);
	return true;
}

int
stack_lender_open(struct stack_lender **out, struct stream_file *file, unsigned stream, struct model *model,
	struct stk_error *err)
{
	struct stack_lender *l = *out = mem_new(1, sizeof *l);
	int got;

	l->file = file;
	l->stream = stream;
	l->model = model;
	l->blocks = stream_file_blocks(file, stream, STK_STACK, &l->count);
	l->lent = mem_new(l->count + 1, sizeof *l->lent);
	got = has_ids_of_rows(l, err);
	if (got > 0) {
		const struct file_block *last = &l->blocks[l->count - 1];

		model_borrow_stacks(model, &(struct model_lender){ l, load, lend_rows,
								   (uint32_t)(last->first_row + last->rows) });
	}
	return got;
}

void
stack_lender_close(struct stack_lender *l)
{
	if (l == NULL)
		return;
	for (size_t b = 0; b < l->count; b++)
		free(l->lent[b].kept);
	free(l->lent);
	free(l);
}

int
stack_lender_error(const struct stack_lender *l, struct stk_error *err)
{
	if (l->failure.code == STK_EOK)
		return 0;
	return stk_fail(err, l->failure.code, "%s", l->failure.text);
}
