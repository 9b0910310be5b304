/* SPDX-License-Identifier: MIT
 * What a writer takes, a reader gives: every kind, every prediction, all levels, any number of threads, column by
 * column and row by row. */
#include "base/bytes.h"
#include "base/memory.h"
#include "base/workers.h"
#include "stkpipe/stream.h"
#include "stream/column.h"
#include "stream/layout_trials.h"
#include "../lib/tap.h"

#include <stdlib.h>

struct bytes { unsigned char *at; size_t size, room, read; };

static uint64_t seed = 88172645463325252;

static uint64_t
chance(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int
write_bytes(void *context, const void *from, size_t size, struct stk_error *err)
{
	struct bytes *to = context;

	(void)err;
	if (to->size + size > to->room) {
		to->room = (to->size + size) * 2;
		to->at = mem_resize(to->at, to->room, 1);
	}
	memcpy(to->at + to->size, from, size);
	to->size += size;
	return 0;
}

/* Gives bytes in uneven portions. */
static long
read_bytes(void *context, void *to, size_t size, struct stk_error *err)
{
	struct bytes *from = context;
	size_t left = from->size - from->read, give = 1 + chance() % 5000;

	(void)err;
	give = give < size ? give : size;
	give = give < left ? give : left;
	if (give > 0)
		memcpy(to, from->at + from->read, give);
	from->read += give;
	return (long)give;
}

/* --- columns --- */

static const uint64_t scales[] = { 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 4, 1 << 17,
				   UINT64_C(1) << 31 };
#define STYLES (8 + sizeof scales / sizeof *scales)

static uint64_t
value_of(unsigned style, uint32_t row, const uint64_t *key)
{
	switch (style) {
	case 0:  return 7;
	case 1:  return row * UINT64_C(30000000) + chance() % 3 * 10000000;
	case 2:  return key[row] * 1000 + row / 20 * 3;
	case 3:  return chance() >> chance() % 64;
	case 4:  return chance() % 13 == 0 ? chance() % 300 : key[row] * 17;
	case 5:  return (uint64_t)((int64_t)(chance() % 2001) - 1000);
	case 6:  return chance() % 50 == 0 ? (uint64_t)INT64_MIN : UINT64_C(1700000000000000000) + row * 1000;
	case 7:  return row + chance() % 3;
	default: return ((chance() >> chance() % 64) % 200001 - 100000) * scales[style - 8];
	}
}

#define ROWS 5000

static bool
column_returns(enum stk_prediction prediction, unsigned keys, unsigned style, uint32_t rows, bool thorough,
	       struct column_scratch *scratch, struct column_scratch *fresh)
{
	static uint64_t key[ROWS], other[ROWS], values[ROWS], back[ROWS];
	const uint64_t *both[2] = { key, other };
	struct column_layout layouts[COLUMN_LAYOUTS_MAX];
	struct column_coding coding;
	unsigned count;

	for (uint32_t i = 0; i < rows; i++) {
		key[i] = i % 37 + (i % 11 == 0 ? 70000 : 0);
		other[i] = chance() % 5;
	}
	for (uint32_t i = 0; i < rows; i++)
		values[i] = value_of(style, i, key);
	coding = (struct column_coding){ .prediction = prediction, .keys = keys };
	count = column_encode(&coding, values, both, rows, thorough, NULL, scratch, layouts);
	for (unsigned l = 0; l < count; l++) {
		size_t size, parts[COLUMN_PARTS_MAX], sum = 0;
		unsigned used;
		unsigned char *content;
		bool same;

		column_pack(&coding, &layouts[l], rows, scratch);
		size = column_size(&coding, rows);
		used = column_parts(&coding, rows, parts);
		for (unsigned p = 0; p < used; p++)
			sum += parts[p];
		content = mem_new(size + 1, 1);
		memcpy(content, scratch->bytes, size);
		same = sum == size && column_decode(&coding, content, both, back, rows, fresh) == 0 &&
		       memcmp(values, back, rows * sizeof *values) == 0;
		free(content);
		if (!same)
			return false;
	}
	return true;
}

static void
test_columns(void)
{
	static const char *const names[] = { "PLAIN", "STEP", "BY", "BYSTEP", "SAME", "BACK" };
	struct column_scratch scratch = { 0 }, fresh = { 0 };

	for (unsigned prediction = STK_PLAIN; prediction <= STK_BACK; prediction++)
		for (unsigned style = 0; style < STYLES; style++) {
			bool well = true;

			for (unsigned keys = 0; keys <= (column_is_keyed(prediction) ? 2u : 0u); keys++)
				for (unsigned thorough = 0; thorough < 2; thorough++)
					well = well &&
					       column_returns(prediction, keys, style, ROWS, thorough, &scratch,
							      &fresh) &&
					       column_returns(prediction, keys, style, 1 + chance() % 9, thorough,
							      &scratch, &fresh) &&
					       column_returns(prediction, keys, style, COLUMN_KEYS / 64 - 1, thorough,
							      &scratch, &fresh) &&
					       column_returns(prediction, keys, style, COLUMN_KEYS / 64, thorough,
							      &scratch, &fresh);
			ok(well, "%s returns values of style %u", names[prediction], style);
		}
	column_scratch_release(&scratch);
	column_scratch_release(&fresh);
}

/* Any shape fits any values: it was found for others, with larger or smaller numbers, or with a dictionary that these
 * cannot have. */
static bool
shape_returns(const struct column_shape *shape, enum stk_prediction prediction, unsigned style, uint32_t rows,
	      struct column_scratch *scratch)
{
	static uint64_t key[ROWS], values[ROWS], back[ROWS];
	const uint64_t *keys[2] = { key, NULL };
	struct column_layout layouts[COLUMN_LAYOUTS_MAX];
	struct column_coding coding = { .prediction = prediction, .keys = column_is_keyed(prediction) };

	for (uint32_t i = 0; i < rows; i++) {
		key[i] = i % 37;
		values[i] = value_of(style, i, key);
	}
	if (column_encode(&coding, values, keys, rows, true, shape, scratch, layouts) > 1 && !shape->dictionary)
		return false;
	column_pack(&coding, &layouts[0], rows, scratch);
	return column_decode(&coding, scratch->bytes, keys, back, rows, scratch) == 0 &&
	       memcmp(values, back, rows * sizeof *values) == 0;
}

static void
test_shapes(void)
{
	static const unsigned packed[] = { 0, 1, 2, 4, COLUMN_WHOLE };
	struct column_scratch scratch = { 0 };

	for (unsigned prediction = STK_PLAIN; prediction <= STK_BACK; prediction++) {
		bool well = true;

		for (unsigned style = 0; style < 8; style++)
			for (unsigned low = 0; low <= 8; low++)
				for (unsigned p = 0; p < sizeof packed / sizeof *packed; p++)
					for (unsigned dictionary = 0; dictionary < 2; dictionary++) {
						struct column_shape shape = { true, low, packed[p], dictionary };

						well = well &&
						       shape_returns(&shape, prediction, style, 600, &scratch) &&
						       shape_returns(&shape, prediction, style, 1, &scratch);
					}
		ok(well, "prediction %u returns values in any shape", prediction);
	}
	column_scratch_release(&scratch);
}

/* The sixteenth block after a trial tries again; a trial's result is for the blocks from the fourth to the nineteenth
 * after it, and the first one's for the second to the fourth, too, but for those of few rows. */
static void
try_blocks(uint32_t rows, unsigned least, const char *what)
{
	struct layout_trials *trials = mem_new(1, sizeof *trials);
	unsigned tried = 0, wrong = 0;

	for (unsigned block = 0; block < 40; block++) {
		struct block_header made = { .columns = 1 };
		const struct column_shape *won;
		unsigned from = block < 4 ? 1 : (block - 4) / 16 + 1;

		wrong += layout_trials_begin(trials) != block || !layout_trials_are_done(trials, block, rows);
		won = layout_trials_won(trials, block, rows);
		tried += won == NULL;
		wrong += won != NULL && (won[3].low != from || !won[3].known || won[2].known);
		made.column[0] = (struct block_column){ .number = 3, .encoding = ENCODING_WORDS };
		made.column[0].coding.low = block % 16 == 0 ? block / 16 + 1 : 99;
		layout_trials_note(trials, block, &made);
	}
	is_u64(tried, least + 2, "of 40 blocks %s and every sixteenth try layouts", what);
	is_u64(wrong, 0, "... and the others have what the last trial but those of the four before found");
	ok(layout_trials_are_done(trials, 51, rows) && !layout_trials_are_done(trials, 52, rows),
	   "a block needs the trial of four blocks before");
	free(trials);
}

static void
test_trials(void)
{
	struct layout_trials none = { .begun = 1 };

	try_blocks(8192, 1, "the first");
	try_blocks(8191, 4, "the first four, when they are small,");
	ok(!layout_trials_are_done(&none, 1, 8192) && layout_trials_are_done(&none, 1, 8191),
	   "the second block waits for the first, unless it is small");
}

/* --- streams --- */

static void
fill_row(const struct stk_kind_schema *kind, uint32_t number, char *row, char texts[STK_COLUMN_MAX][40])
{
	uint64_t mix = (kind->number * UINT64_C(1000003) + number) * UINT64_C(0x9e3779b97f4a7c15);

	for (unsigned c = 0; c < kind->columns; c++) {
		const struct stk_column_schema *column = &kind->column[c];
		uint64_t word = mix >> (c * 7 % 50) & (c % 3 == 0 ? 0xff : c % 3 == 1 ? 0xffffff : UINT64_MAX);
		struct stk_text text = text_of(texts[c], 0);

		if (column->type == STK_TYPE_TEXT) {
			text.size = (size_t)snprintf(texts[c], 40, "%s-%u-%llx", kind->name, number % 50,
						     (unsigned long long)(mix % 7));
			memcpy(row + column->offset, &text, sizeof text);
		} else {
			memcpy(row + column->offset, &word, sizeof word);
		}
	}
}

static void
write_all(struct bytes *to, uint32_t rows, int level, uint32_t block_rows, struct stk_workers *workers)
{
	struct stk_writer_options options = {
		.write = write_bytes, .context = to, .level = level, .block_rows = block_rows, .workers = workers
	};
	static char row[1024], texts[STK_COLUMN_MAX][40];
	struct stk_writer *writer;
	struct stk_error err = { 0 };

	if (stk_writer_open(&writer, &options, &err) < 0)
		abort();
	for (unsigned k = STK_STRING; k < STK_INDEX; k++)
		for (uint32_t r = 0; r < rows; r++) {
			fill_row(&stk_schema()->kind[k], r, row, texts);
			if (stk_writer_add(writer, k, row, &err) < 0)
				abort();
		}
	if (stk_writer_close(writer, true, &err) < 0)
		abort();
}

/* Rows that are as they were written; *bad counts others. */
static uint64_t
read_all(struct bytes *from, uint64_t *bad, struct stk_reader_state *state)
{
	struct stk_reader_options options = { .read = read_bytes, .context = from };
	static char row[1024], wanted[1024], texts[STK_COLUMN_MAX][40];
	uint32_t seen[STK_KIND_COUNT] = { 0 };
	struct stk_reader *reader;
	struct stk_block block;
	struct stk_error err = { 0 };
	uint64_t good = 0;

	*bad = 0;
	from->read = 0;
	if (stk_reader_open(&reader, &options, &err) < 0)
		abort();
	while (stk_reader_next(reader, &block, &err) > 0) {
		if (block.kind == STK_HEAD)
			continue;
		if (stk_reader_rows(reader, &err) < 0)
			abort();
		for (uint32_t r = 0; r < block.rows; r++) {
			bool same = !block.schema->definition || block.first_id + r == seen[block.kind] + 1;

			stk_reader_row(reader, r, row);
			fill_row(block.schema, seen[block.kind]++, wanted, texts);
			for (unsigned c = 0; c < block.schema->columns; c++) {
				struct stk_text a, b;
				size_t offset = block.schema->column[c].offset;

				if (block.schema->column[c].type != STK_TYPE_TEXT) {
					same = same && memcmp(row + offset, wanted + offset, 8) == 0;
					continue;
				}
				memcpy(&a, row + offset, sizeof a);
				memcpy(&b, wanted + offset, sizeof b);
				same = same && text_equal(a, b);
			}
			good += same;
			*bad += !same;
		}
	}
	stk_reader_state(reader, state);
	stk_reader_close(reader);
	return good;
}

static void
test_streams(void)
{
	static const struct {
		uint32_t rows, block_rows;
		int level;
	} cases[] = { { 0, 0, 1 }, { 1, 0, 1 }, { 10, 0, 19 }, { 1000, 100, 1 }, { 1000, 77, 5 }, { 2000, 50, 3 },
		      { 3000, 0, 9 } };
	struct stk_workers *workers = stk_workers_open(9);	/* more blocks at a time than lie between a trial of
								 * layouts and the first block that needs its result */

	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct bytes alone = { 0 }, together = { 0 };
		struct stk_reader_state state;
		uint64_t bad, good;

		write_all(&alone, cases[c].rows, cases[c].level, cases[c].block_rows, NULL);
		write_all(&together, cases[c].rows, cases[c].level, cases[c].block_rows, workers);
		ok(alone.size == together.size && memcmp(alone.at, together.at, alone.size) == 0,
		   "%u rows, level %d: the same bytes with 1 thread and 9", cases[c].rows, cases[c].level);
		good = read_all(&alone, &bad, &state);
		ok(good == (uint64_t)cases[c].rows * (STK_INDEX - STK_STRING) && bad == 0,
		   "%u rows of each kind in blocks of %u come back", cases[c].rows, cases[c].block_rows);
		ok(state.damages == 0 && state.streams == 1 && state.ended == 1, "... of one whole stream");
		free(alone.at);
		free(together.at);
	}
	stk_workers_close(workers);
}

