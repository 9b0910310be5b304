/* SPDX-License-Identifier: MIT
 * id_table: pages of elements by id. */
#include "report/id_table.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void *
id_table_at(struct id_table *table, uint32_t id)
{
	uint32_t number = id / ID_PAGE;

	if (number >= table->pages_count) {
		uint32_t count = number + number / 2 + 4;

		table->pages = mem_resize(table->pages, count, sizeof *table->pages);
		memset(table->pages + table->pages_count, 0, (count - table->pages_count) * sizeof *table->pages);
		table->pages_count = count;
	}
	if (table->pages[number] == NULL)
		table->pages[number] = mem_new(ID_PAGE, table->size);
	return id_table_find(table, id);
}

void
id_table_clear(struct id_table *table)
{
	for (uint32_t p = 0; p < table->pages_count; p++)
		free(table->pages[p]);
	free(table->pages);
	table->pages = NULL;
	table->pages_count = 0;
}
