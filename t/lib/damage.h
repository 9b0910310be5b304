/* SPDX-License-Identifier: MIT
 * damage.h: small streams in memory, and what comes out of them when they were damaged, compared with what went in.
 *
 *	original_make(&original, seed, 3)	a stream of some kinds in several blocks, and every row of it, read back
 *	reading_take(&reading, &original, bytes, size, step)	reads bytes (step at a time) and compares; see struct
 * reading
 *
 * Of a block that comes out, every row must be the row of the original at its id or place, and what its ids stand for
 * must be what they stood for there, or nothing. */
#ifndef T_LIB_DAMAGE_H
#define T_LIB_DAMAGE_H

#include "base/bytes.h"
#include "base/memory.h"
#include "stkpipe/stream.h"

#include <stdio.h>
#include <stdlib.h>

#define BLOCKS_MAX 200
#define IDS_MAX    32			/* of a kind, of a stream */

struct some_bytes { unsigned char *at; size_t size, room, read, step; };

struct seen_block { unsigned kind, stream; uint32_t rows, first_id; size_t from, to; uint64_t digest; };

/* digests of definitions by kind and id; 0 is not defined */
typedef uint64_t definition_table[STK_DUMP + 1][IDS_MAX];

struct original {
	struct some_bytes bytes;
	struct seen_block blocks[BLOCKS_MAX];	/* what a reader gives, in order, heads left out */
	unsigned count;
	definition_table defined[4];		/* by stream */
	size_t ends[4];				/* of the streams */
	unsigned streams;
};

struct reading {
	unsigned blocks[BLOCKS_MAX];		/* places in the original, in the order they came */
	unsigned count;
	unsigned foreign;			/* blocks that the original does not have */
	unsigned misled;			/* ids that stood for something else than in the original */
	unsigned steps;				/* calls of stk_reader_next */
	bool failed;				/* the reader could not go on */
	bool exaggerated;			/* bytes were told as lost that are not there */
	size_t size;				/* of what is read */
	struct stk_reader_state state;
};

static uint64_t damage_seed = 88172645463325252;

static inline __attribute__((unused)) uint64_t
damage_chance(uint64_t below)
{
	damage_seed ^= damage_seed << 13;
	damage_seed ^= damage_seed >> 7;
	damage_seed ^= damage_seed << 17;
	return damage_seed % below;
}

static inline __attribute__((unused)) void
bytes_add(struct some_bytes *to, const void *from, size_t size)
{
	if (to->size + size > to->room) {
		to->room = (to->size + size) * 2;
		to->at = mem_resize(to->at, to->room, 1);
	}
	if (size > 0)
		memcpy(to->at + to->size, from, size);
	to->size += size;
}

static inline int
bytes_write(void *context, const void *from, size_t size, struct stk_error *err)
{
	(void)err;
	bytes_add(context, from, size);
	return 0;
}

static inline long
bytes_read(void *context, void *to, size_t size, struct stk_error *err)
{
	struct some_bytes *from = context;
	size_t give = from->size - from->read;

	(void)err;
	give = give < size ? give : size;
	give = from->step == 0 || give < from->step ? give : from->step;
	if (give > 0)
		memcpy(to, from->at + from->read, give);
	from->read += give;
	return (long)give;
}

static inline int
bytes_seek(void *context, int64_t offset)
{
	struct some_bytes *from = context;

	from->read = (size_t)offset < from->size ? (size_t)offset : from->size;
	return 0;
}

/* --- making --- */

static inline void
write_rows(struct stk_writer *writer, unsigned seed)
{
	static const unsigned kinds[] = { STK_STRING, STK_FRAME,  STK_STACK,  STK_SOURCE, STK_THREAD,
					  STK_SAMPLE, STK_EVENT,  STK_METRIC, STK_STRING, STK_FRAME,
					  STK_STACK,  STK_SAMPLE, STK_NOTE };
	struct stk_error err = { 0 };
	char text[100];

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		const struct stk_kind_schema *kind = &stk_schema()->kind[kinds[k]];

		for (uint32_t r = 0; r < 12; r++) {
			uint64_t row[64] = { 0 };

			for (unsigned c = 0; c < kind->columns; c++) {
				const struct stk_column_schema *column = &kind->column[c];
				uint64_t word =
					column->type == STK_TYPE_ID
						? damage_chance(stk_writer_next_id(writer, column->refers))
					: column->type == STK_TYPE_TIME
						? UINT64_C(1700000000000000000) + seed * 1000000000 + r * 1000000
					: column->type == STK_TYPE_ENUM ? damage_chance(2)
					: c % 3 == 0                    ? seed
					: c % 3 == 1                    ? r * 100 + damage_chance(9)
					: damage_chance(40) == 0        ? damage_chance(UINT64_MAX)
									: 5;
				struct stk_text value =
					text_of(text, (size_t)snprintf(text, sizeof text, "%s-%u-%u-%u", kind->name,
								       seed, (unsigned)k, r));

				if (column->type == STK_TYPE_TEXT)
					memcpy((char *)row + column->offset, &value, sizeof value);
				else
					memcpy((char *)row + column->offset, &word, sizeof word);
			}
			if (stk_writer_add(writer, kinds[k], row, &err) < 0)
				abort();
		}
		if (kinds[k] == STK_SAMPLE && stk_writer_flush(writer, &err) < 0)
			abort();
	}
}

