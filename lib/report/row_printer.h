/* SPDX-License-Identifier: MIT
 * row_printer: rows of named values as a table for people, as TSV with a header, or as a JSON object a line. */
#ifndef REPORT_ROW_PRINTER_H
#define REPORT_ROW_PRINTER_H

#include "report/printer.h"
#include "report/table.h"

enum row_form { ROWS_TEXT, ROWS_TSV, ROWS_NDJSON };

#define PRINTED_REALS 256

/* A number whose exact text is known. */
struct printed_real { uint64_t bits; unsigned char size; char text[31]; };

struct row_printer {
	enum row_form form;
	struct printer *printer;	/* borrowed */
	size_t width;			/* of a line for people */
	const char *const *names;	/* of the values; a text that should give way ends in '*', a number in '#'
					 * (neither is printed) */
	unsigned columns;
	unsigned at;			/* of the present row */
	struct table table;
	struct printed_real reals[PRINTED_REALS];	/* by a hash of the number */
};

/* names: NULL-terminated. */
void row_printer_begin(struct row_printer *rows, enum row_form form, struct printer *printer,
		       const char *const *names);
/* The rest of the present row, or of the next one, gets a colour. */
void row_paint(struct row_printer *rows, enum paint paint);
/* The values of a row, in the order of the names. After the last the row is done. */
void row_text(struct row_printer *rows, struct stk_text text);
/* For people with a lead that is never cut, such as indentation. */
void row_label(struct row_printer *rows, struct stk_text lead, struct stk_text text);
void row_count(struct row_printer *rows, uint64_t value);
/* fixed for people, exact for programs */
void row_real(struct row_printer *rows, double value, int digits);
/* A value that is not known: "-" for people, else empty, or null. */
void row_unknown(struct row_printer *rows);
void row_time(struct row_printer *rows, const char *text);			/* as text, however it was printed */
/* Prints what is left. -1: the output failed. */
int  row_printer_end(struct row_printer *rows, struct stk_error *err) STK_MUST_CHECK;
/* In its place, when the rows have failed: what is left is not printed. */
void row_printer_drop(struct row_printer *rows);

#endif
