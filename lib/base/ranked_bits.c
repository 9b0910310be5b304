/* SPDX-License-Identifier: MIT
 * ranked_bits: of each 64 bits it is known how many are before them. */
#include "base/ranked_bits.h"

#include "base/memory.h"

#include <stdlib.h>

static size_t
count_words(const struct ranked_bits *bits)
{
	return (size_t)bits->size / 64 + 1;
}

void
ranked_bits_open(struct ranked_bits *bits, uint32_t size)
{
	*bits = (struct ranked_bits){ .size = size };
	bits->words = mem_new(count_words(bits), sizeof *bits->words);
}

void
ranked_bits_release(struct ranked_bits *bits)
{
	free(bits->words);
	free(bits->below);
	*bits = (struct ranked_bits){ 0 };
}

void
ranked_bits_settle(struct ranked_bits *bits)
{
	uint32_t below = 0;

	bits->below = mem_resize(bits->below, count_words(bits), sizeof *bits->below);
	for (size_t at = 0; at < count_words(bits); at++) {
		bits->below[at] = below;
		below += (uint32_t)__builtin_popcountll(bits->words[at]);
	}
}
