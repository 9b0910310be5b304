/* SPDX-License-Identifier: MIT
 * integrity: reads everything: every checksum, every column, and whether each id was defined before its use. */
#include "report/report.h"
#include "stream/block_columns.h"

#include <stdio.h>

struct integrity { struct report report; };

static void *
integrity_open(const struct report *report, struct stk_error *err)
{
	struct integrity *i = mem_new(1, sizeof *i);

	(void)err;
	i->report = *report;
	return i;
}

/* A definition refers to earlier ones of its own kind; anything refers only to what was defined. */
static void
check_ids(struct integrity *i, const struct block_columns *columns, const struct stk_block *block, unsigned c)
{
	const struct stk_column_schema *column = &columns->schema->column[c];
	bool own = columns->schema->definition && column->refers == block->kind;
	uint32_t bad = 0;
	char text[300];

	for (uint32_t row = 0; row < block->rows; row++) {
		uint64_t id = columns->words[c][row];

		bad += id != 0 && (!model_knows(i->report.model, (enum stk_kind)column->refers, id) ||
				   (own && id >= (uint64_t)block->first_id + row));
	}
	if (bad == 0)
		return;
	snprintf(text, sizeof text,
		 "%u of %u rows of kind %.60s refer to a %.60s that is not defined before them (column %.60s)", bad,
		 block->rows, columns->schema->name, stk_schema()->kind[column->refers].name, column->name);
	i->report.finding(block->offset, text);
}

static int
integrity_take(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct integrity *i = context;
	struct block_columns columns;

	if (stk_reader_check(reader, err) < 0 || block_columns_load(&columns, reader, block, err) < 0)
		return -1;
	for (unsigned c = 0; c < columns.columns; c++)
		if (columns.schema->column[c].type == STK_TYPE_ID && columns.schema->column[c].refers <= STK_DUMP)
			check_ids(i, &columns, block, c);
	return 0;
}

const struct report_form integrity_form = {
	.name = "check", .open = integrity_open, .take = integrity_take, .close = free
};
