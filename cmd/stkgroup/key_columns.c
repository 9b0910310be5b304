/* SPDX-License-Identifier: MIT
 * key_columns: the first columns of tables by group: the step, the key of --by, scheme and group. */
#include "group_views.h"

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
