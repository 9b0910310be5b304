/* SPDX-License-Identifier: MIT
 * edge_weights: numbers on the edges of an acyclic graph, of which the sum along a path is the path's id.
 *
 * Ball and Larus number all paths 0, 1, 2 ... (epp). The selective methods give the edges of interesting paths the
 * large weights, and then remove weights from the other edges: all of them (spp: ids of others may then be those of
 * interesting ones), or those that are not needed (espp: exact). prepp counts paths within the interesting edges only;
 * a walk that leaves them may get any of their ids, unless leaving costs more than all of them together (poison:
 * exact). */
#ifndef PATH_EDGE_WEIGHTS_H
#define PATH_EDGE_WEIGHTS_H

#include "graph/flow_graph.h"

struct edge_weights {
	uint64_t *weight;		/* of each edge */
	uint64_t paths;			/* all paths; for prepp, those within the interesting edges */
};

enum weighing { WEIGH_EPP, WEIGH_SPP, WEIGH_ESPP, WEIGH_PREPP, WEIGH_POISON };

/* interesting[edge]: it lies on a path of interest. -1: the graph has a loop, or more paths than 2^64 - 1. paths: what
 * is of interest, for espp. */
int edge_weights_of(struct edge_weights *out, const struct flow_graph *graph, enum weighing how,
		    const bool *interesting, const struct flow_path *paths, size_t count,
		    struct stk_error *err) STK_MUST_CHECK;
void edge_weights_release(struct edge_weights *weights);

uint64_t edge_weights_sum(const struct edge_weights *weights, const struct flow_graph *graph,
			  const struct flow_path *path);
/* The path with this id, by the weights of epp. False: none. */
bool edge_weights_path(const struct edge_weights *weights, const struct flow_graph *graph, uint32_t from, uint64_t id,
		       struct flow_path *path);

#endif
