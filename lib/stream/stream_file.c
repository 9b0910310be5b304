/* SPDX-License-Identifier: MIT
 * stream_file: finds blocks from the end of a file, or by scanning it, and reads them one by one. */
#include "stream/stream_file.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/host.h"
#include "base/input.h"
#include "base/scratch.h"
#include "stream/block.h"
#include "stream/list_ids.h"
#include "stream/reader.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define COPY_BYTES (256u << 10)
#define HEAD_BYTES 2752			/* heads have about so many: where the end of one is not yet known */
#define PIECE_BYTES (32u << 10)		/* of an index whose larger part is not wanted */

struct stream {
	int64_t start, blocks_end;
	bool whole;
	bool lists_ids;					/* its blocks say which ids they have, where known */
	uint64_t lost;					/* what its writer had lost, by its end record */
	ARRAY(struct file_block) blocks;		/* in the order of the file */
	ARRAY(struct file_block) sorted;		/* by kind */
	size_t first[STK_KIND_MAX + 1];			/* of a kind, in sorted */
};

struct stream_file {
	struct arena texts;			/* of the indexes */
	struct input *input;			/* one of these three */
	const struct scratch *scratch;
	const struct stk_reader_options *lent;
	struct scratch *own;			/* the copy of an input that cannot seek */
	int64_t size, at, limit;		/* where the reader is, and up to where it may read */
	size_t piece;				/* bytes that it may read at a time; 0: any */
	uint64_t bytes_read;
	struct stk_reader *reader;
	stk_damage_function *damage;
	void *damage_context;
	ARRAY(uint64_t) noted;			/* hashes of what was reported, ascending: blocks are read repeatedly */
	bool without_ids;			/* which ids blocks have is not read from indexes */
	bool muted;				/* looking for an index: what is wrong with it is reported by the scan
						 * of the file */
	bool growing;
	ARRAY(struct stream *) streams;
	unsigned head_of;			/* the stream + 1 whose head the reader met last */
	struct stk_block present;
	bool is_present;
};

/* --- bytes --- */

static long
read_source(struct stream_file *file, void *to, size_t size, struct stk_error *err)
{
	long got;

	if (file->lent != NULL)
		return file->lent->seek(file->lent->context, file->at) < 0
			       ? stk_fail(err, STK_ESYSTEM, "cannot seek")
			       : file->lent->read(file->lent->context, to, size, err);
	if (file->input == NULL)
		return scratch_read_at(file->scratch, to, size, file->at, err);
	got = input_read_at(file->input, to, size, file->at);
	return got < 0 ? stk_fail_errno(err, "cannot read") : got;
}

static long
read_bytes(void *context, void *to, size_t size, struct stk_error *err)
{
	struct stream_file *file = context;
	int64_t left = file->limit - file->at;
	long got;

	if (left <= 0)
		return 0;
	if ((int64_t)size > left)
		size = (size_t)left;
	if (file->piece != 0 && size > file->piece)
		size = file->piece;
	got = read_source(file, to, size, err);
	if (got < 0)
		return -1;
	file->at += got;
	file->bytes_read += (uint64_t)got;
	return got;
}

static int
seek_bytes(void *context, int64_t offset)
{
	((struct stream_file *)context)->at = offset;
	return 0;
}

/* Notes an incident. False when it was noted before. */
static bool
is_news(struct stream_file *file, int64_t offset, const char *what)
{
	uint64_t hash = XXH3_64bits_withSeed(what, strlen(what), (uint64_t)offset);
	size_t low = 0, high = file->noted.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->noted.at[middle] < hash)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < file->noted.count && file->noted.at[low] == hash)
		return false;
	(void)array_push(&file->noted);
	memmove(file->noted.at + low + 1, file->noted.at + low, (file->noted.count - low - 1) * sizeof *file->noted.at);
	file->noted.at[low] = hash;
	return true;
}

