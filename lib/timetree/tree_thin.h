/* SPDX-License-Identifier: MIT
 * tree_thin: what becomes counts as it ages: samples of a stage, and nodes of which counts alone were left already. It
 * gathers such nodes, and makes a tree over them. */
#ifndef TIMETREE_TREE_THIN_H
#define TIMETREE_TREE_THIN_H

#include "choose/selection.h"
#include "model/records_merge.h"
#include "timetree/node_writer.h"
#include "timetree/retention.h"
#include "timetree/tree_reader.h"
#include "timetree/tree_stage.h"

/* The first five are set by whoever makes it, and borrowed; the rest is zero at first. */
struct tree_thin {
	const struct retention *retention;
	const char *by, *event;			/* what counts are of; by: "": the usual; event: NULL: that of the first
						 * input with thinned nodes */
	struct stack_prefixes *prefixes;	/* of the output */
	struct node_writer *nodes;		/* its types are those of the counts */
	ARRAY(struct tree_made) made;		/* the nodes; in the order of time after tree_thin_unite */
	struct tree_grouping grouping;		/* those that are handed over */
	uint64_t thinned, dropped;		/* samples that became counts, and those that are gone */
	uint64_t lost_nodes;			/* nodes of inputs that could not be read */
	uint64_t lost_stacks;			/* thinned samples whose stack is not defined */
	char event_taken[TREE_TEXT_MAX];	/* of the thinned nodes of inputs; "": all, or there are none */
	bool taken;
};

/* Forgets the nodes and their tree; the figures stay. */
void tree_thin_clear(struct tree_thin *thin);
void tree_thin_release(struct tree_thin *thin);

/* Adds the thinned nodes of the tree of a file's first stream, if it has one. STK_EUSAGE: they count other keys or
 * another event. merge: maps their ids; NULL: they are
 * those of the output. Damaged nodes are counted, and left out. Cost: every node of the tree is read once. -1 with
 * *err: the file cannot be read. */
int tree_thin_take(
	struct tree_thin *thin, struct stream_file *file, struct merge *merge, struct stk_error *err) STK_MUST_CHECK;

/* STK_EUSAGE: what is thinned to counts of one event ("": all) is to be counted as another. */
int thin_check_event(const char *counted, const char *event, struct stk_error *err) STK_MUST_CHECK;

/* When the latest of the nodes begins; STK_TIME_UNKNOWN: there is none. */
int64_t tree_thin_latest(const struct tree_thin *thin);

/* Rewrites a stage without the samples that retention does not keep as they are, and adds the nodes of their counts to
 * those of each set of keys; retention is that of the first. The stage was read back, and is in the order of time; the
 * selection says what is counted. last: the latest time of the recording. -1 with *err: the stage is as it was. */
int tree_thin_stage(struct tree_thin *const *sets, unsigned count, struct tree_stage *stage, const struct model *model,
	struct selection *selection, int64_t last, struct stk_error *err) STK_MUST_CHECK;

/* Puts the nodes in order: those of one interval become one; those that are older than their resolution become
 * coarser, or go. */
void tree_thin_unite(struct tree_thin *thin, int64_t last);

/* Hands the nodes over to the node_writer with a tree above them, whose root, if there is any, is added to *roots. No
 * node is left. -1 with *err. */
int tree_thin_write(struct tree_thin *thin, const struct tree_shape *shape, struct tree_roots *roots,
	struct stk_error *err) STK_MUST_CHECK;

#endif
