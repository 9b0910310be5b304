/* SPDX-License-Identifier: MIT
 * reader: what passing a block on needs of a reader besides the public calls: the current block, unchanged. */
#ifndef STREAM_READER_H
#define STREAM_READER_H

#include "stkpipe/stream.h"
#include "stream/block.h"

/* The header of the current block, and all its bytes, header and frames; -1 with *err when some are missing. *bytes is
 * NULL for a head that was lost and is only supposed. */
int reader_raw(struct stk_reader *reader, const struct block_header **header, const unsigned char **bytes, size_t *size,
	       struct stk_error *err);

#endif
