/* SPDX-License-Identifier: MIT
 * segment_tallies: what each segment counted in each part. Tallies have numbers from 1 on, in the order in which they
 * were made. */
#ifndef CLASSIFY_SEGMENT_TALLIES_H
#define CLASSIFY_SEGMENT_TALLIES_H

#include "base/array.h"
#include "base/hash_map.h"
#include "classify/segments.h"

struct tally { uint64_t now, total, tick; };
struct segment_tally { struct tally is; uint32_t segment, part; };

/* A zeroed one is empty. */
struct segment_tallies {
	ARRAY(struct segment_tally) list;	/* number n is at[n - 1] */
	ARRAY(uint32_t) whole;			/* by segment, the number in part 0; 0 none */
	struct hash_map map;			/* in other parts */
};

/* 0: the segment has none in this part. */
uint32_t segment_tallies_number(const struct segment_tallies *tallies, uint32_t segment, uint32_t part);
/* That of the nearest segment at or above this one that has one in the part: a child that has none is where its parent
 * was when it was split, and measuring the parent measures the child too. */
struct tally segment_tallies_get(const struct segment_tallies *tallies, const struct segments *segments,
				 uint32_t segment, uint32_t part);
/* Makes one where there was none; its number. */
uint32_t segment_tallies_add(struct segment_tallies *tallies, uint32_t segment, uint32_t part,
			     const struct tally *tally);
size_t segment_tallies_bytes(const struct segment_tallies *tallies);
void segment_tallies_clear(struct segment_tallies *tallies);
void segment_tallies_release(struct segment_tallies *tallies);

static inline struct tally *
segment_tallies_at(struct segment_tallies *tallies, uint32_t number)
{
	return &tallies->list.at[number - 1].is;
}

#endif
