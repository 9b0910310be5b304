/* SPDX-License-Identifier: MIT
 * rank_table: --against: which series explain another, such as the heap. */
#include "series_text.h"
#include "trend_views.h"

#include "trend/ranking.h"

#include <stdlib.h>

#define NAMED_MOST 4		/* of the series that a pattern matches, in a message */

/* The one series that a pattern is for: its name as a whole, or all that it matches are one. */
static int
find_subject(const struct trends *t, const char *pattern, uint32_t *subject, struct stk_error *err)
{
	uint32_t *order, count = 0;
	struct text_buffer names = { 0 };
	bool whole = false;

	if (series_set_first(t->set, pattern) == 0)
		return stk_fail(err, STK_EUSAGE, "--against: no series '%s' in the input", pattern);
	order = series_set_by_name(t->set);
	for (uint32_t i = 0; i < series_set_count(t->set) && !whole; i++) {
		const struct series *s = series_set_at(t->set, order[i]);
		size_t from = names.count;

		if (!series_is_shown(s) || !series_matches(s, pattern))
			continue;
		if (count > 0 && count < NAMED_MOST)
			add_string(&names, ", ");
		from = names.count;
		series_add_name(s, &names);
		whole = text_is(text_in(&names, from), pattern);
		names.count = count < NAMED_MOST ? names.count : from;
		*subject = order[i];
		count++;
	}
	if (count > 1 && !whole)
		(void)stk_fail(err, STK_EUSAGE, "--against: '%s' is %u series (%.*s%s): name one of them", pattern,
			       (unsigned)count, (int)names.count, names.at, count > NAMED_MOST ? ", ..." : "");
	free(order);
	array_release(&names);
	return count == 1 || whole ? 0 : -1;
}

int
rank_series(const struct trends *t, struct ranking *ranking, struct stk_error *err)
{
	const char *pattern = t->settings->subject;
	uint32_t subject = 0;

	*ranking = (struct ranking){ 0 };
	if (find_subject(t, pattern, &subject, err) < 0)
		return -1;
	if (ranking_make(ranking, t->set, subject))
		return 0;
	*t->too_early = true;
	return stk_fail(err, STK_EUSAGE, "--against %s: it has no season yet: two days of it are needed", pattern);
}

static void
probability(struct row_printer *rows, double p)
{
	struct text_buffer text = { 0 };

	add_format(&text, "%.2g", p);
	row_text(rows, text_in(&text, 0));
	array_release(&text);
}

static void
row_for_people(struct row_printer *rows, const struct ranked_series *ranked, const struct series_labels *labels,
	       size_t i)
{
	char lag[TIME_TEXT_MAX];

	series_cells(labels, i, rows);
	row_real(rows, ranked->correlation, 3);
	row_text(rows, text_from(duration_print(lag, ranked->lag_ns)));
	probability(rows, ranked->q);
	row_real(rows, ranked->together, 3);
	probability(rows, ranked->p);
	if (labels->hashes)
		series_hash_cell(labels, i, rows);
}

static void
row_for_programs(const struct trends *t, struct row_printer *rows, const struct ranked_series *ranked)
{
	const struct series *s = series_set_at(t->set, ranked->number);
	struct text_buffer text = { 0 };

	series_add_name(s, &text);
	row_text(rows, text_in(&text, 0));
	array_release(&text);
	row_real(rows, ranked->correlation, 3);
	row_real(rows, (double)ranked->lag_ns / 1e9, 0);
	row_real(rows, ranked->p, 6);
	row_real(rows, ranked->q, 6);
	row_real(rows, ranked->together, 6);
	row_text(rows, text_from(series_kind_names[s->kind]));
	row_text(rows, s->label.data == NULL ? text_of("", 0) : s->label);
}

static int
print_rows(const struct trends *t, const struct ranking *ranking, struct stk_error *err)
{
	static const char *const names[] = { "series",   "correlation", "lag",   "p", "q",
					     "together", "kind",        "about", NULL };
	struct row_printer rows;

	row_printer_begin(&rows, t->settings->form, t->printer, names);
	for (size_t i = 0; i < ranking->count; i++)
		row_for_programs(t, &rows, &ranking->at[i]);
	return row_printer_end(&rows, err);
}

/* People see those that are claimed. */
static int
print_claimed(const struct trends *t, const struct ranking *ranking, struct stk_error *err)
{
	const char *names[SERIES_NAMES + 7];
	const struct settings *s = t->settings;
	struct series_labels labels = { 0 };
	struct row_printer rows;
	unsigned n;
	int result;

	for (size_t i = 0; i < ranking->count && i < (size_t)s->top; i++)
		if (ranking->at[i].q <= s->discovery)
			series_labels_add(&labels, t->set, ranking->at[i].number);
	series_labels_make(&labels);
	n = series_columns(&labels, names);
	names[n++] = "correlation#";
	names[n++] = "lag#?";
	names[n++] = "q#";
	names[n++] = "together#?";
	names[n++] = "p#?";
	if (labels.hashes)
		names[n++] = "name?";
	names[n] = NULL;
	row_printer_begin(&rows, s->form, t->printer, names);
	rows.table.fair = SERIES_FAIR;
	for (size_t i = 0, k = 0; i < ranking->count && i < (size_t)s->top; i++)
		if (ranking->at[i].q <= s->discovery)
			row_for_people(&rows, &ranking->at[i], &labels, k++);
	table_print(&rows.table, t->printer);
	if (labels.numbers.count == 0)
		printer_remark(t->printer,
			       "none of %zu series explains %s: at most %.0f %% of what is claimed may be chance",
			       ranking->count, s->subject, s->discovery * 100);
	series_remark(&labels, t->printer);
	result = row_printer_end(&rows, err);
	series_labels_release(&labels);
	return result;
}

int
show_ranks(const struct trends *t, struct stk_error *err)
{
	struct ranking ranking;
	int result;

	if (rank_series(t, &ranking, err) < 0)
		return -1;
	result = t->settings->form == ROWS_TEXT ? print_claimed(t, &ranking, err) : print_rows(t, &ranking, err);
	ranking_release(&ranking);
	return result;
}
