/* SPDX-License-Identifier: MIT
 * ranked_bits: ranks, and the highest number up to another, are those of counting. */
#include "../lib/tap.h"

#include "base/ranked_bits.h"

/* Wrong answers about the numbers of a set of some size, whose members are `from` and each `every` after it. */
static uint32_t
count_wrong(uint32_t size, uint32_t from, uint32_t every)
{
	struct ranked_bits bits;
	uint32_t wrong = 0, below = 0, highest = 0;

	ranked_bits_open(&bits, size);
	for (uint32_t n = from; n < size; n += every)
		ranked_bits_set(&bits, n);
	ranked_bits_settle(&bits);
	for (uint32_t n = 0; n < size; n++) {
		bool has = n >= from && (n - from) % every == 0;

		highest = has ? n : highest;
		wrong += ranked_bits_has(&bits, n) != has;
		wrong += ranked_bits_rank(&bits, n) != below;
		wrong += ranked_bits_up_to(&bits, n) != highest;
		below += has;
	}
	ranked_bits_release(&bits);
	return wrong;
}

static uint32_t
cleared(void)
{
	struct ranked_bits bits;
	uint32_t rank;

	ranked_bits_open(&bits, 200);
	ranked_bits_set(&bits, 63);
	ranked_bits_set(&bits, 64);
	ranked_bits_settle(&bits);
	ranked_bits_clear(&bits, 63);
	ranked_bits_settle(&bits);
	rank = ranked_bits_rank(&bits, 65);
	ranked_bits_release(&bits);
	return rank;
}

int
main(void)
{
	uint32_t wrong = 0;

	for (uint32_t size = 0; size < 200; size++)
		for (uint32_t from = 0; from < 70; from += 7)
			for (uint32_t every = 1; every < 130; every += 16)
				wrong += count_wrong(size, from, every);
	is_u64(wrong, 0, "small sets of all sizes");
	is_u64(count_wrong(1000000, 999999, 1), 0, "one far from the others");
	is_u64(cleared(), 1, "one that was cleared is not counted");
	return tap_end();
}
