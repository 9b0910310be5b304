/* SPDX-License-Identifier: MIT
 * stkclass: learns the segments and classes of stacks, and counts how many threads are in each. */
#include "class_settings.h"
#include "code_sizes.h"
#include "restored_codes.h"
#include "views.h"

#include "base/output.h"
#include "choose/selected_blocks.h"
#include "choose/selected_pass.h"
#include "classify/class_state.h"
#include "model/model.h"
#include "program/filter.h"
#include "program/lost_ids.h"
#include "program/printing.h"
#include "program/program.h"
#include "report/printer.h"
#include "stream/state_file.h"

#include <stdlib.h>

struct learner { struct classifier *classifier; struct sample_intake *intake; };

struct stkclass {
	struct settings settings;
	struct filter filter;
	struct model *model;
	struct learner learner;
	struct class_codes *codes;	/* of --codes */
	struct dump_listener listener;	/* they, and the sizes */
	struct code_sizes *sizes;	/* of --stats */
	struct state_file *state;	/* locked; a new one is beside it until all is delivered */
	struct selection *selection;
	bool lost_columns;		/* of rows that were selected and rewritten */
	bool dropped;			/* the input was classified before: its classes were left out */
};

static void
learner_open(struct learner *learner, const struct stkclass *c, bool speaks)
{
	classifier_open(&learner->classifier);
	sample_intake_open(&learner->intake, &c->settings.samples, learner->classifier, c->model,
			   speaks ? c->filter.writer : NULL);
}

static void
learner_close(struct learner *learner)
{
	sample_intake_close(learner->intake);
	classifier_close(learner->classifier);
}

/* --- states --- */

static struct state_kind
kind_of_state(const struct stkclass *c)
{
	return (struct state_kind){ .program = "stkclass", .about = "class state", .identity = c->settings.identity };
}

struct state_intake { struct filter *filter; struct class_state *state; };

static int
take_state(void *context, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct state_intake *to = context;

	return filter_take_clocks(to->filter, reader, block) ? 0 : class_state_take(to->state, reader, block, err);
}

/* Reads a state into a new learner: 1; 0 when the file does not exist; -1. */
static int
read_state(struct stkclass *c, const char *path, struct learner *learner, struct stk_error *err)
{
	struct state_kind kind = kind_of_state(c);
	struct stk_error why = { 0 };
	struct class_state *state;
	struct state_intake to = { .filter = &c->filter };
	int got;

	class_state_open(&state);
	to.state = state;
	got = state_file_read(path, &kind, take_state, &to, err);
	if (got > 0 && class_state_restore(state, learner->classifier, learner->intake, &why) < 0)
		got = stk_fail(err, STK_ESYSTEM, "%s: %s", path, why.text);
	class_state_close(state);
	return got;
}

static int
add_state(void *context, struct stk_writer *writer, struct stk_error *err)
{
	const struct stkclass *c = context;

	return filter_write_clocks(&c->filter, writer, err) < 0
		       ? -1
		       : class_state_write(c->learner.classifier, c->learner.intake, writer, err);
}

static int
write_state(struct stkclass *c, struct stk_error *err)
{
	struct state_kind kind = kind_of_state(c);

	return c->state == NULL || program_stopping() ? 0 : state_file_write(c->state, &kind, add_state, c, err);
}

/* --- opening --- */

/* Records by default, the table at a terminal; only a state where only that was requested. */
static int
open_output(struct stkclass *c, struct stk_error *err)
{
	if (c->settings.view == VIEW_CODES || c->settings.view == VIEW_RESTORED)
		return filter_records(&c->filter, err);
	if (c->settings.view != VIEW_RECORDS)
		return 0;
	if (c->settings.merge) {
		c->settings.view = c->settings.state != NULL ? VIEW_NONE : VIEW_CLASSES;
		return 0;
	}
	if (output_is_terminal(c->filter.output) && program_common.format == NULL) {
		c->settings.view = VIEW_CLASSES;
		return 0;
	}
	return filter_records(&c->filter, err);
}

static int
open_state(struct stkclass *c, struct stk_error *err)
{
	const struct settings *s = &c->settings;

	if (s->state == NULL)
		return 0;
	if (state_file_open(&c->state, s->state, err) < 0)
		return -1;
	return s->merge || read_state(c, s->state, &c->learner, err) >= 0 ? 0 : -1;
}

static int
hear_dump(void *context, int64_t time_ns, struct stk_text source, const uint32_t *classes, const uint64_t *times,
	  size_t count, struct stk_error *err)
{
	struct stkclass *c = context;
	struct dump_listener codes = class_codes_listener(c->codes);

	if (c->sizes != NULL)
		code_sizes_add(c->sizes, c->learner.classifier, time_ns, classes, times, count);
	return codes.take(codes.context, time_ns, source, classes, times, count, err);
}

