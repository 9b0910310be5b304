/* SPDX-License-Identifier: MIT
 * id_table: an element for each id of a kind. Ids come from streams, so an id may be any number: memory grows with how
 * many ids were used, not with how high they are. Dense ids are found through an array of small pages, pages far from
 * the others through a hash map. A struct with only .size set is an empty table. */
#ifndef BASE_ID_TABLE_H
#define BASE_ID_TABLE_H

#include "base/array.h"
#include "base/hash_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ID_PAGE 64u			/* elements of a page: an id costs this many elements at most */

struct id_page;

struct far_page { uint64_t number; struct id_page *page; };

struct id_table {
	size_t size;			/* of an element */
	struct id_page **near;		/* by id / ID_PAGE; NULL where no id was used */
	uint64_t near_count, near_used;
	ARRAY(struct far_page) far;	/* pages that are not near, in the order in which they came; sorted when
					 * far_sorted */
	struct hash_map far_map;	/* to places in far, from 1 */
	ARRAY(void *) slabs;		/* what pages are cut from */
	unsigned char *slab_at;
	size_t slab_left, page_bytes;	/* of the last: pages; of all pages that were cut or are left */
	bool far_sorted;
};

/* The least id from `from` on that has an element, and the greatest up to `to`: true and *id, or false when there is
 * none. */
bool  id_table_next(struct id_table *table, uint64_t from, uint64_t *id);
bool  id_table_before(struct id_table *table, uint64_t to, uint64_t *id);
void  id_table_clear(struct id_table *table);		/* frees; usable again */
size_t id_table_bytes(const struct id_table *table);

/* For id_table_find, and for id_table_at: the page that is not near, NULL or made when there is none. */
struct id_page *id_table_far_page(const struct id_table *table, uint64_t number);
struct id_page *id_table_make_page(struct id_table *table, uint64_t number);

struct id_page {
	uint64_t used;			/* a bit for each element that was asked for */
	unsigned char elements[];
};

/* The element of an id, zeroed when it is new. It stays where it is until the table is cleared. */
static inline void *
id_table_at(struct id_table *table, uint64_t id)
{
	uint64_t number = id / ID_PAGE;
	struct id_page *page = number < table->near_count ? table->near[number] : NULL;

	if (page == NULL)
		page = id_table_make_page(table, number);
	page->used |= UINT64_C(1) << id % ID_PAGE;
	return page->elements + id % ID_PAGE * table->size;
}

/* The element, or NULL: then it was never asked for by id_table_at. One that was not may still be found, zeroed, beside
 * others: for those to whom both are the same, this reads less memory than id_table_find. */
static inline const void *
id_table_peek(const struct id_table *table, uint64_t id)
{
	uint64_t number = id / ID_PAGE;
	const struct id_page *page = number < table->near_count ? table->near[number] : NULL;

	if (page == NULL && (table->far.count == 0 || (page = id_table_far_page(table, number)) == NULL))
		return NULL;
	return page->elements + id % ID_PAGE * table->size;
}

/* The element, or NULL when it was never asked for by id_table_at. */
static inline void *
id_table_find(const struct id_table *table, uint64_t id)
{
	uint64_t number = id / ID_PAGE;
	struct id_page *page = number < table->near_count ? table->near[number] : NULL;

	if (page == NULL && (table->far.count == 0 || (page = id_table_far_page(table, number)) == NULL))
		return NULL;
	return page->used >> id % ID_PAGE & 1 ? page->elements + id % ID_PAGE * table->size : NULL;
}

#endif
