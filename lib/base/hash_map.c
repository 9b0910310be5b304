/* SPDX-License-Identifier: MIT
 * hash_map: open addressing with linear probing; a slot with id 0 is free, and single entries are never removed. */
#include "base/hash_map.h"
#include "base/memory.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_MIN 16u

static void
slot_fill(struct hash_map *map, struct hash_slot new)
{
	uint32_t at = new.tag & map->mask;

	while (map->slots[at].id != 0)
		at = (at + 1) & map->mask;
	map->slots[at] = new;
}

/* The tag holds every bit that a slot's place is made of, so growing needs no hashes. Copying begins after a free slot,
 * where a run of slots begins, and so ids with equal tags keep the order in which they were put. */
static void
grow_to(struct hash_map *map, uint32_t mask)
{
	struct hash_map old = *map;
	uint32_t first = 0;

	map->mask = mask;
	map->slots = mem_new((size_t)map->mask + 1, sizeof *map->slots);
	if (old.slots == NULL)
		return;
	while (old.slots[first].id != 0)
		first++;
	for (uint32_t at = (first + 1) & old.mask; at != first; at = (at + 1) & old.mask)
		if (old.slots[at].id != 0)
			slot_fill(map, old.slots[at]);
	free(old.slots);
}

/* Full at two thirds; beyond that runs get long. */
static bool
has_room(uint32_t mask, uint64_t count)
{
	return count * 3 <= ((uint64_t)mask + 1) * 2;
}

void
hash_map_reserve(struct hash_map *map, size_t count)
{
	uint32_t mask = map->slots == NULL ? SLOTS_MIN - 1 : map->mask;

	while (!has_room(mask, count)) {
		assert(mask != UINT32_MAX);
		mask = mask * 2 + 1;
	}
	if (map->slots == NULL || mask != map->mask)
		grow_to(map, mask);
}

void
hash_map_put(struct hash_map *map, uint64_t hash, uint32_t id)
{
	assert(id != 0);
	if (map->slots == NULL || !has_room(map->mask, (uint64_t)map->count + 1))
		hash_map_reserve(map, (size_t)map->count + 1);
	slot_fill(map, (struct hash_slot){ (uint32_t)(hash >> 32), id });
	map->count++;
}

void
hash_map_clear(struct hash_map *map)
{
	if (map->count != 0)
		memset(map->slots, 0, hash_map_bytes(map));
	map->count = 0;
}

void
hash_map_release(struct hash_map *map)
{
	free(map->slots);
	*map = (struct hash_map){ 0 };
}

size_t
hash_map_bytes(const struct hash_map *map)
{
	return map->slots == NULL ? 0 : ((size_t)map->mask + 1) * sizeof *map->slots;
}