static void
open_codes(struct stkclass *c)
{
	class_codes_open(&c->codes, c->settings.code_order, c->learner.classifier, c->filter.writer);
	if (c->settings.sizes)
		code_sizes_open(&c->sizes);
	c->listener = (struct dump_listener){ hear_dump, c };
}

static int
open_all(struct stkclass *c, char **operands, int count, struct stk_error *err)
{
	if (filter_open(&c->filter, operands, count, err) < 0 || open_output(c, err) < 0 || model_open(&c->model) < 0)
		return -1;
	c->settings.samples.details =
		(c->settings.view != VIEW_RECORDS && c->settings.view != VIEW_CODES) || c->settings.state != NULL;
	c->settings.samples.follow =
		c->settings.view == VIEW_RECORDS || c->settings.view == VIEW_SEGMENT || c->settings.state != NULL;
	c->settings.samples.listener = c->settings.view == VIEW_CODES ? &c->listener : NULL;
	if (selection_open(&c->selection, c->model, &c->settings.choice.selection, err) < 0)
		return sample_choice_was_file(err);
	filter_tell_thinned(&c->filter, c->settings.choice.selection.from_ns, c->settings.choice.selection.to_ns,
			    c->settings.choice.zone);
	learner_open(&c->learner, c, c->settings.view == VIEW_RECORDS);
	if (c->settings.view == VIEW_CODES)
		open_codes(c);
	return open_state(c, err);
}

/* --- taking --- */

static bool
is_ours(unsigned kind)
{
	return kind == STK_SEGMENT || kind == STK_SPLIT || kind == STK_CLASS || kind == STK_CLASS_OF_STACK ||
	       kind == STK_INTENSITY || kind == STK_PART;
}

static int
take(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct stkclass *c = context;

	if (block->kind == STK_HEAD && sample_intake_turn(c->learner.intake, err) < 0)
		return -1;
	if ((is_for_classes(block->kind) || block->kind == STK_GROUP || block->kind == STK_GROUP_OF_STACK ||
	     block->kind == STK_GROUP_OF_THREAD) &&
	    model_take(c->model, c->filter.reader, block, err) < 0)
		return -1;
	if (block->kind == STK_HEAD) {
		selection_head(c->selection, c->filter.reader, 0);
		selected_blocks_follow(c->selection, c->filter.reader, SELECTED_ALL_KINDS);
	}
	if (is_ours(block->kind)) {
		c->dropped = true;
		return 0;
	}
	if (c->settings.view == VIEW_RECORDS &&
	    selected_pass(c->selection, c->filter.reader, block, c->filter.writer, &c->lost_columns, err) < 0)
		return -1;
	if (block->kind != STK_SAMPLE)
		return 0;
	return sample_intake_take(c->learner.intake, c->selection, c->filter.reader, block, err);
}

static int
take_all(struct stkclass *c, struct stk_error *err)
{
	if (filter_each(&c->filter, take, c, err) < 0 || sample_intake_turn(c->learner.intake, err) < 0)
		return -1;
	report_lost_columns(c->lost_columns);
	return 0;
}

/* --- several states as one, and trees that depend on counts alone --- */

static void
make_canonical(struct stkclass *c)
{
	struct learner canonical;

	learner_open(&canonical, c, false);
	class_state_canonical(canonical.classifier, canonical.intake, c->learner.classifier, c->learner.intake);
	learner_close(&c->learner);
	c->learner = canonical;
}

static int
merge_states(struct stkclass *c, char **paths, int count, struct stk_error *err)
{
	for (int i = 0; i < count; i++) {
		struct learner one;
		int got;

		learner_open(&one, c, false);
		got = read_state(c, paths[i], &one, err);
		if (got == 0)
			got = stk_fail(err, STK_ESYSTEM, "%s: no such file", paths[i]);
		if (got > 0) {
			uint64_t again =
				class_state_add(c->learner.classifier, c->learner.intake, one.classifier, one.intake);

			if (again > 0)
				program_warn("%s: %llu dumps are also in an earlier state and are counted twice", paths[i],
					     (unsigned long long)again);
		}
		learner_close(&one);
		if (got < 0)
			return -1;
	}
	return 0;
}

/* --- messages --- */

static int
show_view(const struct view_of *of, struct text_buffer *to, struct stk_error *err)
{
	const char *subject = of->settings->subject;

	switch (of->settings->view) {
	case VIEW_CLASSES:  return view_classes(of, err);
	case VIEW_SEGMENTS: view_segments(of, to); break;
	case VIEW_TREE:     view_tree(of, to); break;
	case VIEW_GRAMMAR:  view_grammar(of, to); break;
	case VIEW_EXPLAIN:  view_explanation(of, subject, to); break;
	case VIEW_CLASS:    return view_class(of, subject, to, err);
	case VIEW_SEGMENT:  return view_segment(of, subject, to, err);
	case VIEW_RECORDS: case VIEW_CODES: case VIEW_RESTORED: case VIEW_NONE: break;
	}
	return 0;
}

