/* SPDX-License-Identifier: MIT
 * block_split: blocks of a size that a time tree reads: who asks for a window decodes single blocks, and what a block
 * holds beyond the window is read for nothing. */
#ifndef TIMETREE_BLOCK_SPLIT_H
#define TIMETREE_BLOCK_SPLIT_H

#include "stkpipe/stream.h"

/* Blocks of stacks that a writer of a tree makes. */
void block_split_prepare(struct stk_writer *writer);

/* Writes the reader's current block, in smaller ones where it is a large one of stacks, or of samples. `samples` is how
 * many samples came before it: a block has a small part of them, so that those of a long recording pass as they are.
 * ids_later: the ids of samples that pass are given by pass_note_ids. 0, or -1 with *err as stk_writer_pass. */
int block_split(struct stk_writer *writer, struct stk_reader *reader, const struct stk_block *block, uint64_t samples,
	bool ids_later, struct stk_error *err) STK_MUST_CHECK;

#endif
