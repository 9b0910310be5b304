/* SPDX-License-Identifier: MIT
 * finding_rows: findings as rows for programs, and as records for filters. */
#include "diag_views.h"

#include "diag/finding_change.h"
#include "model/recorder.h"
#include "report/row_printer.h"

/* --- rows --- */

static void
list_past(struct row_printer *rows, const struct diag_view_of *view, const struct finding *finding)
{
	const struct finding_past *past = &finding->past;
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];

	row_text(rows, text_from(finding_change_name(past->change)));
	row_time(rows, finding_time(view, finding, from, past->times.from_ns));
	row_time(rows, finding_time(view, finding, to, past->times.to_ns));
}

static void
list_finding(struct row_printer *rows, const struct diag_view_of *view, const struct finding *finding)
{
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];
	uint32_t name = 0;

	if (finding->process != 0)
		name = dump_intake_process(diagnosis_intake(view->diagnosis), finding->process)->name;
	row_time(rows, finding_time(view, finding, from, finding->times.from_ns));
	row_time(rows, finding_time(view, finding, to, finding->times.to_ns));
	row_text(rows, text_from(diag_rule_facts(finding->rule)->name));
	row_text(rows, text_from(severity_name(finding->severity)));
	row_text(rows, finding->subject);
	row_count(rows, finding->threads);
	row_count(rows, finding->samples);
	row_text(rows, finding->summary);
	row_count(rows, finding->dumps);
	row_real(rows, (double)finding->lost_ns / 1e9, 0);
	row_text(rows, diagnosis_text(view->diagnosis, name));
	if (view->settings->compare != NULL)
		list_past(rows, view, finding);
}

/* Whether a finding of the other window is a row: it is gone. */
static bool
is_gone(const struct finding *finding)
{
	return finding->past.change == CHANGE_GONE;
}

#define NAMES "from", "to", "rule", "severity", "subject", "threads", "samples", "summary", "dumps", "lost", "process"

int
list_findings(const struct diag_view_of *view, struct stk_error *err)
{
	static const char *const names[] = { NAMES, NULL };
	static const char *const more[] = { NAMES, "change", "other_from", "other_to", NULL };
	const struct diag_view_of *other = view->other;
	struct row_printer rows;

	row_printer_begin(&rows, view->settings->form == DIAG_TSV ? ROWS_TSV : ROWS_NDJSON, view->printer,
			  other == NULL ? names : more);
	for (size_t f = 0; f < view->findings->list.count; f++)
		list_finding(&rows, view, &view->findings->list.at[f]);
	for (size_t f = 0; other != NULL && f < other->findings->list.count; f++)
		if (is_gone(&other->findings->list.at[f]))
			list_finding(&rows, other, &other->findings->list.at[f]);
	return row_printer_end(&rows, err);
}

/* --- findings of other runs --- */

static void
list_joined_row(struct row_printer *rows, const struct settings *settings, const struct joined_finding *finding)
{
	const struct stk_finding *row = &finding->row;
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];

	row_time(rows, time_of_process(settings, finding->zone, from, row->time));
	row_time(rows, time_of_process(settings, finding->zone, to, row->until));
	row_text(rows, row->rule);
	row_text(rows, text_from(severity_name((enum stk_severity)row->severity)));
	if (settings->form == DIAG_TEXT) {
		row_text(rows, finding->process);
		row_text(rows, row->subject);
		return;
	}
	row_text(rows, row->subject);
	row_count(rows, row->threads);
	row_count(rows, row->samples);
	row_text(rows, row->summary);
	row_count(rows, row->dumps);
	row_real(rows, (double)row->lost / 1e9, 0);
	row_text(rows, finding->process);
}

int
list_joined(const struct settings *settings, const struct finding_union *all, struct printer *printer,
	    struct stk_error *err)
{
	static const char *const names[] = { NAMES, NULL };
	static const char *const few[] = { "from", "to", "rule", "severity", "process", "subject*", NULL };
	size_t count = finding_union_count(all);
	struct row_printer rows;

	if (settings->form == DIAG_TEXT && settings->top > 0 && (size_t)settings->top < count)
		count = (size_t)settings->top;
	if (settings->form == DIAG_TEXT)
		row_printer_begin(&rows, ROWS_TEXT, printer, few);
	else
		row_printer_begin(&rows, settings->form == DIAG_TSV ? ROWS_TSV : ROWS_NDJSON, printer, names);
	for (size_t f = 0; f < count; f++)
		list_joined_row(&rows, settings, finding_union_at(all, f));
	return row_printer_end(&rows, err);
}

