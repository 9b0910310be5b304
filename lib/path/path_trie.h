/* SPDX-License-Identifier: MIT
 * path_trie: the interesting paths as an automaton: a state is how much of which paths was walked. Exact for paths of
 * any length, and no arithmetic. */
#ifndef PATH_PATH_TRIE_H
#define PATH_PATH_TRIE_H

#include "graph/flow_graph.h"

#define TRIE_NOWHERE UINT32_MAX

struct path_trie;

void path_trie_open(struct path_trie **out, const struct flow_path *paths, size_t count);
void path_trie_close(struct path_trie *trie);

uint32_t path_trie_start(const struct path_trie *trie, uint32_t block);				/* or TRIE_NOWHERE */
/* or TRIE_NOWHERE: not an interesting path */
uint32_t path_trie_next(const struct path_trie *trie, uint32_t state, uint32_t block);
/* The number of the path that ends here, or TRIE_NOWHERE. */
uint32_t path_trie_path(const struct path_trie *trie, uint32_t state);
/* The state with which one of the paths ends. */
uint32_t path_trie_end(const struct path_trie *trie, const struct flow_path *path);

/* All states but the first, 0: by which block it is reached from which state. A state's number is larger than that of
 * the one before it. */
uint32_t path_trie_states(const struct path_trie *trie);
uint32_t path_trie_from(const struct path_trie *trie, uint32_t state);
uint32_t path_trie_block(const struct path_trie *trie, uint32_t state);

#endif
