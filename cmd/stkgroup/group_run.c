/* SPDX-License-Identifier: MIT
 * group_run: samples and events of the blocks go to the sums of one run, and from there to its tables or records. */
#include "group_run.h"

#include "base/bytes.h"
#include "choose/selected_blocks.h"
#include "choose/where.h"
#include "group/sample_time.h"
#include "program/program.h"
#include "program/scheme_places.h"

#include <stdio.h>

bool
group_run_is_records(const struct group_run *r)
{
	return r->settings.view == GROUPS_RECORDS;
}

/* --- samples --- */

static int
begin_samples(void *context, struct stk_error *err)
{
	struct group_run *r = context;

	return group_records_name(&r->records, &r->set, err);
}

static int
write_sample(void *context, const struct grouped_sample *sample, struct stk_error *err)
{
	struct group_run *r = context;

	return group_records_sample(&r->records, &r->set, r->shared->model, sample, err);
}

static int
fold_sample(void *context, const struct grouped_sample *sample, struct stk_error *err)
{
	struct group_run *r = context;
	struct stk_text prefix = r->prefixes == NULL ? text_of("", 0) : stack_prefix_text(r->prefixes, sample->prefix);

	(void)err;
	for (unsigned i = 0; i < r->set.count; i++)
		grouped_stacks_add(r->stacks, r->set.groupings[i], r->shared->model, r->shared->naming, prefix,
				   sample);
	return 0;
}

static int
cover_sample(void *context, const struct grouped_sample *sample, struct stk_error *err)
{
	struct group_run *r = context;
	bool grouped = scheme_set_takes(&r->set, r->shared->model, sample->stack, sample->state, sample->thread);

	(void)err;
	uncovered_add(r->uncovered, &r->set, r->shared->model, r->shared->naming, grouped, sample->stack,
		      sample->weight);
	return 0;
}

static int
generate_sample(void *context, const struct grouped_sample *sample, struct stk_error *err)
{
	struct group_run *r = context;

	(void)err;
	generation_add(r->generation, r->shared->model, sample->stack, sample->weight);
	return 0;
}

static int
begin_part(void *context, int64_t from_ns, struct stk_error *err)
{
	struct group_run *r = context;

	step_tables_begin(&r->steps, from_ns);
	if (r->settings.follow && !r->embedded && scheme_watch_look(&r->watch, &r->set, r->settings.schemes))
		r->records.named = false;
	return group_run_is_records(r) ? group_records_name(&r->records, &r->set, err) : 0;
}

static int
end_part(void *context, int64_t from_ns, struct stk_error *err)
{
	struct group_run *r = context;

	return step_tables_end(&r->steps, from_ns, err);
}

/* Rows of all runs are below one header. */
static int
print_report(struct group_run *r, struct stk_error *err)
{
	int result;

	r->grouped.first = !r->shared->printed;
	result = show_report(&r->grouped, err);
	r->shared->printed |= !r->grouped.first;
	return result;
}

static int
show_part(void *context, int64_t from_ns, struct stk_error *err)
{
	struct group_run *r = context;

	r->grouped.window.from = from_ns;
	r->settings.zone = filter_zone(&r->shared->filter, r->settings.choice.zone);
	if (r->settings.follow)
		event_feed_until(r->feed, from_ns + r->settings.step_ns);
	/* there may be no samples */
	if (group_run_is_records(r) && group_records_name(&r->records, &r->set, err) < 0)
		return -1;
	if (group_run_is_records(r) && r->ended)
		return group_records_events(&r->records, &r->set, from_ns, r->settings.step_ns, err);
	if (group_run_is_records(r))
		return group_records_figures(&r->records, &r->set, from_ns, r->settings.step_ns, err);
	for (unsigned i = 0; i < r->set.count; i++)
		event_time_shown(grouping_events(r->set.groupings[i]), from_ns);
	return print_report(r, err);
}

