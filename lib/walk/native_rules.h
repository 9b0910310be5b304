/* SPDX-License-Identifier: MIT
 * native_rules: how the caller's registers are found in native code (the .eh_frame or .debug_frame of its file, by
 * libdw; else the table that programs of Go have), kept by pc. One step at a time: frames of a VM's own code lie
 * between native ones. */
#ifndef WALK_NATIVE_RULES_H
#define WALK_NATIVE_RULES_H

#include "capture/process.h"
#include "capture/stack_copy.h"

struct native_rules;

enum native_step {
	NATIVE_STEPPED,
	NATIVE_ENTRY,			/* this is the first function of the thread */
	NATIVE_NO_RULE,			/* nothing is known about this pc */
	NATIVE_UNREADABLE		/* what the rule needs is not in the copy of the stack */
};

/* -1: built without libdw, or the process may not be looked at. */
int native_rules_open(struct native_rules **out, const struct process *process, struct stk_error *err) STK_MUST_CHECK;
void native_rules_close(struct native_rules *rules);

/* What is kept; between two stacks it may be forgotten, and is looked up again. */
size_t native_rules_bytes(const struct native_rules *rules);
void native_rules_forget(struct native_rules *rules);

/* Makes the registers those of the caller. is_top: the frame was interrupted, and did not call something. */
enum native_step native_rules_step(struct native_rules *rules, struct stack_copy *stack, bool is_top);
/* Of an interrupted function that nothing is known about: hand-written leaves have no rule, and no frame. Makes the
 * registers those of the caller. False: the word on top of the stack is not an address in known code. */
bool native_rules_leave_leaf(struct native_rules *rules, struct stack_copy *stack);
/* Whether something is known about a pc. */
bool native_rules_know(struct native_rules *rules, uint64_t pc);

#endif
