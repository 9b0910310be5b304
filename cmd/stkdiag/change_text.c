/* SPDX-License-Identifier: MIT
 * change_text: what --compare found, for people. */
#include "diag_views.h"

#include "base/quantities.h"
#include "diag/finding_change.h"

/* --- all findings --- */

static void
add_windows(struct text_buffer *to, const struct settings *settings)
{
	const struct time_zone *zone = sample_choice_typing_zone(&settings->choice);
	const struct other_window *other = &settings->other;

	for (unsigned w = 0; w < other->own_count; w++) {
		const struct time_window *window = &other->own[w];
		char from[TIME_TEXT_MAX], until[TIME_TEXT_MAX];

		add_string(to, w == 0 ? "" : " and ");
		if (window->from_ns > STK_TIME_LEAST)
			add_string(to, time_print(from, window->from_ns, zone));
		add_string(to, "..");
		if (window->to_ns < STK_TIME_MOST)
			add_string(to, time_print(until, window->to_ns, zone));
	}
}

static void
add_count(struct text_buffer *to, size_t count, const char *what, bool *any)
{
	if (count == 0)
		return;
	add_format(to, "%s%zu %s", *any ? ", " : ": ", count, what);
	*any = true;
}

void
print_comparison(const struct diag_view_of *view)
{
	const struct diag_view_of *other = view->other;
	struct text_buffer line = { 0 };
	uint64_t dumps, measures;
	bool any = false;

	if (other == NULL)
		return;
	dumps = dump_intake_totals(diagnosis_intake(other->diagnosis))->dumps;
	measures = diagnosis_measures(other->diagnosis);
	add_string(&line, "Compared with ");
	add_windows(&line, view->settings);
	if (dumps == 0 && measures == 0) {
		add_string(&line, ": nothing, since it has no thread dumps");
	} else {
		add_format(&line, " (%llu %s)", (unsigned long long)dumps, plural(dumps, "dump", "dumps"));
		add_count(&line, findings_changed(view->findings, CHANGE_NEW), "new", &any);
		add_count(&line, findings_changed(view->findings, CHANGE_CONTINUED), "continued", &any);
		add_count(&line, findings_changed(view->findings, CHANGE_LONGER), "longer", &any);
		add_count(&line, findings_changed(view->findings, CHANGE_SHORTER), "shorter", &any);
		add_count(&line, findings_changed(view->findings, CHANGE_SAME), "the same", &any);
		add_count(&line, findings_changed(other->findings, CHANGE_GONE), "gone", &any);
		add_count(&line, findings_changed(view->findings, CHANGE_UNKNOWN), "of processes that it has no dumps of",
			  &any);
		add_count(&line, findings_changed(other->findings, CHANGE_UNKNOWN),
			  "there of processes that have no dumps here", &any);
		add_string(&line, any ? "" : ": nothing found on either side");
	}
	add_char(&line, '.');
	printer_prose(view->printer, 0, text_in(&line, 0));
	array_release(&line);
}

/* --- one finding --- */

static void
add_lengths(struct text_buffer *to, const struct finding_past *past, const char *word)
{
	char here[TIME_TEXT_MAX], there[TIME_TEXT_MAX];

	add_format(to, "%s: %s in all, %s there", word, duration_print(here, past->here_ns),
		   duration_print(there, past->length_ns));
}

void
print_change(const struct diag_view_of *view, const struct finding *finding)
{
	const struct finding_past *past = &finding->past;
	struct text_buffer line = { 0 };

	switch (past->change) {
	case CHANGE_NONE:
	case CHANGE_GONE:      return;
	case CHANGE_NEW:       add_string(&line, "New: the other window does not show it"); break;
	case CHANGE_UNKNOWN:   add_string(&line, "Not compared: the other window has no dumps of its process"); break;
	case CHANGE_CONTINUED: add_string(&line, "Continued: the other window shows it"); break;
	case CHANGE_LONGER:    add_lengths(&line, past, "Longer"); break;
	case CHANGE_SHORTER:   add_lengths(&line, past, "Shorter"); break;
	case CHANGE_SAME:      add_lengths(&line, past, "The same"); break;
	}
	if (time_range_is_known(&past->times)) {
		add_string(&line, ", ");
		add_times(&line, view, finding, &past->times);
	}
	add_char(&line, '.');
	printer_prose(view->printer, 2, text_in(&line, 0));
	array_release(&line);
}

static void
print_gone_finding(const struct diag_view_of *view, const struct finding *finding)
{
	struct text_buffer line = { 0 };
	size_t from;

	add_char(&view->printer->text, '\n');
	from = view->printer->text.count;
	add_format(&line, "gone, %s, %s: ", severity_name(finding->severity), diag_rule_facts(finding->rule)->name);
	add_text(&line, finding->subject);
	printer_prose(view->printer, 0, text_in(&line, 0));
	printer_paint(view->printer, from, PAINT_COLD);
	line.count = 0;
	add_times(&line, view, finding, &finding->times);
	add_string(&line, ": ");
	add_text(&line, finding->summary);
	add_char(&line, '.');
	printer_prose(view->printer, 2, text_in(&line, 0));
	array_release(&line);
}

int
print_gone(const struct diag_view_of *view, struct stk_error *err)
{
	const struct diag_view_of *other = view->other;

	for (size_t f = 0; other != NULL && f < other->findings->list.count; f++) {
		if (other->findings->list.at[f].past.change == CHANGE_GONE)
			print_gone_finding(other, &other->findings->list.at[f]);
		if (printer_settle(view->printer, false, err) < 0)
			return -1;
	}
	return 0;
}
