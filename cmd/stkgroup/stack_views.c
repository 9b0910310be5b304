/* SPDX-License-Identifier: MIT
 * stack_views: stacks of groups as folded text; and what no group took, with the functions that are in most of it. */
#include "group_views.h"

#include "report/row_printer.h"

#include <stdlib.h>

int
print_grouped_stacks(const struct grouped_stacks *stacks, struct printer *printer, struct stk_error *err)
{
	size_t count;
	struct tally_row *lines = grouped_stacks_lines(stacks, &count);
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++) {
		add_text(&printer->text, lines[i].text);
		add_char(&printer->text, ' ');
		add_unsigned(&printer->text, lines[i].count);
		add_char(&printer->text, '\n');
		result = printer_settle(printer, false, err);
	}
	free(lines);
	return result;
}

int
print_uncovered(struct uncovered *u, const struct settings *settings, struct printer *printer, struct stk_error *err)
{
	static const char *const for_people[] = { "weight#", "%#", "function", NULL };
	static const char *const for_programs[] = { "weight", "share", "function", NULL };
	uint64_t whole = uncovered_whole(u), none = uncovered_none(u), covered;
	double share_of_none = whole == 0 ? 0 : (double)none / (double)whole;
	bool people = settings->form == ROWS_TEXT;
	struct row_printer rows;
	struct stk_text name;

	if (people)
		add_format(&printer->text, "no group took %llu of %llu (%.1f%%); of these would be taken by\n\n",
			   (unsigned long long)none, (unsigned long long)whole,
				whole == 0 ? 0 : 100 * (double)none / (double)whole);
	row_printer_begin(&rows, settings->form, printer, people ? for_people : for_programs);
	if (!people) {
		row_count(&rows, none);
		row_real(&rows, share_of_none, 6);
		row_text(&rows, text_from("(none)"));
	}
	for (int64_t i = 0; i < settings->top && uncovered_take(u, &name, &covered); i++) {
		row_count(&rows, covered);
		row_real(&rows, (people ? 100 : 1) * (double)covered / (double)whole, 1);
		row_text(&rows, name);
	}
	return row_printer_end(&rows, err);
}
