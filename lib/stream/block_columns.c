/* SPDX-License-Identifier: MIT
 * block_columns: decodes a block by the schema that its stream carries. */
#include "stream/block_columns.h"

#include <string.h>

int
block_columns_load(struct block_columns *columns, struct stk_reader *reader, const struct stk_block *block,
		   struct stk_error *err)
{
	const struct stk_kind_schema *schema = block->kind == STK_HEAD ? &stk_schema()->kind[STK_HEAD] : block->schema;

	*columns = (struct block_columns){ .schema = schema };
	if (schema == NULL)
		return 0;
	columns->columns = schema->columns;
	for (unsigned c = 0; c < schema->columns; c++) {
		if (schema->column[c].type == STK_TYPE_TEXT) {
			if (stk_reader_texts(reader, c, &columns->texts[c], err) < 0)
				return -1;
		} else if (stk_reader_column(reader, c, &columns->words[c], err) < 0) {
			return -1;
		}
	}
	return 0;
}

const struct stk_kind_schema *
schema_kind(const struct stk_schema *schema, unsigned number)
{
	return schema != NULL && number < schema->kinds && schema->kind[number].name != NULL ? &schema->kind[number]
											      : NULL;
}

int
schema_column(const struct stk_kind_schema *kind, const char *name)
{
	for (unsigned c = 0; kind != NULL && c < kind->columns; c++)
		if (strcmp(kind->column[c].name, name) == 0)
			return (int)c;
	return -1;
}

int
schema_column_of(const struct stk_kind_schema *kind, enum stk_kind refers)
{
	for (unsigned c = 0; kind != NULL && c < kind->columns; c++)
		if (kind->column[c].type == STK_TYPE_ID && kind->column[c].refers == refers)
			return (int)c;
	return -1;
}
