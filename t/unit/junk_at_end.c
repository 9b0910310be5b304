/* SPDX-License-Identifier: MIT
 * junk_at_end: bytes that are no block after a stream are one damage with one size, also when the last of them begin
 * like a block. */
#include "../lib/damage.h"
#include "../lib/tap.h"

#include "stream/block.h"

struct told { unsigned times; uint64_t bytes; };

static void
count_told(void *context, int64_t offset, uint64_t bytes, const char *what)
{
	struct told *told = context;

	(void)offset;
	(void)what;
	told->times++;
	told->bytes += bytes;
}

int
main(void)
{
	struct original original;
	unsigned wrong = 0, blocks_lost = 0;

	original_make(&original, 1);
	for (size_t begun = 0; begun < 16; begun++) {
		struct some_bytes bytes = { 0 };
		struct told told = { 0 };
		struct stk_reader_options options = {
			.read = bytes_read, .context = &bytes, .damage = count_told, .damage_context = &told
		};
		struct stk_reader *reader;
		struct stk_block block;
		struct stk_error err = { 0 };
		unsigned count = 0;

		bytes_add(&bytes, original.bytes.at, original.bytes.size);
		bytes_add(&bytes, "not a block", 11);
		bytes_add(&bytes, original.bytes.at + original.blocks[0].from, begun);
		if (stk_reader_open(&reader, &options, &err) < 0)
			abort();
		while (stk_reader_next(reader, &block, &err) > 0)
			count += block.kind != STK_HEAD;
		stk_reader_close(reader);
		blocks_lost += count != original.count;
		if (told.times != 1 || told.bytes != 11 + begun) {
			wrong++;
			printf("# %zu bytes of a block: reported %u times, %zu bytes\n", begun, told.times,
			       (size_t)told.bytes);
		}
		free(bytes.at);
	}
	is_u64(wrong, 0, "junk that ends like the beginning of a block is reported once, with its size");
	is_u64(blocks_lost, 0, "and costs no block");
	free(original.bytes.at);
	return tap_end();
}
