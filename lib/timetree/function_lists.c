/* SPDX-License-Identifier: MIT
 * function_lists: each frame is named once. */
#include "timetree/function_lists.h"

void
function_lists_open(struct function_lists *l, struct text_table *names)
{
	*l = (struct function_lists){ .names = names, .several = { .size = sizeof(uint32_t) } };
}

void
function_lists_release(struct function_lists *l)
{
	array_release(&l->lists);
	id_table_clear(&l->several);
}

void
function_lists_turn(struct function_lists *l)
{
	id_table_clear(&l->several);
}

uint32_t
function_lists_text(struct function_lists *l, struct stk_text names)
{
	size_t first = l->lists.count;

	*array_push(&l->lists) = 0;
	for (size_t from = 0, to; from <= names.size; from = to + 1) {
		for (to = from; to < names.size && names.data[to] != ';';)
			to++;
		*array_push(&l->lists) = text_table_number(l->names, text_of(names.data + from, to - from));
		l->lists.at[first]++;
	}
	return (uint32_t)first | SEVERAL_FUNCTIONS;
}

uint32_t
function_lists_frame(struct function_lists *l, struct part *part, uint32_t frame, bool java)
{
	uint32_t *known = id_table_at(&part->names[java], frame), *several;
	struct stk_text names;

	if (*known != 0)
		return *known;
	several = id_table_at(&l->several, frame);
	if (*several != 0)
		return (*several - 1) | SEVERAL_FUNCTIONS;
	names = naming_frame(part->naming, frame, java);
	if (memchr(names.data, ';', names.size) == NULL)
		return *known = text_table_number(l->names, names);
	*several = (function_lists_text(l, names) & ~SEVERAL_FUNCTIONS) + 1;
	return (*several - 1) | SEVERAL_FUNCTIONS;
}
