/* SPDX-License-Identifier: MIT
 * table: aligned columns for people. Cells are added row by row; the widths follow from what they hold. Control bytes
 * never reach a terminal. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "base/text_buffer.h"

#define TABLE_COLUMNS_MAX 16

enum table_column {
	TABLE_LEFT,
	TABLE_RIGHT,
	TABLE_CUT,		/* left; gives way when the line would be too long: the end becomes "..." */
	TABLE_CUT_FRONT		/* the beginning does: for paths */
};

struct table_cell { size_t from, size; };

struct table {
	unsigned columns;
	enum table_column column[TABLE_COLUMNS_MAX];
	struct text_buffer text;
	ARRAY(struct table_cell) cells;		/* the headers first */
};

/* A zeroed struct is an empty table. Columns first: each with its header. */
void table_column(struct table *table, enum table_column column, const char *header);
void table_cell(struct table *table, struct stk_text text);
void table_format(struct table *table, const char *format, ...) STK_PRINTF(2, 3);
/* What was added to table->text since `from` becomes a cell. */
void table_cell_from(struct table *table, size_t from);

/* Writes the table, two blanks before each line, and empties it. width: of a line; lines that cannot be made to fit are
 * longer. */
void table_print(struct table *table, struct text_buffer *to, size_t width);
void table_release(struct table *table);

/* 4 digits at most and a letter for thousands: 9999, 12.3k, 4.56M, 7.89G. */
void add_quantity(struct text_buffer *to, double value);
/* A part of a whole: 43.5%, <0.1%, 0% only for nothing. */
void add_share(struct text_buffer *to, double part, double whole);
/* 12.3 kB, 4.56 MB: powers of 1000. */
void add_size(struct text_buffer *to, uint64_t bytes);

#endif
