/* SPDX-License-Identifier: MIT
 * lies.h: streams whose framing is legal and whose checksums are right, but whose rows say what cannot be. A lie is a
 * number, and so is what it is told of: the same numbers make the same bytes.
 *
 *	lie_file_open(&file, base, numbers)	a copy of a good stream, or for base NULL rows of kinds that the numbers
 * choose
 *	lie_tell(&file, number)			one lie more
 *	lie_file_bytes(&file, &bytes)		as a stream
 *
 * What a kind consists of comes from the schema table: a kind that is added there is lied about too. */
#ifndef T_LIB_LIES_H
#define T_LIB_LIES_H

#include "base/arena.h"
#include "base/array.h"
#include "base/bytes.h"
#include "damage.h"
#include "stkpipe/stream.h"
#include "stream/block.h"

#include <math.h>
#include <zstd.h>

#define LIE_ROWS_FEW  64		/* rows that a lie adds, mostly */
#define LIE_ROWS_MANY 20000		/* and now and then */
#define LIE_TIME      INT64_C(1772323200000000000)	/* what times lie near to: that of the good streams */

struct lie_column {
	bool there;
	uint64_t *words;		/* one of these two has a value a row */
	struct stk_text *texts;
};

/* A block, decoded. That of kind END stands for INDEX and END, which are made anew. */
struct lie_block {
	unsigned kind;
	uint32_t rows, first_id;
	unsigned columns;
	struct lie_column column[STK_COLUMN_MAX];
	bool range_lies;		/* the header says another range of times than the rows */
	int64_t from_ns, to_ns;
	uint64_t end_lies;		/* of kind END: what is wrong with index and end; 0: nothing */
	struct stk_text bytes;		/* as it came, while nothing of it was changed */
};

struct lie_file {
	struct arena *arena;		/* of blocks and their values */
	ARRAY(struct lie_block) blocks;
};

/* --- numbers by chance --- */

static inline uint64_t
lie_chance(uint64_t *numbers, uint64_t below)
{
	uint64_t z = *numbers += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return below == 0 ? z ^ z >> 31 : (z ^ z >> 31) % below;
}

static inline bool
lie_one_in(uint64_t *numbers, uint64_t many)
{
	return lie_chance(numbers, many) == 0;
}

/* --- what a value can be --- */

static inline uint64_t
lie_count(uint64_t *numbers)
{
	static const uint64_t edges[] = { 0,
					  1,
					  2,
					  3,
					  255,
					  256,
					  65535,
					  65536,
					  262144,
					  1000000,
					  INT32_MAX,
					  UINT64_C(1) << 31,
					  UINT32_MAX - 1,
					  UINT32_MAX,
					  UINT64_C(1) << 32,
					  (UINT64_C(1) << 32) + 1,
					  UINT64_C(1) << 33,
					  UINT64_C(1) << 40,
					  UINT64_C(1) << 53,
					  INT64_MAX - 1,
					  INT64_MAX,
					  UINT64_C(1) << 63,
					  (UINT64_C(1) << 63) + 1,
					  UINT64_MAX - 1,
					  UINT64_MAX };

	switch (lie_chance(numbers, 4)) {
	case 0:
		return lie_chance(numbers, 40);
	case 1:
		return lie_chance(numbers, 0) >> lie_chance(numbers, 64);
	default:
		return edges[lie_chance(numbers, sizeof edges / sizeof *edges)];
	}
}

static inline uint64_t
lie_time(uint64_t *numbers)
{
	static const int64_t edges[] = { INT64_MIN,
					 INT64_MIN + 1,
					 INT64_MAX,
					 INT64_MAX - 1,
					 0,
					 -1,
					 1,
					 INT64_C(-62135596800000000),
					 INT64_C(4102444800000000000),
					 LIE_TIME,
					 LIE_TIME - INT64_C(86400000000000),
					 INT64_MAX - LIE_TIME,
					 INT64_MIN + LIE_TIME,
					 INT64_C(1000000000) };

	switch (lie_chance(numbers, 4)) {
	case 0:
		return (uint64_t)LIE_TIME + lie_chance(numbers, UINT64_C(4) * 86400 * 1000000000);
	case 1:
		return lie_count(numbers) * (lie_one_in(numbers, 2) ? 1 : UINT64_C(1000000000));
	default:
		return (uint64_t)edges[lie_chance(numbers, sizeof edges / sizeof *edges)];
	}
}

