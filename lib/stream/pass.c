/* SPDX-License-Identifier: MIT
 * pass: what takes both a reader and a writer, so that neither of them depends on the other. */
#include "stream/list_ids.h"
#include "stream/reader.h"
#include "stream/writer.h"

static int
pass_current(struct stk_writer *writer, struct stk_reader *reader, bool ids_later, struct stk_error *err)
{
	struct passed_block block = { .schema = stk_reader_schema(reader) };
	id_text holds = { 0 };
	int result;

	if (reader_raw(reader, &block.header, &block.bytes, &block.size, err) < 0)
		return -1;
	if (writer_lists_ids(writer) && block.bytes != NULL && block.header->kind != STK_HEAD) {
		block.ids_later = ids_later;
		if (!ids_later)
			list_ids(&holds, reader, block.header);
	}
	block.holds = text_of((const char *)holds.at, holds.count);
	result = writer_pass_block(writer, &block, err);
	array_release(&holds);
	return result;
}

int
stk_writer_pass(struct stk_writer *writer, struct stk_reader *reader, struct stk_error *err)
{
	return pass_current(writer, reader, false, err);
}

int
pass_ids_later(struct stk_writer *writer, struct stk_reader *reader, struct stk_error *err)
{
	return pass_current(writer, reader, true, err);
}

void
pass_note_ids(struct stk_writer *writer, uint64_t offset, struct stk_reader *reader)
{
	id_text holds = { 0 };

	if (!writer_waits_for_ids(writer, offset))
		return;
	list_ids(&holds, reader, reader_header(reader));
	writer_note_ids(writer, offset, text_of((const char *)holds.at, holds.count));
	array_release(&holds);
}
