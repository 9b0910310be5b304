/* SPDX-License-Identifier: MIT
 * probed_function: what a module that stkpath instrumented says of each of its functions, and what its probes call.
 * stkpath writes the same struct in LLVM's assembly language (probe_facts.c): all members are words and pointers. */
#ifndef PATH_RUNTIME_PROBED_FUNCTION_H
#define PATH_RUNTIME_PROBED_FUNCTION_H

#include <stdint.h>

#define PROBED_VERSION 3u

/* How counts become paths; what `data` holds. */
enum probed_kind {
	/* one count per path: for each its length and its blocks */
	PROBED_LISTED,
	/* ids are sums of weights: nodes, then for each where its edges begin, then edges: to, and the weight's halves.
	 * Nodes after the blocks represent a way from the entry to the target of a back edge, or from its source to the
	 * exit */
	PROBED_SUMS,
	/* ids are digits, the last one first, that tell which way each join was entered: for each block where its ways
	 * begin, then blocks before it */
	PROBED_DIGITS,
	/* one count per place of an automaton: states, paths; of each state the one before it, its block, its link;
	 * states, shorter ones first; of each path its state; of each place its state, its block, and the place that is
	 * reached next and is not counted, or PROBED_NO_PLACE */
	PROBED_SUB_PATHS,
	/* nothing is counted: blocks are reported as they are visited; 1: other modules cannot call it by its name */
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
	const uint32_t *edges;		/* from, to */
	const uint32_t *data;
	uint64_t data_count;
	uint64_t count_total;		/* marks, then as the kind has them; of sums and digits none when ids are given
					 * to stkpath_count */
	struct probed_function *next;	/* from here on the runtime's own */
	struct own_counts *own;		/* of each thread that called it */
	uint64_t *written;
	const char **names;
	uint64_t adopted;		/* calls that a child of a fork ends for its parent; of steps: 1 when its graph
					 * was written */
};

/* Called before a module's first call and after its last one; the latter writes what was counted. */
void stkpath_register(struct probed_function *function);
void stkpath_unregister(struct probed_function *function);
/* Where the calling thread counts, from now on until it ends. */
uint64_t *stkpath_own(struct probed_function *function);
/* Counts an id that is not counted in place; piece: the digits stored before. */
void stkpath_count(uint64_t *counts, uint64_t id, uint64_t piece);
/* Stores digits after the earlier ones. Returns the piece that represents both. */
uint64_t stkpath_put_away(uint64_t *counts, uint64_t piece, uint64_t digits);
void stkpath_stop(void) __attribute__((noreturn));
/* Before the program ends without its handlers of exit, or becomes another. */
void stkpath_leave(void);

/* Steps: a call begins and gets a number; passes a block; ends. */
uint64_t stkpath_begin(struct probed_function *function);
void stkpath_step(struct probed_function *function, uint64_t call, uint64_t block);
void stkpath_end(struct probed_function *function, uint64_t call);

/* A function without probes, of which is known where it is called by its name. */
struct outside_function {
	const char *name;
	uint64_t asked, probed;		/* the runtime's own: whether another module has probes in it */
};

/* Steps: such a call, which begins and ends at once: what is called from there is not known to be within it. */
void stkpath_outside(struct outside_function *function);

#endif
