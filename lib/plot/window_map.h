/* SPDX-License-Identifier: MIT
 * window_map: how many samples there were over time, as a still heat map in a page without scripts. A column is a
 * window: a link to its flame graph, which is folded away below the map. */
#ifndef PLOT_WINDOW_MAP_H
#define PLOT_WINDOW_MAP_H

#include "base/time_text.h"
#include "plot/flame_counts.h"
#include "plot/palette.h"

#define WINDOW_MAP_CELLS 256u /* of time, to be asked of flame_counts */

struct window_map_options {
	unsigned width; /* pixels */
	const char *unit; /* what is counted: "samples", "cycles" */
	enum palette palette;
	const struct time_zone *zone; /* NULL: UTC */
	bool monotonic; /* times count from an unknown start */
	uint64_t most_bytes; /* of all flame graphs: several columns share one where they would be more */
};

/* The sums of the tree are those of all its cells again afterwards. Returns how many columns share a flame graph; 0:
 * there is no room for any. */
unsigned window_map_add(struct text_buffer *to, struct flame_tree *tree, const struct window_map_options *options);

#endif
