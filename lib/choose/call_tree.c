/* SPDX-License-Identifier: MIT
 * call_tree: nodes in the order of their arrival, found among the children of their parent. */
#include "choose/call_tree.h"

#include "base/memory.h"

#include <stdlib.h>

/* Nearly all nodes have one child, and most of the others a few: looking at these costs less than a hash map, which
 * would have to be as large as the tree. */
#define FEW 8

static uint32_t
add_node(struct call_tree *tree, uint32_t parent, uint32_t name, uint32_t depth)
{
	*array_push(&tree->nodes) = (struct call_node){ .parent = parent, .name = name, .depth = depth };
	array_lengthen(&tree->self, tree->nodes.count * tree->columns);
	return (uint32_t)tree->nodes.count - 1;
}

void
call_tree_open(struct call_tree *tree, unsigned columns)
{
	*tree = (struct call_tree){ .columns = columns };
	add_node(tree, 0, 0, 0);
}

void
call_tree_release(struct call_tree *tree)
{
	text_table_release(&tree->names);
	array_release(&tree->nodes);
	array_release(&tree->self);
	array_release(&tree->total);
	hash_map_release(&tree->children);
}

void
call_tree_clear(struct call_tree *tree)
{
	memset(tree->self.at, 0, tree->self.count * sizeof *tree->self.at);
	tree->total.count = 0;
	array_lengthen(&tree->total, tree->self.count);
}

void
call_tree_fell(struct call_tree *tree)
{
	tree->nodes.count = tree->self.count = tree->total.count = 0;
	hash_map_release(&tree->children);
	add_node(tree, 0, 0, 0);
}

/* A child beyond the first few; 0 when it is none. */
static uint32_t
find_beyond(const struct call_tree *tree, uint32_t parent, uint32_t name)
{
	uint64_t hash = hash_pair(parent, name);
	uint32_t at = hash_map_start(&tree->children, hash), node;

	while ((node = hash_map_next(&tree->children, hash, &at)) != 0)
		if (tree->nodes.at[node].parent == parent && tree->nodes.at[node].name == name)
			return node;
	return 0;
}

uint32_t
call_tree_child_of(struct call_tree *tree, uint32_t parent, uint32_t name)
{
	uint32_t node = tree->nodes.at[parent].first, before = 0, seen = 0;

	for (; node != 0 && seen < FEW; node = tree->nodes.at[node].next, seen++) {
		if (tree->nodes.at[node].name == name)
			return node;
		before = node;
	}
	if (seen == FEW && (node = find_beyond(tree, parent, name)) != 0)
		return node;
	node = add_node(tree, parent, name, tree->nodes.at[parent].depth + 1);
	if (seen == FEW)
		hash_map_put(&tree->children, hash_pair(parent, name), node);
	if (before == 0) {
		tree->nodes.at[parent].first = node;
	} else {
		tree->nodes.at[node].next = tree->nodes.at[before].next;
		tree->nodes.at[before].next = node;
	}
	return node;
}

uint32_t
call_tree_child(struct call_tree *tree, uint32_t parent, struct stk_text name)
{
	return call_tree_child_of(tree, parent, text_table_number(&tree->names, name));
}

uint32_t
call_tree_path(struct call_tree *tree, uint32_t parent, struct stk_text names)
{
	const char *at = names.data, *end = at + names.size;

	if (names.size == 0)
		return parent;
	for (;;) {
		const char *stop = memchr(at, ';', (size_t)(end - at));

		parent = call_tree_child(tree, parent, text_of(at, (size_t)((stop == NULL ? end : stop) - at)));
		if (stop == NULL)
			return parent;
		at = stop + 1;
	}
}

static const struct call_tree *sorted;		/* qsort has no context */

static int
compare_children(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t p = sorted->total.at[(size_t)x * sorted->columns], q = sorted->total.at[(size_t)y * sorted->columns];
	struct stk_text v = call_tree_name(sorted, x), w = call_tree_name(sorted, y);

	if (p != q)
		return p < q ? 1 : -1;
	return text_compare(v, w);
}

void
call_order_open(struct call_order *order, const struct call_tree *tree)
{
	const struct call_node *nodes = tree->nodes.at;
	uint32_t used = 0;

	order->first = mem_new(tree->nodes.count + 1, sizeof *order->first);
	order->nodes = mem_new(tree->nodes.count, sizeof *order->nodes);
	sorted = tree;
	for (size_t n = 0; n < tree->nodes.count; n++) {
		order->first[n] = used;
		for (uint32_t child = nodes[n].first; child != 0; child = nodes[child].next)
			order->nodes[used++] = child;
		if (used > order->first[n])
			qsort(order->nodes + order->first[n], used - order->first[n], sizeof *order->nodes,
			      compare_children);
	}
	order->first[tree->nodes.count] = used;
}

void
call_order_release(struct call_order *order)
{
	free(order->first);
	free(order->nodes);
}

void
call_tree_add_path(const struct call_tree *tree, uint32_t node, struct text_buffer *to)
{
	size_t depth = tree->nodes.at[node].depth;
	uint32_t *way = mem_new(depth + 1, sizeof *way);

	for (size_t d = depth; d-- > 0; node = tree->nodes.at[node].parent)
		way[d] = node;
	for (size_t d = 0; d < depth; d++) {
		if (d > 0)
			add_char(to, ';');
		add_text(to, call_tree_name(tree, way[d]));
	}
	if (depth == 0)
		add_char(to, '?');
	free(way);
}
