/* SPDX-License-Identifier: MIT
 * season_table: --seasons: which cycles each series repeats, with the tests that say so, and its high season. */
#include "series_text.h"
#include "trend_views.h"

#include "base/quantities.h"
#include "trend/season_points.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DATE_SIZE 11 /* 2026-11-20 and its end */

struct seasons {
	const struct trends *trends;
	struct series_labels labels;
	struct row_printer rows;
	size_t found;
};

static struct stk_text
date_of(const struct seasons *v, int64_t day, char to[DATE_SIZE])
{
	bool undated = v->trends->settings->zone == time_zone_undated();
	char text[TIME_TEXT_MAX];

	(void)snprintf(to, DATE_SIZE, "%.10s", time_print(text, day * 86400 * 1000000000, undated ? time_zone_undated() : NULL));
	return text_from(to);
}

/* --- for programs: every pair --- */

static void
pair_row(struct seasons *v, uint32_t number, enum season_cycle cycle, const struct cycle_pair *pair,
	 const struct high_months *high)
{
	const struct series *s = series_set_at(v->trends->set, number);
	bool has_high = cycle == CYCLE_YEAR && high->known && high->to_day > high->from_day;
	struct text_buffer name = { 0 };
	char date[DATE_SIZE];

	series_add_name(s, &name);
	row_text(&v->rows, text_in(&name, 0));
	array_release(&name);
	row_text(&v->rows, text_from(season_cycle_names[cycle]));
	row_text(&v->rows, date_of(v, pair->latest_day, date));
	row_text(&v->rows, date_of(v, pair->earlier_day, date));
	row_count(&v->rows, pair->verdict.n);
	row_real(&v->rows, pair->verdict.r, 6);
	row_real(&v->rows, pair->verdict.statistic, 6);
	row_real(&v->rows, pair->verdict.p, 6);
	row_real(&v->rows, pair->shift_p, 6);
	row_text(&v->rows, text_from(pair->season ? "yes" : "no"));
	row_text(&v->rows, has_high ? date_of(v, high->from_day, date) : text_from(""));
	row_text(&v->rows, has_high ? date_of(v, high->to_day, date) : text_from(""));
	row_kind_and_about(s, &v->rows);
}

/* --- for people: the best pair of each cycle, and how many agree --- */

static const struct cycle_pair *
best_of(const struct cycle_pair *pairs, size_t count, size_t *agree)
{
	const struct cycle_pair *best = &pairs[0];

	*agree = 0;
	for (size_t i = 0; i < count; i++) {
		const struct cycle_pair *p = &pairs[i];

		*agree += p->season;
		if (p->season > best->season || (p->season == best->season && p->verdict.r > best->verdict.r))
			best = p;
	}
	return best;
}

static void
cycle_row(struct seasons *v, size_t i, enum season_cycle cycle, const struct cycle_pair *pairs, size_t count)
{
	const struct cycle_pair *best;
	char text[64], date[DATE_SIZE];
	size_t agree;

	best = best_of(pairs, count, &agree);
	series_cells(&v->labels, i, &v->rows);
	row_text(&v->rows, text_from(season_cycle_names[cycle]));
	row_text(&v->rows, text_from(agree > 0 ? "yes" : "no"));
	(void)snprintf(text, sizeof text, "%zu of %zu", agree, count);
	row_text(&v->rows, text_from(text));
	row_number(&v->rows, best->verdict.r);
	row_number(&v->rows, best->verdict.statistic);
	row_number(&v->rows, fmax(best->verdict.p, DBL_MIN));	/* what is too small for a number is not 0 */
	row_count(&v->rows, best->verdict.n);
	row_number(&v->rows, best->shift_p);
	row_text(&v->rows, date_of(v, best->latest_day, date));
	row_text(&v->rows, date_of(v, best->earlier_day, date));
}

/* "heap.used: high from June to August (1.25 and more of the year's mean), the latest from 2026-06-01 to 2026-08-31" */
static void
remark_high(struct seasons *v, uint32_t number, const struct high_months *h)
{
	static const char *const months[] = { "January", "February", "March",     "April",   "May",      "June",
					      "July",    "August",   "September", "October", "November", "December" };
	struct text_buffer text = { 0 };
	char from[DATE_SIZE], to[DATE_SIZE];
	size_t first = 0, last;

	add_series(series_set_at(v->trends->set, number), &text);
	while (first < 12 && (!h->high[first] || h->high[(first + 11) % 12]))
		first++;
	if (first == 12)
		add_string(&text, ": every month is alike");
	for (last = first; first < 12 && h->high[(last + 1) % 12];)
		last = (last + 1) % 12;
	if (first < 12)
		add_format(&text, ": its high season is %s%s%s, above %.3g of the mean of %zu %s", months[first],
			   last == first ? "" : " to ", last == first ? "" : months[last], h->threshold, h->years,
			   plural(h->years, "year", "years"));
	if (first < 12 && h->to_day > h->from_day) {
		(void)date_of(v, h->from_day, from);
		(void)date_of(v, h->to_day - 1, to);
		add_format(&text, "; the latest was seen from %s to %s", from, to);
	}
	printer_remark(v->trends->printer, "%.*s", (int)text.count, text.at);
	array_release(&text);
}

