/* SPDX-License-Identifier: MIT
 * tree_query: which nodes of a time tree answer for a window: those outside are not read, of those inside the counts
 * are taken, and of a leaf at its border the samples. Pure: nodes, counts and samples are asked for. */
#ifndef TIMETREE_TREE_QUERY_H
#define TIMETREE_TREE_QUERY_H

#include "stkpipe/error.h"
#include "stkpipe/rows.h"
#include "timetree/left_out.h"
#include "timetree/tree_shape.h"

#include <stdbool.h>

/* damage was reported, and what it hid is left out */
enum tree_access_result { TREE_TAKEN = 1, TREE_DAMAGED = 0, TREE_FAILED = -1 };

struct tree_access {
	void *context;
	uint64_t nodes;			/* ids are 1 to this */
	bool thinned;			/* only thinned nodes are asked, for counts; samples are read otherwise */
	/* The node of an id. */
	enum tree_access_result (*node)(void *context, uint64_t id, struct stk_tree_node *node, struct stk_error *err);
	/* Takes all counts of a node into the result. Damaged: nothing was taken. */
	enum tree_access_result (*counts)(void *context, const struct stk_tree_node *node, struct stk_error *err);
	/* Takes what a window has of the counts of a thinned node that it cuts: an estimate. As counts. */
	enum tree_access_result (*part)(void *context, const struct stk_tree_node *node, struct tree_interval window,
					struct stk_error *err);
	/* Takes the samples of a leaf that are in the window; *taken of its rows were read. Damaged: some were not. */
	enum tree_access_result (*samples)(void *context, const struct stk_tree_node *leaf, struct tree_interval window,
					   uint64_t *taken, struct stk_error *err);
	/* Nobody counts the samples of some node in this interval, because the node cannot be read: what was taken
	 * until the end of the query is too little. Of a root it is all times. */
	void (*unanswered)(void *context, struct tree_interval interval);
};

struct tree_answer {			/* what it took, and what is not known; sums over the windows asked for */
	uint64_t nodes;			/* that are not outside */
	uint64_t stacks;		/* counts and samples read */
	struct left_out left;		/* what counts do not cover: P is below 100 */
	struct left_out guessed;	/* how much of that is estimated, */
	struct left_out possible;	/* and how much it can be instead */
	uint64_t edges;			/* samples of thinned nodes that the window cuts: how many of them are in it
					 * is estimated */
	uint64_t damaged;		/* nodes of which something could not be read: others may have answered */
};

/* A window without beginning and end (INT64_MIN, INT64_MAX) holds samples without a time as well. */
int tree_query(const struct tree_access *access, const uint64_t *roots, size_t count, struct tree_interval window,
	       struct tree_answer *answer, struct stk_error *err) STK_MUST_CHECK;

#endif
