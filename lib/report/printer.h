/* SPDX-License-Identifier: MIT
 * printer: a text on its way to an output. Rows are added to text; printer_settle writes it out when enough has come
 * together. */
#ifndef REPORT_PRINTER_H
#define REPORT_PRINTER_H

#include "base/array.h"
#include "base/output.h"
#include "base/screen.h"
#include "base/text_buffer.h"

enum paint {
	PAINT_NONE,
	PAINT_HEAD,	/* headers and titles */
	PAINT_FAINT,	/* remarks about a table */
	PAINT_HOT,	/* what to look at first: much, more, wrong */
	PAINT_WARM,
	PAINT_COLD,	/* less than before */
	PAINT_COUNT
};

struct painted { size_t from, to; enum paint paint; };

struct printer {
	struct text_buffer text;
	struct output *output;		/* borrowed */
	struct screen screen;
	ARRAY(struct painted) painted;	/* parts of text, in their order */
};

/* The text from `from` on gets a colour, where the screen has any. */
void printer_paint(struct printer *printer, size_t from, enum paint paint);
/* A line that is a title of what follows, after an empty line unless it is the first. */
void printer_title(struct printer *printer, const char *title);
/* A sentence for people, in as many lines as the screen needs; each begins with `indent` blanks. */
void printer_prose(struct printer *printer, unsigned indent, struct stk_text text);
/* A remark about what was printed: the same with two blanks, faint. */
void printer_remark(struct printer *printer, const char *format, ...) STK_PRINTF(2, 3);

/* Writes the text when it is large, or when `now`; on a terminal, what is not printable is masked. The text is whole
 * rows. 0, or -1 with *err: the output failed. */
int  printer_settle(struct printer *printer, bool now, struct stk_error *err) STK_MUST_CHECK;
void printer_release(struct printer *printer);

#endif
