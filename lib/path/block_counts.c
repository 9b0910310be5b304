/* SPDX-License-Identifier: MIT
 * block_counts: visits are added along each path. */
#include "path/block_counts.h"

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

/* The visits of a block that no edge on a path accounts for, given to its edges that lead back. */
static void
settle_block(struct block_counts *c, uint32_t number, const bool *back)
{
	const struct flow_block *block = &c->graph->blocks.at[number];
	uint64_t left = c->of_block[number];
	unsigned open = 0;

	for (size_t k = 0; k < block->out.count; k++) {
		uint64_t passed = c->of_edge[block->out.at[k]];

		left -= passed < left ? passed : left;
		open += back[block->out.at[k]];
	}
	for (size_t k = 0; k < block->out.count && left > 0; k++)
		if (back[block->out.at[k]] && open == 1)
			c->of_edge[block->out.at[k]] += left;
		else if (back[block->out.at[k]])
			c->of_edge[block->out.at[k]] = EDGE_NOT_KNOWN;
}

void
block_counts_settle(struct block_counts *c)
{
	bool *back = mem_new(c->graph->edges.count + 1, sizeof *back);

	flow_graph_back_edges(c->graph, back);
	for (uint32_t b = 0; b < c->graph->blocks.count; b++)
		settle_block(c, b, back);
	free(back);
}
