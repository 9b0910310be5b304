/* SPDX-License-Identifier: MIT
 * tree_maker: a stream with a time tree, out of blocks of streams: those of one stream in the order of time pass as
 * they are; several become one; what is out of order is sorted. It is made in a temporary file, and is there when it is
 * whole. */
#ifndef TIMETREE_TREE_MAKER_H
#define TIMETREE_TREE_MAKER_H

#include "base/scratch.h"
#include "base/time_range.h"
#include "stkpipe/stream.h"
#include "timetree/maker_options.h"
#include "timetree/tree_known.h"

struct tree_maker;
struct stream_file;

struct maker_totals {
	/* of the tree */
	uint64_t samples, untimed, nodes, counts;
	struct time_range times;	/* of its samples */
	bool wall, monotonic;		/* clocks of its sources */
	/* of all that was taken */
	uint64_t other_events;		/* samples of other events: they are there, and not counted */
	uint64_t thinned, dropped;	/* samples that became counts, and that are gone */
	uint64_t lost_stacks;		/* samples with stacks that are not defined */
	uint64_t lost_blocks;		/* damaged blocks of definitions or samples */
	uint64_t lost_nodes;		/* nodes of inputs that cannot be read, whether or not they were thinned */
	uint64_t lost_rows;		/* rows that refer to what their stream does not define */
	uint64_t unknown_rows;		/* rows of kinds of newer versions that had to be renumbered */
	uint64_t unproven_rows;		/* rows of such kinds that were added, and may have been there */
	struct known_totals known;	/* what the base had already */
};

/* Opens *out. The texts of the options are borrowed. base: a tree to resume, or NULL for a new stream; it is borrowed,
 * and must stay open until the maker closes or resumes another; its shape must be that of the options. What the base
 * has is left out of what comes, unless options->again; streams that come are not compared with one another. -1 with
 * *err: tree_maker_close(*out) all the same. */
int tree_maker_open(struct tree_maker **out, const struct maker_options *options, struct stream_file *base,
	struct stk_error *err) STK_MUST_CHECK;
/* Frees the maker and its temporary files. NULL does nothing. */
void tree_maker_close(struct tree_maker *maker);

/* Reads the current block of an input; a head ends the stream before it. -1 with *err: STK_EDATA, the block is damaged
 * and is skipped, and others may follow; else only tree_maker_close may follow. */
int tree_maker_take(struct tree_maker *maker, struct stk_reader *reader, const struct stk_block *block,
	struct stk_error *err) STK_MUST_CHECK;
/* The present stream of the inputs is over: what is thinned in its tree counts. To be called after the last block. -1
 * with *err: tree_maker_close. */
int  tree_maker_end_stream(struct tree_maker *maker, struct stk_error *err) STK_MUST_CHECK;
/* Whether there are nodes that wait for that: they are in no result before it. */
bool tree_maker_nodes_wait(const struct tree_maker *maker);
/* Adds incidents of the input to what the end record of the output says is lost. */
void tree_maker_lost(struct tree_maker *maker, uint64_t incidents);

/* Everything was taken: makes the tree. Cost: what was taken is read once, and written again where it was not in the
 * order of time, or is thinned. -1 with *err: tree_maker_close. */
int  tree_maker_finish(struct tree_maker *maker, struct stk_error *err) STK_MUST_CHECK;
/* After tree_maker_finish: a stream, or what replaces the end of the base from the place of its index on. The maker's
 * own. */
const struct scratch *tree_maker_result(const struct tree_maker *maker);
const struct maker_totals *tree_maker_totals(const struct tree_maker *maker);
/* After tree_maker_finish: what there is that the base does not have. The result must be written where there are rows,
 * and where more is to come after definitions. */
enum maker_news { MAKER_NOTHING, MAKER_DEFINITIONS, MAKER_ROWS };
enum maker_news tree_maker_news(const struct tree_maker *maker);

/* Resumes in the middle of a stream, after the result was written where the base ended: for a recording that grows.
 * file: the whole file, opened again; borrowed as the base is. -1 with *err: tree_maker_close. */
int  tree_maker_again(struct tree_maker *maker, struct stream_file *file, struct stk_error *err) STK_MUST_CHECK;

#endif
