/* SPDX-License-Identifier: MIT
 * holders_table: what holds a metric such as the heap: the answer as a sentence, then how much each holder has. */
#include "series_text.h"
#include "trend_views.h"

#include "base/probability.h"
#include "base/quantities.h"

#include <math.h>

#define DAYS_ENOUGH 10.0 /* below that few days are compared, whose hours are alike */

const struct heap_holder *
holder_of(const struct explained *e, uint32_t number)
{
	for (size_t k = 0; k < e->holders.fit.count; k++)
		if (e->holders.classes[e->holders.fit.holders[k].class] == number)
			return &e->holders.fit.holders[k];
	return NULL;
}

struct heap_holder
holder_of_load(const struct explained *e)
{
	return (struct heap_holder){ .class = e->holders.compared,
				     .per_thread = e->holders.fit.load,
				     .error = e->holders.fit.load_error,
				     .held = e->holders.fit.load_held };
}

struct telling {
	const struct trends *trends;
	const struct explained *of;
	const struct series *subject;
	double z;
	struct text_buffer text;
};

static void
add(struct telling *t, double amount)
{
	add_amount(t->subject, amount, &t->text);
}

/* "45.2M a thread (95 %: 40.1M to 50.3M)" */
static void
add_each(struct telling *t, const struct heap_holder *holder, const char *unit)
{
	add(t, holder->per_thread);
	add_format(&t->text, " %s (%g %%: ", unit, 100 * t->trends->settings->confidence);
	add(t, fmax(0, holder->per_thread - t->z * holder->error));
	add_string(&t->text, " to ");
	add(t, holder->per_thread + t->z * holder->error);
	add_char(&t->text, ')');
}

/* Not more than all: an estimate may be. */
static double
percent_of(const struct telling *t, double held)
{
	return fmin(100, 100 * held / t->of->holders.fit.mean);
}

static void
add_held(struct telling *t, double held)
{
	add(t, held);
	add_string(&t->text, " of ");
	add(t, t->of->holders.fit.mean);
	add_format(&t->text, " on average, %.0f %%", percent_of(t, held));
}

static void
add_holder(struct telling *t, const struct heap_holder *holder)
{
	uint32_t number = t->of->holders.classes[holder->class];

	if (!holder->grows) {
		add_series(series_set_at(t->trends->set, number), &t->text);
		add_string(&t->text, " holds ");
		add_each(t, holder, "a thread");
		add_string(&t->text, " of ");
		series_add_name(t->subject, &t->text);
		add_string(&t->text, ": ");
		add_held(t, holder->held);
		return;
	}
	series_add_name(t->subject, &t->text);
	add_string(&t->text, " grows while ");
	if (number != 0)
		add_series(series_set_at(t->trends->set, number), &t->text);
	else
		add_string(&t->text, "threads of any class");
	add_string(&t->text, number != 0 ? " runs: by " : " run: by ");
	add_each(t, holder, "a thread and hour");
}

static void
say_answer(struct telling *t)
{
	const struct heap_fit *fit = &t->of->holders.fit;
	struct heap_holder load = holder_of_load(t->of);

	if (fit->count > 0) {
		add_holder(t, &fit->holders[0]);
		if (fit->count > 1)
			add_format(&t->text, "; %zu more are in the table", fit->count - 1);
	} else if (heap_follows_load(fit)) {
		if (t->of->holders.days < DAYS_ENOUGH)
			add_format(&t->text, "as far as %.1f days can tell, ", t->of->holders.days);
		series_add_name(t->subject, &t->text);
		add_string(&t->text, " follows the total load: ");
		add_each(t, &load, "a thread");
		add_string(&t->text, ", ");
		add_held(t, load.held);
		add_string(&t->text, "; no class stands out, but one whose threads come and go with the load may hold it alone");
	} else {
		add_string(&t->text, "no class explains ");
		series_add_name(t->subject, &t->text);
		if (!isnan(fit->least)) {
			add_string(&t->text, ": one that holds less than ");
			add(t, fit->least);
			add_string(&t->text, " a thread is not seen");
		}
	}
	printer_prose(t->trends->printer, 0, text_in(&t->text, 0));
}

/* --- the table --- */

static void
each_cell(struct telling *t, struct row_printer *rows, double amount, bool grows)
{
	t->text.count = 0;
	add(t, amount);
	add_string(&t->text, grows ? "/h" : "");
	row_text(rows, text_in(&t->text, 0));
}

static void
holder_row(struct telling *t, struct row_printer *rows, const struct heap_holder *holder)
{
	each_cell(t, rows, holder->per_thread, holder->grows);
	each_cell(t, rows, fmax(0, holder->per_thread - t->z * holder->error), holder->grows);
	each_cell(t, rows, holder->per_thread + t->z * holder->error, holder->grows);
	each_cell(t, rows, holder->held, false);
	t->text.count = 0;
	add_format(&t->text, "%.0f", percent_of(t, holder->held));
	row_text(rows, text_in(&t->text, 0));
}