static inline uint64_t
lie_real(uint64_t *numbers)
{
	static const double edges[] = { 0,
					-0.0,
					1,
					-1,
					0.5,
					100,
					1e15,
					9007199254740992.0,
					9223372036854775808.0,
					18446744073709551616.0,
					-9223372036854775809.0,
					1e300,
					1e308,
					-1e308,
					1.7976931348623157e308,
					5e-324,
					1e-300,
					INFINITY,
					-INFINITY,
					NAN };
	double real = edges[lie_chance(numbers, sizeof edges / sizeof *edges)];
	uint64_t word;

	if (lie_one_in(numbers, 8))
		return lie_chance(numbers, 0);		/* any bits */
	memcpy(&word, &real, sizeof word);
	return word;
}

/* Names, numbers and separators that some filter takes apart, and bytes that none should take for text. */
static inline struct stk_text
lie_text(struct arena *arena, uint64_t *numbers)
{
	static const char *const pieces[] = { "java.lang.Thread.run",
					      "a",
					      "main",
					      "heap.used",
					      "\xc3\xa9t\xc3\xa9",
					      "\xff\xfe",
					      "\"\\\n\t\x01",
					      "\xe2\x82",
					      "/lib/x.so",
					      "; ",
					      ";",
					      "\xf0\x9f\x98\x80",
					      "0",
					      " ",
					      "1 2 3",
					      "18446744073709551616",
					      "4294967296",
					      "-1",
					      "\x1b[31m",
					      "\xc2\x9b",
					      "\xe2\x80\xae",
					      "@14",
					      "->",
					      "entry@1 if.then@2",
					      "runnable=3 waiting=1",
					      "source=web pool=p-*",
					      "time",
					      "calendar",
					      "Europe/Berlin",
					      "GMT+99",
					      "weekday",
					      "scheme: x\ngroups:\n  - name: A\n    members: [a*]\n",
					      "[[[[[[[[[[",
					      "{a: &b [*b]}",
					      "nan",
					      "1e999",
					      "%s%n",
					      "../../x",
					      "kind 9 sample row\ncolumn time text\n",
					      "stkpath",
					      "epp",
					      "trie",
					      "#12g456",
					      "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80" };
	size_t count = lie_chance(numbers, 4), repeat = lie_one_in(numbers, 30) ? 1 + lie_chance(numbers, 3000) : 1,
	       size = 0;
	char room[400], *to;

	while (count-- > 0) {
		const char *piece = pieces[lie_chance(numbers, sizeof pieces / sizeof *pieces)];

		memcpy(room + size, piece, strlen(piece));
		size += strlen(piece);
	}
	if (lie_one_in(numbers, 20))
		room[size++] = '\0';
	to = arena_alloc(arena, size * repeat + 1);
	for (size_t r = 0; r < repeat; r++)
		memcpy(to + r * size, room, size);
	return text_of(to, size * repeat);
}

static inline unsigned
lie_names(const struct stk_column_schema *column)
{
	unsigned names = 0;

	while (column->names[names] != NULL)
		names++;
	return names;
}

/* A word of a column that no writer would have written, or hardly. */
static inline uint64_t
lie_word(const struct stk_column_schema *column, uint64_t own_id, uint64_t *numbers)
{
	switch (column == NULL ? STK_TYPE_COUNT : column->type) {
	case STK_TYPE_ENUM:
		return lie_one_in(numbers, 3) ? lie_count(numbers) : lie_chance(numbers, lie_names(column) + 2);
	case STK_TYPE_ID:
		return lie_one_in(numbers, 2) ? own_id + lie_chance(numbers, 4) - 1 : lie_count(numbers);
	case STK_TYPE_REAL:
		return lie_real(numbers);
	case STK_TYPE_TIME:
	case STK_TYPE_SPAN:
		return lie_time(numbers);
	default:
		return lie_count(numbers);
	}
}

/* And one that could be true. */
static inline uint64_t
lie_likely_word(const struct stk_column_schema *column, uint32_t row, uint64_t *numbers)
{
	uint64_t word;

	switch (column == NULL ? STK_TYPE_COUNT : column->type) {
	case STK_TYPE_ENUM:
		return lie_chance(numbers, lie_names(column));
	case STK_TYPE_ID:
		return lie_chance(numbers, 9);
	case STK_TYPE_TIME:
		return (uint64_t)LIE_TIME + row * UINT64_C(1000000000);
	case STK_TYPE_REAL:
		memcpy(&word, &(double){ (double)lie_chance(numbers, 1000) / 8 }, sizeof word);
		return word;
	default:
		return lie_one_in(numbers, 2) ? row + 1 : lie_chance(numbers, 9);
	}
}

/* --- blocks --- */

