/* SPDX-License-Identifier: MIT
 * stkdiag: says what is wrong in thread dumps. */
#include "diag_settings.h"
#include "diag_views.h"

#include "base/quantities.h"
#include "diag/finding_change.h"
#include "group/scheme_files.h"
#include "program/filter.h"
#include "program/lost_ids.h"
#include "program/printing.h"
#include "program/program.h"
#include "program/scheme_places.h"

/* What is found in a window. */
struct look {
	struct selection *window, *chosen;
	struct diagnosis *diagnosis;
	struct diag_findings *findings;
};

struct stkdiag {
	struct settings settings;
	struct filter filter;
	struct model *model;
	struct look here, other;	/* other: of --compare */
	struct finding_union *all;	/* of --merge */
	struct selection *both;		/* the windows that are read */
	struct printer printer;
};

/* --- opening --- */

/* All threads of the window are looked at, whatever the conditions: a thread that was not chosen may hold what those
 * wait for that were. */
static int
open_selections(struct stkdiag *s, struct look *look, const struct selection_options *chosen, struct stk_error *err)
{
	struct selection_options window = { .from_ns = chosen->from_ns, .to_ns = chosen->to_ns,
					    .windows = chosen->windows, .windows_count = chosen->windows_count };

	if (chosen->event == NULL) {		/* a thread of a dump may have native stacks beside its own */
		window.one_event = true;
		window.first_event = EVENT_NONE;
	}
	if (selection_open(&look->window, s->model, &window, err) < 0)
		return -1;
	return selection_open(&look->chosen, s->model, chosen, err);
}

static int
open_look(struct stkdiag *s, struct look *look, const struct selection_options *chosen, struct stk_error *err)
{
	struct diagnosis_options options = { .limits = &s->settings.limits, .model = s->model };

	if (open_selections(s, look, chosen, err) < 0 ||
	    scheme_file_read(&options.waits, "waits", scheme_places(), err) < 0)
		return -1;
	if (scheme_file_read(&options.idle, "idle", scheme_places(), err) < 0) {
		scheme_close(options.waits);
		return -1;
	}
	options.window = look->window;
	options.chosen = look->chosen;
	diagnosis_open(&look->diagnosis, &options);
	return 0;
}

static int
open_looks(struct stkdiag *s, struct stk_error *err)
{
	const struct sample_choice *choice = &s->settings.choice;
	const struct other_window *other = &s->settings.other;
	struct selection_options there, both;

	if (open_look(s, &s->here, &choice->selection, err) < 0)
		return -1;
	if (s->settings.compare == NULL)
		return 0;
	there = other_window_selection(choice, other->own, other->own_count);
	both = other_window_selection(choice, other->both, other->both_count);
	if (selection_open(&s->both, s->model, &both, err) < 0)
		return -1;
	return open_look(s, &s->other, &there, err);
}

static int
open_all(struct stkdiag *s, char **operands, int count, struct stk_error *err)
{
	if (s->settings.rules != NULL && diag_limits_read(&s->settings.limits, s->settings.rules, err) < 0)
		return -1;
	if (filter_open(&s->filter, operands, count, err) < 0)
		return -1;
	if (!s->settings.form_given && !output_is_terminal(s->filter.output))
		s->settings.form = DIAG_RECORDS;
	if (s->settings.form == DIAG_RECORDS && filter_records(&s->filter, err) < 0)
		return -1;
	s->printer = printer_to(s->filter.output);
	if (model_open(&s->model) < 0)
		return -1;
	if (s->settings.merge)
		finding_union_open(&s->all, s->model);
	return s->settings.merge ? 0 : open_looks(s, err);
}

/* --- blocks --- */

static void
turn(struct stkdiag *s, struct look *look)
{
	diagnosis_turn(look->diagnosis);
	selection_head(look->window, s->filter.reader, 0);
	selection_head(look->chosen, s->filter.reader, 0);
}

static int
take(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct stkdiag *s = context;

	if (block->kind == STK_HEAD) {
		turn(s, &s->here);
		if (s->both != NULL) {
			turn(s, &s->other);
			selection_head(s->both, s->filter.reader, 0);	/* the last one says what is read */
		}
	}
	if (model_take(s->model, s->filter.reader, block, err) < 0 ||
	    diagnosis_take(s->here.diagnosis, s->filter.reader, block, err) < 0)
		return -1;
	return s->both == NULL ? 0 : diagnosis_take(s->other.diagnosis, s->filter.reader, block, err);
}

/* --- ends --- */

/* What was read, and what could not be. */
static void
report_input(const struct stkdiag *s)
{
	const struct dump_intake_totals *totals = dump_intake_totals(diagnosis_intake(s->here.diagnosis));

	if (totals->outside > 0)
		program_say("%llu samples are of a profiler, not of thread dumps, and were left out",
			    (unsigned long long)totals->outside);
	if (totals->backward > 0)
		program_warn("%llu %s: give the files in the order of time, or sort them with stkcat --sort",
			     (unsigned long long)totals->backward,
			     plural(totals->backward, "dump is earlier than the one before it",
				    "dumps are earlier than the ones before them"));
	if (totals->untimed > 0)
		program_say("%llu %s no time: rules that need one do not see them", (unsigned long long)totals->untimed,
			    plural(totals->untimed, "dump has", "dumps have"));
	if (diagnosis_forgotten(s->here.diagnosis) > 0)
		program_say("%llu brief incidents were not kept: there were too many kinds of them",
			    (unsigned long long)diagnosis_forgotten(s->here.diagnosis));
	if (totals->dumps == 0 && diagnosis_measures(s->here.diagnosis) == 0 &&
	    !sample_choice_report(&s->settings.choice, &s->filter))
		program_warn("no thread dumps in the input: nothing was looked at");
	if (totals->threads > 0 && totals->chosen == 0)
		program_warn("none of the %llu threads is selected: nothing was looked at",
			     (unsigned long long)totals->threads);
	report_lost_ids(s->model);
}

