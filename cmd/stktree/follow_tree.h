/* SPDX-License-Identifier: MIT
 * follow_tree: a tree that grows while its input comes. */
#ifndef STKTREE_FOLLOW_TREE_H
#define STKTREE_FOLLOW_TREE_H

#include "making.h"

/* The usage error of an input that is the tree itself. */
void refuse_own_tree(const char *path, char **operands, int count);
/* Until the input ends; the tree at the path has all that came, `every` so often. -1 with *err. */
int  follow_tree(struct making *making, const char *path, struct stk_error *err);

#endif
