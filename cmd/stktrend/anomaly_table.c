/* SPDX-License-Identifier: MIT
 * anomaly_table: --anomalies: what should not have been, in the order of time. */
#include "series_text.h"
#include "trend_views.h"

#include "base/time_math.h"

#include <math.h>
#include <stdlib.h>

/* --- which --- */

bool
is_told_anomaly(const struct trends *t, const struct found_change *change)
{
	const struct series *s = change->series == 0 ? NULL : series_set_at(t->set, change->series);

	return !change->old && (!change->dropped || t->settings->all_changes) &&
	       (s == NULL || (!series_set_is_of_halves(t->set, change) && !s->hidden));
}

static int
by_time(const void *a, const void *b)
{
	const struct found_change *x = *(const struct found_change *const *)a,
				  *y = *(const struct found_change *const *)b;

	if (x->change.time_ns != y->change.time_ns)
		return x->change.time_ns < y->change.time_ns ? -1 : 1;
	return (x > y) - (x < y);
}

static int64_t
finding_of(const struct found_change *found)
{
	return found->finding_ns == STK_TIME_UNKNOWN ? found->change.time_ns : found->finding_ns;
}

static bool
is_with(const struct found_change *one, const struct found_change *other)
{
	return one->finding_ns != STK_TIME_UNKNOWN && one->finding_ns == other->finding_ns;
}

/* What belongs together, what moved most first. */
static int
by_finding(const void *a, const void *b)
{
	const struct found_change *x = *(const struct found_change *const *)a,
				  *y = *(const struct found_change *const *)b;
	double first = fabs(x->change.after - x->change.before), second = fabs(y->change.after - y->change.before);

	if (finding_of(x) != finding_of(y))
		return finding_of(x) < finding_of(y) ? -1 : 1;
	if (is_with(x, y) && first != second)
		return first > second ? -1 : 1;
	return by_time(a, b);
}

/* Those that are shown. Free it. */
static const struct found_change **
list_changes(const struct trends *t, size_t *count)
{
	const struct found_change **list = mem_new(t->set->changes.count + 1, sizeof *list);

	*count = 0;
	for (size_t i = 0; i < t->set->changes.count; i++)
		if (is_told_anomaly(t, &t->set->changes.at[i]))
			list[(*count)++] = &t->set->changes.at[i];
	if (*count > 0)
		qsort(list, *count, sizeof *list, t->settings->form == ROWS_TEXT ? by_finding : by_time);
	return list;
}

/* What a finding without a series is of. */
static const char *
kind_of(const struct found_change *found, const struct series *s)
{
	return s != NULL ? series_kind_names[s->kind] : strcmp(found->kind, "stuck") == 0 ? "thread" : "all";
}

/* --- for programs --- */

static void
row_for_programs(const struct trends *t, struct row_printer *rows, const struct found_change *found)
{
	const struct series *s = found->series == 0 ? NULL : series_set_at(t->set, found->series);
	const struct change *c = &found->change;
	struct text_buffer name = { 0 };
	char time[TIME_TEXT_MAX];

	if (s == NULL)
		add_text(&name, found->subject);
	else
		series_add_name(s, &name);
	row_time(rows, time_print(time, c->time_ns, t->settings->zone));
	row_text(rows, text_in(&name, 0));
	row_text(rows, text_from(found->kind));
	row_real(rows, c->value, 3);
	row_real(rows, c->expected, 3);
	row_real(rows, c->score, 3);
	row_real(rows, c->before, 3);
	row_real(rows, c->after, 3);
	row_text(rows, text_from(kind_of(found, s)));
	row_text(rows, s == NULL || s->label.data == NULL ? text_of("", 0) : s->label);
	row_time(rows, time_print(time, c->time_ns, t->settings->zone));
	row_time(rows, time_print(time, c->end_ns, t->settings->zone));
	row_time(rows, time_print(time, finding_of(found), t->settings->zone));
	row_real(rows, found->low, 3);
	row_real(rows, found->high, 3);
	array_release(&name);
}

