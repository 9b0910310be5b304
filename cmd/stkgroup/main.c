/* SPDX-License-Identifier: MIT
 * stkgroup: attributes samples to the groups of a scheme. */
#include "generated_file.h"
#include "group_run.h"

#include "base/memory.h"
#include "base/output.h"
#include "choose/selected_pass.h"
#include "program/event_choice.h"
#include "program/lost_ids.h"
#include "program/program.h"

#include <stdlib.h>

struct stkgroup {
	struct settings settings;
	struct group_shared shared;
	struct query_file queries;
	struct group_run *runs;
	unsigned count;
	struct generated_file generated;	/* with --generate and --follow */
	bool dropped;				/* groups of an earlier run were left out */
	bool left_out;			/* schemes of the stream were, as -s names others */
	bool lost_columns;		/* of rows that were chosen and written again */
};

/* --- opening --- */

/* For each run what is known so far. */
static void
give_settings(struct stkgroup *s)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->settings.queries == NULL)
			s->runs[i].settings = s->settings;
		else
			settings_of_query(&s->runs[i].settings, &s->settings, &s->queries, &s->queries.queries[i]);
}

static int
open_runs(struct stkgroup *s, struct stk_error *err)
{
	const struct settings *of = &s->settings;

	if (of->queries != NULL && query_file_read(&s->queries, of->queries, of->choice.last_ns,
						   sample_choice_typing_zone(&of->choice), err) < 0)
		return -1;
	s->count = of->queries == NULL ? 1 : s->queries.count;
	s->shared.many = s->count > 1;
	s->runs = mem_new(s->count, sizeof *s->runs);
	give_settings(s);
	for (unsigned i = 0; i < s->count; i++) {
		s->runs[i].shared = &s->shared;
		if (group_run_read_schemes(&s->runs[i], err) < 0)
			return -1;
	}
	return 0;
}

/* Standard output has only the last scheme: several would be one file that is none. */
static void
follow_generated(struct stkgroup *s)
{
	s->generated.generation = s->runs[0].generation;
	s->generated.path = program_common.output;
	if (program_common.output != NULL && output_is_file(s->shared.filter.output))
		generated_file_follow(&s->generated, &s->shared.filter);
	else
		program_say("the scheme is written when the input ends; with -o FILE, also whenever it changes");
}

static int
open_all(struct stkgroup *s, char **operands, int count, bool stream, struct stk_error *err)
{
	/* without a stream only the output is of use */
	static char nothing[] = "/dev/null", *no_input[] = { nothing };
	static const struct naming_options short_names;
	struct filter *filter = &s->shared.filter;

	if (open_runs(s, err) < 0)
		return -1;
	if (filter_open(filter, stream ? operands : no_input, stream ? count : 1, err) < 0)
		return -1;
	settings_choose(&s->settings, output_is_terminal(filter->output) || !stream);
	if (s->settings.view == GROUPS_RECORDS && filter_records(filter, err) < 0)
		return -1;
	filter->follow = s->settings.follow;
	if (s->settings.view != GROUPS_RECORDS)
		count_one_event(&s->settings.selection, filter);
	filter_tell_thinned(filter, s->settings.selection.from_ns, s->settings.selection.to_ns, s->settings.zone);
	if (model_open(&s->shared.model) < 0)
		return -1;
	naming_open(&s->shared.naming, s->shared.model, &short_names);
	s->shared.printer = printer_to(filter->output);
	give_settings(s);
	for (unsigned i = 0; i < s->count; i++)
		if (group_run_open(&s->runs[i], err) < 0)
			return -1;
	if (s->settings.follow && s->settings.view == GROUPS_GENERATE)
		follow_generated(s);
	return 0;
}

/* --- blocks --- */

static bool
is_ours(unsigned kind)
{
	return kind == STK_SCHEME || kind == STK_GROUP || kind == STK_GROUP_OF_STACK ||
	       kind == STK_GROUP_OF_THREAD || kind == STK_GROUP_FIGURE;
}

/* Another stream begins. */
static int
turn(struct stkgroup *s, struct stk_error *err)
{
	for (unsigned i = 0; i < s->count; i++)
		if (group_run_turn(&s->runs[i], err) < 0)
			return -1;
	naming_forget(s->shared.naming);
	return 0;
}

