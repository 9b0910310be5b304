/* SPDX-License-Identifier: MIT
 * segments: chains of frames that are always seen together.
 *
 * Each place knows its leaf through a handle. A split gives only the smaller half a new handle, so that a frame changes
 * hands at most log2(frames) times, whatever the order of the splits. Names are differences of one running polynomial
 * hash over the places, so that a name costs the same for any length. */
#include "classify/segments.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define NO_PLACE   UINT32_MAX
#define HASH_PRIME ((UINT64_C(1) << 61) - 1)
#define HASH_BASE  UINT64_C(0x1b873593cc9e2d51)	/* below the prime */

struct place {
	uint32_t frame;
	uint32_t handle;
	uint64_t hash;			/* of all places before and this one */
	uint64_t power;			/* HASH_BASE to the number of places before and this one */
};

struct segments {
	ARRAY(struct place) places;
	ARRAY(struct segment) list;	/* number n is at[n - 1] */
	ARRAY(uint32_t) handles;	/* the leaf of each */
	ARRAY(uint32_t) place_of;	/* by frame; NO_PLACE */
	uint32_t open;			/* the leaf that the trace at hand is still making of new frames, whose last was
					 * the frame before; 0 none */
};

void
segments_open(struct segments **out)
{
	*out = mem_new(1, sizeof **out);
}

void
segments_close(struct segments *s)
{
	if (s == NULL)
		return;
	array_release(&s->places);
	array_release(&s->list);
	array_release(&s->handles);
	array_release(&s->place_of);
	free(s);
}

/* --- hashes --- */

static uint64_t
times(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;
	uint64_t sum = (uint64_t)(product & HASH_PRIME) + (uint64_t)(product >> 61);

	return sum >= HASH_PRIME ? sum - HASH_PRIME : sum;
}

static uint64_t
plus(uint64_t a, uint64_t b)
{
	return a + b >= HASH_PRIME ? a + b - HASH_PRIME : a + b;
}

