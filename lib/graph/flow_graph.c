/* SPDX-License-Identifier: MIT
 * flow_graph: blocks by name and edges by their ends, and searches that use no recursion. */
#include "graph/flow_graph.h"

#include "base/bytes.h"
#include "base/text_buffer.h"

#include <xxhash.h>

static const char ENTRY_BEFORE[] = "(entry)";

/* --- making --- */

static char *
copy_text(struct stk_text text)
{
	char *copy = mem_new(text.size + 1, 1);

	memcpy(copy, text.data, text.size);
	return copy;
}

struct flow_graph *
flow_graph_new(struct stk_text function)
{
	struct flow_graph *g = mem_new(1, sizeof *g);

	g->function = copy_text(function);
	return g;
}

void
flow_graph_free(struct flow_graph *g)
{
	if (g == NULL)
		return;
	for (size_t i = 0; i < g->blocks.count; i++) {
		free(g->blocks.at[i].name);
		array_release(&g->blocks.at[i].out);
		array_release(&g->blocks.at[i].in);
		for (size_t k = 0; k < g->blocks.at[i].calls.count; k++)
			free(g->blocks.at[i].calls.at[k]);
		array_release(&g->blocks.at[i].calls);
	}
	array_release(&g->blocks);
	array_release(&g->edges);
	hash_map_release(&g->by_name);
	hash_map_release(&g->by_ends);
	free(g->function);
	free(g);
}

static uint64_t
hash_of_ends(uint32_t from, uint32_t to)
{
	uint64_t ends = (uint64_t)from << 32 | to;

	return XXH3_64bits(&ends, sizeof ends);
}

uint32_t
flow_graph_find(const struct flow_graph *g, struct stk_text name)
{
	uint64_t hash = XXH3_64bits(name.data, name.size);
	uint32_t at = hash_map_start(&g->by_name, hash), id;

	while ((id = hash_map_next(&g->by_name, hash, &at)) != 0)
		if (text_is(name, g->blocks.at[id - 1].name))
			return id - 1;
	return NO_BLOCK;
}

uint32_t
flow_graph_add_block(struct flow_graph *g, struct stk_text name)
{
	uint32_t block = flow_graph_find(g, name);

	if (block != NO_BLOCK)
		return block;
	*array_push(&g->blocks) = (struct flow_block){ .name = copy_text(name) };
	hash_map_put(&g->by_name, XXH3_64bits(name.data, name.size), (uint32_t)g->blocks.count);
	return (uint32_t)g->blocks.count - 1;
}

uint32_t
flow_graph_edge(const struct flow_graph *g, uint32_t from, uint32_t to)
{
	uint64_t hash = hash_of_ends(from, to);
	uint32_t at = hash_map_start(&g->by_ends, hash), id;

	while ((id = hash_map_next(&g->by_ends, hash, &at)) != 0)
		if (g->edges.at[id - 1].from == from && g->edges.at[id - 1].to == to)
			return id - 1;
	return NO_EDGE;
}

void
flow_graph_add_edge(struct flow_graph *g, uint32_t from, uint32_t to)
{
	uint32_t edge = (uint32_t)g->edges.count;

	if (flow_graph_edge(g, from, to) != NO_EDGE)
		return;
	*array_push(&g->edges) = (struct flow_edge){ from, to };
	hash_map_put(&g->by_ends, hash_of_ends(from, to), edge + 1);
	*array_push(&g->blocks.at[from].out) = edge;
	*array_push(&g->blocks.at[to].in) = edge;
}

void
flow_graph_add_call(struct flow_graph *g, uint32_t block, struct stk_text name)
{
	struct flow_block *from = &g->blocks.at[block];

	for (size_t k = 0; k < from->calls.count; k++)
		if (text_is(name, from->calls.at[k]))
			return;
	*array_push(&from->calls) = copy_text(name);
}

bool
flow_graph_is_called(const struct flow_graph *g, uint32_t block, struct stk_text name)
{
	struct stk_text whole = text_from(g->blocks.at[block].name);
	const char *at = memrchr(whole.data, '@', whole.size);

	if (text_equal(name, whole))
		return true;
	return at != NULL && (text_equal(name, text_of(whole.data, (size_t)(at - whole.data))) ||
			      text_equal(name, text_of(at, whole.size - (size_t)(at - whole.data))));
}

size_t
flow_path_first(const struct flow_graph *g, const struct flow_path *path)
{
	return path->blocks.count > 0 && path->blocks.at[0] == g->entry && g->entry != g->first;
}

/* --- searches --- */

struct flow_path
flow_path_copy(const struct flow_path *path)
{
	struct flow_path copy = { 0 };

	array_reserve(&copy.blocks, path->blocks.count);
	memcpy(copy.blocks.at, path->blocks.at, path->blocks.count * sizeof *path->blocks.at);
	copy.blocks.count = path->blocks.count;
	return copy;
}

