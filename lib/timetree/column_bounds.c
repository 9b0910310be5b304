/* SPDX-License-Identifier: MIT
 * column_bounds: what is left out can be of any stack, up to a bound, and of any function. */
#include "timetree/column_bounds.h"

bool
is_left_out(const struct call_tree *tree, uint32_t node)
{
	return node != 0 && tree->nodes.at[node].parent == 0 && text_is(call_tree_name(tree, node), LEFT_OUT);
}

uint64_t
possible_self(struct call_tree *tree, uint32_t node, const struct column_bounds *b)
{
	return b->bounds == 0 ? 0 : call_tree_self(tree, node)[b->bounds + 1];
}

static struct bounded_count
between(uint64_t count, uint64_t estimated, uint64_t possible, uint64_t left_out)
{
	uint64_t least = count - estimated;

	return (struct bounded_count){ count, least, least + possible + left_out };
}

struct bounded_count
bounded_self(struct call_tree *tree, uint32_t node, const struct column_bounds *b)
{
	const uint64_t *self = call_tree_self(tree, node);
	uint64_t left = b->labels ? b->known.most : b->known.stack;

	if (b->bounds == 0 || is_left_out(tree, node))
		return (struct bounded_count){ self[b->column], self[b->column], self[b->column] };
	return between(self[b->column], self[b->bounds], self[b->bounds + 1], left);
}

struct bounded_count
bounded_total(struct call_tree *tree, uint32_t node, const struct column_bounds *b)
{
	const uint64_t *total = call_tree_total(tree, node);

	if (is_left_out(tree, node))
		return bounded_self(tree, node, b);
	return bounded_sum(total[b->column], b->bounds == 0 ? 0 : total[b->bounds],
			   b->bounds == 0 ? 0 : total[b->bounds + 1], b);
}

struct bounded_count
bounded_sum(uint64_t count, uint64_t estimated, uint64_t possible, const struct column_bounds *b)
{
	if (b->bounds == 0)
		return (struct bounded_count){ count, count, count };
	return between(count, estimated, possible, b->known.most);
}

struct bounded_count
bounded_whole(struct call_tree *tree, const struct column_bounds *b)
{
	const uint64_t *total = call_tree_total(tree, 0);

	if (b->bounds == 0)
		return (struct bounded_count){ total[b->column], total[b->column], total[b->column] };
	return between(total[b->column], total[b->bounds], total[b->bounds + 1], 0);
}
