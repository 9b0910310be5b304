/* SPDX-License-Identifier: MIT
 * flow_graph: the control-flow graph of a function: blocks, and edges in the order in which they were given. One entry,
 * one exit; parallel edges are one.
 *
 * An entry that has predecessors gets one before it, so that every walk begins at a block to which it never comes back:
 * graph->entry is that one then, and graph->first the function's own. */
#ifndef GRAPH_FLOW_GRAPH_H
#define GRAPH_FLOW_GRAPH_H

#include "base/array.h"
#include "base/hash_map.h"
#include "stkpipe/error.h"
#include "stkpipe/rows.h"

#include <stdbool.h>
#include <stdint.h>

#define GRAPH_BLOCKS_MOST 100000u
#define GRAPH_EDGES_MOST  1000000u
#define NO_EDGE           UINT32_MAX
#define NO_BLOCK          UINT32_MAX

struct flow_edge { uint32_t from, to; };

struct flow_block {
	char *name;
	ARRAY(uint32_t) out, in;	/* numbers of edges */
	ARRAY(char *) calls;		/* names of the functions that it calls by name, as far as they are known */
};

struct flow_graph {
	char *function;
	ARRAY(struct flow_block) blocks;
	ARRAY(struct flow_edge) edges;
	uint32_t entry, exit, first;
	struct hash_map by_name, by_ends;
};

/* A walk: numbers of blocks. */
struct flow_path { ARRAY(uint32_t) blocks; };

struct flow_graph *flow_graph_new(struct stk_text function);
void flow_graph_free(struct flow_graph *graph);

/* The number of the block of that name, which is made when there is none yet. */
uint32_t flow_graph_add_block(struct flow_graph *graph, struct stk_text name);
void flow_graph_add_edge(struct flow_graph *graph, uint32_t from, uint32_t to);
void flow_graph_add_call(struct flow_graph *graph, uint32_t block, struct stk_text name);
/* When all is there. -1 (STK_EUSAGE): the entry, the exit, or a block that is on no walk from one to the other; *block
 * is the one at fault. */
int flow_graph_seal(struct flow_graph *graph, uint32_t entry, uint32_t exit, uint32_t *block,
		    struct stk_error *err) STK_MUST_CHECK;

uint32_t flow_graph_find(const struct flow_graph *graph, struct stk_text name);	/* or NO_BLOCK */
/* Whether people may call the block so: by its name, by the part before the @ of "while.body@14", or by the line alone,
 * "@14". Several blocks may have the same part or line. */
bool flow_graph_is_called(const struct flow_graph *graph, uint32_t block, struct stk_text name);
uint32_t flow_graph_edge(const struct flow_graph *graph, uint32_t from, uint32_t to);	/* or NO_EDGE */
/* A checksum of names, edges and their order: a plan is only for exactly this graph. */
uint64_t flow_graph_checksum(const struct flow_graph *graph);

/* A graph of the same blocks with some of the edges: those for which keep is true, numbered as they are here when keep
 * is applied in order; *origin[i] is the number here. */
struct flow_graph *flow_graph_part(const struct flow_graph *graph, const bool *keep, uint32_t entry, uint32_t exit,
				   uint32_t **origin);

/* Where a path begins for users: after an entry that we added. */
size_t flow_path_first(const struct flow_graph *graph, const struct flow_path *path);

struct flow_path flow_path_copy(const struct flow_path *path);

/* Which blocks are reached from one, itself too, by edges forwards or backwards; reached has room for all. */
void flow_graph_reach(const struct flow_graph *graph, uint32_t from, bool forwards, bool *reached);

/* Marks the edges that lead back in a depth-first search from the entry: keep[edge] becomes true. */
void flow_graph_back_edges(const struct flow_graph *graph, bool *back);
/* How many blocks are in loops: between the ends of an edge that leads back. */
uint32_t flow_graph_loop_blocks(const struct flow_graph *graph, const bool *back);
/* Blocks that are reached from the entry, each before those that it leads to by edges that are not ignored (NULL: none
 * is). The number of them; order has room for all. */
uint32_t flow_graph_order(const struct flow_graph *graph, const bool *ignore, uint32_t *order);
/* Of each block the nearest one that every walk from it to the exit passes; NO_BLOCK of the exit, and of blocks that do
 * not lead there. after has room for all. */
void flow_graph_post_dominators(const struct flow_graph *graph, uint32_t *after);

#endif
