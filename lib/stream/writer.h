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
	bool ids_later;				/* not known yet: writer_note_ids */
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

/* Whether the block at this offset of the stream was passed without its ids, which are still to be given. */
bool writer_waits_for_ids(const struct stk_writer *writer, uint64_t offset);
/* Gives them, as the index says them, before the stream ends. */
void writer_note_ids(struct stk_writer *writer, uint64_t offset, struct stk_text holds);

/* As stk_writer_pass; which ids the block has is left to whoever decodes it later: see pass_note_ids. */
int pass_ids_later(struct stk_writer *writer, struct stk_reader *reader, struct stk_error *err) STK_MUST_CHECK;
/* Says for the index of the writer which ids the reader's block has, if that was left to do. offset: where the writer
 * has the block. */
void pass_note_ids(struct stk_writer *writer, uint64_t offset, struct stk_reader *reader);

#endif
