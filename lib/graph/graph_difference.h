/* SPDX-License-Identifier: MIT
 * graph_difference: where two graphs of a function first differ, in the order of their blocks. */
#ifndef GRAPH_GRAPH_DIFFERENCE_H
#define GRAPH_GRAPH_DIFFERENCE_H

#include "base/text_buffer.h"
#include "graph/flow_graph.h"

/* Adds words as "it has block 'if.else@17' where the plan has 'if.then@15'": `it` is graph, and `other` ("the plan")
 * names what had is the graph of. Nothing is added when blocks, edges, their order, entry and exit are the same. */
void graph_add_difference(struct text_buffer *to, const struct flow_graph *graph, const struct flow_graph *had,
			  const char *other);

#endif
