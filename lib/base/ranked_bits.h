/* SPDX-License-Identifier: MIT
 * ranked_bits: a set of numbers below some size, a bit each, which tells how many of them are below a number: for
 * numbering anew those that are needed of very many. A zeroed struct is an empty set of size 0. */
#ifndef BASE_RANKED_BITS_H
#define BASE_RANKED_BITS_H

#include <stdbool.h>
#include <stdint.h>

struct ranked_bits {
	uint64_t *words;
	uint32_t *below;		/* by word, once it is settled */
	uint32_t size;
};

void ranked_bits_open(struct ranked_bits *bits, uint32_t size);
void ranked_bits_release(struct ranked_bits *bits);
/* Then ranks may be asked for, until a bit is set or cleared. */
void ranked_bits_settle(struct ranked_bits *bits);

static inline bool
ranked_bits_has(const struct ranked_bits *bits, uint32_t number)
{
	return (bits->words[number / 64] >> number % 64 & 1) != 0;
}

static inline void
ranked_bits_set(struct ranked_bits *bits, uint32_t number)
{
	bits->words[number / 64] |= UINT64_C(1) << number % 64;
}

static inline void
ranked_bits_clear(struct ranked_bits *bits, uint32_t number)
{
	bits->words[number / 64] &= ~(UINT64_C(1) << number % 64);
}

/* How many are below a number. */
static inline uint32_t
ranked_bits_rank(const struct ranked_bits *bits, uint32_t number)
{
	uint64_t lower = bits->words[number / 64] & ((UINT64_C(1) << number % 64) - 1);

	return bits->below[number / 64] + (uint32_t)__builtin_popcountll(lower);
}

/* The highest one up to a number; 0 where there is none. */
static inline uint32_t
ranked_bits_up_to(const struct ranked_bits *bits, uint32_t number)
{
	uint32_t at = number / 64;
	uint64_t found = bits->words[at] & (UINT64_MAX >> (63 - number % 64));

	while (found == 0 && at > 0)
		found = bits->words[--at];
	return found == 0 ? 0 : at * 64 + 63 - (uint32_t)__builtin_clzll(found);
}

#endif
