/* SPDX-License-Identifier: MIT
 * id_table: pages of elements by id. */
#include "base/id_table.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define NEAR_LEAST 64u			/* pages that the array may always have */
#define NEAR_TIMES 4u			/* places in the array for each page in it, at most */
#define SLAB_PART  16u			/* a slab has a page for so many in use: more is hardly wasted */

static uint64_t
hash_of(uint64_t number)
{
	number *= UINT64_C(0x9e3779b97f4a7c15);
	return number ^ number >> 29;
}

static struct far_page *
find_far(const struct id_table *table, uint64_t number)
{
	uint64_t hash = hash_of(number);
	uint32_t at = hash_map_start(&table->far_map, hash), place;

	while ((place = hash_map_next(&table->far_map, hash, &at)) != 0)
		if (table->far.at[place - 1].number == number)
			return &table->far.at[place - 1];
	return NULL;
}

struct id_page *
id_table_far_page(const struct id_table *table, uint64_t number)
{
	const struct far_page *far = find_far(table, number);

	return far != NULL ? far->page : NULL;
}

static void
lengthen_near(struct id_table *table, uint64_t number)
{
	uint64_t count = number + number / 2 + 4;

	if (number < table->near_count)
		return;
	table->near = mem_resize(table->near, count, sizeof *table->near);
	memset(table->near + table->near_count, 0, (count - table->near_count) * sizeof *table->near);
	table->near_count = count;
}

/* A zeroed page. */
static struct id_page *
cut_page(struct id_table *table)
{
	size_t bytes = (sizeof(struct id_page) + ID_PAGE * table->size + 15) / 16 * 16;

	if (table->slab_left == 0) {
		table->slab_left = (table->near_used + table->far.count) / SLAB_PART + 1;
		table->slab_at = *array_push(&table->slabs) = mem_new(table->slab_left, bytes);
		table->page_bytes += table->slab_left * bytes;
	}
	table->slab_left--;
	table->slab_at += bytes;
	return (struct id_page *)(void *)(table->slab_at - bytes);
}

static struct id_page *
new_page(struct id_table *table, uint64_t number)
{
	struct id_page *page = cut_page(table);

	if (number < NEAR_LEAST || number / NEAR_TIMES <= table->near_used) {
		lengthen_near(table, number);
		table->near[number] = page;
		table->near_used++;
	} else {
		table->far_sorted = table->far.count == 0 ||
				    (table->far_sorted && table->far.at[table->far.count - 1].number < number);
		*array_push(&table->far) = (struct far_page){ number, page };
		hash_map_put(&table->far_map, hash_of(number), (uint32_t)table->far.count);
	}
	return page;
}

struct id_page *
id_table_make_page(struct id_table *table, uint64_t number)
{
	struct id_page *page = table->far.count > 0 ? id_table_far_page(table, number) : NULL;

	return page != NULL ? page : new_page(table, number);
}

/* --- in the order of ids --- */

static int
compare_far(const void *a, const void *b)
{
	const struct far_page *left = a, *right = b;

	return (left->number > right->number) - (left->number < right->number);
}

static void
sort_far(struct id_table *table)
{
	if (table->far_sorted || table->far.count == 0)
		return;
	qsort(table->far.at, table->far.count, sizeof *table->far.at, compare_far);
	hash_map_clear(&table->far_map);
	for (size_t i = 0; i < table->far.count; i++)
		hash_map_put(&table->far_map, hash_of(table->far.at[i].number), (uint32_t)i + 1);
	table->far_sorted = true;
}

/* The first far page whose number is at least this one. */
static size_t
first_far(const struct id_table *table, uint64_t number)
{
	size_t low = 0, high = table->far.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->far.at[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* NO_PAGE is above the number of every page. */
#define NO_PAGE UINT64_MAX

/* The first page from this number on, and the last one up to it; NO_PAGE when there is none. */
static uint64_t
next_page(const struct id_table *table, uint64_t from)
{
	size_t far = first_far(table, from);
	uint64_t end = far < table->far.count ? table->far.at[far].number : NO_PAGE;

	for (uint64_t near = from; near < table->near_count && near < end; near++)
		if (table->near[near] != NULL)
			return near;
	return end;
}

static uint64_t
page_before(const struct id_table *table, uint64_t to)
{
	size_t far = first_far(table, to + 1);
	uint64_t near = to < table->near_count ? to + 1 : table->near_count;

	while (near > 0 && table->near[near - 1] == NULL)
		near--;
	if (far > 0 && (near == 0 || table->far.at[far - 1].number > near - 1))
		return table->far.at[far - 1].number;
	return near > 0 ? near - 1 : NO_PAGE;
}

static struct id_page *
page_of(const struct id_table *table, uint64_t number)
{
	return number < table->near_count && table->near[number] != NULL ? table->near[number]
									 : id_table_far_page(table, number);
}

/* A page exists because an element of it was asked for: two pages are looked at, at most. */
bool
id_table_next(struct id_table *table, uint64_t from, uint64_t *id)
{
	uint64_t number, used;

	sort_far(table);
	for (number = next_page(table, from / ID_PAGE); number != NO_PAGE; number = next_page(table, number + 1)) {
		used = page_of(table, number)->used;
		if (number == from / ID_PAGE)
			used &= UINT64_MAX << from % ID_PAGE;
		if (used != 0) {
			*id = number * ID_PAGE + (unsigned)__builtin_ctzll(used);
			return true;
		}
	}
	return false;
}

bool
id_table_before(struct id_table *table, uint64_t to, uint64_t *id)
{
	uint64_t number, used;

	sort_far(table);
	for (number = page_before(table, to / ID_PAGE); number != NO_PAGE;
	     number = number > 0 ? page_before(table, number - 1) : NO_PAGE) {
		used = page_of(table, number)->used;
		if (number == to / ID_PAGE)
			used &= UINT64_MAX >> (ID_PAGE - 1 - to % ID_PAGE);
		if (used != 0) {
			*id = number * ID_PAGE + ID_PAGE - 1 - (unsigned)__builtin_clzll(used);
			return true;
		}
	}
	return false;
}

void
id_table_clear(struct id_table *table)
{
	for (size_t i = 0; i < table->slabs.count; i++)
		free(table->slabs.at[i]);
	array_release(&table->slabs);
	free(table->near);
	array_release(&table->far);
	hash_map_release(&table->far_map);
	*table = (struct id_table){ .size = table->size };
}

size_t
id_table_bytes(const struct id_table *table)
{
	return table->near_count * sizeof *table->near + table->page_bytes + table->far.room * sizeof *table->far.at +
	       table->slabs.room * sizeof *table->slabs.at + hash_map_bytes(&table->far_map);
}