static int
print_rows(const struct trends *t, const struct found_change **list, size_t count, struct stk_error *err)
{
	static const char *const names[] = { "time", "series", "what",  "value", "expected", "score", "before", "after",
					     "kind", "about",  "began", "told",  "finding",  "low",   "high",   NULL };
	struct row_printer rows;

	row_printer_begin(&rows, t->settings->form, t->printer, names);
	for (size_t i = 0; i < count; i++)
		row_for_programs(t, &rows, list[i]);
	return row_printer_end(&rows, err);
}

/* --- for people --- */

/* Threads that are stuck in one place are one row. */
struct shown_row {
	const struct found_change *found;	/* the first */
	size_t threads;
	int64_t longest_ns;
};

struct anomalies {
	const struct trends *trends;
	struct series_labels labels;
	struct row_printer rows;
	ARRAY(struct shown_row) shown;
	bool threads;			/* some findings are of threads and of no series */
};

#define ROWS_OF_FINDING 10 /* shown; --all: all of them */

static bool
is_stuck(const struct found_change *found)
{
	return strcmp(found->kind, "stuck") == 0;
}

/* How it usually is, and how it was seen. */
static void
figures(struct row_printer *rows, const struct series *s, const struct shown_row *row)
{
	const struct found_change *found = row->found;
	const struct change *c = &found->change;
	char time[TIME_TEXT_MAX];

	static const struct series threads = { .kind = STK_SERIES_CLASS };

	if (is_stuck(found)) {
		row_number(rows, NAN);
		row_text(rows, text_from(duration_print(time, row->longest_ns)));
		row_number(rows, NAN);
		return;
	}
	s = s == NULL ? &threads : s;
	row_amount(rows, s, is_new_level(found) ? c->before : c->expected);
	row_amount(rows, s, is_new_level(found) ? c->after : c->value);
	row_number(rows, c->score);
}

/* "a.Loop.spin" of "thread worker-1 in a.Loop.spin" */
static struct stk_text
place_of(const struct found_change *found)
{
	static const char between[] = " in ";
	struct stk_text place = found->subject;

	for (size_t i = place.size; i-- > 0;)
		if (text_starts(text_of(place.data + i, place.size - i), between)) {
			i += sizeof between - 1;
			return text_of(place.data + i, place.size - i);
		}
	return place;
}

/* The row of other threads that are stuck in the same place; NULL: there is none. */
static struct shown_row *
row_of_place(struct anomalies *a, const struct found_change *found)
{
	for (size_t i = 0; i < a->shown.count && is_stuck(found) && !a->trends->settings->all_changes; i++)
		if (is_stuck(a->shown.at[i].found) && text_equal(place_of(a->shown.at[i].found), place_of(found)))
			return &a->shown.at[i];
	return NULL;
}

static void
choose_rows(struct anomalies *a, const struct found_change **list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct shown_row *row = row_of_place(a, list[i]);
		int64_t lasted = time_difference(list[i]->change.time_ns, list[i]->change.end_ns);

		if (row == NULL) {
			row = array_push(&a->shown);
			*row = (struct shown_row){ .found = list[i] };
		}
		row->threads++;
		row->longest_ns = lasted > row->longest_ns ? lasted : row->longest_ns;
	}
}

static void
subject_cell(struct anomalies *a, const struct shown_row *row)
{
	struct stk_text place = place_of(row->found);
	struct text_buffer text = { 0 };

	if (row->threads > 1)
		add_format(&text, "%zu threads in %.*s", row->threads, (int)place.size, place.data);
	else
		add_text(&text, row->found->subject);
	row_text(&a->rows, text_in(&text, 0));
	array_release(&text);
}

