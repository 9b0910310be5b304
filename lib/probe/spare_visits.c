/* SPDX-License-Identifier: MIT
 * spare_visits: a block with one way in keeps the numbers of the block before it, so that nothing is looked up on the
 * way; a block that every call reaches from the blocks before it is visited as often as they are. */
#include "probe/spare_visits.h"

#define MORE_NUMBERS 64u	/* a block may keep at most this many numbers, or twice its own */

/* A numbering of what r may be at each block, and what each number is in the plan's own. */
struct numbering {
	uint32_t *count;
	uint32_t **own;
	bool *kept;		/* it is that of the block before */
};

static const struct flow_edge *
edge_at(const struct word_plan *w, uint32_t edge)
{
	return &w->plan->graph->edges.at[edge];
}

static uint32_t
own_count(const struct word_plan *w, uint32_t block)
{
	return w->first_visit[block + 1] - w->first_visit[block];
}

/* What the plan's own number becomes on an edge. */
static uint32_t
own_behind(const struct word_plan *w, uint32_t edge, uint32_t number)
{
	struct word_walk walk = { .r = number };

	word_ops_do(&w->of_edge[edge], &walk);
	return (uint32_t)walk.r;
}

static void
number_block(const struct word_plan *w, struct numbering *to, uint32_t block)
{
	const struct flow_block *at = &w->plan->graph->blocks.at[block];
	uint32_t edge = at->in.count == 1 ? at->in.at[0] : NO_EDGE,
		before = edge != NO_EDGE ? edge_at(w, edge)->from : 0;

	to->kept[block] = edge != NO_EDGE && to->count[before] <= 2 * own_count(w, block) + MORE_NUMBERS;
	to->count[block] = to->kept[block] ? to->count[before] : own_count(w, block);
	to->own[block] = mem_new(to->count[block] + 1, sizeof **to->own);
	for (uint32_t n = 0; n < to->count[block]; n++)
		to->own[block][n] = to->kept[block] ? own_behind(w, edge, to->own[before][n]) : n;
}

static struct numbering
number_blocks(const struct word_plan *w)
{
	const struct flow_graph *g = w->plan->graph;
	struct numbering to = { mem_new(g->blocks.count, sizeof *to.count), mem_new(g->blocks.count, sizeof *to.own),
		mem_new(g->blocks.count, sizeof *to.kept) };
	uint32_t *order = mem_new(g->blocks.count, sizeof *order), count = flow_graph_order(g, NULL, order);

	for (uint32_t i = 0; i < count; i++)	/* a block's only way in comes from one before it */
		number_block(w, &to, order[i]);
	free(order);
	return to;
}

static void
numbering_release(struct numbering *of, const struct flow_graph *g)
{
	for (uint32_t b = 0; b < g->blocks.count; b++)
		free(of->own[b]);
	free(of->count);
	free(of->own);
	free(of->kept);
}

/* What a number becomes on an edge. */
static uint32_t
number_behind(const struct word_plan *w, const struct numbering *of, uint32_t edge, uint32_t number)
{
	uint32_t from = edge_at(w, edge)->from, to = edge_at(w, edge)->to;

	return of->kept[to] ? number : own_behind(w, edge, of->own[from][number]);
}

/* Whether all ways to the block are sure to be gone to their ends. Rows of such blocks come to an end: every block
 * leads to the exit, which is counted. */
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

/* Where the visits of each block begin in the new numbering. */
static uint32_t *
first_visits(const struct word_plan *w, const struct numbering *of)
{
	uint32_t *first = mem_new(w->plan->graph->blocks.count + 1, sizeof *first);

	for (uint32_t b = 0; b < w->plan->graph->blocks.count; b++)
		first[b + 1] = first[b] + of->count[b];
	return first;
}

static void
note_next_visits(struct word_plan *w, const struct numbering *of, const uint32_t *first, const bool *leaves)
{
	const struct flow_graph *g = w->plan->graph;

	w->next_visit = mem_new(first[g->blocks.count] + 1, sizeof *w->next_visit);
	for (uint32_t i = 0; i < first[g->blocks.count]; i++)
		w->next_visit[i] = NO_VISIT;
	for (uint32_t b = 0; b < g->blocks.count; b++) {
		struct word_op *visit = &w->of_block[b].list.at[0];

		visit->a = first[b];
		if (!follows(w, b, leaves))
			continue;
		word_ops_release(&w->of_block[b]);
		for (size_t i = 0; i < g->blocks.at[b].in.count; i++) {
			uint32_t edge = g->blocks.at[b].in.at[i], from = edge_at(w, edge)->from;

			for (uint32_t n = 0; n < of->count[from]; n++)
				w->next_visit[first[from] + n] = first[b] + number_behind(w, of, edge, n);
		}
	}
}

static void
renumber_states(struct word_plan *w, const struct numbering *of, uint32_t *first)
{
	const struct flow_graph *g = w->plan->graph;
	uint32_t *states = mem_new(first[g->blocks.count] + 1, sizeof *states);

	for (uint32_t b = 0; b < g->blocks.count; b++)
		for (uint32_t n = 0; n < of->count[b]; n++)
			states[first[b] + n] = w->state_of_visit[w->first_visit[b] + of->own[b][n]];
	free(w->state_of_visit);
	free(w->first_visit);
	w->state_of_visit = states;
	w->first_visit = first;
	w->visits = first[g->blocks.count];
}

static void
renumber_edge(struct word_plan *w, const struct numbering *of, uint32_t edge)
{
	uint32_t from = edge_at(w, edge)->from;
	struct word_op op = { .kind = WORD_TABLE, .table = mem_new(of->count[from] + 1, sizeof *op.table),
		.table_count = of->count[from] };

	for (uint32_t n = 0; n < of->count[from]; n++)
		op.table[n] = number_behind(w, of, edge, n);
	word_ops_release(&w->of_edge[edge]);
	*array_push(&w->of_edge[edge].list) = op;
	word_ops_settle(&w->of_edge[edge], 0);
}

void
spare_visits(struct word_plan *w, const bool *leaves)
{
	const struct flow_graph *g = w->plan->graph;
	struct numbering of;
	uint32_t *first;

	if (w->sub_paths == NULL)
		return;
	of = number_blocks(w);
	first = first_visits(w, &of);
	note_next_visits(w, &of, first, leaves);
	renumber_states(w, &of, first);
	for (uint32_t e = 0; e < g->edges.count; e++)
		renumber_edge(w, &of, e);
	numbering_release(&of, g);
}
