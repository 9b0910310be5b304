/* SPDX-License-Identifier: MIT
 * group_settings: the options of stkgroup. */
#include "group_settings.h"

#include "choose/where.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

static struct option_texts schemes;
static struct settings given = { .top = 20 };
static const char *stack, *generate, *import, *export;
static bool lint, test, coverage, list;

static const struct option_row options[] = {
	OPT_HEADING("scheme"),
	OPT_TEXTS('s', "scheme", &schemes, "FILE|NAME", "the scheme; may be repeated (default: those that the stream carries)"),
	OPT_FLAG(0, "list", &list, "list the schemes that come with the program"),
	OPT_FLAG(0, "embed", &given.embed, "write the schemes into the stream"),
	OPT_FLAG(0, "test", &test, "run the examples in schemes; silent when they pass"),
	OPT_FLAG(0, "lint", &lint, "report groups that never match; with a stream: that match nothing in it"),
	OPT_TEXT(0, "explain", &stack, "STACK", "show which group frame;frame;frame belongs to, and why"),
	OPT_WORD(0, "generate", &generate, "WHAT", "packages, modules, segments, owners, git",
		 "write a scheme for a stream"),
	OPT_FLAG(0, "no-platform", &given.no_platform, "--generate packages: without those of the Java platform"),
	OPT_TEXT(0, "update", &given.update, "FILE", "--generate: keep the contents of FILE"),
	OPT_TEXT(0, "owners", &given.owners, "FILE", "--generate owners: the CODEOWNERS file"),
	OPT_TEXT(0, "repository", &given.repository, "DIR", "--generate git: the repository (.)"),
	OPT_TEXT(0, "root", &given.root, "DIR", "folder of the packages in the repository; or /DIR: where it was built"),
	OPT_TEXT(0, "import", &import, "FILE", "convert a .stacktags or SJK categorization file into a scheme"),
	OPT_WORD(0, "export", &export, "FORM", "stacktags, ctz", "convert the scheme for other tools"),
	OPT_HEADING("output"),
	OPT_CHOICE(0, "frames", &given.frames, "HOW", "whole (the group), grouped, entry (and how it is entered)",
		   "-f folded"),
	OPT_FLAG(0, "coverage", &coverage, "show what is ungrouped, and which functions would cover it"),
	OPT_TEXT(0, "by", &given.by, "KEY,...", "one table for each source, host, process, thread, processor, activity..."),
	OPT_DURATION(0, "step", &given.step_ns, "TIME", "one table, or figures in the stream, per TIME"),
	OPT_CHOICE(0, "timing", &given.time, "HOW", "filled, paired, sampled, mean, normalised", "times"),
	OPT_TEXT(0, "queries", &given.queries, "FILE", "answer each query in FILE: group, thread, time, by, step, having"),
	OPT_TEXT(0, "events", &given.events, "FILE", "read events from TSV: time thread happening name value ..."),
	OPT_CHOICE(0, "report", &given.report, "WHAT", "groups, hierarchy, payloads, cross-check, critical-path",
		   "table of"),
	OPT_FLAG(0, "follow", &given.follow, "continue as the input grows, and reload schemes that are edited"),
	OPT_NUMBER(0, "depth", &given.depth, "N", "levels of groups"),
	OPT_PERCENT(0, "min", &given.least, 0, 100, "PERCENT", "leave out rows with less of the total"),
	OPT_NUMBER(0, "top", &given.top, "N", "rows of --coverage, activities of critical-path (20)"),
	OPT_TABLE(sample_choice_options),
	OPT_TABLE(sample_zone_option),
	OPT_OLD("time", "timing"),
	OPT_ONE_OF("lint test coverage list explain generate import export report queries"),
	OPT_NEEDS("update", "generate"),
	OPT_NEEDS("no-platform", "generate"),
	OPT_NEEDS("owners", "generate"),
	OPT_NEEDS("repository", "generate"),
	OPT_NEEDS("root", "generate"),
	OPT_END
};

static enum group_view
view_given(void)
{
	const char *format = program_common.format;

	if (lint)
		return GROUPS_LINT;
	if (test)
		return GROUPS_TEST;
	if (coverage)
		return GROUPS_COVERAGE;
	if (list)
		return GROUPS_LIST;
	if (stack != NULL)
		return GROUPS_EXPLAIN;
	if (generate != NULL)
		return GROUPS_GENERATE;
	if (import != NULL)
		return GROUPS_IMPORT;
	if (export != NULL)
		return GROUPS_EXPORT;
	if (program_given("report") || program_given("queries"))
		return GROUPS_TABLE;
	if (format == NULL || strcmp(format, "stream") == 0)
		return GROUPS_RECORDS;
	return strcmp(format, "folded") == 0 ? GROUPS_FOLDED : GROUPS_TABLE;
}

