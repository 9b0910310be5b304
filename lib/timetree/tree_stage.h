/* SPDX-License-Identifier: MIT
 * tree_stage: a file in which a stream is gathered: written at its end, read back, and written anew in the
 * order of time. */
#ifndef TIMETREE_TREE_STAGE_H
#define TIMETREE_TREE_STAGE_H

#include "base/output.h"
#include "base/scratch.h"
#include "base/workers.h"
#include "stream/stream_file.h"
#include "timetree/tree_ids.h"

/* The first five are set by whoever opens it, and borrowed. */
struct tree_stage {
	int level;			/* of compression */
	struct stk_workers *workers;	/* NULL: none */
	struct stream_file *base;	/* what is written continues its first stream; NULL: a new stream */
	const struct tree_ids *ids;	/* with a base: the ids that it has given */
	struct output *place;		/* it is written in place of this file; not of stages written from it, and
					 * NULL: to a temporary file */
	struct scratch *file;		/* NULL: not open */
	struct stk_writer *writer;	/* NULL: finished, or not open */
	struct stream_file *staged;	/* the stage as it was when it was read back; NULL: it was not */
};

/* Opens an empty stage with the settings of another; after -1 with *err: tree_stage_close. */
int  tree_stage_open(struct tree_stage *stage, const struct tree_stage *settings, struct stk_error *err) STK_MUST_CHECK;
/* A zeroed struct, and one that was not opened whole, may be closed. Its settings stay. */
void tree_stage_close(struct tree_stage *stage);

/* Ends the stream: its index is written. -1 with *err: it could not be. */
int  tree_stage_end(struct tree_stage *stage, struct stk_error *err) STK_MUST_CHECK;

/* Opens what was written so far as stage->staged. -1 with *err. */
int  tree_stage_read_back(struct tree_stage *stage, struct stk_error *err) STK_MUST_CHECK;
/* Forgets what was read back: blocks and readers of it are not valid after this. */
void tree_stage_forget(struct tree_stage *stage);

/* Of what was read back: whether there is no stream in it, and its blocks of samples; 0 of them where it is empty. */
bool tree_stage_is_empty(const struct tree_stage *stage);
const struct file_block *tree_stage_samples(const struct tree_stage *stage, size_t *count);

/* Another stage, written from this one, takes its place and is read back: *anew is not to be closed after this. -1 with
 * *err: it could not be read. */
int  tree_stage_replace(struct tree_stage *stage, struct tree_stage *anew, struct stk_error *err) STK_MUST_CHECK;

/* Writes the stage, which was read back, anew with its samples in the order of time, and reads that back. Damaged
 * blocks are left out; *damaged counts those of samples. -1 with *err: the stage is as it was, or was replaced and
 * cannot be read back. */
int  tree_stage_sort(struct tree_stage *stage, uint64_t *damaged, struct stk_error *err) STK_MUST_CHECK;

#endif
