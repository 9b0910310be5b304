/* SPDX-License-Identifier: MIT
 * group_settings: the options of stkgroup. */
#include "group_settings.h"

#include "choose/where.h"
#include "program/options.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH_USUAL 100

static struct settings given;
static const char *from, *to, *zone, *stack, *frames, *generate, *least, *import, *export, *where, *timing;
static bool lint, test, coverage, list, running, invert;

static int
take_scheme(const char *value, struct stk_error *err)
{
	if (given.schemes_count == SCHEMES_MOST)
		return stk_fail(err, STK_EUSAGE, "-s: more than %d schemes", SCHEMES_MOST);
	given.schemes[given.schemes_count++] = value;
	return 0;
}

static const struct option_row options[] = {
	OPT_HEADING("scheme"),
	OPT_TAKE('s', "scheme", take_scheme, "FILE|NAME", "groups; may be repeated. None: those that the stream carries"),
	OPT_FLAG(0, "list", &list, "the schemes that come with the program"),
	OPT_FLAG(0, "embed", &given.embed, "the stream carries its schemes"),
	OPT_FLAG(0, "test", &test, "the examples that schemes hold; silent when they are right"),
	OPT_FLAG(0, "lint", &lint, "groups that never get anything; with a stream: in it"),
	OPT_TEXT(0, "explain", &stack, "STACK", "which group frame;frame;frame belongs to, and why"),
	OPT_TEXT(0, "generate", &generate, "WHAT", "a scheme from a stream: packages, modules, segments, owners, git"),
	OPT_TEXT(0, "update", &given.update, "FILE", "--generate: keep what is written there"),
	OPT_TEXT(0, "owners", &given.owners, "FILE", "--generate owners: CODEOWNERS"),
	OPT_TEXT(0, "repository", &given.repository, "DIR", "--generate git: whose history says who owns what (.)"),
	OPT_TEXT(0, "root", &given.root, "DIR", "where packages are in the repository: src/main/java"),
	OPT_TEXT(0, "import", &import, "FILE", "a scheme from a .stacktags or SJK categorisation file"),
	OPT_TEXT(0, "export", &export, "FORM", "the scheme as stacktags or ctz; what these cannot say is told"),
	OPT_HEADING("what is shown"),
	OPT_TEXT(0, "frames", &frames, "HOW", "-f folded: whole (the group), grouped, entry (with the function that leads in)"),
	OPT_FLAG(0, "coverage", &coverage, "what no group took, and which functions would cover it"),
	OPT_TEXT(0, "by", &given.by, "KEY,...", "begin with source, process, thread, pool, state"),
	OPT_DURATION(0, "step", &given.step_ns, "TIME", "one table, or figures in the stream, for each so long part"),
	OPT_TEXT(0, "time", &timing, "HOW", "filled (pairs of events, else samples), paired, sampled, mean"),
	OPT_TEXT(0, "events", &given.events, "FILE", "events, TSV: time thread happening name value"),
	OPT_FLAG(0, "follow", &given.follow, "go on as the input grows, and with schemes as they are edited"),
	OPT_NUMBER(0, "depth", &given.depth, "N", "levels of groups"),
	OPT_TEXT(0, "min", &least, "PERCENT", "leave out what has less of the total"),
	OPT_NUMBER(0, "top", &given.top, "N", "rows of --coverage (20)"),
	OPT_HEADING("which samples"),
	OPT_TEXT(0, "from", &from, "TIME", "from this moment on"),
	OPT_TEXT(0, "to", &to, "TIME", "before this moment"),
	OPT_TEXT(0, "thread", &given.selection.thread, "REGEX", "of threads by name"),
	OPT_TEXT(0, "process", &given.selection.process, "REGEX", "of processes by name or number"),
	OPT_TEXT(0, "state", &given.selection.states, "STATE,...", "in these states"),
	OPT_TEXT(0, "grep", &given.selection.grep, "REGEX", "with such a frame"),
	OPT_FLAG(0, "invert", &invert, "without it"),
	OPT_TEXT(0, "where", &where, "COND", "of which this holds: group under jdbc and thread = exec-*"),
	OPT_FLAG(0, "running", &running, "that run: time switched out belongs to no group"),
	OPT_TEXT(0, "event", &given.selection.event, "NAME", "of this sampling event, or all"),
	OPT_TEXT(0, "zone", &zone, "ZONE", "times in this zone"),
	OPT_END
};

static void
usage_unless(int result, const struct stk_error *err)
{
	if (result < 0)
		program_usage("%s", err->text);
}

