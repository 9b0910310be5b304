/* SPDX-License-Identifier: MIT
 * stkgroup: samples by groups that mean something: which work they were, as an expert wrote it down. */
#include "event_lines.h"
#include "group_views.h"
#include "owner_generator.h"
#include "scheme_files.h"
#include "tag_files.h"

#include "base/bytes.h"
#include "base/time_math.h"
#include "choose/where.h"
#include "group/segment_generator.h"
#include "program/filter.h"
#include "program/lost_ids.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct stkgroup {
	struct settings settings;
	struct filter filter;
	struct model *model;
	struct selection *selection;
	struct naming *naming;
	struct stack_prefixes *prefixes;	/* of --by */
	struct scheme *schemes[SCHEMES_MOST];
	struct grouping *groupings[SCHEMES_MOST];
	int64_t modified_ns[SCHEMES_MOST];	/* of the schemes' files, with --follow */
	unsigned count;
	bool embedded;				/* the schemes are the stream's own */
	bool named;				/* the present stream of the output has their groups */
	bool dropped;				/* groups of an earlier run were left out */
	struct grouped_stacks *stacks;
	struct uncovered *uncovered;
	struct scheme_generator *generator;
	struct owner_generator *owners;		/* in its place */
	struct segment_generator *segments;	/* or this */
	struct printer printer;
	struct grouped grouped;
	/* sampling moments */
	uint64_t samples, moments, switches;
	int64_t first_ns, last_ns, moment_ns;
	int64_t slice_ns;			/* the start of the present --step; STK_TIME_UNKNOWN: none yet */
};

/* --- opening --- */

static void
add_scheme(struct stkgroup *s, struct scheme *scheme)
{
	s->schemes[s->count] = scheme;
	grouping_open(&s->groupings[s->count++], scheme);
}

static int
read_schemes(struct stkgroup *s, struct stk_error *err)
{
	for (unsigned i = 0; i < s->settings.schemes_count; i++) {
		struct scheme *scheme;

		if (scheme_file_read(&scheme, s->settings.schemes[i], err) < 0)
			return -1;
		for (unsigned k = 0; k < s->count; k++)
			if (text_equal(s->schemes[k]->name, scheme->name)) {
				int result = stk_fail(err, STK_EUSAGE, "-s: two schemes are called '%.*s'", (int)scheme->name.size, scheme->name.data);

				scheme_close(scheme);
				return result;
			}
		add_scheme(s, scheme);
	}
	s->embedded = s->count == 0;
	return 0;
}

/* For --where: a sample's group in any scheme. */
static bool
is_in_group(void *context, uint64_t stack, uint64_t thread, struct stk_text name, bool below)
{
	struct stkgroup *s = context;
	const uint32_t *groups;

	for (unsigned i = 0; i < s->count; i++) {
		uint32_t count = stack == 0 ? grouping_of_thread(s->groupings[i], s->model, thread, &groups) : grouping_of_stack(s->groupings[i], s->model, stack, &groups);

		if (count == 0 && text_is(name, "(none)"))
			return true;
		for (uint32_t g = 0; g < count; g++) {
			for (uint32_t at = groups[g]; at != 0; at = below ? s->schemes[i]->groups.at[at - 1].parent : 0) {
				const struct scheme_group *group = &s->schemes[i]->groups.at[at - 1];

				if (text_equal(group->path, name) || (below && text_equal(group->name, name)))
					return true;
			}
		}
	}
	return false;
}

