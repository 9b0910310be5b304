/* SPDX-License-Identifier: MIT
 * random_paths: walks from the entry to the exit that take each way out of a block with the same chance. */
#ifndef PATH_RANDOM_PATHS_H
#define PATH_RANDOM_PATHS_H

#include "path/walked_paths.h"

/* Adds up to `count` different ones, begun at the function's own entry, of those that the filter takes (NULL: all);
 * fewer when a hundred times as many walks have not found more. The same seed gives the same walks. */
typedef bool random_path_filter(void *context, const uint32_t *blocks, size_t count);
void random_paths_add(struct walked_paths *to, const struct flow_graph *graph, size_t count, uint64_t seed,
		      random_path_filter *takes, void *context);

#endif
