/* SPDX-License-Identifier: MIT
 * row_printer: cells one after another; a form says what stands between them. */
#include "report/row_printer.h"

#include "base/text_table.h"

#include <math.h>
#include <stdio.h>

static struct stk_text
column_name(const struct row_printer *rows, unsigned c)
{
	const char *name = rows->names[c];

	return text_of(name, strcspn(name, "*>#?"));
}

/* What the marks after a name say. */
static unsigned
column_kind(const char *marks)
{
	unsigned kind = *marks == '*'   ? TABLE_CUT_FRONT
			: *marks == '>' ? TABLE_CUT
			: *marks == '#' ? TABLE_RIGHT
					: TABLE_LEFT;

	return strchr(marks, '?') != NULL ? kind | TABLE_SPARE : kind;
}

static void
print_header(struct row_printer *rows)
{
	char title[64];

	for (unsigned c = 0; c < rows->columns; c++) {
		struct stk_text name = column_name(rows, c);

		if (rows->form == ROWS_TSV) {
			if (c > 0)
				add_char(&rows->printer->text, '\t');
			add_text(&rows->printer->text, name);
		} else if (rows->form == ROWS_TEXT) {
			(void)snprintf(title, sizeof title, "%.*s", (int)name.size, name.data);
			table_column(&rows->table, column_kind(rows->names[c] + name.size), title);
		}
	}
	if (rows->form == ROWS_TSV)
		add_char(&rows->printer->text, '\n');
}

void
row_printer_begin(struct row_printer *rows, enum row_form form, struct printer *printer, const char *const *names)
{
	*rows = (struct row_printer){ .form = form, .printer = printer, .names = names };
	while (names[rows->columns] != NULL)
		rows->columns++;
	print_header(rows);
}

/* What stands before a value. */
static void
begin_value(struct row_printer *rows)
{
	struct text_buffer *to = &rows->printer->text;

	if (rows->form == ROWS_TSV && rows->at > 0)
		add_char(to, '\t');
	if (rows->form == ROWS_NDJSON) {
		add_string(to, rows->at == 0 ? "{" : ",");
		add_json_text(to, column_name(rows, rows->at));
		add_char(to, ':');
	}
}

static void
end_value(struct row_printer *rows)
{
	if (++rows->at < rows->columns)
		return;
	rows->at = 0;
	rows->table.paint = PAINT_NONE;
	if (rows->form != ROWS_TEXT)
		add_string(&rows->printer->text, rows->form == ROWS_NDJSON ? "}\n" : "\n");
}

void
row_paint(struct row_printer *rows, enum paint paint)
{
	rows->table.paint = paint;
}

void
row_text(struct row_printer *rows, struct stk_text text)
{
	begin_value(rows);
	if (rows->form == ROWS_TEXT)
		table_cell(&rows->table, text);
	else if (rows->form == ROWS_TSV)
		add_escaped(&rows->printer->text, text);
	else
		add_json_text(&rows->printer->text, text);
	end_value(rows);
}

void
row_label(struct row_printer *rows, struct stk_text lead, struct stk_text text)
{
	if (rows->form != ROWS_TEXT) {
		row_text(rows, text);
		return;
	}
	table_label(&rows->table, lead, text);
	end_value(rows);
}

void
row_time(struct row_printer *rows, const char *text)
{
	row_text(rows, text_from(text));
}

void
row_count(struct row_printer *rows, uint64_t value)
{
	begin_value(rows);
	if (rows->form == ROWS_TEXT)
		table_format(&rows->table, "%llu", (unsigned long long)value);
	else
		add_unsigned(&rows->printer->text, value);
	end_value(rows);
}

/* Of many rows the same few numbers are printed again and again, and the shortest text of one takes trials. */
static void
print_exact(struct row_printer *rows, double value)
{
	struct text_buffer *to = &rows->printer->text;
	struct printed_real *known;
	uint64_t bits;
	size_t from = to->count;

	memcpy(&bits, &value, sizeof bits);
	known = &rows->reals[hash_pair(bits, 0) % PRINTED_REALS];
	if (known->size > 0 && known->bits == bits) {
		add_text(to, text_of(known->text, known->size));
		return;
	}
	add_real(to, value);
	if (to->count - from > sizeof known->text)
		return;
	*known = (struct printed_real){ .bits = bits, .size = (unsigned char)(to->count - from) };
	memcpy(known->text, to->at + from, known->size);
}

void
row_real(struct row_printer *rows, double value, int digits)
{
	begin_value(rows);
	if (rows->form == ROWS_TEXT)
		table_format(&rows->table, "%.*f", digits, value);
	else if (rows->form == ROWS_NDJSON && !isfinite(value))
		add_string(&rows->printer->text, "null");
	else
		print_exact(rows, value);
	end_value(rows);
}

void
row_unknown(struct row_printer *rows)
{
	begin_value(rows);
	if (rows->form == ROWS_TEXT)
		table_cell(&rows->table, text_from("-"));
	else if (rows->form == ROWS_NDJSON)
		add_string(&rows->printer->text, "null");
	end_value(rows);
}

int
row_printer_end(struct row_printer *rows, struct stk_error *err)
{
	if (rows->form == ROWS_TEXT)
		table_print(&rows->table, rows->printer);
	table_release(&rows->table);
	return printer_settle(rows->printer, true, err);
}

void
row_printer_drop(struct row_printer *rows)
{
	table_release(&rows->table);
}
