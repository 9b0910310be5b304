/* SPDX-License-Identifier: MIT
 * column: the parts of a column's content and the memory for coding it; what it is made of is in column_*.c. */
#include "stream/column.h"

#include "base/memory.h"
#include "stream/column_planes.h"
#include "stream/column_work.h"

#include <stdlib.h>

void
column_scratch_release(struct column_scratch *scratch)
{
	free(scratch->numbers);
	free(scratch->ranks);
	free(scratch->order);
	free(scratch->seen);
	free(scratch->frequency);
	free(scratch->codes);
	free(scratch->dictionary);
	free(scratch->bytes);
	*scratch = (struct column_scratch){ 0 };
}

void *
column_room(void *old, size_t *room, size_t count, size_t size)
{
	if (count <= *room)
		return old;
	free(old);
	*room = count + count / 4;
	return mem_new(*room, size);
}

static size_t
planes_size(const struct column_coding *coding, size_t count)
{
	if (coding->packed == COLUMN_WHOLE)
		return count * coding->low;
	return count * coding->low + column_packed_size(coding->packed, count) + count * coding->high;
}

static uint32_t
numbers_of(const struct column_coding *coding, uint32_t rows)
{
	return coding->prediction == STK_SAME ? coding->listed : rows;
}

size_t
column_size(const struct column_coding *coding, uint32_t rows)
{
	size_t codes = coding->prediction == STK_SAME ? column_packed_size(2, rows) : 0;

	return codes + coding->dictionary_bytes + coding->dictionary + planes_size(coding, numbers_of(coding, rows));
}

unsigned
column_parts(const struct column_coding *coding, uint32_t rows, size_t parts[COLUMN_PARTS_MAX])
{
	uint32_t count = numbers_of(coding, rows);
	unsigned used = 0;

	if (coding->prediction == STK_SAME)
		parts[used++] = column_packed_size(2, rows);
	if (coding->dictionary > 0) {
		parts[used++] = coding->dictionary_bytes;
		parts[used++] = coding->dictionary;
	}
	if (coding->packed == COLUMN_WHOLE) {
		parts[used++] = (size_t)count * coding->low;
		return used;
	}
	for (unsigned plane = 0; plane < coding->low; plane++)
		parts[used++] = count;
	if (coding->packed != 0)
		parts[used++] = column_packed_size(coding->packed, count);
	for (unsigned plane = 0; plane < coding->high; plane++)
		parts[used++] = count;
	return used;
}
