/* SPDX-License-Identifier: MIT
 * list_ids: a column that is constant is not decoded. */
#include "stream/list_ids.h"

#include "stream/block_columns.h"
#include "stream/reader.h"

void
list_ids(id_text *to, struct stk_reader *reader, const struct block_header *header)
{
	const struct stk_kind_schema *kind = schema_kind(stk_reader_schema(reader), header->kind);
	unsigned columns[STK_COLUMN_MAX], count = kind == NULL ? 0 : block_ids_columns(kind, columns);
	const uint64_t *values;
	uint64_t word;

	for (unsigned i = 0; i < count; i++) {
		size_t room = block_ids_room(kind, columns[i], (size_t)header->stored_bytes);

		if (stk_reader_is_constant(reader, columns[i], &word))
			block_ids_add(to, room, columns[i], &word, 1);
		else if (reader_look_at(reader, columns[i], &values))
			block_ids_add(to, room, columns[i], values, header->rows);
	}
}
