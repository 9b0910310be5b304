/* SPDX-License-Identifier: MIT
 * prime_paths: the longest paths of a graph on which no block comes twice (but the first, again at the end of a round):
 * what a test must have walked so that every loop was passed by, entered, gone round and left in every way. */
#ifndef PATH_PRIME_PATHS_H
#define PATH_PRIME_PATHS_H

#include "path/path_files.h"

/* -1 (STK_EUSAGE): there are more than PATHS_MOST. */
int prime_paths_find(struct flow_paths *out, const struct flow_graph *graph, struct stk_error *err) STK_MUST_CHECK;

#endif
