/* SPDX-License-Identifier: MIT
 * changes_table: --changes: what is another after a moment than before it. */
#include "series_text.h"
#include "trend_views.h"

#include "program/program.h"
#include "trend/what_changed.h"

#include <math.h>
#include <stdio.h>

#define LEFT_OUT_SHOWN 0.01

static const char *
kind_of(const struct changed_series *row)
{
	return row->is_new ? "new" : row->is_gone ? "gone" : row->shifted ? "cost-shift" :
	       row->change.ratio > 1 ? "more" : "less";
}

/* --- for programs --- */

static void
row_for_programs(const struct trends *t, struct row_printer *rows, const struct what_changed *is,
		 const struct changed_series *row)
{
	const struct series *s = series_set_at(t->set, row->number);
	const struct count_change *c = &row->change;
	struct text_buffer name = { 0 };
	char time[TIME_TEXT_MAX];

	row_time(rows, time_print(time, is->from_ns, t->settings->zone));
	row_time(rows, time_print(time, is->to_ns, t->settings->zone));
	series_add_name(s, &name);
	row_text(rows, text_in(&name, 0));
	row_kind_and_about(s, rows);
	row_text(rows, text_from(kind_of(row)));
	row_real(rows, c->level[0], 3);
	row_real(rows, c->level[1], 3);
	row_real(rows, c->ratio, 6);
	row_real(rows, c->low, 6);
	row_real(rows, c->high, 6);
	row_real(rows, is->usual, 6);
	row_real(rows, c->p, 6);
	row_real(rows, row->q, 6);
	row_time(rows, time_print(time, row->began_ns, t->settings->zone));
	row_count(rows, row->within);
	array_release(&name);
}

static int
print_rows(const struct trends *t, const struct what_changed *is, struct stk_error *err)
{
	static const char *const names[] = { "from",  "to",   "series", "kind",  "about", "what", "before", "after",
					     "ratio", "low",  "high",   "usual", "p",     "q",    "began",  "within",
					     NULL };
	struct row_printer rows;

	row_printer_begin(&rows, t->settings->form, t->printer, names);
	for (size_t i = 0; i < is->rows.count; i++)
		row_for_programs(t, &rows, is, &is->rows.at[i]);
	return row_printer_end(&rows, err);
}

/* --- for people --- */

static void
add_ratio(double ratio, struct text_buffer *to)
{
	if (isinf(ratio))
		add_char(to, '-');
	else
		add_format(to, ratio < 10 ? "%.2g" : "%.0f", ratio);
}

/* "0.5 to 0.7", "over 20", "below 0.01" */
static void
row_limits(struct row_printer *rows, const struct count_change *c)
{
	struct text_buffer text = { 0 };

	if (isinf(c->high)) {
		add_string(&text, "over ");
		add_ratio(c->low, &text);
	} else if (c->low <= 0) {
		add_string(&text, "below ");
		add_ratio(c->high, &text);
	} else {
		add_ratio(c->low, &text);
		add_string(&text, " to ");
		add_ratio(c->high, &text);
	}
	row_text(rows, text_in(&text, 0));
	array_release(&text);
}

static void
row_ratio(struct row_printer *rows, double ratio)
{
	struct text_buffer text = { 0 };

	add_ratio(ratio, &text);
	row_text(rows, text_in(&text, 0));
	array_release(&text);
}

/* "12 series changed: 3 new, 1 gone, 8 more or less" */
static void
add_kinds(const struct what_changed *is, struct text_buffer *to)
{
	size_t new = 0, gone = 0;

	for (size_t i = 0; i < is->rows.count; i++) {
		new += is->rows.at[i].is_new;
		gone += is->rows.at[i].is_gone;
	}
	add_format(to, "%zu %s: %zu new, %zu gone, %zu more or less", is->rows.count,
		   is->rows.count == 1 ? "change" : "changes", new, gone, is->rows.count - new - gone);
}

static void
print_heading(const struct trends *t, const struct what_changed *is)
{
	const struct time_zone *zone = t->settings->zone;
	struct text_buffer text = { 0 };
	char step[TIME_TEXT_MAX];

	add_minute(is->from_ns, zone, &text);
	if (is->to_ns != is->from_ns) {
		add_string(&text, " to ");
		add_minute(is->to_ns, zone, &text);
	}
	add_string(&text, zone == NULL ? " UTC" : "");
	if (is->searched)
		add_format(&text, ", give or take %s", duration_print(step, t->set->step_ns));
	add_string(&text, "; ");
	add_kinds(is, &text);
	if (!isnan(is->all.ratio))
		add_format(&text, "; all threads %.3g before, %.3g after (x%.2f, %.2f to %.2f)", is->all.level[0],
			   is->all.level[1], is->all.ratio, is->all.low, is->all.high);
	printer_prose(t->printer, 0, text_in(&text, 0));
	array_release(&text);
}

