/* SPDX-License-Identifier: MIT
 * left_out: at least one sample is left out where the bound of stacks that are alike is known: so 0 says it is not. */
#include "timetree/left_out.h"

struct left_out
left_out_of(const struct stk_tree_node *node)
{
	struct left_out left = { .samples = node->samples - node->kept,
				 .bound = node->bound,
				 .alike_bound = node->alike_bound,
				 .weight_bound = node->weight_bound };

	if (left.samples == 0)
		return (struct left_out){ 0 };
	if (node->alike_bound == 0) {
		left.alike_bound = left.samples;
		left.weight_unknown = true;
	} else if (node->left_weight < 0) {
		left.weight_unknown = true;
	} else {
		left.weight = (uint64_t)node->left_weight;
	}
	return left;
}

void
left_out_add(struct left_out *to, const struct left_out *more)
{
	to->samples += more->samples;
	to->weight += more->weight;
	to->bound += more->bound;
	to->alike_bound += more->alike_bound;
	to->weight_bound += more->weight_bound;
	to->weight_unknown |= more->weight_unknown;
}

void
left_out_store(const struct left_out *left, struct stk_tree_node *node)
{
	node->bound = left->bound;
	node->alike_bound = left->alike_bound;
	node->weight_bound = left->weight_bound;
	node->left_weight = left->weight_unknown || left->weight > INT64_MAX ? -1 : (int64_t)left->weight;
}

struct left_out
left_out_of_counts(const struct tree_count *counts, size_t count, const struct tree_sink *sink)
{
	struct left_out left = { 0 };
	struct tree_counts alike = { 0 };

	for (size_t i = 0; i < count; i++) {
		uint32_t type = sink->alike == NULL ? counts[i].type : sink->alike(sink->context, counts[i].type);

		left.samples += counts[i].count;
		left.weight += counts[i].weight;
		left.bound = counts[i].count > left.bound ? counts[i].count : left.bound;
		*array_push(&alike.list) = (struct tree_count){ type, counts[i].count, counts[i].weight };
	}
	tree_counts_settle(&alike);
	for (size_t i = 0; i < alike.list.count; i++) {
		const struct tree_count *one = &alike.list.at[i];

		left.alike_bound = one->count > left.alike_bound ? one->count : left.alike_bound;
		left.weight_bound = one->weight > left.weight_bound ? one->weight : left.weight_bound;
	}
	array_release(&alike.list);
	return left;
}
