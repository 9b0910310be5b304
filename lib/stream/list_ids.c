/* SPDX-License-Identifier: MIT
 * list_ids: the columns that have the fewest values are the last ones, and come first. */
#include "stream/list_ids.h"

#include "stream/block_columns.h"
#include "stream/reader.h"

void
list_ids(id_text *to, struct stk_reader *reader, const struct block_header *header)
{
	const struct stk_kind_schema *kind = schema_kind(stk_reader_schema(reader), header->kind);
	size_t room = block_ids_room((size_t)header->stored_bytes);
	const uint64_t *values;
	uint64_t word;

	for (unsigned c = kind == NULL ? 0 : kind->columns; c-- > 0; ) {
		if (!block_ids_has(kind, c))
			continue;
		if (stk_reader_is_constant(reader, c, &word))
			block_ids_add(to, room, c, &word, 1);
		else if (reader_look_at(reader, c, &values))
			block_ids_add(to, room, c, values, header->rows);
	}
}
