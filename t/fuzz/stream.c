/* SPDX-License-Identifier: MIT
 * Any bytes as a record stream; and, so that the way in is short, a good stream with any bytes of it changed. Odd first
 * byte: CRCs of headers are made right again, so that lies get past them. Everything is read, and passed on; what was
 * passed on is whole. */
#include "../lib/damage.h"
#include "stream/block.h"

#include <zlib.h>

#define MUST(condition) ((condition) ? (void)0 : abort())
#define ROWS_MAX 65536		/* more rows in a block cost memory and time, and show nothing new */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
make_crcs_right(struct some_bytes *bytes)
{
	for (size_t at = 0; at + 20 <= bytes->size; at++) {
		uint32_t size = load32(bytes->at + at + 4);

		if (load32(bytes->at + at) == BLOCK_MAGIC && size >= 12 && size <= 65528 &&
		    at + 8 + size <= bytes->size)
			store32(bytes->at + at + 12, (uint32_t)crc32(0, bytes->at + at + 16, size - 8));
	}
}

/* Four bytes are a change: where, and what. */
static void
change(struct some_bytes *bytes, const uint8_t *data, size_t size)
{
	for (; size >= 4; data += 4, size -= 4) {
		size_t at = (data[0] | (size_t)data[1] << 8) % bytes->size;

		if (data[2] % 4 == 3 && bytes->size > 600) {		/* a part goes */
			size_t gone = data[3] < bytes->size - at ? data[3] : bytes->size - at;

			memmove(bytes->at + at, bytes->at + at + gone, bytes->size - at - gone);
			bytes->size -= gone;
		} else {
			bytes->at[at] = data[2] % 4 == 0 ? data[3] : (unsigned char)(bytes->at[at] ^ data[3]);
		}
	}
}

/* Reads everything and passes it on. Steps are bounded by the bytes: a block has 20 at least, and before it a head may
 * be supposed. */
static uint64_t
read_all(struct some_bytes *from, struct some_bytes *to)
{
	struct stk_reader_options options = { .read = bytes_read, .context = from };
	struct stk_writer_options out = { .write = bytes_write, .context = to, .level = 1 };
	struct stk_reader_state state;
	struct stk_reader *reader;
	struct stk_writer *writer;
	struct stk_block block;
	struct stk_error err = { 0 };
	size_t steps = 0;
	int got;

	MUST(stk_reader_open(&reader, &options, &err) == 0 && stk_writer_open(&writer, &out, &err) == 0);
	while ((got = stk_reader_next(reader, &block, &err)) > 0) {
		struct stk_error why = { 0 };

		MUST(++steps <= from->size / 10 + 2);
		MUST(block.rows <= STK_BLOCK_ROWS_MAX && block.kind < STK_KIND_MAX);
		if (block.rows > ROWS_MAX)
			continue;
		if (block.kind != STK_HEAD && (stk_reader_check(reader, &why) < 0 ||
					       (block.kind < STK_KIND_COUNT && stk_reader_rows(reader, &why) < 0)))
			MUST(why.text[0] != '\0');
		else
			MUST(stk_writer_pass(writer, reader, &why) == 0 || why.text[0] != '\0');
	}
	stk_reader_state(reader, &state);
	MUST(got == 0 || err.text[0] != '\0');
	MUST(state.lost_bytes <= from->size && state.ended <= from->size / 20);
	MUST(stk_writer_close(writer, true, &err) == 0 || err.text[0] != '\0');
	stk_reader_close(reader);
	return state.damages;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct some_bytes good;
	struct some_bytes bytes = { 0 }, passed = { 0 }, again = { 0 };

	if (size == 0)
		return 0;
	if (good.size == 0)
		stream_make(&good, 1);
	if (*data % 4 < 2) {
		bytes_add(&bytes, good.at, good.size);
		change(&bytes, data + 1, size - 1);
	} else {
		bytes_add(&bytes, data + 1, size - 1);
	}
	if (*data % 2 == 1)
		make_crcs_right(&bytes);
	bytes.step = *data % 8 < 4 ? 0 : 100;
	(void)read_all(&bytes, &passed);
	(void)read_all(&passed, &again);
	free(bytes.at);
	free(passed.at);
	free(again.at);
	return 0;
}
