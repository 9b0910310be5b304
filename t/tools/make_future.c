/* SPDX-License-Identifier: MIT
 * make_future: writes a stream as a later version may: `make_future MAJOR MINOR >x.stk`; prints where its
 * INDEX begins. It has kinds that today's schema has not, declared (700, a
 * definition; 701, rows) and undeclared (703), a kind of today with a column more, words in the schema that mean
 * nothing yet, and long padding. Written from the headers up, because the library's writer knows only its own kinds. */
#include "base/bytes.h"
#include "base/memory.h"
#include "stream/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

/* What is added to the schema of today: behind these lines. */
static const struct { const char *behind, *added;
} additions[] = {
	{ "column runtime enum:unknown|jvm|native|script", "|quantum" },
	{ "kind 11 metric row", " sorted by time" },
	{ "column name text\ncolumn value real\n", "column mood text since 1.7\nunit bytes\n" },
	{ "column lost count\n",
	  "kind 700 song definition\ncolumn title text\ncolumn length span\nkind 701 hearing row\ncolumn time time\ncolumn song id:song\n"
	  "column loudness real\nkind 702 never-written row\ncolumn time time\n" }
};

static char *
future_schema(void)
{
	size_t size;
	char *own = stk_schema_text(stk_schema(), &size), *to = mem_new(size + 1000, 1), *from = own, *at;

	for (size_t a = 0; a < sizeof additions / sizeof *additions; a++) {
		size_t length = strlen(additions[a].behind);

		at = memmem(from, size - (size_t)(from - own), additions[a].behind, length);
		if (at == NULL)
			exit(99);
		strncat(to, from, (size_t)(at - from) + length);
		strcat(to, additions[a].added);
		from = at + length;
	}
	strncat(to, from, size - (size_t)(from - own));
	free(own);
	return to;
}

#define BLOCKS_MAX 16

static size_t written;
static unsigned blocks;
static struct { uint64_t kind, rows, offset; } index_rows[BLOCKS_MAX];

/* A column of words, kept simple: eight bytes each, as PLAIN says with L = 8. */
static struct block_column
words(unsigned number)
{
	return (struct block_column){ .number = number,
				      .encoding = ENCODING_WORDS,
				      .coding = { .prediction = STK_PLAIN, .scale = 1, .low = 8 } };
}

static struct block_column
word(unsigned number, uint64_t value)
{
	return (struct block_column){ .number = number, .encoding = ENCODING_WORD, .word = value };
}

static struct block_column
text(unsigned number, const char *value)
{
	return (struct block_column){ .number = number, .encoding = ENCODING_TEXT, .text = text_from(value) };
}

static struct block_column
texts(unsigned number)
{
	return (struct block_column){ .number = number, .encoding = ENCODING_TEXTS };
}

static size_t
plane_bytes(const uint64_t *values, uint32_t rows, unsigned char *to)
{
	for (unsigned byte = 0; byte < 8; byte++)
		for (uint32_t r = 0; r < rows; r++)
			*to++ = (unsigned char)(values[r] >> 8 * byte);
	return (size_t)rows * 8;
}

static size_t
text_bytes(const char *const *values, uint32_t rows, unsigned char *to)
{
	unsigned char *at = to;

	for (uint32_t r = 0; r < rows; r++)
		at = put_varint(at, strlen(values[r]));
	for (uint32_t r = 0; r < rows; r++) {
		memcpy(at, values[r], strlen(values[r]));
		at += strlen(values[r]);
	}
	return (size_t)(at - to);
}

/* Writes a block. values[c] is of column c: uint64_t or const char *, by its encoding. */
static void
put_block(struct block_header *header, const void *const *values, size_t least)
{
	static unsigned char head[STK_BLOCK_HEADER_MAX], content[1 << 16], frames[1 << 18];
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t stored = 0, size;

	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	for (unsigned c = 0; c < header->columns; c++) {
		struct block_column *column = &header->column[c];

		if (column->encoding != ENCODING_WORDS && column->encoding != ENCODING_TEXTS)
			continue;
		column->content_bytes = column->encoding == ENCODING_WORDS
						? plane_bytes(values[c], header->rows, content)
						: text_bytes(values[c], header->rows, content);
		column->stored_bytes =
			ZSTD_compress2(zstd, frames + stored, sizeof frames - stored, content, column->content_bytes);
		column->stored_check = load32(frames + stored + column->stored_bytes - 4);
		if (ZSTD_isError(column->stored_bytes))
			exit(99);
		stored += column->stored_bytes;
	}
	size = block_header_write(header, head, least);
	index_rows[blocks].kind = header->kind, index_rows[blocks].rows = header->rows,
	index_rows[blocks].offset = written;
	blocks++;
	if (fwrite(head, 1, size, stdout) != size || fwrite(frames, 1, stored, stdout) != stored)
		exit(3);
	written += size + stored;
	ZSTD_freeCCtx(zstd);
}

