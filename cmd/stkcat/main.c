/* SPDX-License-Identifier: MIT
 * stkcat: looks into, checks, joins, cuts and converts record streams. */
#include "settings.h"

#include "base/quantities.h"
#include "choose/selected_blocks.h"
#include "program/event_choice.h"
#include "program/filter.h"
#include "program/lost_ids.h"
#include "program/printing.h"
#include "program/program.h"
#include "report/other_rows.h"

#include <stdlib.h>

struct stkcat {
	struct settings settings;
	struct filter filter;
	struct model *model;
	struct report report;		/* passed to the form */
	struct printer printer;
	const struct report_form *form;
	void *work;			/* the form's own */
	struct other_rows others;
};

static struct stkcat cat;		/* one a process: the callbacks of report have no context */

static void
remark(const char *text)
{
	program_say("%s", text);
}

static void
missing(const char *text)
{
	program_warn("%s", text);
}

static void
finding(int64_t offset, const char *text)
{
	program_warn("%s:%lld: %s", cat.filter.name, (long long)offset, text);
}

static int
print_kinds(void)
{
	struct stk_error err = { 0 };
	struct output *output = NULL;

	if (output_open(&output, program_common.output, &err) == 0) {
		cat.printer = printer_to(output);
		kinds_add(&cat.printer, program_common.format == NULL ? "text" : program_common.format);
		if (printer_settle(&cat.printer, true, &err) < 0 || output_close(output, true, &err) < 0)
			program_report("output", &err);
	} else {
		program_report("output", &err);
	}
	printer_release(&cat.printer);
	return program_end();
}

/* Whether the form counts samples, and so lacks those of which a time tree has only counts. Records lose the tree where
 * they are not all passed on as they are. */
static bool
misses_thinned(void)
{
	if (cat.form == &records_form)
		return cat.report.sort || cat.report.merge || cat.report.plain_names != 0 ||
		       selection_rows_matter(cat.report.selection);
	return cat.form == &masked_form || cat.form == &summary_form || cat.form == &folded_form ||
	       cat.form == &dumps_form;
}

/* The key of --mask-key, which is made where there is none; without one a random key, which is forgotten. It is
 * written before anything is masked with it. */
static int
open_mask(struct report *report, struct stk_error *err)
{
	const struct settings *s = &cat.settings;
	bool missing = s->mask_key == NULL;

	if (cat.form != &masked_form)
		return 0;
	if (s->mask_key != NULL && mask_key_read(&report->mask_key, s->mask_key, &missing, err) < 0) {
		if (!missing || s->unmask)
			return -1;
		stk_error_clear(err);
	}
	if (missing && (mask_key_random(&report->mask_key, err) < 0 ||
			(s->mask_key != NULL && mask_key_save(report->mask_key, s->mask_key, err) < 0)))
		return -1;
	if (missing && s->mask_key != NULL)
		program_say("%s: made a key; who has this file can unmask, and nobody can without it", s->mask_key);
	else if (missing)
		program_say("no --mask-key: masked with a random key that is not kept, so that nothing can be unmasked");
	return s->unmask ? 0 : name_mask_open(&report->mask, s->mask, report->mask_key, err);
}

/* Names that were masked are in the key's file before the output is. */
static int
end_mask(struct stk_error *err)
{
	struct stk_text pattern;
	unsigned at = 0;

	while (cat.report.mask != NULL && name_mask_unused(cat.report.mask, &at, &pattern))
		program_warn("--mask %.*s: matches nothing in the input", (int)pattern.size, pattern.data);
	if (cat.report.mask == NULL || cat.settings.mask_key == NULL)
		return 0;
	return mask_key_save(cat.report.mask_key, cat.settings.mask_key, err);
}

/* Opens the requested form of output, and what it works with. */
static int
open_form(struct stk_error *err)
{
	struct report *report = &cat.report;
	const struct settings *s = &cat.settings;
	struct selection_options selection = s->choice.selection;

	cat.form = s->form;
	if (cat.form->records && filter_records(&cat.filter, err) < 0)
		return -1;
	if (model_open(&cat.model) < 0)
		return stk_fail(err, STK_ESYSTEM, "cannot begin");
	cat.printer = printer_to(cat.filter.output);
	*report = (struct report){ .model = cat.model,
				   .printer = &cat.printer,
				   .writer = cat.filter.writer,
				   .output = program_common.output,
				   .by = s->by,
				   .top = s->top,
				   .ids = s->ids,
				   .sort = s->sort,
				   .merge = s->merge,
				   .plain_names = s->plain_names,
				   .remark = remark,
				   .missing = missing,
				   .finding = finding };
	report->tsv = program_common.format != NULL && cat.form == &statistics_form && *program_common.format == 't' &&
		      program_common.format[1] == 's';
	if (open_mask(report, err) < 0)
		return -1;
	cat.filter.follow = s->follow;
	if (selection.one_event)
		count_one_event(&selection, &cat.filter);
	if (selection_open(&report->selection, cat.model, &selection, err) < 0)
		return -1;
	if (misses_thinned())
		filter_tell_thinned(&cat.filter, selection.from_ns, selection.to_ns, s->choice.zone);
	naming_open(&report->naming, cat.model, &s->naming);
	moments_open(&report->moments, cat.model, s->choice.zone, cat.form == &summary_form || cat.form == &dumps_form);
	cat.work = cat.form->open(report, err);
	cat.filter.tell_lost = cat.form == &integrity_form;
	return cat.work == NULL ? -1 : 0;
}