static inline const struct stk_kind_schema *
lie_schema(unsigned kind)
{
	return kind < STK_KIND_COUNT && stk_schema()->kind[kind].name != NULL ? &stk_schema()->kind[kind] : NULL;
}

static inline const struct stk_column_schema *
lie_column_schema(unsigned kind, unsigned column)
{
	const struct stk_kind_schema *schema = lie_schema(kind);

	return schema != NULL && column < schema->columns ? &schema->column[column] : NULL;
}

static inline bool
lie_is_text(unsigned kind, unsigned column)
{
	const struct stk_column_schema *schema = lie_column_schema(kind, column);

	return schema != NULL && schema->type == STK_TYPE_TEXT;
}

/* The block with values of its own, `rows` of them: rows beyond those that it had repeat them. */
static inline void
lie_block_own(struct lie_file *file, struct lie_block *block, uint32_t rows)
{
	for (unsigned c = 0; c < block->columns; c++) {
		struct lie_column *column = &block->column[c], old = *column;

		if (!column->there)
			continue;
		if (old.texts != NULL)
			column->texts = arena_alloc(file->arena, rows * sizeof *old.texts);
		else
			column->words = arena_alloc(file->arena, rows * sizeof *old.words);
		for (uint32_t r = 0; r < rows; r++) {
			if (old.texts != NULL)
				column->texts[r] = old.texts[r % block->rows];
			else
				column->words[r] = old.words[r % block->rows];
		}
	}
	block->rows = rows;
	block->bytes = text_of(NULL, 0);
}

static inline void
lie_column_make(struct lie_file *file, struct lie_block *block, unsigned c, bool text)
{
	struct lie_column *column = &block->column[c];

	*column = (struct lie_column){ .there = true };
	if (text) {
		column->texts = arena_alloc(file->arena, block->rows * sizeof *column->texts);
		for (uint32_t r = 0; r < block->rows; r++)
			column->texts[r] = text_of("", 0);
	} else {
		column->words = arena_alloc(file->arena, block->rows * sizeof *column->words);
		memset(column->words, 0, block->rows * sizeof *column->words);
	}
	block->columns = block->columns > c ? block->columns : c + 1;
}

/* A value that lies; or now and then one of another row, which is right where it stands. */
static inline void
lie_cell(struct lie_file *file, struct lie_block *block, unsigned c, uint32_t row, uint64_t *numbers)
{
	struct lie_column *column = &block->column[c];
	uint32_t other = (uint32_t)lie_chance(numbers, block->rows);

	if (column->texts != NULL && lie_one_in(numbers, 4))
		column->texts[row].size = lie_chance(numbers, column->texts[row].size + 1);
	else if (column->texts != NULL)
		column->texts[row] = lie_one_in(numbers, 4) ? column->texts[other] : lie_text(file->arena, numbers);
	else if (lie_one_in(numbers, 6))
		column->words[row] = column->words[other];
	else
		column->words[row] =
			lie_word(lie_column_schema(block->kind, c), (uint64_t)block->first_id + row, numbers);
}

/* Rows of a kind: likely values. */
static inline struct lie_block
lie_block_make(struct lie_file *file, unsigned kind, uint32_t rows, uint32_t first_id, uint64_t *numbers)
{
	const struct stk_kind_schema *schema = lie_schema(kind);
	struct lie_block block = { .kind = kind,
				   .rows = rows,
				   .first_id = schema == NULL || schema->definition ? first_id : 0 };
	unsigned columns = schema == NULL ? (unsigned)lie_chance(numbers, 5) : schema->columns;

	for (unsigned c = 0; c < columns; c++) {
		lie_column_make(file, &block, c, lie_is_text(kind, c));
		for (uint32_t r = 0; r < rows; r++) {
			if (block.column[c].texts != NULL)
				block.column[c].texts[r] = lie_text(file->arena, numbers);
			else
				block.column[c].words[r] = lie_likely_word(lie_column_schema(kind, c), r, numbers);
		}
	}
	return block;
}

static inline struct lie_block
lie_head(struct lie_file *file, struct stk_text schema)
{
	uint64_t numbers = 0;
	struct lie_block block = lie_block_make(file, STK_HEAD, 1, 0, &numbers);

	block.column[STK_COLUMN(head, major)].words[0] = STK_FORMAT_MAJOR;
	block.column[STK_COLUMN(head, minor)].words[0] = STK_FORMAT_MINOR;
	block.column[STK_COLUMN(head, schema)].texts[0] = schema;
	return block;
}

static inline struct stk_text
lie_own_schema(struct arena *arena)
{
	size_t size;
	char *text = stk_schema_text(stk_schema(), &size), *copy = arena_copy(arena, text, size);

	free(text);
	return text_of(copy, size);
}

