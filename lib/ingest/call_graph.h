/* SPDX-License-Identifier: MIT
 * call_graph: stacks of a profile that has no stacks, but costs of functions and of the calls between them.
 *
 * How much of a function's cost is due to which callers is estimated as gprof does: in proportion to what the calls
 * cost in all. So a chain of callers weighs the product of its shares, and the costs of a function, summed over its
 * chains, are exactly those of the profile. A call that goes back to a function that is active already is left out; a
 * function of very many chains keeps those that weigh most, and the rest is under "[other callers]". */
#ifndef INGEST_CALL_GRAPH_H
#define INGEST_CALL_GRAPH_H

#include "base/array.h"
#include "base/hash_map.h"

#include <stdbool.h>
#include <stdint.h>

struct recorder;

struct call { uint32_t from, to; uint64_t cost, times; bool back; };	/* back: left out */
struct call_chain { uint32_t stack, depth; double share; };		/* stack: the function is its leaf */
struct call_node { uint32_t frame; uint32_t first_out, outs, first_in, ins; size_t first_chain, chains; };

/* Zeroed, it is an empty one. */
struct call_graph {
	ARRAY(struct call_node) nodes;
	ARRAY(struct call) calls;
	struct hash_map calls_map;
	ARRAY(uint32_t) out, in, order, path;	/* calls by where they come from and lead to; nodes, callers first */
	ARRAY(struct call_chain) chains, present;
	uint64_t left_out;			/* calls */
};

/* A function: its number, from 0 on. frame: its id in the recorder. */
uint32_t call_graph_node(struct call_graph *graph, uint32_t frame);
/* Adds to the cost of all calls from one to another. */
void call_graph_add(struct call_graph *graph, uint32_t from, uint32_t to, uint64_t cost, uint64_t times);

/* After all calls: finds the chains of all functions. other: the frame of what has no chain of its own. */
void call_graph_settle(struct call_graph *graph, struct recorder *recorder, uint32_t other);
/* Those of a function, which weigh most first; their shares sum up to 1. */
const struct call_chain *call_graph_chains(const struct call_graph *graph, uint32_t node, size_t *count);

void call_graph_clear(struct call_graph *graph);	/* usable again */
void call_graph_release(struct call_graph *graph);

#endif