static void
row_for_people(struct anomalies *a, const struct shown_row *row, size_t *named)
{
	const struct found_change *found = row->found;
	const struct series *s = found->series == 0 ? NULL : series_set_at(a->trends->set, found->series);

	row_minute(&a->rows, found->change.time_ns, a->trends->settings->zone);
	if (s != NULL) {
		series_cells(&a->labels, (*named)++, &a->rows);
	} else {
		subject_cell(a, row);
		if (a->labels.kinds)
			row_text(&a->rows, text_from(kind_of(found, s)));
		if (a->labels.parts)
			row_text(&a->rows, text_of("", 0));
	}
	row_paint(&a->rows, found->dropped ? PAINT_NONE : PAINT_HOT);
	row_text(&a->rows, text_from(found->kind));
	row_paint(&a->rows, PAINT_NONE);
	figures(&a->rows, s, row);
}

static void
begin_table(struct anomalies *a)
{
	/* the row printer keeps them while it is used */
	static const char *names[SERIES_NAMES + 6];
	unsigned n = 0;

	names[n++] = a->trends->settings->zone == NULL ? "time (UTC)" : "time";
	n += series_columns(&a->labels, names + n);
	names[n++] = "what";
	names[n++] = "usual#";
	names[n++] = "seen#";
	names[n++] = "score#?";
	names[n] = NULL;
	row_printer_begin(&a->rows, ROWS_TEXT, a->trends->printer, names);
}

/* How many rows from the first on are of one finding. */
static size_t
rows_of_finding(const struct found_change **list, size_t count)
{
	size_t rows = 1;

	while (rows < count && is_with(list[0], list[rows]))
		rows++;
	return rows;
}

static size_t
shown_of(const struct trends *t, size_t rows)
{
	return rows > ROWS_OF_FINDING && !t->settings->all_changes ? ROWS_OF_FINDING : rows;
}

static void
label_rows(struct anomalies *a, const struct found_change **list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i]->series > 0)
			series_labels_add(&a->labels, a->trends->set, list[i]->series);
		a->threads |= list[i]->series == 0;
	}
}

/* A finding of many rows keeps those that moved most. Returns how many rows are kept in all. */
static size_t
drop_hidden_rows(const struct trends *t, const struct found_change **list, size_t count, size_t *left_out)
{
	size_t kept = 0;

	*left_out = 0;
	for (size_t i = 0, rows; i < count; i += rows) {
		size_t shown;

		rows = rows_of_finding(list + i, count - i);
		shown = shown_of(t, rows);
		memmove(list + kept, list + i, shown * sizeof(struct found_change *));
		kept += shown;
		*left_out += rows - shown;
	}
	return kept;
}

static int
print_table(const struct trends *t, const struct found_change **list, size_t count, struct stk_error *err)
{
	struct anomalies a = { .trends = t };
	size_t named = 0, left_out;
	int result;

	count = drop_hidden_rows(t, list, count, &left_out);
	label_rows(&a, list, count);
	choose_rows(&a, list, count);
	series_labels_make(&a.labels);
	a.labels.kinds |= a.threads && a.labels.numbers.count > 0;
	begin_table(&a);
	for (size_t i = 0; i < a.shown.count; i++)
		row_for_people(&a, &a.shown.at[i], &named);
	table_print(&a.rows.table, t->printer);
	series_remark(&a.labels, t->printer);
	if (left_out > 0)
		printer_remark(t->printer, "%zu more rows of findings that have more than %d (--all)", left_out,
			       ROWS_OF_FINDING);
	if (a.shown.count < count)
		printer_remark(t->printer, "threads in one place are one row, from when the first was there, with the longest time (--all: each)");
	result = row_printer_end(&a.rows, err);
	series_labels_release(&a.labels);
	array_release(&a.shown);
	return result;
}

int
show_anomalies(const struct trends *t, struct stk_error *err)
{
	size_t count;
	const struct found_change **list = list_changes(t, &count);
	int result = t->settings->form == ROWS_TEXT ? print_table(t, list, count, err)
						    : print_rows(t, list, count, err);

	say_what_was_judged(t, count);
	free(list);
	return result;
}
