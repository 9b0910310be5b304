/* SPDX-License-Identifier: MIT
 * writer: what a writer takes besides the public calls: an unchanged block of a reader. */
#ifndef STREAM_WRITER_H
#define STREAM_WRITER_H

#include "stkpipe/stream.h"
#include "stream/block.h"

struct passed_block {
	const struct block_header *header;
	const unsigned char *bytes;	/* header and frames; NULL for a head that was lost and is only supposed */
	size_t size;
	const struct stk_schema *schema;	/* of the stream that it is from */
	struct stk_text holds;			/* for the index; empty: not known */
};

/* Writes the block after what was added so far, which is written out. Everything is borrowed during the call.
 * 0, or -1 with *err: the output failed. */
int writer_pass_block(struct stk_writer *writer, const struct passed_block *block,
		struct stk_error *err) STK_MUST_CHECK;

/* Adds rows from `from` to before `to` of columns, one for each of a kind that has no texts; NULL: all 0. Otherwise as
 * stk_writer_add, after the head and while no block is held. */
int writer_add_columns(struct stk_writer *writer, enum stk_kind kind, const uint64_t *const columns[], uint32_t from,
		uint32_t to, struct stk_error *err) STK_MUST_CHECK;

/* Blocks of a kind have at most so many rows, if these are fewer than the writer's blocks have: for who reads single
 * ones. */
void writer_limit_rows(struct stk_writer *writer, enum stk_kind kind, uint32_t rows);

/* Whether it takes the time to say in its index which ids blocks have. */
bool writer_lists_ids(const struct stk_writer *writer);

#endif
