/* SPDX-License-Identifier: MIT
 * open_names: a chain of names for each thread. */
#include "ingest/open_names.h"

#include "base/bytes.h"

struct open_thread { uint32_t last, count; };

void
open_names_begin(struct open_names *n, uint32_t thread, struct stk_text name)
{
	struct open_thread *of = id_table_at(&n->open, thread);
	uint32_t place = n->free_name;

	if (of->count == OPEN_NAMES_MOST)
		return;
	if (n->names.count == 0)
		*array_push(&n->names) = (struct open_name){ 0, 0 };
	if (place == 0) {
		place = (uint32_t)n->names.count;
		(void)array_push(&n->names);
	} else {
		n->free_name = n->names.at[place].below;
	}
	n->names.at[place] = (struct open_name){ text_table_number(&n->texts, name), of->last };
	of->last = place;
	of->count++;
}

static void
close_last(struct open_names *n, struct open_thread *of)
{
	uint32_t place = of->last;

	of->last = n->names.at[place].below;
	of->count--;
	n->names.at[place].below = n->free_name;
	n->free_name = place;
}

/* Whether a name is open, and all that began after it ends with it. */
static bool
close_named(struct open_names *n, struct open_thread *of, uint32_t name)
{
	uint32_t place = of->last;

	while (place != 0 && n->names.at[place].name != name)
		place = n->names.at[place].below;
	if (place == 0)
		return false;
	while (of->last != place)
		close_last(n, of);
	close_last(n, of);
	return true;
}

struct stk_text
open_names_end(struct open_names *n, uint32_t thread, struct stk_text name)
{
	struct open_thread *of = id_table_find(&n->open, thread);
	struct stk_text last;

	if (of == NULL || of->count == 0)
		return name;
	if (name.size > 0) {
		(void)close_named(n, of, text_table_find(&n->texts, name));
		return name;
	}
	last = text_table_text(&n->texts, n->names.at[of->last].name);
	close_last(n, of);
	return last;
}

void
open_names_clear(struct open_names *n)
{
	id_table_clear(&n->open);
	n->open.size = sizeof(struct open_thread);
	n->names.count = 0;
	n->free_name = 0;
	text_table_clear(&n->texts);
}

void
open_names_release(struct open_names *n)
{
	id_table_clear(&n->open);
	array_release(&n->names);
	text_table_release(&n->texts);
}
