/* SPDX-License-Identifier: MIT
 * segments: finds the chains of frames that are always seen together, one trace after another, and knows them as binary
 * trees.
 *
 * A leaf is a chain of frames: f is always followed by g and g always preceded by f, in every trace, the ends of a
 * trace counting as neighbours. A trace that leaves or joins a leaf in its middle splits it: the leaf becomes the
 * parent of two new ones, which stay its children for ever. Which leaves there are depends on the traces alone; the
 * trees above them, on their order too.
 *
 * Frames are dense numbers from 1 on. So are segments, in the order of their making; 0 is none.
 *
 * A leaf's frames are a run of *places*: a frame gets the next place when it is seen first, and segments made of it are
 * runs of places for ever. */
#ifndef CLASSIFY_SEGMENTS_H
#define CLASSIFY_SEGMENTS_H

#include "base/array.h"
#include "stkpipe/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct segments;

struct segment {
	uint32_t from, to;		/* its places: [from, to) */
	uint32_t first, second;		/* its children; 0 for a leaf */
	uint32_t parent;		/* the segment it was split from; 0 for a root */
};

struct number_list { uint32_t *at; size_t count, room; };	/* an ARRAY(uint32_t) that can be handed over */

void segments_open(struct segments **out);
void segments_close(struct segments *segments);

/* Learns a trace, root first: creates and splits segments so that each of its frames is in a leaf of its own kind. A
 * trace that was learned before changes nothing. hashes[frame]: of the frame's text, for segment_hash. Costs the depth,
 * and for a split the smaller of its halves. */
void segments_learn(struct segments *segments, const uint32_t *trace, uint32_t depth, const uint64_t *hashes);

/* Reduces a trace that was learned to its signature, appended to the list: leaves, and neighbours that are the two
 * children of one parent to that parent. */
void segments_parse(const struct segments *segments, const uint32_t *trace, uint32_t depth,
		    struct number_list *signature);

/* The same in steps, for those who want to see it: after each frame that ends a leaf, and after each reduction, tell is
 * called with what stands there. taken: frames read so far. false: the trace is none that was learned; what could be
 * read was told. */
typedef void segments_tell(void *context, const uint32_t *nodes, size_t count, uint32_t taken);
bool segments_trace_parse(const struct segments *segments, const uint32_t *trace, uint32_t depth,
			  struct number_list *signature, segments_tell *tell, void *context);

uint32_t segments_count(const struct segments *segments);		/* the highest number */
struct segment segments_get(const struct segments *segments, uint32_t segment);
/* All of them, number n at [n - 1], until the next trace is learned. */
const struct segment *segments_list(const struct segments *segments);
uint32_t segments_frames(const struct segments *segments);		/* places that are taken */
uint32_t segments_frame_at(const struct segments *segments, uint32_t place);
uint32_t segments_leaf_of(const struct segments *segments, uint32_t frame);	/* 0: never seen */

/* A hash of the segment's frames, in constant time: the same on every machine, and the same for a parent as for a leaf
 * with all its frames. */
uint64_t segment_hash(const struct segments *segments, uint32_t segment);

size_t segments_bytes(const struct segments *segments);

/* --- restoring: first the frames in the order of their places, then the segments in the order of their numbers, then
 * the end --- */

void segments_restore_frame(struct segments *segments, uint32_t frame, uint64_t hash);
void segments_restore(struct segments *segments, const struct segment *segment);
/* -1: what was restored is no forest over these frames. Nothing but segments_close may follow. */
int  segments_restored(struct segments *segments, struct stk_error *err) STK_MUST_CHECK;

#endif