/* A block that is larger than what a reader has of it when it reads the header: its frames move the header, and a
 * constant text is still there. */
static void
test_moved_header(void)
{
	struct bytes bytes = { 0 };
	struct stk_writer_options out = { .write = write_bytes, .context = &bytes, .level = 1 };
	struct stk_reader_options in = { .read = read_bytes, .context = &bytes };
	const struct stk_text *constant, *long_texts;
	char text[200];
	struct stk_error err = { 0 };
	struct stk_writer *writer;
	struct stk_reader *reader;
	struct stk_block block;
	bool good = stk_writer_open(&writer, &out, &err) == 0, same = true;

	for (unsigned i = 0; i < 20000; i++) {
		struct stk_note note = { .about = text_of("constant", 8), .text = text_of(text, sizeof text) };

		for (size_t k = 0; k < sizeof text; k++)
			text[k] = (char)chance();
		good &= stk_writer_add(writer, STK_NOTE, &note, &err) == 0;
	}
	good &= stk_writer_close(writer, true, &err) == 0 && stk_reader_open(&reader, &in, &err) == 0;
	while (good && stk_reader_next(reader, &block, &err) > 0) {
		if (block.kind != STK_NOTE)
			continue;
		good &= stk_reader_texts(reader, STK_COLUMN(note, text), &long_texts, &err) == 0 &&
			stk_reader_texts(reader, STK_COLUMN(note, about), &constant, &err) == 0;
		for (uint32_t i = 0; i < block.rows && good; i++)
			same &= text_is(constant[i], "constant") && long_texts[i].size == sizeof text;
	}
	stk_reader_close(reader);
	ok(good && same, "a constant text of a block of %zu bytes, read behind the others", bytes.size);
	free(bytes.at);
}