void
flow_graph_reach(const struct flow_graph *g, uint32_t from, bool forwards, bool *reached)
{
	uint32_t *todo = mem_new(g->blocks.count, sizeof *todo);
	size_t count = 0;

	reached[from] = true;
	todo[count++] = from;
	while (count > 0) {
		const struct flow_block *block = &g->blocks.at[todo[--count]];
		size_t edges = forwards ? block->out.count : block->in.count;

		for (size_t i = 0; i < edges; i++) {
			const struct flow_edge *edge = &g->edges.at[forwards ? block->out.at[i] : block->in.at[i]];
			uint32_t next = forwards ? edge->to : edge->from;

			if (!reached[next]) {
				reached[next] = true;
				todo[count++] = next;
			}
		}
	}
	free(todo);
}

/* Depth first from the entry, or against the edges from the exit. */
struct search {
	const struct flow_graph *graph;
	bool against;
	const bool *ignore;
	bool *back;			/* NULL: not wanted */
	uint32_t *left;			/* blocks in the order in which they were left; NULL */
	uint32_t count;
};

static void
search(struct search *s)
{
	enum { UNSEEN, OPEN, LEFT };
	const struct flow_graph *g = s->graph;
	struct { uint32_t block, next; } *stack = mem_new(g->blocks.count + 1, sizeof *stack);
	unsigned char *state = mem_new(g->blocks.count, 1);
	size_t depth = 0;

	stack[depth++].block = s->against ? g->exit : g->entry;
	state[stack[0].block] = OPEN;
	while (depth > 0) {
		const struct flow_block *block = &g->blocks.at[stack[depth - 1].block];
		uint32_t edge, to;

		if (stack[depth - 1].next == (s->against ? block->in.count : block->out.count)) {
			state[stack[--depth].block] = LEFT;
			if (s->left != NULL)
				s->left[s->count] = stack[depth].block;
			s->count++;
			continue;
		}
		edge = (s->against ? block->in.at : block->out.at)[stack[depth - 1].next++];
		to = s->against ? g->edges.at[edge].from : g->edges.at[edge].to;
		if (s->ignore != NULL && s->ignore[edge])
			continue;
		if (state[to] == OPEN && s->back != NULL)
			s->back[edge] = true;
		if (state[to] == UNSEEN) {
			state[to] = OPEN;
			stack[depth].block = to;
			stack[depth++].next = 0;
		}
	}
	free(state);
	free(stack);
}

void
flow_graph_back_edges(const struct flow_graph *g, bool *back)
{
	search(&(struct search){ .graph = g, .back = back });
}

uint32_t
flow_graph_order(const struct flow_graph *g, const bool *ignore, uint32_t *order)
{
	struct search s = { .graph = g, .ignore = ignore, .left = order };

	search(&s);
	for (uint32_t i = 0; i < s.count / 2; i++) {
		uint32_t other = order[i];

		order[i] = order[s.count - 1 - i];
		order[s.count - 1 - i] = other;
	}
	return s.count;
}

/* Two walks to the exit meet where the one that is farther from it has come as near as the other, and so on. */
static uint32_t
meet(const uint32_t *after, const uint32_t *nearness, uint32_t a, uint32_t b)
{
	while (a != b)
		if (nearness[a] < nearness[b])
			a = after[a];
		else
			b = after[b];
	return a;
}

/* The algorithm of Cooper, Harvey and Kennedy: intersects what is known of the successors, until nothing changes. */
void
flow_graph_post_dominators(const struct flow_graph *g, uint32_t *after)
{
	uint32_t *left = mem_new(g->blocks.count, sizeof *left), *nearness = mem_new(g->blocks.count, sizeof *nearness);
	struct search s = { .graph = g, .against = true, .left = left };
	bool changed = true;

	search(&s);
	for (uint32_t b = 0; b < g->blocks.count; b++)
		after[b] = NO_BLOCK;
	for (uint32_t i = 0; i < s.count; i++)
		nearness[left[i]] = i;
	after[g->exit] = g->exit;
	while (changed) {
		changed = false;
		for (uint32_t i = s.count - 1; i-- > 0; ) {
			const struct flow_block *block = &g->blocks.at[left[i]];
			uint32_t found = NO_BLOCK;

			for (size_t k = 0; k < block->out.count; k++) {
				uint32_t to = g->edges.at[block->out.at[k]].to;

				if (after[to] != NO_BLOCK)
					found = found == NO_BLOCK ? to : meet(after, nearness, found, to);
			}
			changed |= after[left[i]] != found;
			after[left[i]] = found;
		}
	}
	after[g->exit] = NO_BLOCK;
	free(left);
	free(nearness);
}

/* --- sealing --- */

