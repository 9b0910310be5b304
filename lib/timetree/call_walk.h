/* SPDX-License-Identifier: MIT
 * call_walk: the nodes of a call tree in the order in which they are printed, made as they are asked for: each before
 * what it calls, the heaviest first. No tree is kept. */
#ifndef TIMETREE_CALL_WALK_H
#define TIMETREE_CALL_WALK_H

#include "timetree/recording.h"

struct call_walk;

/* A node: its level, from 1 on, and its name's number. */
struct walked_call { uint32_t depth, name; uint64_t self, total; };

/* Gives away what was counted in some recordings that show frames. Of the tree `to` only the root is grown, and names
 * are numbered. It is borrowed. Memory: 24 bytes for each stack that was counted, and each of their callers. -1 with
 * *err: definitions could not be read; *out is to be closed anyway. */
int  recordings_walk(struct call_walk **out, struct recording *const *recordings, size_t count, struct call_tree *to,
		     struct answer *answer, struct stk_error *err) STK_MUST_CHECK;
void call_walk_close(struct call_walk *walk);

/* The next node that has anything; of equal ones the first by name. False at the end. */
bool call_walk_next(struct call_walk *walk, struct walked_call *call);
/* What the last one calls is not asked for. */
void call_walk_skip(struct call_walk *walk);

#endif