/* Gives what there is, and then fails. */
static long
read_and_fail(void *context, void *to, size_t size, struct stk_error *err)
{
	long got = read_bytes(context, to, size, err);

	return got > 0 ? got : stk_fail(err, STK_ESYSTEM, "the input is gone");
}

/* Passes all of `from` on by a reader that knows its writer. What stk_reader_next gave last. */
static int
pass_all(struct bytes *from, stk_read_function *read, struct bytes *to)
{
	struct stk_writer_options out = { .write = write_bytes, .context = to, .level = 1 };
	struct stk_reader_options in = { .read = read, .context = from };
	struct stk_reader *reader;
	struct stk_block block;
	struct stk_error err = { 0 };
	int got = -1;

	from->read = to->size = 0;
	if (stk_writer_open(&in.writer, &out, &err) < 0 || stk_reader_open(&reader, &in, &err) < 0)
		abort();
	while ((got = stk_reader_next(reader, &block, &err)) > 0)
		if (stk_writer_pass(in.writer, reader, &err) < 0)
			stk_error_clear(&err);
	stk_reader_close(reader);
	stk_error_clear(&err);
	if (stk_writer_close(in.writer, true, &err) < 0)
		abort();
	return got;
}

/* What the end record of a stream says, when it is otherwise whole; else UINT64_MAX. */
static uint64_t
lost_of(struct bytes *stream)
{
	struct stk_reader_state state;
	uint64_t bad;

	(void)read_all(stream, &bad, &state);
	return state.damages == 0 && bad == 0 && state.ended == 1 ? state.writer_lost : UINT64_MAX;
}

static void
test_losses(void)
{
	struct bytes whole = { 0 }, once = { 0 }, twice = { 0 };
	size_t size;

	write_all(&whole, 1000, 1, 100, NULL);
	ok(pass_all(&whole, read_bytes, &once) == 0 && lost_of(&once) == 0, "of a whole stream nothing is lost");
	size = whole.size;
	whole.size -= 1;
	ok(pass_all(&whole, read_bytes, &once) == 0 && lost_of(&once) == 1,
	   "a reader tells its writer that its stream was cut");
	ok(pass_all(&once, read_bytes, &twice) == 0 && lost_of(&twice) == 1,
	   "... and the next one what the writer before had lost");
	whole.size = size;
	ok(pass_all(&whole, read_and_fail, &once) == -1 && lost_of(&once) == 1, "... and that its input failed");
	free(whole.at);
	free(once.at);
	free(twice.at);
}

int
main(void)
{
	test_losses();
	test_moved_header();
	test_columns();
	test_shapes();
	test_trials();
	test_streams();
	return tap_end();
}
