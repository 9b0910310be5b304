/* SPDX-License-Identifier: MIT
 * path_pieces: the acyclic graph is made once; Ball and Larus's weights do the rest. */
#include "path/path_pieces.h"

#include "base/bytes.h"

#include <stdio.h>

static uint32_t
stand_in(struct flow_graph *g, const char *where, uint32_t block)
{
	char name[40];

	snprintf(name, sizeof name, "(%s %u)", where, block);
	return flow_graph_add_block(g, text_from(name));
}

/* The acyclic graph of epp: an edge back is replaced by a way from the entry to where it leads, and one from where it
 * begins to the exit. They go by blocks that stand in for it, because there may be edges between the same ends
 * already. */
static struct flow_graph *
without_back_edges(const struct flow_graph *g, const bool *back)
{
	uint32_t *origin;
	bool *keep = mem_new(g->edges.count + 1, sizeof *keep);
	struct flow_graph *part;

	for (uint32_t e = 0; e < g->edges.count; e++)
		keep[e] = !back[e];
	part = flow_graph_part(g, keep, g->entry, g->exit, &origin);
	for (uint32_t e = 0; e < g->edges.count; e++)
		if (back[e]) {
			uint32_t from = g->edges.at[e].from, to = g->edges.at[e].to,
				 again = stand_in(part, "again", to), broken = stand_in(part, "broken", from);

			flow_graph_add_edge(part, g->entry, again);
			flow_graph_add_edge(part, again, to);
			flow_graph_add_edge(part, from, broken);
			flow_graph_add_edge(part, broken, g->exit);
		}
	free(origin);
	free(keep);
	return part;
}

int
path_pieces_make(struct path_pieces *p, const struct flow_graph *g, struct stk_error *err)
{
	bool *none;
	int result;

	*p = (struct path_pieces){ .graph = g, .back = mem_new(g->edges.count + 1, sizeof *p->back) };
	flow_graph_back_edges(g, p->back);
	p->acyclic = without_back_edges(g, p->back);
	none = mem_new(p->acyclic->edges.count + 1, sizeof *none);
	result = edge_weights_of(&p->weights, p->acyclic, WEIGH_EPP, none, NULL, 0, err);
	free(none);
	return result;
}

void
path_pieces_release(struct path_pieces *p)
{
	edge_weights_release(&p->weights);
	flow_graph_free(p->acyclic);
	free(p->back);
}

static uint64_t
weight_between(const struct path_pieces *p, uint32_t from, uint32_t to)
{
	return p->weights.weight[flow_graph_edge(p->acyclic, from, to)];
}

uint64_t
path_pieces_weight(const struct path_pieces *p, uint32_t edge, uint64_t *ends, uint64_t *begins)
{
	uint32_t from = p->graph->edges.at[edge].from, to = p->graph->edges.at[edge].to;

	*ends = *begins = 0;
	if (!p->back[edge])
		return weight_between(p, from, to);
	*ends = weight_between(p, from, stand_in(p->acyclic, "broken", from));
	*begins = weight_between(p, p->graph->entry, stand_in(p->acyclic, "again", to));
	return 0;
}

bool
path_pieces_path(const struct path_pieces *p, uint64_t id, struct flow_path *path)
{
	bool begins_again, is_broken;
	size_t kept = 0;

	if (!edge_weights_path(&p->weights, p->acyclic, p->graph->entry, id, path))
		return false;
	/* a stand-in includes the entry before it, or the exit after it */
	begins_again = path->blocks.at[1] >= p->graph->blocks.count;
	is_broken = path->blocks.at[path->blocks.count - 2] >= p->graph->blocks.count;
	for (size_t i = begins_again ? 2 : 0; i < path->blocks.count - (is_broken ? 2 : 0); i++)
		path->blocks.at[kept++] = path->blocks.at[i];
	path->blocks.count = kept;
	return true;
}
