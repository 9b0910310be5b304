/* SPDX-License-Identifier: MIT
 * usual_distance: the median of many distances in little memory: exact where they are alike, else within a percent. A
 * zeroed struct has none. */
#ifndef BASE_USUAL_DISTANCE_H
#define BASE_USUAL_DISTANCE_H

#include "base/array.h"

#include <stdint.h>

struct distance_octave;

struct usual_distance {
	struct distance_octave *octaves[63];	/* by the highest bit; NULL: none */
	uint64_t count;
};

/* distance: above 0; others are left out. */
void usual_distance_add(struct usual_distance *usual, int64_t distance);
/* The lower median; 0: there is none. */
int64_t usual_distance_of(const struct usual_distance *usual);
void usual_distance_release(struct usual_distance *usual);

#endif