static int
check_walks(const struct flow_graph *g, uint32_t *fault, struct stk_error *err)
{
	bool *from_entry = mem_new(g->blocks.count, sizeof *from_entry),
	     *to_exit = mem_new(g->blocks.count, sizeof *to_exit);

	flow_graph_reach(g, g->entry, true, from_entry);
	flow_graph_reach(g, g->exit, false, to_exit);
	if (!from_entry[g->exit]) {
		*fault = g->exit;
		(void)stk_fail(err, STK_EUSAGE, "no walk leads from the entry '%s' to the exit '%s'",
			       g->blocks.at[g->first].name, g->blocks.at[g->exit].name);
	}
	for (uint32_t b = 0; b < g->blocks.count && err->code == STK_EOK; b++) {
		*fault = b;
		if (!from_entry[b])
			(void)stk_fail(err, STK_EUSAGE, "block '%s' cannot be reached from the entry '%s'",
				       g->blocks.at[b].name, g->blocks.at[g->first].name);
		else if (!to_exit[b])
			(void)stk_fail(
				err, STK_EUSAGE,
				"block '%s' does not lead to the exit '%s': give it, or a block of its loop, an edge there",
				g->blocks.at[b].name, g->blocks.at[g->exit].name);
	}
	free(from_entry);
	free(to_exit);
	return err->code == STK_EOK ? 0 : -1;
}

int
flow_graph_seal(struct flow_graph *g, uint32_t entry, uint32_t exit, uint32_t *fault, struct stk_error *err)
{
	g->entry = g->first = *fault = entry;
	g->exit = exit;
	if (entry == exit)
		return stk_fail(err, STK_EUSAGE,
				"block '%s' is the entry and the exit: a function of one block has one path",
				g->blocks.at[entry].name);
	*fault = exit;
	if (g->blocks.at[exit].out.count > 0)
		return stk_fail(err, STK_EUSAGE, "the exit '%s' has successors", g->blocks.at[exit].name);
	if (g->blocks.at[entry].in.count > 0) {
		*fault = entry;
		if (flow_graph_find(g, text_from(ENTRY_BEFORE)) != NO_BLOCK)
			return stk_fail(err, STK_EUSAGE,
					"the entry '%s' has predecessors, and a block called '%s' exists already",
					g->blocks.at[entry].name, ENTRY_BEFORE);
		g->entry = flow_graph_add_block(g, text_from(ENTRY_BEFORE));
		flow_graph_add_edge(g, g->entry, entry);
	}
	return check_walks(g, fault, err);
}

/* --- parts --- */

struct flow_graph *
flow_graph_part(const struct flow_graph *g, const bool *keep, uint32_t entry, uint32_t exit, uint32_t **origin)
{
	struct flow_graph *part = flow_graph_new(text_from(g->function));

	*origin = mem_new(g->edges.count + 1, sizeof **origin);
	for (uint32_t b = 0; b < g->blocks.count; b++)
		(void)flow_graph_add_block(part, text_from(g->blocks.at[b].name));
	for (uint32_t e = 0; e < g->edges.count; e++)
		if (keep[e]) {
			(*origin)[part->edges.count] = e;
			flow_graph_add_edge(part, g->edges.at[e].from, g->edges.at[e].to);
		}
	part->entry = part->first = entry;
	part->exit = exit;
	return part;
}

static void
add_name(struct text_buffer *to, const char *name)
{
	add_bytes(to, name, strlen(name) + 1);
}

uint64_t
flow_graph_checksum(const struct flow_graph *g)
{
	struct text_buffer text = { 0 };
	uint64_t sum;

	for (uint32_t b = 0; b < g->blocks.count; b++) {
		const struct flow_block *block = &g->blocks.at[b];

		add_name(&text, block->name);
		for (size_t i = 0; i < block->out.count; i++)
			add_name(&text, g->blocks.at[g->edges.at[block->out.at[i]].to].name);
		add_char(&text, '\n');
	}
	add_name(&text, g->blocks.at[g->entry].name);
	add_string(&text, g->blocks.at[g->exit].name);
	sum = XXH3_64bits(text.at, text.count);
	array_release(&text);
	return sum;
}

/* Blocks that lead to the beginning of an edge that leads back are between its ends. */
static void
mark_loop(const struct flow_graph *g, uint32_t e, bool *in_loop, bool *seen, uint32_t *todo)
{
	size_t open = 0;

	memset(seen, 0, g->blocks.count * sizeof *seen);
	seen[g->edges.at[e].to] = in_loop[g->edges.at[e].to] = true;
	if (!seen[g->edges.at[e].from]) {
		seen[g->edges.at[e].from] = in_loop[g->edges.at[e].from] = true;
		todo[open++] = g->edges.at[e].from;
	}
	while (open > 0) {
		const struct flow_block *block = &g->blocks.at[todo[--open]];

		for (size_t k = 0; k < block->in.count; k++) {
			uint32_t from = g->edges.at[block->in.at[k]].from;

			if (seen[from])
				continue;
			seen[from] = in_loop[from] = true;
			todo[open++] = from;
		}
	}
}

uint32_t
flow_graph_loop_blocks(const struct flow_graph *g, const bool *back)
{
	bool *in_loop = mem_new(g->blocks.count, sizeof *in_loop), *seen = mem_new(g->blocks.count, sizeof *seen);
	uint32_t *todo = mem_new(g->blocks.count, sizeof *todo), count = 0;

	for (uint32_t e = 0; e < g->edges.count; e++)
		if (back[e])
			mark_loop(g, e, in_loop, seen, todo);
	for (uint32_t b = 0; b < g->blocks.count; b++)
		count += in_loop[b];
	free(in_loop);
	free(seen);
	free(todo);
	return count;
}
