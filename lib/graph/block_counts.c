/* SPDX-License-Identifier: MIT
 * block_counts: visits are added along each path. */
#include "graph/block_counts.h"

#include "base/bytes.h"
#include "base/memory.h"

#include <stdlib.h>

void
block_counts_open(struct block_counts *c, const struct flow_graph *graph)
{
	*c = (struct block_counts){ .graph = graph };
	c->of_block = mem_new(graph->blocks.count + 1, sizeof *c->of_block);
	c->of_edge = mem_new(graph->edges.count + 1, sizeof *c->of_edge);
}

void
block_counts_release(struct block_counts *c)
{
	free(c->of_block);
	free(c->of_edge);
	*c = (struct block_counts){ 0 };
}

static bool
is_path(const struct flow_graph *g, struct stk_text path)
{
	uint32_t last = NO_BLOCK;

	while (path.size > 0) {
		uint32_t block = flow_graph_find(g, text_take(&path, ' '));

		if (block == NO_BLOCK || (last != NO_BLOCK && flow_graph_edge(g, last, block) == NO_EDGE))
			return false;
		last = block;
	}
	return last != NO_BLOCK;
}

bool
block_counts_add(struct block_counts *c, struct stk_text path, uint64_t times)
{
	uint32_t last = NO_BLOCK;

	if (!is_path(c->graph, path))
		return false;
	while (path.size > 0) {
		uint32_t block = flow_graph_find(c->graph, text_take(&path, ' '));

		c->of_block[block] += times;
		if (last != NO_BLOCK)
			c->of_edge[flow_graph_edge(c->graph, last, block)] += times;
		last = block;
	}
	return true;
}

/* --- edges between pieces --- */

struct unsettled {
	struct block_counts *counts;
	bool *back;			/* edges whose passes between pieces are not known yet */
	uint64_t *left, *arrived;	/* by block: pieces that end there to go on by these edges; that begin there */
	uint32_t *ways_out, *ways_in;	/* by block: how many of these edges it has */
	bool whole;			/* as many begin as end; fewer do when a call did not end */
};

static uint64_t
passed_by(const struct block_counts *c, const uint32_t *edges, size_t count)
{
	uint64_t sum = 0;

	for (size_t k = 0; k < count; k++)
		sum += c->of_edge[edges[k]];
	return sum;
}

static void
find_unsettled(struct unsettled *u)
{
	const struct flow_graph *g = u->counts->graph;
	uint64_t ends = 0, begins = 0;

	flow_graph_back_edges(g, u->back);
	for (uint32_t b = 0; b < g->blocks.count; b++) {
		const struct flow_block *block = &g->blocks.at[b];
		uint64_t visits = u->counts->of_block[b], out = passed_by(u->counts, block->out.at, block->out.count),
			 in = passed_by(u->counts, block->in.at, block->in.count);

		u->left[b] = b != g->exit && visits > out ? visits - out : 0;
		u->arrived[b] = b != g->entry && visits > in ? visits - in : 0;
		ends += u->left[b];
		begins += u->arrived[b];
		for (size_t k = 0; k < block->out.count; k++)
			u->ways_out[b] += u->back[block->out.at[k]];
		for (size_t k = 0; k < block->in.count; k++)
			u->ways_in[b] += u->back[block->in.at[k]];
	}
	u->whole = ends == begins;
}

/* Where only one edge is left for what a block is left by, or come to by, or nothing is. */
static bool
settle_edge(struct unsettled *u, uint32_t edge)
{
	uint32_t from = u->counts->graph->edges.at[edge].from, to = u->counts->graph->edges.at[edge].to;
	bool by_source = u->ways_out[from] == 1 || u->left[from] == 0;
	uint64_t passed = by_source ? u->left[from] : u->arrived[to];

	if (!by_source && !(u->whole && (u->ways_in[to] == 1 || passed == 0)))
		return false;
	u->counts->of_edge[edge] += passed;
	u->left[from] -= passed < u->left[from] ? passed : u->left[from];
	u->arrived[to] -= passed < u->arrived[to] ? passed : u->arrived[to];
	u->ways_out[from]--;
	u->ways_in[to]--;
	u->back[edge] = false;
	return true;
}

static void
settle_edges(struct unsettled *u)
{
	uint32_t edges = (uint32_t)u->counts->graph->edges.count;
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t e = 0; e < edges; e++)
			more |= u->back[e] && settle_edge(u, e);
	}
	for (uint32_t e = 0; e < edges; e++)
		if (u->back[e])
			u->counts->of_edge[e] = EDGE_NOT_KNOWN;
}

void
block_counts_settle(struct block_counts *c)
{
	size_t blocks = c->graph->blocks.count;
	struct unsettled u = { .counts = c };

	u.back = mem_new(c->graph->edges.count + 1, sizeof *u.back);
	u.left = mem_new(blocks, sizeof *u.left);
	u.arrived = mem_new(blocks, sizeof *u.arrived);
	u.ways_out = mem_new(blocks, sizeof *u.ways_out);
	u.ways_in = mem_new(blocks, sizeof *u.ways_in);
	find_unsettled(&u);
	settle_edges(&u);
	free(u.back);
	free(u.left);
	free(u.arrived);
	free(u.ways_out);
	free(u.ways_in);
}
