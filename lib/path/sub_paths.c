/* SPDX-License-Identifier: MIT
 * sub_paths: states are beginnings of paths. A state's shorter ends that are states too follow by links, so only the
 * longest is counted at a step, and the others are added once at the end. */
#include "path/sub_paths.h"

#include <xxhash.h>

#define NONE UINT32_MAX

struct state { uint32_t from, block, link; };

struct sub_paths {
	ARRAY(struct state) states;
	struct hash_map index;		/* by (from, block) */
	uint32_t *order;		/* shorter states first */
	uint32_t *end;			/* of each path: its state */
	size_t count;
};

static uint64_t
hash_of(uint32_t from, uint32_t block)
{
	const uint32_t key[2] = { from, block };

	return XXH3_64bits(key, sizeof key);
}

static uint32_t
find(const struct sub_paths *s, uint32_t from, uint32_t block)
{
	uint64_t hash = hash_of(from, block);
	uint32_t at = hash_map_start(&s->index, hash), id;

	while ((id = hash_map_next(&s->index, hash, &at)) != 0)
		if (s->states.at[id].from == from && s->states.at[id].block == block)
			return id;
	return NONE;
}

/* The longest state that ends with the blocks of `from` and the block. */
uint32_t
sub_paths_follow(const struct sub_paths *s, uint32_t from, uint32_t block)
{
	uint32_t next;

	while ((next = find(s, from, block)) == NONE && from != SUB_PATHS_START)
		from = s->states.at[from].link;
	return next != NONE ? next : SUB_PATHS_START;
}

static void
add_path(struct sub_paths *s, const struct flow_path *path, size_t number, uint32_t *depth_of)
{
	uint32_t state = SUB_PATHS_START;

	for (size_t i = 0; i < path->blocks.count; i++) {
		uint32_t next = find(s, state, path->blocks.at[i]);

		if (next == NONE) {
			next = (uint32_t)s->states.count;
			*array_push(&s->states) = (struct state){ state, path->blocks.at[i], SUB_PATHS_START };
			hash_map_put(&s->index, hash_of(state, path->blocks.at[i]), next);
			depth_of[next] = (uint32_t)i + 1;
		}
		state = next;
	}
	s->end[number] = state;
}

/* States by length: a count of each length, then each in its place. */
static void
put_in_order(struct sub_paths *s, const uint32_t *depth_of, uint32_t deepest)
{
	uint32_t *first = mem_new((size_t)deepest + 2, sizeof *first);

	s->order = mem_new(s->states.count, sizeof *s->order);
	for (size_t i = 0; i < s->states.count; i++)
		first[depth_of[i] + 1]++;
	for (uint32_t d = 1; d <= deepest; d++)
		first[d] += first[d - 1];
	for (size_t i = 0; i < s->states.count; i++)
		s->order[first[depth_of[i]]++] = (uint32_t)i;
	free(first);
}

void
sub_paths_open(struct sub_paths **out, const struct flow_path *paths, size_t count)
{
	struct sub_paths *s = *out = mem_new(1, sizeof *s);
	size_t blocks = 1;
	uint32_t *depth_of, deepest = 0;

	for (size_t i = 0; i < count; i++) {
		blocks += paths[i].blocks.count;
		deepest = paths[i].blocks.count > deepest ? (uint32_t)paths[i].blocks.count : deepest;
	}
	depth_of = mem_new(blocks, sizeof *depth_of);
	s->count = count;
	s->end = mem_new(count + 1, sizeof *s->end);
	*array_push(&s->states) = (struct state){ NONE, NONE, SUB_PATHS_START };
	for (size_t i = 0; i < count; i++)
		add_path(s, &paths[i], i, depth_of);
	put_in_order(s, depth_of, deepest);
	for (size_t i = 1; i < s->states.count; i++) {	/* a link leads to a shorter state, whose own is known by
							 * then */
		struct state *state = &s->states.at[s->order[i]];

		if (state->from != SUB_PATHS_START)
			state->link = sub_paths_follow(s, s->states.at[state->from].link, state->block);
	}
	free(depth_of);
}

void
sub_paths_close(struct sub_paths *s)
{
	if (s == NULL)
		return;
	array_release(&s->states);
	hash_map_release(&s->index);
	free(s->order);
	free(s->end);
	free(s);
}

uint32_t
sub_paths_states(const struct sub_paths *s)
{
	return (uint32_t)s->states.count;
}

uint32_t
sub_paths_block(const struct sub_paths *s, uint32_t state)
{
	return s->states.at[state].block;
}

void
sub_paths_counts(const struct sub_paths *s, uint64_t *visits, uint64_t *counts)
{
	for (size_t i = s->states.count; i-- > 1; )	/* longer ones first: each passes on what it has to its link */
		visits[s->states.at[s->order[i]].link] += visits[s->order[i]];
	for (size_t i = 0; i < s->count; i++)
		counts[i] = visits[s->end[i]];
}

uint32_t
sub_paths_link(const struct sub_paths *s, uint32_t state)
{
	return s->states.at[state].link;
}

uint32_t
sub_paths_from(const struct sub_paths *s, uint32_t state)
{
	return s->states.at[state].from;
}

uint32_t
sub_paths_end(const struct sub_paths *s, size_t path)
{
	return s->end[path];
}

const uint32_t *
sub_paths_order(const struct sub_paths *s)
{
	return s->order;
}
