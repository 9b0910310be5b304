/* SPDX-License-Identifier: MIT
 * path_words: a walk as people write it: names of blocks, and "(A B)*3" for what is repeated. */
#ifndef PATH_PATH_WORDS_H
#define PATH_PATH_WORDS_H

#include "base/text_buffer.h"
#include "graph/flow_graph.h"

/* With blanks between: A (B C)*12 D. */
void add_path_words(struct text_buffer *to, const struct flow_graph *graph, const struct flow_path *path);
/* As a list in YAML: ['A', '(B C)*12', 'D']. path_files reads it. */
void add_path_list(struct text_buffer *to, const struct flow_graph *graph, const struct flow_path *path);

#endif