int
main(int argc, char **argv)
{
	uint64_t major = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, minor = argc > 2 ? strtoull(argv[2], NULL, 10) : 7;
	static const char *const strings[] = { "from tomorrow", "jet", "caf\xc3\xa9" };
	static const char *const moods[] = { "calm", "", "wild" };
	static const uint64_t times[] = { UINT64_C(1700000000000000000), UINT64_C(1700000001000000000),
					  UINT64_C(1700000002000000000) };
	static const uint64_t songs[] = { 1, 2, 1 }, lengths[] = { 180000000000, 200000000000 },
			      empty_kinds[] = { 0, 1, 2 };
	uint64_t reals[3], kinds[BLOCKS_MAX], rows[BLOCKS_MAX], offsets[BLOCKS_MAX], index_at;
	struct block_header *header = mem_new(1, sizeof *header);
	char *schema = future_schema();
	unsigned before;

	for (unsigned i = 0; i < 3; i++)
		memcpy(&reals[i], &(double){ i + 0.5 }, sizeof reals[i]);
	*header = (struct block_header){
		.kind = STK_HEAD, .rows = 1, .columns = 3, .column = { word(0, major), word(1, minor), text(2, schema) }
	};
	put_block(header, NULL, 0);
	*header = (struct block_header){
		.kind = STK_STRING, .rows = 3, .first_id = 1, .columns = 1, .column = { texts(0) }
	};
	put_block(header, (const void *[]){ strings }, 0);
	*header = (struct block_header){ .kind = STK_SOURCE,
					 .rows = 1,
					 .first_id = 1,
					 .columns = 3,
					 .column = { word(0, 1), word(5, 4), word(6, 1) } };
	put_block(header, NULL, 300);
	*header = (struct block_header){
		.kind = 700, .rows = 2, .first_id = 1, .columns = 2, .column = { texts(0), words(1) }
	};
	put_block(header, (const void *[]){ strings + 1, lengths }, 0);
	*header = (struct block_header){ .kind = STK_METRIC,
					 .rows = 3,
					 .has_time = true,
					 .from_ns = (int64_t)times[0],
					 .to_ns = (int64_t)times[2],
					 .columns = 5,
					 .column = { words(0), word(1, 1), text(2, "heap.used"), words(3), texts(4) } };
	put_block(header, (const void *[]){ times, NULL, NULL, reals, moods }, 0);
	*header = (struct block_header){ .kind = 701,
					 .rows = 3,
					 .has_time = true,
					 .from_ns = (int64_t)times[0],
					 .to_ns = (int64_t)times[2],
					 .columns = 3,
					 .column = { words(0), words(1), words(2) } };
	put_block(header, (const void *[]){ times, songs, reals }, 0);
	*header = (struct block_header){
		.kind = 703, .rows = 3, .columns = 2, .column = { words(0), text(40, "undeclared") }
	};
	put_block(header, (const void *[]){ empty_kinds, NULL }, 0);

	before = blocks;
	for (unsigned b = 0; b < before; b++)
		kinds[b] = index_rows[b].kind, rows[b] = index_rows[b].rows, offsets[b] = index_rows[b].offset;
	index_at = written;
	*header = (struct block_header){ .kind = STK_INDEX,
					 .rows = before,
					 .columns = 4,
					 .column = { words(0), words(1), words(2),
						     word(3, (uint64_t)STK_TIME_UNKNOWN) } };
	put_block(header, (const void *[]){ kinds, rows, offsets, NULL }, 0);
	*header = (struct block_header){ .kind = STK_END,
					 .rows = 1,
					 .columns = 4,
					 .column = { word(0, blocks), word(1, index_at), word(2, written + 64),
						     word(3, 0) } };
	put_block(header, NULL, 64);
	fprintf(stderr, "%zu\n", (size_t)index_at);
	free(schema);
	free(header);
	return fflush(stdout) == 0 ? 0 : 3;
}
