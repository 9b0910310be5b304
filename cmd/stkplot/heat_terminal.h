/* SPDX-License-Identifier: MIT
 * heat_terminal: a heat map of characters. */
#ifndef STKPLOT_HEAT_TERMINAL_H
#define STKPLOT_HEAT_TERMINAL_H

#include "base/time_text.h"
#include "plot/heat_cells.h"
#include "report/printer.h"

/* As wide as the printer's screen. rows: how many *cells has. seconds: times count from an unknown start. */
void heat_terminal_add(struct printer *printer, struct heat_cells *cells, uint32_t rows, const struct time_zone *zone,
		       bool seconds);

#endif