static int
print_table(struct telling *t, struct stk_error *err)
{
	const struct heap_holders *h = &t->of->holders;
	struct heap_holder load = holder_of_load(t->of);
	const char *names[SERIES_NAMES + 6] = { "series>", "a thread#", "low#?", "high#?", "held#", "%#", NULL };
	struct series_labels labels = { 0 };
	struct row_printer rows;
	int result;

	for (size_t k = 0; k < h->fit.count; k++)
		if (h->classes[h->fit.holders[k].class] != 0)
			series_labels_add(&labels, t->trends->set, h->classes[h->fit.holders[k].class]);
	series_labels_make(&labels);
	row_printer_begin(&rows, ROWS_TEXT, t->trends->printer, names);
	rows.table.fair = SERIES_FAIR;
	for (size_t k = 0, i = 0; k < h->fit.count; k++) {
		if (h->classes[h->fit.holders[k].class] != 0)
			series_cells(&labels, i++, &rows);
		else
			row_text(&rows, text_from("(all threads)"));
		holder_row(t, &rows, &h->fit.holders[k]);
	}
	if (heap_follows_load(&h->fit)) {
		row_text(&rows, text_from("(all threads)"));
		holder_row(t, &rows, &load);
	}
	table_print(&rows.table, t->trends->printer);
	result = row_printer_end(&rows, err);
	series_labels_release(&labels);
	return result;
}

/* --- how sure it is --- */

static void
remark_rivals(struct telling *t)
{
	const struct heap_holders *h = &t->of->holders;

	for (size_t k = 0; k < h->fit.count; k++)
		for (size_t i = 0; i < h->fit.holders[k].rivals_count; i++) {
			t->text.count = 0;
			add_series(series_set_at(t->trends->set, h->classes[h->fit.holders[k].rivals[i]]), &t->text);
			add_string(&t->text, " explains as much as ");
			add_series(series_set_at(t->trends->set, h->classes[h->fit.holders[k].class]), &t->text);
			add_string(&t->text, ": it may be either");
			printer_remark(t->trends->printer, "%.*s", (int)t->text.count, t->text.at);
		}
}

static void
remark_basis(struct telling *t)
{
	const struct heap_holders *h = &t->of->holders;
	struct printer *to = t->trends->printer;

	t->text.count = 0;
	add(t, h->fit.leak);
	printer_remark(
		to,
		"%zu classes over %.1f days with %zu %s; explains %.0f %% of what a base and a leak of %.*s a day leave",
		h->compared, h->days, h->restarts, plural(h->restarts, "restart", "restarts"),
		100 * fmax(0, h->fit.explained), (int)t->text.count, t->text.at);
	if (h->days < DAYS_ENOUGH)
		printer_remark(
			to,
			"less than %.0f days: what is busy at the same hours can be taken for another, and limits are wide",
			DAYS_ENOUGH);
	if (h->by_mean) {
		t->text.count = 0;
		series_add_name(t->subject, &t->text);
		printer_remark(
			to,
			"%.*s goes by the mean of each %s, of which %.0f %% is explained, %.0f %% of its least measure: what the next collection frees counts, too",
			(int)t->text.count, t->text.at, h->hours == 1 ? "hour" : "slot", 100 * fmax(0, h->fit.explained),
			100 * fmax(0, h->explained_least));
	}
	if (h->left_out > 0)
		printer_remark(to, "%zu classes with fewer threads are not compared", h->left_out);
	if (h->sources > 1)
		printer_remark(to, "threads of all %zu sources together: none has the name of the metric's source",
			       h->sources);
}

int
show_holders(const struct trends *trends, const struct explained *e, struct stk_error *err)
{
	struct telling t = { .trends = trends,
			     .of = e,
			     .subject = series_set_at(trends->set, e->subject),
			     .z = normal_quantile(0.5 + trends->settings->confidence / 2) };
	const struct heap_fit *fit = &e->holders.fit;
	int result = 0;

	if (!fit->known) {
		if (e->holders.slots > 0)
			printer_remark(trends->printer,
				       "bytes a thread need %d %s of dumps and measures: %zu are there",
				       HEAP_SLOTS_LEAST, e->holders.hours == 1 ? "hours" : "times", e->holders.slots);
		return 0;
	}
	say_answer(&t);
	if (fit->count > 0 || heap_follows_load(fit))
		result = print_table(&t, err);
	if (result == 0) {
		remark_rivals(&t);
		remark_basis(&t);
	}
	array_release(&t.text);
	return result;
}