static int
take(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct stkgroup *s = context;
	struct filter *filter = &s->shared.filter;

	if (block->kind == STK_HEAD && turn(s, err) < 0)
		return -1;
	if (model_take(s->shared.model, filter->reader, block, err) < 0)
		return -1;
	if (is_ours(block->kind) && block->kind != STK_SCHEME) {
		s->dropped = true;
		return 0;
	}
	s->left_out |= block->kind == STK_SCHEME && !s->runs[0].embedded;
	for (unsigned i = 0; i < s->count; i++)
		if (group_run_take(&s->runs[i], block, err) < 0)
			return -1;
	if (s->settings.view != GROUPS_RECORDS || is_ours(block->kind))
		return 0;
	return selected_pass(s->runs[0].selection, filter->reader, block, filter->writer, &s->lost_columns, err);
}

/* --- showing --- */

static int
show(struct group_run *run, struct stk_error *err)
{
	struct printer *printer = &run->shared->printer;

	switch (run->settings.view) {
	case GROUPS_RECORDS:
	case GROUPS_TABLE:    return group_run_show_sums(run, err);
	case GROUPS_FOLDED:   return print_grouped_stacks(run->stacks, printer, err);
	case GROUPS_COVERAGE: return print_uncovered(run->uncovered, &run->settings, printer, err);
	case GROUPS_GENERATE: return generation_print(run->generation, &printer->text, true, err);
	default:              return show_schemes(&run->grouped, &printer->text, err);
	}
}

/* Whether any run was given samples or events. */
static bool
met_any(const struct stkgroup *s)
{
	bool any = false;

	for (unsigned i = 0; i < s->count; i++)
		any = any || sample_groups_sampling(s->runs[i].samples)->samples > 0 || event_feed_met(s->runs[i].feed);
	return any;
}

/* Of the input as a whole. */
static void
report_input(struct stkgroup *s, bool stream)
{
	if (s->dropped)
		program_say("the input was grouped before: its groups are dropped and computed again");
	else if (s->left_out && s->settings.schemes_count > 0)
		program_say("the schemes that the input carries are left out: -s names others");
	if (stream && !met_any(s) && s->settings.events == NULL &&
	    !sample_choice_report(&s->settings.choice, &s->shared.filter))
		program_warn("no samples %s: nothing to group",
			     sample_choice_has_window() || sample_choice_is_filtered() || s->settings.queries != NULL
				     ? "were selected" : "in the input");
	say_other_events(s->runs[0].selection, &s->shared.filter);
	report_lost_ids(s->shared.model);
	report_lost_columns(s->lost_columns);
}

/* --- running --- */

static int
run(struct stkgroup *s, char **operands, int count, struct stk_error *err)
{
	bool stream = settings_need_stream(&s->settings, count);

	if (open_all(s, operands, count, stream, err) < 0)
		return -1;
	if (stream && filter_each(&s->shared.filter, take, s, err) < 0)
		return -1;
	for (unsigned i = 0; i < s->count; i++)
		if (group_run_end(&s->runs[i], err) < 0)
			return -1;
	report_input(s, stream);
	for (unsigned i = 0; i < s->count; i++)
		if (show(&s->runs[i], err) < 0)
			return -1;
	return printer_settle(&s->shared.printer, true, err);
}

static void
close_all(struct stkgroup *s)
{
	for (unsigned i = 0; i < s->count; i++)
		group_run_close(&s->runs[i]);
	free(s->runs);
	generated_file_release(&s->generated);
	query_file_release(&s->queries);
	naming_close(s->shared.naming);
	model_close(s->shared.model);
	printer_release(&s->shared.printer);
	settings_release(&s->settings);
}

int
main(int argc, char **argv)
{
	static struct stkgroup s;
	struct stk_error err = { 0 };
	int first = settings_read(&s.settings, argc, argv);
	bool well = run(&s, argv + first, argc - first, &err) == 0;

	filter_close(&s.shared.filter, well);
	close_all(&s);
	return program_finish(&err, NULL);
}
