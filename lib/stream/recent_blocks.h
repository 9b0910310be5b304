/* SPDX-License-Identifier: MIT
 * recent_blocks: the last minutes of a stream in memory, as its blocks: definitions, all of them, and of rows those
 * that are young enough. They can be written as a stream at any time. */
#ifndef STREAM_RECENT_BLOCKS_H
#define STREAM_RECENT_BLOCKS_H

#include "stkpipe/stream.h"

struct recent_blocks;

/* most_bytes: of rows, compressed; the oldest are dropped beyond that. Definitions come to it. */
void recent_blocks_open(struct recent_blocks **out, int64_t span_ns, uint64_t most_bytes);
void recent_blocks_close(struct recent_blocks *blocks);

/* Keeps the reader's present block. -1: STK_EDATA, the block is damaged, and not kept; STK_ESYSTEM: nothing can be kept
 * any more. */
int recent_blocks_take(struct recent_blocks *blocks, struct stk_reader *reader, const struct stk_block *block,
		       struct stk_error *err) STK_MUST_CHECK;

struct recent_rows { uint64_t dumps, samples; int64_t from_ns, to_ns; };

/* Writes them to a writer, which the caller closes. */
int recent_blocks_write(const struct recent_blocks *blocks, struct stk_writer *writer, struct recent_rows *rows,
			struct stk_error *err) STK_MUST_CHECK;

#endif
