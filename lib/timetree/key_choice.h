/* SPDX-License-Identifier: MIT
 * key_choice: conditions on threads, processes and states, of counts that know the keys of their samples. Keys may
 * tell enough: by pool all threads of a pool are in one count, which answers --thread if that takes all of them, or
 * none. */
#ifndef TIMETREE_KEY_CHOICE_H
#define TIMETREE_KEY_CHOICE_H

#include "choose/selection.h"
#include "timetree/key_sets.h"

struct key_choice;

/* Whether selections by these options have a condition of this sort. */
bool key_choice_needed(const struct selection_options *asked);

/* Whether prefixes by these keys ("": the usual) tell what is asked of threads, processes and states; then *out is the
 * choice, else NULL. The model has all threads, and, where a process is asked for, all dumps; both are borrowed. Cost:
 * each thread is looked at. -1 with *err (STK_EUSAGE): as selection_open. */
int  key_choice_open(struct key_choice **out, struct model *model, const struct selection_options *asked,
	const char *keys, struct stk_error *err) STK_MUST_CHECK;
/* NULL does nothing. */
void key_choice_close(struct key_choice *choice);

/* Whether samples with this prefix are taken. Cost: two hash lookups. */
bool key_choice_takes(struct key_choice *choice, struct stk_text prefix);

#endif