static inline void
lie_insert(struct lie_file *file, size_t at, struct lie_block block)
{
	(void)array_push(&file->blocks);
	memmove(file->blocks.at + at + 1, file->blocks.at + at, (file->blocks.count - 1 - at) * sizeof block);
	file->blocks.at[at] = block;
}

static inline struct lie_block
lie_take_out(struct lie_file *file, size_t at)
{
	struct lie_block block = file->blocks.at[at];

	memmove(file->blocks.at + at, file->blocks.at + at + 1, (--file->blocks.count - at) * sizeof block);
	return block;
}

/* --- files --- */

/* Reads a good stream; its blocks stay in the arena. */
static inline void
lie_file_read(struct lie_file *file, struct some_bytes bytes)
{
	struct stk_reader_options options = { .read = bytes_read, .context = &bytes };
	struct stk_reader *reader;
	struct stk_block block;
	struct stk_error err = { 0 };

	if (stk_reader_open(&reader, &options, &err) < 0)
		abort();
	while (stk_reader_next(reader, &block, &err) > 0) {
		struct lie_block *to;

		if (block.kind == STK_HEAD && file->blocks.count > 0)
			*array_push(&file->blocks) = (struct lie_block){ .kind = STK_END, .rows = 1 };
		to = array_push(&file->blocks);
		*to = (struct lie_block){ .kind = block.kind, .rows = block.rows, .first_id = block.first_id,
			.bytes = text_of(arena_copy(file->arena, bytes.at + block.offset, block.bytes), block.bytes) };
		for (unsigned c = 0; block.schema != NULL && c < block.schema->columns; c++) {
			const uint64_t *words;
			const struct stk_text *texts;
			bool text = block.schema->column[c].type == STK_TYPE_TEXT;

			if ((text ? stk_reader_texts(reader, c, &texts, &err)
				  : stk_reader_column(reader, c, &words, &err)) < 0)
				abort();
			lie_column_make(file, to, c, text);
			for (uint32_t r = 0; r < block.rows; r++) {
				if (text)
					to->column[c].texts[r] = text_of(
						arena_copy(file->arena, texts[r].data, texts[r].size), texts[r].size);
				else
					to->column[c].words[r] = words[r];
			}
		}
	}
	*array_push(&file->blocks) = (struct lie_block){ .kind = STK_END, .rows = 1 };
	stk_reader_close(reader);
}

/* Definitions of every kind, and rows of some: so that ids lead somewhere, whatever the rows are. */
static inline void
lie_file_make(struct lie_file *file, uint64_t *numbers)
{
	*array_push(&file->blocks) = lie_head(file, lie_own_schema(file->arena));
	for (unsigned kind = STK_STRING; kind <= STK_DUMP; kind++)
		*array_push(&file->blocks) =
			lie_block_make(file, kind, 1 + (uint32_t)lie_chance(numbers, 9), 1, numbers);
	for (uint64_t more = 1 + lie_chance(numbers, 8); more > 0; more--)
		*array_push(&file->blocks) = lie_block_make(
			file, lie_one_in(numbers, 2) ? STK_SAMPLE : (unsigned)lie_chance(numbers, STK_KIND_COUNT + 2),
			1 + (uint32_t)lie_chance(numbers, 40), 1, numbers);
	*array_push(&file->blocks) = (struct lie_block){ .kind = STK_END, .rows = 1 };
}

static inline void
lie_file_open(struct lie_file *file, const struct lie_file *base, uint64_t *numbers)
{
	if (base == NULL)
		lie_file_make(file, numbers);
	else
		for (size_t b = 0; b < base->blocks.count; b++)
			*array_push(&file->blocks) = base->blocks.at[b];
}

/* --- lies --- */

/* A block with rows of its own, by chance; those with many rows as likely as others. */
static inline struct lie_block *
lie_some_block(struct lie_file *file, uint64_t *numbers)
{
	for (int tries = 0; tries < 20; tries++) {
		struct lie_block *block = &file->blocks.at[lie_chance(numbers, file->blocks.count)];

		if (block->kind != STK_END && block->kind != STK_HEAD && block->columns > 0)
			return block;
	}
	return NULL;
}

