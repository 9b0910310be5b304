/* SPDX-License-Identifier: MIT
 * printer: a text on its way to an output. Rows are added to text; printer_settle writes it out when enough has come
 * together. */
#ifndef REPORT_PRINTER_H
#define REPORT_PRINTER_H

#include "base/output.h"
#include "base/text_buffer.h"

struct printer {
	struct text_buffer text;
	struct output *output;		/* borrowed */
};

/* Writes the text when it is large, or when `now`; on a terminal, what is not printable is masked. The text is whole
 * rows. 0, or -1 with *err: the output failed. */
int  printer_settle(struct printer *printer, bool now, struct stk_error *err) STK_MUST_CHECK;
void printer_release(struct printer *printer);

#endif