static void
raise_alert(const struct stkdiag *s, const struct diag_findings *findings)
{
	for (size_t f = 0; f < findings->list.count; f++)
		if ((int)findings->list.at[f].severity >= s->settings.alert &&
		    findings->list.at[f].rule != RULE_HEALTHY)
			program_status_raise(PROGRAM_FOUND);
}

static int
show(struct stkdiag *s, struct stk_error *err)
{
	const struct diag_view_of other = { &s->settings, s->other.diagnosis, s->other.findings, &s->printer, NULL };
	const struct diag_view_of view = { &s->settings, s->here.diagnosis, s->here.findings, &s->printer,
					   s->both == NULL ? NULL : &other };

	switch (s->settings.form) {
	case DIAG_RECORDS: return write_findings(&view, s->filter.writer, err);
	case DIAG_TEXT:    return show_findings(&view, err);
	default:           return list_findings(&view, err);
	}
}

static void
compare(struct stkdiag *s)
{
	const struct diagnosis *other = s->other.diagnosis;
	struct stk_text names[2];

	s->other.findings = diagnosis_end(s->other.diagnosis);
	findings_compare(s->here.diagnosis, s->here.findings, other, s->other.findings, s->settings.other.touches);
	if (dump_intake_totals(diagnosis_intake(other))->dumps == 0 && diagnosis_measures(other) == 0)
		program_say("--compare: the other window has no thread dumps: there is nothing to compare with");
	if (findings_pair_processes(s->here.diagnosis, other, names))
		program_say("--compare: %.*s is compared with %.*s, since each window has one process",
			    (int)names[0].size, names[0].data, (int)names[1].size, names[1].data);
}

static int
diagnose(struct stkdiag *s, char **operands, int count, struct stk_error *err)
{
	if (open_all(s, operands, count, err) < 0 || filter_each(&s->filter, take, s, err) < 0)
		return -1;
	s->here.findings = diagnosis_end(s->here.diagnosis);
	if (s->both != NULL)
		compare(s);
	report_input(s);
	raise_alert(s, s->here.findings);
	if (show(s, err) < 0)
		return -1;
	return printer_settle(&s->printer, true, err);
}

/* --- findings of other runs --- */

static int
take_findings(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct stkdiag *s = context;

	if (block->kind == STK_HEAD)
		finding_union_turn(s->all);
	if (model_take(s->model, s->filter.reader, block, err) < 0)
		return -1;
	return finding_union_take(s->all, s->filter.reader, block, err);
}

static int
merge(struct stkdiag *s, char **operands, int count, struct stk_error *err)
{
	if (open_all(s, operands, count, err) < 0 || filter_each(&s->filter, take_findings, s, err) < 0)
		return -1;
	finding_union_end(s->all);
	report_lost_ids(s->model);
	if (finding_union_count(s->all) == 0)
		program_warn("no findings in the input (expected records of stkdiag)");
	for (size_t f = 0; f < finding_union_count(s->all); f++) {
		const struct stk_finding *row = &finding_union_at(s->all, f)->row;

		if ((int)row->severity >= s->settings.alert && !text_is(row->rule, diag_rule_facts(RULE_HEALTHY)->name))
			program_status_raise(PROGRAM_FOUND);
	}
	if ((s->settings.form == DIAG_RECORDS ? finding_union_write(s->all, s->filter.writer, err) :
						list_joined(&s->settings, s->all, &s->printer, err)) < 0)
		return -1;
	return printer_settle(&s->printer, true, err);
}

/* What needs no input. */
static int
say_rules(struct stkdiag *s, struct stk_error *err)
{
	static char nothing[] = "/dev/null", *no_input[] = { nothing };

	if (s->settings.rules != NULL && diag_limits_read(&s->settings.limits, s->settings.rules, err) < 0)
		return -1;
	if (filter_open(&s->filter, no_input, 1, err) < 0)
		return -1;
	s->printer = printer_to(s->filter.output);
	if (s->settings.list_rules)
		list_rules(&s->settings.limits, &s->printer.text);
	else if (explain_rule(s->settings.explain, &s->settings.limits, &s->printer, err) < 0)
		return -1;
	return printer_settle(&s->printer, true, err);
}

static void
look_close(struct look *look)
{
	diagnosis_close(look->diagnosis);
	selection_close(look->window);
	selection_close(look->chosen);
}

static void
close_all(struct stkdiag *s)
{
	look_close(&s->here);
	look_close(&s->other);
	finding_union_close(s->all);
	selection_close(s->both);
	model_close(s->model);
	printer_release(&s->printer);
	settings_release(&s->settings);
}

int
main(int argc, char **argv)
{
	static struct stkdiag s;
	struct stk_error err = { 0 };
	int first = settings_read(&s.settings, argc, argv), result;

	if (s.settings.explain != NULL || s.settings.list_rules)
		result = say_rules(&s, &err);
	else if (s.settings.merge)
		result = merge(&s, argv + first, argc - first, &err);
	else
		result = diagnose(&s, argv + first, argc - first, &err);
	filter_close(&s.filter, result == 0);
	close_all(&s);
	return program_finish(&err, NULL);
}
