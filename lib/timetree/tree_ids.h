/* SPDX-License-Identifier: MIT
 * tree_ids: what the output of a tree_maker has defined, and which ids it has given: none is given twice, even where
 * the first one was lost. */
#ifndef TIMETREE_TREE_IDS_H
#define TIMETREE_TREE_IDS_H

#include "model/model.h"
#include "stream/stream_file.h"

struct tree_ids {
	struct model *model;
	uint32_t next[STK_KIND_COUNT];	/* by kind: the lowest id that nothing defines, nor refers to, so far */
	size_t known;			/* blocks of the stage whose definitions are in the model */
};

/* The ids of a new stream. After -1 (without *err): tree_ids_close. */
int  tree_ids_open(struct tree_ids *ids) STK_MUST_CHECK;
/* A zeroed struct may be closed. */
void tree_ids_close(struct tree_ids *ids);

/* Takes what the blocks of a file's first stream define, from the block with this number on. The ids of a damaged block
 * are taken too, and *damaged counts it. -1 with *err: the file cannot be read. */
int tree_ids_learn(struct tree_ids *ids, struct stream_file *file, size_t from, uint64_t *damaged,
	struct stk_error *err) STK_MUST_CHECK;

/* The same for a file that grows: what it defines after the blocks that were read before. */
int tree_ids_learn_more(
	struct tree_ids *ids, struct stream_file *file, uint64_t *damaged, struct stk_error *err) STK_MUST_CHECK;

/* Rows may refer to definitions that were lost. Definitions of another stream must not get their ids: these rows would
 * become that stream's. Reads every column of ids of the first stream. -1 with *err: the file cannot be read. */
int  tree_ids_skip_lost(struct tree_ids *ids, struct stream_file *file, struct stk_error *err) STK_MUST_CHECK;

#endif
