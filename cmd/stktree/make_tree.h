/* SPDX-License-Identifier: MIT
 * make_tree: the tasks of stktree that write trees: build, append, merge, thin, follow. */
#ifndef STKTREE_MAKE_TREE_H
#define STKTREE_MAKE_TREE_H

#include "tree_settings.h"

#include "program/filter.h"

/* The filter is open. -1 with *err: failed; bad input was reported. */
int make_tree(
	const struct settings *settings, struct filter *filter, char **operands, int count, struct stk_error *err);

#endif
