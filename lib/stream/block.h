/* SPDX-License-Identifier: MIT
 * block: the header of a block, as FORMAT.md section 2 says: to bytes, from bytes with every bound checked, and finding
 * one in bytes. */
#ifndef STREAM_BLOCK_H
#define STREAM_BLOCK_H

#include "base/bytes.h"
#include "stkpipe/stream.h"
#include "stream/column.h"

#include <stdbool.h>

#define BLOCK_MAGIC       0x184D2A53u
#define BLOCK_PREFIX      16		/* magic, size, "stk1", CRC */
#define BLOCK_END_BYTES   64		/* the whole END block */
#define BLOCK_STORED_MAX  (UINT64_C(1) << 27)	/* bytes of all frames of a block */

enum block_encoding { ENCODING_WORD, ENCODING_TEXT, ENCODING_WORDS, ENCODING_TEXTS };

struct block_column {
	unsigned number;
	enum block_encoding encoding;
	uint64_t word;			/* ENCODING_WORD */
	struct stk_text text;		/* ENCODING_TEXT, when it is written */
	size_t text_at, text_size;	/* and when it was read: from the first byte of the block, whose place may
					 * change */
	struct column_coding coding;	/* ENCODING_WORDS */
	uint64_t content_bytes;		/* of WORDS and TEXTS, decompressed */
	uint64_t stored_bytes;		/* of the zstd frame */
	uint32_t stored_check;		/* its last four bytes, which are its checksum: they tie the frame to this
					 * header */
	uint64_t stored_at;		/* from the end of the header */
};

struct block_header {
	unsigned kind;
	uint32_t rows;
	uint32_t first_id;
	bool has_time;
	int64_t from_ns, to_ns;
	unsigned columns;
	struct block_column column[STK_COLUMN_MAX];
	uint64_t stored_bytes;		/* of all frames together */
};

/* Writes the header at `to`, which has STK_BLOCK_HEADER_MAX bytes; its size, padded to at least `least` bytes. 0 when
 * it does not fit (a constant text was too long). */
size_t block_header_write(const struct block_header *header, unsigned char *to, size_t least);

/* Examines bytes that should be a header. Returns the size of the header when it is complete and right; 0 when more
 * bytes are needed; -1 with a reason in *what when it is not a header. */
long block_header_find(const unsigned char *from, size_t size, const char **what);

/* Reads a header that block_header_find has found. -1 with *err when a bound is broken. */
int block_header_read(struct block_header *header, const unsigned char *from, size_t size, struct stk_error *err);

#endif
