/* SPDX-License-Identifier: MIT
 * rank_table: --against: which series explain another, such as the heap. */
#include "series_text.h"
#include "trend_views.h"

#include "base/probability.h"
#include "trend/hour_counts.h"

#include <math.h>
#include <stdlib.h>

#define NAMED_MOST 4 /* of the series that a pattern matches, in a message */
#define HOLDER_COLUMNS 8

/* The series that a pattern is for: the one that it names as a whole, or those of one name, each of another source. */
static int
find_subjects(const struct trends *t, const char *pattern, struct explained_list *list, struct stk_error *err)
{
	uint32_t *order = series_set_by_name(t->set);
	struct text_buffer names = { 0 };
	bool whole = false, alike = true;

	for (uint32_t i = 0; i < series_set_count(t->set) && !whole; i++) {
		const struct series *s = series_set_at(t->set, order[i]);
		size_t from;

		if (!series_is_shown(s) || !series_matches(s, pattern))
			continue;
		if (list->count > 0 && list->count < NAMED_MOST)
			add_string(&names, ", ");
		from = names.count;
		series_add_name(s, &names);
		whole = text_is(text_in(&names, from), pattern);
		names.count = list->count < NAMED_MOST ? names.count : from;
		list->count = whole ? 0 : list->count;
		*array_push(list) = (struct explained){ .subject = order[i] };
		alike &= text_equal(s->name, series_set_at(t->set, list->at[0].subject)->name);
	}
	free(order);
	if (list->count == 0)
		(void)fail_no_series(t->set, "--against", pattern, err);
	else if (!whole && !alike)
		(void)stk_fail(err, STK_EUSAGE, "--against: '%s' is %zu series (%.*s%s): name one of them", pattern,
			       list->count, (int)names.count, names.at, list->count > NAMED_MOST ? ", ..." : "");
	array_release(&names);
	return list->count > 0 && (whole || alike) ? 0 : -1;
}

/* With a state, what it keeps of earlier runs: as many days whether it was read in pieces or at once. */
static void
explain(const struct trends *t, struct explained *e)
{
	e->seasonal = ranking_make(&e->ranking, t->set, e->subject);
	if (t->set->hours != NULL && t->settings->state != NULL)
		hour_counts_forget(t->set->hours);
	if (t->set->hours != NULL && series_set_at(t->set, e->subject)->kind == STK_SERIES_METRIC)
		heap_holders_find(&e->holders, t->set, e->subject);
}

int
explain_subjects(const struct trends *t, struct explained_list *list, struct stk_error *err)
{
	const char *pattern = t->settings->subject;
	bool known = false;

	*list = (struct explained_list){ 0 };
	if (find_subjects(t, pattern, list, err) < 0)
		return -1;
	for (size_t i = 0; i < list->count; i++) {
		explain(t, &list->at[i]);
		known |= list->at[i].seasonal || (list->at[i].holders.fit.known && !t->settings->high_season);
	}
	if (known)
		return 0;
	*t->too_early = true;
	if (t->settings->high_season && list->at[0].ranking.high.known)
		return stk_fail(err, STK_EUSAGE,
				"--high-season: that of %s has less than two cycles of its periods: expected other --periods",
				pattern);
	if (t->settings->high_season && !list->at[0].ranking.high.known)
		return stk_fail(err, STK_EUSAGE, "--high-season: a whole year of %s is needed, from January on",
				pattern);
	if (list->at[0].holders.slots > 0)
		return stk_fail(
			err, STK_EUSAGE,
			"--against %s: two days of it, or %d hours of dumps and measures are needed: %zu are there",
			pattern, HEAP_SLOTS_LEAST, list->at[0].holders.slots * list->at[0].holders.hours);
	return stk_fail(err, STK_EUSAGE, "--against %s: it has no season yet: two days of it are needed", pattern);
}

void
explained_release(struct explained_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		ranking_release(&list->at[i].ranking);
		heap_holders_release(&list->at[i].holders);
	}
	array_release(list);
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

/* What holds it, which is unknown for most: a column each. holder: NULL. */
static void
holder_cells(const struct trends *t, struct row_printer *rows, const struct explained *e,
	     const struct heap_holder *holder)
{
	const double z = normal_quantile(0.5 + t->settings->confidence / 2);
	struct text_buffer text = { 0 };

	series_add_name(series_set_at(t->set, e->subject), &text);
	row_text(rows, text_in(&text, 0));
	text.count = 0;
	if (holder == NULL) {
		for (unsigned i = 0; i < HOLDER_COLUMNS; i++)
			row_text(rows, text_of("", 0));
		array_release(&text);
		return;
	}
	row_text(rows, text_from(holder->grows ? "grows" : "holds"));
	row_real(rows, holder->per_thread, 6);
	row_real(rows, fmax(0, holder->per_thread - z * holder->error), 6);
	row_real(rows, holder->per_thread + z * holder->error, 6);
	row_real(rows, holder->held, 3);
	row_real(rows, holder->held / e->holders.fit.mean, 6);
	for (size_t i = 0; i < holder->rivals_count; i++) {
		add_string(&text, i > 0 ? "," : "");
		series_add_name(series_set_at(t->set, e->holders.classes[holder->rivals[i]]), &text);
	}
	row_text(rows, text_in(&text, 0));
	row_text(rows, text_from(e->holders.by_mean ? "mean" : "least"));
	array_release(&text);
}

