/* SPDX-License-Identifier: MIT
 * block_columns: all columns of a block at once, as the stream's own schema declares them: for printing kinds that this
 * program does not know. */
#ifndef STREAM_BLOCK_COLUMNS_H
#define STREAM_BLOCK_COLUMNS_H

#include "stkpipe/stream.h"

struct block_columns {
	const struct stk_kind_schema *schema;		/* the stream's; the library's own for a HEAD; NULL: not
							 * declared, no columns */
	unsigned columns;
	const uint64_t *words[STK_COLUMN_MAX];		/* NULL for a text column */
	const struct stk_text *texts[STK_COLUMN_MAX];
};

/* Decodes the reader's current block. Valid until the next block. -1: the block is damaged and must not be used. */
int block_columns_load(struct block_columns *columns, struct stk_reader *reader, const struct stk_block *block,
		       struct stk_error *err) STK_MUST_CHECK;

/* The kind with a number, or NULL when the schema, which may be NULL, does not declare it. */
const struct stk_kind_schema *schema_kind(const struct stk_schema *schema, unsigned number);
/* The number of the column with this name, or -1. */
int schema_column(const struct stk_kind_schema *kind, const char *name);
/* The number of the first column whose values are ids of a kind, or -1. */
int schema_column_of(const struct stk_kind_schema *kind, enum stk_kind refers);

#endif
