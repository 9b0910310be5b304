/* SPDX-License-Identifier: MIT
 * probed_function: what a module that stkpath instrumented says of each of its functions, and what its probes call.
 * stkpath writes the same struct in LLVM's assembly language (probe_facts.c): all members are words and pointers. */
#ifndef PATH_RUNTIME_PROBED_FUNCTION_H
#define PATH_RUNTIME_PROBED_FUNCTION_H

#include <stdint.h>

#define PROBED_VERSION 2u

/* How counts become paths; what `data` holds. */
enum probed_kind {
	/* a count a path: for each its length and its blocks */
	PROBED_LISTED,
	/* ids are sums of weights: nodes, then for each where its edges begin, then edges: to, and the weight's halves.
	 * Nodes after the blocks stand in for a way from the entry to where an edge leads back, or from there to the
	 * exit */
	PROBED_SUMS,
	/* ids are digits, last one first, of which way each join was entered: for each block where its ways begin, then
	 * blocks before it */
	PROBED_DIGITS,
	/* a count a place of an automaton: states, paths; of each state the one before it, its block, its link; states,
	 * shorter ones first; of each path its state; of each place its state, its block, and the place that is come to
	 * next and is not counted, or PROBED_NO_PLACE */
	PROBED_SUB_PATHS,
	/* nothing is counted: blocks are reported as they go by */
	PROBED_STEPS
};

#define PROBED_NO_PLACE UINT32_MAX

/* The first counts of each function. */
enum { PROBED_CALLS, PROBED_OTHERS, PROBED_MARKS };

struct probed_function {
	uint64_t version, kind;
	const char *name, *file, *method;
	const char *blocks;		/* names, each with a NUL */
	uint64_t block_count, edge_count, entry, exit;
	uint64_t threads;		/* 1: counts are added to in one piece, whoever does it */
	const uint32_t *edges;		/* from, to */
	const uint32_t *data;
	uint64_t data_count;
	uint64_t *counts;
	uint64_t count_total;		/* marks, then as the kind has them; of sums and digits none when ids are given
					 * to stkpath_count */
	struct probed_function *next;	/* from here on the runtime's own */
	uint64_t *written;
	const char **names;
	struct id_table *ids, *pieces;
	uint64_t adopted;		/* calls that a child of a fork ends for its parent */
};

/* Before a module's first call and behind its last one; what was counted until then is written. */
void stkpath_register(struct probed_function *function);
void stkpath_unregister(struct probed_function *function);
/* Counts an id that is not counted in place; piece: what was put away before. */
void stkpath_count(struct probed_function *function, uint64_t id, uint64_t piece);
/* Puts digits away, behind those that were before: the piece that stands for both. */
uint64_t stkpath_put_away(struct probed_function *function, uint64_t piece, uint64_t digits);
void stkpath_stop(void) __attribute__((noreturn));

/* Steps: a call begins, which gets a number; goes through a block; ends. */
uint64_t stkpath_begin(struct probed_function *function);
void stkpath_step(struct probed_function *function, uint64_t call, uint64_t block);
void stkpath_end(struct probed_function *function, uint64_t call);

#endif
