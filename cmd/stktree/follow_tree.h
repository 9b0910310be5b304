/* SPDX-License-Identifier: MIT
 * follow_tree: a tree that grows with its input. */
#ifndef STKTREE_FOLLOW_TREE_H
#define STKTREE_FOLLOW_TREE_H

#include "making.h"

/* The usage error of an input that is the tree itself. */
void refuse_own_tree(const char *path, char **operands, int count);
/* Until the input ends, adds what came to the tree at the path, every `every`. -1 with *err. */
int  follow_tree(struct making *making, const char *path, struct stk_error *err);

#endif
