/* SPDX-License-Identifier: MIT
 * check_table: --report cross-check: the time of pairs against that of the samples inside of them. */
#include "group_views.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct check_sheet {
	const struct grouped *of;
	struct row_printer rows;
	const char *names[KEY_NAMES_MOST];
	char from[TIME_TEXT_MAX];
	bool people;
};

static void
list_names(struct check_sheet *sheet)
{
	static const char *const people[] = { "scheme>", "group>", "pairs#?", "in pairs#", "sampled#", "difference#",
		"from#", "to#", "verdict", NULL };
	static const char *const programs[] = { "scheme", "group", "pairs", "paired", "inside", "difference", "low",
		"high", "agrees", NULL };
	const char *const *names = sheet->people ? people : programs;

	name_key_columns(sheet->of, sheet->names, names);
}

static void
print_seconds(struct check_sheet *sheet, double seconds, bool sign)
{
	char text[TIME_TEXT_MAX], signed_text[TIME_TEXT_MAX + 1];

	if (!sheet->people) {
		row_real(&sheet->rows, seconds, 6);
		return;
	}
	duration_print(text, (int64_t)(fabs(seconds) * 1e9));
	(void)snprintf(signed_text, sizeof signed_text, "%s%s", !sign ? "" : seconds < 0 ? "-" : "+", text);
	row_text(&sheet->rows, text_from(signed_text));
}

static void
print_check(struct check_sheet *sheet, uint32_t key, const struct scheme *scheme, uint32_t group,
	    const struct group_figures *figures)
{
	const struct group_figures *f = &figures[group];
	struct group_check check = group_figures_check(figures, scheme->groups.count, group);
	struct row_printer *rows = &sheet->rows;

	print_key_columns(sheet->of, rows, sheet->from, key, scheme, group);
	row_count(rows, f->pairs);
	print_seconds(sheet, f->paired, false);
	print_seconds(sheet, f->inside, false);
	print_seconds(sheet, check.difference, true);
	print_seconds(sheet, check.low, true);
	print_seconds(sheet, check.high, true);
	if (sheet->people)
		row_text(rows, text_from(check.agrees ? "agree" : "differ"));
	else
		row_count(rows, check.agrees);
}

static void
print_scheme(struct check_sheet *sheet, uint32_t key, const struct grouping *grouping)
{
	const struct scheme *scheme = grouping_scheme(grouping);
	struct group_figures *figures = mem_new(scheme->groups.count + 1, sizeof *figures);
	const struct group_figures_options options = {
		.time = TIME_FILLED, .part = sheet->of->settings->step_ns > 0 ? sheet->of->window.from : 0
	};

	(void)group_figures_gather(grouping, key, &options, figures);
	for (size_t i = 1; i <= scheme->groups.count + 1; i++) {
		uint32_t group = i > scheme->groups.count ? 0 : (uint32_t)i;

		if (figures[group].paired > 0)
			print_check(sheet, key, scheme, group, figures);
	}
	free(figures);
}

int
show_check(struct grouped *of, struct stk_error *err)
{
	struct check_sheet sheet = { .of = of, .people = of->settings->form == ROWS_TEXT };
	size_t header = of->printer->text.count, count = 0;
	uint32_t *keys = NULL;

	if (of->set->count > 0)
		count = list_keys(of, &keys);
	list_names(&sheet);
	time_print(sheet.from, of->window.from, of->settings->zone);
	row_printer_begin(&sheet.rows, of->settings->form, of->printer, sheet.names);
	if (!of->first)
		of->printer->text.count = header;
	of->first = false;
	for (size_t k = 0; k < count; k++)
		for (unsigned i = 0; i < of->set->count; i++)
			print_scheme(&sheet, keys[k], of->set->groupings[i]);
	free(keys);
	return row_printer_end(&sheet.rows, err);
}