/* --- both --- */

static int
compare(struct seasons *v, size_t i, struct stk_error *err)
{
	const struct trends *t = v->trends;
	uint32_t number = v->labels.numbers.at[i];
	struct cycle_pairs pairs = { 0 };
	struct season_points points;
	struct high_months high = { 0 };
	int result = season_points_open(&points, t->set, number, plain_points_of(t, number), err);

	if (result == 0)
		high = season_high_months(points.calendar, points.at, points.count);
	for (unsigned c = 0; c < SEASON_CYCLES && result == 0; c++) {
		size_t before = pairs.count,
		       count = season_cycles_compare((enum season_cycle)c, points.calendar, points.at, points.count,
						     t->settings->season_method, &pairs);

		v->found += count;
		if (t->settings->form == ROWS_TEXT && count > 0)
			cycle_row(v, i, (enum season_cycle)c, pairs.at + before, count);
		for (size_t k = before; k < pairs.count && t->settings->form != ROWS_TEXT; k++)
			pair_row(v, number, (enum season_cycle)c, &pairs.at[k], &high);
	}
	season_points_close(&points);
	array_release(&pairs);
	return result;
}

static int
remark_seasons(struct seasons *v, struct stk_error *err)
{
	const struct trends *t = v->trends;

	for (size_t i = 0; i < v->labels.numbers.count; i++) {
		uint32_t number = v->labels.numbers.at[i];
		struct season_points points;
		int result = season_points_open(&points, t->set, number, plain_points_of(t, number), err);
		struct high_months high = { 0 };

		if (result == 0)
			high = season_high_months(points.calendar, points.at, points.count);
		season_points_close(&points);
		if (result < 0)
			return -1;
		if (high.known)
			remark_high(v, number, &high);
	}
	return 0;
}

static void
begin_rows(struct seasons *v)
{
	static const char *const plain[] = { "series",    "cycle",     "latest", "earlier", "n",
					     "r",         "statistic", "p",      "shift_p", "season",
					     "high_from", "high_to",   "kind",   "about",   NULL };
	/* the row printer keeps them while it is used */
	static const char *names[SERIES_NAMES + 11];
	static const char *const more[] = { "cycle", "season", "agree#?",     "r#",      "t#?",
					    "p#",    "n#?",    "rotated p#?", "latest?", "like?" };
	const struct settings *s = v->trends->settings;
	unsigned n = series_columns(&v->labels, names);

	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		names[n++] = i == 4 && s->season_method == SEASON_FISHER ? "z#?" : more[i];
	names[n] = NULL;
	row_printer_begin(&v->rows, s->form, v->trends->printer, s->form == ROWS_TEXT ? names : plain);
	v->rows.table.fair = SERIES_FAIR;
}

static int
print_seasons(struct seasons *v, struct stk_error *err)
{
	const struct trends *t = v->trends;

	begin_rows(v);
	for (size_t i = 0; i < v->labels.numbers.count; i++)
		if (compare(v, i, err) < 0) {
			row_printer_drop(&v->rows);
			return -1;
		}
	if (v->found == 0) {
		*t->too_early = true;
		row_printer_drop(&v->rows);
		return stk_fail(
			err, STK_EUSAGE,
			"--seasons: no series has two whole cycles: two days are the shortest, with four slots a day");
	}
	if (t->settings->form != ROWS_TEXT)
		return row_printer_end(&v->rows, err);
	table_print(&v->rows.table, t->printer);
	if (remark_seasons(v, err) < 0) {
		row_printer_drop(&v->rows);
		return -1;
	}
	series_remark(&v->labels, t->printer);
	return row_printer_end(&v->rows, err);
}

int
show_seasons(const struct trends *t, struct stk_error *err)
{
	struct seasons v = { .trends = t };
	size_t count;
	uint32_t *order = series_set_by_level(t->set, &count);
	int result;

	for (size_t i = 0; i < count && (t->settings->form != ROWS_TEXT || i < (size_t)t->settings->top); i++)
		series_labels_add(&v.labels, t->set, order[i]);
	free(order);
	series_labels_make(&v.labels);
	result = print_seasons(&v, err);
	series_labels_release(&v.labels);
	return result;
}
