/* SPDX-License-Identifier: MIT
 * heat_terminal: a heat map of characters. */
#ifndef STKPLOT_HEAT_TERMINAL_H
#define STKPLOT_HEAT_TERMINAL_H

#include "base/time_text.h"
#include "plot/flame_terminal.h"
#include "plot/heat_cells.h"

struct heat_terminal_options {
	size_t width;
	const char *unit;		/* of the counts: "samples", "cycles" */
	enum flame_colours colours;
	enum palette palette;
	const struct time_zone *zone;
	bool seconds;			/* times count from an unknown start */
};

/* Nothing in it is of the recording: it can be written as it is. rows: how many *cells has. *say: about the map. */
void heat_terminal_add(struct text_buffer *to, struct heat_cells *cells, uint32_t rows,
		       const struct heat_terminal_options *options, struct text_buffer *say);

#endif
