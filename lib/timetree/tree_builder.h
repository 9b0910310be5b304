/* SPDX-License-Identifier: MIT
 * tree_builder: a time tree out of samples in the order of their times, in one pass: nodes are counted while their
 * intervals are split. What is held is one leaf's samples, and the counts of the nodes on the way from the root. Pure:
 * samples are asked for, nodes are handed over. */
#ifndef TIMETREE_TREE_BUILDER_H
#define TIMETREE_TREE_BUILDER_H

#include "base/array.h"
#include "stkpipe/error.h"
#include "stkpipe/rows.h"
#include "timetree/tree_shape.h"

/* Samples in the order of time. */
struct tree_samples {
	ARRAY(int64_t) times;
	ARRAY(uint32_t) types;		/* dense numbers of what is counted; 0: the sample is there and not counted */
	ARRAY(uint64_t) weights;
};

struct tree_feed {
	void *context;
	/* Adds some samples at the end: 1; 0 when there are no more; -1. */
	int (*more)(void *context, struct tree_samples *to, struct stk_error *err);
	int64_t last_ns;		/* the time of the last one: needed before the first */
	bool seconds;			/* times are those of a clock without dates */
	uint64_t first_row;		/* the number of the first one among the stream's sample rows */
};

struct tree_sink {
	void *context;
	/* A node keeps these counts: sets node->first_count. */
	int (*counts)(void *context, struct stk_tree_node *node, const struct tree_count *counts, size_t count,
		      struct stk_error *err);
	/* Nodes are done: sets their ids, one after another. */
	int (*nodes)(void *context, struct stk_tree_node *nodes, size_t count, struct stk_error *err);
	/* A number for a type, the same for those that reports may add up as one stack; NULL: there are none. */
	uint32_t (*alike)(void *context, uint32_t type);
};

/* An interval may be longer than a signed number of nanoseconds says: lengths wrap. */
static inline int64_t
tree_span(int64_t from, int64_t to)
{
	return (int64_t)((uint64_t)to - (uint64_t)from);
}

static inline int64_t
tree_node_end(const struct stk_tree_node *node)
{
	return (int64_t)((uint64_t)node->time + (uint64_t)node->length);
}

/* Counts of one node, by type. */
struct tree_counts { ARRAY(struct tree_count) list; };

/* A node with all its counts, whatever it keeps of them. */
struct tree_made { struct stk_tree_node node; struct tree_counts counts; };

/* Roots are added to *roots, their nodes not yet handed over: at most one of samples without a time, and one of the
 * others. */
struct tree_roots { ARRAY(struct tree_made) made; };

int tree_build(const struct tree_shape *shape, const struct tree_feed *feed, const struct tree_sink *sink,
	       struct tree_roots *roots, struct stk_error *err) STK_MUST_CHECK;

/* A node above some others, which follow one another: hands these over. Takes the counts of the children. interval: the
 * node's own, where that is more than theirs together; or NULL. */
int tree_join(const struct tree_shape *shape, const struct tree_sink *sink, struct tree_made *children, size_t count,
	      const struct tree_interval *interval, struct tree_made *parent, struct stk_error *err) STK_MUST_CHECK;

/* A tree over nodes that come in the order of their times, `split` below each. A zeroed struct is one without nodes. */
#define TREE_LEVELS_MOST 64
struct tree_grouping { struct tree_roots level[TREE_LEVELS_MOST]; };
int tree_grouping_add(struct tree_grouping *grouping, const struct tree_shape *shape, const struct tree_sink *sink,
		      struct tree_made *made, struct stk_error *err) STK_MUST_CHECK;
/* Adds the root, if there is any, to *roots; NULL: all is given up. */
int tree_grouping_end(struct tree_grouping *grouping, const struct tree_shape *shape, const struct tree_sink *sink,
		      struct tree_roots *roots, struct stk_error *err) STK_MUST_CHECK;

/* Puts a list that was only added to in the order of types, and counts of the same type together. */
void tree_counts_settle(struct tree_counts *counts);
void tree_counts_add(struct tree_counts *to, const struct tree_counts *more);
void tree_roots_release(struct tree_roots *roots);

#endif
