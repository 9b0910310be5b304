/* SPDX-License-Identifier: MIT
 * chart_terminal: a chart as lines of text. Areas are letters, which the legend explains, so that nothing depends on
 * colours. */
#ifndef PLOT_CHART_TERMINAL_H
#define PLOT_CHART_TERMINAL_H

#include "plot/chart.h"
#include "plot/flame_terminal.h"

struct chart_terminal_options {
	size_t width;
	enum flame_colours colours;
	bool blocks;		/* heights in eighths of a block in UTF-8, otherwise in ASCII */
};

void chart_terminal_add(struct text_buffer *to, const struct chart *chart,
			const struct chart_terminal_options *options);

#endif
