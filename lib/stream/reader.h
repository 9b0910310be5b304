/* SPDX-License-Identifier: MIT
 * reader: what there is besides the public calls: passing the current block on unchanged, and leaping over blocks. */
#ifndef STREAM_READER_H
#define STREAM_READER_H

#include "stkpipe/stream.h"
#include "stream/block.h"

/* The header of the current block; valid until the next one. */
const struct block_header *reader_header(const struct stk_reader *reader);

/* The same, and all its bytes, header and frames; -1 with *err when some are missing. *bytes is
 * NULL for a head that was lost and is only supposed. */
int reader_raw(struct stk_reader *reader, const struct block_header **header, const unsigned char **bytes, size_t *size,
	       struct stk_error *err);

/* A column of the current block, all of which is in memory, as stk_reader_column gives it; false when it cannot be
 * decoded, which is neither reported nor counted. */
bool reader_look_at(struct stk_reader *reader, unsigned column, const uint64_t **values);

/* Whether the times of rows of a kind only say when these begin: they may reach into a window after them. */
bool reader_kind_lasts(unsigned kind);

/* Blocks, one after another, that need not be read, not even their headers. */
struct reader_leap {
	uint64_t bytes, blocks;		/* 0: none */
	uint64_t wanted;		/* bytes after them that will be needed: no more is read in advance */
	int64_t from_ns, to_ns;		/* of those that have times; STK_TIME_UNKNOWN: none has */
};

/* Asked before each block, at its offset. */
typedef void reader_leap_function(void *context, int64_t offset, struct reader_leap *out);
typedef void reader_leap_close_function(void *context);

/* Lends the functions and the size of an input in which one can seek, to read elsewhere in it, until reader_leaps is
 * called; NULL where one cannot, or where there are leaps already. */
const struct stk_reader_options *reader_lend(const struct stk_reader *reader);
/* From now on the function is asked; close(context) is called when the reader closes. next NULL: there are no leaps in
 * this input. */
void reader_leaps(struct stk_reader *reader, reader_leap_function *next, reader_leap_close_function *close,
		  void *context);

/* Asked where the input ends in the middle of a stream: whether somebody is still writing it. If so, that is the end
 * for now, after the last whole block, and no damage. */
typedef bool reader_growing_function(void *context);
void reader_growing(struct stk_reader *reader, reader_growing_function *growing, void *context);

#endif
