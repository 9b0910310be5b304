/* SPDX-License-Identifier: MIT
 * reader_ends: an input that cannot be read any further is an error, wherever in a block it happens and whether the
 * block is wanted or not; and of a damaged block no more bytes are reported as lost than there are. */
#include "../lib/damage.h"
#include "../lib/tap.h"

#include "stream/block.h"

#include <zlib.h>

/* --- reads that fail --- */

struct failing { struct some_bytes bytes; size_t at; };

static long
read_or_fail(void *context, void *to, size_t size, struct stk_error *err)
{
	struct failing *from = context;
	size_t left = from->at - from->bytes.read;

	if (left == 0)
		return stk_fail(err, STK_ESYSTEM, "the disk is gone");
	return bytes_read(&from->bytes, to, size < left ? size : left, err);
}

/* Reads to the end. Every second kind is unwanted, when only some are. */
static bool
ends_with_failure(const struct original *original, size_t at, bool all)
{
	struct failing failing = { { .at = original->bytes.at, .size = original->bytes.size }, at };
	struct stk_reader_options options = { .read = read_or_fail, .context = &failing };
	bool wanted[STK_KIND_COUNT];
	struct stk_reader *reader;
	struct stk_block block;
	struct stk_error err = { 0 };
	int got;

	if (stk_reader_open(&reader, &options, &err) < 0)
		abort();
	for (unsigned k = 0; k < STK_KIND_COUNT; k++)
		wanted[k] = all || k % 2 == 0;
	stk_reader_want(reader, wanted, STK_KIND_COUNT);
	while ((got = stk_reader_next(reader, &block, &err)) > 0) {
		struct stk_error why = { 0 };

		if (stk_reader_rows(reader, &why) < 0 && why.code == STK_ESYSTEM) {
			got = -1;
			err = why;
			break;
		}
	}
	stk_reader_close(reader);
	return got < 0 && err.code == STK_ESYSTEM && strstr(err.text, "the disk is gone") != NULL;
}

static void
test_failures(const struct original *original, bool all, const char *what)
{
	unsigned silent = 0;

	for (size_t at = 0; at <= original->bytes.size; at++)
		if (!ends_with_failure(original, at, all) && silent++ == 0)
			printf("# at byte %zu of %zu\n", at, original->bytes.size);
	is_u64(silent, 0, "%s: a read that fails is an error at each of %zu bytes", what, original->bytes.size);
}

/* --- bytes that were lost --- */

static void
test_lost(struct original *original)
{
	unsigned exaggerated = 0, unnoticed = 0;

	for (unsigned b = 0; b < original->count; b++) {
		unsigned char *block = original->bytes.at + original->blocks[b].from, first_id = block[18];
		size_t header = load32(block + 4) + 8, size = original->blocks[b].to - original->blocks[b].from;

		block[18] = first_id == 0;		/* not of its kind: FORMAT.md */
		store32(block + 12, (uint32_t)crc32(0, block + 16, (unsigned)header - 16));
		for (size_t left = header; left <= size && left < header + 3; left++) {
			struct reading reading;
			size_t cut = original->blocks[b].from + left;

			for (size_t step = 0; step <= 1000; step += 1000) {		/* a file, and a pipe */
				reading_take(&reading, original, original->bytes.at, cut, step);
				exaggerated += reading.exaggerated;
				unnoticed += reading.state.damages == 0;
			}
		}
		block[18] = first_id;
		store32(block + 12, (uint32_t)crc32(0, block + 16, (unsigned)header - 16));
	}
	is_u64(exaggerated, 0, "of a damaged block that is cut after its header no more is lost than was there");
	is_u64(unnoticed, 0, "... and it is noticed");
}

int
main(void)
{
	struct original original;

	original_make(&original, 1);
	test_failures(&original, true, "all wanted");
	test_failures(&original, false, "some unwanted");
	test_lost(&original);
	free(original.bytes.at);
	return tap_end();
}
