/* SPDX-License-Identifier: MIT
 * column_layouts: choosing the planes: the layout whose planes, each coded by itself, would take the fewest bits;
 * judged by some of the numbers. */
#include "stream/column_layouts.h"

#include <string.h>

#define JUDGED 1024

/* count * log2(count) in 1/256 bits, in integers, so that every machine makes the same choice. */
static uint32_t count_logs[JUDGED + 1];

__attribute__((constructor)) static void
count_logs_fill(void)
{
	for (uint32_t count = 1; count <= JUDGED; count++) {
		uint64_t x = (uint64_t)count << 32;
		uint32_t log = 0;

		while (x >= UINT64_C(2) << 32) {
			x >>= 1;
			log += 256;
		}
		/* squaring gives one binary digit of the logarithm after another */
		for (uint32_t bit = 128; bit != 0; bit >>= 1) {
			x = (x >> 16) * (x >> 16);
			if (x >= UINT64_C(2) << 32) {
				x >>= 1;
				log += bit;
			}
		}
		count_logs[count] = count * log;
	}
}

/* Bits, in 1/256, that `count` symbols with these frequencies take: their entropy, but a whole bit each at least where
 * they are not nearly all the same, because that is what zstd's Huffman codes take. */
static uint32_t
plane_cost(const uint16_t frequency[256], uint32_t count)
{
	uint32_t cost = count_logs[count], most = 0;

	for (unsigned symbol = 0; symbol < 256; symbol++) {
		cost -= count_logs[frequency[symbol]];
		if (frequency[symbol] > most)
			most = frequency[symbol];
	}
	if (most == count)
		return 0;
	if (most > count - count / 16)
		return cost + cost / 2;		/* sequences of matches: they cost more than their entropy, less than a
						 * bit each */
	return cost < count * 256 ? count * 256 : cost;
}

/* The cost of the plane of `bits` bits a number, 8 / bits numbers a byte, at `shift`. */
static uint32_t
judged_plane_cost(const uint64_t *numbers, uint32_t count, unsigned shift, unsigned bits)
{
	uint16_t frequency[256] = { 0 };
	unsigned mask = (1u << bits) - 1, numbers_a_byte = 8 / bits;
	uint32_t symbols = count / numbers_a_byte;

	for (uint32_t s = 0; s < symbols; s++, numbers += numbers_a_byte) {
		unsigned symbol = 0;

		for (unsigned i = 0; i < numbers_a_byte; i++)
			symbol |= ((unsigned)(numbers[i] >> shift) & mask) << i * bits;
		frequency[symbol]++;
	}
	return symbols == 0 ? 0 : plane_cost(frequency, symbols);
}

/* The same of bytes. */
static uint32_t
judged_bytes_cost(const uint64_t *numbers, uint32_t count, unsigned shift)
{
	uint16_t frequency[256] = { 0 };

	for (uint32_t i = 0; i < count; i++)
		frequency[numbers[i] >> shift & 255]++;
	return count == 0 ? 0 : plane_cost(frequency, count);
}

/* Some of the numbers, in runs of 64 so that neighbours which share a byte are neighbours here. */
static uint32_t
judged_numbers(const uint64_t *numbers, size_t count, uint64_t judged[JUDGED])
{
	size_t runs = JUDGED / 64;

	if (count <= JUDGED) {
		for (size_t i = 0; i < count; i++)
			judged[i] = numbers[i];
		return (uint32_t)count;
	}
	for (size_t run = 0; run < runs; run++)
		memcpy(judged + run * 64, numbers + (count - 64) / (runs - 1) * run, 64 * sizeof *judged);
	return JUDGED;
}

/* Inserts a layout into the best ones, best first, of which `most` are kept. */
static unsigned
keep_layout(struct column_layout *layouts, unsigned count, unsigned most, struct column_layout layout)
{
	unsigned at = count;

	while (at > 0 && layouts[at - 1].cost > layout.cost)
		at--;
	if (at == most)
		return count;
	if (count == most)
		count--;
	memmove(layouts + at + 1, layouts + at, (count - at) * sizeof *layouts);
	layouts[at] = layout;
	return count + 1;
}

unsigned
column_bits_of(const uint64_t *numbers, uint32_t count)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < count; i++)
		all |= numbers[i];
	return all == 0 ? 0 : 64 - (unsigned)__builtin_clzll(all);
}

/* The same plane of bytes belongs to many layouts: its cost is judged once. */
struct byte_planes { bool known[64]; uint32_t cost[64]; };	/* by shift */

static uint32_t
byte_plane_cost(struct byte_planes *planes, const uint64_t *numbers, uint32_t count, unsigned shift)
{
	if (!planes->known[shift])
		planes->cost[shift] = judged_bytes_cost(numbers, count, shift);
	planes->known[shift] = true;
	return planes->cost[shift];
}

unsigned
column_judge_layouts(const uint64_t *numbers, uint32_t count, bool dictionary, unsigned most,
		     struct column_layout *layouts)
{
	static const unsigned choices[] = { 0, 1, 2, 4 };
	struct byte_planes planes = { 0 };
	uint64_t judged[JUDGED];
	uint32_t judged_count = judged_numbers(numbers, count, judged), low_cost = 0;
	unsigned bits, kept = 0;

	bits = column_bits_of(numbers, count);
	for (unsigned low = 0; low <= (bits + 7) / 8; low++) {
		if (low > 0)
			low_cost += byte_plane_cost(&planes, judged, judged_count, 8 * (low - 1));
		for (size_t c = 0; c < sizeof choices / sizeof *choices; c++) {
			struct column_layout layout = { low, choices[c], 0, dictionary, low_cost };
			unsigned above = 8 * low + layout.packed;

			layout.high = above >= bits ? 0 : (bits - above + 7) / 8;
			if (above >= bits + 8 || above > 64 || (above == 64 && layout.high > 0))
				continue;
			if (layout.packed != 0)
				layout.cost += judged_plane_cost(judged, judged_count, 8 * low, layout.packed);
			for (unsigned plane = 0; plane < layout.high; plane++)
				layout.cost += byte_plane_cost(&planes, judged, judged_count, above + 8 * plane);
			/* each plane has a header of its own: prefer fewer at equal cost */
			layout.cost += 256 * (low + (layout.packed != 0) + layout.high);
			kept = keep_layout(layouts, kept, most, layout);
		}
	}
	return kept;
}
