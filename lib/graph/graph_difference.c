/* SPDX-License-Identifier: MIT
 * graph_difference: blocks are compared in order, each by its name and then by where it leads. */
#include "graph/graph_difference.h"

#include <string.h>

static const char *
name_of(const struct flow_graph *g, uint32_t block)
{
	return g->blocks.at[block].name;
}

static const char *
target_of(const struct flow_graph *g, uint32_t block, size_t way)
{
	return name_of(g, g->edges.at[g->blocks.at[block].out.at[way]].to);
}

/* The first way out of a block that is not the same; of one that has more, the first that the other does not have. */
static size_t
first_other_way(const struct flow_graph *a, const struct flow_graph *b, uint32_t block)
{
	size_t k = 0, ways = a->blocks.at[block].out.count, others = b->blocks.at[block].out.count;

	while (k < ways && k < others && strcmp(target_of(a, block, k), target_of(b, block, k)) == 0)
		k++;
	return k;
}

static bool
leads_alike(const struct flow_graph *a, const struct flow_graph *b, uint32_t block)
{
	size_t ways = a->blocks.at[block].out.count;

	return b->blocks.at[block].out.count == ways && first_other_way(a, b, block) == ways;
}

/* Where a block of the same name leads. */
static void
add_ways(struct text_buffer *to, const struct flow_graph *graph, const struct flow_graph *had, uint32_t block,
	 const char *other)
{
	size_t k = first_other_way(graph, had, block);
	bool is = k < graph->blocks.at[block].out.count, was = k < had->blocks.at[block].out.count;

	add_format(to, "its block '%s' leads to '%s'", name_of(graph, block),
		   target_of(is ? graph : had, block, k));
	if (is && was)
		add_format(to, " where %s has '%s'", other, target_of(had, block, k));
	else
		add_format(to, is ? ", not in %s" : " only in %s", other);
}

void
graph_add_difference(struct text_buffer *to, const struct flow_graph *graph, const struct flow_graph *had,
		     const char *other)
{
	uint32_t own = graph->blocks.count, others = had->blocks.count, b = 0;

	while (b < own && b < others && strcmp(name_of(graph, b), name_of(had, b)) == 0 && leads_alike(graph, had, b))
		b++;
	if (b < own && b < others && strcmp(name_of(graph, b), name_of(had, b)) == 0)
		add_ways(to, graph, had, b, other);
	else if (b < own && b < others)
		add_format(to, "it has block '%s' where %s has '%s'", name_of(graph, b), other, name_of(had, b));
	else if (b < own)
		add_format(to, "it has block '%s', which %s does not have", name_of(graph, b), other);
	else if (b < others)
		add_format(to, "it does not have block '%s' of %s", name_of(had, b), other);
	else if (graph->entry != had->entry)
		add_format(to, "it begins at '%s', %s at '%s'", name_of(graph, graph->entry), other,
			   name_of(had, had->entry));
	else if (graph->exit != had->exit)
		add_format(to, "it ends at '%s', %s at '%s'", name_of(graph, graph->exit), other,
			   name_of(had, had->exit));
}
