/* SPDX-License-Identifier: MIT
 * node_groups: the group of a scheme that each frame of a call tree belongs to. */
#ifndef PLOT_NODE_GROUPS_H
#define PLOT_NODE_GROUPS_H

#include "choose/call_tree.h"
#include "group/grouping.h"

/* By node, 0: none. An array; empty without a scheme. */
struct node_groups {
	uint32_t *at;
	size_t count, room;
};

/* What the frames of a stack belong to, from the node of its leaf upwards, as far as frames are nodes. grouping NULL:
 * does nothing. */
void node_groups_note(struct node_groups *groups, struct grouping *grouping, const struct model *model, uint64_t stack,
		      const struct call_tree *tree, uint32_t leaf);

#endif