/* One value, some, or all of a column. */
static inline void
lie_in_column(struct lie_file *file, uint64_t *numbers)
{
	struct lie_block *block = lie_some_block(file, numbers);
	unsigned c;
	uint64_t how = lie_chance(numbers, 8);

	if (block == NULL)
		return;
	c = (unsigned)lie_chance(numbers, block->columns);
	lie_block_own(file, block, block->rows);
	if (!block->column[c].there)
		lie_column_make(file, block, c, lie_is_text(block->kind, c));
	if (how == 0) {			/* all the same */
		lie_cell(file, block, c, 0, numbers);
		for (uint32_t r = 1; r < block->rows; r++) {
			if (block->column[c].texts != NULL)
				block->column[c].texts[r] = block->column[c].texts[0];
			else
				block->column[c].words[r] = block->column[c].words[0];
		}
	} else if (how == 1) {		/* growing by far */
		uint64_t step = lie_count(numbers);

		for (uint32_t r = 0; block->column[c].words != NULL && r < block->rows; r++)
			block->column[c].words[r] += r * step;
	} else if (how == 2) {
		for (uint32_t r = 0; r < block->rows; r++)
			lie_cell(file, block, c, r, numbers);
	} else {
		for (uint64_t cells = 1 + lie_chance(numbers, 3); cells > 0; cells--)
			lie_cell(file, block, c, (uint32_t)lie_chance(numbers, block->rows), numbers);
	}
}

/* Missing columns, and columns that nobody knows. */
static inline void
lie_about_columns(struct lie_file *file, uint64_t *numbers)
{
	struct lie_block *block = lie_some_block(file, numbers);
	unsigned c;

	if (block == NULL)
		return;
	c = (unsigned)lie_chance(numbers, block->columns);
	lie_block_own(file, block, block->rows);
	if (!lie_one_in(numbers, 4))
		block->column[c].there = false;
	else if (block->columns < STK_COLUMN_MAX)
		lie_column_make(file, block,
				block->columns + (unsigned)lie_chance(numbers, STK_COLUMN_MAX - block->columns),
				lie_one_in(numbers, 2));
}

/* Rows: too many, too few, in another order, all one; of another kind. */
static inline void
lie_about_rows(struct lie_file *file, uint64_t *numbers)
{
	struct lie_block *block = lie_some_block(file, numbers);
	uint64_t how = lie_chance(numbers, 5);
	uint32_t a, b;

	if (block == NULL)
		return;
	if (how == 0)
		lie_block_own(file, block, 1 + (uint32_t)lie_chance(numbers, block->rows));
	else if (how == 1)
		lie_block_own(file, block,
			      block->rows + (uint32_t)lie_chance(numbers, lie_one_in(numbers, 40) ? LIE_ROWS_MANY
												  : LIE_ROWS_FEW));
	else
		lie_block_own(file, block, block->rows);
	a = (uint32_t)lie_chance(numbers, block->rows), b = (uint32_t)lie_chance(numbers, block->rows);
	for (unsigned c = 0; how >= 2 && c < block->columns; c++) {
		struct lie_column *column = &block->column[c];

		if (column->there && column->texts != NULL)
			column->texts[a] = column->texts[b];
		else if (column->there)
			column->words[a] = column->words[b];
	}
	if (how == 4) {			/* its columns become another's: texts must stay texts, or the block is
					 * damaged */
		block->kind = (unsigned)lie_chance(numbers, lie_one_in(numbers, 8) ? STK_KIND_MAX : STK_INDEX);
		for (unsigned c = 0; c < block->columns; c++)
			if (block->column[c].there && (block->column[c].texts != NULL) != lie_is_text(block->kind, c))
				block->column[c].there = false;
	}
}

/* Ids and the order of definitions: first ids anywhere, blocks twice, gone, or after their use. */
static inline void
lie_about_order(struct lie_file *file, uint64_t *numbers)
{
	static const uint32_t first[] = {
		0, 1, 2, 5, 1000, 65536, 1u << 24, 1u << 31, UINT32_MAX - 300, UINT32_MAX - 2, UINT32_MAX - 1
	};
	struct lie_block *block = lie_some_block(file, numbers);
	size_t at = block == NULL ? 0 : (size_t)(block - file->blocks.at);

	if (block == NULL)
		return;
	switch (lie_chance(numbers, 5)) {
	case 0:
		lie_insert(file, 1 + lie_chance(numbers, file->blocks.count), *block);
		break;
	case 1:
		(void)lie_take_out(file, at);
		break;
	case 2: {
		struct lie_block moved = lie_take_out(file, at);

		lie_insert(file, lie_chance(numbers, file->blocks.count + 1), moved);
		break;
	}
	default:
		lie_block_own(file, block, block->rows);
		block->first_id = lie_one_in(numbers, 3)
					  ? block->first_id + (uint32_t)lie_chance(numbers, 2 * block->rows)
					  : first[lie_chance(numbers, sizeof first / sizeof *first)];
	}
}

