/* SPDX-License-Identifier: MIT
 * hash_map: finds what was put, and in the order in which it was put, whatever the hashes are like. */
#include "../lib/tap.h"

#include "base/hash_map.h"

#define COUNT 10000

typedef uint64_t hash_function(uint32_t id);

static uint64_t
hash_good(uint32_t id)
{
	return id * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t
hash_same(uint32_t id)
{
	return UINT64_C(0xffffffff00000000) | id;	/* only the high half counts */
}

static uint64_t
hash_few(uint32_t id)
{
	return (uint64_t)(id % 7) * UINT64_C(0x4000000500000000);
}

static bool
holds(const struct hash_map *map, uint64_t hash, uint32_t wanted)
{
	uint32_t at = hash_map_start(map, hash), id;

	while ((id = hash_map_next(map, hash, &at)) != 0)
		if (id == wanted)
			return true;
	return false;
}

static bool
holds_all(const struct hash_map *map, hash_function *hash, uint32_t from, uint32_t to)
{
	for (uint32_t id = from; id < to; id++)
		if (!holds(map, hash(id), id))
			return false;
	return true;
}

static bool
holds_none(const struct hash_map *map, hash_function *hash, uint32_t from, uint32_t to)
{
	for (uint32_t id = from; id < to; id++)
		if (holds(map, hash(id), id))
			return false;
	return true;
}

/* Growing must not turn round ids whose hashes are equal. */
static bool
in_order(const struct hash_map *map, uint64_t hash)
{
	uint32_t at = hash_map_start(map, hash), id, before = 0;

	while ((id = hash_map_next(map, hash, &at)) != 0) {
		if (id <= before)
			return false;
		before = id;
	}
	return before != 0;
}

static void
test(hash_function *hash, uint32_t count, const char *what)
{
	struct hash_map map = { 0 };

	ok(holds_none(&map, hash, 1, 10), "%s: an empty map holds nothing", what);
	for (uint32_t id = 1; id <= count; id++)
		hash_map_put(&map, hash(id), id);
	ok(holds_all(&map, hash, 1, count + 1), "%s: all that was put is found", what);
	ok(holds_none(&map, hash, count + 1, count + 100), "%s: what was not put is not found", what);
	ok(in_order(&map, hash(1)), "%s: equal hashes come in the order of putting", what);
	is_u64(map.count, count, "%s: the map knows how many it holds", what);
	hash_map_clear(&map);
	ok(holds_none(&map, hash, 1, 100) && map.count == 0 && hash_map_bytes(&map) > 0,
	   "%s: a cleared map holds nothing, and keeps its memory", what);
	hash_map_put(&map, hash(5), 5);
	ok(holds(&map, hash(5), 5), "%s: a cleared map can be used again", what);
	hash_map_release(&map);
	ok(hash_map_bytes(&map) == 0 && holds_none(&map, hash, 1, 10), "%s: a released map is an empty one", what);
}

static void
test_reserve(uint32_t count)
{
	struct hash_map map = { 0 };
	size_t bytes;

	hash_map_put(&map, hash_same(1), 1);
	hash_map_put(&map, hash_same(2), 2);
	hash_map_reserve(&map, count);
	bytes = hash_map_bytes(&map);
	ok(in_order(&map, hash_same(1)) && holds_all(&map, hash_same, 1, 3), "making room for %u keeps what is there", count);
	for (uint32_t id = 3; id <= count; id++)
		hash_map_put(&map, hash_good(id), id);
	ok(hash_map_bytes(&map) == bytes && holds_all(&map, hash_good, 3, count + 1),
	   "%u are put without growing again", count);
	hash_map_reserve(&map, 1);
	ok(hash_map_bytes(&map) == bytes, "room for fewer than there is changes nothing");
	hash_map_release(&map);
}

int
main(void)
{
	test_reserve(2);
	test_reserve(10);
	test_reserve(11);
	test_reserve(5000);
	test(hash_good, COUNT, "good hashes");
	test(hash_same, 500, "one hash for all");
	test(hash_few, 500, "few hashes");
	return tap_end();
}
