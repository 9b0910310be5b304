/* SPDX-License-Identifier: MIT
 * recent_blocks: each block is passed to a writer, whose bytes for it are kept apart, so that one can be dropped and
 * the rest be read as a stream. Dumps are definitions, but go with their samples: one without would seem to be empty.
 */
#include "stream/recent_blocks.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

struct piece {				/* a block */
	char *bytes;
	size_t size;
	unsigned stream;
	bool lasts;			/* is needed as long as its stream has rows */
	int64_t from_ns, to_ns;
	uint64_t dumps, samples;
};

struct recent_blocks {
	ARRAY(struct piece) pieces;
	ARRAY(char) bytes;		/* of the present block */
	struct stk_writer *writer;	/* of the present stream */
	unsigned stream;
	int64_t span_ns, latest_ns;
	uint64_t most_bytes, row_bytes;
};

static int
keep_bytes_of_block(void *context, const void *from, size_t size, struct stk_error *err)
{
	struct recent_blocks *blocks = context;

	(void)err;
	array_reserve(&blocks->bytes, size);
	memcpy(blocks->bytes.at + blocks->bytes.count, from, size);
	blocks->bytes.count += size;
	return 0;
}

void
recent_blocks_open(struct recent_blocks **out, int64_t span_ns, uint64_t most_bytes)
{
	struct recent_blocks *blocks = *out = mem_new(1, sizeof *blocks);

	blocks->span_ns = span_ns;
	blocks->most_bytes = most_bytes;
	blocks->latest_ns = STK_TIME_UNKNOWN;
}

static void
end_writer(struct recent_blocks *blocks)
{
	struct stk_error unused = { 0 };

	if (blocks->writer != NULL && stk_writer_close(blocks->writer, false, &unused) < 0)
		stk_error_clear(&unused);
	blocks->writer = NULL;
	blocks->bytes.count = 0;
}

void
recent_blocks_close(struct recent_blocks *blocks)
{
	if (blocks == NULL)
		return;
	end_writer(blocks);
	for (size_t i = 0; i < blocks->pieces.count; i++)
		free(blocks->pieces.at[i].bytes);
	array_release(&blocks->pieces);
	array_release(&blocks->bytes);
	free(blocks);
}

/* --- dropping --- */

static bool
is_old(const struct recent_blocks *blocks, const struct piece *piece)
{
	return blocks->latest_ns != STK_TIME_UNKNOWN && blocks->latest_ns - piece->to_ns > blocks->span_ns;
}

/* Row blocks that are too old, or the oldest where there are too many. */
static void
drop_rows(struct recent_blocks *blocks)
{
	size_t left = 0;

	for (size_t i = 0; i < blocks->pieces.count; i++) {
		struct piece *piece = &blocks->pieces.at[i];

		if (piece->lasts || (!is_old(blocks, piece) && blocks->row_bytes <= blocks->most_bytes)) {
			blocks->pieces.at[left++] = *piece;
			continue;
		}
		blocks->row_bytes -= piece->size;
		free(piece->bytes);
	}
	blocks->pieces.count = left;
}

/* Of streams that have ended, and of which no rows are left. */
static void
drop_definitions(struct recent_blocks *blocks)
{
	size_t left = 0;

	for (size_t i = 0; i < blocks->pieces.count;) {
		unsigned stream = blocks->pieces.at[i].stream;
		bool wanted = stream == blocks->stream;
		size_t end = i;

		for (; end < blocks->pieces.count && blocks->pieces.at[end].stream == stream; end++)
			wanted |= !blocks->pieces.at[end].lasts;
		for (; i < end; i++)
			if (wanted)
				blocks->pieces.at[left++] = blocks->pieces.at[i];
			else
				free(blocks->pieces.at[i].bytes);
	}
	blocks->pieces.count = left;
}

/* --- taking --- */

static bool
block_lasts(const struct stk_block *block)
{
	if (block->kind == STK_DUMP)
		return false;
	return block->kind == STK_HEAD || block->schema == NULL || block->schema->definition || !block->has_time;
}

