/* SPDX-License-Identifier: MIT
 * counting_methods: the method of a function is in its path_call row, not beside its counts. A plan that makes prepp
 * exact is named differently there (probe_facts). */
#include "report/counting_methods.h"

bool
method_is_inexact(struct stk_text method)
{
	return text_is(method, "spp") || text_is(method, "prepp");
}

void
counting_methods_take(struct counting_methods *m, const struct stk_path_call *row)
{
	struct stk_text key = text_joined(&m->scratch, row->function, row->file);

	if (text_is(row->method, "ac"))
		(void)text_table_number(&m->overlapping, key);
	if (method_is_inexact(row->method))
		(void)text_table_number(&m->inexact, key);
}

bool
counting_methods_overlap(struct counting_methods *m, struct stk_text function, struct stk_text file)
{
	return text_table_find(&m->overlapping, text_joined(&m->scratch, function, file)) > 0;
}

bool
counting_methods_are_inexact(struct counting_methods *m, struct stk_text function, struct stk_text file)
{
	return text_table_find(&m->inexact, text_joined(&m->scratch, function, file)) > 0;
}

void
counting_methods_release(struct counting_methods *m)
{
	text_table_release(&m->overlapping);
	text_table_release(&m->inexact);
	array_release(&m->scratch);
}
