/* SPDX-License-Identifier: MIT
 * function_times: the sums of the tree are made once for each column, and then again for all. */
#include "plot/function_times.h"

#include "choose/function_sums.h"

#include <stdlib.h>

struct numbered { uint32_t name; uint64_t self, total; };

static int
compare_self(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	return x->total != y->total ? (x->total < y->total ? 1 : -1) : x->name < y->name ? -1 : 1;
}

struct function_time *
function_times(struct flame_tree *tree, size_t most, size_t *count)
{
	size_t names = tree->calls.names.texts.count, found = 0;
	struct numbered *all = mem_new(names + 1, sizeof *all);
	struct function_time *times = mem_new(most + 1, sizeof *times);
	uint64_t *sums = function_sums(&tree->calls, 0);

	for (uint32_t name = 1; name <= names; name++)
		if (sums[2 * (size_t)name] > 0)
			all[found++] = (struct numbered){ name, sums[2 * (size_t)name], sums[2 * (size_t)name + 1] };
	free(sums);
	qsort(all, found, sizeof *all, compare_self);
	*count = found < most ? found : most;
	for (size_t i = 0; i < *count; i++)
		times[i] = (struct function_time){ .name = text_table_text(&tree->calls.names, all[i].name),
						   .self = all[i].self, .total = all[i].total };
	for (uint32_t column = 0; column < flame_tree_columns(tree) && *count > 0; column++) {
		uint32_t each = flame_tree_together(tree);

		flame_tree_sum_cells(tree, column * each, (column + 1) * each);
		sums = function_sums(&tree->calls, 0);
		for (size_t i = 0; i < *count; i++)
			times[i].cells[column] = (float)sums[2 * (size_t)all[i].name + 1];
		free(sums);
	}
	flame_tree_sum(tree);
	free(all);
	return times;
}
