/* SPDX-License-Identifier: MIT
 * flame_order: a walk from the root, depth first, with children sorted by name. */
#include "plot/flame_order.h"

#include <string.h>

static const struct call_tree *sorted;		/* qsort has no context */

/* What follows a name in the first line of folded text that has it: its count, or what it calls. */
static unsigned char
end_of_name(uint32_t node)
{
	return sorted->self.at[node] > 0 ? ' ' : ';';
}

/* As lines of folded text are sorted. */
static int
compare_names(const void *a, const void *b)
{
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
	struct stk_text x = call_tree_name(sorted, first), y = call_tree_name(sorted, second);
	size_t common = x.size < y.size ? x.size : y.size;
	int order = memcmp(x.data, y.data, common);

	if (order != 0 || x.size == y.size)
		return order;
	if (x.size < y.size)
		return end_of_name(first) <= (unsigned char)y.data[common] ? -1 : 1;
	return (unsigned char)x.data[common] < end_of_name(second) ? -1 : 1;
}

/* How many nodes are in a part of the tree. */
static uint64_t
nodes_below(const struct call_tree *calls, uint32_t top)
{
	ARRAY(uint32_t) open = { 0 };
	uint64_t count = 0;

	*array_push(&open) = top;
	while (open.count > 0) {
		uint32_t node = open.at[--open.count];

		count++;
		for (uint32_t child = calls->nodes.at[node].first; child != 0; child = calls->nodes.at[child].next)
			if (calls->total.at[child] > 0)
				*array_push(&open) = child;
	}
	array_release(&open);
	return count;
}

uint64_t
flame_places_make(struct flame_places *out, const struct flame_tree *tree, double least, uint64_t *hidden)
{
	const struct call_tree *calls = &tree->calls;
	ARRAY(struct flame_place) open = { 0 };
	ARRAY(uint32_t) children = { 0 };
	uint64_t left_out = 0;

	*out = (struct flame_places){ 0 };
	*hidden = 0;
	if (calls->total.at[0] > 0)
		*array_push(&open) = (struct flame_place){ 0, 0, calls->total.at[0] };
	while (open.count > 0) {
		const struct call_node *nodes = calls->nodes.at;
		struct flame_place place = open.at[--open.count];
		uint64_t end = place.from + calls->self.at[place.node];	/* its own first, as in flamegraph.pl */

		*array_push(&out->list) = place;
		if (calls->nodes.at[place.node].depth >= out->levels)
			out->levels = calls->nodes.at[place.node].depth + 1;
		children.count = 0;
		for (uint32_t child = nodes[place.node].first; child != 0; child = nodes[child].next) {
			if (calls->total.at[child] == 0)
				continue;
			*array_push(&children) = child;
			end += calls->total.at[child];
		}
		sorted = calls;
		if (children.count > 1)
			qsort(children.at, children.count, sizeof *children.at, compare_names);
		while (children.count > 0) {		/* the last first: what is opened last is drawn next */
			uint32_t child = children.at[--children.count];
			uint64_t size = calls->total.at[child];

			end -= size;
			if ((double)size < least) {
				left_out += nodes_below(calls, child);
				*hidden += size;
			} else {
				*array_push(&open) = (struct flame_place){ child, end, size };
			}
		}
	}
	array_release(&open);
	array_release(&children);
	return left_out;
}

void
flame_places_release(struct flame_places *places)
{
	array_release(&places->list);
}
