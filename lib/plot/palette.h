/* SPDX-License-Identifier: MIT
 * palette: the fills of call paths. All carry black text: the least contrast of any is 4.6. */
#ifndef PLOT_PALETTE_H
#define PLOT_PALETTE_H

#include "base/text_buffer.h"

enum palette {
	PALETTE_SAFE, /* told apart with any sort of colour vision; the default */
	PALETTE_WARM, /* yellow to red, as flame graphs used to have; red and blue in comparisons */
	PALETTE_GREY, /* for paper without colours */
	PALETTES
};

#define PALETTE_NAMES "safe, warm, grey" /* in the order of the numbers */

/* of_256 and of_16: the nearest that a terminal has, the last with bright ones as a background. */
struct palette_fill {
	uint32_t rgb;
	unsigned of_256, of_16;
};

#define PALETTE_MODULES 12
#define PALETTE_STEPS	5

/* Of what a hash says, below PALETTE_MODULES. */
const struct palette_fill *palette_module(enum palette palette, unsigned number);
/* Of a comparison: -PALETTE_STEPS, least of all, to PALETTE_STEPS; 0: no change. */
const struct palette_fill *palette_step(enum palette palette, int step);
const struct palette_fill *palette_chance(enum palette palette);

/* All of it for the scripts of a page, as page_colours.js has that of PALETTE_SAFE: fills as six digits; of modules,
 * more, less, the same and chance, and ten of heat, dark to light; "|" between these. */
void palette_describe(struct text_buffer *to, enum palette palette);

#endif
