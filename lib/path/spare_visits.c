/* SPDX-License-Identifier: MIT
 * spare_visits: a block that needs no count and has one way in and one way out needs no operations either: what r becomes is said by the edge behind it. */
#include "path/spare_visits.h"

static const struct flow_edge *
edge_at(const struct word_plan *w, uint32_t edge)
{
	return &w->plan->graph->edges.at[edge];
}

/* Whether all ways to the block are sure to be gone to their ends. Rows of such blocks come to an end: every block leads to the exit, which is counted. */
static bool
follows(const struct word_plan *w, uint32_t block, const bool *leaves)
{
	const struct flow_graph *g = w->plan->graph;

	if (block == g->entry || block == g->exit)
		return false;
	for (size_t i = 0; i < g->blocks.at[block].in.count; i++) {
		uint32_t from = edge_at(w, g->blocks.at[block].in.at[i])->from;

		if (leaves[from] || g->blocks.at[from].out.count > 1)
			return false;
	}
	return true;
}

static uint32_t
number_behind(const struct word_plan *w, uint32_t edge, uint32_t number)
{
	struct word_walk walk = { .r = number };

	word_ops_do(&w->of_edge[edge], &walk);
	return (uint32_t)walk.r;
}

static uint32_t
numbers_of(const struct word_plan *w, uint32_t block)
{
	return w->first_visit[block + 1] - w->first_visit[block];
}

static void
note_visits(struct word_plan *w, uint32_t block)
{
	const struct flow_block *at = &w->plan->graph->blocks.at[block];

	for (size_t i = 0; i < at->in.count; i++) {
		uint32_t edge = at->in.at[i], from = edge_at(w, edge)->from;

		for (uint32_t number = 0; number < numbers_of(w, from); number++)
			w->next_visit[w->first_visit[from] + number] = w->first_visit[block] + number_behind(w, edge, number);
	}
	array_release(&w->of_block[block].list);
	w->of_block[block] = (struct word_ops){ 0 };
}

/* The edge behind does what both did, on the numbers that r had before. */
static void
join_edges(struct word_plan *w, uint32_t before, uint32_t numbers, uint32_t behind)
{
	struct word_op op = { .kind = WORD_TABLE, .table = mem_new(numbers, sizeof *op.table), .table_count = numbers };

	for (uint32_t number = 0; number < numbers; number++)
		op.table[number] = number_behind(w, behind, number_behind(w, before, number));
	word_ops_release(&w->of_edge[before]);
	word_ops_release(&w->of_edge[behind]);
	*array_push(&w->of_edge[behind].list) = op;
	word_ops_settle(&w->of_edge[behind], 0);
}

void
spare_visits(struct word_plan *w, const bool *leaves)
{
	const struct flow_graph *g = w->plan->graph;
	uint32_t *order, count, *numbers;	/* numbers: how many r may have at each block */
	bool *spared;

	if (w->sub_paths == NULL)
		return;
	order = mem_new(g->blocks.count, sizeof *order);
	numbers = mem_new(g->blocks.count, sizeof *numbers);
	spared = mem_new(g->blocks.count, sizeof *spared);
	w->next_visit = mem_new(w->visits, sizeof *w->next_visit);
	for (size_t i = 0; i < w->visits; i++)
		w->next_visit[i] = NO_VISIT;
	for (uint32_t b = 0; b < g->blocks.count; b++) {
		numbers[b] = numbers_of(w, b);
		spared[b] = follows(w, b, leaves);
		if (spared[b])
			note_visits(w, b);
	}
	count = flow_graph_order(g, NULL, order);
	for (uint32_t i = 0; i < count; i++) {
		const struct flow_block *block = &g->blocks.at[order[i]];

		if (!spared[order[i]] || block->in.count != 1 || block->out.count != 1)
			continue;
		numbers[order[i]] = numbers[edge_at(w, block->in.at[0])->from];
		join_edges(w, block->in.at[0], numbers[order[i]], block->out.at[0]);
	}
	free(order);
	free(numbers);
	free(spared);
}
