/* SPDX-License-Identifier: MIT
 * path_trie: one node per prefix; the next state is found by (state, block). */
#include "path/path_trie.h"

#include <xxhash.h>

#define ROOT 0u

struct step { uint32_t state, block; };

struct path_trie {
	ARRAY(struct step) steps;	/* how a state is reached; the root has none */
	ARRAY(uint32_t) path;		/* of each state: the path that ends there, or TRIE_NOWHERE */
	struct hash_map index;
};

uint32_t
path_trie_next(const struct path_trie *t, uint32_t state, uint32_t block)
{
	const struct step step = { state, block };
	uint64_t hash = XXH3_64bits(&step, sizeof step);
	uint32_t at = hash_map_start(&t->index, hash), id;

	while ((id = hash_map_next(&t->index, hash, &at)) != 0)
		if (t->steps.at[id].state == state && t->steps.at[id].block == block)
			return id;
	return TRIE_NOWHERE;
}

static uint32_t
add_state(struct path_trie *t, uint32_t state, uint32_t block)
{
	const struct step step = { state, block };

	*array_push(&t->steps) = step;
	*array_push(&t->path) = TRIE_NOWHERE;
	if (t->steps.count > 1)
		hash_map_put(&t->index, XXH3_64bits(&step, sizeof step), (uint32_t)t->steps.count - 1);
	return (uint32_t)t->steps.count - 1;
}

void
path_trie_open(struct path_trie **out, const struct flow_path *paths, size_t count)
{
	struct path_trie *t = *out = mem_new(1, sizeof *t);

	(void)add_state(t, ROOT, 0);
	for (size_t i = 0; i < count; i++) {
		uint32_t state = ROOT;

		for (size_t k = 0; k < paths[i].blocks.count; k++) {
			uint32_t next = path_trie_next(t, state, paths[i].blocks.at[k]);

			state = next != TRIE_NOWHERE ? next : add_state(t, state, paths[i].blocks.at[k]);
		}
		t->path.at[state] = (uint32_t)i;
	}
}

void
path_trie_close(struct path_trie *t)
{
	if (t == NULL)
		return;
	array_release(&t->steps);
	array_release(&t->path);
	hash_map_release(&t->index);
	free(t);
}

uint32_t
path_trie_start(const struct path_trie *t, uint32_t block)
{
	return path_trie_next(t, ROOT, block);
}

uint32_t
path_trie_path(const struct path_trie *t, uint32_t state)
{
	return t->path.at[state];
}

uint32_t
path_trie_end(const struct path_trie *t, const struct flow_path *path)
{
	uint32_t state = ROOT;

	for (size_t k = 0; k < path->blocks.count; k++)
		state = path_trie_next(t, state, path->blocks.at[k]);
	return state;
}

uint32_t
path_trie_states(const struct path_trie *t)
{
	return (uint32_t)t->steps.count;
}

uint32_t
path_trie_from(const struct path_trie *t, uint32_t state)
{
	return t->steps.at[state].state;
}

uint32_t
path_trie_block(const struct path_trie *t, uint32_t state)
{
	return t->steps.at[state].block;
}
