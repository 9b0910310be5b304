/* SPDX-License-Identifier: MIT
 * pass: the one call that takes both a reader and a writer, so that neither of them depends on the other. */
#include "stream/block_columns.h"
#include "stream/block_ids.h"
#include "stream/reader.h"
#include "stream/writer.h"

/* What the index is to say of the reader's current block. */
static void
list_ids(id_text *to, struct stk_reader *reader, const struct passed_block *block)
{
	const struct stk_kind_schema *kind = schema_kind(block->schema, block->header->kind);
	size_t room = block_ids_room((size_t)block->header->stored_bytes);
	const uint64_t *values;
	uint64_t word;

	for (unsigned c = kind == NULL ? 0 : kind->columns; c-- > 0; ) {
		if (!block_ids_has(kind, c))
			continue;
		if (stk_reader_is_constant(reader, c, &word))
			block_ids_add(to, room, c, &word, 1);
		else if (reader_look_at(reader, c, &values))
			block_ids_add(to, room, c, values, block->header->rows);
	}
}

int
stk_writer_pass(struct stk_writer *writer, struct stk_reader *reader, struct stk_error *err)
{
	struct passed_block block = { .schema = stk_reader_schema(reader) };
	id_text holds = { 0 };
	int result;

	if (reader_raw(reader, &block.header, &block.bytes, &block.size, err) < 0)
		return -1;
	if (writer_lists_ids(writer) && block.bytes != NULL && block.header->kind != STK_HEAD)
		list_ids(&holds, reader, &block);
	block.holds = text_of((const char *)holds.at, holds.count);
	result = writer_pass_block(writer, &block, err);
	array_release(&holds);
	return result;
}
