/* SPDX-License-Identifier: MIT
 * svg_parts: coordinates, points and words in SVG. */
#ifndef PLOT_SVG_PARTS_H
#define PLOT_SVG_PARTS_H

#include "base/text_buffer.h"

#define SVG_LETTER 6.2	/* pixels of a letter of 12 pixels, on average */

void svg_add_coordinate(struct text_buffer *to, double value);	/* to a tenth */
void svg_add_point(struct text_buffer *to, char command, double x, double y);	/* of a path: "L12 3.5" */
/* The text, cut where there is no room. class, anchor: "" for none. */
void svg_add_words(struct text_buffer *to, double x, double y, const char *class, const char *anchor,
		   struct stk_text text, double room);

#endif
