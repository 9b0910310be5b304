/* SPDX-License-Identifier: MIT
 * folded_walk: the stacks of a call tree in the order of their folded lines, byte by byte, each text made of its
 * caller's: no text is kept, and none compared with another whole one. */
#ifndef CHOOSE_FOLDED_WALK_H
#define CHOOSE_FOLDED_WALK_H

#include "choose/call_tree.h"

struct folded_walk;

/* Begins before the first node. The tree is borrowed and must not change. */
void folded_walk_open(struct folded_walk **out, const struct call_tree *tree);
void folded_walk_close(struct folded_walk *walk);

/* The next node with its names, root first, with ';' between; "?" for the root itself. Valid until the next call. False
 * at the end. */
bool folded_walk_next(struct folded_walk *walk, uint32_t *node, struct stk_text *text);

#endif
