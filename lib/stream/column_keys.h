/* SPDX-License-Identifier: MIT
 * column_keys: what a keyed prediction remembers of each key, and the rows of each. */
#ifndef STREAM_COLUMN_KEYS_H
#define STREAM_COLUMN_KEYS_H

#include "stream/column.h"

/* SAME: what a row's value is, to the key it has. */
enum column_code { CODE_LAST, CODE_BEFORE, CODE_LISTED };

/* The key of a row: two columns are mixed so that small ids of both are far apart. */
static inline unsigned
column_key_of(const struct column_coding *coding, const column_keys keys, uint32_t row)
{
	uint64_t key = coding->keys > 0 ? keys[0][row] : 0;

	if (coding->keys > 1)
		key += keys[1][row] * 40503;
	return (unsigned)(key % COLUMN_KEYS);
}

/* A small block does not look at all keys there may be: most have no row, and their memory was never touched. */
static inline bool
column_has_few_rows(const struct column_scratch *scratch, uint32_t rows)
{
	return rows < scratch->keys / 64;
}

/* Makes the memory of each key 0, as it is at the start of each column, and sets scratch->keys. */
void column_forget_keys(const struct column_coding *coding, const column_keys keys, uint32_t rows,
			struct column_scratch *scratch);

/* To scratch->order: the rows in the order of their keys, rows of one key in their own order. Forgets the keys. */
void column_order_by_key(const struct column_coding *coding, const column_keys keys, uint32_t rows,
			 struct column_scratch *scratch);

/* To scratch->ranks: the key of each row, and the row below it, in their order. For few rows. */
void column_sort_few(const struct column_coding *coding, const column_keys keys, uint32_t rows,
		     struct column_scratch *scratch);

#endif
