/* SPDX-License-Identifier: MIT
 * stkgroup: attributes samples to the groups of a scheme. */
#include "generation.h"
#include "group_views.h"
#include "program/scheme_places.h"
#include "scheme_watch.h"
#include "step_tables.h"

#include "base/bytes.h"
#include "choose/selected_blocks.h"
#include "choose/selected_pass.h"
#include "choose/where.h"
#include "group/event_feed.h"
#include "group/group_records.h"
#include "group/sample_groups.h"
#include "group/sample_time.h"
#include "program/event_choice.h"
#include "program/filter.h"
#include "program/lost_ids.h"
#include "program/printing.h"
#include "program/program.h"

#include <stdlib.h>
#include <time.h>

struct stkgroup {
	struct settings settings;
	struct filter filter;
	struct model *model;
	struct selection *selection;
	struct naming *naming;
	struct stack_prefixes *prefixes;	/* of --by */
	struct scheme_set set;
	struct scheme_watch watch;		/* with --follow */
	bool embedded;				/* the schemes are the stream's own */
	bool dropped;				/* groups of an earlier run were left out */
	bool ended;			/* after the last sample and the last event */
	bool lost_columns;		/* of rows that were chosen and written again */
	struct sample_groups *samples;
	struct event_feed *feed;
	struct group_records records;
	struct grouped_stacks *stacks;
	struct uncovered *uncovered;
	struct generation *generation;		/* of --generate; or NULL */
	struct printer printer;
	struct grouped grouped;
	struct step_tables steps;
};

static bool
is_records(const struct stkgroup *s)
{
	return s->settings.view == GROUPS_RECORDS;
}

/* --- samples --- */

static int
begin_samples(void *context, struct stk_error *err)
{
	struct stkgroup *s = context;

	return group_records_name(&s->records, &s->set, err);
}

static int
write_sample(void *context, const struct grouped_sample *sample, struct stk_error *err)
{
	struct stkgroup *s = context;

	return group_records_stack(&s->records, &s->set, s->model, sample->stack, sample->state, err);
}

static int
fold_sample(void *context, const struct grouped_sample *sample, struct stk_error *err)
{
	struct stkgroup *s = context;
	struct stk_text prefix = s->prefixes == NULL ? text_of("", 0) : stack_prefix_text(s->prefixes, sample->prefix);

	(void)err;
	for (unsigned i = 0; i < s->set.count; i++)
		grouped_stacks_add(s->stacks, s->set.groupings[i], s->model, s->naming, prefix, sample->stack,
				   sample->state, sample->weight);
	return 0;
}

static int
cover_sample(void *context, const struct grouped_sample *sample, struct stk_error *err)
{
	struct stkgroup *s = context;
	bool grouped = scheme_set_takes(&s->set, s->model, sample->stack, sample->state, sample->thread);

	(void)err;
	uncovered_add(s->uncovered, s->model, s->naming, grouped, sample->stack, sample->weight);
	return 0;
}

static int
generate_sample(void *context, const struct grouped_sample *sample, struct stk_error *err)
{
	struct stkgroup *s = context;

	(void)err;
	generation_add(s->generation, s->model, sample->stack, sample->weight);
	return 0;
}

static int
begin_part(void *context, int64_t from_ns, struct stk_error *err)
{
	struct stkgroup *s = context;

	step_tables_begin(&s->steps, from_ns);
	if (s->settings.follow && !s->embedded && scheme_watch_look(&s->watch, &s->set, s->settings.schemes))
		s->records.named = false;
	return is_records(s) ? group_records_name(&s->records, &s->set, err) : 0;
}

static int
end_part(void *context, int64_t from_ns, struct stk_error *err)
{
	struct stkgroup *s = context;

	step_tables_tell_waiting(&s->steps, s->filter.input, from_ns + s->settings.step_ns);
	return step_tables_end(&s->steps, from_ns, err);
}

