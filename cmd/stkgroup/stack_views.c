/* SPDX-License-Identifier: MIT
 * stack_views: stacks of groups as folded text; and what no group took, with the functions that are in most of it. */
#include "group_views.h"

#include "report/row_printer.h"

#include <stdio.h>
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

/* What people read above the functions. */
static void
print_uncovered_heading(const struct uncovered *u, struct printer *printer)
{
	uint64_t whole = uncovered_whole(u), none = uncovered_none(u);
	char text[128];
	size_t from = printer->text.count;

	(void)snprintf(text, sizeof text, "no group took %llu of %llu (%.1f%%)%s", (unsigned long long)none,
		       (unsigned long long)whole, whole == 0 ? 0 : 100 * (double)none / (double)whole,
		       none > 0 ? "; these functions would take most of it, one after another" : "");
	printer_prose(printer, 0, text_from(text));
	printer_paint(printer, from, PAINT_HEAD);
}

int
print_uncovered(struct uncovered *u, const struct settings *settings, struct printer *printer, struct stk_error *err)
{
	static const char *const for_people[] = { "weight#", "%#", "function*", NULL };
	static const char *const for_programs[] = { "weight", "share", "function", NULL };
	uint64_t whole = uncovered_whole(u), none = uncovered_none(u), covered, taken = 0;
	bool people = settings->form == ROWS_TEXT;
	struct row_printer rows;
	struct stk_text name;
	int64_t count = 0;

	if (people)
		print_uncovered_heading(u, printer);
	row_printer_begin(&rows, settings->form, printer, people ? for_people : for_programs);
	if (!people) {
		row_count(&rows, none);
		row_real(&rows, whole == 0 ? 0 : (double)none / (double)whole, 6);
		row_text(&rows, text_from("(none)"));
	}
	for (; count < settings->top && uncovered_take(u, &name, &covered); count++, taken += covered) {
		row_count(&rows, covered);
		row_real(&rows, (people ? 100 : 1) * (double)covered / (double)whole, 1);
		row_text(&rows, name);
	}
	if (row_printer_end(&rows, err) < 0)
		return -1;
	if (people && count < settings->top && taken < none)
		printer_remark(printer, "no function is known of %llu: they have no stack",
			       (unsigned long long)(none - taken));
	else if (people && taken < none)
		printer_remark(printer, "left out: %llu (more with --top N)", (unsigned long long)(none - taken));
	return printer_settle(printer, true, err);
}
