/* SPDX-License-Identifier: MIT
 * printer: gathers text into writes of a good size. */
#include "report/printer.h"

#define PRINTER_BYTES (1u << 16)

int
printer_settle(struct printer *printer, bool now, struct stk_error *err)
{
	size_t size = printer->text.count;

	if (size == 0 || (size < PRINTER_BYTES && !now))
		return 0;
	printer->text.count = 0;
	return output_write(printer->output, printer->text.at, size, err);
}

void
printer_release(struct printer *printer)
{
	array_release(&printer->text);
}
