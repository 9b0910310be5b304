/* SPDX-License-Identifier: MIT
 * call_tree: a node has as many children as names were asked for below it, few or many, and each is found again. */
#include "../lib/tap.h"

#include "choose/call_tree.h"

#include <stdlib.h>

#define MANY 1000

static uint32_t
child(struct call_tree *tree, uint32_t parent, unsigned number)
{
	char name[20];

	return call_tree_child(tree, parent, text_of(name, (size_t)snprintf(name, sizeof name, "f%u", number)));
}

/* Children of two nodes in turn, so that those of one are not beside each other. */
static void
test_children(unsigned count)
{
	struct call_tree tree;
	struct call_order order;
	uint32_t left, right, *lefts = mem_new(count + 1, sizeof *lefts), *rights = mem_new(count + 1, sizeof *rights);
	unsigned wrong = 0;

	call_tree_open(&tree, 1);
	left = call_tree_child(&tree, 0, text_from("left"));
	right = call_tree_child(&tree, 0, text_from("right"));
	for (unsigned n = 0; n < count; n++) {
		lefts[n] = child(&tree, left, n);
		rights[n] = child(&tree, right, n);
	}
	is_u64(tree.nodes.count, 3 + 2 * count, "%u children each of two nodes are as many nodes", count);
	for (unsigned n = 0; n < count; n++) {
		wrong += child(&tree, left, n) != lefts[n] || child(&tree, right, n) != rights[n];
		wrong += tree.nodes.at[lefts[n]].parent != left || tree.nodes.at[lefts[n]].depth != 2;
	}
	is_u64(wrong, 0, "... each is found again below its own parent");
	is_u64(tree.nodes.count, 3 + 2 * count, "... and none is made twice");

	array_lengthen(&tree.total, tree.self.count);
	for (unsigned n = 0; n < count; n++)
		*call_tree_total(&tree, lefts[n]) = n;
	call_order_open(&order, &tree);
	is_u64(order.first[0], 0, "... in the order the root's come first");
	is_u64(order.first[left + 1] - order.first[left], count, "... then all of one");
	is_u64(order.first[right + 1] - order.first[right], count, "... and all of the other");
	for (unsigned n = 0; n < count; n++)
		wrong += order.nodes[order.first[left] + n] != lefts[count - 1 - n];
	is_u64(wrong, 0, "... the largest first");
	for (unsigned n = 1; n < count; n++)
		wrong += text_compare(call_tree_name(&tree, order.nodes[order.first[right] + n - 1]),
				      call_tree_name(&tree, order.nodes[order.first[right] + n])) >= 0;
	is_u64(wrong, 0, "... and by name where they are equal");
	call_order_release(&order);

	*call_tree_self(&tree, left) = 7;
	call_tree_clear(&tree);
	is_u64(*call_tree_self(&tree, left), 0, "... what was counted is forgotten");
	is_u64(count == 0 ? left : child(&tree, left, count - 1), count == 0 ? 1 : lefts[count - 1],
	       "... and the nodes are kept");
	call_tree_release(&tree);
	free(lefts);
	free(rights);
}

static void
test_paths(void)
{
	struct call_tree tree;
	struct text_buffer text = { 0 };
	uint32_t node;

	call_tree_open(&tree, 1);
	is_u64(call_tree_path(&tree, 0, text_from("")), 0, "no names are the node itself");
	node = call_tree_path(&tree, 0, text_from("a;b;c"));
	is_u64(node, 3, "three names are three nodes");
	is_u64(call_tree_path(&tree, 1, text_from("b;c")), 3, "... found from the first on, too");
	is_u64(call_tree_path(&tree, 0, text_from("a;")), 4, "a name may be empty");
	call_tree_add_path(&tree, node, &text);
	add_char(&text, ' ');
	call_tree_add_path(&tree, 0, &text);
	is_bytes(text.at, text.count, "a;b;c ?", 7, "a path has its names, that of the root is ?");
	array_release(&text);
	call_tree_release(&tree);
}

int
main(void)
{
	static const unsigned counts[] = { 0, 1, 2, 7, 8, 9, 10, MANY };

	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
		test_children(counts[c]);
	test_paths();
	return tap_end();
}
