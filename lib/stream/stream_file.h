/* SPDX-License-Identifier: MIT
 * stream_file: a file of record streams with random access to their blocks. The blocks are known from the index at the
 * end of each stream; where that is missing or wrong, from a scan of all headers. A pipe, or a compressed file, is
 * copied into a temporary file first. */
#ifndef STREAM_STREAM_FILE_H
#define STREAM_STREAM_FILE_H

#include "stkpipe/stream.h"

struct stream_file;
struct scratch;

struct file_block {
	unsigned kind;
	uint32_t rows;
	uint64_t first_row;		/* rows of the kind in blocks before it */
	int64_t offset;			/* in the file */
	uint64_t bytes;
	bool has_time;
	int64_t from_ns, to_ns;		/* the latest time itself, not one after it */
	struct stk_text holds;		/* which ids its rows have, see block_ids.h; empty: not known. The file's */
};

/* path "-" is stdin. Damage is reported to `damage` with the offset in the file. */
int stream_file_open(struct stream_file **out, const char *path, stk_damage_function *damage, void *context,
		     struct stk_error *err) STK_MUST_CHECK;
/* The same, for those who never ask which ids blocks have, which may be most of an index: `holds` stays empty. */
int stream_file_open_without_ids(struct stream_file **out, const char *path, stk_damage_function *damage, void *context,
				 struct stk_error *err) STK_MUST_CHECK;
/* Of what was written so far; the scratch is borrowed. */
int stream_file_open_scratch(struct stream_file **out, const struct scratch *scratch, stk_damage_function *damage,
			     void *context, struct stk_error *err) STK_MUST_CHECK;
/* Of an input in which one can seek, whose functions are borrowed. Blocks are known from indexes only: without them, or
 * with a wrong one, there are no streams. */
int stream_file_open_indexed(struct stream_file **out, const struct stk_reader_options *input,
			     struct stk_error *err) STK_MUST_CHECK;
void stream_file_close(struct stream_file *file);

unsigned stream_file_streams(const struct stream_file *file);
/* The blocks of a kind, in their order; and of all kinds. Index and end are not among them. */
const struct file_block *stream_file_blocks(const struct stream_file *file, unsigned stream, unsigned kind,
					    size_t *count);
const struct file_block *stream_file_all_blocks(const struct stream_file *file, unsigned stream, size_t *count);

/* The block at an offset, which grows from call to call of a walk, zeroed before the first; *left: how many blocks of
 * its stream begin there. NULL when none does. */
struct file_walk { unsigned stream; size_t next; };
const struct file_block *stream_file_walk(const struct stream_file *file, struct file_walk *walk, int64_t offset,
					  size_t *left);

/* The offset after the last block of a stream, where its index is or would be. */
int64_t stream_file_blocks_end(const struct stream_file *file, unsigned stream);
int64_t stream_file_start(const struct stream_file *file, unsigned stream);
bool stream_file_is_whole(const struct stream_file *file, unsigned stream);
/* Whether there are streams, all of which have their index, and no damage was met so far. */
bool stream_file_is_sound(const struct stream_file *file);
/* Whether it was opened with the ids of its blocks. */
bool stream_file_has_ids(const struct stream_file *file);
/* A stk_damage_function for those who look into a file that is read again, and reported on, later. */
void stream_file_ignore_damage(void *context, int64_t offset, uint64_t bytes, const char *what);
/* From now on damage is reported to another one; what was reported so far is not reported again. */
void stream_file_listen(struct stream_file *file, stk_damage_function *damage, void *context);
/* Whether the last stream has no end because its writer is still at it. */
bool stream_file_is_growing(const struct stream_file *file);
/* Reads which ids the blocks of a stream have, where no index that was read says so; a damaged block stays without. -1
 * with *err. */
int stream_file_list_ids(struct stream_file *file, unsigned stream, struct stk_error *err) STK_MUST_CHECK;
/* What the writer of a stream had lost, as its end record says. */
uint64_t stream_file_lost(const struct stream_file *file, unsigned stream);
/* Forgets the blocks of a stream from a number on, as if it ended there. Not 0. */
void stream_file_shorten(struct stream_file *file, unsigned stream, size_t blocks);

/* Moves to a block of a stream. 1: *block describes it, and stream_file_reader gives its columns; 0: it is damaged,
 * which was reported; -1. Cheap when it is the current one. */
int stream_file_go(struct stream_file *file, unsigned stream, const struct file_block *at, struct stk_block *block,
		   struct stk_error *err) STK_MUST_CHECK;
struct stk_reader *stream_file_reader(struct stream_file *file);

uint64_t stream_file_size(const struct stream_file *file);
uint64_t stream_file_bytes_read(const struct stream_file *file);

#endif
