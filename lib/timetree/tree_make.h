/* SPDX-License-Identifier: MIT
 * tree_make: the tree over what a stage has gathered: it chooses what is counted, has the stage sorted and thinned
 * where it must be, builds the nodes, joins them with those of the tree that is appended to, and writes the
 * description. */
#ifndef TIMETREE_TREE_MAKE_H
#define TIMETREE_TREE_MAKE_H

#include "base/time_range.h"
#include "choose/selection.h"
#include "timetree/maker_options.h"
#include "timetree/node_writer.h"
#include "timetree/tree_reader.h"
#include "timetree/tree_stage.h"
#include "timetree/tree_thin.h"

/* What is counted by one set of keys. */
struct tree_set {
	const char *by;
	struct stack_prefixes *prefixes;
	struct node_writer nodes;
	struct tree_thin thin;			/* what inputs bring is added by the caller */
	struct tree_roots roots;
};

/* Of one tree, but for `numbers`, thinned nodes and the counts of what is lost, which continue from one to the next. */
struct tree_make {
	const struct maker_options *options;	/* borrowed, as are the next two */
	struct tree_stage *stage;		/* its base is the tree that is appended to */
	struct model *model;			/* of the output */
	struct selection *selection;		/* of the samples that are counted */
	struct node_numbers numbers;		/* of the output */
	struct tree_set set[KEY_SETS_MOST];
	unsigned sets;
	char event[TREE_TEXT_MAX];		/* the counted one; "": all */
	bool event_known;
	uint64_t samples, untimed;		/* in the tree; those without a time */
	struct time_range times;
	uint64_t other_events;			/* samples that are there, and are not counted */
	uint64_t lost_blocks;			/* damaged ones of samples */
	uint64_t lost_stacks;			/* samples whose stack is not defined, but the thinned ones */
};

/* Opens *make. The three are borrowed. -1 with *err: tree_make_close. */
int tree_make_open(struct tree_make *make, const struct maker_options *options, struct tree_stage *stage,
	struct model *model, struct stk_error *err) STK_MUST_CHECK;
/* A zeroed struct may be closed. */
void tree_make_close(struct tree_make *make);

/* No sample came before what was taken of thinned nodes: if there are any, their event is the first, and counted. */
void tree_make_note_thinned(struct tree_make *make);

/* Builds the nodes of the samples in the stage, which was read back, and may have none; and of what is thinned.
 * shuffled: blocks are known to be out of order. The stage may have another writer after it. -1 with *err: only
 * tree_make_close may follow. */
int  tree_make_nodes(struct tree_make *make, bool shuffled, struct stk_error *err) STK_MUST_CHECK;

/* Joins the roots with those of the base, and writes them and the description, with which the stage's writer is
 * flushed. After tree_make_nodes. -1 with *err: only tree_make_close may follow. */
int  tree_make_write(struct tree_make *make, struct stk_error *err) STK_MUST_CHECK;

/* Another tree begins: roots and figures of this one are forgotten. */
void tree_make_forget(struct tree_make *make);

#endif
