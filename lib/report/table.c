/* SPDX-License-Identifier: MIT
 * table: measures cells, and writes them in columns. */
#include "report/table.h"

#include "base/host.h"
#include "base/memory.h"
#include "model/native_name.h"
#include "report/label_cut.h"

#include <stdarg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GAP 2			/* blanks between columns, and before the first */
#define LABEL_FAIR 24		/* a label has at least so many before columns are left out */
#define LABEL_LEAST 10		/* and after that */
#define NAME_LEAST  8		/* a label with a lead has at least so many after that */

void
table_column(struct table *table, unsigned column, const char *header)
{
	if (table->columns == TABLE_COLUMNS_MAX)
		return;
	table->column[table->columns++] = column;
	table_cell(table, text_from(header));
}

void
table_cell_from(struct table *table, size_t from)
{
	*array_push(&table->cells) =
		(struct table_cell){ .from = from, .size = table->text.count - from, .paint = table->paint };
}

void
table_cell(struct table *table, struct stk_text text)
{
	size_t from = table->text.count;

	add_masked(&table->text, text);
	table_cell_from(table, from);
}

void
table_function(struct table *table, struct stk_text function)
{
	struct text_buffer name = { 0 };

	table_cell(table, native_name_add(&name, function) ? text_in(&name, 0) : function);
	array_release(&name);
}