/* Frames upon frames, locks upon locks: every row upon the one before, or in a ring. */
static inline void
lie_about_parents(struct lie_file *file, uint64_t *numbers)
{
	for (size_t b = lie_chance(numbers, file->blocks.count), left = file->blocks.count; left > 0;
	     left--, b = (b + 1) % file->blocks.count) {
		struct lie_block *block = &file->blocks.at[b];
		uint64_t how = lie_chance(numbers, 4);

		if ((block->kind != STK_STACK && block->kind != STK_LOCKS && block->kind != STK_OBJECTS) ||
		    !block->column[0].there)
			continue;
		lie_block_own(file, block, lie_one_in(numbers, 30) ? LIE_ROWS_MANY : block->rows);
		for (uint32_t r = 0; r < block->rows; r++) {
			uint64_t own = (uint64_t)block->first_id + r;

			block->column[0].words[r] = how == 0   ? own
						    : how == 1 ? own - 1
						    : how == 2 ? (r + 1 < block->rows ? own + 1 : block->first_id)
							       : block->first_id + lie_chance(numbers, block->rows);
		}
		return;
	}
}

static inline void
lie_add_block(struct lie_file *file, uint64_t *numbers)
{
	unsigned kind = lie_one_in(numbers, 10) ? (unsigned)lie_chance(numbers, STK_KIND_MAX)
						: 1 + (unsigned)lie_chance(numbers, STK_KIND_COUNT - 1);
	uint32_t rows = 1 + (uint32_t)lie_chance(numbers, LIE_ROWS_FEW);
	struct lie_block block = lie_block_make(file, kind, rows, 1 + (uint32_t)lie_chance(numbers, 40), numbers);

	for (uint64_t lies = lie_chance(numbers, 6); lies > 0 && block.columns > 0; lies--)
		lie_cell(file, &block, (unsigned)lie_chance(numbers, block.columns),
			 (uint32_t)lie_chance(numbers, rows), numbers);
	lie_insert(file, 1 + lie_chance(numbers, file->blocks.count), block);
}

/* The header's range of times, by which blocks are left out without being read. */
static inline void
lie_about_range(struct lie_file *file, uint64_t *numbers)
{
	struct lie_block *block = lie_some_block(file, numbers);

	if (block == NULL)
		return;
	lie_block_own(file, block, block->rows);
	block->range_lies = true;
	block->from_ns = (int64_t)lie_time(numbers);
	block->to_ns = (int64_t)lie_time(numbers);
	if (block->to_ns < block->from_ns && !lie_one_in(numbers, 10)) {
		int64_t from_ns = block->to_ns;

		block->to_ns = block->from_ns;
		block->from_ns = from_ns;
	}
}

/* Heads and ends: too many, none, and what they say. */
static inline void
lie_about_streams(struct lie_file *file, uint64_t *numbers)
{
	size_t at = lie_chance(numbers, file->blocks.count);

	switch (lie_chance(numbers, 6)) {
	case 0:
		lie_insert(file, at, lie_head(file, lie_own_schema(file->arena)));
		break;
	case 1:
		lie_insert(file, at,
			   (struct lie_block){ .kind = STK_END,
					       .rows = 1,
					       .end_lies = lie_chance(numbers, 2) * lie_chance(numbers, 0) });
		break;
	case 2:
		while (at < file->blocks.count && file->blocks.at[at].kind != STK_END &&
		       file->blocks.at[at].kind != STK_HEAD)
			at++;
		if (at < file->blocks.count)
			(void)lie_take_out(file, at);
		break;
	default:
		while (at < file->blocks.count && file->blocks.at[at].kind != STK_END)
			at++;
		if (at < file->blocks.count)
			file->blocks.at[at].end_lies = lie_chance(numbers, 0) | 1;
	}
}

