/* SPDX-License-Identifier: MIT
 * wait_graph: who waits for whom in a dump. A thread wants a lock that its lock lines say it waits for; it holds what
 * it locked, unless it gave that up to wait on it, and what it owns as a synchronizer. Each thread that wants a lock
 * waits for its holder; the way along the holders ends at a root, which wants nothing that anybody holds, or in a
 * cycle, which is a deadlock. An address is an identity within one dump only: collectors move objects. */
#ifndef DIAG_WAIT_GRAPH_H
#define DIAG_WAIT_GRAPH_H

#include "base/hash_map.h"
#include "diag/diag_dump.h"
#include "diag/stack_facts.h"

struct wait_lock {
	uint64_t address;		/* 0: not known, then nobody holds it */
	uint32_t class;
	uint32_t holder;		/* a thread of the dump, or NOBODY */
	uint32_t held_at;		/* the function in which its holder locked it; 0: not known */
	uint32_t waiters;		/* threads whose way ends at it */
};

struct wait_node {			/* of a thread */
	uint32_t wants;			/* a lock, or NOBODY */
	uint32_t wanted_at;		/* the function that wants it */
	uint32_t root;			/* where its way ends: itself when it waits for nobody; a thread of the cycle */
	uint32_t ends_at; /* the lock that is the last on its way, or NOBODY: whose holder wants nothing, or
					 * is not known */
	uint32_t depth;			/* how many threads its way has before the root */
	uint32_t cycle;			/* the number, from 1, of the cycle that it is part of; 0: none */
	bool keeps;			/* it holds a lock that others want */
	bool doomed;			/* its way leads into a cycle, or it is part of one */
};

struct wait_graph {
	ARRAY(struct wait_lock) locks;
	ARRAY(struct wait_node) nodes;	/* by thread */
	uint32_t cycles;
	uint32_t contradictions;	/* locks with two holders: the dump was not taken at one moment */
	struct hash_map by_address;
	ARRAY(uint32_t) path;		/* the way at hand */
};

/* A zeroed struct is an empty graph. What it held before is replaced. */
void wait_graph_build(struct wait_graph *graph, const struct diag_dump *dump, const struct stack_facts *facts);
void wait_graph_release(struct wait_graph *graph);

/* The thread that holds what a thread wants, or NOBODY. */
static inline uint32_t
wait_graph_holder(const struct wait_graph *graph, uint32_t thread)
{
	uint32_t lock = graph->nodes.at[thread].wants;

	return lock == NOBODY ? NOBODY : graph->locks.at[lock].holder;
}

#endif
