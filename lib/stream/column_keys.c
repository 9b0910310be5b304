/* SPDX-License-Identifier: MIT
 * column_keys: rows by their keys. */
#include "stream/column_keys.h"

#include "base/memory.h"
#include "stream/column_work.h"

#include <stdlib.h>
#include <string.h>

/* Keys are mostly small ids: then there is little to clear. */
void
column_forget_keys(const struct column_coding *coding, const column_keys keys, uint32_t rows,
		   struct column_scratch *scratch)
{
	uint64_t most = 0;

	if (coding->keys == 1)
		for (uint32_t i = 0; i < rows; i++)
			most = keys[0][i] > most ? keys[0][i] : most;
	scratch->keys = coding->keys == 0                         ? 1
			: coding->keys > 1 || most >= COLUMN_KEYS ? COLUMN_KEYS
								  : (unsigned)most + 1;
	if (scratch->seen == NULL)
		scratch->seen = mem_new(COLUMN_KEYS, sizeof *scratch->seen);
	if (column_has_few_rows(scratch, rows))
		for (uint32_t i = 0; i < rows; i++)
			scratch->seen[column_key_of(coding, keys, i)] = (struct column_seen){ 0 };
	else
		memset(scratch->seen, 0, scratch->keys * sizeof *scratch->seen);
}

static int
compare_numbers(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return (first > second) - (first < second);
}

void
column_sort_few(const struct column_coding *coding, const column_keys keys, uint32_t rows,
		struct column_scratch *scratch)
{
	ROOM(scratch, ranks, rows);
	for (uint32_t i = 0; i < rows; i++)
		scratch->ranks[i] = (uint64_t)column_key_of(coding, keys, i) << 32 | i;
	qsort(scratch->ranks, rows, sizeof *scratch->ranks, compare_numbers);
}

/* A counting sort. */
void
column_order_by_key(const struct column_coding *coding, const column_keys keys, uint32_t rows,
		    struct column_scratch *scratch)
{
	uint64_t sum = 0;

	ROOM(scratch, order, rows);
	column_forget_keys(coding, keys, rows, scratch);
	if (column_has_few_rows(scratch, rows)) {
		column_sort_few(coding, keys, rows, scratch);
		for (uint32_t i = 0; i < rows; i++)
			scratch->order[i] = (uint32_t)scratch->ranks[i];
		return;
	}
	for (uint32_t i = 0; i < rows; i++)
		scratch->seen[column_key_of(coding, keys, i)].last++;
	for (unsigned key = 0; key < scratch->keys; key++) {
		uint64_t count = scratch->seen[key].last;

		scratch->seen[key].last = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < rows; i++)
		scratch->order[scratch->seen[column_key_of(coding, keys, i)].last++] = i;
	memset(scratch->seen, 0, scratch->keys * sizeof *scratch->seen);
}
