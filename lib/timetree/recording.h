/* SPDX-License-Identifier: MIT
 * recording: a file of samples that answers for windows of time: from its time tree where it has one and the question allows, else from the samples in the
 * window. */
#ifndef TIMETREE_RECORDING_H
#define TIMETREE_RECORDING_H

#include "choose/call_tree.h"
#include "choose/naming.h"
#include "choose/selection.h"
#include "timetree/tree_query.h"

struct recording;

struct recording_options {
	const char *by;				/* what stands before the frames; NULL: as the tree has it, or the usual */
	struct selection_options selection;	/* without a window */
	bool filtered;				/* it has conditions on rows: then the samples must be asked */
	struct naming_options naming;
	bool samples;				/* count samples, not their weights */
	enum { AS_FRAMES, AS_CLASSES, AS_GROUPS } as;	/* what stands for a stack */
};

struct recording_facts {
	int64_t from_ns, to_ns;			/* the earliest and the latest time; STK_TIME_UNKNOWN where there is none */
	uint64_t untimed;			/* samples without a time, as far as known */
	bool monotonic, wall;			/* clocks of its sources */
	bool tree;				/* there is a tree over all of its samples */
};

/* What answers were made of; sums over all windows asked for. */
struct answer {
	struct tree_answer tree;
	uint64_t samples, weight;		/* in the windows */
	uint64_t scanned;			/* samples looked at without a tree */
	uint64_t bytes;				/* read of the file so far */
};

/* What cannot be answered for: damaged or missing. */
typedef void recording_lost_function(void *context, int64_t from_ns, int64_t to_ns, const char *why);

struct recording_listener { stk_damage_function *damage; recording_lost_function *lost; void *context; };

int  recording_open(struct recording **out, const char *path, const struct recording_options *options, const struct recording_listener *listener, struct stk_error *err) STK_MUST_CHECK;
void recording_close(struct recording *recording);
const struct recording_facts *recording_facts(const struct recording *recording);
uint64_t recording_bytes(const struct recording *recording);	/* of the file */

/* The model of each stream of the file, 0 to recording_streams - 1: it knows which ids were met in answers and are not defined. Borrowed. */
size_t recording_streams(const struct recording *recording);
const struct model *recording_model(const struct recording *recording, size_t stream);

/* Counts the stacks of a window into a column. INT64_MIN, INT64_MAX: all, samples without a time as well. */
int recording_answer(struct recording *recording, struct tree_interval window, struct call_tree *to, unsigned column, struct answer *answer, struct stk_error *err) STK_MUST_CHECK;

/* The same for a call tree of which little is wanted: self and total of column 0 are filled in, and below a node that has less than `least` percent of all, or
 * is `depth` deep (0: any), nothing is. What is there is exact. */
int recording_sketch(struct recording *recording, struct tree_interval window, double least, uint64_t depth, struct call_tree *to, struct answer *answer, struct stk_error *err) STK_MUST_CHECK;

/* The same, stack by stack with the ids of the model that it comes from. */
typedef int recording_stack_function(void *context, const struct model *model, struct stk_text prefix, uint32_t stack, uint64_t samples, uint64_t weight, struct stk_error *err);
int recording_stacks(struct recording *recording, struct tree_interval window, recording_stack_function *take, void *context, struct answer *answer, struct stk_error *err) STK_MUST_CHECK;

#endif
