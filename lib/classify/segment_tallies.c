/* SPDX-License-Identifier: MIT
 * segment_tallies: what each segment counted in each part. */
#include "classify/segment_tallies.h"

#include "base/text_table.h"

uint32_t
segment_tallies_number(const struct segment_tallies *t, uint32_t segment, uint32_t part)
{
	uint64_t hash = hash_pair(segment, part);
	uint32_t at, id;

	if (part == 0)
		return segment < t->whole.count ? t->whole.at[segment] : 0;
	at = hash_map_start(&t->map, hash);
	while ((id = hash_map_next(&t->map, hash, &at)) != 0)
		if (t->list.at[id - 1].segment == segment && t->list.at[id - 1].part == part)
			break;
	return id;
}

struct tally
segment_tallies_get(const struct segment_tallies *t, const struct segments *segments, uint32_t segment, uint32_t part)
{
	uint32_t id = 0;

	while (segment != 0 && (id = segment_tallies_number(t, segment, part)) == 0)
		segment = segments_get(segments, segment).parent;
	return id != 0 ? t->list.at[id - 1].is : (struct tally){ 0 };
}

uint32_t
segment_tallies_add(struct segment_tallies *t, uint32_t segment, uint32_t part, const struct tally *tally)
{
	uint32_t id;

	*array_push(&t->list) = (struct segment_tally){ *tally, segment, part };
	id = (uint32_t)t->list.count;
	if (part != 0) {
		hash_map_put(&t->map, hash_pair(segment, part), id);
	} else {
		array_lengthen(&t->whole, segment + 1);
		t->whole.at[segment] = id;
	}
	return id;
}

size_t
segment_tallies_bytes(const struct segment_tallies *t)
{
	return t->list.room * sizeof *t->list.at + t->whole.room * sizeof *t->whole.at + hash_map_bytes(&t->map);
}

void
segment_tallies_clear(struct segment_tallies *t)
{
	t->list.count = t->whole.count = 0;
	hash_map_clear(&t->map);
}

void
segment_tallies_release(struct segment_tallies *t)
{
	array_release(&t->list);
	array_release(&t->whole);
	hash_map_release(&t->map);
}
