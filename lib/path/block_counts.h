/* SPDX-License-Identifier: MIT
 * block_counts: how often each block and each edge of a function was passed, from counts of its paths: whole ones
 * (pap), or pieces that end where an edge leads back (epp). Not of paths that overlap (ac). */
#ifndef PATH_BLOCK_COUNTS_H
#define PATH_BLOCK_COUNTS_H

#include "path/flow_graph.h"

#define EDGE_NOT_KNOWN UINT64_MAX

struct block_counts {
	const struct flow_graph *graph;		/* borrowed; sealed */
	uint64_t *of_block, *of_edge;		/* of_edge: EDGE_NOT_KNOWN for some that lead back, see below */
};

void block_counts_open(struct block_counts *counts, const struct flow_graph *graph);
void block_counts_release(struct block_counts *counts);

/* The names of the blocks of a path, with blanks between. False: the graph has no such path, and nothing was added. */
bool block_counts_add(struct block_counts *counts, struct stk_text path, uint64_t times);

/* When all is added: an edge between two pieces is on neither of them; it was passed as often as its block was left in
 * no other way. Where a block has several such edges, and something is left for them, they are not known. */
void block_counts_settle(struct block_counts *counts);

#endif