/* Columns of a row that is not ranked: chance explains as much. */
static void
no_rank(struct row_printer *rows)
{
	row_real(rows, 0, 3);
	row_real(rows, 0, 0);
	row_real(rows, 1, 6);
	row_real(rows, 1, 6);
	row_real(rows, 0, 6);
}

static void
row_for_programs(const struct trends *t, struct row_printer *rows, const struct explained *e, uint32_t number,
		 const struct ranked_series *ranked)
{
	const struct series *s = series_set_at(t->set, number);
	struct text_buffer text = { 0 };

	series_add_name(s, &text);
	row_text(rows, text_in(&text, 0));
	array_release(&text);
	if (ranked != NULL) {
		row_real(rows, ranked->correlation, 3);
		row_real(rows, (double)ranked->lag_ns / 1e9, 0);
		row_real(rows, ranked->p, 6);
		row_real(rows, ranked->q, 6);
		row_real(rows, ranked->together, 6);
	} else {
		no_rank(rows);
	}
	row_kind_and_about(s, rows);
	holder_cells(t, rows, e, holder_of(e, number));
}

/* What is of all threads has a row without a name of a class. */
static void
row_of_all(const struct trends *t, struct row_printer *rows, const struct explained *e, const struct heap_holder *all)
{
	row_text(rows, text_from("(all threads)"));
	no_rank(rows);
	row_text(rows, text_of("", 0));
	row_text(rows, text_of("", 0));
	holder_cells(t, rows, e, all);
}

static bool
is_ranked(const struct explained *e, uint32_t number)
{
	for (size_t i = 0; i < e->ranking.count; i++)
		if (e->ranking.at[i].number == number)
			return true;
	return false;
}

static void
rows_of(const struct trends *t, struct row_printer *rows, const struct explained *e)
{
	struct heap_holder load = holder_of_load(e);

	for (size_t i = 0; i < e->ranking.count; i++)
		row_for_programs(t, rows, e, e->ranking.at[i].number, &e->ranking.at[i]);
	for (size_t k = 0; k < e->holders.fit.count; k++) {
		uint32_t number = e->holders.classes[e->holders.fit.holders[k].class];

		if (number == 0)
			row_of_all(t, rows, e, &e->holders.fit.holders[k]);
		else if (!is_ranked(e, number))
			row_for_programs(t, rows, e, number, NULL);
	}
	if (heap_follows_load(&e->holders.fit))
		row_of_all(t, rows, e, &load);
}

static int
print_rows(const struct trends *t, const struct explained_list *list, struct stk_error *err)
{
	static const char *const names[] = { "series", "correlation", "lag",     "p",      "q",          "together",
					     "kind",   "about",       "against", "how",    "per_thread", "low",
					     "high",   "held",        "share",   "rivals", "by",         NULL };
	struct row_printer rows;

	row_printer_begin(&rows, t->settings->form, t->printer, names);
	for (size_t i = 0; i < list->count; i++)
		rows_of(t, &rows, &list->at[i]);
	return row_printer_end(&rows, err);
}

/* People see those that are claimed. */
static int
print_claimed(const struct trends *t, const struct explained *e, struct stk_error *err)
{
	const struct ranking *ranking = &e->ranking;
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

/* Which days were compared, where these are not all. */
static void
remark_high_season(const struct trends *t, const struct explained *e)
{
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];

	if (e->ranking.high.known)
		printer_remark(t->printer, "of its high season, from %.10s to %.10s",
			       time_print(from, e->ranking.high.from_day * 86400 * 1000000000, NULL),
			       time_print(to, (e->ranking.high.to_day - 1) * 86400 * 1000000000, NULL));
}

/* The answer first; then which seasons are like its own, unless all follow the load. */
static int
show_for_people(const struct trends *t, const struct explained *e, struct stk_error *err)
{
	if (show_holders(t, e, err) < 0)
		return -1;
	if (!e->seasonal)
		return 0;
	if (e->holders.fit.known && e->holders.fit.count == 0 && heap_follows_load(&e->holders.fit)) {
		printer_remark(t->printer,
			       "the seasons of many series are like its own, as that of the load is (-f tsv)");
		return 0;
	}
	if (e->holders.slots > 0)
		printer_title(t->printer, "seasons like its own");
	remark_high_season(t, e);
	return print_claimed(t, e, err);
}

int
show_ranks(const struct trends *t, struct stk_error *err)
{
	struct explained_list list;
	int result = explain_subjects(t, &list, err);

	for (size_t i = 0; i < list.count && result == 0 && t->settings->form == ROWS_TEXT; i++) {
		if (i > 0)
			add_char(&t->printer->text, '\n');
		result = show_for_people(t, &list.at[i], err);
	}
	if (result == 0 && t->settings->form != ROWS_TEXT)
		result = print_rows(t, &list, err);
	explained_release(&list);
	return result;
}
