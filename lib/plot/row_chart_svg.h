/* SPDX-License-Identifier: MIT
 * row_chart_svg: a row_chart as a still picture: panels beside and below each other, each with its own axes, one legend
 * for all. Each point and bar has a title with its numbers. */
#ifndef PLOT_ROW_CHART_SVG_H
#define PLOT_ROW_CHART_SVG_H

#include "plot/palette.h"
#include "plot/row_chart.h"

void row_chart_svg_add(struct text_buffer *to, const struct row_chart *chart, struct stk_text title, unsigned width,
		       enum palette palette);

#endif
