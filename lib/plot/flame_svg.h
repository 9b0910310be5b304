/* SPDX-License-Identifier: MIT
 * flame_svg: a flame graph as a still picture, placed as FlameGraph's flamegraph.pl places it: functions by name from
 * left to right, 16 pixels a level, 10 pixels beside it, nothing that is narrower than a tenth of a pixel. A frame is
 * <g><path d="MX LhW"/><title>NAME (N UNIT, P%)</title></g>, with X and W in tenths of a pixel, and L levels from the
 * top; its label comes later. In a picture of many frames X and L count from where the groups around it are moved. */
#ifndef PLOT_FLAME_SVG_H
#define PLOT_FLAME_SVG_H

#include "plot/flame_difference.h"
#include "plot/module_colours.h"
#include "plot/palette.h"

struct flame_svg_options {
	const char *title;
	const char *unit;		/* what is counted: "samples", "cycles" */
	unsigned width;			/* pixels; at least 100 */
	bool icicle;			/* the root is at the top */
	enum palette palette;
	double least_pixels;		/* narrower frames are not drawn; 0: 0.1 */
	bool inside;			/* it is a part of a page, which has the style and says the title */
	struct module_colours *colours;	/* of all pictures of which it is one; NULL: its own. Not of a comparison */
	const struct flame_difference *difference;	/* widened, whose tree it is; NULL: the tree is no comparison */
};

/* The number of functions that were too narrow; *hidden: their part of all counts. */
uint64_t flame_svg_add(struct text_buffer *to, const struct flame_tree *tree, const struct flame_svg_options *options,
		       uint64_t *hidden);

/* Text in XML: what is no character there is U+FFFD. */
void xml_add_text(struct text_buffer *to, struct stk_text text);

#endif
