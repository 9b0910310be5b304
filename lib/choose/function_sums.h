/* SPDX-License-Identifier: MIT
 * function_sums: what the functions of a call tree have, wherever they were called; a recursion counts once. */
#ifndef CHOOSE_FUNCTION_SUMS_H
#define CHOOSE_FUNCTION_SUMS_H

#include "choose/call_tree.h"

/* Self and total of each name, by number of the name in tree->names, 2 for each. Freed by the caller. */
uint64_t *function_sums(struct call_tree *tree, unsigned column);

/* A function's own samples and all that went through it, and these by caller and callee, by number of the name; 0 is
 * the root. Below an outer call of its own a function is not counted again. */
struct neighbour_sums { uint64_t self, total, *callers, *callees; };

/* Free with neighbour_sums_release. */
struct neighbour_sums neighbour_sums(struct call_tree *tree, unsigned column, uint32_t name);
void neighbour_sums_release(struct neighbour_sums *sums);

#endif
