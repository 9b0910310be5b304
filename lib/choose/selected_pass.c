/* SPDX-License-Identifier: MIT
 * selected_pass: passes a block to the next filter with only the chosen rows. */
#include "choose/selected_pass.h"

/* Whether this program's row struct has room for every column that the stream declares. */
static bool
has_all_columns(const struct stk_kind_schema *kind)
{
	for (unsigned c = 0; c < kind->columns; c++)
		if (kind->column[c].offset == (size_t)-1)
			return false;
	return true;
}

/* A time tree is of all samples. */
static bool
is_of_tree(unsigned kind)
{
	return kind == STK_TREE || kind == STK_TREE_KEY || kind == STK_TREE_NODE || kind == STK_TREE_COUNT;
}

int
selected_pass(struct selection *selection, struct stk_reader *reader, const struct stk_block *block,
	      struct stk_writer *writer, bool *lost_columns, struct stk_error *err)
{
	uint64_t room[STK_COLUMN_MAX * 2];	/* for the largest row struct */
	const uint32_t *rows = NULL;
	uint32_t count = block->rows;
	bool is_definition = block->kind == STK_HEAD || block->schema == NULL || block->schema->definition;

	if (is_of_tree(block->kind) && selection_rows_matter(selection))
		return 0;
	if (!is_definition && selection_rows(selection, reader, block, &rows, &count, err) < 0)
		return -1;
	if (rows == NULL || block->schema->row_size == 0)
		return stk_writer_pass(writer, reader, err);
	if (count > 0 && stk_reader_rows(reader, err) < 0)
		return -1;
	*lost_columns |= count > 0 && !has_all_columns(block->schema);
	for (uint32_t i = 0; i < count; i++) {
		stk_reader_row(reader, rows[i], room);
		if (stk_writer_add(writer, (enum stk_kind)block->kind, room, err) < 0)
			return -1;
	}
	return 0;
}