static void
tell_damage(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	struct stream_file *file = context;

	if (!file->muted && file->damage != NULL && is_news(file, offset, what))
		file->damage(file->damage_context, offset, bytes, what);
}

static int
copy_all(struct stream_file *file, struct stk_error *err)
{
	char *buffer = mem_new(COPY_BYTES, 1);
	long got = 0;
	int result = scratch_open(&file->own, err);

	while (result == 0 && (got = input_read(file->input, buffer, COPY_BYTES, err)) > 0)
		result = scratch_write(file->own, buffer, (size_t)got, err);
	if (got < 0 && (err->code == STK_EDATA || host_stopping())) {	/* what was good is there */
		if (!host_stopping())
			tell_damage(file, input_raw_bytes(file->input), 0, err->text);
		stk_error_clear(err);
		got = 0;
	}
	free(buffer);
	if (result < 0 || got < 0)
		return -1;
	input_close(file->input);
	file->input = NULL;
	file->scratch = file->own;
	file->size = scratch_size(file->own);
	return 0;
}

/* --- finding blocks --- */

static struct stream *
add_stream(struct stream_file *file, int64_t start)
{
	struct stream *stream = mem_new(1, sizeof *stream);

	stream->start = start;
	*array_push(&file->streams) = stream;
	return stream;
}

static void
free_stream(struct stream *stream)
{
	array_release(&stream->blocks);
	array_release(&stream->sorted);
	free(stream);
}

static void
forget_streams(struct stream_file *file)
{
	for (size_t i = 0; i < file->streams.count; i++)
		free_stream(file->streams.at[i]);
	file->streams.count = 0;
}

/* The block of a kind at an offset. 0 when it is not there. */
static int
go_to(struct stream_file *file, int64_t offset, int64_t limit, unsigned kind, struct stk_block *block,
      struct stk_error *err)
{
	int got;

	file->is_present = false;
	if (stk_reader_go(file->reader, offset, err) < 0)
		return -1;
	file->limit = limit;
	got = stk_reader_next(file->reader, block, err);
	return got < 0 ? -1 : got > 0 && block->offset == offset && block->kind == kind;
}

static struct stk_text
kept_text(struct stream_file *file, struct stk_text text)
{
	return text_of(text.size == 0 ? NULL : arena_copy(&file->texts, text.data, text.size), text.size);
}

static struct stk_text
holds_of(struct stream_file *file, const struct stk_text *holds, uint32_t row)
{
	return holds == NULL ? text_of(NULL, 0) : kept_text(file, holds[row]);
}

/* Whether it is the input that failed, and not what is in it that is wrong. */
static bool
is_failure(const struct stk_error *err)
{
	return err->code != STK_EOK && err->code != STK_EDATA;
}

/* Rows of the index to blocks. False when no writer would write them. */
static bool
take_index(struct stream_file *file, struct stream *stream, const struct stk_block *block, struct stk_error *err)
{
	const uint64_t *columns[5];
	const struct stk_text *holds = NULL;
	static const unsigned wanted[5] = { STK_COLUMN(index, kind), STK_COLUMN(index, rows), STK_COLUMN(index, offset),
					    STK_COLUMN(index, time), STK_COLUMN(index, length) };

	for (unsigned c = 0; c < 5; c++)
		if (stk_reader_column(file->reader, wanted[c], &columns[c], err) < 0)
			return false;
	if (!file->without_ids && stk_reader_texts(file->reader, STK_COLUMN(index, holds), &holds, err) < 0)
		return false;
	array_reserve(&stream->blocks, block->rows);
	for (uint32_t i = 0; i < block->rows; i++) {
		struct file_block *last =
			stream->blocks.count == 0 ? NULL : &stream->blocks.at[stream->blocks.count - 1];
		uint64_t offset = columns[2][i];
		int64_t from = (int64_t)columns[3][i], to = (int64_t)(columns[3][i] + columns[4][i]);
		bool has_time = stk_time_is_believed(from) && stk_time_is_believed(to);

		if (columns[0][i] >= STK_KIND_MAX || columns[1][i] > STK_BLOCK_ROWS_MAX ||
		    offset > (uint64_t)(stream->blocks_end - stream->start) ||
		    (last == NULL ? offset != 0 : stream->start + (int64_t)offset <= last->offset) ||
		    (from != STK_TIME_UNKNOWN && to < from))
			return false;
		if (last != NULL)
			last->bytes = (uint64_t)(stream->start + (int64_t)offset - last->offset);
		*array_push(&stream->blocks) = (struct file_block){ .kind = (unsigned)columns[0][i],
								    .rows = (uint32_t)columns[1][i],
								    .offset = stream->start + (int64_t)offset,
								    .has_time = has_time,
								    .from_ns = has_time ? from : 0,
								    .to_ns = has_time ? to : 0,
								    .holds = holds_of(file, holds, i) };
	}
	return true;
}

