/* SPDX-License-Identifier: MIT
 * tick_stacks: where the stacks of a VM's ticks come from: an agent in it, if that was asked for; else a walk of the
 * copy that the kernel made at the tick; else, of a VM whose code keeps frame pointers, the callers that the kernel
 * itself found. Those of another process are walked. */
#ifndef STKCAP_TICK_STACKS_H
#define STKCAP_TICK_STACKS_H

#include "capture/attach.h"
#include "capture/perf_memory.h"
#include "capture/tick_sampler.h"
#include "ingest/ingest.h"
#include "walk/native_walker.h"

struct tick_stacks;

/* Of a tick: its stack as text, or its callers, or neither. Both are owned. */
struct tick_stack {
	char *text;
	uint64_t *callers;
	size_t caller_count;
	int64_t age_ns;
};
void tick_stack_forget(struct tick_stack *stack);

enum stack_way { STACKS_BY_AGENT, STACKS_BY_WALK, STACKS_BY_KERNEL };

/* Process, title, memory and pool, which bounds what all walks keep, are borrowed. Nothing is looked at yet. */
void tick_stacks_open(struct tick_stacks **out, const struct process *process, const char *title,
		      bool is_vm, const struct perf_memory *memory, enum stack_way way, struct walk_pool *pool);
/* Looks at the process; the first tick does that otherwise. Where no stacks can be had, that is said with the
 * reason. */
void tick_stacks_begin(struct tick_stacks *stacks);
void tick_stacks_close(struct tick_stacks *stacks);

/* At the tick, by the threads of the processors. False: there is none. */
bool tick_stacks_take(struct tick_stacks *stacks, const struct tick *tick, struct reply_pool *replies,
		      struct tick_stack *stack);

/* Later: the format of its texts; their names are looked up; the text, valid until the next call. */
const struct text_format *tick_stacks_format(const struct tick_stacks *stacks);
void tick_stacks_refresh(struct tick_stacks *stacks);
struct stk_text tick_stacks_text(struct tick_stacks *stacks, const struct tick_stack *stack);

/* How the walks in many processes went. */
struct walk_sums {
	uint64_t processes, without;	/* without: in so many more there could be none, */
	char why[800];			/* of the last of them for this reason */
	struct native_walks walks;
};
/* Says how the walks went, if there were any; those of a process that is not a VM are added to the sums, if they are
 * given. */
void tick_stacks_report(struct tick_stacks *stacks, struct walk_sums *sums);
/* title_begin: what the number of processes follows, or "". */
void walk_sums_report(const struct walk_sums *sums, const char *title_begin);

#endif
