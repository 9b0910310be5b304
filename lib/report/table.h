/* SPDX-License-Identifier: MIT
 * table: aligned columns for people. Cells are added row by row; the widths follow from what they hold. Numbers, dates
 * and short words are never cut. When a line would be too long, labels give way down to a few words, then columns that
 * may be left out are, and a line after the table names them; what still does not fit makes lines longer. Control bytes
 * never reach a terminal. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "report/printer.h"

#define TABLE_COLUMNS_MAX 24

enum table_column {
	TABLE_LEFT,
	TABLE_RIGHT,
	TABLE_CUT,		/* a label: left; gives way when the line would be too long, its end first */
	TABLE_CUT_FRONT,	/* its beginning first: for paths */
	TABLE_SPARE = 8		/* or-ed: may be left out; the last such column goes first */
};

struct table_cell { size_t from, size, lead; enum paint paint; };	/* lead: bytes of it that are never cut */

struct table {
	unsigned columns;
	unsigned column[TABLE_COLUMNS_MAX];	/* enum table_column, or-ed */
	enum paint paint;			/* of the cells that are added from now on */
	size_t fair;				/* characters that a label keeps while columns may be left out; 0: 24 */
	struct text_buffer text;
	ARRAY(struct table_cell) cells;		/* the headers first */
};

/* A zeroed struct is an empty table. Columns first: each with its header. */
void table_column(struct table *table, unsigned column, const char *header);
void table_cell(struct table *table, struct stk_text text);
/* A function, by the name that the source of C++ or Rust has, where it is a symbol of the linker. */
void table_function(struct table *table, struct stk_text function);
/* A label after what is never cut: indentation, in ASCII. */
void table_label(struct table *table, struct stk_text lead, struct stk_text text);
void table_format(struct table *table, const char *format, ...) STK_PRINTF(2, 3);
/* What was added to table->text since `from` becomes a cell. */
void table_cell_from(struct table *table, size_t from);

/* For a last column whose labels depend on how long they may be: its cells are added empty, then this says how many
 * characters a line has for them. */
size_t table_room(const struct table *table, const struct printer *to);
/* Puts a text into the last cell of a row; row 0 is the first after the headers. */
void table_fill(struct table *table, size_t row, struct stk_text text);

/* Writes the table for the printer's screen, two blanks before each line, and empties it. A remark says when the
 * program was asked to stop, because then the table is not of all. */
void table_print(struct table *table, struct printer *to);
void table_release(struct table *table);

/* 4 digits at most and a letter for thousands: 9999, 12.3k, 4.56M, 7.89G. */
void add_quantity(struct text_buffer *to, double value);
/* "1 dump", "2 dumps". */
void add_counted(struct text_buffer *to, uint64_t count, const char *what);
/* A part of a whole: 43.5%, <0.1%, 0% only for nothing. */
void add_share(struct text_buffer *to, double part, double whole);
/* 12.3 kB, 4.56 MB: powers of 1000. */
void add_size(struct text_buffer *to, uint64_t bytes);

#endif
