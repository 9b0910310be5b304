/* SPDX-License-Identifier: MIT
 * stage_feed: the samples of a stage as a tree_builder asks for them: times, types and weights, block by block. */
#ifndef TIMETREE_STAGE_FEED_H
#define TIMETREE_STAGE_FEED_H

#include "choose/selection.h"
#include "stream/stream_file.h"
#include "timetree/sample_types.h"
#include "timetree/tree_builder.h"

/* The first five are set by whoever makes it, and borrowed; the rest is zero, but for `last`, which is INT64_MIN. */
struct stage_feed {
	struct stream_file *file;		/* of one stream */
	const struct file_block *blocks;	/* those of its samples */
	size_t count;
	struct selection *selection;		/* which samples are counted */
	struct stk_writer *lists;		/* it may wait for the ids that blocks have; NULL: nobody does */
	struct sample_types types;
	size_t next;				/* the block to come */
	int64_t last;				/* time of the last row */
	bool disorder;				/* rows are not in order, or a block is damaged */
	uint64_t counted, others;		/* samples that the selection took, and those that it did not */
};

/* The feed of a tree_build, of which the caller sets last_ns and first_row. Its failures with STK_EDATA set
 * feed->disorder. */
struct tree_feed stage_feed_of(struct stage_feed *feed);

/* The latest time of the samples in *last, from the headers of blocks; a block with samples without a time is decoded.
 * INT64_MIN: there is none. -1 with *err: the file cannot be read. */
int stage_feed_last(struct stage_feed *feed, int64_t *last, struct stk_error *err) STK_MUST_CHECK;

#endif
