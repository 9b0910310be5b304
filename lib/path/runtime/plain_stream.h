/* SPDX-License-Identifier: MIT
 * plain_stream: writes a record stream (lib/stream/FORMAT.md) from within another program, also from a signal handler:
 * its memory comes from the kernel, its frames are compressed quickly rather than well, and nothing but system calls is
 * called. */
#ifndef PATH_RUNTIME_PLAIN_STREAM_H
#define PATH_RUNTIME_PLAIN_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAIN_COLUMNS_MOST 9

struct plain_bytes { unsigned char *at; size_t count, room; bool failed; };	/* failed: out of memory */

struct plain_column { bool is_text; struct plain_bytes words, bytes; };		/* words: values, or sizes of texts */

/* The rows of one kind that are not written yet. */
struct plain_block {
	unsigned kind, columns, time_column;	/* time_column: plain_none */
	uint32_t rows, first_id;		/* first_id: 0 unless the kind defines ids */
	uint64_t text_bytes;
	struct plain_column column[PLAIN_COLUMNS_MOST];
};

struct plain_stream {
	int fd;
	uint64_t offset;			/* from its head */
	struct plain_block index;
	uint64_t blocks;
	bool failed;				/* writing failed: errno of it is kept */
	int error;
};

enum { plain_none = 99 };

/* Schema: the text of a HEAD. */
void plain_stream_begin(struct plain_stream *stream, int fd, const char *schema);
void plain_stream_end(struct plain_stream *stream);

/* Adds a value to a row: columns in turn. */
void plain_word(struct plain_block *block, uint64_t value);
void plain_text(struct plain_block *block, const char *text, size_t size);
/* The row is complete; the block is written when it is large. */
void plain_row(struct plain_stream *stream, struct plain_block *block);
void plain_flush(struct plain_stream *stream, struct plain_block *block);
void plain_forget(struct plain_block *block);	/* its rows are not written */
void plain_release(struct plain_block *block);

void plain_put(struct plain_bytes *to, const void *from, size_t size);

#endif
