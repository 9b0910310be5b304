/* SPDX-License-Identifier: MIT
 * make_stream: writes a stream with rows of every kind, from a seed: `make_stream SEED ROWS [BLOCK_ROWS [LEVEL
 * [THREADS]]] >x.stk`. Values are of all sorts: constant, growing, keyed, random, extreme; ids are of definitions that
 * exist. Used by tests; prints nothing. */
#include "base/bytes.h"
#include "base/memory.h"
#include "base/workers.h"
#include "stkpipe/stream.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t seed;

static uint64_t
chance(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int
write_stdout(void *context, const void *from, size_t size, struct stk_error *err)
{
	(void)context;
	return fwrite(from, 1, size, stdout) == size ? 0 : stk_fail_errno(err, "standard output");
}

/* Text that is now and then empty, long, not ASCII, not UTF-8, or full of what must be escaped. */
static struct stk_text
some_text(char room[400])
{
	static const char *const pieces[] = { "java.lang.Thread.run", "a",        "\xc3\xa9t\xc3\xa9", "\xff\xfe",
					      "\"\\\n\t\x01",         "\xe2\x82", "/lib/x.so",         "; ",
					      "\xf0\x9f\x98\x80",     "0" };
	size_t size = 0, count = chance() % 6;

	while (count-- > 0) {
		const char *piece = pieces[chance() % (sizeof pieces / sizeof *pieces)];

		memcpy(room + size, piece, strlen(piece));
		size += strlen(piece);
	}
	return text_of(room, size);
}

static uint64_t
some_word(const struct stk_column_schema *column, unsigned style, uint64_t row, const struct stk_writer *writer)
{
	double real;
	uint64_t word;

	switch (column->type) {
	case STK_TYPE_ENUM:
		for (word = 0; column->names[word] != NULL; word++)
			;
		return chance() % word;
	case STK_TYPE_ID:
		return chance() % stk_writer_next_id(writer, column->refers);
	case STK_TYPE_REAL:
		real = style == 0   ? 1.0
		       : style == 1 ? (double)row / 7
				    : (double)(int64_t)chance() * (style == 2 ? 1e-300 : 1e-9);
		memcpy(&word, &real, sizeof word);
		return word;
	case STK_TYPE_TIME:
		return style == 0 ? (uint64_t)STK_TIME_UNKNOWN
				  : UINT64_C(1700000000000000000) + row * 1000000 +
					    (style == 1 ? 0 : chance() % 5000 * 1000);
	default:
		return style == 0   ? 7
		       : style == 1 ? row * 10000
		       : style == 2 ? chance() % 300
		       : style == 3 ? chance() >> chance() % 64
				    : row % 13 * 1000 + row;
	}
}

static void
add_rows(struct stk_writer *writer, const struct stk_kind_schema *kind, uint64_t rows)
{
	struct stk_error err = { 0 };
	char *row = mem_new(1, kind->row_size), (*texts)[400] = mem_new(STK_COLUMN_MAX, 400);
	unsigned styles[STK_COLUMN_MAX];

	for (unsigned c = 0; c < kind->columns; c++)
		styles[c] = chance() % 5;
	for (uint64_t r = 0; r < rows; r++) {
		for (unsigned c = 0; c < kind->columns; c++) {
			if (kind->column[c].type == STK_TYPE_TEXT) {
				struct stk_text text = some_text(texts[c]);

				memcpy(row + kind->column[c].offset, &text, sizeof text);
			} else {
				uint64_t word = some_word(&kind->column[c], styles[c], r, writer);

				memcpy(row + kind->column[c].offset, &word, sizeof word);
			}
		}
		if (stk_writer_add(writer, kind->number, row, &err) < 0) {
			fprintf(stderr, "make_stream: %s\n", err.text);
			exit(3);
		}
	}
	free(row);
	free(texts);
}

int
main(int argc, char **argv)
{
	struct stk_writer_options options = { .write = write_stdout,
					      .level = argc > 4 ? atoi(argv[4]) : 3,
					      .block_rows = argc > 3 ? (uint32_t)atoi(argv[3]) : 0 };
	struct stk_writer *writer;
	struct stk_error err = { 0 };
	uint64_t rows = argc > 2 ? strtoull(argv[2], NULL, 10) : 10;

	seed = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	options.workers = argc > 5 ? stk_workers_open(atoi(argv[5])) : NULL;
	if (stk_writer_open(&writer, &options, &err) < 0)
		return 3;
	for (unsigned kind = STK_STRING; kind < STK_INDEX; kind++)
		add_rows(writer, &stk_schema()->kind[kind], rows);
	if (stk_writer_close(writer, true, &err) < 0 || fflush(stdout) != 0)
		return 3;
	stk_workers_close(options.workers);
	return 0;
}