/* --- records --- */

/* Only what the findings refer to is defined in the stream. */
struct record_writer {
	const struct diag_view_of *view;
	struct recorder *recorder;
	struct stk_writer *writer;
};

static uint64_t
text_id(const struct record_writer *w, uint32_t text)
{
	return recorder_string(w->recorder, diagnosis_text(w->view->diagnosis, text));
}

static uint64_t
source_id(const struct record_writer *w, uint32_t process)
{
	struct stk_source row;

	if (process == 0)
		return 0;
	row = dump_intake_process(diagnosis_intake(w->view->diagnosis), process)->row;
	row.name = text_id(w, dump_intake_process(diagnosis_intake(w->view->diagnosis), process)->name);
	row.host = text_id(w, (uint32_t)row.host);
	row.process = text_id(w, (uint32_t)row.process);
	row.vm = text_id(w, (uint32_t)row.vm);
	row.zone = text_id(w, (uint32_t)row.zone);
	return recorder_source(w->recorder, &row);
}

static uint64_t
stack_id(const struct record_writer *w, uint32_t stack)
{
	const struct stack_facts *stacks = diagnosis_stacks(w->view->diagnosis);
	uint32_t id = 0;

	for (uint32_t f = stack_fact(stacks, stack)->depth; f-- > 0; ) {
		struct stk_frame frame = { .function = text_id(w, stack_fact_function(stacks, stack, f)) };

		id = recorder_stack(w->recorder, id, recorder_frame(w->recorder, &frame));
	}
	return id;
}

static int
write_evidence(const struct record_writer *w, const struct finding *finding, uint64_t number, struct stk_error *err)
{
	for (size_t e = 0; e < finding->evidence.count; e++) {
		const struct evidence *evidence = &finding->evidence.at[e];
		struct stk_thread thread = { .source = source_id(w, finding->process),
					     .name = text_id(w, evidence->thread) };
		struct stk_evidence row = { .finding = number, .part = evidence->part,
					    .thread = recorder_thread(w->recorder, &thread),
					    .stack = stack_id(w, evidence->stack), .class = text_id(w, evidence->class),
					    .address = evidence->address, .dumps = evidence->dumps,
					    .time = evidence->times.from_ns, .until = evidence->times.to_ns };

		if (stk_writer_add(w->writer, STK_EVIDENCE, &row, err) < 0)
			return -1;
	}
	return 0;
}

static int
write_finding(const struct record_writer *w, const struct finding *finding, uint64_t number, struct stk_error *err)
{
	struct stk_finding row = { .time = finding->times.from_ns, .until = finding->times.to_ns, .number = number,
				   .rule = text_from(diag_rule_facts(finding->rule)->name),
				   .severity = finding->severity, .source = source_id(w, finding->process),
				   .subject = finding->subject, .threads = finding->threads,
				   .samples = finding->samples, .dumps = finding->dumps, .lost = finding->lost_ns,
				   .summary = finding->summary,
				   .change = text_from(finding_change_name(finding->past.change)),
				   .other_time = finding->past.times.from_ns,
				   .other_until = finding->past.times.to_ns };

	if (stk_writer_add(w->writer, STK_FINDING, &row, err) < 0)
		return -1;
	return write_evidence(w, finding, number, err);
}

/* Those that are gone follow, as findings of the other window. */
static int
write_gone(struct record_writer *w, const struct diag_view_of *other, uint64_t number, struct stk_error *err)
{
	w->view = other;
	for (size_t f = 0; f < other->findings->list.count; f++)
		if (is_gone(&other->findings->list.at[f]) &&
		    write_finding(w, &other->findings->list.at[f], ++number, err) < 0)
			return -1;
	return 0;
}

int
write_findings(const struct diag_view_of *view, struct stk_writer *writer, struct stk_error *err)
{
	struct record_writer w = { .view = view, .writer = writer };
	size_t count = view->findings->list.count;
	int result = 0;

	if (recorder_open(&w.recorder, writer) < 0)
		return stk_fail(err, STK_ESYSTEM, "out of memory");
	for (size_t f = 0; result == 0 && f < count; f++)
		result = write_finding(&w, &view->findings->list.at[f], f + 1, err);
	if (result == 0 && view->other != NULL)
		result = write_gone(&w, view->other, count, err);
	if (result == 0)
		result = recorder_error(w.recorder, err);
	recorder_close(w.recorder);
	return result;
}
