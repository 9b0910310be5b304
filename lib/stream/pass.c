/* SPDX-License-Identifier: MIT
 * pass: the one call that takes both a reader and a writer, so that neither of them depends on the other. */
#include "stream/list_ids.h"
#include "stream/reader.h"
#include "stream/writer.h"

int
stk_writer_pass(struct stk_writer *writer, struct stk_reader *reader, struct stk_error *err)
{
	struct passed_block block = { .schema = stk_reader_schema(reader) };
	id_text holds = { 0 };
	int result;

	if (reader_raw(reader, &block.header, &block.bytes, &block.size, err) < 0)
		return -1;
	if (writer_lists_ids(writer) && block.bytes != NULL && block.header->kind != STK_HEAD)
		list_ids(&holds, reader, block.header);
	block.holds = text_of((const char *)holds.at, holds.count);
	result = writer_pass_block(writer, &block, err);
	array_release(&holds);
	return result;
}