/* The stream that ends at `end`: by its end record and index. 1, 0 when these are missing or wrong, -1. */
static int
find_by_index(struct stream_file *file, int64_t end, struct stk_error *err)
{
	const uint64_t *bytes, *index, *lost;
	struct stk_block block;
	struct stream *stream;
	int64_t start, at;
	int got;

	if (end < BLOCK_END_BYTES)
		return 0;
	got = go_to(file, end - BLOCK_END_BYTES, end, STK_END, &block, err);
	if (got <= 0 || stk_reader_column(file->reader, STK_COLUMN(end, bytes), &bytes, err) < 0 ||
	    stk_reader_column(file->reader, STK_COLUMN(end, index), &index, err) < 0 ||
	    stk_reader_column(file->reader, STK_COLUMN(end, lost), &lost, err) < 0)
		return got < 0 || is_failure(err) ? -1 : 0;
	if (*bytes > (uint64_t)end || *index >= *bytes)
		return 0;
	start = end - (int64_t)*bytes;
	at = start + (int64_t)*index;
	stream = add_stream(file, start);
	stream->whole = true;
	stream->lists_ids = !file->without_ids;
	stream->lost = *lost;
	stream->blocks_end = at;
	file->piece = HEAD_BYTES;
	got = go_to(file, start, start + STK_BLOCK_HEADER_MAX < at ? start + STK_BLOCK_HEADER_MAX : at, STK_HEAD,
		    &block, err);
	file->piece = file->without_ids ? PIECE_BYTES : 0;
	while (got > 0 && at < end - BLOCK_END_BYTES) {
		got = go_to(file, at, end, STK_INDEX, &block, err);
		if (got > 0 && !take_index(file, stream, &block, err))
			got = is_failure(err) ? -1 : 0;
		at += (int64_t)block.bytes;
	}
	file->piece = 0;
	if (got > 0 && stream->blocks.count > 0)
		stream->blocks.at[stream->blocks.count - 1].bytes =
			(uint64_t)(stream->blocks_end - stream->blocks.at[stream->blocks.count - 1].offset);
	return got > 0 && stream->blocks.count == 0 ? 0 : got;
}

/* All streams, from the last to the first. 1, 0, -1. */
static int
find_all_by_index(struct stream_file *file, struct stk_error *err)
{
	int64_t end = file->size;
	int got = end > 0;

	file->muted = true;
	while (got > 0 && end > 0) {
		got = find_by_index(file, end, err);
		if (got > 0)
			end = file->streams.at[file->streams.count - 1]->start;
	}
	file->muted = false;
	for (size_t a = 0, b = file->streams.count; a + 1 < b; a++) {
		struct stream *other = file->streams.at[--b];

		file->streams.at[b] = file->streams.at[a];
		file->streams.at[a] = other;
	}
	return got;
}

static bool
ask_growing(void *context)
{
	struct stream_file *file = context;

	return file->growing = input_is_being_written(file->input);
}

