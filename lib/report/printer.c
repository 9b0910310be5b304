/* SPDX-License-Identifier: MIT
 * printer: gathers text into writes of a good size. */
#include "report/printer.h"

#include "base/terminal_text.h"

#define PRINTER_BYTES (1u << 16)

int
printer_settle(struct printer *printer, bool now, struct stk_error *err)
{
	size_t size = printer->text.count;

	if (size == 0 || (size < PRINTER_BYTES && !now))
		return 0;
	printer->text.count = 0;
	if (output_is_terminal(printer->output))	/* whatever form it is: a file and a pipe get the bytes as they
							 * are */
		size = mask_text(printer->text.at, size, "\t\n");
	return output_write(printer->output, printer->text.at, size, err);
}

void
printer_release(struct printer *printer)
{
	array_release(&printer->text);
}
