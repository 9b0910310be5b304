/* SPDX-License-Identifier: MIT
 * edge_weights: numbering from the exit backwards, pushing weights down, and removing those that no id needs. */
#include "path/edge_weights.h"

#include <xxhash.h>

#define STATES_MOST 4000000u		/* of one count of paths; a weight that needs more to prove it removable is
					 * kept */

struct weighing_state {
	const struct flow_graph *graph;
	const bool *interesting;
	uint64_t *weight;
	uint64_t *paths;		/* from each block to the exit */
	uint32_t *order, count;
};

/* --- numbering --- */

static int
number_edge(struct weighing_state *w, uint32_t edge, struct stk_error *err)
{
	const struct flow_edge *e = &w->graph->edges.at[edge];

	w->weight[edge] = w->paths[e->from];
	if (__builtin_add_overflow(w->paths[e->from], w->paths[e->to], &w->paths[e->from]))
		return stk_fail(err, STK_EUSAGE, "the graph of '%s' has more than 2^64 paths: ids would overflow",
				w->graph->function);
	return 0;
}

/* Edges that are of no interest are numbered first, so that those of interest get the large numbers; only_interesting:
 * the others get 0 and count no path. */
static int
number_all(struct weighing_state *w, bool only_interesting, struct stk_error *err)
{
	for (uint32_t i = w->count; i-- > 0; ) {
		uint32_t b = w->order[i];
		const struct flow_block *block = &w->graph->blocks.at[b];

		w->paths[b] = b == w->graph->exit;
		for (unsigned interesting = only_interesting; interesting < 2 && b != w->graph->exit; interesting++)
			for (size_t k = 0; k < block->out.count; k++)
				if (w->interesting[block->out.at[k]] == (interesting == 1) &&
				    number_edge(w, block->out.at[k], err) < 0)
					return -1;
	}
	return 0;
}

/* A weight on the only way into a block may as well lie on the ways out of it: sums stay. */
static void
push_down(struct weighing_state *w)
{
	for (uint32_t i = 0; i < w->count; i++) {
		uint32_t b = w->order[i];
		const struct flow_block *block = &w->graph->blocks.at[b];
		uint64_t weight;

		if (b == w->graph->entry || b == w->graph->exit || block->in.count != 1)
			continue;
		weight = w->weight[block->in.at[0]];
		w->weight[block->in.at[0]] = 0;
		for (size_t k = 0; k < block->out.count; k++)
			w->weight[block->out.at[k]] += weight;
	}
}

/* --- removing weights --- */

struct counted { uint64_t rest; uint32_t block; unsigned paths; };

struct counting {
	const struct weighing_state *weighing;
	const uint64_t *most;		/* the largest sum from each block to the exit */
	ARRAY(struct counted) known;
	struct hash_map index;
};

/* How many paths from the block to the exit have the sum `rest`: 0, 1, or 2 for more. What was counted once is
 * remembered. */
static unsigned
count_paths(struct counting *c, uint32_t b, uint64_t rest)
{
	const struct flow_graph *g = c->weighing->graph;
	struct { uint64_t rest, block; } key = { rest, b };
	uint64_t hash;
	uint32_t at, id;
	unsigned paths = 0;

	if (b == g->exit)
		return rest == 0;
	if (rest > c->most[b])
		return 0;
	hash = XXH3_64bits(&key, sizeof key);
	at = hash_map_start(&c->index, hash);
	while ((id = hash_map_next(&c->index, hash, &at)) != 0)
		if (c->known.at[id - 1].rest == rest && c->known.at[id - 1].block == b)
			return c->known.at[id - 1].paths;
	for (size_t k = 0; k < g->blocks.at[b].out.count && paths < 2; k++) {
		uint32_t edge = g->blocks.at[b].out.at[k];

		if (c->weighing->weight[edge] <= rest)
			paths += count_paths(c, g->edges.at[edge].to, rest - c->weighing->weight[edge]);
	}
	paths = paths < 2 ? paths : 2;
	if (c->known.count >= STATES_MOST)
		return 2;		/* too many to count: assume more than one */
	*array_push(&c->known) = (struct counted){ rest, b, paths };
	hash_map_put(&c->index, hash, (uint32_t)c->known.count);
	return paths;
}

static void
find_largest_sums(const struct weighing_state *w, uint64_t *most)
{
	for (uint32_t i = w->count; i-- > 0; ) {
		const struct flow_block *block = &w->graph->blocks.at[w->order[i]];

		most[w->order[i]] = 0;
		for (size_t k = 0; k < block->out.count; k++) {
			uint64_t sum = w->weight[block->out.at[k]] + most[w->graph->edges.at[block->out.at[k]].to];

			if (sum > most[w->order[i]])
				most[w->order[i]] = sum;
		}
	}
}

/* Whether each of the ids is the id of one path only. */
static bool
ids_are_sole(const struct weighing_state *w, struct counting *c, uint64_t *most, const uint64_t *ids, size_t count)
{
	bool sole = true;

	find_largest_sums(w, most);
	c->known.count = 0;
	hash_map_clear(&c->index);
	for (size_t i = 0; i < count && sole; i++)
		sole = count_paths(c, w->graph->entry, ids[i]) == 1;
	return sole;
}

