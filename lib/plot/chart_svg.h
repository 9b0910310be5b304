/* SPDX-License-Identifier: MIT
 * chart_svg: a chart as a still picture. The first panel is as wide as the picture, further ones are small multiples.
 * Each curve has at most one point for a pixel, and each column a title with its numbers. */
#ifndef PLOT_CHART_SVG_H
#define PLOT_CHART_SVG_H

#include "plot/chart.h"

#define CHART_WIDTH_LEAST 300

/* inside: it is a part of a page, which has the style and says the title and the command. */
void chart_svg_add(struct text_buffer *to, const struct chart *chart, unsigned width, bool inside);

#endif
