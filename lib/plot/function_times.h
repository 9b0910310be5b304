/* SPDX-License-Identifier: MIT
 * function_times: the functions with most of their own in a flame graph, and when each was counted. */
#ifndef PLOT_FUNCTION_TIMES_H
#define PLOT_FUNCTION_TIMES_H

#include "plot/flame_counts.h"

struct function_time {
	struct stk_text name;
	uint64_t self, total;
	float cells[FLAME_CELLS];	/* of the total; flame_tree_columns(tree) of them */
};

/* The first `most` of the list, which the caller frees; *count of them. */
struct function_time *function_times(struct flame_tree *tree, size_t most, size_t *count);

#endif