static struct sample_groups_listener
listener_of(struct group_run *r)
{
	struct sample_groups_listener listener = { .part_begins = begin_part, .part_ends = end_part, .context = r };

	switch (r->settings.view) {
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

int
group_run_read_schemes(struct group_run *r, struct stk_error *err)
{
	for (unsigned i = 0; i < r->settings.schemes_count; i++) {
		struct scheme *scheme;

		if (scheme_file_read(&scheme, r->settings.schemes[i], scheme_places(), err) < 0)
			return -1;
		if (scheme_set_has(&r->set, scheme->name)) {
			(void)stk_fail(err, STK_EUSAGE, "-s: two schemes are named '%.*s'", (int)scheme->name.size,
				       scheme->name.data);
			scheme_close(scheme);
			return -1;
		}
		scheme_set_add(&r->set, scheme);
	}
	r->embedded = r->set.count == 0;
	if (r->settings.query != NULL)
		(void)snprintf(r->about, sizeof r->about, "query '%.150s': ", r->settings.query->name);
	program_about(r->about);
	settings_need_groups(&r->settings, &r->set);
	program_about("");
	return 0;
}

static bool
is_in_group(void *context, const struct where_sample *sample, struct stk_text name, bool below)
{
	struct group_run *r = context;

	return scheme_set_is_in(&r->set, r->shared->model, sample, name, below);
}

static int
open_samples(struct group_run *r, struct stk_error *err)
{
	struct selection_options selection = r->settings.selection;
	struct sample_groups_options options = {
		.set = &r->set, .step_ns = r->settings.step_ns, .once = r->settings.follow, .listener = listener_of(r),
		.summing = settings_need_sums(&r->settings), .by_activity = r->settings.by_activity
	};

	selection.needs_all = settings_need_sums(&r->settings) ? sample_time_needs_all : NULL;
	if (selection.where != NULL)
		where_groups(selection.where, is_in_group, r);
	if (selection_open(&r->selection, r->shared->model, &selection, err) < 0)
		return -1;
	if (r->settings.by != NULL &&
	    stack_prefixes_open_processors(&r->prefixes, r->shared->model, r->settings.by, err) < 0)
		return -1;
	options.model = r->shared->model;
	options.selection = r->selection;
	options.prefixes = r->prefixes;
	event_feed_open(&r->feed, &(struct event_feed_options){
		&r->set, r->shared->model, r->selection, r->prefixes, settings_events(&r->settings),
		r->settings.by_activity, settings_combine(&r->settings), r->settings.report == REPORT_PATH
	});
	options.feed = r->settings.by_activity || settings_combine(&r->settings) ? r->feed : NULL;
	sample_groups_open(&r->samples, &options);
	return 0;
}

int
group_run_open(struct group_run *r, struct stk_error *err)
{
	if (open_samples(r, err) < 0)
		return -1;
	grouped_stacks_open(&r->stacks, r->settings.frames);
	uncovered_open(&r->uncovered);
	if (r->settings.view == GROUPS_GENERATE)
		generation_open(&r->generation, &r->settings);
	r->records = (struct group_records){ .writer = r->shared->filter.writer, .embed = r->settings.embed,
					     .carried = r->embedded };
	r->grouped = (struct grouped){
		.sampling = sample_groups_sampling(r->samples), .feed = r->feed, .settings = &r->settings,
		.set = &r->set, .prefixes = r->prefixes, .printer = &r->shared->printer, .first = true
	};
	if (r->settings.follow && !r->embedded)
		(void)scheme_watch_look(&r->watch, &r->set, r->settings.schemes);
	r->steps = (struct step_tables){
		&r->set, show_part, r, .again = group_run_is_records(r),
		.at_once = r->settings.follow || group_run_is_records(r)
	};
	return 0;
}

/* --- blocks --- */

int
group_run_turn(struct group_run *r, struct stk_error *err)
{
	if (sample_groups_turn(r->samples, err) < 0)
		return -1;
	event_feed_turn(r->feed);
	scheme_set_turn(&r->set);
	if (r->prefixes != NULL)
		stack_prefixes_turn(r->prefixes);
	selection_head(r->selection, r->shared->filter.reader, 0);
	/* events tell the time of other threads' groups too */
	if (!r->shared->many)
		selected_blocks_follow(r->selection, r->shared->filter.reader, SELECTED_SAMPLES);
	r->records.named = false;
	return 0;
}

static int
take_samples(struct group_run *r, const struct stk_block *block, struct stk_error *err)
{
	if (sample_groups_take(r->samples, r->shared->filter.reader, block, err) < 0)
		return -1;
	if (r->settings.step_ns > 0)
		step_tables_tell_waiting(&r->steps, r->shared->filter.input,
					 sample_groups_sampling(r->samples)->times.to_ns);
	return 0;
}

int
group_run_take(struct group_run *r, const struct stk_block *block, struct stk_error *err)
{
	const struct remarks remarks = { warn_of_embedded, (void *)(uintptr_t)r->shared->filter.name };
	struct stk_reader *reader = r->shared->filter.reader;
	unsigned schemes = r->set.count;

	/* the schemes of the stream are known now */
	if ((block->kind == STK_SAMPLE || block->kind == STK_EVENT) &&
	    read_event_file(&r->grouped, r->feed, err) < 0)
		return -1;
	if (r->generation != NULL && generation_take(r->generation, r->shared->model, reader, block, err) < 0)
		return -1;
	switch (block->kind) {
	case STK_SCHEME:
		if (!r->embedded)
			return 0;
		if (scheme_set_take_embedded(&r->set, reader, block, scheme_places(), &remarks, err) < 0)
			return -1;
		r->records.named &= r->set.count == schemes;
		return 0;
	case STK_SAMPLE:
		return take_samples(r, block, err);
	case STK_EVENT:
		return event_feed_take(r->feed, reader, block, err);
	default:
		return 0;
	}
}

/* --- showing --- */

/* With --step all parts are left to show, or the last one. */
int
group_run_show_sums(struct group_run *r, struct stk_error *err)
{
	if (r->settings.step_ns > 0) {
		if (sample_groups_end(r->samples, err) < 0)
			return -1;
		r->ended = true;
		return step_tables_finish(&r->steps, err);
	}
	if (group_run_is_records(r))
		return 0;
	sample_groups_settle(r->samples);
	r->settings.zone = filter_zone(&r->shared->filter, r->settings.choice.zone);
	return print_report(r, err);
}


static int
report_run(struct group_run *r, struct stk_error *err)
{
	const struct sampling *sampling = sample_groups_sampling(r->samples);

	if (read_event_file(&r->grouped, r->feed, err) < 0)
		return -1;
	end_events(&r->set, r->feed);
	report_sampling(sampling, r->feed);
	tell_several(&r->settings, &r->set);
	if (r->embedded)
		settings_need_groups(&r->settings, &r->set);
	if (r->set.count == 0 && settings_need_scheme(&r->settings))
		return stk_fail(err, STK_EUSAGE,
				"the stream carries no scheme: missing -s SCHEME (--list shows the included ones)");
	return 0;
}

int
group_run_end(struct group_run *r, struct stk_error *err)
{
	int result;

	program_about(r->about);
	result = sample_groups_turn(r->samples, err) < 0 ? -1 : report_run(r, err);
	program_about("");
	return result;
}

void
group_run_close(struct group_run *r)
{
	step_tables_release(&r->steps);
	group_records_release(&r->records);
	sample_groups_close(r->samples);
	event_feed_close(r->feed);
	scheme_set_release(&r->set);
	grouped_stacks_close(r->stacks);
	uncovered_close(r->uncovered);
	generation_close(r->generation);
	stack_prefixes_close(r->prefixes);
	selection_close(r->selection);
}
