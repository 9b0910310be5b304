/* SPDX-License-Identifier: MIT
 * block_counts: how often edges were passed, of random graphs and walks, from their pieces: as counted step by step, or
 * not known. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "graph/block_counts.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS 9u		/* the last one is the exit */

static uint64_t state = 1;

static uint32_t
random_below(uint32_t bound)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % bound;
}

/* Each block leads to the next, and to some others, at which it may lead back. */
static struct flow_graph *
random_graph(void)
{
	struct flow_graph *g = flow_graph_new(text_of("f", 1));
	struct stk_error err = { 0 };
	uint32_t fault;

	for (uint32_t b = 0; b < BLOCKS; b++)
		(void)flow_graph_add_block(g, text_of(&"abcdefghi"[b], 1));
	for (uint32_t b = 0; b + 1 < BLOCKS; b++) {
		uint32_t others = random_below(3), next = random_below(others + 1);

		for (uint32_t k = 0; k <= others; k++)
			flow_graph_add_edge(g, b, k == next ? b + 1 : 1 + random_below(BLOCKS - 1));
	}
	if (flow_graph_seal(g, 0, BLOCKS - 1, &fault, &err) < 0)
		abort();
	return g;
}

struct walker {
	const struct flow_graph *graph;
	struct block_counts counts;
	uint64_t *passed;		/* each edge, step by step */
	bool *back;
	char piece[2 * 400];
	size_t size;
};

static void
enter(struct walker *w, uint32_t block)
{
	w->piece[w->size++] = w->graph->blocks.at[block].name[0];
	w->piece[w->size++] = ' ';
}

static bool
end_piece(struct walker *w)
{
	bool known = block_counts_add(&w->counts, text_of(w->piece, w->size - 1), 1);

	w->size = 0;
	return known;
}

/* A call of at most so many steps: one that does not come to the exit leaves its last piece uncounted. */
static bool
walk(struct walker *w, bool cut, unsigned most)
{
	const struct flow_graph *g = w->graph;
	uint32_t block = g->entry;

	w->size = 0;
	enter(w, block);
	for (unsigned steps = 0; block != g->exit; steps++) {
		uint32_t edge = g->blocks.at[block].out.at[random_below((uint32_t)g->blocks.at[block].out.count)];

		if (steps == most)
			return false;
		if (cut && w->back[edge])
			(void)end_piece(w);
		w->passed[edge]++;
		block = g->edges.at[edge].to;
		enter(w, block);
	}
	return end_piece(w);
}

struct outcome { unsigned right, wrong, unknown; };

static void
compare(struct outcome *to, const struct walker *w, bool complete)
{
	for (uint32_t e = 0; e < w->graph->edges.count; e++) {
		uint64_t got = w->counts.of_edge[e];

		if (got == EDGE_NOT_KNOWN)
			to->unknown++;
		else if (complete ? got == w->passed[e] : got <= w->passed[e])
			to->right++;
		else
			to->wrong++;
	}
}

/* cut: 1 at edges that lead back, 0 nowhere, 2 every other call. most: steps of the last call. */
static struct outcome
try_graphs(unsigned cut, unsigned most)
{
	struct outcome outcome = { 0 };

	for (unsigned n = 0; n < 3000; n++) {
		struct flow_graph *g = random_graph();
		struct walker w = { .graph = g };
		bool complete = true;

		w.passed = mem_new(g->edges.count, sizeof *w.passed);
		w.back = mem_new(g->edges.count, sizeof *w.back);
		flow_graph_back_edges(g, w.back);
		block_counts_open(&w.counts, g);
		for (unsigned call = 0; call < 10; call++)
			complete &= walk(&w, cut == 2 ? call % 2 == 0 : cut == 1, call == 9 ? most : 300);
		block_counts_settle(&w.counts);
		compare(&outcome, &w, complete);
		block_counts_release(&w.counts);
		free(w.passed);
		free(w.back);
		flow_graph_free(g);
	}
	return outcome;
}

int
main(void)
{
	struct outcome got = try_graphs(0, 300);

	ok(got.wrong == 0 && got.unknown == 0 && got.right > 10000, "whole paths: every edge (%u right, %u wrong)",
	   got.right, got.wrong);
	got = try_graphs(1, 300);
	ok(got.wrong == 0 && got.unknown > 0 && got.unknown * 50 < got.right,
	   "pieces: every edge, or it is not known (%u right, %u wrong, %u unknown)", got.right, got.wrong,
	   got.unknown);
	got = try_graphs(2, 300);
	ok(got.wrong == 0 && got.unknown * 50 < got.right,
	   "whole paths and pieces together (%u right, %u wrong, %u unknown)", got.right, got.wrong, got.unknown);
	got = try_graphs(1, 3);
	ok(got.wrong == 0, "a call that does not end: no edge too often (%u right, %u wrong, %u unknown)", got.right,
	   got.wrong, got.unknown);
	return tap_end();
}