static int
new_reader(struct stream_file *file, struct stk_error *err)
{
	struct stk_reader_options options = { .read = read_bytes,
					      .seek = seek_bytes,
					      .context = file,
					      .damage = tell_damage,
					      .damage_context = file,
					      .size = file->size };

	if (stk_reader_open(&file->reader, &options, err) < 0)
		return -1;
	if (file->input != NULL)
		reader_growing(file->reader, ask_growing, file);
	reader_leaps(file->reader, NULL, NULL, NULL);		/* who asks for blocks here decides which */
	return 0;
}

/* The stream is over: what its end record said besides those before it. */
static void
note_lost(struct stream_file *file, struct stream *stream, uint64_t *before)
{
	struct stk_reader_state state;

	stk_reader_state(file->reader, &state);
	if (stream != NULL)
		stream->lost = state.writer_lost - *before;
	*before = state.writer_lost;
}

static int
go_over(struct stream_file *file, struct stk_error *err)
{
	struct stk_block block;
	struct stream *stream = NULL;
	uint64_t lost = 0;
	int got;

	file->at = 0;
	file->limit = file->size;
	stk_reader_close(file->reader);
	if (new_reader(file, err) < 0)
		return -1;
	while ((got = stk_reader_next(file->reader, &block, err)) > 0) {
		if (block.kind == STK_HEAD || stream == NULL) {
			note_lost(file, stream, &lost);
			stream = add_stream(file, block.offset);
		}
		*array_push(&stream->blocks) = (struct file_block){ .kind = block.kind,
								    .rows = block.rows,
								    .offset = block.offset,
								    .bytes = block.bytes,
								    .has_time = block.has_time,
								    .from_ns = block.from_ns,
								    .to_ns = block.to_ns };
		stream->blocks_end = block.offset + (int64_t)block.bytes;
	}
	note_lost(file, stream, &lost);
	return got;
}

static void
sort_by_kind(struct stream *stream)
{
	size_t at[STK_KIND_MAX] = { 0 };
	uint64_t rows[STK_KIND_MAX] = { 0 };

	memset(stream->first, 0, sizeof stream->first);
	array_lengthen(&stream->sorted, stream->blocks.count);
	for (size_t i = 0; i < stream->blocks.count; i++)
		stream->first[stream->blocks.at[i].kind + 1]++;
	for (unsigned k = 0; k < STK_KIND_MAX; k++) {
		stream->first[k + 1] += stream->first[k];
		at[k] = stream->first[k];
	}
	for (size_t i = 0; i < stream->blocks.count; i++) {
		struct file_block *block = &stream->blocks.at[i];

		block->first_row = rows[block->kind];
		rows[block->kind] += block->rows;
		stream->sorted.at[at[block->kind]++] = *block;
	}
}

static int
find_blocks(struct stream_file *file, struct stk_error *err)
{
	int got = find_all_by_index(file, err);

	if (file->input != NULL)
		input_let_go_end(file->input);		/* blocks before the end stay as they are */
	if (got == 0) {
		forget_streams(file);
		stk_error_clear(err);		/* what take_index met */
		got = file->lent == NULL ? go_over(file, err) : 0;
	}
	for (size_t i = 0; got >= 0 && i < file->streams.count; i++)
		sort_by_kind(file->streams.at[i]);
	file->head_of = 0;
	return got < 0 ? -1 : 0;
}

/* --- opening --- */

static int
open_reader(struct stream_file *file, struct stk_error *err)
{
	return new_reader(file, err) < 0 ? -1 : find_blocks(file, err);
}

int
stream_file_open_scratch(struct stream_file **out, const struct scratch *scratch, stk_damage_function *damage,
			 void *context, struct stk_error *err)
{
	struct stream_file *file = *out = mem_new(1, sizeof *file);

	file->scratch = scratch;
	file->size = scratch_size(scratch);
	file->damage = damage;
	file->damage_context = context;
	return open_reader(file, err);
}