/* A schema of few kinds makes a short head: bits of it are flipped too. */
static inline struct stk_schema *
short_schema(void)
{
	static const unsigned kinds[] = { STK_STRING,  STK_FRAME, STK_STACK,  STK_SOURCE, STK_THREAD, STK_LOCKS,
					  STK_OBJECTS, STK_DUMP,  STK_SAMPLE, STK_EVENT,  STK_METRIC, STK_NOTE };
	size_t size;
	char *whole = stk_schema_text(stk_schema(), &size), *text = mem_new(size + 1, 1), *to = text;
	struct stk_schema *schema;
	struct stk_error err = { 0 };
	bool taken = false;

	for (char *line = whole, *end; line < whole + size; line = end) {
		end = (char *)memchr(line, '\n', size - (size_t)(line - whole)) + 1;
		if (strncmp(line, "kind ", 5) == 0) {
			unsigned number = (unsigned)strtoul(line + 5, NULL, 10);

			taken = false;
			for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
				taken |= kinds[k] == number;
		}
		if (taken) {
			memcpy(to, line, (size_t)(end - line));
			to += end - line;
		}
	}
	if (stk_schema_parse(&schema, text_of(text, (size_t)(to - text)), &err) < 0)
		abort();
	free(whole);
	free(text);
	return schema;
}

static inline void
stream_make(struct some_bytes *to, unsigned seed)
{
	struct stk_writer_options options = { .write = bytes_write, .context = to, .level = 5 };
	struct stk_schema *schema = short_schema();
	struct stk_writer *writer;
	struct stk_error err = { 0 };

	if (stk_writer_open(&writer, &options, &err) < 0 || stk_writer_head(writer, schema, &err) < 0)
		abort();
	write_rows(writer, seed);
	if (stk_writer_close(writer, true, &err) < 0)
		abort();
	stk_schema_free(schema);
}

/* --- reading --- */

static inline uint64_t
mix(uint64_t hash, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const unsigned char *)from)[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static inline uint64_t
row_digest(const struct stk_kind_schema *kind, const uint64_t *row)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) + kind->number;

	for (unsigned c = 0; c < kind->columns; c++) {
		struct stk_text text;

		if (kind->column[c].type == STK_TYPE_TEXT) {
			memcpy(&text, (const char *)row + kind->column[c].offset, sizeof text);
			hash = mix(mix(hash, &text.size, sizeof text.size), text.data, text.size);
		} else {
			uint64_t word;

			memcpy(&word, (const char *)row + kind->column[c].offset, sizeof word);
			hash = (hash ^ word ^ hash >> 29) * UINT64_C(0x9e3779b97f4a7c15);
		}
	}
	return hash | 1;
}

/* Ids of a row that stand for something else than they should; what is not defined is no lie. */
static inline unsigned
ids_misled(const struct stk_kind_schema *kind, const uint64_t *row, const definition_table *now,
	   const definition_table *then)
{
	unsigned bad = 0;

	for (unsigned c = 0; c < kind->columns; c++) {
		uint64_t id, found;

		if (kind->column[c].type != STK_TYPE_ID)
			continue;
		memcpy(&id, (const char *)row + kind->column[c].offset, sizeof id);
		found = id < IDS_MAX ? (*now)[kind->column[c].refers][id] : 0;
		bad += found != 0 && found != (*then)[kind->column[c].refers][id];
	}
	return bad;
}

static inline void
note_damage(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	struct reading *reading = context;

	reading->exaggerated |= offset < 0 || (uint64_t)offset + bytes > reading->size || *what == '\0';
}

/* Digest of the present block; with `then` also whether its ids mislead, and what it defines. */
static inline uint64_t
block_digest(struct stk_reader *reader, const struct stk_block *block, definition_table *now,
	     const definition_table *then, unsigned *misled)
{
	const struct stk_kind_schema *kind = &stk_schema()->kind[block->kind];
	uint64_t digest = block->kind * UINT64_C(1000003) + block->first_id;

	for (uint32_t r = 0; r < block->rows; r++) {
		uint64_t row[64], one;

		stk_reader_row(reader, r, row);
		one = row_digest(kind, row);
		digest = digest * UINT64_C(0x9e3779b97f4a7c15) + one;
		if (then != NULL)
			*misled += ids_misled(kind, row, (const definition_table *)now, then);
		if (now != NULL && kind->definition && block->first_id + r < IDS_MAX)
			(*now)[block->kind][block->first_id + r] = one;
	}
	return digest;
}

