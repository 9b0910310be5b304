/* SPDX-License-Identifier: MIT
 * block_ids: which ids and states the rows of a block have, as ranges in a short text: column `holds` of the index, as
 * FORMAT.md section 4 says. Ranges may cover values that no row has, so that the text stays short; no value of a row is
 * outside of them. */
#ifndef STREAM_BLOCK_IDS_H
#define STREAM_BLOCK_IDS_H

#include "base/array.h"
#include "base/bytes.h"
#include "stkpipe/schema.h"

typedef ARRAY(unsigned char) id_text;

/* The columns of which ranges are kept, in the order in which they are added: states, events, threads and sources,
 * which have few values, and then the stacks of samples; none of definitions. Returns their number. */
unsigned block_ids_columns(const struct stk_kind_schema *kind, unsigned columns[STK_COLUMN_MAX]);

/* The bytes that a text may have after a column is added, of a block which itself takes so many. */
size_t block_ids_room(const struct stk_kind_schema *kind, unsigned column, size_t block_bytes);

/* Adds the ranges of a column to a text that may have `room` bytes; as exact as they fit, or not at all. */
void block_ids_add(id_text *to, size_t room, unsigned column, const uint64_t *values, uint32_t rows);

/* Whether no value is outside of the ranges that a text has of a column; true where it has none. */
bool block_ids_cover(struct stk_text text, unsigned column, const uint64_t *values, uint32_t rows);

/* A walk over the ranges of a column, ascending. */
struct id_ranges { struct cursor at; uint64_t next; };

/* False when nothing is known of the column, or the text is not valid. */
bool id_ranges_find(struct id_ranges *ranges, struct stk_text text, unsigned column);
bool id_ranges_next(struct id_ranges *ranges, uint64_t *first, uint64_t *last);

#endif