static int
show_part(void *context, int64_t from_ns, struct stk_error *err)
{
	struct stkgroup *s = context;

	s->grouped.window.from = from_ns;
	s->settings.zone = filter_zone(&s->filter, s->settings.choice.zone);
	if (s->settings.follow)
		event_feed_until(s->feed, from_ns + s->settings.step_ns);
	if (is_records(s) && group_records_name(&s->records, &s->set, err) < 0)	/* there may be no samples */
		return -1;
	if (is_records(s) && s->ended)
		return group_records_events(&s->records, &s->set, from_ns, s->settings.step_ns, err);
	if (is_records(s))
		return group_records_figures(&s->records, &s->set, from_ns, s->settings.step_ns, err);
	for (unsigned i = 0; i < s->set.count; i++)
		event_time_shown(grouping_events(s->set.groupings[i]), from_ns);
	return show_report(&s->grouped, err);
}

static struct sample_groups_listener
listener_of(struct stkgroup *s)
{
	struct sample_groups_listener listener = { .part_begins = begin_part, .part_ends = end_part, .context = s };

	switch (s->settings.view) {
	case GROUPS_RECORDS:
		listener.begin = begin_samples;
		listener.sample = write_sample;
		break;
	case GROUPS_FOLDED:   listener.sample = fold_sample; break;
	case GROUPS_COVERAGE: listener.sample = cover_sample; break;
	case GROUPS_GENERATE: listener.sample = generate_sample; break;
	default:              break;
	}
	return listener;
}

/* --- opening --- */

static int
read_schemes(struct stkgroup *s, struct stk_error *err)
{
	for (unsigned i = 0; i < s->settings.schemes_count; i++) {
		struct scheme *scheme;

		if (scheme_file_read(&scheme, s->settings.schemes[i], scheme_places(), err) < 0)
			return -1;
		if (scheme_set_has(&s->set, scheme->name)) {
			(void)stk_fail(err, STK_EUSAGE, "-s: two schemes are named '%.*s'", (int)scheme->name.size,
				       scheme->name.data);
			scheme_close(scheme);
			return -1;
		}
		scheme_set_add(&s->set, scheme);
	}
	s->embedded = s->set.count == 0;
	settings_need_groups(&s->settings, &s->set);
	return 0;
}

static bool
is_in_group(void *context, const struct where_sample *sample, struct stk_text name, bool below)
{
	struct stkgroup *s = context;

	return scheme_set_is_in(&s->set, s->model, sample, name, below);
}

static int
open_samples(struct stkgroup *s, struct stk_error *err)
{
	struct selection_options selection = s->settings.selection;
	struct sample_groups_options options = {
		.set = &s->set, .step_ns = s->settings.step_ns, .once = s->settings.follow, .listener = listener_of(s),
		.summing = settings_need_sums(&s->settings), .by_activity = s->settings.by_activity
	};

	if (!is_records(s))
		count_one_event(&selection, &s->filter);
	selection.needs_all = settings_need_sums(&s->settings) ? sample_time_needs_all : NULL;
	if (selection.where != NULL)
		where_groups(selection.where, is_in_group, s);
	if (model_open(&s->model) < 0 || selection_open(&s->selection, s->model, &selection, err) < 0)
		return -1;
	filter_tell_thinned(&s->filter, selection.from_ns, selection.to_ns, s->settings.zone);
	if (s->settings.by != NULL && stack_prefixes_open_processors(&s->prefixes, s->model, s->settings.by, err) < 0)
		return -1;
	options.model = s->model;
	options.selection = s->selection;
	options.prefixes = s->prefixes;
	event_feed_open(&s->feed, &(struct event_feed_options){
		&s->set, s->model, s->selection, s->prefixes, settings_events(&s->settings), s->settings.by_activity,
		settings_combine(&s->settings)
	});
	options.feed = s->settings.by_activity || settings_combine(&s->settings) ? s->feed : NULL;
	sample_groups_open(&s->samples, &options);
	return 0;
}