static int
open_path(struct stream_file *file, const char *path, struct stk_error *err)
{
	static const struct input_limits limits = { .keep_zstd = true };
	char byte;

	if (input_open(&file->input, path, &limits, err) < 0)
		return -1;
	file->size = input_raw_size(file->input);
	if ((file->size < 0 || input_read_at(file->input, &byte, 1, 0) < 0) && copy_all(file, err) < 0)
		return -1;
	if (file->input != NULL)
		file->size = input_hold_end(file->input);
	return open_reader(file, err);
}

int
stream_file_open(struct stream_file **out, const char *path, stk_damage_function *damage, void *context,
		 struct stk_error *err)
{
	struct stream_file *file = *out = mem_new(1, sizeof *file);

	file->damage = damage;
	file->damage_context = context;
	return open_path(file, path, err);
}

int
stream_file_open_without_ids(struct stream_file **out, const char *path, stk_damage_function *damage, void *context,
			     struct stk_error *err)
{
	struct stream_file *file = *out = mem_new(1, sizeof *file);

	file->damage = damage;
	file->damage_context = context;
	file->without_ids = true;
	return open_path(file, path, err);
}

int
stream_file_open_indexed(struct stream_file **out, const struct stk_reader_options *input, struct stk_error *err)
{
	struct stream_file *file = *out = mem_new(1, sizeof *file);

	file->lent = input;
	file->size = input->size;
	return open_reader(file, err);
}

void
stream_file_close(struct stream_file *file)
{
	if (file == NULL)
		return;
	forget_streams(file);
	array_release(&file->streams);
	array_release(&file->noted);
	arena_release(&file->texts);
	stk_reader_close(file->reader);
	input_close(file->input);
	scratch_close(file->own);
	free(file);
}

/* --- asking --- */

unsigned
stream_file_streams(const struct stream_file *file)
{
	return (unsigned)file->streams.count;
}

const struct file_block *
stream_file_blocks(const struct stream_file *file, unsigned stream, unsigned kind, size_t *count)
{
	const struct stream *of = file->streams.at[stream];

	*count = of->first[kind + 1] - of->first[kind];
	return of->sorted.at + of->first[kind];
}

const struct file_block *
stream_file_all_blocks(const struct stream_file *file, unsigned stream, size_t *count)
{
	*count = file->streams.at[stream]->blocks.count;
	return file->streams.at[stream]->blocks.at;
}

const struct file_block *
stream_file_walk(const struct stream_file *file, struct file_walk *walk, int64_t offset, size_t *left)
{
	for (; walk->stream < file->streams.count; walk->stream++, walk->next = 0) {
		const struct stream *of = file->streams.at[walk->stream];

		while (walk->next < of->blocks.count && of->blocks.at[walk->next].offset < offset)
			walk->next++;
		*left = of->blocks.count - walk->next;
		if (*left > 0)
			return of->blocks.at[walk->next].offset == offset ? &of->blocks.at[walk->next] : NULL;
	}
	return NULL;
}

int64_t
stream_file_blocks_end(const struct stream_file *file, unsigned stream)
{
	return file->streams.at[stream]->blocks_end;
}

int64_t
stream_file_start(const struct stream_file *file, unsigned stream)
{
	return file->streams.at[stream]->start;
}

bool
stream_file_is_growing(const struct stream_file *file)
{
	return file->growing;
}

bool
stream_file_is_sound(const struct stream_file *file)
{
	bool sound = file->streams.count > 0 && file->noted.count == 0;

	for (size_t i = 0; i < file->streams.count; i++)
		sound = sound && file->streams.at[i]->whole;
	return sound;
}

bool
stream_file_has_ids(const struct stream_file *file)
{
	return !file->without_ids;
}

void
stream_file_ignore_damage(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	(void)context;
	(void)offset;
	(void)bytes;
	(void)what;
}

