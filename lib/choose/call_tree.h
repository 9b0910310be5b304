/* SPDX-License-Identifier: MIT
 * call_tree: stacks by the names of their frames, with what is counted of each, in one or several columns: windows,
 * recordings. */
#ifndef CHOOSE_CALL_TREE_H
#define CHOOSE_CALL_TREE_H

#include "base/text_buffer.h"
#include "base/text_table.h"

struct call_node {
	uint32_t parent;		/* below its own number; the root, 0, is its own */
	uint32_t name;			/* in names; 0 for the root */
	uint32_t depth;			/* 0 for the root, which is no frame */
	uint32_t first, next;		/* a child, and the next of its parent; 0: none */
};

struct call_tree {
	unsigned columns;
	struct text_table names;
	ARRAY(struct call_node) nodes;
	ARRAY(uint64_t) self;		/* by node and column: the node's own, of stacks that end here */
	ARRAY(uint64_t) total;		/* and with those below: filled in by the caller, who sets its length */
	struct hash_map children;	/* by parent and name, of those that have many before them */
};

void call_tree_open(struct call_tree *tree, unsigned columns);
void call_tree_release(struct call_tree *tree);
/* Clears the counts and keeps the nodes. */
void call_tree_clear(struct call_tree *tree);
/* Only the root stays, without counts, and the numbers of names: for another tree with many of the same names. */
void call_tree_fell(struct call_tree *tree);

/* The node of a frame called by `parent`, created when it is new. */
uint32_t call_tree_child(struct call_tree *tree, uint32_t parent, struct stk_text name);
/* The same by the name's number in tree->names. */
uint32_t call_tree_child_of(struct call_tree *tree, uint32_t parent, uint32_t name);
/* The same for several frames with ';' between; parent itself for none. */
uint32_t call_tree_path(struct call_tree *tree, uint32_t parent, struct stk_text names);

static inline uint64_t *
call_tree_self(struct call_tree *tree, uint32_t node)
{
	return tree->self.at + (size_t)node * tree->columns;
}

static inline uint64_t *
call_tree_total(struct call_tree *tree, uint32_t node)
{
	return tree->total.at + (size_t)node * tree->columns;
}

static inline struct stk_text
call_tree_name(const struct call_tree *tree, uint32_t node)
{
	return text_table_text(&tree->names, tree->nodes.at[node].name);
}

struct call_order { uint32_t *first, *nodes; };		/* those of node n are nodes[first[n]] to nodes[first[n + 1] -
							 * 1] */
/* The children of each node, those with the largest total of column 0 first (by name where these are equal). Free with
 * call_order_release. */
void call_order_open(struct call_order *order, const struct call_tree *tree);
void call_order_release(struct call_order *order);

/* The names on the way to a node, root first, with ';' between; "?" for the root itself: a stack without known
 * frames. */
void call_tree_add_path(const struct call_tree *tree, uint32_t node, struct text_buffer *to);

#endif
