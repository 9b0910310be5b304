/* SPDX-License-Identifier: MIT
 * selected_blocks: a walk along the blocks of the index, with the reader. */
#include "choose/selected_blocks.h"

#include "base/memory.h"
#include "base/time_range.h"
#include "stream/block_columns.h"
#include "stream/reader.h"
#include "stream/stream_file.h"

#include <stdlib.h>

#define AHEAD_MOST (512u << 10)		/* bytes: a reader reads no more in advance */

struct selected_blocks {
	struct selection *selection;
	uint64_t kinds;
	struct stk_reader *reader;
	struct stream_file *file;
	struct file_walk walk;		/* with the reader */
};

/* The kind that a block has in its stream's schema; NULL when it has none. */
static const struct stk_kind_schema *
kind_of(const struct selected_blocks *b, const struct file_block *at)
{
	return schema_kind(stk_reader_schema(b->reader), at->kind);
}

static bool
is_needed(const struct selected_blocks *b, const struct file_block *at, const struct stk_kind_schema *kind)
{
	if (at->bytes == 0 || at->kind == STK_HEAD || kind == NULL || kind->definition)
		return true;
	if (b->kinds != SELECTED_ALL_KINDS && (at->kind >= 64 || (b->kinds >> at->kind & 1) == 0))
		return selection_wants(b->selection, at->kind);
	return selection_wants(b->selection, at->kind) && selection_may_pass(b->selection, kind, at);
}

/* The bytes of blocks from `at` on, of which `count` are left, that will be needed. What is after definitions is not
 * known before these are read. */
static uint64_t
needed_bytes(const struct selected_blocks *b, const struct file_block *at, size_t count)
{
	const struct stk_kind_schema *kind;
	bool defined = false;
	uint64_t bytes = 0;

	for (; count > 0 && bytes < AHEAD_MOST; at++, count--) {
		kind = kind_of(b, at);
		if (!is_needed(b, at, kind) || (defined && (kind == NULL || !kind->definition)))
			return bytes;
		defined = kind != NULL && kind->definition;
		bytes += at->bytes;
	}
	return AHEAD_MOST;		/* at the end the index, and the next stream */
}

static void
leap(void *context, int64_t offset, struct reader_leap *out)
{
	struct selected_blocks *b = context;
	struct time_range range = TIME_RANGE_NONE;
	size_t left = 0;
	const struct file_block *at = stream_file_walk(b->file, &b->walk, offset, &left);

	*out = (struct reader_leap){ .bytes = 0 };
	for (; at != NULL && left > 0 && !is_needed(b, at, kind_of(b, at)); at++, left--) {
		out->bytes += at->bytes;
		out->blocks++;
		if (at->has_time)
			time_range_join(&range, &(struct time_range){ at->from_ns, at->to_ns });
	}
	if (at != NULL)
		out->wanted = needed_bytes(b, at, left);
	out->from_ns = range.from_ns;
	out->to_ns = range.to_ns;
}

static void
close_blocks(void *context)
{
	struct selected_blocks *b = context;

	stream_file_close(b->file);
	free(b);
}

void
selected_blocks_follow(struct selection *selection, struct stk_reader *reader, uint64_t kinds)
{
	const struct stk_reader_options *input = reader_lend(reader);
	struct stk_error unheard = { 0 };
	struct selected_blocks *b;

	if (input == NULL || !selection_asks_index(selection))
		return;
	b = mem_new(1, sizeof *b);
	b->selection = selection;
	b->kinds = kinds;
	b->reader = reader;
	if (stream_file_open_indexed(&b->file, input, &unheard) == 0 && stream_file_streams(b->file) > 0) {
		reader_leaps(reader, leap, close_blocks, b);
		return;
	}
	reader_leaps(reader, NULL, NULL, NULL);		/* what is wrong is reported when it is read in turn */
	close_blocks(b);
}
