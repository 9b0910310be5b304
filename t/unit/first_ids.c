/* SPDX-License-Identifier: MIT
 * first_ids: a block of definitions without a first id, or one of other rows with it, is damaged: it does not come
 * out. */
#include "../lib/damage.h"
#include "../lib/tap.h"

#include "stream/block.h"

#include <zlib.h>

/* After magic, size, letters and CRC: kind, rows and first id, which are below 128 here. */
#define FIRST_ID 18

/* Blocks that a caller sees, whether it asks for their rows or not. */
static unsigned
blocks_seen(struct some_bytes bytes)
{
	struct stk_reader_options options = { .read = bytes_read, .context = &bytes };
	struct stk_reader *reader;
	struct stk_block block;
	struct stk_error err = { 0 };
	unsigned count = 0;

	if (stk_reader_open(&reader, &options, &err) < 0)
		abort();
	while (stk_reader_next(reader, &block, &err) > 0)
		count += block.kind != STK_HEAD;
	stk_reader_close(reader);
	return count;
}

int
main(void)
{
	struct original original;
	unsigned kept = 0, silent = 0, more_lost = 0, failed = 0;

	original_make(&original, 1);
	is_u64(blocks_seen(original.bytes), original.count, "all blocks come out of a good stream");
	for (unsigned b = 0; b < original.count; b++) {
		unsigned char *block = original.bytes.at + original.blocks[b].from, id = block[FIRST_ID];
		struct reading reading;

		block[FIRST_ID] = id == 0;
		store32(block + 12, (uint32_t)crc32(0, block + 16, load32(block + 4) + 8 - 16));
		reading_take(&reading, &original, original.bytes.at, original.bytes.size, 0);
		kept += blocks_seen(original.bytes) >= original.count;
		block[FIRST_ID] = id;
		store32(block + 12, (uint32_t)crc32(0, block + 16, load32(block + 4) + 8 - 16));
		kept += reading.count + reading.foreign >= original.count;
		more_lost += reading.count + 1 < original.count;
		silent += reading.state.damages != 1;
		failed += reading.failed || reading.misled > 0;
	}
	ok(original.count > 10, "%u blocks", original.count);
	is_u64(kept, 0, "a block whose first id is not of its kind does not come out");
	is_u64(silent, 0, "... which is reported once");
	is_u64(more_lost, 0, "... and all others come");
	is_u64(failed, 0, "... to the end, and no id stands for something else");
	free(original.bytes.at);
	return tap_end();
}
