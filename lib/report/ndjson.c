/* SPDX-License-Identifier: MIT
 * ndjson: one JSON object a record, generic over the schema that the stream carries. */
#include "report/report.h"
#include "stream/block_columns.h"

#include <math.h>

static size_t
names_count(const char *const *names)
{
	size_t count = 0;

	while (names[count] != NULL)
		count++;
	return count;
}

static void
add_json_real(struct text_buffer *to, uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	if (isfinite(value))
		add_real(to, value);
	else
		add_string(to, "null");
}

static void
add_json_word(struct text_buffer *to, const struct stk_column_schema *column, uint64_t value)
{
	switch (column->type) {
	case STK_TYPE_NUMBER: case STK_TYPE_SPAN:
		add_signed(to, (int64_t)value);
		break;
	case STK_TYPE_TIME:
		if ((int64_t)value == STK_TIME_UNKNOWN)
			add_string(to, "null");
		else
			add_signed(to, (int64_t)value);
		break;
	case STK_TYPE_REAL:
		add_json_real(to, value);
		break;
	case STK_TYPE_ENUM:
		if (value < names_count(column->names)) {
			add_json_text(to, text_from(column->names[value]));
			break;
		}
		/* fall through */
	default:
		add_unsigned(to, value);
	}
}

static void
add_row(struct text_buffer *to, const struct block_columns *columns, const struct stk_block *block, uint32_t row)
{
	const struct stk_kind_schema *kind = columns->schema;

	add_string(to, "{\"kind\":");
	add_json_text(to, text_from(kind->name));
	if (kind->definition)
		add_string(to, ",\"id\":"), add_unsigned(to, (uint64_t)block->first_id + row);
	for (unsigned c = 0; c < columns->columns; c++) {
		add_char(to, ',');
		add_json_text(to, text_from(kind->column[c].name));
		add_char(to, ':');
		if (columns->texts[c] != NULL)
			add_json_text(to, columns->texts[c][row]);
		else
			add_json_word(to, &kind->column[c], columns->words[c][row]);
	}
	add_string(to, "}\n");
}

static void *
ndjson_open(const struct report *report, struct stk_error *err)
{
	struct report *form = mem_new(1, sizeof *form);

	(void)err;
	*form = *report;
	return form;
}

static int
ndjson_take(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	const struct report *form = context;
	struct text_buffer *to = &form->printer->text;
	struct block_columns columns;
	const uint32_t *rows;
	uint32_t count;

	if (!selection_kind(form->selection, block->schema, block->kind))
		return 0;
	if (block_columns_load(&columns, reader, block, err) < 0 ||
	    selection_rows(form->selection, reader, block, &rows, &count, err) < 0)
		return -1;
	if (columns.schema == NULL) {
		add_format(to, "{\"kind\":\"#%u\",\"rows\":%u}\n", block->kind, block->rows);
		return printer_settle(form->printer, false, err);
	}
	for (uint32_t i = 0; i < count; i++) {
		add_row(to, &columns, block, selected_row(rows, i));
		if (printer_settle(form->printer, false, err) < 0)
			return -1;
	}
	return 0;
}

const struct report_form ndjson_form = { .name = "ndjson", .open = ndjson_open, .take = ndjson_take, .close = free };
