/* SPDX-License-Identifier: MIT
 * path_nearness: how near walks came to a path that none of them took: at how many branches one must turn off from what
 * was walked, when one follows it as long as possible each time. */
#ifndef PATH_PATH_NEARNESS_H
#define PATH_PATH_NEARNESS_H

#include "graph/flow_graph.h"

struct path_nearness;

struct path_turns {
	size_t turns;			/* 0: no branch has to go otherwise, only further */
	size_t first;			/* where on the path the block of the first one is */
};

/* The graph, and the walks that are added, are borrowed. */
void path_nearness_open(struct path_nearness **out, const struct flow_graph *graph);
void path_nearness_close(struct path_nearness *nearness);
void path_nearness_add(struct path_nearness *nearness, const struct flow_path *walked);
struct path_turns path_nearness_of(struct path_nearness *nearness, const struct flow_path *path);

#endif
