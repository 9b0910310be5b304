/* SPDX-License-Identifier: MIT
 * comparison: the stacks, calls or functions of two sides or more, and which differ from the first side by more than
 * chance. Each side is counted as a whole, and again in blocks of time, because samples near each other are not
 * independent (see block_spread.h). Where a tree leaves stacks out or has estimates, counts have bounds, and what
 * differs does so whatever is between these (see bounded_difference.h). */
#ifndef TIMETREE_COMPARISON_H
#define TIMETREE_COMPARISON_H

#include "timetree/block_spread.h"
#include "timetree/column_bounds.h"

/* What is compared, and what its rows are. */
enum measure {
	MEASURE_STACKS,		/* nodes of the call tree, by what ends there */
	MEASURE_CALLS,		/* nodes, with what they call; 0, the root, is what has no stack */
	MEASURE_FUNCTIONS,	/* names, by what is their own; 0 is what has no stack */
	MEASURE_TOTALS,		/* names, with what they call */
	MEASURE_NEIGHBOURS,	/* of one function: the rows below */
	MEASURE_ALL,		/* one row: all samples */
	MEASURES
};

enum { NEIGHBOUR_TOTAL, NEIGHBOUR_SELF, NEIGHBOUR_CALLER, NEIGHBOUR_CALLEE };	/* the last two: + 2 * name */

struct comparison_options {
	unsigned sides, measures;	/* a bit for each measure whose differences are asked for */
	const char *function;		/* of MEASURE_NEIGHBOURS; its generated parts do not matter */
	bool samples;			/* count them even where weights are counts; weights that are periods never
					 * count, as chance acts on samples */
	bool share;			/* shares of the samples are compared, not samples a second */
	bool bounded;			/* of some recording: see recording_facts */
	bool merged;			/* nodes are of stacks with different names: labels, or names are folded */
	double confidence, discovery;	/* of the limits; and the part of the findings that may be false */
};

/* Recordings and windows that are one side. The windows are in order, and none touches another; one without ends is
 * all there is. */
struct compared_side {
	struct recording **recordings;
	size_t count, windows_count;
	const struct tree_interval *windows;
};

/* A row: what it has in the first side and in another, and how these differ. self and total are the same where the
 * measure does not tell them apart. */
struct compared_row {
	uint32_t row;
	unsigned side;
	uint64_t self[2], total[2];
	struct rate_difference d;
	bool significant;
	bool by_total;			/* the last two are of the total, with what the function calls */
};

struct comparison;

void comparison_open(struct comparison **out, const struct comparison_options *options);
void comparison_close(struct comparison *comparison);

/* Counts a side: 0 is the first. All recordings of a comparison grow its one call tree. -1 with *err. */
int comparison_count(struct comparison *c, unsigned side, const struct compared_side *is, struct answer *answer,
		     struct stk_error *err) STK_MUST_CHECK;
/* Counts it again in blocks of time, after all sides were counted. What was damaged or lost is reported a second time.
 * Cost: that of as many windows as there are blocks. */
int comparison_measure(struct comparison *c, unsigned side, const struct compared_side *is,
		       struct stk_error *err) STK_MUST_CHECK;

struct call_tree *comparison_tree(struct comparison *c);
double comparison_seconds(const struct comparison *c, unsigned side);	/* the length of its windows; 0: not known */
uint64_t comparison_samples(const struct comparison *c, unsigned side);
unsigned comparison_blocks(const struct comparison *c, unsigned side);	/* that have samples */
uint32_t comparison_function(struct comparison *c);	/* the name of options.function; 0: there is none */
const struct answer_bounds *comparison_bounds(const struct comparison *c, unsigned side);
/* Whether blocks cut intervals that have only counts: what came in bursts there is spread evenly. */
bool comparison_blocks_are_estimates(const struct comparison *c, unsigned side);

/* From now on shares are compared: because lengths are not known, or to look at both. comparison_measure follows. */
void comparison_take_shares(struct comparison *c);

/* What a side has of a row. */
struct bounded_side comparison_side(struct comparison *c, enum measure measure, uint32_t row, unsigned side);
/* A row of another side against the first; and the least difference that the bounds of both allow. */
struct rate_difference comparison_difference(struct comparison *c, enum measure measure, uint32_t row, unsigned side);
struct rate_difference comparison_certain(struct comparison *c, enum measure measure, uint32_t row, unsigned side);

/* All rows of all sides that have anything, the largest growth first; calls only down to a depth (0: any). Freed by the
 * caller. */
struct compared_row *comparison_rows(struct comparison *c, enum measure measure, uint64_t depth, size_t *count);

/* compared_rows.c: functions by what is their own or, where that changed more, by their total. Both measures are those
 * that are asked for. As comparison_rows. */
struct compared_row *comparison_functions(struct comparison *c, size_t *count);
/* Moves behind the others the rows by total that tell nothing more: a function that changed only with another one,
 * whose total is the same in both. Both parts keep their order. Returns how many tell more. */
size_t compared_rows_part_echoes(struct compared_row *rows, size_t count);
/* Side by side, the largest growth first. */
void compared_rows_sort(struct compared_row *rows, size_t count);

/* Marks the rows that are worth showing, at most `most` of each side (0: all), with at least `least` percent in one of
 * the two: those that are sure before others, then those that changed most. */
void compared_rows_mark(struct comparison *c, const struct compared_row *rows, size_t count, size_t most, double least,
			bool *worth);
/* Keeps only these, in their order. Returns how many are left. */
size_t compared_rows_choose(struct comparison *c, struct compared_row *rows, size_t count, size_t most, double least);

#endif
