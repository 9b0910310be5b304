/* SPDX-License-Identifier: MIT
 * reader: what passing a block on needs of a reader beside the public calls: the present block as it came. */
#ifndef STREAM_READER_H
#define STREAM_READER_H

#include "stkpipe/stream.h"
#include "stream/block.h"

/* The header of the present block, and all its bytes, header and frames; -1 with *err when they are not all there.
 * *bytes is NULL for a head that was lost and is only supposed. */
int reader_raw(struct stk_reader *reader, const struct block_header **header, const unsigned char **bytes, size_t *size,
	       struct stk_error *err);

#endif