/* Until no more can be removed. */
static void
take_off(struct weighing_state *w, const uint64_t *ids, size_t count)
{
	uint64_t *most = mem_new(w->graph->blocks.count, sizeof *most);
	struct counting c = { .weighing = w, .most = most };
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t e = 0; e < w->graph->edges.count; e++) {
			uint64_t weight = w->weight[e];

			if (w->interesting[e] || weight == 0)
				continue;
			w->weight[e] = 0;
			if (ids_are_sole(w, &c, most, ids, count))
				changed = true;
			else
				w->weight[e] = weight;
		}
	}
	array_release(&c.known);
	hash_map_release(&c.index);
	free(most);
}

static void
take_off_unneeded(struct weighing_state *w, const struct flow_path *paths, size_t count)
{
	const struct edge_weights weights = { .weight = w->weight };
	uint64_t *ids = mem_new(count + 1, sizeof *ids);

	for (size_t i = 0; i < count; i++)
		ids[i] = edge_weights_sum(&weights, w->graph, &paths[i]);
	take_off(w, ids, count);
	free(ids);
}

/* --- methods --- */

/* Edges that leave the interesting ones weigh as much as all ids together. */
static void
poison(struct weighing_state *w)
{
	bool *inside = mem_new(w->graph->blocks.count, sizeof *inside);

	for (uint32_t e = 0; e < w->graph->edges.count; e++)
		if (w->interesting[e])
			inside[w->graph->edges.at[e].from] = inside[w->graph->edges.at[e].to] = true;
	for (uint32_t e = 0; e < w->graph->edges.count; e++)
		if (!w->interesting[e] && inside[w->graph->edges.at[e].from])
			w->weight[e] = w->paths[w->graph->entry];
	free(inside);
}

static int
weigh(struct weighing_state *w, enum weighing how, const struct flow_path *paths, size_t count, struct stk_error *err)
{
	if (number_all(w, how == WEIGH_PREPP || how == WEIGH_POISON, err) < 0)
		return -1;
	if (how == WEIGH_SPP || how == WEIGH_ESPP)
		push_down(w);
	if (how == WEIGH_SPP)
		for (uint32_t e = 0; e < w->graph->edges.count; e++)
			w->weight[e] = w->interesting[e] ? w->weight[e] : 0;
	if (how == WEIGH_ESPP)
		take_off_unneeded(w, paths, count);
	if (how == WEIGH_POISON)
		poison(w);
	return 0;
}

static bool
has_loop(const struct flow_graph *g)
{
	bool *back = mem_new(g->edges.count + 1, sizeof *back), found = false;

	flow_graph_back_edges(g, back);
	for (uint32_t e = 0; e < g->edges.count; e++)
		found |= back[e];
	free(back);
	return found;
}

int
edge_weights_of(struct edge_weights *out, const struct flow_graph *graph, enum weighing how, const bool *interesting,
		const struct flow_path *paths, size_t count, struct stk_error *err)
{
	struct weighing_state w = { .graph = graph, .interesting = interesting };
	int result;

	*out = (struct edge_weights){ 0 };
	if (has_loop(graph))
		return stk_fail(err, STK_EUSAGE, "'%s' has a loop (this method needs a graph without)", graph->function);
	w.weight = out->weight = mem_new(graph->edges.count + 1, sizeof *w.weight);
	w.paths = mem_new(graph->blocks.count, sizeof *w.paths);
	w.order = mem_new(graph->blocks.count, sizeof *w.order);
	w.count = flow_graph_order(graph, NULL, w.order);
	result = weigh(&w, how, paths, count, err);
	out->paths = w.paths[graph->entry];
	free(w.paths);
	free(w.order);
	if (result < 0)
		edge_weights_release(out);
	return result;
}

void
edge_weights_release(struct edge_weights *weights)
{
	free(weights->weight);
	weights->weight = NULL;
}

uint64_t
edge_weights_sum(const struct edge_weights *weights, const struct flow_graph *graph, const struct flow_path *path)
{
	uint64_t sum = 0;

	for (size_t i = 1; i < path->blocks.count; i++)
		sum += weights->weight[flow_graph_edge(graph, path->blocks.at[i - 1], path->blocks.at[i])];
	return sum;
}

/* At each block the edge with the largest weight that is not more than what is left. */
bool
edge_weights_path(const struct edge_weights *weights, const struct flow_graph *graph, uint32_t from, uint64_t id,
		  struct flow_path *path)
{
	path->blocks.count = 0;
	*array_push(&path->blocks) = from;
	while (from != graph->exit) {
		const struct flow_block *block = &graph->blocks.at[from];
		uint32_t best = NO_EDGE;

		for (size_t k = 0; k < block->out.count; k++) {
			uint32_t edge = block->out.at[k];

			if (weights->weight[edge] <= id &&
			    (best == NO_EDGE || weights->weight[edge] > weights->weight[best]))
				best = edge;
		}
		if (best == NO_EDGE)
			return false;
		id -= weights->weight[best];
		from = graph->edges.at[best].to;
		*array_push(&path->blocks) = from;
	}
	return id == 0;
}