static int
open_views(struct stkgroup *s, struct stk_error *err)
{
	static const struct naming_options short_names;

	if (open_samples(s, err) < 0)
		return -1;
	naming_open(&s->naming, s->model, &short_names);
	s->printer = printer_to(s->filter.output);
	grouped_stacks_open(&s->stacks, s->settings.frames);
	uncovered_open(&s->uncovered);
	if (s->settings.view == GROUPS_GENERATE)
		generation_open(&s->generation, &s->settings);
	s->records = (struct group_records){ .writer = s->filter.writer, .embed = s->settings.embed };
	s->grouped = (struct grouped){
		.sampling = sample_groups_sampling(s->samples), .settings = &s->settings, .set = &s->set,
		.prefixes = s->prefixes, .printer = &s->printer, .first = true
	};
	s->steps = (struct step_tables){ &s->set, show_part, s, .at_once = s->settings.follow || is_records(s),
				       .again = is_records(s) };
	return 0;
}

/* --- blocks --- */

static bool
is_ours(unsigned kind)
{
	return kind == STK_SCHEME || kind == STK_GROUP || kind == STK_GROUP_OF_STACK || kind == STK_GROUP_FIGURE;
}

/* Another stream begins. */
static int
turn(struct stkgroup *s, struct stk_error *err)
{
	if (sample_groups_turn(s->samples, err) < 0)
		return -1;
	event_feed_turn(s->feed);
	scheme_set_turn(&s->set);
	naming_forget(s->naming);
	if (s->prefixes != NULL)
		stack_prefixes_turn(s->prefixes);
	selection_head(s->selection, s->filter.reader, 0);
	/* events tell the time of other threads' groups too */
	selected_blocks_follow(s->selection, s->filter.reader, SELECTED_SAMPLES);
	s->records.named = false;
	return 0;
}

static int
take_kind(struct stkgroup *s, const struct stk_block *block, struct stk_error *err)
{
	const struct remarks remarks = { warn_of_embedded, (void *)(uintptr_t)s->filter.name };
	struct stk_reader *reader = s->filter.reader;

	/* the schemes of the stream are known now */
	if ((block->kind == STK_SAMPLE || block->kind == STK_EVENT) &&
	    read_event_file(&s->grouped, s->feed, err) < 0)
		return -1;
	switch (block->kind) {
	case STK_SCHEME:
		if (!s->embedded)
			return 0;
		return scheme_set_take_embedded(&s->set, reader, block, scheme_places(), &remarks, err);
	case STK_SAMPLE:
		return sample_groups_take(s->samples, reader, block, err);
	case STK_EVENT:
		return event_feed_take(s->feed, reader, block, err);
	default:
		return 0;
	}
}

static int
take(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct stkgroup *s = context;

	if (block->kind == STK_HEAD && turn(s, err) < 0)
		return -1;
	if (model_take(s->model, s->filter.reader, block, err) < 0)
		return -1;
	if (is_ours(block->kind) && !s->embedded) {
		s->dropped = true;
		return 0;
	}
	if (take_kind(s, block, err) < 0)
		return -1;
	if (s->generation != NULL && generation_take(s->generation, s->model, s->filter.reader, block, err) < 0)
		return -1;
	if (!is_records(s))
		return 0;
	return selected_pass(s->selection, s->filter.reader, block, s->filter.writer, &s->lost_columns, err);
}

/* --- showing --- */

/* With --step all parts are left to show, or the last one. */
static int
show_sums(struct stkgroup *s, struct stk_error *err)
{
	if (s->settings.step_ns > 0) {
		if (sample_groups_end(s->samples, err) < 0)
			return -1;
		s->ended = true;
		return step_tables_finish(&s->steps, err);
	}
	if (is_records(s))
		return 0;
	sample_groups_settle(s->samples);
	s->settings.zone = filter_zone(&s->filter, s->settings.choice.zone);
	return show_report(&s->grouped, err);
}

