/* SPDX-License-Identifier: MIT
 * hash_map: finds dense ids by the hash of what they represent. The map keeps (tag, id) only, 8 bytes per slot; the
 * caller, who has the things themselves, decides whether an id found is the right one:
 *
 *	uint32_t at = hash_map_start(&map, hash);
 *	while ((id = hash_map_next(&map, hash, &at)) != 0)
 *		if (same(id, wanted))
 *			return id;
 *	hash_map_put(&map, hash, new_id);
 *
 * A zeroed struct hash_map is an empty one. Ids are never 0. Order of ids never depends on the map. */
#ifndef BASE_HASH_MAP_H
#define BASE_HASH_MAP_H

#include <stddef.h>
#include <stdint.h>

struct hash_slot { uint32_t tag, id; };

struct hash_map {
	struct hash_slot *slots;	/* a power of two of them, or NULL */
	uint32_t mask;
	uint32_t count;
};

/* Adds id under hash, without checking whether it is there already. */
void hash_map_put(struct hash_map *map, uint64_t hash, uint32_t id);

/* Makes room for so many in all, so that putting them one by one does not grow the map again and again. */
void hash_map_reserve(struct hash_map *map, size_t count);

/* Removes everything, keeps the memory. */
void hash_map_clear(struct hash_map *map);
void hash_map_release(struct hash_map *map);
size_t hash_map_bytes(const struct hash_map *map);

static inline uint32_t
hash_map_start(const struct hash_map *map, uint64_t hash)
{
	return (uint32_t)(hash >> 32) & map->mask;
}

/* The next id of something that may have this hash, or 0 when there is no other. */
static inline uint32_t
hash_map_next(const struct hash_map *map, uint64_t hash, uint32_t *at)
{
	const struct hash_slot *slot;

	if (map->slots == NULL)
		return 0;
	do {
		slot = &map->slots[*at];
		*at = (*at + 1) & map->mask;
	} while (slot->id != 0 && slot->tag != (uint32_t)(hash >> 32));
	return slot->id;
}

#endif