static int
show(struct stkclass *c, struct stk_error *err)
{
	const struct settings *s = &c->settings;
	struct printer printer = printer_to(c->filter.output);
	struct view_of of = { .settings = s, .classifier = c->learner.classifier, .intake = c->learner.intake,
			      .printer = &printer };
	int result = segment_names_open(&of.names, s->names, s->view == VIEW_GRAMMAR || s->view == VIEW_EXPLAIN,
					of.classifier, err);

	if (result == 0)
		result = show_view(&of, &printer.text, err);
	if (result == 0)
		result = printer_settle(&printer, true, err);
	segment_names_close(of.names);
	printer_release(&printer);
	return result;
}

/* Remarks on the input; warnings raise the status. */
static void
say_totals(const struct stkclass *c)
{
	const struct sample_intake_totals *t = sample_intake_totals(c->learner.intake);

	if (c->dropped)
		program_say("the input was classified before: its classes and segments are dropped and computed again");
	if (t->known_dumps > 0)
		program_say("%llu dumps were counted before and are left out", (unsigned long long)t->known_dumps);
	if (t->old_dumps > 0)
		program_warn("%llu dumps are older than the latest %u of their source, which are remembered, and are left out",
			     (unsigned long long)t->old_dumps, SEEN_DUMPS_MAX);
	if (t->parted_dumps > 0)
		program_say("%llu dumps came in several pieces; each piece is counted as a dump",
			    (unsigned long long)t->parted_dumps);
	if (t->backward_dumps > 0)
		program_say("%llu dumps are earlier than the dump before them",
			    (unsigned long long)t->backward_dumps);
	if (t->late_samples > 0)
		program_say("%llu samples are earlier than the time slice that they are counted in",
			    (unsigned long long)t->late_samples);
	report_lost_ids(c->model);
	if (t->samples == 0 && !c->settings.merge && !sample_choice_report(&c->settings.choice, &c->filter))
		program_warn("no samples %s: nothing to classify",
			     sample_choice_has_window() || sample_choice_is_filtered() ? "were selected"
										       : "in the input");
	program_say("%llu samples (%llu without a stack) in %llu dumps; %u classes, %u segments",
		    (unsigned long long)t->samples, (unsigned long long)t->stackless,
		    (unsigned long long)(t->dumps + t->slices), classifier_classes(c->learner.classifier),
		    segments_count(classifier_segments(c->learner.classifier)));
}

/* The size of the codes is known when their stream is complete. */
static int
end_codes(struct stkclass *c, struct stk_error *err)
{
	int result = class_codes_end(c->codes, err);

	if (result == 0 && c->sizes != NULL) {
		struct class_code_totals totals = class_codes_totals(c->codes);
		struct stk_writer *writer = c->filter.writer;

		c->filter.writer = NULL;
		result = stk_writer_close(writer, true, err);
		if (result == 0)
			code_sizes_tell(c->sizes, &totals, c->filter.bytes_in, c->filter.bytes_out);
	}
	return result;
}

static int
run(struct stkclass *c, char **operands, int count, struct stk_error *err)
{
	if (c->settings.view == VIEW_RESTORED)
		return restore_codes(&c->filter, c->model, err);
	if ((c->settings.merge ? merge_states(c, operands, count, err) : take_all(c, err)) < 0)
		return -1;
	c->settings.zone = filter_zone(&c->filter, c->settings.choice.zone);
	say_totals(c);
	if (c->settings.view == VIEW_CODES)
		return end_codes(c, err);
	if (c->settings.merge || c->settings.canonical)
		make_canonical(c);
	else if (!c->settings.samples.follow)
		classifier_recount(c->learner.classifier);
	if (c->settings.view != VIEW_RECORDS && c->settings.view != VIEW_NONE && show(c, err) < 0)
		return -1;
	return write_state(c, err);
}

/* The next run leaves out what the new state knows, so the state is replaced only after all output was delivered. */
static void
close_state(struct stkclass *c, bool delivered)
{
	struct stk_error err = { 0 };

	if (c->state == NULL)
		return;
	program_close_stdout();
	if (state_file_close(c->state, delivered, &err) < 0)
		program_report(NULL, &err);
}

int
main(int argc, char **argv)
{
	static struct stkclass c;
	struct stk_error err = { 0 };
	int first = settings_read(&c.settings, argc, argv);
	bool well =
		open_all(&c, argv + first, argc - first, &err) == 0 && run(&c, argv + first, argc - first, &err) == 0;

	code_sizes_close(c.sizes);
	class_codes_close(c.codes);
	filter_close(&c.filter, well);
	close_state(&c, well);
	learner_close(&c.learner);
	selection_close(c.selection);
	model_close(c.model);
	settings_release(&c.settings);
	return program_finish(&err, NULL);
}
