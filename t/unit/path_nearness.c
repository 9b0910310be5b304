/* SPDX-License-Identifier: MIT
 * path_nearness: the turns of a path are the fewest cuts into pieces that walks have, found by trying all cuts, and the
 * first is where no walk goes on. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "path/path_nearness.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 5, LONGEST = 9, WALKS = 4 };

static uint64_t seed = 0x9e3779b97f4a7c15u;

static unsigned
chance(unsigned below)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return (unsigned)(seed >> 33) % below;
}

static void
random_path(struct flow_path *path)
{
	*path = (struct flow_path){ 0 };
	for (unsigned length = 2 + chance(LONGEST - 1); path->blocks.count < length; )
		*array_push(&path->blocks) = chance(BLOCKS);
}

static bool
walked(const struct flow_path *walks, const uint32_t *piece, size_t size)
{
	for (unsigned w = 0; w < WALKS; w++)
		for (size_t i = 0; i + size <= walks[w].blocks.count; i++)
			if (memcmp(walks[w].blocks.at + i, piece, size * sizeof *piece) == 0)
				return true;
	return false;
}

/* The fewest turns that lead from a block to the end: after each piece that was walked, or on an edge that was not. */
static size_t
fewest(const struct flow_path *walks, const uint32_t *path, size_t size)
{
	size_t best = SIZE_MAX;

	if (size <= 1)
		return 0;
	for (size_t piece = 2; piece <= size && walked(walks, path, piece); piece++) {
		size_t rest = piece == size ? 0 : 1 + fewest(walks, path + piece - 1, size - piece + 1);

		best = rest < best ? rest : best;
		/* the turn may also be onto an edge that nobody took */
		if (piece < size && !walked(walks, path + piece - 1, 2)) {
			rest = 1 + fewest(walks, path + piece, size - piece);
			best = rest < best ? rest : best;
		}
	}
	if (best == SIZE_MAX)
		best = 1 + fewest(walks, path + 1, size - 1);
	return best;
}

static size_t
first_turn(const struct flow_path *walks, const struct flow_path *path)
{
	size_t size = 1;

	while (size < path->blocks.count && walked(walks, path->blocks.at, size + 1))
		size++;
	return size - 1;
}

int
main(void)
{
	struct flow_graph *graph = flow_graph_new(text_from("f"));
	unsigned wrong = 0, far = 0;

	for (uint32_t b = 0; b < BLOCKS; b++)
		(void)flow_graph_add_block(graph, text_of("abcde" + b, 1));
	for (uint32_t b = 0; b < BLOCKS * BLOCKS; b++)
		flow_graph_add_edge(graph, b / BLOCKS, b % BLOCKS);
	for (unsigned i = 0; i < 20000; i++) {
		struct path_nearness *nearness;
		struct flow_path walks[WALKS], path;
		struct path_turns found;

		path_nearness_open(&nearness, graph);
		for (unsigned w = 0; w < WALKS; w++) {
			random_path(&walks[w]);
			path_nearness_add(nearness, &walks[w]);
		}
		random_path(&path);
		found = path_nearness_of(nearness, &path);
		wrong += found.turns != fewest(walks, path.blocks.at, path.blocks.count) ||
			 (found.turns > 0 && found.first != first_turn(walks, &path));
		far += found.turns > 1;
		path_nearness_close(nearness);
		for (unsigned w = 0; w < WALKS; w++)
			array_release(&walks[w].blocks);
		array_release(&path.blocks);
	}
	ok(wrong == 0, "20,000 paths: %u wrong", wrong);
	ok(far > 2000, "%u of them have several turns", far);
	flow_graph_free(graph);
	return tap_end();
}
