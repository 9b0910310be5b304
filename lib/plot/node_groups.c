/* SPDX-License-Identifier: MIT
 * node_groups: frames are attributed once for each stack that ends in a new row. */
#include "plot/node_groups.h"

void
node_groups_note(struct node_groups *groups, struct grouping *grouping, const struct model *model, uint64_t stack,
		 const struct call_tree *tree, uint32_t leaf)
{
	const uint32_t *frames, *of_frames;
	uint32_t depth;

	if (grouping == NULL || stack == 0)
		return;
	depth = grouping_of_frames(grouping, model, stack, &frames, &of_frames);
	array_lengthen(groups, tree->nodes.count);
	for (uint32_t node = leaf; depth > 0 && node != 0; node = tree->nodes.at[node].parent)
		groups->at[node] = of_frames[--depth];
}