static int
begin_pieces(struct recent_blocks *blocks, struct stk_error *err)
{
	struct stk_writer_options to = { .write = keep_bytes_of_block, .context = blocks, .level = STK_LEVEL_PIPE };

	end_writer(blocks);
	blocks->stream++;
	drop_definitions(blocks);
	return stk_writer_open(&blocks->writer, &to, err);
}

int
recent_blocks_take(struct recent_blocks *blocks, struct stk_reader *reader, const struct stk_block *block,
		   struct stk_error *err)
{
	struct piece piece = { .lasts = block_lasts(block), .from_ns = block->from_ns, .to_ns = block->to_ns };

	if (block->kind == STK_HEAD && begin_pieces(blocks, err) < 0)
		return -1;
	if (blocks->writer == NULL)	/* the head was lost, which is reported by the reader */
		return 0;
	blocks->bytes.count = 0;
	if (stk_writer_pass(blocks->writer, reader, err) < 0)
		return -1;
	piece.dumps = block->kind == STK_DUMP ? block->rows : 0;
	piece.samples = block->kind == STK_SAMPLE ? block->rows : 0;
	piece.stream = blocks->stream;
	piece.size = blocks->bytes.count;
	piece.bytes = blocks->bytes.at;
	memset(&blocks->bytes, 0, sizeof blocks->bytes);
	if (!piece.lasts && !block->has_time)
		piece.lasts = true;
	*array_push(&blocks->pieces) = piece;
	if (piece.lasts)
		return 0;
	blocks->row_bytes += piece.size;
	if (blocks->latest_ns == STK_TIME_UNKNOWN || block->to_ns > blocks->latest_ns)
		blocks->latest_ns = block->to_ns;
	drop_rows(blocks);
	return 0;
}

/* --- writing --- */

struct walk { const struct recent_blocks *blocks; size_t piece, at; };

static long
read_piece(void *context, void *to, size_t size, struct stk_error *err)
{
	struct walk *walk = context;
	const struct piece *piece;
	size_t left;

	(void)err;
	while (walk->piece < walk->blocks->pieces.count &&
	       walk->at == walk->blocks->pieces.at[walk->piece].size) {
		walk->piece++;
		walk->at = 0;
	}
	if (walk->piece == walk->blocks->pieces.count)
		return 0;
	piece = &walk->blocks->pieces.at[walk->piece];
	left = piece->size - walk->at;
	size = size < left ? size : left;
	memcpy(to, piece->bytes + walk->at, size);
	walk->at += size;
	return (long)size;
}

static void
count_pieces(const struct recent_blocks *blocks, struct recent_rows *rows)
{
	*rows = (struct recent_rows){ .from_ns = STK_TIME_UNKNOWN, .to_ns = STK_TIME_UNKNOWN };
	for (size_t i = 0; i < blocks->pieces.count; i++) {
		const struct piece *piece = &blocks->pieces.at[i];

		rows->dumps += piece->dumps;
		rows->samples += piece->samples;
		if (piece->lasts)
			continue;
		if (rows->from_ns == STK_TIME_UNKNOWN || piece->from_ns < rows->from_ns)
			rows->from_ns = piece->from_ns;
		if (rows->to_ns == STK_TIME_UNKNOWN || piece->to_ns > rows->to_ns)
			rows->to_ns = piece->to_ns;
	}
}

int
recent_blocks_write(const struct recent_blocks *blocks, struct stk_writer *writer, struct recent_rows *rows,
		    struct stk_error *err)
{
	struct walk walk = { .blocks = blocks };
	struct stk_reader_options from = { .read = read_piece, .context = &walk };
	struct stk_reader *reader;
	struct stk_block block;
	int got;

	count_pieces(blocks, rows);
	if (stk_reader_open(&reader, &from, err) < 0)
		return -1;
	while ((got = stk_reader_next(reader, &block, err)) > 0)
		if (stk_writer_pass(writer, reader, err) < 0)
			break;
	stk_reader_close(reader);
	return got == 0 ? 0 : -1;
}
