/* SPDX-License-Identifier: MIT
 * native_walker: the stack of a thread of any process, from a copy that the kernel made of it at a tick, by the unwind
 * tables (.eh_frame, else .debug_frame) of the program and its libraries; code that has none by its frame pointers
 * (frame_link.h). The process is not stopped. x86-64.
 *
 * A stack is text as vm_walker.h has it: lines of native frames, and a mark of why it ends early. */
#ifndef WALK_NATIVE_WALKER_H
#define WALK_NATIVE_WALKER_H

#include "base/text_buffer.h"
#include "capture/process.h"
#include "capture/stack_copy.h"
#include "walk/walk_end.h"
#include "walk/walk_pool.h"

struct native_walker;

struct native_walks {
	uint64_t stacks, ends[WALK_ENDS];
	uint64_t linked;		/* frame pointers were followed in them */
};

/* -1 (STK_EDATA): this process cannot be walked, and *err says why. The pool is borrowed; NULL: no bound but that of
 * the rules. */
int native_walker_open(struct native_walker **out, const struct process *process, struct walk_pool *pool,
		       struct stk_error *err) STK_MUST_CHECK;
void native_walker_close(struct native_walker *walker);

/* Adds the stack. May be called by several threads: they take turns. */
enum walk_end native_walker_walk(struct native_walker *walker, struct stack_copy *stack, struct text_buffer *to);
void native_walker_totals(struct native_walker *walker, struct native_walks *totals);

#endif
