/* SPDX-License-Identifier: MIT
 * own_counts: what one thread counted of one function. Each thread adds to memory of its own, so that none has to wait
 * or to add atomically, and no count is lost; the sums over all threads are the function's. When a thread is gone, the
 * next new one counts on in its memory: as much is needed as the largest number of threads at a time has. */
#ifndef PATH_RUNTIME_OWN_COUNTS_H
#define PATH_RUNTIME_OWN_COUNTS_H

#include "counted_ids.h"
#include "probed_function.h"

#include <stdbool.h>
#include <stddef.h>

struct counting_thread;

struct own_counts {
	struct counting_thread *thread;
	struct probed_function *function;
	struct own_counts *next;		/* of the function */
	size_t size;
	struct counted_ids ids, pieces;		/* of pieces only the pairs, whose places are numbers from 1 */
	struct own_counts *nested;		/* of a signal handler that interrupts a change of these tables */
	volatile bool changing;
	uint64_t counts[];			/* count_total of the function; probes know only their address */
};

void own_counts_begin(void);			/* before all others */
/* When no function is probed any more: a thread that ends calls nothing here, where there may be no code any more. */
void own_counts_end(void);

/* Those of the calling thread. These two change lists: no other thread, and no signal handler, may do so meanwhile. */
struct own_counts *own_counts_get(struct probed_function *function);
struct own_counts *own_counts_nest(struct own_counts *own);
/* Of the address that probes have. */
struct own_counts *own_counts_of(uint64_t *counts);
bool own_counts_mine(const struct own_counts *own);

/* The first of a function; NULL. Those of new threads come before it. */
struct own_counts *own_counts_first(const struct probed_function *function);
/* Of a function that is not probed any more. Its threads may go on counting, as they do when the program ends;
 * memory is reused only after own_counts_reuse(), when another library is loaded: then the code of this one is gone. */
void own_counts_retire(struct probed_function *function);
void own_counts_reuse(void);
/* In the child of a fork, where no other thread is. */
void own_counts_forked(void);

#endif