static int
open_views(struct stkgroup *s, struct stk_error *err)
{
	static const struct naming_options short_names;
	struct selection_options selection = s->settings.selection;

	selection.one_event = s->settings.view != GROUPS_RECORDS;
	if (selection.where != NULL)
		where_groups(selection.where, is_in_group, s);
	if (model_open(&s->model) < 0 || selection_open(&s->selection, s->model, &selection, err) < 0)
		return -1;
	if (s->settings.by != NULL && stack_prefixes_open(&s->prefixes, s->model, s->settings.by, err) < 0)
		return -1;
	naming_open(&s->naming, s->model, &short_names);
	s->printer.output = s->filter.output;
	grouped_stacks_open(&s->stacks, &s->settings);
	uncovered_open(&s->uncovered);
	if (s->settings.view == GROUPS_GENERATE && (*s->settings.subject == 'o' || *s->settings.subject == 'g'))
		owner_generator_open(&s->owners);
	else if (s->settings.view == GROUPS_GENERATE && *s->settings.subject == 's')
		segment_generator_open(&s->segments);
	else if (s->settings.view == GROUPS_GENERATE)
		scheme_generator_open(&s->generator, *s->settings.subject == 'm');
	s->grouped = (struct grouped){ .settings = &s->settings, .groupings = s->groupings, .prefixes = s->prefixes, .printer = &s->printer, .first = true };
	s->first_ns = s->last_ns = s->moment_ns = s->slice_ns = STK_TIME_UNKNOWN;
	return 0;
}

/* --- records --- */

static int
write_group(struct stkgroup *s, unsigned number, uint32_t group, struct stk_error *err)
{
	const struct scheme_group *of = &s->schemes[number]->groups.at[group - 1];
	struct stk_group row = { .scheme = number + 1, .id = group, .parent = of->parent, .name = of->name, .colour = of->colour };

	if (row.colour.data == NULL)
		row.colour = text_of("", 0);
	return stk_writer_add(s->filter.writer, STK_GROUP, &row, err);
}

/* What groups there are, once a stream. */
static int
name_groups(struct stkgroup *s, struct stk_error *err)
{
	for (unsigned i = 0; i < s->count && !s->named; i++) {
		struct stk_scheme row = { .id = i + 1, .name = s->schemes[i]->name, .text = s->settings.embed ? s->schemes[i]->source : text_of("", 0) };

		if (stk_writer_add(s->filter.writer, STK_SCHEME, &row, err) < 0)
			return -1;
		for (uint32_t g = 1; g <= s->schemes[i]->groups.count; g++)
			if (write_group(s, i, g, err) < 0)
				return -1;
	}
	s->named = true;
	return 0;
}

