/* SPDX-License-Identifier: MIT
 * integrity: reads everything: every checksum, every column, and whether each id was defined before its use. */
#include "report/report.h"
#include "stream/block_columns.h"
#include "stream/block_ids.h"
#include "stream/reader.h"
#include "stream/stream_file.h"

#include <stdio.h>

struct integrity {
	struct report report;
	struct stream_file *index;	/* of the present input; NULL: it has none */
	struct file_walk walk;
};

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

/* The index of an input that has one, when its first head is met. */
static int
open_index(struct integrity *i, struct stk_reader *reader, int64_t offset, struct stk_error *err)
{
	const struct stk_reader_options *input = reader_lend(reader);
	struct stk_error why = { 0 };
	char text[sizeof why.text + 100];

	if (input == NULL)
		return 0;
	stream_file_close(i->index);
	if (stream_file_open_indexed(&i->index, input, &why) < 0) {
		stream_file_close(i->index);
		i->index = NULL;
		snprintf(text, sizeof text, "the index is not compared with the blocks: %s", why.text);
		if (why.code == STK_ESYSTEM)
			return stk_fail(err, STK_ESYSTEM, "%s", text);
		/* when its turn comes it may well be readable, and nothing else be wrong */
		i->report.finding(offset, text);
	}
	i->walk = (struct file_walk){ 0 };
	reader_leaps(reader, NULL, NULL, NULL);
	return 0;
}

/* Filters leave blocks out because of what the index says of them. */
static bool
index_is_right(const struct file_block *at, const struct stk_block *block, const struct block_columns *columns)
{
	if (at->kind != block->kind || at->rows != block->rows)
		return false;
	if (at->has_time && (!block->has_time || at->from_ns != block->from_ns || at->to_ns != block->to_ns))
		return false;
	for (unsigned c = 0; c < columns->columns; c++)
		if (columns->words[c] != NULL && !block_ids_cover(at->holds, c, columns->words[c], block->rows))
			return false;
	return true;
}

static void
check_index(struct integrity *i, const struct stk_block *block, const struct block_columns *columns)
{
	size_t left;
	const struct file_block *at;

	if (i->index == NULL || stream_file_streams(i->index) == 0)
		return;
	at = stream_file_walk(i->index, &i->walk, block->offset, &left);
	if (at == NULL || !index_is_right(at, block, columns))
		i->report.finding(block->offset, "the index does not say what is in this block");
}

static int
integrity_take(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct integrity *i = context;
	struct block_columns columns;

	if (block->kind == STK_HEAD && open_index(i, reader, block->offset, err) < 0)
		return -1;
	if (stk_reader_check(reader, err) < 0 || block_columns_load(&columns, reader, block, err) < 0)
		return -1;
	for (unsigned c = 0; c < columns.columns; c++)
		if (columns.schema->column[c].type == STK_TYPE_ID && columns.schema->column[c].refers <= STK_DUMP)
			check_ids(i, &columns, block, c);
	check_index(i, block, &columns);
	return 0;
}

static void
integrity_close(void *context)
{
	struct integrity *i = context;

	stream_file_close(i->index);
	free(i);
}

const struct report_form integrity_form = {
	.name = "check", .open = integrity_open, .take = integrity_take, .close = integrity_close
};