/* A line of the schema goes, comes twice, or says something else. */
static inline void
lie_about_schema(struct lie_file *file, uint64_t *numbers)
{
	static const char *const lines[] = { "kind 9 sample row\n",
					     "kind 600 other definition\ncolumn name text\ncolumn next id:other\n",
					     "column more real\n",
					     "column more enum:a|b\n",
					     "column more id:stack\n",
					     "kind 3 pile definition\n",
					     "column parent text\n",
					     "kind 1023 last row\ncolumn time time\ncolumn x number\n",
					     "\n",
					     "kind\n",
					     "kind 4096 far row\n" };
	const char *line = lines[lie_chance(numbers, sizeof lines / sizeof *lines)], *from, *to;
	struct lie_block *head = NULL;
	struct stk_text schema;
	char *text, *end;

	for (size_t b = 0; b < file->blocks.count; b++)
		if (file->blocks.at[b].kind == STK_HEAD && (head == NULL || lie_one_in(numbers, 2)))
			head = &file->blocks.at[b];
	if (head == NULL || !head->column[STK_COLUMN(head, schema)].there)
		return;
	lie_block_own(file, head, head->rows);
	schema = head->column[STK_COLUMN(head, schema)].texts[0];
	if (lie_one_in(numbers, 10))
		head->column[lie_chance(numbers, 2)].words[0] = lie_count(numbers);
	from = schema.data + lie_chance(numbers, schema.size + 1);
	while (from > schema.data && from[-1] != '\n')
		from--;
	for (to = from; lie_one_in(numbers, 3) && to < schema.data + schema.size; )
		while (to < schema.data + schema.size && *to++ != '\n')
			continue;
	text = end = arena_alloc(file->arena, schema.size + strlen(line) + 1);
	memcpy(end, schema.data, (size_t)(from - schema.data)), end += from - schema.data;
	if (lie_one_in(numbers, 2))
		memcpy(end, line, strlen(line)), end += strlen(line);
	memcpy(end, to, (size_t)(schema.data + schema.size - to)), end += schema.data + schema.size - to;
	head->column[STK_COLUMN(head, schema)].texts[0] = text_of(text, (size_t)(end - text));
}

static inline void
lie_tell(struct lie_file *file, uint64_t number)
{
	uint64_t numbers = number;
	static void (*const lies[])(struct lie_file * file, uint64_t * numbers) = {
		lie_in_column,   lie_in_column,     lie_in_column,     lie_in_column,  lie_in_column,
		lie_in_column,   lie_in_column,     lie_about_columns, lie_about_rows, lie_about_rows,
		lie_about_order, lie_about_order,   lie_about_parents, lie_add_block,  lie_add_block,
		lie_about_range, lie_about_streams, lie_about_schema
	};

	if (file->blocks.count > 0)
		lies[lie_chance(&numbers, sizeof lies / sizeof *lies)](file, &numbers);
}

/* --- as bytes --- */

/* zstd frames of the columns of a block, in its header's order. */
static inline void
lie_store(struct some_bytes *frames, struct block_column *column, const void *content, size_t size)
{
	static ZSTD_CCtx *zstd;
	size_t got, room = ZSTD_compressBound(size);
	void *to = mem_new(room, 1);

	if (zstd == NULL) {
		zstd = ZSTD_createCCtx();
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 1);
	}
	got = ZSTD_compress2(zstd, to, room, content, size);
	column->content_bytes = size;
	column->stored_bytes = got;
	column->stored_check = load32((char *)to + got - 4);
	bytes_add(frames, to, got);
	free(to);
}

static inline void
lie_store_texts(struct some_bytes *frames, struct block_column *column, const struct stk_text *texts, uint32_t rows)
{
	struct some_bytes content = { 0 };
	unsigned char varint[VARINT_MAX];

	for (uint32_t r = 0; r < rows; r++)
		bytes_add(&content, varint, (size_t)(put_varint(varint, texts[r].size) - varint));
	for (uint32_t r = 0; r < rows; r++)
		bytes_add(&content, texts[r].data, texts[r].size);
	lie_store(frames, column, content.at, content.size);
	free(content.at);
}

static inline void
lie_encode_column(struct some_bytes *frames, struct block_column *to, const struct lie_column *column, uint32_t rows)
{
	bool same = true;

	for (uint32_t r = 1; same && r < rows; r++)
		same = column->texts != NULL ? text_equal(column->texts[r], column->texts[0])
					     : column->words[r] == column->words[0];
	if (same && column->words != NULL) {
		to->encoding = ENCODING_WORD;
		to->word = column->words[0];
	} else if (same && column->texts[0].size < STK_BLOCK_HEADER_MAX / 2) {
		to->encoding = ENCODING_TEXT;
		to->text = column->texts[0];
	} else if (column->texts != NULL) {
		to->encoding = ENCODING_TEXTS;
		lie_store_texts(frames, to, column->texts, rows);
	} else {
		to->encoding = ENCODING_WORDS;
		to->coding =
			(struct column_coding){ .prediction = STK_PLAIN, .scale = 1, .low = 8, .packed = COLUMN_WHOLE };
		lie_store(frames, to, column->words, rows * sizeof *column->words);
	}
}