static int
write_stack(struct stkgroup *s, uint64_t stack, struct stk_error *err)
{
	for (unsigned i = 0; i < s->count; i++) {
		const uint32_t *groups;
		uint32_t count;

		if (grouping_knows_stack(s->groupings[i], stack))
			continue;
		count = grouping_of_stack(s->groupings[i], s->model, stack, &groups);
		for (uint32_t g = 0; g < count || g == 0; g++) {
			struct stk_group_of_stack row = { .scheme = i + 1, .stack = stack, .group = count == 0 ? 0 : groups[g] };

			if (stk_writer_add(s->filter.writer, STK_GROUP_OF_STACK, &row, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* What each group had in the slice that is over. */
static int
write_figures(struct stkgroup *s, struct stk_error *err)
{
	for (unsigned i = 0; i < s->count; i++) {
		size_t count;
		const struct group_sum *sums = grouping_sums(s->groupings[i], &count);

		for (size_t k = 0; k < count; k++) {
			struct stk_group_figure row = { .time = s->slice_ns, .length = s->settings.step_ns, .scheme = i + 1, .group = sums[k].group, .samples = sums[k].count, .weight = sums[k].weight };

			if (stk_writer_add(s->filter.writer, STK_GROUP_FIGURE, &row, err) < 0)
				return -1;
		}
		grouping_clear(s->groupings[i]);
	}
	return 0;
}

/* --- schemes that are edited while we run --- */

/* The latest modification of the files of a scheme. */
static int64_t
modified_ns(const struct scheme *scheme)
{
	int64_t latest = 0;

	for (size_t f = 0; f < scheme->files.count; f++) {
		struct stat is;
		int64_t ns;

		if (stat(scheme->files.at[f].data, &is) < 0)
			continue;
		ns = (int64_t)is.st_mtim.tv_sec * 1000000000 + is.st_mtim.tv_nsec;
		latest = ns > latest ? ns : latest;
	}
	return latest;
}

/* A scheme that is broken while somebody writes it leaves the old one in force, which is told. */
static void
reload_schemes(struct stkgroup *s)
{
	for (unsigned i = 0; i < s->count && s->settings.follow && !s->embedded; i++) {
		int64_t modified = modified_ns(s->schemes[i]);
		struct scheme *scheme;
		struct stk_error err = { 0 };

		if (modified == s->modified_ns[i])
			continue;
		if (s->modified_ns[i] != 0) {
			if (scheme_file_read(&scheme, s->settings.schemes[i], &err) < 0) {
				program_warn("%s; the scheme stays as it was", err.text);
				stk_error_clear(&err);
			} else {
				grouping_close(s->groupings[i]);
				scheme_close(s->schemes[i]);
				s->schemes[i] = scheme;
				grouping_open(&s->groupings[i], scheme);
				s->named = false;
				program_say("%s was edited: it is read again", s->settings.schemes[i]);
			}
		}
		s->modified_ns[i] = modified;
	}
}

/* --- slices of time --- */

static double
moment_seconds(const struct stkgroup *s)
{
	return s->moments < 2 ? 0 : (double)(s->last_ns - s->first_ns) / 1e9 / (double)(s->moments - 1);
}

static int
end_slice(struct stkgroup *s, struct stk_error *err)
{
	if (s->slice_ns == STK_TIME_UNKNOWN)
		return 0;
	if (s->settings.view == GROUPS_RECORDS)
		return write_figures(s, err);
	s->grouped.window.from = s->slice_ns;
	s->grouped.moment_s = moment_seconds(s);
	s->grouped.count = s->count;
	if (show_table(&s->grouped, err) < 0)
		return -1;
	for (unsigned i = 0; i < s->count; i++)
		grouping_clear(s->groupings[i]);
	return 0;
}

/* The slice that a moment is in; an earlier one is not opened again. */
static int
turn_slice(struct stkgroup *s, int64_t time, struct stk_error *err)
{
	int64_t step = s->settings.step_ns, start;

	if (step <= 0 || time == STK_TIME_UNKNOWN)
		return 0;
	start = time_floor(time, step);
	if (s->slice_ns != STK_TIME_UNKNOWN && start <= s->slice_ns)
		return 0;
	if (end_slice(s, err) < 0)
		return -1;
	s->slice_ns = start;
	reload_schemes(s);
	return s->settings.view == GROUPS_RECORDS ? name_groups(s, err) : 0;
}

/* --- taking --- */

struct columns { const uint64_t *time, *thread, *dump, *stack, *weight, *state, *event; };

static int
decode(struct stkgroup *s, const struct stk_block *block, struct columns *c, struct stk_error *err)
{
	struct stk_reader *reader = s->filter.reader;

	return stk_reader_column(reader, STK_COLUMN(sample, time), &c->time, err) < 0 || model_column(s->model, reader, block, STK_COLUMN(sample, thread), &c->thread, err) < 0 ||
		model_column(s->model, reader, block, STK_COLUMN(sample, dump), &c->dump, err) < 0 ||
		model_column(s->model, reader, block, STK_COLUMN(sample, stack), &c->stack, err) < 0 ||
		stk_reader_column(reader, STK_COLUMN(sample, weight), &c->weight, err) < 0 || stk_reader_column(reader, STK_COLUMN(sample, state), &c->state, err) < 0 ||
		model_column(s->model, reader, block, STK_COLUMN(sample, event), &c->event, err) < 0 ? -1 : 0;
}

/* A sample of perf's sched_switch is the moment at which a thread was switched out: no work of any group. */
static bool
is_switch(const struct stkgroup *s, uint64_t event)
{
	struct stk_text name = model_string(s->model, event);

	return event != 0 && name.size >= 12 && memcmp(name.data + name.size - 12, "sched_switch", 12) == 0;
}

static void
note_moment(struct stkgroup *s, int64_t time)
{
	s->samples++;
	if (time == STK_TIME_UNKNOWN)
		return;
	s->moments += time != s->moment_ns;
	s->moment_ns = time;
	s->first_ns = s->first_ns == STK_TIME_UNKNOWN || time < s->first_ns ? time : s->first_ns;
	s->last_ns = time > s->last_ns ? time : s->last_ns;
}

/* Whether any scheme takes a sample. */
static bool
is_grouped(struct stkgroup *s, uint64_t stack, uint64_t thread)
{
	const uint32_t *groups;
	bool any = false;

	for (unsigned i = 0; i < s->count; i++)
		any |= (stack == 0 ? grouping_of_thread(s->groupings[i], s->model, thread, &groups) : grouping_of_stack(s->groupings[i], s->model, stack, &groups)) > 0;
	return any;
}

static void
take_sample(struct stkgroup *s, const struct columns *c, uint32_t row)
{
	uint32_t prefix = s->prefixes == NULL ? 0 : stack_prefix(s->prefixes, c->thread[row], c->dump[row], c->state[row]);
	uint64_t stack = c->stack[row], weight = c->weight[row];

	for (unsigned i = 0; i < s->count; i++) {
		if (s->settings.view == GROUPS_FOLDED)
			grouped_stacks_add(s->stacks, s->groupings[i], s->model, s->naming, s->prefixes == NULL ? text_of("", 0) : stack_prefix_text(s->prefixes, prefix), stack, weight);
		else if (s->settings.view != GROUPS_COVERAGE)
			grouping_add(s->groupings[i], s->model, prefix, stack, c->thread[row], (int64_t)c->time[row], weight);
	}
	if (s->settings.view == GROUPS_COVERAGE)
		uncovered_add(s->uncovered, s->model, s->naming, is_grouped(s, stack, c->thread[row]), stack, weight);
	if (s->generator != NULL)
		scheme_generator_add(s->generator, s->model, stack, weight);
	if (s->segments != NULL)
		segment_generator_count(s->segments, 1);
	if (s->owners != NULL)
		owner_generator_add(s->owners, s->model, stack);
}

static int
take_samples(struct stkgroup *s, const struct stk_block *block, struct stk_error *err)
{
	struct columns c;
	const uint32_t *rows;
	uint32_t count;

	if (decode(s, block, &c, err) < 0 || selection_rows(s->selection, s->filter.reader, block, &rows, &count, err) < 0)
		return -1;
	if (s->settings.view == GROUPS_RECORDS && name_groups(s, err) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row = selected_row(rows, i);

		note_moment(s, (int64_t)c.time[row]);
		if (is_switch(s, c.event[row])) {
			s->switches++;
			continue;
		}
		if (turn_slice(s, (int64_t)c.time[row], err) < 0 || (s->settings.view == GROUPS_RECORDS && write_stack(s, c.stack[row], err) < 0))
			return -1;
		if (s->settings.view != GROUPS_RECORDS || s->settings.step_ns > 0)
			take_sample(s, &c, row);
	}
	return 0;
}

static int
take_events(struct stkgroup *s, const struct stk_block *block, struct stk_error *err)
{
	if (stk_reader_rows(s->filter.reader, err) < 0)
		return -1;
	for (uint32_t row = 0; row < block->rows; row++) {
		struct stk_event event;

		stk_reader_row(s->filter.reader, row, &event);
		event.thread = model_id(s->model, STK_THREAD, event.thread);
		event.stack = model_id(s->model, STK_STACK, event.stack);
		for (unsigned i = 0; i < s->count; i++) {
			const uint32_t *groups;
			uint32_t count = event.stack == 0 ? 0 : grouping_of_stack(s->groupings[i], s->model, event.stack, &groups);

			event_time_take(grouping_events(s->groupings[i]), event.thread, &event, count == 0 ? 0 : groups[0]);
		}
	}
	return 0;
}

/* A scheme that the stream carries, where none was named. */
static int
take_embedded(struct stkgroup *s, const struct stk_block *block, struct stk_error *err)
{
	if (stk_reader_rows(s->filter.reader, err) < 0)
		return -1;
	for (uint32_t row = 0; row < block->rows; row++) {
		struct stk_scheme carried;
		struct scheme *scheme;
		char name[200];
		bool known = false;

		stk_reader_row(s->filter.reader, row, &carried);
		for (unsigned i = 0; i < s->count; i++)
			known |= text_equal(s->schemes[i]->name, carried.name);
		if (known || carried.text.size == 0 || s->count == SCHEMES_MOST)
			continue;
		(void)snprintf(name, sizeof name, "(embedded)/%.*s.yaml", (int)(carried.name.size < 100 ? carried.name.size : 100), carried.name.data);
		if (scheme_read_text(&scheme, name, carried.text, scheme_file_find, NULL, err) < 0) {
			program_warn("%s: %s", s->filter.name, err->text);
			stk_error_clear(err);
			continue;
		}
		add_scheme(s, scheme);
	}
	return 0;
}

static bool
is_ours(unsigned kind)
{
	return kind == STK_SCHEME || kind == STK_GROUP || kind == STK_GROUP_OF_STACK || kind == STK_GROUP_FIGURE;
}

static int
turn(struct stkgroup *s)
{
	for (unsigned i = 0; i < s->count; i++)
		grouping_turn(s->groupings[i]);
	naming_forget(s->naming);
	selection_head(s->selection, s->filter.reader, 0);
	s->named = false;
	return 0;
}

static int
take(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct stkgroup *s = context;
	bool records = s->settings.view == GROUPS_RECORDS;

	if (block->kind == STK_HEAD && turn(s) < 0)
		return -1;
	if (model_take(s->model, s->filter.reader, block, err) < 0)
		return -1;
	if (block->kind == STK_SCHEME && s->embedded && take_embedded(s, block, err) < 0)
		return -1;
	if (is_ours(block->kind) && !s->embedded) {
		s->dropped = true;
		return 0;
	}
	if (block->kind == STK_SAMPLE && take_samples(s, block, err) < 0)
		return -1;
	if (s->segments != NULL && segment_generator_take(s->segments, s->model, s->filter.reader, block, err) < 0)
		return -1;
	if (block->kind == STK_EVENT && take_events(s, block, err) < 0)
		return -1;
	return records ? stk_writer_pass(s->filter.writer, s->filter.reader, err) : 0;
}

/* --- events --- */

static void
end_events(struct stkgroup *s)
{
	for (unsigned i = 0; i < s->count; i++) {
		struct event_oddities odd;

		event_time_end(grouping_events(s->groupings[i]));
		odd = event_time_oddities(grouping_events(s->groupings[i]));
		if (odd.unstarted + odd.unstopped + odd.overlapping + odd.backward > 0)
			program_warn("events: %llu stops without a start, %llu starts without a stop (they count up to the last event of their thread), %llu stops of an outer pair, "
				     "%llu events before the one before them", (unsigned long long)odd.unstarted, (unsigned long long)odd.unstopped, (unsigned long long)odd.overlapping,
				     (unsigned long long)odd.backward);
		if (odd.untimed > 0)
			program_warn("events: %llu have no time; the time around them counts as if they were not there", (unsigned long long)odd.untimed);
	}
}

/* --- saying --- */

/* Findings raise the status. */
static void
finish_findings(unsigned found)
{
	if (found > 0)
		program_status_raise(PROGRAM_BAD_INPUT);
}

static int
show_owners(struct stkgroup *s, struct stk_error *err)
{
	const char *root = s->settings.root == NULL ? "" : s->settings.root;

	if (*s->settings.subject == 'o')
		return owner_generator_print_codeowners(s->owners, s->settings.owners, root, &s->printer.text, err);
	return owner_generator_print_git(s->owners, s->settings.repository == NULL ? "." : s->settings.repository, root, &s->printer.text, err);
}

static int
show(struct stkgroup *s, struct stk_error *err)
{
	unsigned found = 0;

	s->grouped.count = s->count;
	s->grouped.moment_s = moment_seconds(s);
	switch (s->settings.view) {
	case GROUPS_RECORDS:  return s->settings.step_ns > 0 ? end_slice(s, err) : 0;
	case GROUPS_TABLE:    return s->settings.step_ns > 0 ? end_slice(s, err) : show_table(&s->grouped, err);
	case GROUPS_FOLDED:   return grouped_stacks_print(s->stacks, &s->printer, err);
	case GROUPS_COVERAGE: return uncovered_print(s->uncovered, &s->settings, &s->printer, err);
	case GROUPS_GENERATE:
		if (s->segments != NULL) {
			if (segment_generator_print(s->segments, s->settings.least > 0 ? s->settings.least : 1, &s->printer.text) == 0)
				program_warn("no segments in the input: expected what stkclass writes");
			return 0;
		}
		return s->owners != NULL ? show_owners(s, err) : scheme_generator_print(s->generator, &s->settings, &s->printer.text, err);
	case GROUPS_EXPLAIN:
		for (unsigned i = 0; i < s->count; i++)
			show_explanation(s->groupings[i], s->settings.subject, &s->printer.text);
		return 0;
	case GROUPS_LINT:
		for (unsigned i = 0; i < s->count; i++)
			found += show_lint(s->groupings[i], s->samples > 0, &s->printer.text);
		break;
	case GROUPS_TEST:
		for (unsigned i = 0; i < s->count; i++)
			found += show_tests(s->schemes[i], &s->printer.text);
		break;
	case GROUPS_IMPORT:
		return tag_file_import(s->settings.subject, &s->printer.text, err);
	case GROUPS_EXPORT:
		for (unsigned i = 0; i < s->count; i++)
			found += tag_file_export(s->schemes[i], s->settings.subject, &s->printer.text);
		break;
	case GROUPS_LIST: {
		char *names = scheme_file_names();

		add_string(&s->printer.text, names);
		free(names);
		break;
	}
	}
	finish_findings(found);
	return 0;
}

static bool
needs_stream(const struct settings *s, int operands)
{
	return s->view != GROUPS_LIST && s->view != GROUPS_IMPORT && s->view != GROUPS_EXPORT && s->view != GROUPS_TEST && s->view != GROUPS_EXPLAIN && !(s->view == GROUPS_LINT && operands == 0) && !(s->events != NULL && operands == 0);
}

static int
run(struct stkgroup *s, char **operands, int count, struct stk_error *err)
{
	bool stream = needs_stream(&s->settings, count);
	static char nothing[] = "/dev/null", *no_input[] = { nothing };

	if (read_schemes(s, err) < 0)
		return -1;
	if (filter_open(&s->filter, stream ? operands : no_input, stream ? count : 1, err) < 0)
		return -1;
	settings_choose(&s->settings, output_is_terminal(s->filter.output) || !stream);
	if (s->settings.view == GROUPS_RECORDS && filter_records(&s->filter, err) < 0)
		return -1;
	s->filter.follow = s->settings.follow;
	reload_schemes(s);
	if (open_views(s, err) < 0 || (stream && filter_each(&s->filter, take, s, err) < 0) || (s->settings.events != NULL && event_lines_read(s->settings.events, s->groupings, s->count, s->settings.zone, err) < 0))
		return -1;
	end_events(s);
	if (s->switches > 0)
		program_say("%llu samples are switches from one thread to another, and belong to no group", (unsigned long long)s->switches);
	if (s->dropped)
		program_say("the input was grouped before: those groups are left out, and made anew");
	if (s->count == 0 && s->settings.view != GROUPS_LIST && s->settings.view != GROUPS_GENERATE && s->settings.view != GROUPS_IMPORT)
		return stk_fail(err, STK_EUSAGE, "-s: expected a scheme (--list shows those that there are): the stream carries none");
	if (stream && s->samples == 0 && s->settings.events == NULL && !sample_choice_report(&s->settings.choice, &s->filter))
		program_warn("no samples %s: nothing to group", sample_choice_has_window() || sample_choice_is_filtered() ? "were chosen" : "in the input");
	report_lost_ids(s->model);
	return show(s, err) < 0 ? -1 : printer_settle(&s->printer, true, err);
}

static void
close_all(struct stkgroup *s)
{
	for (unsigned i = 0; i < s->count; i++) {
		grouping_close(s->groupings[i]);
		scheme_close(s->schemes[i]);
	}
	grouped_stacks_close(s->stacks);
	uncovered_close(s->uncovered);
	scheme_generator_close(s->generator);
	owner_generator_close(s->owners);
	segment_generator_close(s->segments);
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
	int first = settings_read(&s.settings, argc, argv, getenv("COLUMNS"));
	bool well = run(&s, argv + first, argc - first, &err) == 0;

	if (!well && err.code == STK_EUSAGE)
		program_usage("%s", err.text);
	if (!well && err.code != STK_EOK)
		program_fail("%s", err.text);
	filter_close(&s.filter, well);
	close_all(&s);
	return program_end();
}
