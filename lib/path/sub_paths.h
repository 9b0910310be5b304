/* SPDX-License-Identifier: MIT
 * sub_paths: counts every occurrence of every one of many sub-paths in a walk, also of those that overlap or begin in
 * one round of a loop and end in another: the automaton of Aho and Corasick over blocks. A step costs the same however
 * many there are. */
#ifndef PATH_SUB_PATHS_H
#define PATH_SUB_PATHS_H

#include "graph/flow_graph.h"

struct sub_paths;

#define SUB_PATHS_START 0u		/* the state before a walk */

void sub_paths_open(struct sub_paths **out, const struct flow_path *paths, size_t count);
void sub_paths_close(struct sub_paths *paths);

uint32_t sub_paths_states(const struct sub_paths *paths);
/* The block that a state other than the start ends with. */
uint32_t sub_paths_block(const struct sub_paths *paths, uint32_t state);
/* The state after a further block: the start, when nothing begins with it. */
uint32_t sub_paths_follow(const struct sub_paths *paths, uint32_t state, uint32_t block);

/* How often each path occurred, when visits says how often each state was reached; counts has room for all. visits is
 * overwritten. */
void sub_paths_counts(const struct sub_paths *paths, uint64_t *visits, uint64_t *counts);

/* For counting elsewhere: a state's longest shorter end, the state before it, the state with which a path ends, and all
 * of them, shorter ones first. */
uint32_t sub_paths_link(const struct sub_paths *paths, uint32_t state);
uint32_t sub_paths_from(const struct sub_paths *paths, uint32_t state);
uint32_t sub_paths_end(const struct sub_paths *paths, size_t path);
const uint32_t *sub_paths_order(const struct sub_paths *paths);

#endif
