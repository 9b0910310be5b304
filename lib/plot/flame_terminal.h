/* SPDX-License-Identifier: MIT
 * flame_terminal: a flame graph as lines of text. Without colours a frame begins with a bar. */
#ifndef PLOT_FLAME_TERMINAL_H
#define PLOT_FLAME_TERMINAL_H

#include "plot/flame_difference.h"
#include "plot/palette.h"

enum flame_colours { FLAME_PLAIN, FLAME_16, FLAME_256, FLAME_TRUE };

struct flame_terminal_options {
	size_t width;
	enum flame_colours colours;
	bool icicle;
	enum palette palette;
	const struct flame_difference *difference;	/* widened, whose tree it is; NULL: the tree is no comparison */
};

struct flame_undrawn {
	uint64_t paths, counts;		/* call paths narrower than a letter, and their part of all counts */
	uint32_t levels;		/* the last ones, where no frame has room for a name */
};

void flame_terminal_add(struct text_buffer *to, const struct flame_tree *tree,
			const struct flame_terminal_options *options, struct flame_undrawn *undrawn);

#endif
