/* SPDX-License-Identifier: MIT
 * walked_paths: distinct walks, and how often each was walked. A zeroed struct is an empty one. */
#ifndef PATH_WALKED_PATHS_H
#define PATH_WALKED_PATHS_H

#include "graph/flow_graph.h"

struct walked_path { struct flow_path path; uint64_t count; };

struct walked_paths {
	ARRAY(struct walked_path) list;
	struct hash_map by_blocks;
};

/* The path is copied. False: it was there already, and has the counts of both. */
bool walked_paths_add(struct walked_paths *walked, const uint32_t *blocks, size_t count, uint64_t times);
/* The most frequent first; of those that are as frequent the shorter, and then by the order of their blocks. Nothing
 * can be added after this. */
void walked_paths_rank(struct walked_paths *walked);
void walked_paths_release(struct walked_paths *walked);

#endif
