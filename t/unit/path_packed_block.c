/* SPDX-License-Identifier: MIT
 * path_packed_block: libzstd gets back what programs with probes compress by themselves: contents of every sort and
 * size. */
#include "../lib/tap.h"

#include "path/runtime/packed_block.h"

#include <sys/mman.h>
#include <zstd.h>

#define BLOCK_MOST 131072u
#define LARGEST	   700000u

static uint64_t seed = 0x9e3779b97f4a7c15u;

static unsigned
chance(unsigned below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 33) % below;
}

/* --- contents --- */

static void
fill_random(unsigned char *to, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = (unsigned char)chance(256);
}

static void
fill_same(unsigned char *to, size_t size)
{
	memset(to, 'x', size);
}

static void
fill_few(unsigned char *to, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = chance(9) == 0;
}

static void
fill_words(unsigned char *to, size_t size)
{
	static const char *const words[] = { "while.cond@1 ", "while.body@2 ", "if.then@33 ", "if.else@4 ", "if.end@5 ", "\n" };

	for (size_t i = 0; i < size; ) {
		const char *word = words[chance(6)];

		for (; *word != '\0' && i < size; word++)
			to[i++] = (unsigned char)*word;
	}
}

/* Distances and lengths of all sizes. */
static void
fill_copies(unsigned char *to, size_t size)
{
	for (size_t i = 0; i < size; ) {
		size_t literals = chance(1u << chance(17)), length = chance(1u << chance(18)), distance = 1;

		for (; literals > 0 && i < size; literals--)
			to[i++] = (unsigned char)chance(256);
		if (i > 0)
			distance += chance((unsigned)i);
		for (; i > 0 && length > 0 && i < size; length--, i++)
			to[i] = to[i - distance];
	}
}

static const struct { const char *name; void (*fill)(unsigned char *to, size_t size); bool shrinks; } sorts[] = {
	{ "random bytes", fill_random, false },
	{ "one byte again and again", fill_same, true },
	{ "few ones among zeros", fill_few, true },
	{ "names of blocks", fill_words, true },
	{ "copies of what came before", fill_copies, false },
};

/* --- frames --- */

static void
put_head(struct plain_bytes *to, size_t at, size_t size, unsigned type, bool last)
{
	uint32_t head = (uint32_t)(size << 3) | type << 1 | last;

	for (int i = 0; i < 3; i++)
		to->at[at + (size_t)i] = (unsigned char)(head >> 8 * i);
}

static void
make_frame(struct plain_bytes *to, const unsigned char *content, size_t size)
{
	static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd, 0xa0 };
	struct packing packing;
	size_t done = 0;

	plain_put(to, magic, sizeof magic);
	for (int i = 0; i < 4; i++)
		plain_put(to, &(unsigned char){ (unsigned char)(size >> 8 * i) }, 1);
	packing_begin(&packing, content, size);
	do {
		size_t part = size - done < BLOCK_MOST ? size - done : BLOCK_MOST, at = to->count;
		bool packed;

		plain_put(to, "\0\0", 3);
		packed = packing_put(&packing, to, done, part);
		if (!packed)
			plain_put(to, content + done, part);
		done += part;
		put_head(to, at, to->count - at - 3, packed ? 2 : 0, done == size);
	} while (done < size);
	packing_end(&packing);
}

static size_t frame_bytes;

static bool
comes_back(const unsigned char *content, size_t size)
{
	static unsigned char back[LARGEST];
	struct plain_bytes frame = { 0 };
	size_t got;

	make_frame(&frame, content, size);
	frame_bytes = frame.count;
	got = ZSTD_decompress(back, sizeof back, frame.at, frame.count);
	(void)munmap(frame.at, frame.room);
	return got == size && memcmp(back, content, size) == 0;
}

int
main(void)
{
	static unsigned char content[LARGEST];

	for (size_t k = 0; k < sizeof sorts / sizeof *sorts; k++) {
		size_t wrong = 0, large = 400000;

		for (size_t size = 0; size < 300; size++) {
			sorts[k].fill(content, size);
			wrong += !comes_back(content, size);
		}
		is_u64(wrong, 0, "%s: of each size from 0 to 299", sorts[k].name);
		for (int i = 0; i < 60; i++) {
			size_t size = i < 3 ? BLOCK_MOST - 1 + (size_t)i : chance(LARGEST);

			sorts[k].fill(content, size);
			wrong += !comes_back(content, size);
		}
		is_u64(wrong, 0, "%s: of several blocks, and about one", sorts[k].name);
		sorts[k].fill(content, large);
		wrong += !comes_back(content, large);
		ok(wrong == 0 && frame_bytes <= large + 30 && (!sorts[k].shrinks || frame_bytes < large / 3),
		   "%s: not longer than as they are, and shorter where much repeats: %zu of %zu", sorts[k].name, frame_bytes,
		   large);
	}
	return tap_end();
}
