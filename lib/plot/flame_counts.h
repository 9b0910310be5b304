/* SPDX-License-Identifier: MIT
 * flame_counts: samples by call path and by time, for flame graphs. Paths are those of functions' names. Time is cut
 * into at most FLAME_CELLS cells, which become twice as long whenever the recording turns out to be longer. */
#ifndef PLOT_FLAME_COUNTS_H
#define PLOT_FLAME_COUNTS_H

#include "base/pair_sums.h"
#include "model/sample_columns.h"
#include "plot/node_groups.h"

#define FLAME_CELLS 32u
#define FLAME_MERGED 16u		/* a mark of nodes: several became one, which was not compared */
#define FLAME_REST  "(rest)"		/* what is called by a function, but too little to be kept apart */

/* What a flame graph is drawn from. Rows are counted: a path, and the state of the thread. */
struct flame_tree {
	struct call_tree calls;		/* with totals */
	ARRAY(uint32_t) modules;	/* by number of a name: a text of module_texts, 0 none */
	struct text_table module_texts;
	struct node_groups groups;
	struct pair_sums rows;		/* by node and state; weight is the sum */
	struct pair_sums counts;	/* by row and cell: 0 to cells - 1; cells: without a time */
	ARRAY(unsigned char) marks;	/* of a comparison only, by node: see flame_difference.h */
	ARRAY(unsigned char) name_marks;	/* by number of a name; 0: what has no stack */
	uint32_t cells;
	int64_t begin_ns, cell_ns;	/* cell_ns 0: no sample has a time */
	uint64_t rest_nodes, rest_sum;	/* what became FLAME_REST: call paths, and their part of all counts */
};

struct flame_counts_options {
	const struct model *model;	/* borrowed */
	const char *by;			/* keys that paths begin with; NULL: none */
	struct grouping *grouping;	/* of frames; borrowed; NULL: none */
	int64_t from_ns, to_ns;		/* the window, INT64_MIN and INT64_MAX where it is not known */
	uint32_t cells;			/* of time, at most; 0: FLAME_CELLS */
	/* What precedes the paths of a sample: it depends on its stack and state, or without a stack on its thread. */
	struct stk_text (*first)(void *context, uint64_t stack, uint64_t state, uint64_t thread);
	void *first_context;		/* first may be NULL */
};

struct flame_counts;

/* The columns that flame_counts_add reads. */
#define FLAME_COLUMNS (SAMPLE_TIME | SAMPLE_THREAD | SAMPLE_DUMP | SAMPLE_STACK | SAMPLE_STATE)

/* -1 with *err (STK_EUSAGE): unknown keys. *out is as far as it was made. */
int  flame_counts_open(struct flame_counts **out, const struct flame_counts_options *options,
		       struct stk_error *err) STK_MUST_CHECK;
void flame_counts_close(struct flame_counts *counts);
/* Ids of the model start anew. */
void flame_counts_turn(struct flame_counts *counts);
void flame_counts_add(struct flame_counts *counts, const struct sample_columns *columns, uint32_t sample,
		      uint64_t weight);
/* Nothing is added any more: totals are made. Owned by counts. */
struct flame_tree *flame_counts_settle(struct flame_counts *counts);

void flame_tree_release(struct flame_tree *tree);
/* Adds the counts up, for rows and for tree->calls. */
void flame_tree_sum(struct flame_tree *tree);
/* Those of the cells from..to - 1, for tree->calls alone. */
void flame_tree_sum_cells(struct flame_tree *tree, uint32_t from, uint32_t to);
/* At most FLAME_CELLS columns of time: how many cells each has, and how many they are. */
static inline uint32_t
flame_tree_together(const struct flame_tree *tree)
{
	return tree->cells == 0 ? 1 : (tree->cells - 1) / FLAME_CELLS + 1;
}
static inline uint32_t
flame_tree_columns(const struct flame_tree *tree)
{
	return (tree->cells + flame_tree_together(tree) - 1) / flame_tree_together(tree);
}
/* The same with only those paths that have at least `least` counts: the others of a caller become one, FLAME_REST. */
void flame_tree_thin(struct flame_tree *out, const struct flame_tree *from, uint64_t least);

#endif
