/* SPDX-License-Identifier: MIT
 * regions: parts of a graph with one way in and one way out and no loop in them, within which a path is one of a known
 * number (the RAS of the literature). */
#ifndef PATH_REGIONS_H
#define PATH_REGIONS_H

#include "graph/flow_graph.h"

struct region {
	uint32_t entry, exit;
	uint32_t size;			/* blocks, both ends too */
	uint64_t paths;			/* from entry to exit */
	bool *holds;			/* of each block: it is one of the region's; NULL until the region is chosen */
};

struct regions { ARRAY(struct region) list; };

/* All of them with two paths at least and fewer than 2^32. */
void regions_find(struct regions *out, const struct flow_graph *graph);
/* Largest first, those of which none is inside another. The others are dropped. */
void regions_choose(struct regions *regions, const struct flow_graph *graph);
void regions_release(struct regions *regions);

/* The region's own graph, of its blocks only, in the same order: there are many regions in a large function.
 * place[block] is a block's number in it; origin as that of flow_graph_part. */
struct flow_graph *region_graph(const struct region *region, const struct flow_graph *graph, uint32_t **origin,
				uint32_t **place);

#endif
