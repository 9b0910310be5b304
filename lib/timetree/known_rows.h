/* SPDX-License-Identifier: MIT
 * known_rows: which rows a tree has before more is added to it, so that what comes again is left out. Two rows are the
 * same when all that they say is: their time, their dump, source and thread, the stack, its weight, and every other
 * column. What the tree has twice is known twice.
 *
 * The tree is asked for a time at a time: only those of its blocks are read whose times overlap with times of what
 * comes, once each, and of each of their rows some 30 bytes are kept. */
#ifndef TIMETREE_KNOWN_ROWS_H
#define TIMETREE_KNOWN_ROWS_H

#include "stream/stream_file.h"
#include "timetree/content_hash.h"

struct known_rows;

/* Of the first stream of a file, as it is now; file, model and hashes are borrowed. */
void known_rows_open(struct known_rows **out, struct stream_file *file, struct model *model,
	struct content_hashes *hashes);
void known_rows_close(struct known_rows *known);
/* The file was opened again; it has at least the blocks that it had. */
void known_rows_move(struct known_rows *known, struct stream_file *file);

/* Before rows of a kind are asked for: reads what there is of it in these times, and what has no time. 1: some of it
 * may be there; 0: nothing is; -1 with *err: the file cannot be read. Damaged blocks count as not there. */
int  known_rows_load(struct known_rows *known, unsigned kind, int64_t from, int64_t to, struct stk_error *err)
	STK_MUST_CHECK;
/* Whether the row is there, once more than it was asked for before. */
bool known_rows_take(struct known_rows *known, unsigned kind, const void *row);
/* The id of a dump that is there, once more than it was asked for before; 0. */
uint32_t known_rows_dump(struct known_rows *known, const struct stk_dump *row);

/* Whether samples are there in [from, to). -1 with *err: the file cannot be read. */
int  known_rows_any_sample(struct known_rows *known, int64_t from, int64_t to, struct stk_error *err) STK_MUST_CHECK;

#endif
