/* SPDX-License-Identifier: MIT
 * table: measures cells, and writes them in columns. */
#include "report/table.h"

#include <stdarg.h>
#include <stdio.h>

#define GAP 2			/* blanks between columns, and before the first */
#define CUT_LEAST 20		/* a column that gives way keeps so many */
#define CUT_LAST  6		/* and so many when that does not suffice */

void
table_column(struct table *table, enum table_column column, const char *header)
{
	if (table->columns == TABLE_COLUMNS_MAX)
		return;
	table->column[table->columns++] = column;
	table_cell(table, text_from(header));
}

void
table_cell_from(struct table *table, size_t from)
{
	*array_push(&table->cells) = (struct table_cell){ from, table->text.count - from };
}

void
table_cell(struct table *table, struct stk_text text)
{
	size_t from = table->text.count;

	add_masked(&table->text, text);
	table_cell_from(table, from);
}

void
table_format(struct table *table, const char *format, ...)
{
	char text[500];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	table_cell(table, text_from(text));
}

/* Characters, as far as one can tell without knowing the font. */
static size_t
characters(const struct table *table, const struct table_cell *cell)
{
	size_t count = 0;

	for (size_t i = 0; i < cell->size; i++)
		count += (table->text.at[cell->from + i] & 0xc0) != 0x80;
	return count;
}

/* Bytes of the first `count` characters. */
static size_t
bytes_of(const struct table *table, const struct table_cell *cell, size_t count)
{
	size_t at = 0;

	while (at < cell->size && ((table->text.at[cell->from + at] & 0xc0) == 0x80 || count-- > 0))
		at++;
	return at;
}

/* Takes what a line is too long from the columns that give way, the last one first, and leaves each at least
 * `least`. */
static size_t
narrow(const struct table *table, size_t *widths, size_t over, size_t least)
{
	for (unsigned c = table->columns; c-- > 0 && over > 0; ) {
		size_t cut = widths[c] > least ? widths[c] - least : 0;

		if (table->column[c] < TABLE_CUT)
			continue;
		cut = cut < over ? cut : over;
		widths[c] -= cut, over -= cut;
	}
	return over;
}

static void
measure(const struct table *table, size_t *widths, size_t width)
{
	size_t total = 0, over;

	for (size_t i = 0; i < table->cells.count; i++) {
		size_t size = characters(table, &table->cells.at[i]), c = i % table->columns;

		widths[c] = size > widths[c] ? size : widths[c];
	}
	for (unsigned c = 0; c < table->columns; c++)
		total += GAP + widths[c];
	over = narrow(table, widths, total > width ? total - width : 0, CUT_LEAST);
	(void)narrow(table, widths, over, CUT_LAST);
}

static void
add_blanks(struct text_buffer *to, size_t count)
{
	while (count-- > 0)
		add_char(to, ' ');
}

/* The part of a cell that fits, with dots for what does not. */
static void
print_cut(const struct table *table, struct text_buffer *to, const struct table_cell *cell, size_t width, bool front)
{
	size_t dropped = front ? bytes_of(table, cell, characters(table, cell) - (width - 3)) : 0;

	add_string(to, front ? "..." : "");
	add_bytes(to, table->text.at + cell->from + dropped,
		  front ? cell->size - dropped : bytes_of(table, cell, width - 3));
	add_string(to, front ? "" : "...");
}

static void
print_cell(const struct table *table, struct text_buffer *to, size_t index, size_t width, bool last)
{
	const struct table_cell *cell = &table->cells.at[index];
	enum table_column column = table->column[index % table->columns];
	size_t size = characters(table, cell), blanks = size < width ? width - size : 0;

	add_blanks(to, GAP + (column == TABLE_RIGHT ? blanks : 0));
	if (size > width)
		print_cut(table, to, cell, width, column == TABLE_CUT_FRONT);
	else
		add_bytes(to, table->text.at + cell->from, cell->size);
	if (column != TABLE_RIGHT && !last)
		add_blanks(to, blanks);
}

void
table_print(struct table *table, struct text_buffer *to, size_t width)
{
	size_t widths[TABLE_COLUMNS_MAX] = { 0 };

	measure(table, widths, width);
	for (size_t i = 0; i < table->cells.count; i++) {
		bool last = (i + 1) % table->columns == 0;

		print_cell(table, to, i, widths[i % table->columns], last);
		if (last)
			add_char(to, '\n');
	}
	table->columns = 0;
	table->cells.count = table->text.count = 0;
}

void
table_release(struct table *table)
{
	array_release(&table->text);
	array_release(&table->cells);
}

void
add_quantity(struct text_buffer *to, double value)
{
	static const char letters[] = " kMGTPE";
	unsigned i = 0;

	if (value < 10000) {
		add_format(to, "%.0f", value);
		return;
	}
	while (value >= 999.5 && letters[i + 1] != '\0')
		value /= 1000, i++;
	add_format(to, value < 9.995 ? "%.2f%c" : value < 99.95 ? "%.1f%c" : "%.0f%c", value, letters[i]);
}

void
add_share(struct text_buffer *to, double part, double whole)
{
	double percent = whole > 0 ? 100 * part / whole : 0;

	if (part <= 0)
		add_string(to, "0%");
	else if (percent < 0.1)
		add_string(to, "<0.1%");
	else
		add_format(to, "%.1f%%", percent);
}

void
add_size(struct text_buffer *to, uint64_t bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	double value = (double)bytes;
	unsigned i = 0;

	while (value >= 999.5 && i < 6)
		value /= 1000, i++;
	add_format(to,
		   i == 0          ? "%.0f %s"
		   : value < 9.995 ? "%.2f %s"
		   : value < 99.95 ? "%.1f %s"
				   : "%.0f %s",
		   value, units[i]);
}
