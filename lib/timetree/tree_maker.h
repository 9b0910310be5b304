/* SPDX-License-Identifier: MIT
 * tree_maker: a stream with a time tree, out of blocks of streams: those of one stream in the order of time pass as they are; several become one; what is
 * out of order is sorted. It is made in a temporary file, and is there when it is whole. */
#ifndef TIMETREE_TREE_MAKER_H
#define TIMETREE_TREE_MAKER_H

#include "base/scratch.h"
#include "base/workers.h"
#include "stkpipe/stream.h"
#include "timetree/tree_shape.h"

struct tree_maker;
struct stream_file;

#define RETENTION_STEPS_MOST 16

/* What is older than the last `age` of the recording is thinned to counts of so long each; 0: nothing is kept of it. */
struct retention { int64_t age_ns, resolution_ns; };

struct maker_options {
	struct tree_shape shape;
	const char *rule, *zone;	/* their names */
	const char *by;			/* what stands before the frames; NULL: the usual */
	const char *event;		/* NULL: the first that is met; "all" */
	int level;			/* of compression */
	struct stk_workers *workers;	/* NULL: none */
	struct retention retention[RETENTION_STEPS_MOST];	/* youngest first */
	unsigned retention_steps;
};

struct maker_totals {
	uint64_t samples, other_events, untimed, lost_stacks, nodes, counts, thinned, dropped;
	uint64_t lost_blocks;		/* damaged blocks of definitions or samples */
	uint64_t lost_nodes;		/* nodes of inputs that cannot be read, whether or not they were thinned */
	uint64_t lost_rows;		/* rows that refer to what their stream does not define */
	uint64_t unknown_rows;		/* rows of kinds from the future that had to be renumbered */
	int64_t from_ns, to_ns;
};

/* base: a tree to go on with, or NULL; it stays open until the maker closes. Its shape must be that of the options. */
int  tree_maker_open(struct tree_maker **out, const struct maker_options *options, struct stream_file *base, struct stk_error *err) STK_MUST_CHECK;
void tree_maker_close(struct tree_maker *maker);

/* Takes the present block of an input in. A head ends the stream before it. */
int  tree_maker_take(struct tree_maker *maker, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err) STK_MUST_CHECK;
/* The present stream of the inputs is over: what is thinned in its tree counts. After the last block. */
int  tree_maker_end_stream(struct tree_maker *maker, struct stk_error *err) STK_MUST_CHECK;
/* Incidents of the input. */
void tree_maker_lost(struct tree_maker *maker, uint64_t incidents);

/* Everything was taken: the tree. What was made is in the scratch: a stream, or what replaces the end of the base from the place of its index on. */
int  tree_maker_finish(struct tree_maker *maker, struct stk_error *err) STK_MUST_CHECK;
const struct scratch *tree_maker_result(const struct tree_maker *maker);
const struct maker_totals *tree_maker_totals(const struct tree_maker *maker);
/* Goes on in the middle of a stream, after what was made was put where the base ended: for a recording that grows. file: the whole, opened anew. */
int  tree_maker_again(struct tree_maker *maker, struct stream_file *file, struct stk_error *err) STK_MUST_CHECK;

#endif
