/* SPDX-License-Identifier: MIT
 * block_counts: how often each block and each edge of a function was passed, from counts of its paths: whole ones
 * (pap), or pieces that end where an edge leads back (epp). Not of paths that overlap (ac). */
#ifndef GRAPH_BLOCK_COUNTS_H
#define GRAPH_BLOCK_COUNTS_H

#include "graph/flow_graph.h"

#define EDGE_NOT_KNOWN UINT64_MAX

struct block_counts {
	const struct flow_graph *graph;		/* borrowed; sealed */
	uint64_t *of_block, *of_edge;		/* of_edge: EDGE_NOT_KNOWN for some that lead back, see below */
};

void block_counts_open(struct block_counts *counts, const struct flow_graph *graph);
void block_counts_release(struct block_counts *counts);

/* The names of the blocks of a path, with blanks between. False: the graph has no such path, and nothing was added. */
bool block_counts_add(struct block_counts *counts, struct stk_text path, uint64_t times);

/* When all is added: an edge between two pieces is on neither of them. How often it was passed follows from how often
 * its blocks were left and come to in no other way, as long as only one edge is left for one of these. The others are
 * not known: those of loops that share both their first and their last blocks, crosswise. */
void block_counts_settle(struct block_counts *counts);

#endif
