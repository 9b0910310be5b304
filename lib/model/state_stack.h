/* SPDX-License-Identifier: MIT
 * state_stack: one number for a stack in a state, for tables by both: a scheme may ask for the state of a thread, and
 * then samples of one stack are of several groups. */
#ifndef MODEL_STATE_STACK_H
#define MODEL_STATE_STACK_H

#include "stkpipe/rows.h"

#define STATE_STACKS (STK_STATE_SLEEPING + 1)

/* Stacks of 2^60 and more, which no file has, share numbers. */
static inline uint64_t
state_stack(uint64_t stack, uint64_t state)
{
	return stack * STATE_STACKS + (state < STATE_STACKS ? state : STK_STATE_UNKNOWN);
}

#endif