static inline unsigned
original_find(const struct original *original, const struct stk_block *block, uint64_t digest)
{
	unsigned at = 0;

	while (at < original->count &&
	       (original->blocks[at].digest != digest || original->blocks[at].rows != block->rows ||
		original->blocks[at].kind != block->kind))
		at++;
	return at;
}

static inline void
reading_take(struct reading *reading, const struct original *original, const unsigned char *at, size_t size,
	     size_t step)
{
	static definition_table now;
	struct some_bytes bytes = { .at = (unsigned char *)(uintptr_t)at, .size = size, .step = step };
	struct stk_reader_options options = { .read = bytes_read,
					      .seek = step == 0 ? bytes_seek : NULL,
					      .context = &bytes,
					      .size = (int64_t)size,
					      .damage = note_damage,
					      .damage_context = reading };
	struct stk_reader *reader;
	struct stk_block block;
	struct stk_error err = { 0 };
	int got = 0;

	memset(reading, 0, sizeof *reading);
	reading->size = size;
	memset(now, 0, sizeof now);
	if (stk_reader_open(&reader, &options, &err) < 0)
		abort();
	while (reading->steps++ < 10000 && (got = stk_reader_next(reader, &block, &err)) > 0) {
		struct stk_error why = { 0 };
		uint64_t digest;
		unsigned place;

		if (block.kind == STK_HEAD) {
			memset(now, 0, sizeof now);
			continue;
		}
		if (block.kind >= STK_KIND_COUNT || stk_reader_rows(reader, &why) < 0)
			continue;
		digest = block_digest(reader, &block, NULL, NULL, NULL);
		place = original_find(original, &block, digest);
		if (place == original->count || reading->count == BLOCKS_MAX) {
			reading->foreign++;
			continue;
		}
		(void)block_digest(reader, &block, &now, &original->defined[original->blocks[place].stream],
				   &reading->misled);
		reading->blocks[reading->count++] = place;
	}
	reading->failed = got < 0 || reading->steps >= 10000;
	stk_reader_state(reader, &reading->state);
	stk_reader_close(reader);
}

/* Reads the whole stream that was made, so that there is something to compare with. */
static inline void
original_read(struct original *original)
{
	struct some_bytes bytes = original->bytes;
	struct stk_reader_options options = { .read = bytes_read, .context = &bytes };
	struct stk_reader *reader;
	struct stk_block block;
	struct stk_error err = { 0 };

	bytes.read = bytes.step = 0;
	original->count = original->streams = 0;
	memset(original->defined, 0, sizeof original->defined);
	if (stk_reader_open(&reader, &options, &err) < 0)
		abort();
	while (stk_reader_next(reader, &block, &err) > 0) {
		struct seen_block *seen = &original->blocks[original->count];

		if (block.kind == STK_HEAD) {
			original->streams++;
			continue;
		}
		if (stk_reader_rows(reader, &err) < 0 || original->count == BLOCKS_MAX)
			abort();
		*seen = (struct seen_block){ block.kind,
					     original->streams - 1,
					     block.rows,
					     block.first_id,
					     (size_t)block.offset,
					     (size_t)block.offset + block.bytes,
					     0 };
		seen->digest = block_digest(reader, &block, &original->defined[seen->stream], NULL, NULL);
		original->count++;
	}
	stk_reader_close(reader);
	if (err.code != STK_EOK)
		abort();
}

/* `streams` streams one after another, each with its own rows. */
static inline void
original_make(struct original *original, unsigned streams)
{
	memset(original, 0, sizeof *original);
	for (unsigned s = 0; s < streams; s++) {
		stream_make(&original->bytes, 11 + s);
		original->ends[s] = original->bytes.size;
	}
	original_read(original);
}

static inline bool
reading_is_whole(const struct reading *reading, const struct original *original)
{
	bool same = reading->count == original->count;

	for (unsigned i = 0; i < reading->count; i++)
		same = same && reading->blocks[i] == i;
	return same && reading->state.damages == 0 && reading->state.streams == original->streams &&
	       reading->state.ended == original->streams;
}

/* Blocks came in their order, none twice. */
static inline __attribute__((unused)) bool
reading_is_in_order(const struct reading *reading)
{
	for (unsigned i = 1; i < reading->count; i++)
		if (reading->blocks[i] <= reading->blocks[i - 1])
			return false;
	return true;
}

#endif
