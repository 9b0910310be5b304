/* SPDX-License-Identifier: MIT
 * key_columns: the keys of --by; the first columns of tables by group: the step, the key, scheme and group. */
#include "group_views.h"

#include "base/id_table.h"
#include "base/memory.h"

struct key_list { uint32_t *at; size_t count; struct id_table met; };

static void
add_key(struct key_list *keys, uint32_t key)
{
	unsigned char *met = id_table_at(&keys->met, key);

	if (*met == 0)
		keys->at[keys->count++] = key;
	*met = 1;
}

/* Of samples, then those that only events have. */
size_t
list_keys(const struct grouped *of, uint32_t **keys)
{
	size_t count, events;
	const struct group_sum *sums = grouping_sums(of->set->groupings[0], &count);
	const uint32_t *of_events = event_time_keys(grouping_events(of->set->groupings[0]), &events);
	struct key_list list = { .at = mem_new(count + events + 1, sizeof **keys), .met.size = 1 };

	for (size_t i = 0; i < count; i++)
		add_key(&list, sums[i].key);
	for (size_t i = 0; i < events; i++)
		add_key(&list, of_events[i]);
	id_table_clear(&list.met);
	*keys = list.at;
	return list.count;
}

void
name_key_columns(const struct grouped *of, const char *names[KEY_NAMES_MOST], const char *const *others)
{
	unsigned n = 0;

	if (of->settings->step_ns > 0)
		names[n++] = "from";
	if (of->prefixes != NULL)
		names[n++] = "key>";
	while (*others != NULL)
		names[n++] = *others++;
	names[n] = NULL;
}

void
print_key_columns(const struct grouped *of, struct row_printer *rows, const char *from, uint32_t key,
		  const struct scheme *scheme, uint32_t group)
{
	if (of->settings->step_ns > 0)
		row_time(rows, from);
	if (of->prefixes != NULL)
		row_text(rows, stack_prefix_text(of->prefixes, key));
	row_text(rows, scheme->name);
	row_text(rows, group == 0 ? text_from("(none)") : scheme->groups.at[group - 1].path);
}
