/* SPDX-License-Identifier: MIT
 * palette: the colours of all pictures. Fills but those of heat carry black text: the least contrast of any is 4.6.
 * Lines have at least 3 against what is behind them, light or dark. */
#ifndef PLOT_PALETTE_H
#define PLOT_PALETTE_H

#include "base/text_buffer.h"

#include <stdbool.h>

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
#define PALETTE_GROUPS	20
#define PALETTE_HEATS	10

/* Of what a hash says, below PALETTE_MODULES. */
const struct palette_fill *palette_module(enum palette palette, unsigned number);
/* Of a comparison: -PALETTE_STEPS, least of all, to PALETTE_STEPS; 0: no change. */
const struct palette_fill *palette_step(enum palette palette, int step);
const struct palette_fill *palette_chance(enum palette palette);

/* Of areas that are stacked, the heaviest first; PALETTE_GROUPS and beyond: what is not kept apart. */
const struct palette_fill *palette_group(enum palette palette, unsigned number);
/* Of a count, 0 to PALETTE_HEATS - 1, dark to light; dark ones carry white text. */
const struct palette_fill *palette_heat(enum palette palette, unsigned step);
bool palette_heat_is_dark(enum palette palette, unsigned step);
/* Of findings, and threads that wait for each other. */
const struct palette_fill *palette_alarm(enum palette palette, bool critical);

/* What was measured, is expected, was found; as six digits on light and on dark, and as a terminal's attributes. */
struct palette_lines {
	const char *measured, *expected, *found;
	const char *measured_dark, *expected_dark, *found_dark;
	const char *measured_ink, *expected_ink, *found_ink;
};
const struct palette_lines *palette_lines(enum palette palette);

const char *palette_name(enum palette palette); /* as it is in PALETTE_NAMES */

/* All fills for the scripts of a page, as page_colours.js has those of PALETTE_SAFE: six digits each; of modules, more,
 * less, the same and chance, ten of heat, dark to light, and of groups, with what is not kept apart; "|" between
 * these. */
void palette_describe(struct text_buffer *to, enum palette palette);

#endif
