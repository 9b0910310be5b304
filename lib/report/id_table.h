/* SPDX-License-Identifier: MIT
 * id_table: something for each id of a kind, zeroed until it is asked for. In pages, so that an id far ahead of the others costs a page and not
 * the way there.
 * A struct with only .size set is an empty table. */
#ifndef REPORT_ID_TABLE_H
#define REPORT_ID_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define ID_PAGE 1024u

struct id_table {
	size_t size;			/* of an element */
	unsigned char **pages;
	uint32_t pages_count;
};

/* The element of an id; created. */
void *id_table_at(struct id_table *table, uint32_t id);
void  id_table_clear(struct id_table *table);		/* frees; usable again */

/* The element, or NULL when it and those near it were never asked for. */
static inline void *
id_table_find(const struct id_table *table, uint32_t id)
{
	unsigned char *page = id / ID_PAGE < table->pages_count ? table->pages[id / ID_PAGE] : NULL;

	return page == NULL ? NULL : page + id % ID_PAGE * table->size;
}

#endif
