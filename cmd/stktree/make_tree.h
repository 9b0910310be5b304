/* SPDX-License-Identifier: MIT
 * make_tree: what stktree does when it writes trees: build, append, merge, thin, follow. */
#ifndef STKTREE_MAKE_TREE_H
#define STKTREE_MAKE_TREE_H

#include "tree_settings.h"

#include "program/filter.h"

/* The filter is open. -1 with *err: it could not; what was bad in the input was told. */
int make_tree(
	const struct settings *settings, struct filter *filter, char **operands, int count, struct stk_error *err);

#endif