/* The range of times, as a writer says it. */
static inline void
lie_range(struct block_header *header, const struct lie_block *block)
{
	const struct stk_kind_schema *schema = lie_schema(block->kind);
	const struct lie_column *column = schema == NULL || schema->time < 0 ? NULL : &block->column[schema->time];

	if (block->range_lies) {
		header->has_time = true;
		header->from_ns = block->from_ns, header->to_ns = block->to_ns;
		return;
	}
	header->has_time = column != NULL && column->there && column->words != NULL;
	for (uint32_t r = 0; header->has_time && r < block->rows; r++) {
		int64_t time_ns = (int64_t)column->words[r];

		header->has_time = time_ns != STK_TIME_UNKNOWN;
		header->from_ns = r == 0 || time_ns < header->from_ns ? time_ns : header->from_ns;
		header->to_ns = r == 0 || time_ns > header->to_ns ? time_ns : header->to_ns;
	}
}

static inline void
lie_encode(struct some_bytes *to, const struct lie_block *block, size_t least)
{
	static struct block_header header;
	static unsigned char head[STK_BLOCK_HEADER_MAX];
	struct some_bytes frames = { 0 };

	if (block->bytes.size > 0) {
		bytes_add(to, block->bytes.data, block->bytes.size);
		return;
	}
	header = (struct block_header){ .kind = block->kind, .rows = block->rows, .first_id = block->first_id };
	lie_range(&header, block);
	for (unsigned c = 0; c < block->columns; c++) {
		if (!block->column[c].there)
			continue;
		header.column[header.columns].number = c;
		lie_encode_column(&frames, &header.column[header.columns++], &block->column[c], block->rows);
	}
	bytes_add(to, head, block_header_write(&header, head, least));
	bytes_add(to, frames.at, frames.size);
	free(frames.at);
}

/* INDEX and END of the blocks since the last head, which begins at `start`. */
static inline void
lie_encode_end(struct lie_file *file, struct some_bytes *to, size_t start, const struct lie_block *end,
	       const struct lie_block *blocks, const size_t *offsets, uint32_t count)
{
	uint64_t numbers = end->end_lies, none = 0;
	struct lie_block index = lie_block_make(file, STK_INDEX, count, 0, &none),
			 last = lie_block_make(file, STK_END, 1, 0, &none);
	size_t index_at = to->size;

	for (uint32_t b = 0; b < count; b++) {
		struct block_header header = { 0 };

		lie_range(&header, &blocks[b]);
		index.column[STK_COLUMN(index, kind)].words[b] = blocks[b].kind;
		index.column[STK_COLUMN(index, rows)].words[b] = blocks[b].rows;
		index.column[STK_COLUMN(index, offset)].words[b] = offsets[b] - start;
		index.column[STK_COLUMN(index, time)].words[b] =
			header.has_time ? (uint64_t)header.from_ns : (uint64_t)STK_TIME_UNKNOWN;
		index.column[STK_COLUMN(index, length)].words[b] =
			header.has_time ? (uint64_t)header.to_ns - (uint64_t)header.from_ns : 0;
	}
	while (end->end_lies != 0 && lie_one_in(&numbers, 2))
		lie_cell(file, &index, (unsigned)lie_chance(&numbers, index.columns),
			 (uint32_t)lie_chance(&numbers, count), &numbers);
	if (end->end_lies != 0 && lie_one_in(&numbers, 4))
		lie_block_own(file, &index, 1 + (uint32_t)lie_chance(&numbers, 2 * count));
	lie_encode(to, &index, 0);
	last.column[STK_COLUMN(end, blocks)].words[0] = count + 1;
	last.column[STK_COLUMN(end, index)].words[0] = index_at - start;
	last.column[STK_COLUMN(end, bytes)].words[0] = to->size - start + BLOCK_END_BYTES;
	last.column[STK_COLUMN(end, lost)].words[0] = 0;
	while (end->end_lies != 0 && lie_one_in(&numbers, 3))
		lie_cell(file, &last, (unsigned)lie_chance(&numbers, last.columns), 0, &numbers);
	lie_encode(to, &last, BLOCK_END_BYTES);
}

static inline void
lie_file_bytes(struct lie_file *file, struct some_bytes *to)
{
	size_t *offsets = mem_new(file->blocks.count + 1, sizeof *offsets), first = 0;

	for (size_t b = 0; b < file->blocks.count; b++) {
		struct lie_block *block = &file->blocks.at[b];

		if (block->kind == STK_HEAD)
			first = b;
		offsets[b] = to->size;
		if (block->kind != STK_END)
			lie_encode(to, block, 0);
		else if (b > first)
			lie_encode_end(file, to, offsets[first], block, file->blocks.at + first, offsets + first,
				       (uint32_t)(b - first));
	}
	free(offsets);
}

#endif