uint64_t
segment_hash(const struct segments *s, uint32_t segment)
{
	struct segment of = segments_get(s, segment);
	uint64_t before = of.from == 0 ? 0 : s->places.at[of.from - 1].hash;
	uint64_t power = s->places.at[of.to - of.from - 1].power;
	uint64_t hash = plus(s->places.at[of.to - 1].hash, HASH_PRIME - times(before, power));

	/* spread over 64 bits, so that every digit of a name carries the same information */
	hash = (hash ^ hash >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return hash ^ hash >> 32;
}

/* --- places and leaves --- */

static struct segment *
node(const struct segments *s, uint32_t segment)
{
	return &s->list.at[segment - 1];
}

static uint32_t
leaf_at(const struct segments *s, uint32_t place)
{
	return s->handles.at[s->places.at[place].handle];
}

static uint32_t
place_of(const struct segments *s, uint32_t frame)
{
	return frame < s->place_of.count ? s->place_of.at[frame] : NO_PLACE;
}

static uint32_t
segment_new(struct segments *s, uint32_t from, uint32_t to, uint32_t parent)
{
	*array_push(&s->list) = (struct segment){ .from = from, .to = to, .parent = parent };
	return (uint32_t)s->list.count;
}

static uint32_t
handle_new(struct segments *s, uint32_t leaf)
{
	*array_push(&s->handles) = leaf;
	return (uint32_t)s->handles.count - 1;
}

/* Gives a frame the next place. */
static uint32_t
place_new(struct segments *s, uint32_t frame, uint64_t hash)
{
	uint32_t place = (uint32_t)s->places.count;
	uint64_t before = place == 0 ? 0 : s->places.at[place - 1].hash,
		 power = place == 0 ? 1 : s->places.at[place - 1].power;
	/* never 0, which would not be seen at the beginning */
	uint64_t value = (hash ^ hash >> 32) % (HASH_PRIME - 1) + 1;

	while (s->place_of.count <= frame)
		*array_push(&s->place_of) = NO_PLACE;
	s->place_of.at[frame] = place;
	*array_push(&s->places) = (struct place){ .frame = frame,
						  .hash = plus(times(before, HASH_BASE), value),
						  .power = times(power, HASH_BASE) };
	return place;
}

/* The leaf that holds `place` ends after it: splits it where it does not. */
static void
end_leaf_after(struct segments *s, uint32_t place)
{
	uint32_t parent = leaf_at(s, place), handle = s->places.at[place].handle, first, second, moved;
	uint32_t from = node(s, parent)->from, to = node(s, parent)->to, middle = place + 1;
	bool first_moves = middle - from < to - middle;

	if (middle == to)
		return;
	first = segment_new(s, from, middle, parent);
	second = segment_new(s, middle, to, parent);
	node(s, parent)->first = first;
	node(s, parent)->second = second;
	moved = handle_new(s, first_moves ? first : second);
	s->handles.at[handle] = first_moves ? second : first;
	for (uint32_t p = first_moves ? from : middle; p < (first_moves ? middle : to); p++)
		s->places.at[p].handle = moved;
}

/* --- learning --- */

/* A new frame extends the leaf that is being made, when it follows its last frame; else it begins one. */
static uint32_t
learn_new(struct segments *s, uint32_t frame, uint32_t before, uint64_t hash)
{
	uint32_t place;

	if (s->open != 0) {
		place = place_new(s, frame, hash);
		s->places.at[place].handle = s->places.at[before].handle;
		node(s, s->open)->to = place + 1;
		return place;
	}
	if (before != NO_PLACE)
		end_leaf_after(s, before);
	place = place_new(s, frame, hash);
	s->open = segment_new(s, place, place + 1, 0);
	s->places.at[place].handle = handle_new(s, s->open);
	return place;
}

static void
learn_known(struct segments *s, uint32_t place, uint32_t before)
{
	uint32_t from = node(s, leaf_at(s, place))->from;

	s->open = 0;
	if (place != from && place - 1 == before)
		return;		/* it follows the frame that it always follows */
	if (place != from)
		end_leaf_after(s, place - 1);
	if (before != NO_PLACE)
		end_leaf_after(s, before);
}

void
segments_learn(struct segments *s, const uint32_t *trace, uint32_t depth, const uint64_t *hashes)
{
	uint32_t before = NO_PLACE;

	s->open = 0;
	for (uint32_t i = 0; i < depth; i++) {
		uint32_t place = place_of(s, trace[i]);

		if (place == NO_PLACE)
			place = learn_new(s, trace[i], before, hashes[trace[i]]);
		else
			learn_known(s, place, before);
		before = place;
	}
	if (before != NO_PLACE)
		end_leaf_after(s, before);
	s->open = 0;
}

/* --- parsing --- */

/* Neighbours on top of the list that are the children of one parent become that parent, as long as there are such. */
static void
reduce(const struct segments *s, struct number_list *signature, size_t bottom, segments_tell *tell, void *context,
       uint32_t taken)
{
	while (signature->count >= bottom + 2) {
		uint32_t left = signature->at[signature->count - 2], right = signature->at[signature->count - 1];
		uint32_t parent = node(s, left)->parent;

		if (parent == 0 || node(s, parent)->first != left || node(s, parent)->second != right)
			return;
		signature->count--;
		signature->at[signature->count - 1] = parent;
		if (tell != NULL)
			tell(context, signature->at + bottom, signature->count - bottom, taken);
	}
}

/* True when the trace continues with all frames of the leaf. */
static bool
leaf_stands(const struct segments *s, uint32_t leaf, const uint32_t *trace, uint32_t depth)
{
	struct segment of = *node(s, leaf);

	if (of.to - of.from > depth)
		return false;
	for (uint32_t i = 0; i < of.to - of.from; i++)
		if (s->places.at[of.from + i].frame != trace[i])
			return false;
	return true;
}

bool
segments_trace_parse(const struct segments *s, const uint32_t *trace, uint32_t depth, struct number_list *signature,
		     segments_tell *tell, void *context)
{
	size_t bottom = signature->count;

	for (uint32_t i = 0; i < depth; ) {
		uint32_t leaf = segments_leaf_of(s, trace[i]);

		if (leaf == 0 || !leaf_stands(s, leaf, trace + i, depth - i))
			return false;
		i += node(s, leaf)->to - node(s, leaf)->from;
		*array_push(signature) = leaf;
		if (tell != NULL)
			tell(context, signature->at + bottom, signature->count - bottom, i);
		reduce(s, signature, bottom, tell, context, i);
	}
	return true;
}

void
segments_parse(const struct segments *s, const uint32_t *trace, uint32_t depth, struct number_list *signature)
{
	size_t bottom = signature->count;

	for (uint32_t i = 0; i < depth; ) {
		uint32_t leaf = leaf_at(s, s->place_of.at[trace[i]]);

		i += node(s, leaf)->to - node(s, leaf)->from;
		*array_push(signature) = leaf;
		reduce(s, signature, bottom, NULL, NULL, 0);
	}
}

/* --- asking --- */

uint32_t
segments_count(const struct segments *s)
{
	return (uint32_t)s->list.count;
}

struct segment
segments_get(const struct segments *s, uint32_t segment)
{
	return *node(s, segment);
}

const struct segment *
segments_list(const struct segments *s)
{
	return s->list.at;
}

uint32_t
segments_frames(const struct segments *s)
{
	return (uint32_t)s->places.count;
}

uint32_t
segments_frame_at(const struct segments *s, uint32_t place)
{
	return s->places.at[place].frame;
}

uint32_t
segments_leaf_of(const struct segments *s, uint32_t frame)
{
	uint32_t place = place_of(s, frame);

	return place == NO_PLACE ? 0 : leaf_at(s, place);
}

size_t
segments_bytes(const struct segments *s)
{
	return s->places.room * sizeof *s->places.at + s->list.room * sizeof *s->list.at +
	       (s->handles.room + s->place_of.room) * sizeof(uint32_t);
}

/* --- restoring --- */

void
segments_restore_frame(struct segments *s, uint32_t frame, uint64_t hash)
{
	if (place_of(s, frame) == NO_PLACE)
		(void)place_new(s, frame, hash);
}

void
segments_restore(struct segments *s, const struct segment *segment)
{
	*array_push(&s->list) = *segment;
}

/* Children cover their parent, come after it, and know it. */
static bool
is_parent(const struct segments *s, uint32_t number)
{
	const struct segment *of = node(s, number), *first, *second;

	if (of->first <= number || of->second <= number || of->first > s->list.count || of->second > s->list.count)
		return false;
	first = node(s, of->first);
	second = node(s, of->second);
	return first->parent == number && second->parent == number && first->from == of->from &&
	       first->to == second->from && second->to == of->to;
}

int
segments_restored(struct segments *s, struct stk_error *err)
{
	uint32_t covered = 0;

	for (uint32_t number = 1; number <= s->list.count; number++) {
		const struct segment *of = node(s, number);
		uint32_t handle;

		if (of->from >= of->to || of->to > s->places.count || of->parent >= number ||
		    ((of->first != 0 || of->second != 0) && !is_parent(s, number)) ||
		    (of->parent != 0 && node(s, of->parent)->first != number && node(s, of->parent)->second != number))
			return stk_fail(err, STK_EDATA, "segment %u is not consistent with the others", number);
		if (of->first != 0)
			continue;
		handle = handle_new(s, number);
		for (uint32_t p = of->from; p < of->to; p++)
			s->places.at[p].handle = handle;
		covered += of->to - of->from;
	}
	for (uint32_t p = 0; p < s->places.count; p++)
		if (covered != s->places.count || s->handles.count == 0 || p < node(s, leaf_at(s, p))->from ||
		    p >= node(s, leaf_at(s, p))->to)
			return stk_fail(err, STK_EDATA, "its segments do not cover its frames once each");
	return 0;
}
