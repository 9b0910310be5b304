/* SPDX-License-Identifier: MIT
 * pair_sums: a hash map from two numbers to two sums. */
#include "base/pair_sums.h"

#include "base/text_table.h"	/* hash_pair */

static void
map_next(struct pair_sums *sums)
{
	const struct pair_sum *next = &sums->sums.at[sums->mapped++];

	hash_map_put(&sums->map, hash_pair(next->a, next->b), (uint32_t)sums->mapped);
}

struct pair_sum *
pair_sums_at(struct pair_sums *sums, uint32_t a, uint32_t b)
{
	uint64_t hash = hash_pair(a, b);
	uint32_t at, number;

	if (sums->mapped < sums->sums.count)
		hash_map_reserve(&sums->map, sums->sums.count);
	while (sums->mapped < sums->sums.count)
		map_next(sums);
	at = hash_map_start(&sums->map, hash);
	while ((number = hash_map_next(&sums->map, hash, &at)) != 0)
		if (sums->sums.at[number - 1].a == a && sums->sums.at[number - 1].b == b)
			return &sums->sums.at[number - 1];
	*array_push(&sums->sums) = (struct pair_sum){ a, b, 0, 0 };
	map_next(sums);
	return &sums->sums.at[sums->sums.count - 1];
}

void
pair_sums_add(struct pair_sums *sums, const struct pair_sum *from)
{
	struct pair_sum *to = pair_sums_at(sums, from->a, from->b);

	to->count += from->count;
	to->weight += from->weight;
}

void
pair_sums_clear(struct pair_sums *sums)
{
	hash_map_clear(&sums->map);
	sums->sums.count = sums->mapped = 0;
}

void
pair_sums_release(struct pair_sums *sums)
{
	hash_map_release(&sums->map);
	array_release(&sums->sums);
	sums->mapped = 0;
}
