/* SPDX-License-Identifier: MIT
 * state_name: the state that a name of the schema stands for, and that a number in a row does. */
#ifndef MODEL_STATE_NAME_H
#define MODEL_STATE_NAME_H

#include "base/bytes.h"
#include "stkpipe/rows.h"
#include "stkpipe/schema.h"

/* STK_STATE_UNKNOWN: no state has this name. */
static inline enum stk_state
state_named(struct stk_text name)
{
	const char *const *names = stk_schema()->kind[STK_SAMPLE].column[STK_COLUMN(sample, state)].names;
	unsigned state = 1;

	while (names[state] != NULL && !text_is(name, names[state]))
		state++;
	return names[state] != NULL ? (enum stk_state)state : STK_STATE_UNKNOWN;
}

/* A state that only a newer version knows, or that damage made, is unknown. */
static inline enum stk_state
state_of_number(uint64_t number)
{
	return number <= STK_STATE_SLEEPING ? (enum stk_state)number : STK_STATE_UNKNOWN;
}

#endif
