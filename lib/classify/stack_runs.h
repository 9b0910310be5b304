/* SPDX-License-Identifier: MIT
 * stack_runs: stacks as a tree, from the root on: a stack is a caller and a frame, and gets the next number when it is
 * new. Numbers begin at 1; 0 is the empty stack.
 *
 * New stacks come caller by caller, so most have the number after their caller's. Such a run of stacks is kept as a run
 * of frames: a stack costs four bytes, and only where a run begins is its caller kept and found through a hash. */
#ifndef CLASSIFY_STACK_RUNS_H
#define CLASSIFY_STACK_RUNS_H

#include "base/array.h"
#include "base/hash_map.h"

#include <stdbool.h>

struct stack_run {
	uint32_t first;			/* its stacks are those from this number on, up to the next run's */
	uint32_t caller;		/* of the first */
	uint32_t caller_run;		/* which run has the caller; of a caller of 0, none */
	uint32_t depth;			/* of the first */
};

/* A zeroed one is empty. */
struct stack_runs {
	ARRAY(uint32_t) frames;		/* of stack n at[n - 1]; STACK_RUN_BEGINS is set where a run begins */
	ARRAY(struct stack_run) list;
	struct hash_map map;		/* to places in list, from 1 on */
};

#define STACK_FRAME_MAX   (UINT32_MAX >> 1)	/* frames have numbers up to this one */
#define STACK_RUN_BEGINS  (STACK_FRAME_MAX + 1)

void stack_runs_release(struct stack_runs *runs);

/* The stack of this frame called by `caller`: the same number for the same. */
uint32_t stack_runs_add(struct stack_runs *runs, uint32_t caller, uint32_t frame);

/* Which run has a stack, which is not 0. */
uint32_t stack_runs_find(const struct stack_runs *runs, uint32_t stack);
uint32_t stack_runs_caller(const struct stack_runs *runs, uint32_t stack);
uint32_t stack_runs_depth(const struct stack_runs *runs, uint32_t stack);
/* The frames of a stack, root first, to an array that has room for its depth. */
void     stack_runs_trace(const struct stack_runs *runs, uint32_t stack, uint32_t *frames);

size_t stack_runs_bytes(const struct stack_runs *runs);

static inline uint32_t
stack_runs_count(const struct stack_runs *runs)
{
	return (uint32_t)runs->frames.count;
}

static inline uint32_t
stack_runs_frame(const struct stack_runs *runs, uint32_t stack)
{
	return runs->frames.at[stack - 1] & STACK_FRAME_MAX;
}

static inline bool
stack_run_begins(const struct stack_runs *runs, uint32_t stack)
{
	return (runs->frames.at[stack - 1] & STACK_RUN_BEGINS) != 0;
}

#endif
