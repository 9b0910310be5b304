/* SPDX-License-Identifier: MIT
 * left_out: the samples of nodes that counts do not cover: how many they are, and how many of them any one stack can
 * have. Pure. */
#ifndef TIMETREE_LEFT_OUT_H
#define TIMETREE_LEFT_OUT_H

#include "timetree/tree_builder.h"

struct left_out {
	uint64_t samples, weight;
	uint64_t bound;			/* samples that any one stack (a prefix and an id) has of them at most, */
	uint64_t alike_bound;		/* all stacks with the same function names together, */
	uint64_t weight_bound;		/* and their weight */
	bool weight_unknown;		/* what is known of the weight is too little: a tree of an earlier version */
};

/* Of a node. Earlier versions wrote neither weights nor the bound of stacks that are alike. */
struct left_out left_out_of(const struct stk_tree_node *node);
/* Of two nodes together: a stack can be left out of both. */
void left_out_add(struct left_out *to, const struct left_out *more);
/* Into the columns of a node, but for its samples. */
void left_out_store(const struct left_out *left, struct stk_tree_node *node);

/* Of counts that a node does not keep. alike: a number for each type, the same for those with the same function names;
 * NULL: each is like itself only. */
struct left_out left_out_of_counts(const struct tree_count *counts, size_t count, const struct tree_sink *sink);

#endif
