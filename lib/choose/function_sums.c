/* SPDX-License-Identifier: MIT
 * function_sums: sums over the nodes of a name. */
#include "choose/function_sums.h"

#include "base/memory.h"

#include <stdlib.h>

/* A node counts for its name unless a caller of it has the same. */
static bool
is_outermost(const struct call_tree *tree, uint32_t node)
{
	uint32_t name = tree->nodes.at[node].name;

	for (uint32_t at = tree->nodes.at[node].parent; at != 0; at = tree->nodes.at[at].parent)
		if (tree->nodes.at[at].name == name)
			return false;
	return true;
}

uint64_t *
function_sums(struct call_tree *tree, unsigned column)
{
	uint64_t *sums = mem_new(2 * (tree->names.texts.count + 1), sizeof *sums);

	for (uint32_t n = 1; n < tree->nodes.count; n++) {
		uint32_t name = tree->nodes.at[n].name;

		sums[2 * name] += call_tree_self(tree, n)[column];
		if (call_tree_total(tree, n)[column] > 0 && is_outermost(tree, n))
			sums[2 * name + 1] += call_tree_total(tree, n)[column];
	}
	return sums;
}

struct neighbour_sums
neighbour_sums(struct call_tree *tree, unsigned column, uint32_t name)
{
	size_t names = tree->names.texts.count + 1;
	struct neighbour_sums sums = { .callers = mem_new(names, sizeof *sums.callers),
				       .callees = mem_new(names, sizeof *sums.callees) };

	for (uint32_t n = 1; n < tree->nodes.count && name != 0; n++) {
		const struct call_node *node = &tree->nodes.at[n];
		uint64_t total = call_tree_total(tree, n)[column];

		if (node->name == name) {
			sums.self += call_tree_self(tree, n)[column];
			if (total > 0 && is_outermost(tree, n)) {
				sums.total += total;
				sums.callers[tree->nodes.at[node->parent].name] += total;
			}
		} else if (node->parent != 0 && tree->nodes.at[node->parent].name == name) {
			sums.callees[node->name] += total;
		}
	}
	return sums;
}

void
neighbour_sums_release(struct neighbour_sums *sums)
{
	free(sums->callers);
	free(sums->callees);
}
