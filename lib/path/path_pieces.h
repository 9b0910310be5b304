/* SPDX-License-Identifier: MIT
 * path_pieces: the numbering of epp. Paths are cut at the edges that lead back, and their pieces numbered 0, 1, 2 ...:
 * those are the paths of an acyclic graph, in which each such edge is a way from the entry to where it leads, and one
 * from where it begins to the exit. */
#ifndef PATH_PATH_PIECES_H
#define PATH_PATH_PIECES_H

#include "path/edge_weights.h"

struct path_pieces {
	const struct flow_graph *graph;		/* borrowed */
	bool *back;				/* of each edge: it is a back edge */
	struct flow_graph *acyclic;		/* the blocks of the graph, followed by stand-ins for back edges */
	struct edge_weights weights;		/* of its edges */
};

/* -1 (STK_EUSAGE): there are more than 2^64. To be released either way. */
int  path_pieces_make(struct path_pieces *pieces, const struct flow_graph *graph, struct stk_error *err) STK_MUST_CHECK;
void path_pieces_release(struct path_pieces *pieces);

/* What an edge adds; of one that leads back 0, and instead what is added where the piece ends with it, and with what
 * the next one begins. */
uint64_t path_pieces_weight(const struct path_pieces *pieces, uint32_t edge, uint64_t *ends, uint64_t *begins);

/* The blocks of the piece with this id. False: none. */
bool path_pieces_path(const struct path_pieces *pieces, uint64_t id, struct flow_path *path);

#endif
