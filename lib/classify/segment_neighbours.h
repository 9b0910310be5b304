/* SPDX-License-Identifier: MIT
 * segment_neighbours: which segments stand before and after each one in stacks, root first, and in how many. */
#ifndef CLASSIFY_SEGMENT_NEIGHBOURS_H
#define CLASSIFY_SEGMENT_NEIGHBOURS_H

#include "base/array.h"
#include "base/hash_map.h"
#include "classify/classifier.h"

enum segment_side { SIDE_BEFORE, SIDE_AFTER };

struct segment_neighbour {
	uint32_t segment, other;	/* other: a leaf; 0: the stack begins or ends there */
	enum segment_side side;
	uint64_t count;			/* stacks in all dumps; of a segment that stands twice in one, each place */
};

struct segment_neighbours {
	struct segment_neighbour *at;	/* by segment and side, the most frequent first */
	size_t count, room;
	struct hash_map map;		/* while they are counted */
};

/* Of all segments, as the classes so far have them. */
void segment_neighbours_find(struct segment_neighbours *out, struct classifier *classifier);
void segment_neighbours_release(struct segment_neighbours *neighbours);
/* Those of one side of a segment. */
const struct segment_neighbour *segment_neighbours_of(const struct segment_neighbours *neighbours, uint32_t segment,
						      enum segment_side side, size_t *count);

#endif
