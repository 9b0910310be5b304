/* SPDX-License-Identifier: MIT
 * overlapping_paths: the method of a function is in its path_call row, not beside its counts. */
#include "report/overlapping_paths.h"

void
overlapping_paths_take(struct overlapping_paths *paths, const struct stk_path_call *row)
{
	if (text_is(row->method, "ac"))
		(void)text_table_number(&paths->functions, text_joined(&paths->scratch, row->function, row->file));
}

bool
overlapping_paths_has(struct overlapping_paths *paths, struct stk_text function, struct stk_text file)
{
	return text_table_find(&paths->functions, text_joined(&paths->scratch, function, file)) > 0;
}

void
overlapping_paths_release(struct overlapping_paths *paths)
{
	text_table_release(&paths->functions);
	array_release(&paths->scratch);
}
