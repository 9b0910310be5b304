/* SPDX-License-Identifier: MIT
 * path_parts: the automaton of sub-paths counts what a search at every place finds, over alphabets so small that paths
 * overlap in all ways, and for 100,000 of them. */
#include "../lib/tap.h"

#include "path/sub_paths.h"

#include <stdlib.h>
#include <string.h>

static uint64_t seed = 0x9e3779b97f4a7c15u;

static unsigned
chance(unsigned below)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return (unsigned)(seed >> 33) % below;
}

static struct flow_path
random_path(size_t length, unsigned blocks)
{
	struct flow_path path = { 0 };

	while (path.blocks.count < length)
		*array_push(&path.blocks) = chance(blocks);
	return path;
}

static bool
same(const struct flow_path *a, const struct flow_path *b)
{
	return a->blocks.count == b->blocks.count &&
	       memcmp(a->blocks.at, b->blocks.at, a->blocks.count * sizeof *a->blocks.at) == 0;
}

static uint64_t
search(const struct flow_path *in, const struct flow_path *path)
{
	uint64_t count = 0;

	for (size_t i = 0; i + path->blocks.count <= in->blocks.count; i++)
		count += memcmp(in->blocks.at + i, path->blocks.at, path->blocks.count * sizeof *path->blocks.at) == 0;
	return count;
}

static void
walk(const struct sub_paths *s, const struct flow_path *path, uint64_t *visits)
{
	uint32_t state = SUB_PATHS_START;

	for (size_t i = 0; i < path->blocks.count; i++)
		visits[state = sub_paths_follow(s, state, path->blocks.at[i])]++;
}

static unsigned
try_once(void)
{
	struct flow_path paths[12], walked[3];
	unsigned blocks = 2 + chance(3), count = 0, wrong = 0;
	uint64_t counts[12], *visits;
	struct sub_paths *s;

	for (unsigned i = 0; i < 12; i++) {
		bool known = false;

		paths[count] = random_path(1 + chance(6), blocks);
		for (unsigned k = 0; k < count; k++)
			known |= same(&paths[k], &paths[count]);
		if (known)
			array_release(&paths[count].blocks);
		else
			count++;
	}
	sub_paths_open(&s, paths, count);
	visits = mem_new(sub_paths_states(s), sizeof *visits);
	for (unsigned i = 0; i < 3; i++) {
		walked[i] = random_path(50, blocks);
		walk(s, &walked[i], visits);
	}
	sub_paths_counts(s, visits, counts);
	free(visits);
	for (unsigned i = 0; i < count; i++)
		wrong += counts[i] !=
			 search(&walked[0], &paths[i]) + search(&walked[1], &paths[i]) + search(&walked[2], &paths[i]);
	sub_paths_close(s);
	for (unsigned i = 0; i < count; i++)
		array_release(&paths[i].blocks);
	for (unsigned i = 0; i < 3; i++)
		array_release(&walked[i].blocks);
	return wrong;
}

/* All that begin anywhere in one walk, of lengths 1 to 50: each occurs where it was taken from. */
static void
try_many(void)
{
	enum { PLACES = 2000, LONGEST = 50 };
	struct flow_path walked = random_path(PLACES + LONGEST, 3000),
			 *paths = mem_new((size_t)PLACES * LONGEST, sizeof *paths);
	uint64_t *counts = mem_new((size_t)PLACES * LONGEST, sizeof *counts), *visits;
	struct sub_paths *s;
	size_t count = 0, wrong = 0;

	for (size_t i = 0; i < PLACES; i++)
		for (size_t length = 1; length <= LONGEST; length++) {
			struct flow_path *path = &paths[count++];

			array_reserve(&path->blocks, length);
			memcpy(path->blocks.at, walked.blocks.at + i, length * sizeof *path->blocks.at);
			path->blocks.count = length;
		}
	sub_paths_open(&s, paths, count);
	visits = mem_new(sub_paths_states(s), sizeof *visits);
	walk(s, &walked, visits);
	sub_paths_counts(s, visits, counts);
	free(visits);
	for (size_t i = 0; i < count; i += 97)
		wrong += counts[i] != search(&walked, &paths[i]);
	ok(wrong == 0 && count == 100000, "%zu sub-paths of one walk: %zu wrong", count, wrong);
	sub_paths_close(s);
	for (size_t i = 0; i < count; i++)
		array_release(&paths[i].blocks);
	array_release(&walked.blocks);
	free(paths);
	free(counts);
}

int
main(void)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < 20000; i++)
		wrong += try_once();
	ok(wrong == 0, "20,000 sets over few blocks: %u wrong", wrong);
	try_many();
	return tap_end();
}
