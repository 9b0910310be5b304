/* SPDX-License-Identifier: MIT
 * path_nearness: for each block, where on which walks it is; a piece of a path is followed on all walks that have
 * it. */
#include "path/path_nearness.h"

#include "base/memory.h"

#include <stdlib.h>

struct place { uint32_t walk, at; };

struct places { ARRAY(struct place) list; };

struct path_nearness {
	const struct flow_graph *graph;
	ARRAY(const struct flow_path *) walks;
	struct places *of_block;
	struct places followed;		/* the places of the last block of a piece */
};

void
path_nearness_open(struct path_nearness **out, const struct flow_graph *graph)
{
	struct path_nearness *n = mem_new(1, sizeof *n);

	n->graph = graph;
	n->of_block = mem_new(graph->blocks.count + 1, sizeof *n->of_block);
	*out = n;
}

void
path_nearness_close(struct path_nearness *n)
{
	if (n == NULL)
		return;
	for (uint32_t b = 0; b < n->graph->blocks.count; b++)
		array_release(&n->of_block[b].list);
	free(n->of_block);
	array_release(&n->walks);
	array_release(&n->followed.list);
	free(n);
}

void
path_nearness_add(struct path_nearness *n, const struct flow_path *walked)
{
	*array_push(&n->walks) = walked;
	for (uint32_t k = 0; k < walked->blocks.count; k++)
		*array_push(&n->of_block[walked->blocks.at[k]].list) =
			(struct place){ (uint32_t)n->walks.count - 1, k };
}

/* The block that follows a place; NO_BLOCK at the end of its walk. */
static uint32_t
block_behind(const struct path_nearness *n, struct place place)
{
	const struct flow_path *walk = n->walks.at[place.walk];

	return place.at + 1 < walk->blocks.count ? walk->blocks.at[place.at + 1] : NO_BLOCK;
}

/* The last block of the longest piece from one on that a walk has. */
static size_t
follow(struct path_nearness *n, const struct flow_path *path, size_t from)
{
	struct places *now = &n->followed;
	const struct places *first = &n->of_block[path->blocks.at[from]];

	now->list.count = 0;
	for (; from + 1 < path->blocks.count; from++) {
		const struct places *before = first != NULL ? first : now;
		size_t kept = 0;

		if (first != NULL)
			array_reserve(&now->list, first->list.count);
		for (size_t i = 0; i < before->list.count; i++)
			if (block_behind(n, before->list.at[i]) == path->blocks.at[from + 1])
				now->list.at[kept++] =
					(struct place){ before->list.at[i].walk, before->list.at[i].at + 1 };
		now->list.count = kept;
		first = NULL;
		if (kept == 0)
			break;
	}
	return from;
}

struct path_turns
path_nearness_of(struct path_nearness *n, const struct flow_path *path)
{
	struct path_turns found = { 0 };
	size_t at = follow(n, path, 0);

	while (at + 1 < path->blocks.count) {
		size_t next;

		if (n->graph->blocks.at[path->blocks.at[at]].out.count > 1 && found.turns++ == 0)
			found.first = at;
		next = follow(n, path, at);
		at = next > at ? next : follow(n, path, at + 1);
	}
	return found;
}
