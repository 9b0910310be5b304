/* SPDX-License-Identifier: MIT
 * segment_neighbours: each stack is a row of leaves; a segment stands where the row has its leaves in their order. */
#include "classify/segment_neighbours.h"

#include <stdlib.h>

/* --- counting --- */

static uint64_t
hash_of(uint32_t segment, uint32_t other, enum segment_side side)
{
	uint64_t hash = ((uint64_t)segment << 33 | (uint64_t)other << 1 | side) * UINT64_C(0x9e3779b97f4a7c15);

	return hash ^ hash >> 29;
}

static void
count_neighbour(struct segment_neighbours *n, uint32_t segment, uint32_t other, enum segment_side side, uint64_t times)
{
	uint64_t hash = hash_of(segment, other, side);
	uint32_t at = hash_map_start(&n->map, hash), id;

	while ((id = hash_map_next(&n->map, hash, &at)) != 0) {
		struct segment_neighbour *is = &n->at[id - 1];

		if (is->segment == segment && is->other == other && is->side == side) {
			is->count += times;
			return;
		}
	}
	*array_push(n) = (struct segment_neighbour){ segment, other, side, times };
	hash_map_put(&n->map, hash, (uint32_t)n->count);
}

/* The row of leaves of a stack. */
static void
leaves_of(const struct segments *segments, const uint32_t *trace, uint32_t depth, struct number_list *leaves)
{
	leaves->count = 0;
	for (uint32_t i = 0; i < depth;) {
		uint32_t leaf = segments_leaf_of(segments, trace[i]);
		struct segment is = segments_get(segments, leaf);

		*array_push(leaves) = leaf;
		i += is.to - is.from;
	}
}

/* How many leaves from here on are those of the segment, in order; 0: they are others. */
static size_t
leaves_here(const struct segments *segments, uint32_t segment, const uint32_t *leaves, size_t count)
{
	struct segment is = segments_get(segments, segment);
	uint32_t place = is.from;
	size_t n = 0;

	while (place < is.to && n < count) {
		struct segment leaf = segments_get(segments, leaves[n]);

		if (leaf.from != place)
			return 0;
		place = leaf.to;
		n++;
	}
	return place == is.to ? n : 0;
}

/* Every segment that begins with this leaf: the leaf, and those that it is the first part of. */
static void
count_at(struct segment_neighbours *n, const struct segments *segments, const struct number_list *leaves, size_t i,
	 uint64_t times)
{
	uint32_t before = i > 0 ? leaves->at[i - 1] : 0, segment = leaves->at[i];

	for (;;) {
		struct segment is = segments_get(segments, segment);
		size_t long_is = leaves_here(segments, segment, leaves->at + i, leaves->count - i);

		if (long_is > 0) {
			size_t next = i + long_is;

			count_neighbour(n, segment, before, SIDE_BEFORE, times);
			count_neighbour(n, segment, next < leaves->count ? leaves->at[next] : 0, SIDE_AFTER, times);
		}
		if (is.parent == 0 || segments_get(segments, is.parent).first != segment)
			return;
		segment = is.parent;
	}
}

/* --- in order --- */

static int
compare_neighbours(const void *a, const void *b)
{
	const struct segment_neighbour *x = a, *y = b;

	if (x->segment != y->segment)
		return x->segment > y->segment ? 1 : -1;
	if (x->side != y->side)
		return x->side > y->side ? 1 : -1;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x->other > y->other) - (x->other < y->other);
}

void
segment_neighbours_find(struct segment_neighbours *n, struct classifier *classifier)
{
	const struct segments *segments = classifier_segments(classifier);
	struct number_list leaves = { 0 };

	*n = (struct segment_neighbours){ 0 };
	for (uint32_t id = 1; id <= classifier_classes(classifier); id++) {
		const struct class *class = classifier_get(classifier, id);
		uint32_t depth;
		const uint32_t *trace = classifier_trace(classifier, class->stack, &depth);

		leaves_of(segments, trace, depth, &leaves);
		for (size_t i = 0; i < leaves.count; i++)
			count_at(n, segments, &leaves, i, class->total);
	}
	array_release(&leaves);
	hash_map_release(&n->map);
	if (n->count > 0)
		qsort(n->at, n->count, sizeof *n->at, compare_neighbours);
}

void
segment_neighbours_release(struct segment_neighbours *n)
{
	hash_map_release(&n->map);
	array_release(n);
}

const struct segment_neighbour *
segment_neighbours_of(const struct segment_neighbours *n, uint32_t segment, enum segment_side side, size_t *count)
{
	size_t low = 0, high = n->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct segment_neighbour *is = &n->at[middle];

		if (is->segment < segment || (is->segment == segment && is->side < side))
			low = middle + 1;
		else
			high = middle;
	}
	*count = 0;
	while (low + *count < n->count && n->at[low + *count].segment == segment && n->at[low + *count].side == side)
		++*count;
	return n->at + low;
}
