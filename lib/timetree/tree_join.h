/* SPDX-License-Identifier: MIT
 * tree_join: the roots of new nodes join those of the tree that they are appended to. As a binary counter carries:
 * roots of like size become one, so that there are as many as the logarithm of what was appended. */
#ifndef TIMETREE_TREE_JOIN_H
#define TIMETREE_TREE_JOIN_H

#include "choose/selection.h"
#include "stream/stream_file.h"
#include "timetree/node_writer.h"

/* The tree that is appended to, and what its nodes are counted with. All is borrowed. */
struct tree_base {
	struct stream_file *file;		/* its first stream has the tree, or no tree */
	const char *by;				/* the keys of the set whose roots are joined */
	const struct tree_shape *shape;
	struct stack_prefixes *prefixes;
	const struct model *model;
	struct selection *selection;		/* of a leaf's samples that the tree counts */
	struct node_writer *nodes;		/* of the output */
};

/* The roots of the base come before those in *roots, which are joined with them; nodes that are no longer roots are
 * handed over. *row: the numbers of the base's description (its texts are not valid); all 0 where there is no tree.
 * -1 with *err, STK_EDATA when the tree is damaged: the roots are to be released. */
int tree_join_roots(const struct tree_base *base, struct tree_roots *roots, struct stk_tree *row, struct stk_error *err)
	STK_MUST_CHECK;

#endif