/* A path over threads needs all of an activity. */
static void
read_path_report(struct settings *s)
{
	if (s->report != REPORT_PATH)
		return;
	if (s->step_ns > 0 || s->follow || s->selection.where != NULL || sample_choice_has_window())
		program_usage("--report critical-path needs whole activities: it does not work with --step, --follow, "
			      "--where or a window of time");
	if (s->by != NULL && strstr(s->by, "activity") != NULL)
		program_usage("--report critical-path is by activity: expected keys of threads in --by, such as "
			      "process,thread");
	s->by = s->by == NULL ? "thread" : s->by;
	s->by_activity = true;
}

/* What has one answer for the whole input. */
static void
check_parts(const struct settings *s)
{
	bool one = s->view == GROUPS_COVERAGE || s->view == GROUPS_GENERATE;
	const char *what = s->view == GROUPS_COVERAGE ? "--coverage" : one ? "--generate" : "-f folded";

	if (s->step_ns > 0 && (one || s->view == GROUPS_FOLDED))
		program_usage("--step has no effect with %s: choose a part of the time with --from and --to", what);
	if (s->by != NULL && one)
		program_usage("--by has no effect with %s: choose threads and processes with --where", what);
}

/* The last of the keys may be activity, which is none of a thread. */
static void
read_keys(struct settings *s)
{
	const char *last = s->by == NULL ? NULL : strrchr(s->by, ',');

	if (s->by_activity || s->by == NULL || strcmp(last == NULL ? s->by : last + 1, "activity") != 0)
		return;
	if (s->view != GROUPS_TABLE && (s->view != GROUPS_RECORDS || program_common.format != NULL))
		program_usage("--by activity works with -f text, tsv or ndjson");
	if (s->follow)
		program_usage("--by activity needs the whole input: it does not work with --follow");
	s->by_activity = true;
	if (last != NULL && (size_t)(last - s->by) < sizeof s->keys)
		memcpy(s->keys, s->by, (size_t)(last - s->by));
	s->by = last == NULL ? "none" : s->keys;
}

unsigned
settings_levels(const struct settings *s)
{
	unsigned levels = s->by == NULL ? 0 : 1;

	for (const char *at = s->by; at != NULL && *at != '\0'; at++)
		levels += *at == ',';
	return levels + (s->by_activity && strcmp(s->by, "none") != 0);
}

static enum row_form
form_given(void)
{
	const char *format = program_common.format;

	if (format == NULL)
		return ROWS_TEXT;
	return strcmp(format, "tsv") == 0 ? ROWS_TSV : strcmp(format, "ndjson") == 0 ? ROWS_NDJSON : ROWS_TEXT;
}

static bool
format_has_no_tables(void)
{
	const char *format = program_common.format;

	return format != NULL && (strcmp(format, "stream") == 0 || strcmp(format, "folded") == 0);
}

/* What each query says for itself, and what is known of events in a text. */
static void
refuse_with_queries(void)
{
	static const char *const own[] = { "where", "by" };

	for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
		if (program_given(own[i]))
			program_usage("--%s: with --queries it belongs into each query of the file", own[i]);
	if (program_given("events"))
		program_usage("--events does not work with --queries; stkcap --format events makes records of events");
	if (format_has_no_tables())
		program_usage("--queries: -f %s has no rows; expected text, tsv or ndjson", program_common.format);
}

static void
read_view(struct settings *s)
{
	s->form = form_given();
	s->view = view_given();
	s->subject = stack != NULL ? stack : generate != NULL ? generate : import != NULL ? import : export;
	if (s->no_platform && strcmp(generate, "packages") != 0)
		program_usage("--no-platform works only with --generate packages");
	if (generate != NULL && strcmp(generate, "owners") == 0 && s->owners == NULL)
		program_usage("--generate owners needs --owners FILE (CODEOWNERS)");
	if (program_given("report") && format_has_no_tables())
		program_usage("--report: -f %s has no tables; expected text, tsv or ndjson", program_common.format);
	if (s->queries != NULL)
		refuse_with_queries();
	if (s->report > REPORT_HIERARCHY && (s->depth > 0 || s->least > 0 || program_given("timing")))
		program_usage("--depth, --min and --timing have no effect with this --report");
	if (s->report == REPORT_HIERARCHY && s->by == NULL)
		s->by = "process,thread";
	if (s->schemes_count == 0 && (s->view == GROUPS_TEST || s->view == GROUPS_EXPLAIN || s->view == GROUPS_EXPORT))
		program_usage("missing -s SCHEME (--list shows the included ones)");
}

void
settings_choose(struct settings *s, bool to_terminal)
{
	if (s->view == GROUPS_RECORDS && to_terminal && program_common.format == NULL)
		s->view = GROUPS_TABLE;
	if (s->queries != NULL && !to_terminal && program_common.format == NULL)
		s->form = ROWS_NDJSON;
	if (s->view == GROUPS_RECORDS && s->by_activity)
		program_usage("--by activity works with -f text, tsv or ndjson");
}