static void
select_blocks(void)
{
	uint64_t kinds = cat.form->kinds;

	if (kinds != 0)
		kinds |= cat.form->counts | KIND_BIT(STK_TREE_NODE) | KIND_BIT(STK_TREE);
	selection_head(cat.report.selection, cat.filter.reader, kinds);
	selected_blocks_follow(cat.report.selection, cat.filter.reader, SELECTED_ALL_KINDS);
}

/* Ids start anew: everything that keeps ids forgets them, the form after it has written what they refer to. */
static int
begin_stream(struct stk_error *err)
{
	if (cat.form->turn != NULL && cat.form->turn(cat.work, err) < 0)
		return -1;
	naming_forget(cat.report.naming);
	moments_forget(cat.report.moments);
	if (cat.form != &integrity_form && !cat.form->bare)
		select_blocks();
	return 0;
}

/* False when no id needs to be resolved: records that pass unchanged need not be understood. */
static bool
model_is_needed(void)
{
	return !cat.form->bare && (cat.form != &records_form || selection_rows_matter(cat.report.selection));
}

/* Forms of records, and --check, pass ids on or count the lost ones themselves. */
static bool
shows_ids(unsigned kind)
{
	return model_is_needed() && !cat.form->records && cat.form != &integrity_form &&
	       (cat.form->kinds == 0 || (kind < 64 && (cat.form->kinds >> kind & 1) != 0));
}

static int
take(void *context, const struct stk_block *block, struct stk_error *err)
{
	(void)context;
	if (block->kind == STK_HEAD && begin_stream(err) < 0)
		return -1;
	if (model_is_needed() && model_take(cat.model, cat.filter.reader, block, err) < 0)
		return -1;
	if ((block->kind == STK_TREE_NODE || block->kind == STK_TREE) && cat.form->kinds != 0)
		return 0;		/* the filter looked at it */
	if (block->kind < 64 && (cat.form->counts >> block->kind & 1) != 0)
		return other_rows_take(&cat.others, cat.report.selection, cat.filter.reader, block, err);
	if (shows_ids(block->kind) && model_check(cat.model, cat.filter.reader, block, err) < 0)
		return -1;
	if (cat.form->take(cat.work, cat.filter.reader, block, err) < 0)
		return -1;
	if (cat.settings.follow && cat.filter.writer != NULL)
		return stk_writer_flush(cat.filter.writer, err);
	return printer_settle(&cat.printer, cat.settings.follow, err);
}

/* All blocks of all inputs. -1: it cannot continue. */
static int
take_all(struct stk_error *err)
{
	if (filter_each(&cat.filter, take, NULL, err) < 0 ||
	    (cat.form->turn != NULL && !cat.form->ends && cat.form->turn(cat.work, err) < 0) ||
	    (cat.form->finish != NULL && cat.form->finish(cat.work, err) < 0))
		return -1;
	if (cat.model != NULL && !cat.form->records && cat.form != &integrity_form)
		report_lost_ids(cat.model);
	if (printer_settle(&cat.printer, true, err) < 0)
		return -1;
	other_rows_say(&cat.others, &cat.report, cat.form);
	return 0;
}

static void
say_unmet_kind(void)
{
	struct stk_text name;

	if (cat.report.selection != NULL && selection_unmet(cat.report.selection, &name))
		program_warn("--only: no input has the kind '%.*s' (--kinds lists the known kinds)",
			     (int)name.size, name.data);
}

static void
close_form(void)
{
	if (cat.work != NULL)
		cat.form->close(cat.work);
	name_mask_close(cat.report.mask);
	mask_key_close(cat.report.mask_key);
	moments_close(cat.report.moments);
	naming_close(cat.report.naming);
	selection_close(cat.report.selection);
	model_close(cat.model);
	printer_release(&cat.printer);
	settings_release(&cat.settings);
}

int
main(int argc, char **argv)
{
	struct stk_error err = { 0 };
	int first = settings_read(&cat.settings, argc, argv);
	bool well, usage;

	if (cat.settings.kinds)
		return print_kinds();
	well = filter_open(&cat.filter, argv + first, argc - first, &err) == 0 && open_form(&err) == 0;
	if (!well && err.code == STK_EUSAGE)
		program_usage("%s", err.text);
	well = well && take_all(&err) == 0 && end_mask(&err) == 0;
	usage = !well && err.code == STK_EUSAGE;	/* of --where, by what the records have */
	if (!well && !usage)
		program_report("output", &err);
	if (cat.report.selection != NULL)
		say_other_events(cat.report.selection, &cat.filter);
	say_unmet_kind();
	sample_choice_report(&cat.settings.choice, &cat.filter);
	filter_close(&cat.filter, well);
	close_form();
	return usage ? program_finish(&err, NULL) : program_end();
}
