/* SPDX-License-Identifier: MIT
 * segment_walk: the segments of a signature, and those below. */
#ifndef CLASSIFY_SEGMENT_WALK_H
#define CLASSIFY_SEGMENT_WALK_H

#include "classify/segments.h"

/* A zeroed one is ready. */
struct segment_walk {
	struct number_list met;		/* by the last walk, each once */
	struct number_list todo;
	ARRAY(uint32_t) round;		/* by segment: the last round that met it */
	uint32_t rounds;
};

void segment_walk(struct segment_walk *walk, const struct segments *segments, const uint32_t *nodes, uint32_t count);
void segment_walk_release(struct segment_walk *walk);

#endif