void
stream_file_listen(struct stream_file *file, stk_damage_function *damage, void *context)
{
	file->damage = damage;
	file->damage_context = context;
}

bool
stream_file_is_whole(const struct stream_file *file, unsigned stream)
{
	return file->streams.at[stream]->whole;
}

uint64_t
stream_file_lost(const struct stream_file *file, unsigned stream)
{
	return file->streams.at[stream]->lost;
}

void
stream_file_shorten(struct stream_file *file, unsigned stream, size_t blocks)
{
	struct stream *of = file->streams.at[stream];

	if (blocks == 0 || blocks >= of->blocks.count)
		return;
	of->blocks.count = of->sorted.count = blocks;
	of->blocks_end = of->blocks.at[blocks - 1].offset + (int64_t)of->blocks.at[blocks - 1].bytes;
	sort_by_kind(of);
}

/* The schema of a block is that of its stream's head. */
static int
meet_head(struct stream_file *file, unsigned stream, struct stk_error *err)
{
	const struct stream *of = file->streams.at[stream];
	struct stk_block block;

	if (file->head_of == stream + 1)
		return 0;
	file->head_of = stream + 1;
	if (of->blocks.count == 0 || of->blocks.at[0].kind != STK_HEAD || of->blocks.at[0].bytes == 0)
		return 0;		/* lost, and reported: the library's own schema is assumed */
	return go_to(file, of->start, of->start + (int64_t)of->blocks.at[0].bytes, STK_HEAD, &block, err) < 0 ? -1 : 0;
}

int
stream_file_go(struct stream_file *file, unsigned stream, const struct file_block *at, struct stk_block *block,
	       struct stk_error *err)
{
	int got;

	if (file->is_present && file->head_of == stream + 1 && file->present.offset == at->offset) {
		*block = file->present;
		return 1;
	}
	if (at->kind == STK_HEAD)
		file->head_of = stream + 1;
	else if (meet_head(file, stream, err) < 0)
		return -1;
	got = go_to(file, at->offset, at->offset + (int64_t)at->bytes, at->kind, block, err);
	if (got < 0)
		return -1;
	if (got == 0 || block->rows != at->rows) {
		tell_damage(file, at->offset, at->bytes, "no block here, where the index has one");
		return 0;
	}
	file->present = *block;
	file->is_present = true;
	return 1;
}

/* 1: *at is a block that is as it was written; 0: it is damaged; -1. */
static int
list_block_ids(struct stream_file *file, unsigned stream, struct file_block *at, struct stk_error *err)
{
	const struct block_header *header;
	const unsigned char *bytes;
	struct stk_block block;
	id_text holds = { 0 };
	size_t size;
	int got = stream_file_go(file, stream, at, &block, err);

	if (got > 0 && reader_raw(file->reader, &header, &bytes, &size, err) < 0)
		got = -1;
	if (got > 0) {
		list_ids(&holds, file->reader, header);
		at->holds = kept_text(file, text_of((const char *)holds.at, holds.count));
	}
	array_release(&holds);
	return got;
}

int
stream_file_list_ids(struct stream_file *file, unsigned stream, struct stk_error *err)
{
	struct stream *of = file->streams.at[stream];

	if (of->lists_ids)
		return 0;
	of->lists_ids = true;
	for (size_t b = 0; b < of->blocks.count; b++) {
		struct file_block *at = &of->blocks.at[b];

		if (at->kind == STK_HEAD || at->bytes == 0 || list_block_ids(file, stream, at, err) >= 0)
			continue;
		if (err->code != STK_EDATA)
			return -1;
		stk_error_clear(err);
	}
	sort_by_kind(of);
	return 0;
}

struct stk_reader *
stream_file_reader(struct stream_file *file)
{
	return file->reader;
}

uint64_t
stream_file_size(const struct stream_file *file)
{
	return (uint64_t)file->size;
}

uint64_t
stream_file_bytes_read(const struct stream_file *file)
{
	return file->bytes_read;
}