static bool
runs_git(void)
{
	return generate != NULL && strcmp(generate, "git") == 0;
}

int
settings_read(struct settings *s, int argc, char **argv)
{
	int first;

	program_confine(runs_git);
	first = program_begin("stkgroup", "attribute samples to the groups of a YAML scheme",
				  "[FILE | DIR | -]...", "text, tsv, ndjson, folded, stream", options, argc, argv);

	*s = given;
	if (schemes.count > SCHEMES_MOST)
		program_usage("-s: more than %d schemes", SCHEMES_MOST);
	s->schemes_count = schemes.count;
	memcpy(s->schemes, schemes.at, sizeof s->schemes);
	sample_choice_read(&s->choice, argv + first, argc - first);
	s->selection = s->choice.selection;
	s->zone = s->choice.zone;
	if (s->queries != NULL && !sample_choice_has_window())
		sample_choice_refer(&s->choice, argv + first, argc - first);
	s->top = s->top > 0 ? s->top : 20;
	read_view(s);
	read_path_report(s);
	check_parts(s);
	read_keys(s);
	return first;
}

void
settings_of_query(struct settings *out, const struct settings *all, const struct query_file *file,
		  const struct group_query *query)
{
	*out = *all;
	out->query = query;
	out->selection.where = query->where;
	out->by = query->by;
	out->by_activity = false;
	out->step_ns = query->step_ns > 0 ? query->step_ns : all->step_ns;
	if (query->by != NULL && strlen(query->by) >= sizeof out->keys)
		program_usage("%s:%u: query '%s': more than %zu characters in by", file->path, query->line, query->name,
			      sizeof out->keys - 1);
	read_keys(out);
}

void
settings_release(struct settings *s)
{
	sample_choice_release(&s->choice);
}

/* Views of schemes without a stream. */
static bool
is_of_schemes(enum group_view view)
{
	return view == GROUPS_LIST || view == GROUPS_IMPORT || view == GROUPS_EXPORT || view == GROUPS_TEST ||
		view == GROUPS_EXPLAIN;
}

/* Checks of schemes, and events of a text, also read a stream if one is given. */
bool
settings_need_stream(const struct settings *s, int operands)
{
	bool may_do_without = s->view == GROUPS_LINT || s->events != NULL;

	return !is_of_schemes(s->view) && (operands > 0 || !may_do_without);
}

bool
settings_need_scheme(const struct settings *s)
{
	return s->view != GROUPS_LIST && s->view != GROUPS_IMPORT && s->view != GROUPS_GENERATE;
}

bool
settings_combine(const struct settings *s)
{
	return s->view == GROUPS_TABLE && s->report != REPORT_PAYLOADS && s->report != REPORT_PATH &&
		s->time != TIME_PAIRED && s->time != TIME_SAMPLED;
}

struct event_choice
settings_events(struct settings *s)
{
	const struct selection_options *o = &s->selection;
	bool whole = o->from_ns == INT64_MIN && o->to_ns == INT64_MAX;

	s->window = (struct time_window){ o->from_ns, o->to_ns };
	return o->windows_count > 0 ? (struct event_choice){ o->windows, o->windows_count, s->step_ns }
				    : (struct event_choice){ &s->window, whole ? 0 : 1, s->step_ns };
}

/* Folded stacks and coverage have sums of their own. */
bool
settings_need_sums(const struct settings *s)
{
	if (s->view == GROUPS_RECORDS)
		return s->step_ns > 0;
	return s->view != GROUPS_FOLDED && s->view != GROUPS_COVERAGE;
}

/* A group that no scheme has would choose nothing, without a word. */
static void
need_group(void *context, struct stk_text name, bool below)
{
	const struct scheme_set *set = context;
	const struct stk_text *path;

	if (scheme_set_group(set, name, below) != NULL || text_is(name, "(none)"))
		return;
	path = scheme_set_group(set, name, true);
	if (path != NULL)
		program_usage("--where: no group has the path '%.*s': expected '%.*s', or group under", (int)name.size,
			      name.data, (int)path->size, path->data);
	program_usage("--where: no scheme has a group '%.*s'", (int)name.size, name.data);
}

void
settings_need_groups(const struct settings *s, const struct scheme_set *set)
{
	const char *group = s->query == NULL ? NULL : s->query->group;

	if (set->count == 0)
		return;
	if (s->selection.where != NULL)
		where_each_group(s->selection.where, need_group, (void *)(uintptr_t)set);
	if (group != NULL && strcmp(group, "(none)") != 0 && scheme_set_group(set, text_from(group), true) == NULL)
		program_usage("no scheme has a group '%s'", group);
}
