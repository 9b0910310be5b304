/* SPDX-License-Identifier: MIT
 * tree_known: leaves out of what is added to a tree what was in it before: rows, dumps, and nodes of which only counts
 * are left. Where a tree has only counts, a sample that may be in them is left out too, and counted as doubtful. */
#ifndef TIMETREE_TREE_KNOWN_H
#define TIMETREE_TREE_KNOWN_H

#include "model/records_merge.h"
#include "timetree/tree_ids.h"
#include "timetree/tree_thin.h"

struct tree_known;

struct known_totals {
	uint64_t samples;		/* that were there, and are left out; thinned ones too */
	uint64_t rows;			/* of other kinds */
	uint64_t doubtful;		/* samples that may be among the counts of the tree, or have counts in place of
					 * them here: left out */
	uint64_t untimed;		/* samples without a time of which equal ones are there: added all the same */
};

/* Of a tree in a file, as it is now. ids: what it has defined. Both are borrowed. */
void tree_known_open(struct tree_known **out, struct stream_file *file, const struct tree_ids *ids);
/* Its nodes of the next set of keys are to be compared with those that `thin` takes, which is borrowed. At least one
 * set is to be added before anything comes. */
void tree_known_add_set(struct tree_known *known, const struct tree_thin *thin);
void tree_known_close(struct tree_known *known);
/* The file was opened again, after it grew. */
void tree_known_move(struct tree_known *known, struct stream_file *file);

/* To be given to the merge that gives the ids of the tree. */
const struct merge_listener *tree_known_listener(const struct tree_known *known);
/* Another stream of the input begins. */
void tree_known_turn(struct tree_known *known);

/* Before the rows of the reader's block are asked for, with ids of the tree, one after another. 1: some may be there;
 * 0: none is; -1 with *err. */
int  tree_known_load(struct tree_known *known, struct stk_reader *reader, const struct stk_block *block,
	struct stk_error *err) STK_MUST_CHECK;
/* Whether a row is left out. */
bool tree_known_row(struct tree_known *known, unsigned kind, const void *row);
/* Removes nodes from number `from` on of thin->made, which are those of a set. -1 with *err. */
int  tree_known_nodes(struct tree_known *known, unsigned set, struct tree_thin *thin, size_t from,
	struct stk_error *err) STK_MUST_CHECK;

const struct known_totals *tree_known_totals(const struct tree_known *known);

#endif
