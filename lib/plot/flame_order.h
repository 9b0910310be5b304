/* SPDX-License-Identifier: MIT
 * flame_order: where frames are in a still flame graph. */
#ifndef PLOT_FLAME_ORDER_H
#define PLOT_FLAME_ORDER_H

#include "plot/flame_counts.h"

struct flame_place { uint32_t node; uint64_t from, size; };	/* in counts, from the left */

struct flame_places {
	ARRAY(struct flame_place) list;	/* callers before what they call, from left to right */
	uint32_t levels;
};

/* Siblings by their names. Those with less than `least` counts are left out, with all that they call: returns how many
 * paths these are; *hidden: what they have, of all counts. */
uint64_t flame_places_make(struct flame_places *out, const struct flame_tree *tree, double least, uint64_t *hidden);
void flame_places_release(struct flame_places *places);

#endif
