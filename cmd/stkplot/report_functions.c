/* SPDX-License-Identifier: MIT
 * report_functions: rows of a page. */
#include "report_functions.h"

#include "plot/function_times.h"
#include "plot/page_text.h"
#include "report/when_text.h"

#include <stdlib.h>

#define FUNCTIONS_MOST 12

void
report_functions_add(struct text_buffer *to, struct flame_tree *tree)
{
	uint64_t whole = tree->calls.total.at[0];
	struct text_buffer when = { 0 };
	size_t count;
	struct function_time *times = function_times(tree, FUNCTIONS_MOST, &count);

	add_string(to, count == 0 ? "<p>No samples of functions.</p>\n"
			  : tree->cells > 1 ? "<table><thead><tr><th class=number>self<th class=number>total<th>when<th>function</thead>\n"
					    : "<table><thead><tr><th class=number>self<th class=number>total<th>function</thead>\n");
	for (size_t i = 0; i < count; i++) {
		when.count = 0;
		add_format(to, "<tr><td class=number>%.1f %%<td class=number>%.1f %%",
			   100 * (double)times[i].self / (double)whole, 100 * (double)times[i].total / (double)whole);
		when_text_add(&when, times[i].cells, flame_tree_columns(tree), true);
		if (tree->cells > 1) {
			add_string(to, "<td class=when>");
			page_add_text(to, text_in(&when, 0));
		}
		add_string(to, "<th scope=row>");
		page_add_text(to, times[i].name);
		add_char(to, '\n');
	}
	add_string(to, count == 0 ? "" : "</table>\n");
	array_release(&when);
	free(times);
}
