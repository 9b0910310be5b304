/* SPDX-License-Identifier: MIT
 * line_table: --regressions: the lines that could go through a series, and what each measure counts for in them. */
#include "series_text.h"
#include "trend_views.h"

#include "base/probability.h"
#include "base/quantities.h"
#include "trend/outlook.h"
#include "trend/rival_lines.h"

#include <math.h>

static const char *const method_names[LINE_METHODS] = { "least squares", "Huber", "bisquare" };

static void
rows_for_people(const struct trends *t, const struct series *s, const struct rival_lines *r, struct row_printer *rows)
{
	double z = normal_quantile(0.5 + t->settings->confidence / 2);

	for (unsigned timed = 2; timed-- > 0;)
		for (unsigned m = LINE_METHODS; m-- > 0;) {
			const struct robust_line *line = &r->lines[timed][m];

			row_text(rows, text_from(method_names[m]));
			row_text(rows, text_from(timed ? "time" : "measures"));
			row_change(rows, s, line->slope);
			row_amount(rows, s, z * line->slope_error);
			row_amount(rows, s, line_at(line, 0));
			row_amount(rows, s, m == LINE_LEAST_SQUARES ? NAN : line->scale);
		}
}

static int
show_for_people(const struct trends *t, uint32_t number, const struct rival_lines *r, struct stk_error *err)
{
	static const char *const names[] = { "line", "weighs", "a day#", "give or take#", "now#", "scatter#?", NULL };
	const struct series *s = series_set_at(t->set, number);
	struct text_buffer name = { 0 };
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];
	struct row_printer rows;

	add_series(s, &name);
	printer_remark(t->printer, "%.*s: %zu measures from %.16s to %.16s%s", (int)name.count, name.at, r->count,
		       time_print(from, r->points[0].time_ns, t->settings->zone),
		       time_print(to, r->points[r->count - 1].time_ns, t->settings->zone),
		       r->restarts > 0 ? ", since the last restart" : "");
	array_release(&name);
	row_printer_begin(&rows, ROWS_TEXT, t->printer, names);
	rows_for_people(t, s, r, &rows);
	return row_printer_end(&rows, err);
}

/* What a method leaves of the weight of a measure. */
static double
part_kept(const struct rival_lines *r, enum line_method method, size_t i)
{
	return r->base[i] > 0 ? r->weights[1][method][i] / r->base[i] : 0;
}

static int
show_for_programs(const struct trends *t, uint32_t number, const struct rival_lines *r, struct stk_error *err)
{
	static const char *const names[] = { "time",       "value",         "level",
					     "weight",     "kept_huber",    "kept_bisquare",
					     "by_time_ls", "by_time_huber", "by_time_bisquare",
					     "ls",         "huber",         "bisquare",
					     "series",	   "kind",	    "about",
					     NULL };
	const struct series *series = series_set_at(t->set, number);
	struct text_buffer name = { 0 };
	struct row_printer rows;

	series_add_name(series, &name);
	row_printer_begin(&rows, t->settings->form, t->printer, names);
	for (size_t i = 0; i < r->count; i++) {
		char time[TIME_TEXT_MAX];

		row_time(&rows, time_print(time, r->points[i].time_ns, t->settings->zone));
		row_real(&rows, r->points[i].value, 6);
		row_real(&rows, r->y[i], 6);
		row_real(&rows, r->base[i], 6);
		row_real(&rows, part_kept(r, LINE_HUBER, i), 6);
		row_real(&rows, part_kept(r, LINE_BISQUARE, i), 6);
		for (unsigned timed = 2; timed-- > 0;)
			for (unsigned m = 0; m < LINE_METHODS; m++)
				row_real(&rows, line_at(&r->lines[timed][m], r->x[i]), 6);
		row_text(&rows, text_in(&name, 0));
		row_kind_and_about(series, &rows);
	}
	array_release(&name);
	return row_printer_end(&rows, err);
}

/* The only series that the pattern matches; 0 with *err. */
static uint32_t
find_subject(const struct trends *t, const char *pattern, struct stk_error *err)
{
	uint32_t found = 0;
	size_t count = 0;

	for (uint32_t n = 1; n <= series_set_count(t->set); n++)
		if (series_is_shown(series_set_at(t->set, n)) && series_matches(series_set_at(t->set, n), pattern)) {
			found = n;
			count++;
		}
	if (count == 0)
		(void)fail_no_series(t->set, "--regressions", pattern, err);
	else if (count > 1)
		(void)stk_fail(err, STK_EUSAGE, "--regressions: '%s' is %zu series: name one of them", pattern, count);
	return count == 1 ? found : 0;
}

int
show_regressions(const struct trends *t, struct stk_error *err)
{
	const char *pattern = t->settings->subject;
	uint32_t number = find_subject(t, pattern, err);
	struct rival_lines lines;
	int result;

	if (number == 0)
		return -1;
	if (!rival_lines_fit(&lines, t->set, number, plain_points_of(t, number))) {
		*t->too_early = true;
		result = stk_fail(err, STK_EUSAGE, "--regressions %s: too few measures: %d needed", pattern,
				  OUTLOOK_POINTS_LEAST);
	} else if (t->settings->form == ROWS_TEXT) {
		result = show_for_people(t, number, &lines, err);
	} else {
		result = show_for_programs(t, number, &lines, err);
	}
	rival_lines_release(&lines);
	return result;
}
