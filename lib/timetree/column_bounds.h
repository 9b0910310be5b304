/* SPDX-License-Identifier: MIT
 * column_bounds: between which bounds the counts of a column of a call tree are, where a tree leaves stacks out or has
 * estimates. */
#ifndef TIMETREE_COLUMN_BOUNDS_H
#define TIMETREE_COLUMN_BOUNDS_H

#include "choose/call_tree.h"
#include "timetree/bounded_difference.h"
#include "timetree/recording.h"

struct column_bounds {
	unsigned column;		/* of the counts */
	unsigned bounds;		/* the first of two for recordings_grow_bounds; 0: counts are exact */
	bool labels;			/* nodes are classes or groups, which are of many stacks */
	struct answer_bounds known;
};

/* The row of LEFT_OUT has the counts as they are. */
bool is_left_out(const struct call_tree *tree, uint32_t node);

/* What a node's own can be in place of what is estimated of it. */
uint64_t possible_self(struct call_tree *tree, uint32_t node, const struct column_bounds *b);

/* Of a node's own; of it with all below; and of numbers that were added up for a function or class: its count, how much
 * of that is estimated, and how much it can be instead. */
struct bounded_count bounded_self(struct call_tree *tree, uint32_t node, const struct column_bounds *b);
struct bounded_count bounded_total(struct call_tree *tree, uint32_t node, const struct column_bounds *b);
struct bounded_count bounded_sum(uint64_t count, uint64_t estimated, uint64_t possible, const struct column_bounds *b);
/* Of all samples: what is left out is counted there. */
struct bounded_count bounded_whole(struct call_tree *tree, const struct column_bounds *b);

#endif
