/* SPDX-License-Identifier: MIT
 * records_merge: several streams become one: equal definitions become one, and every id of a row is changed to the new
 * one. */
#ifndef MODEL_RECORDS_MERGE_H
#define MODEL_RECORDS_MERGE_H

#include "stkpipe/stream.h"

/* In place of an id that its stream does not define: no stream defines this one either, so that what is lost does not
 * look like what never was. */
#define MERGE_LOST_ID (UINT32_MAX - 1u)

struct merge;
struct model;

/* Begins the one stream. The writer is borrowed. */
int  merge_open(struct merge **out, struct stk_writer *writer, struct stk_error *err) STK_MUST_CHECK;
void merge_close(struct merge *merge);

/* Continues a stream that the writer is in the middle of, and that has defined what the model knows. What is merged
 * into it is another stream: call merge_turn before its first block. */
void merge_resume(struct merge **out, struct stk_writer *writer, struct model *model);
/* What comes from now on goes to another writer, which continues the same stream. */
void merge_redirect(struct merge *merge, struct stk_writer *writer);

/* Told of what is merged: ids are those of the one stream. */
struct merge_listener {
	/* The id of a dump that is there already, or 0: it is defined anew. */
	uint32_t (*find_dump)(void *context, const struct stk_dump *row);
	/* The current stream has this definition, whether or not it is new. */
	void (*defined)(void *context, unsigned kind, uint32_t id, const void *row);
	void *context;
};

/* Borrowed; NULL: none. Without one, dumps are always defined anew. */
void merge_listen(struct merge *merge, const struct merge_listener *listener);

/* The name of a function in place of one; may be the same. */
typedef struct stk_text merge_name(void *context, struct stk_text function);

/* Frames get these names, and those that are equal then are one. Call it before the first block. */
void merge_rename(struct merge *merge, merge_name *name, void *context);

/* Another stream begins: the following ids are its own. */
void merge_turn(struct merge *merge);

/* Merges a block of definitions. -1: damaged, or the writer failed. */
int merge_take(struct merge *merge, struct stk_reader *reader, const struct stk_block *block,
	       struct stk_error *err) STK_MUST_CHECK;

/* Changes the ids of a row of a kind that this program knows. An id that the stream does not define becomes
 * MERGE_LOST_ID, and the row counts as lost. */
void merge_map_row(struct merge *merge, unsigned kind, void *row);

/* How many rows, of definitions too, referred to what their stream does not define. Whoever merges reports it. */
uint64_t merge_lost(const struct merge *merge);

#endif
