/* SPDX-License-Identifier: MIT
 * pass: the one call that takes both a reader and a writer, so that neither of them depends on the other. */
#include "stream/reader.h"
#include "stream/writer.h"

int
stk_writer_pass(struct stk_writer *writer, struct stk_reader *reader, struct stk_error *err)
{
	struct passed_block block = { .schema = stk_reader_schema(reader) };

	if (reader_raw(reader, &block.header, &block.bytes, &block.size, err) < 0)
		return -1;
	return writer_pass_block(writer, &block, err);
}