static void
read_view(struct settings *s)
{
	const char *format = program_common.format;
	int views = lint + test + coverage + list + (stack != NULL) + (generate != NULL) + (import != NULL) + (export != NULL);

	if (views > 1)
		program_usage("--lint, --test, --coverage, --list, --explain, --generate, --import and --export: only one at a time");
	s->form = ROWS_TEXT;
	if (format != NULL && strcmp(format, "tsv") == 0)
		s->form = ROWS_TSV;
	else if (format != NULL && strcmp(format, "ndjson") == 0)
		s->form = ROWS_NDJSON;
	else if (format != NULL && strcmp(format, "text") != 0 && strcmp(format, "folded") != 0 && strcmp(format, "stream") != 0)
		program_usage("-f: expected text, tsv, ndjson, folded or stream, not '%s'", format);
	s->view = lint ? GROUPS_LINT : test ? GROUPS_TEST : coverage ? GROUPS_COVERAGE : list ? GROUPS_LIST : stack != NULL ? GROUPS_EXPLAIN : generate != NULL ? GROUPS_GENERATE : import != NULL ? GROUPS_IMPORT : export != NULL ? GROUPS_EXPORT :
		  format == NULL || strcmp(format, "stream") == 0 ? GROUPS_RECORDS : strcmp(format, "folded") == 0 ? GROUPS_FOLDED : GROUPS_TABLE;
	s->subject = stack != NULL ? stack : generate != NULL ? generate : import != NULL ? import : export;
	if (export != NULL && strcmp(export, "stacktags") != 0 && strcmp(export, "ctz") != 0)
		program_usage("--export: expected stacktags or ctz, not '%s'", export);
	if (generate != NULL && strcmp(generate, "packages") != 0 && strcmp(generate, "modules") != 0 && strcmp(generate, "segments") != 0 && strcmp(generate, "owners") != 0 && strcmp(generate, "git") != 0)
		program_usage("--generate: expected packages, modules, segments, owners or git, not '%s'", generate);
	if (generate != NULL && strcmp(generate, "owners") == 0 && s->owners == NULL)
		program_usage("--generate owners: --owners says the CODEOWNERS file");
	if (frames != NULL && strcmp(frames, "whole") != 0 && strcmp(frames, "grouped") != 0 && strcmp(frames, "entry") != 0)
		program_usage("--frames: expected whole, grouped or entry, not '%s'", frames);
	s->frames = frames == NULL || *frames == 'w' ? FRAMES_WHOLE : *frames == 'g' ? FRAMES_GROUPED : FRAMES_ENTRY;
	if (s->schemes_count == 0 && (s->view == GROUPS_TEST || s->view == GROUPS_EXPLAIN || s->view == GROUPS_EXPORT))
		program_usage("-s: expected a scheme (--list shows those that there are)");
}

void
settings_choose(struct settings *s, bool to_terminal)
{
	if (s->view == GROUPS_RECORDS && to_terminal && program_common.format == NULL)
		s->view = GROUPS_TABLE;
}

int
settings_read(struct settings *s, int argc, char **argv, const char *columns, int64_t now_ns)
{
	struct stk_error err = { 0 };
	int first = program_begin("stkgroup", "samples by groups that mean something, of a scheme in YAML", "[FILE | DIR | -]...", "text, tsv, ndjson, folded, stream", options, argc, argv);
	int64_t width = columns == NULL ? 0 : strtol(columns, NULL, 10);
	char *end;

	*s = given;
	if (zone != NULL)
		usage_unless(time_zone_open(&s->zone, zone, &err), &err);
	s->selection.from_ns = INT64_MIN;
	s->selection.to_ns = INT64_MAX;
	if (from != NULL)
		usage_unless(time_parse(from, now_ns, s->zone, &s->selection.from_ns, &err), &err);
	if (to != NULL)
		usage_unless(time_parse(to, now_ns, s->zone, &s->selection.to_ns, &err), &err);
	if (where != NULL)
		usage_unless(where_open(&s->selection.where, where, now_ns, s->zone, &err), &err);
	s->time = timing == NULL || strcmp(timing, "filled") == 0 ? TIME_FILLED : strcmp(timing, "paired") == 0 ? TIME_PAIRED : strcmp(timing, "sampled") == 0 ? TIME_SAMPLED : TIME_MEAN;
	if (s->time == TIME_MEAN && strcmp(timing, "mean") != 0)
		program_usage("--time: expected filled, paired, sampled or mean, not '%s'", timing);
	s->selection.activity = running ? ACTIVITY_RUNNING : ACTIVITY_ANY;
	s->selection.invert = invert;
	s->top = s->top > 0 ? s->top : 20;
	s->least = least == NULL ? 0 : strtod(least, &end);
	if (least != NULL && (end == least || (*end != '\0' && strcmp(end, "%") != 0)))
		program_usage("--min: expected a percentage, not '%s'", least);
	read_view(s);
	s->width = width < 60 ? WIDTH_USUAL : width > 1000 ? 1000 : width;
	return first;
}

void
settings_release(struct settings *s)
{
	where_close(s->selection.where);
	time_zone_close(s->zone);
}