static void
print_remarks(const struct trends *t, const struct what_changed *is, size_t shown)
{
	char span[TIME_TEXT_MAX];

	if (shown < is->rows.count)
		printer_remark(t->printer, "and %zu more (--top %zu)", is->rows.count - shown, is->rows.count);
	if (is->season != CHANGES_FLAT && is->left_out >= LEFT_OUT_SHOWN)
		printer_remark(t->printer, "%.0f %% of the dumps are left out: only one side has such times", 100 * is->left_out);
	if (is->season == CHANGES_BY_DAY)
		printer_remark(t->printer, "the two sides have other kinds of days: they are compared by time of day alone");
	if (is->around_ns > 0 && !is->by_line)
		printer_remark(t->printer, "up to %s before and after it are compared",
			       duration_print(span, is->around_ns));
	if (is->by_line)
		printer_remark(t->printer,
			       "too few days to know how days differ: %s before and after the moment are compared, and what rises or falls along a line is no change",
			       duration_print(span, is->around_ns));
	else if (is->season == CHANGES_FLAT && !season_calendar_is_flat(t->set->rules[t->set->stages - 1].calendar))
		printer_remark(t->printer,
			       "the two sides have other times of day: they are compared as they are, so that a season may show");
	printer_remark(t->printer, "%zu series compared: at most %.3g %% of what is claimed may be chance", is->tested,
		       t->settings->discovery * 100);
	if (is->scarce > 0)
		printer_remark(t->printer, "%zu %s too few samples in what both sides have", is->scarce,
			       is->scarce == 1 ? "has" : "have");
}

static void
begin_table(const struct trends *t, const struct series_labels *labels, struct row_printer *rows)
{
	/* the row printer keeps them while it is used */
	static const char *names[SERIES_NAMES + 9];
	unsigned n = series_columns(labels, names);

	names[n++] = "what";
	names[n++] = "before#";
	names[n++] = "after#";
	names[n++] = "times#";
	names[n++] = "limits?";
	names[n++] = t->settings->zone == NULL ? "began (UTC)?" : "began?";
	names[n++] = "within#?";
	if (labels->hashes)
		names[n++] = "name?";
	names[n] = NULL;
	row_printer_begin(rows, ROWS_TEXT, t->printer, names);
	rows->table.fair = SERIES_FAIR;
}

static int
print_table(const struct trends *t, const struct what_changed *is, struct stk_error *err)
{
	size_t shown = is->rows.count < (size_t)t->settings->top ? is->rows.count : (size_t)t->settings->top;
	struct series_labels labels = { 0 };
	struct row_printer rows;
	int result = 0;

	for (size_t i = 0; i < shown; i++)
		series_labels_add(&labels, t->set, is->rows.at[i].number);
	series_labels_make(&labels);
	print_heading(t, is);
	begin_table(t, &labels, &rows);
	for (size_t i = 0; i < shown; i++) {
		const struct changed_series *row = &is->rows.at[i];
		const struct series *s = series_set_at(t->set, row->number);

		series_cells(&labels, i, &rows);
		row_text(&rows, text_from(kind_of(row)));
		row_amount(&rows, s, row->change.level[0]);
		row_amount(&rows, s, row->change.level[1]);
		row_ratio(&rows, row->change.ratio);
		row_limits(&rows, &row->change);
		row_minute(&rows, row->began_ns, t->settings->zone);
		row_count(&rows, row->within);
		if (labels.hashes)
			series_hash_cell(&labels, i, &rows);
	}
	if (shown > 0)
		table_print(&rows.table, t->printer);
	print_remarks(t, is, shown);
	series_remark(&labels, t->printer);
	if (shown > 0)
		result = row_printer_end(&rows, err);
	else
		row_printer_drop(&rows);
	series_labels_release(&labels);
	return result;
}

/* --- all --- */

static int
nothing(const struct trends *t, const struct what_changed *is, struct stk_error *err)
{
	if (series_set_count(t->set) == 0)		/* of which was warned */
		return t->settings->form == ROWS_TEXT ? 0 : print_rows(t, is, err);
	if (is->tested == 0)
		return stk_fail(err, STK_EUSAGE,
				"--changes: no counted series in the input (expected the output of stkclass or stkgroup)");
	if (!is->searched) {
		program_warn("--changes: no whole step with dumps %s that moment: nothing was compared",
			     is->slots[0] == 0 ? "before" : "after");
		return t->settings->form == ROWS_TEXT ? 0 : print_rows(t, is, err);
	}
	if (t->settings->form != ROWS_TEXT)
		return print_rows(t, is, err);
	printer_remark(t->printer, "no moment at which anything changed clearly, in %zu series (--at TIME compares all the same)",
		       is->tested);
	return 0;
}

int
show_changes(const struct trends *t, struct stk_error *err)
{
	const struct settings *s = t->settings;
	struct what_changed is;
	int result;

	if (what_changed_find(&is, t->set, s->changed.from_ns, s->changed.to_ns, s->discovery, err) < 0)
		return -1;
	if (!is.known)
		result = nothing(t, &is, err);
	else
		result = s->form == ROWS_TEXT ? print_table(t, &is, err) : print_rows(t, &is, err);
	what_changed_release(&is);
	return result;
}
