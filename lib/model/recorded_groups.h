/* SPDX-License-Identifier: MIT
 * recorded_groups: the groups of stacks, and of threads without one, as a stream has them in its records (scheme,
 * group, group_of_stack, group_of_thread), for filters that know no schemes. */
#ifndef MODEL_RECORDED_GROUPS_H
#define MODEL_RECORDED_GROUPS_H

#include "stkpipe/stream.h"

struct recorded_groups;

void recorded_groups_open(struct recorded_groups **out);
/* NULL does nothing. */
void recorded_groups_close(struct recorded_groups *groups);

/* Any block; at a head all are forgotten. */
int recorded_groups_take(struct recorded_groups *groups, struct stk_reader *reader, const struct stk_block *block,
			 struct stk_error *err) STK_MUST_CHECK;

bool recorded_groups_any(const struct recorded_groups *groups);
/* A group of this path, PARENT/CHILD; below: or of this name, at any depth. NULL: there is none; else its path. */
const struct stk_text *recorded_groups_find(const struct recorded_groups *groups, struct stk_text name, bool below);
/* What decides the groups of a sample: its stack and state; without a stack its thread. */
struct grouped_row { uint64_t stack, state, thread; };
/* Whether a sample is in the group of this path, in any scheme; below: or below a group of this path or name.
 * "(none)": in no group of some scheme. What the records do not say is not in any group, nor in none. */
bool recorded_groups_has(struct recorded_groups *groups, const struct grouped_row *row, struct stk_text name,
			 bool below);
/* Whether they were asked for what they do not say: of threads without a stack; of any stack. */
bool recorded_groups_missed_threads(const struct recorded_groups *groups);
bool recorded_groups_missed_stacks(const struct recorded_groups *groups);

#endif
