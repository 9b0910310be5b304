/* SPDX-License-Identifier: MIT
 * sub_paths: counts every occurrence of every one of many sub-paths in a walk, also of those that overlap or begin in one round of a loop and end in another: the
 * automaton of Aho and Corasick over blocks. A step costs the same however many there are. */
#ifndef PATH_SUB_PATHS_H
#define PATH_SUB_PATHS_H

#include "path/flow_graph.h"

struct sub_paths;

#define SUB_PATHS_START 0u		/* the state before a walk */

void sub_paths_open(struct sub_paths **out, const struct flow_path *paths, size_t count);
void sub_paths_close(struct sub_paths *paths);

/* The state behind a block, which is counted. */
uint32_t sub_paths_step(struct sub_paths *paths, uint32_t state, uint32_t block);
/* When all walks are done: how often each path occurred; counts has room for all. */
void sub_paths_counts(const struct sub_paths *paths, uint64_t *counts);

#endif