void
table_label(struct table *table, struct stk_text lead, struct stk_text text)
{
	size_t from = table->text.count;

	add_text(&table->text, lead);
	add_masked(&table->text, text);
	table_cell_from(table, from);
	table->cells.at[table->cells.count - 1].lead = lead.size;
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

/* --- widths --- */

struct layout {
	size_t widths[TABLE_COLUMNS_MAX];
	bool spared[TABLE_COLUMNS_MAX];		/* columns that are left out */
	size_t width;				/* of a line */
};

static struct stk_text
text_of_cell(const struct table *table, size_t index)
{
	return text_of(table->text.at + table->cells.at[index].from, table->cells.at[index].size);
}

/* Characters of the longest cell. */
static size_t
longest_cell(const struct table *table, unsigned c)
{
	size_t most = 0;

	for (size_t i = c; i < table->cells.count; i += table->columns) {
		size_t size = text_characters(text_of_cell(table, i));

		most = size > most ? size : most;
	}
	return most;
}

static unsigned
kind_of(const struct table *table, unsigned c)
{
	return table->column[c] & (TABLE_SPARE - 1);
}

static bool
is_label(const struct table *table, unsigned c)
{
	return kind_of(table, c) >= TABLE_CUT;
}

static size_t
line_width(const struct table *table, const struct layout *l)
{
	size_t total = 0;

	for (unsigned c = 0; c < table->columns; c++)
		total += l->spared[c] ? 0 : GAP + l->widths[c];
	return total;
}

/* Bytes of the longest lead. */
static size_t
longest_lead(const struct table *table, unsigned c)
{
	size_t most = 0;

	for (size_t i = c; i < table->cells.count; i += table->columns)
		most = table->cells.at[i].lead > most ? table->cells.at[i].lead : most;
	return most;
}

/* A label is never narrower than its header, or than a lead and what can be cut no further. */
static size_t
least_width(const struct table *table, unsigned c, size_t least)
{
	size_t header = text_characters(text_of_cell(table, c)), lead = longest_lead(table, c);

	if (lead > 0 && lead + NAME_LEAST > least)
		least = lead + NAME_LEAST;
	return header > least ? header : least;
}

/* Takes columns from the labels until the line fits: from the widest, a column at a time, so that in the end they are
 * alike. False: it does not fit with `least` for each. */
static bool
narrow_labels(const struct table *table, struct layout *l, size_t least)
{
	while (line_width(table, l) > l->width) {
		unsigned widest = table->columns;

		for (unsigned c = 0; c < table->columns; c++)
			if (is_label(table, c) && !l->spared[c] && l->widths[c] > least_width(table, c, least) &&
			    (widest == table->columns || l->widths[c] > l->widths[widest]))
				widest = c;
		if (widest == table->columns)
			return false;
		l->widths[widest]--;
	}
	return true;
}

static bool
spare_column(const struct table *table, struct layout *l)
{
	for (unsigned c = table->columns; c-- > 0; )
		if ((table->column[c] & TABLE_SPARE) != 0 && !l->spared[c]) {
			l->spared[c] = true;
			return true;
		}
	return false;
}

/* Labels give way first, then columns that may be left out, then labels once more. */
static void
measure(const struct table *table, struct layout *l)
{
	size_t natural[TABLE_COLUMNS_MAX];

	for (unsigned c = 0; c < table->columns; c++)
		l->widths[c] = longest_cell(table, c);
	memcpy(natural, l->widths, sizeof natural);
	while (!narrow_labels(table, l, table->fair > 0 ? table->fair : LABEL_FAIR) && spare_column(table, l))
		memcpy(l->widths, natural, sizeof natural);
	(void)narrow_labels(table, l, LABEL_LEAST);
}

static size_t
screen_width(const struct printer *to)
{
	return to->screen.width > 0 ? to->screen.width : SCREEN_WIDTH_USUAL;
}

size_t
table_room(const struct table *table, const struct printer *to)
{
	struct layout l = { .width = screen_width(to) };
	unsigned last = table->columns - 1;

	for (unsigned c = 0; c < last; c++)
		l.widths[c] = longest_cell(table, c);
	l.widths[last] = least_width(table, last, LABEL_FAIR);
	while (line_width(table, &l) > l.width && spare_column(table, &l))
		;
	return line_width(table, &l) > l.width ? LABEL_LEAST : l.width - line_width(table, &l) + l.widths[last];
}

void
table_fill(struct table *table, size_t row, struct stk_text text)
{
	struct table_cell *cell = &table->cells.at[(row + 2) * table->columns - 1];

	cell->from = table->text.count;
	add_masked(&table->text, text);
	cell->size = table->text.count - cell->from;
}

/* --- labels that are too long --- */

/* Puts what fits into the cells of a column in place of what does not: of those with a lead of so many bytes. */
static void
cut_column(struct table *table, unsigned c, size_t lead, size_t width)
{
	size_t rows = table->cells.count / table->columns, count = 0;
	struct stk_text *labels = mem_new(rows, sizeof *labels);
	struct text_buffer room = { 0 };
	struct table_cell **cut = mem_new(rows, sizeof *cut);

	for (size_t r = 1; r < rows; r++) {
		struct table_cell *cell = &table->cells.at[r * table->columns + c];

		if (cell->lead != lead)
			continue;
		labels[count] = text_of(table->text.at + cell->from + lead, cell->size - lead);
		cut[count++] = cell;
	}
	labels_cut(labels, count, width, kind_of(table, c) == TABLE_CUT_FRONT, &room);
	for (size_t i = 0; i < count; i++) {
		size_t from = table->text.count;

		array_reserve(&table->text, lead + labels[i].size);
		add_bytes(&table->text, table->text.at + cut[i]->from, lead);
		add_text(&table->text, labels[i]);
		cut[i]->from = from;
		cut[i]->size = lead + labels[i].size;
	}
	array_release(&room);
	free(labels);
	free(cut);
}

/* Labels are cut at words where they can, so that a column may need less than it was given. */
static void
cut_labels(struct table *table, struct layout *l)
{
	for (unsigned c = 0; c < table->columns; c++) {
		if (!is_label(table, c) || l->spared[c] || longest_cell(table, c) <= l->widths[c])
			continue;
		for (size_t lead = 0, most = longest_lead(table, c); lead <= most; lead++)
			cut_column(table, c, lead, l->widths[c] - lead);
		l->widths[c] = longest_cell(table, c);
	}
}

/* --- writing --- */

static void
add_blanks(struct text_buffer *to, size_t count)
{
	while (count-- > 0)
		add_char(to, ' ');
}

static void
print_cell(const struct table *table, struct printer *to, size_t index, size_t width, bool last)
{
	bool right = kind_of(table, (unsigned)(index % table->columns)) == TABLE_RIGHT;
	struct stk_text text = text_of_cell(table, index);
	size_t size = text_characters(text), blanks = size < width ? width - size : 0, from;

	add_blanks(&to->text, GAP + (right ? blanks : 0));
	from = to->text.count;
	add_text(&to->text, text);
	printer_paint(to, from, index < table->columns ? PAINT_HEAD : table->cells.at[index].paint);
	if (!right && !last)
		add_blanks(&to->text, blanks);
}

static void
print_row(const struct table *table, struct printer *to, size_t row, const struct layout *l)
{
	unsigned last = table->columns;

	while (last > 0 && l->spared[last - 1])
		last--;
	for (unsigned c = 0; c < last; c++)
		if (!l->spared[c])
			print_cell(table, to, row * table->columns + c, l->widths[c], c + 1 == last);
	add_char(&to->text, '\n');
}

/* Which columns were left out, and how wide a line shows them all. */
static void
remark_spared(const struct table *table, struct printer *to, const struct layout *l, size_t full_width)
{
	struct text_buffer names = { 0 };

	for (unsigned c = 0; c < table->columns; c++) {
		if (!l->spared[c])
			continue;
		add_string(&names, names.count > 0 ? ", " : "");
		add_text(&names, text_of_cell(table, c));
	}
	if (names.count > 0)
		printer_remark(to, "not shown: %.*s (--width %zu)", (int)names.count, names.at, full_width);
	array_release(&names);
}

static size_t
width_of_all(const struct table *table, const struct layout *l)
{
	struct layout all = *l;

	memset(all.spared, 0, sizeof all.spared);
	return line_width(table, &all);
}

void
table_print(struct table *table, struct printer *to)
{
	struct layout l = { .width = screen_width(to) };
	size_t full_width;

	measure(table, &l);
	full_width = width_of_all(table, &l);
	cut_labels(table, &l);
	for (size_t row = 0; table->columns > 0 && row < table->cells.count / table->columns; row++)
		print_row(table, to, row, &l);
	remark_spared(table, to, &l, full_width);
	if (host_stopping())
		printer_remark(to, "interrupted: this is what was read until then");
	table->columns = 0;
	table->cells.count = table->text.count = 0;
	table->paint = PAINT_NONE;
	table->fair = 0;
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

	if (value < 10000 || isinf(value)) {
		add_format(to, "%.0f", value);
		return;
	}
	while (value >= 999.5 && letters[i + 1] != '\0') {
		value /= 1000;
		i++;
	}
	add_format(to, value < 9.995 ? "%.2f%c" : value < 99.95 ? "%.1f%c" : "%.0f%c", value, letters[i]);
}

void
add_counted(struct text_buffer *to, uint64_t count, const char *what)
{
	add_unsigned(to, count);
	add_char(to, ' ');
	add_string(to, what);
	add_string(to, count == 1 ? "" : "s");
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

	while (value >= 999.5 && i < 6) {
		value /= 1000;
		i++;
	}
	add_format(to,
		   i == 0          ? "%.0f %s"
		   : value < 9.995 ? "%.2f %s"
		   : value < 99.95 ? "%.1f %s"
				   : "%.0f %s",
		   value, units[i]);
}
