/* SPDX-License-Identifier: MIT
 * class_settings: the options of stkclass. */
#include "class_settings.h"

#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_USUAL  (10 * INT64_C(1000000000))

enum keys { BY_SOURCE = 1, BY_POOL = 2, BY_STATE = 4 };

static struct settings given = { .top = 20, .samples = { .slice_ns = STEP_USUAL } };
static const char *class_id, *segment_id, *stack;
static uint64_t by;
static bool restore, tree, segments, grammar, lines, exact;

static const struct option_row options[] = {
	OPT_HEADING("output"),
	OPT_FLAG(0, "tree", &tree, "show classes as a tree of the segments that they share"),
	OPT_TEXT(0, "class", &class_id, "ID", "show one class, by number or name"),
	OPT_TEXT(0, "segment", &segment_id, "ID", "show one segment, by number or name"),
	OPT_FLAG(0, "segments", &segments, "show all segments"),
	OPT_TEXT(0, "explain", &stack, "STACK", "show how frame;frame;frame is parsed"),
	OPT_FLAG(0, "grammar", &grammar, "show classes and segments as production rules"),
	OPT_TEXT(0, "segment-names", &given.names, "FILE", "read names of segments from lines of frame;frame NAME"),
	OPT_NUMBER(0, "top", &given.top, "N", "rows of a table (20; 0: all)"),
	OPT_TABLE(sample_choice_options),
	OPT_TABLE(sample_zone_option),
	OPT_HEADING("classes"),
	OPT_LIST(0, "by", &by, "KEY,...", "source, pool, state", "keep classes apart by"),
	OPT_FLAG(0, "lines", &lines, "distinguish frames by line number"),
	OPT_FLAG(0, "exact", &exact, "do not fold generated names"),
	OPT_DURATION(0, "step", &given.samples.slice_ns, "TIME",
		     "group samples without a dump by slices of TIME (10s)"),
	OPT_FLAG(0, "offline", &given.canonical, "learn by frequency, not by arrival"),
	OPT_FLAG(0, "variants", &given.samples.variants, "mark frames that occur in several forms"),
	OPT_HEADING("codes"),
	OPT_CHOICE(0, "codes", &given.code_order, "ORDER", "frequency, arrival, counts", "write dumps as codes"),
	OPT_FLAG(0, "stats", &given.sizes, "report the size of codes, text, gzip and zstd"),
	OPT_FLAG(0, "restore", &restore, "read codes, and write their samples"),
	OPT_HEADING("state"),
	OPT_WRITTEN(0, "resume", &given.state, "FILE", "resume from FILE, and keep it up to date"),
	OPT_FLAG(0, "merge", &given.merge, "join the inputs, which are states"),
	OPT_OLD("names", "segment-names"),
	OPT_OLD("slice", "step"),
	OPT_ONE_OF("tree class segment segments explain grammar codes restore"),
	OPT_ONE_OF("codes resume"),
	OPT_ONE_OF("restore resume"),
	OPT_NEEDS("stats", "codes"),
	OPT_END
};

static enum view
view_given(bool text)
{
	if (program_given("codes"))
		return VIEW_CODES;
	if (restore)
		return VIEW_RESTORED;
	if (tree)
		return VIEW_TREE;
	if (segments)
		return VIEW_SEGMENTS;
	if (grammar)
		return VIEW_GRAMMAR;
	if (class_id != NULL)
		return VIEW_CLASS;
	if (segment_id != NULL)
		return VIEW_SEGMENT;
	if (stack != NULL)
		return VIEW_EXPLAIN;
	return text ? VIEW_CLASSES : VIEW_RECORDS;
}

static void
read_view(struct settings *s)
{
	const char *format = program_common.format;
	bool stream = format != NULL && strcmp(format, "stream") == 0, coded = program_given("codes") || restore;

	s->view = view_given((format != NULL && !stream) || s->canonical);
	s->subject = class_id != NULL ? class_id : segment_id != NULL ? segment_id : stack;
	s->tsv = format != NULL && strcmp(format, "tsv") == 0;
	if (stream && ((s->view != VIEW_RECORDS && !coded) || s->canonical || s->merge))
		program_usage(
			"-f stream writes records as they come; --tree and the like, --offline and --merge need -f text, -f tsv or --resume");
	if (coded && (s->canonical || s->merge || (format != NULL && !stream)))
		program_usage("--codes and --restore write a stream of their own, without a state");
}

/* What two runs must share for one to resume where the other ended. */
static void
describe(struct settings *s)
{
	char chosen[400];

	sample_choice_describe(chosen, sizeof chosen);
	(void)snprintf(s->identity, sizeof s->identity, "lines=%d exact=%d by=%s%s%s slice=%lld%s%s", lines, exact,
		       s->samples.by_source ? "source " : "", s->samples.by_pool ? "pool " : "",
		       s->samples.by_state ? "state" : "", (long long)s->samples.slice_ns,
		       s->samples.variants ? " variants" : "", chosen);
}

int
settings_read(struct settings *s, int argc, char **argv)
{
	int first;

	program_confine(NULL);
	first = program_begin("stkclass", "learn the segments and classes of stacks, and count the threads in each",
			      "[FILE | DIR | -]...", "text, tsv, stream", options, argc, argv);

	*s = given;
	s->samples.by_source = (by & BY_SOURCE) != 0;
	s->samples.by_pool = (by & BY_POOL) != 0;
	s->samples.by_state = (by & BY_STATE) != 0;
	s->samples.identity.lines = lines;
	s->samples.identity.exact = exact;
	read_view(s);
	sample_choice_read(&s->choice, s->merge ? NULL : argv + first, s->merge ? 0 : argc - first);
	s->zone = s->choice.zone;
	describe(s);
	return first;
}

void
settings_release(struct settings *s)
{
	sample_choice_release(&s->choice);
}
