/* SPDX-License-Identifier: MIT
 * random_paths: after many blocks a walk takes the shortest way out, so that every one ends. */
#include "path/random_paths.h"

#include "base/memory.h"

#include <stdlib.h>

#define BLOCKS_BY_CHANCE 1000
#define TRIES_A_PATH     100

struct random_walk {
	const struct flow_graph *graph;
	uint32_t *distance;		/* of each block from the exit, in edges */
	uint64_t state;
	ARRAY(uint32_t) blocks;
};

/* A number below `below`: SplitMix64, by Sebastiano Vigna. */
static uint32_t
chance(struct random_walk *walk, size_t below)
{
	uint64_t mix = walk->state += UINT64_C(0x9e3779b97f4a7c15);

	mix = (mix ^ mix >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mix = (mix ^ mix >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((mix ^ mix >> 31) % below);
}

/* Breadth first, from the exit backwards. */
static void
find_distances(struct random_walk *walk)
{
	const struct flow_graph *g = walk->graph;
	uint32_t *todo = mem_new(g->blocks.count, sizeof *todo), first = 0, last = 0;

	for (size_t b = 0; b < g->blocks.count; b++)
		walk->distance[b] = UINT32_MAX;
	walk->distance[g->exit] = 0;
	todo[last++] = g->exit;
	while (first < last) {
		const struct flow_block *block = &g->blocks.at[todo[first]];
		uint32_t further = walk->distance[todo[first++]] + 1;

		for (size_t k = 0; k < block->in.count; k++) {
			uint32_t from = g->edges.at[block->in.at[k]].from;

			if (walk->distance[from] != UINT32_MAX)
				continue;
			walk->distance[from] = further;
			todo[last++] = from;
		}
	}
	free(todo);
}

static uint32_t
next_block(struct random_walk *walk, uint32_t block)
{
	const struct flow_graph *g = walk->graph;
	const struct flow_block *at = &g->blocks.at[block];
	uint32_t nearest = g->edges.at[at->out.at[0]].to;

	if (walk->blocks.count < BLOCKS_BY_CHANCE)
		return g->edges.at[at->out.at[chance(walk, at->out.count)]].to;
	for (size_t k = 1; k < at->out.count; k++) {
		uint32_t to = g->edges.at[at->out.at[k]].to;

		nearest = walk->distance[to] < walk->distance[nearest] ? to : nearest;
	}
	return nearest;
}

void
random_paths_add(struct walked_paths *to, const struct flow_graph *g, size_t count, uint64_t seed,
		 random_path_filter *takes, void *context)
{
	struct random_walk walk = { .graph = g, .state = seed };
	size_t found = 0;

	walk.distance = mem_new(g->blocks.count, sizeof *walk.distance);
	find_distances(&walk);
	for (size_t tries = 0; found < count && tries / TRIES_A_PATH < count; tries++) {
		uint32_t block = g->first;

		walk.blocks.count = 0;
		*array_push(&walk.blocks) = block;
		while (block != g->exit)
			*array_push(&walk.blocks) = block = next_block(&walk, block);
		if (takes == NULL || takes(context, walk.blocks.at, walk.blocks.count))
			found += walked_paths_add(to, walk.blocks.at, walk.blocks.count, 0);
	}
	array_release(&walk.blocks);
	free(walk.distance);
}
