/* SPDX-License-Identifier: MIT
 * walked_paths: a list, and a map of the hashes of blocks. */
#include "path/walked_paths.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

bool
walked_paths_add(struct walked_paths *w, const uint32_t *blocks, size_t count, uint64_t times)
{
	uint64_t hash = XXH3_64bits(blocks, count * sizeof *blocks);
	uint32_t at = hash_map_start(&w->by_blocks, hash), id;
	struct walked_path *added;

	while ((id = hash_map_next(&w->by_blocks, hash, &at)) != 0) {
		struct walked_path *known = &w->list.at[id - 1];

		if (known->path.blocks.count != count ||
		    memcmp(known->path.blocks.at, blocks, count * sizeof *blocks) != 0)
			continue;
		known->count += times;
		return false;
	}
	added = array_push(&w->list);
	*added = (struct walked_path){ .count = times };
	array_reserve(&added->path.blocks, count);
	memcpy(added->path.blocks.at, blocks, count * sizeof *blocks);
	added->path.blocks.count = count;
	hash_map_put(&w->by_blocks, hash, (uint32_t)w->list.count);
	return true;
}

static int
compare_walked(const void *a, const void *b)
{
	const struct walked_path *x = a, *y = b;
	size_t count = x->path.blocks.count;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (count != y->path.blocks.count)
		return count < y->path.blocks.count ? -1 : 1;
	for (size_t k = 0; k < count; k++)
		if (x->path.blocks.at[k] != y->path.blocks.at[k])
			return x->path.blocks.at[k] < y->path.blocks.at[k] ? -1 : 1;
	return 0;
}

void
walked_paths_rank(struct walked_paths *w)
{
	if (w->list.count > 1)
		qsort(w->list.at, w->list.count, sizeof *w->list.at, compare_walked);
	hash_map_release(&w->by_blocks);
}

void
walked_paths_release(struct walked_paths *w)
{
	for (size_t i = 0; i < w->list.count; i++)
		array_release(&w->list.at[i].path.blocks);
	array_release(&w->list);
	hash_map_release(&w->by_blocks);
}