static int
show(struct stkgroup *s, struct stk_error *err)
{
	struct text_buffer *to = &s->printer.text;

	switch (s->settings.view) {
	case GROUPS_RECORDS:
	case GROUPS_TABLE:    return show_sums(s, err);
	case GROUPS_FOLDED:   return print_grouped_stacks(s->stacks, &s->printer, err);
	case GROUPS_COVERAGE: return print_uncovered(s->uncovered, &s->settings, &s->printer, err);
	case GROUPS_GENERATE: return generation_print(s->generation, to, err);
	default:              return show_schemes(&s->grouped, to, err);
	}
}

/* --- running --- */

static int
open_all(struct stkgroup *s, char **operands, int count, bool stream, struct stk_error *err)
{
	/* without a stream only the output is of use */
	static char nothing[] = "/dev/null", *no_input[] = { nothing };

	if (read_schemes(s, err) < 0)
		return -1;
	if (filter_open(&s->filter, stream ? operands : no_input, stream ? count : 1, err) < 0)
		return -1;
	settings_choose(&s->settings, output_is_terminal(s->filter.output) || !stream);
	if (is_records(s) && filter_records(&s->filter, err) < 0)
		return -1;
	s->filter.follow = s->settings.follow;
	if (s->settings.follow && !s->embedded)
		(void)scheme_watch_look(&s->watch, &s->set, s->settings.schemes);
	return open_views(s, err);
}

static int
report_input(struct stkgroup *s, bool stream, struct stk_error *err)
{
	const struct sampling *sampling = sample_groups_sampling(s->samples);

	end_events(&s->set, s->feed);
	report_sampling(sampling, s->feed);
	tell_several(&s->settings, &s->set);
	if (s->dropped)
		program_say("the input was grouped before: its groups are dropped and computed again");
	if (s->embedded)
		settings_need_groups(&s->settings, &s->set);
	if (s->set.count == 0 && settings_need_scheme(&s->settings))
		return stk_fail(err, STK_EUSAGE,
				"the stream carries no scheme: missing -s SCHEME (--list shows the included ones)");
	if (stream && sampling->samples == 0 && s->settings.events == NULL && !event_feed_met(s->feed) &&
	    !sample_choice_report(&s->settings.choice, &s->filter))
		program_warn("no samples %s: nothing to group",
			     sample_choice_has_window() || sample_choice_is_filtered() ? "were selected"
										       : "in the input");
	say_other_events(s->selection, &s->filter);
	report_lost_ids(s->model);
	report_lost_columns(s->lost_columns);
	return 0;
}

static int
run(struct stkgroup *s, char **operands, int count, struct stk_error *err)
{
	bool stream = settings_need_stream(&s->settings, count);

	if (open_all(s, operands, count, stream, err) < 0)
		return -1;
	if (stream && filter_each(&s->filter, take, s, err) < 0)
		return -1;
	if (sample_groups_turn(s->samples, err) < 0)
		return -1;
	if (read_event_file(&s->grouped, s->feed, err) < 0 || report_input(s, stream, err) < 0 || show(s, err) < 0)
		return -1;
	return printer_settle(&s->printer, true, err);
}

static void
close_all(struct stkgroup *s)
{
	step_tables_release(&s->steps);
	group_records_release(&s->records);
	sample_groups_close(s->samples);
	event_feed_close(s->feed);
	scheme_set_release(&s->set);
	grouped_stacks_close(s->stacks);
	uncovered_close(s->uncovered);
	generation_close(s->generation);
	stack_prefixes_close(s->prefixes);
	naming_close(s->naming);
	selection_close(s->selection);
	model_close(s->model);
	printer_release(&s->printer);
	settings_release(&s->settings);
}

int
main(int argc, char **argv)
{
	static struct stkgroup s;
	struct stk_error err = { 0 };
	int first = settings_read(&s.settings, argc, argv);
	bool well = run(&s, argv + first, argc - first, &err) == 0;

	filter_close(&s.filter, well);
	close_all(&s);
	return program_finish(&err, NULL);
}
