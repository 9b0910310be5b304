/* SPDX-License-Identifier: MIT
 * id_table: finds what was asked for and nothing else, walks in the order of ids, and takes memory for ids that are
 * used, not for those between them. */
#include "../lib/tap.h"

#include "base/id_table.h"

#define IDS 3000

/* Ids of a kind of stream: dense, with holes, far apart, at the ends of what there is, and those that begin far
 * away. */
typedef uint64_t id_function(uint64_t i);

static uint64_t dense(uint64_t i) { return i + 1; }
static uint64_t falling(uint64_t i) { return IDS - i; }
static uint64_t with_holes(uint64_t i) { return i % 1000 + i / 1000 * 1000000; }
static uint64_t scattered(uint64_t i) { return (i + 1) * UINT64_C(0x9e3779b97f4a7c15); }
static uint64_t highest(uint64_t i) { return UINT64_MAX - i; }
static uint64_t from_afar(uint64_t i) { return UINT32_MAX - IDS + i; }
static uint64_t edges_of_pages(uint64_t i) { return (i / 2 + 1) * ID_PAGE * 5 - i % 2; }

static int
compare(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static void
test(id_function *id_of, const char *what)
{
	struct id_table table = { .size = sizeof(uint64_t) };
	uint64_t ids[IDS], at;
	size_t right = 0, wrong = 0;
	bool more;

	for (uint64_t i = 0; i < IDS; i++) {
		ids[i] = id_of(i);
		*(uint64_t *)id_table_at(&table, ids[i]) = ids[i] ^ 7;
	}
	for (uint64_t i = 0; i < IDS; i++) {
		const uint64_t *found = id_table_find(&table, ids[i]);

		right += found != NULL && *found == (ids[i] ^ 7);
	}
	is_u64(right, IDS, "%s: each is found, with what was put there", what);
	qsort(ids, IDS, sizeof *ids, compare);
	for (uint64_t i = 0; i + 1 < IDS; i++)
		wrong += ids[i] + 1 < ids[i + 1] &&
			 (id_table_find(&table, ids[i] + 1) != NULL || id_table_find(&table, ids[i + 1] - 1) != NULL);
	is_u64(wrong, 0, "%s: none that was not asked for", what);

	right = 0;
	for (more = id_table_next(&table, 0, &at); more && right < IDS && at == ids[right];
	     more = at < UINT64_MAX && id_table_next(&table, at + 1, &at))
		right++;
	ok(right == IDS && !more, "%s: walked upwards", what);
	right = 0;
	for (more = id_table_before(&table, UINT64_MAX, &at); more && right < IDS && at == ids[IDS - 1 - right];
	     more = at > 0 && id_table_before(&table, at - 1, &at))
		right++;
	ok(right == IDS && !more, "%s: walked downwards", what);
	ok(id_table_find(&table, ids[IDS / 2]) != NULL, "%s: walking loses nothing", what);
	ok(id_table_bytes(&table) < IDS * (ID_PAGE * table.size + 100), "%s: %zu bytes are a page for each id at most",
	   what, id_table_bytes(&table));
	id_table_clear(&table);
	ok(id_table_bytes(&table) == 0 && id_table_find(&table, ids[0]) == NULL && !id_table_next(&table, 0, &at),
	   "%s: a cleared table is an empty one", what);
}

/* Where an element is never changes, whatever comes after it. */
static void
test_places(void)
{
	struct id_table table = { .size = 1 };
	void *first = id_table_at(&table, 1), *far = id_table_at(&table, 1 << 30);
	uint64_t at;

	for (uint64_t i = 0; i < 100000; i++)
		(void)id_table_at(&table, i * 11);
	ok(id_table_at(&table, 1) == first && id_table_at(&table, 1 << 30) == far, "an element stays where it is");
	ok(id_table_next(&table, 99999 * 11 + 1, &at) && at == 1 << 30,
	   "what began far away is still behind all others");
	id_table_clear(&table);
}

static void
test_small(void)
{
	struct id_table table = { .size = 3 };
	uint64_t at = 5;

	ok(id_table_find(&table, 0) == NULL && !id_table_next(&table, 0, &at) &&
		   !id_table_before(&table, UINT64_MAX, &at),
	   "an empty table has nothing");
	ok(memcmp(id_table_at(&table, 0), "\0\0\0", 3) == 0, "a new element is zero");
	ok(id_table_next(&table, 0, &at) && at == 0 && id_table_before(&table, 0, &at) && at == 0,
	   "id 0 is one as any other");
	ok(!id_table_next(&table, 1, &at), "nothing comes after the last one");
	(void)id_table_at(&table, UINT64_MAX);
	ok(id_table_next(&table, 1, &at) && at == UINT64_MAX, "the highest id there can be is found upwards");
	ok(id_table_before(&table, UINT64_MAX, &at) && at == UINT64_MAX &&
		   id_table_before(&table, UINT64_MAX - 1, &at) && at == 0,
	   "and downwards, and what is below it");
	id_table_clear(&table);
}

int
main(void)
{
	test(dense, "dense");
	test(falling, "falling");
	test(with_holes, "with holes");
	test(scattered, "scattered");
	test(highest, "highest");
	test(from_afar, "from afar");
	test(edges_of_pages, "edges of pages");
	test_places();
	test_small();
	return tap_end();
}
