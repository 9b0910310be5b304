/* SPDX-License-Identifier: MIT
 * chart_total: what an area of a chart is in all, in words. */
#ifndef PLOT_CHART_TOTAL_H
#define PLOT_CHART_TOTAL_H

#include "plot/chart.h"

struct chart_total { uint64_t count; double ns; };	/* ns 0: it has no time of its own */

/* "12.3 s, 45 samples, 6.7 %", as what is said about the line. */
void chart_say_total(struct chart *chart, struct chart_line *line, struct chart_total total, double percent,
		     bool of_events);

#endif
