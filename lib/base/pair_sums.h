/* SPDX-License-Identifier: MIT
 * pair_sums: counts and weights by pairs of numbers. A zeroed struct is an empty one. */
#ifndef BASE_PAIR_SUMS_H
#define BASE_PAIR_SUMS_H

#include "base/array.h"
#include "base/hash_map.h"

struct pair_sum { uint32_t a, b; uint64_t count, weight; };

struct pair_sums {
	struct hash_map map;
	ARRAY(struct pair_sum) sums;	/* in the order in which they were met; whoever has pairs that are not there may
					 * push them */
	size_t mapped;			/* how many of them the map has: the others when it is asked next */
};

/* The sum of a pair, created when it is new. Valid until the next call. */
struct pair_sum *pair_sums_at(struct pair_sums *sums, uint32_t a, uint32_t b);
/* Its index in sums. */
static inline uint32_t
pair_sums_index(struct pair_sums *sums, uint32_t a, uint32_t b)
{
	return (uint32_t)(pair_sums_at(sums, a, b) - sums->sums.at);
}
/* Adds to the sum of the same pair. */
void pair_sums_add(struct pair_sums *sums, const struct pair_sum *from);
void pair_sums_clear(struct pair_sums *sums);
void pair_sums_release(struct pair_sums *sums);

#endif
