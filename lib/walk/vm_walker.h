/* SPDX-License-Identifier: MIT
 * vm_walker: the stack of a thread of a HotSpot VM, from a copy that the kernel made of it at a tick. Native frames are
 * walked by the unwind tables of their files, compiled and interpreted ones by what the VM says about its own code.
 * Nothing is loaded into the VM, it is not stopped, and it needs no option: its memory is only read. x86-64, JDK 8 to
 * 25.
 *
 * A stack is text, leaf first, a line a frame:
 *	j ADDRESS MODULE FUNCTION [FILE LINE]	a method; the module says how it ran; LINE is "native" of a native one
 *	s ADDRESS MODULE NAME			code of the VM's own that is not a method
 *	n ADDRESS				native code, not named yet (walked_names.h)
 *	m TEXT					a mark: something that is not a function
 * with tabs between. Frames of methods that were inlined where the compiler noted nothing are of the nearest note, and
 * marked so. What cannot be walked is never guessed: the stack ends with a mark that says why. */
#ifndef WALK_VM_WALKER_H
#define WALK_VM_WALKER_H

#include "base/text_buffer.h"
#include "capture/process.h"
#include "capture/stack_copy.h"
#include "walk/walk_end.h"
#include "walk/walk_pool.h"

struct vm_walker;

struct walk_totals {
	uint64_t stacks, ends[WALK_ENDS];
	uint64_t with_methods, whole_with_methods;
	uint64_t estimated;		/* stacks whose innermost inlined methods are of the nearest note */
	uint64_t repaired;		/* frames whose return address was searched for */
	uint64_t replaced;		/* code and methods that were others than known */
	uint64_t reads;			/* of the VM's memory */
};

/* -1 (STK_EDATA): this VM cannot be walked, and *err says why. The pool is borrowed; NULL: what is kept has no bound
 * but those of its parts. */
int vm_walker_open(struct vm_walker **out, const struct process *process, struct walk_pool *pool,
		   struct stk_error *err) STK_MUST_CHECK;
void vm_walker_close(struct vm_walker *walker);

/* Adds the stack. May be called by several threads: they take turns. */
enum walk_end vm_walker_walk(struct vm_walker *walker, struct stack_copy *stack, struct text_buffer *to);
void vm_walker_totals(struct vm_walker *walker, struct walk_totals *totals);
int vm_walker_version(const struct vm_walker *walker);	/* of the JDK */

#endif
