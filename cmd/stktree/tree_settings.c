/* SPDX-License-Identifier: MIT
 * tree_settings: the options of stktree. */
#include "tree_settings.h"

#include "base/quantities.h"
#include "program/program.h"
#include "program/typed_windows.h"
#include "timetree/shape_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LEAST_SHOWN 0.5		/* percent of the total, in a call tree for people */
#define TOP_USUAL   40		/* rows for people; programs get all */

enum report { REPORT_TREE, REPORT_FLAT, REPORT_PATHS, REPORT_CALLERS, REPORT_CLASSES, REPORT_GROUPS, REPORT_POOLS };
enum names { NAMES_SHORT, NAMES_FULL };
enum rate { RATE_SECOND, RATE_SHARE };

static struct settings given = { .confidence = 95, .every_ns = INT64_C(1000000000) };
static enum report report;
static enum names names;
static enum rate rate;
static enum tree_rule rule;
static double keep_percent = 100;
static const char *retention, *span;
static bool merge, follow, samples, exact;
static int64_t leaf = TREE_LEAF_USUAL;
static const char *split;
static struct option_texts keys;		/* of --by */

static const struct option_row growing_options[] = {
	OPT_FLAG(0, "again", &given.maker.again, "add also what the tree has already"),
	OPT_DURATION(0, "every", &given.every_ns, "TIME", "--follow: how often to add to the tree (1s)"),
	OPT_END
};

static const struct option_row shape_options[] = {
	OPT_TEXT(0, "split", &split, "N,...", "parts of an interval (4), level by level from the root"),
	OPT_CHOICE(0, "split-by", &rule, "RULE", "time (default), samples, calendar", "how to split"),
	OPT_TEXT(0, "span", &span, "FROM..TO", "interval of the root (from the first sample to the last)"),
	OPT_END
};

static const struct option_row difference_options[] = {
	OPT_CHOICE(0, "rate", &rate, NULL, "second, share", "samples per second (if times are known), or shares (default)"),
	OPT_FLAG(0, "exact", &exact, "do not fold generated names"),
	OPT_PERCENT(0, "confidence", &given.confidence, 50, 99.9999, "PERCENT",
		    "confidence level (95); also bounds the share of false findings"),
	OPT_END
};

static const struct option_row options[] = {
	OPT_TABLE(sample_choice_options),
	OPT_TABLE(sample_zone_option),
	OPT_DURATION(0, "step", &given.step_ns, "TIME", "one report per TIME"),
	OPT_HEADING("report"),
	OPT_CHOICE(0, "report", &report, "WHAT",
		   "tree, flat (functions), paths (stacks), callers, classes, groups, pools", ""),
	OPT_TEXT(0, "function", &given.function, "NAME", "show its callers and callees"),
	OPT_TEXTS(0, "by", &keys, "KEY,...",
		  "begin stacks with source, process, thread, pool, state, none; several for a tree that is built"),
	OPT_FLAG(0, "samples", &samples, "count samples, not their weights"),
	OPT_NUMBER(0, "depth", &given.depth, "N", "levels of the call tree"),
	OPT_PERCENT(0, "min", &given.least, 0, 100, "PERCENT", "leave out rows with less of the total"),
	OPT_NUMBER(0, "top", &given.top, "N", "the heaviest rows (text: 40; 0 all)"),
	OPT_FLAG(0, "when", &given.when, "text: tree, flat: a column of 32 characters, when each row was counted"),
	OPT_CHOICE(0, "names", &names, NULL, "short, full", "show frames as functions, or with file and line"),
	OPT_FLAG(0, "stats", &given.stats, "report on stderr how much was read"),
	OPT_FLAG(0, "verbose", &given.verbose, "with --stats: also each node that answered"),
	OPT_HEADING("compare"),
	OPT_LISTS(0, "diff", &given.others, "FILE|WINDOW...", "what is new in these, against the files before it"),
	OPT_TABLE_NAMED(difference_options, "more of --diff, see stktree(1)"),
	OPT_TEXT(0, "rules", &given.rules, "FILE", "report only what these YAML rules ask for; exit status 4 if anything"),
	OPT_HEADING("build a tree (-o TREE)"),
	OPT_NUMBER_IN(0, "leaf", &leaf, 1, TREE_LEAF_MOST, "M", "a node with fewer samples is a leaf (65536)"),
	OPT_PERCENT(0, "keep-percent", &keep_percent, 80, 100, "P",
		    "counts cover this much of a node: 80 to 100 (100)"),
	OPT_TABLE_NAMED(shape_options, "shape, see stktree(1)"),
	OPT_WRITTEN(0, "append", &given.target, "TREE", "add to this tree what it does not have"),
	OPT_FLAG(0, "merge", &merge, "merge the inputs, trees of one shape"),
	OPT_TEXT(0, "thin", &retention, "AGE:STEP,...", "replace old samples by counts: 7d:raw,90d:1m,2y:1h"),
	OPT_FLAG(0, "follow", &follow, "with -o: let the tree grow with its input"),
	OPT_TABLE_NAMED(growing_options, "more of --append and --follow, see stktree(1)"),
	OPT_OLD("keep", "thin"),
	OPT_ONE_OF("append merge thin follow"),
	OPT_ONE_OF("step diff"),
	OPT_ONE_OF("when step"),
	OPT_ONE_OF("when diff"),
	OPT_ONE_OF("when rules"),
	OPT_ONE_OF("window diff"),
	OPT_ONE_OF("span append merge follow"),
	OPT_NEEDS("every", "follow"),
	OPT_NEEDS("again", "append follow"),
	OPT_NEEDS("verbose", "stats"),
	OPT_NEEDS("rate", "diff"),
	OPT_NEEDS("exact", "diff"),
	OPT_NEEDS("confidence", "diff"),
	OPT_ONE_OF("rules step"),
	OPT_NEEDS("follow", "output"),
	OPT_ONE_OF("append output"),
	OPT_END
};

/* --- windows --- */

/* Files that follow windows of --diff are what these are windows of, as in `--diff A..B C..D FILE`: they move to the
 * front of the operands, and the first operand is returned. */
static int
take_files(struct settings *s, int first, int argc, char **argv)
{
	struct option_lists *others = &s->others;
	bool alone = first == argc;
	unsigned left = 0;

	for (int i = first; i < argc; i++)
		if (looks_like_window(argv[i]))
			program_usage(others->count == 0 ? "'%s' is a window: use --window %s"
							 : "'%s' is a window: write --diff %s", argv[i], argv[i]);
	for (unsigned i = 0, use = 0, windows = 0; i < others->count; i++) {
		const char *word = others->at[i];

		windows = others->use[i] == use ? windows : 0;
		use = others->use[i];
		if (windows > 0 && !looks_like_window(word)) {
			if (!alone)
				program_usage("--diff: name '%s' before its windows", word);
			argv[--first] = (char *)(uintptr_t)word;
			continue;
		}
		windows += looks_like_window(word);
		others->use[left] = use;
		others->at[left++] = word;
	}
	others->count = left;
	if (first == argc && left > 0)
		program_usage("--diff: expected the files to compare with before it, as in: stktree BEFORE --diff AFTER");
	return first;
}

/* --- retention --- */

/* "7d:raw": years and months are not durations elsewhere; here a year is 365 days. */
static void
read_age(const char *word, const char *text, int64_t *ns)
{
	struct stk_error err = { 0 };
	size_t size = strlen(text);
	char days[32];

	if (size > 1 && size < 12 && text[size - 1] == 'y') {
		(void)snprintf(days, sizeof days, "%lldd", strtoll(text, NULL, 10) * 365);
		text = days;
	}
	if (duration_parse(text, ns, &err) < 0 || *ns <= 0)
		program_usage("--thin: expected AGE:STEP such as 90d:1m, not '%s'", word);
}

static void
read_retention(struct settings *s)
{
	char text[256], *next = text;

	if (retention == NULL)
		return;
	if (strlen(retention) >= sizeof text)
		program_usage("--thin: '%s' is too long", retention);
	memcpy(text, retention, strlen(retention) + 1);
	for (char *word; (word = strsep(&next, ",")) != NULL; ) {
		struct retention_step *step = &s->maker.retention.step[s->maker.retention.steps];
		char *colon = strchr(word, ':');

		if (colon == NULL || s->maker.retention.steps == RETENTION_STEPS_MOST)
			program_usage("--thin: expected AGE:STEP,... such as 7d:raw,90d:1m,2y:1h, not '%s'", retention);
		*colon = '\0';
		read_age(word, word, &step->age_ns);
		step->resolution_ns = 0;
		if (strcmp(colon + 1, "raw") != 0)
			read_age(word, colon + 1, &step->resolution_ns);
		if (s->maker.retention.steps > 0 &&
		    (step->age_ns <= step[-1].age_ns || step->resolution_ns < step[-1].resolution_ns))
			program_usage("--thin: expected larger ages to have larger steps, not '%s'", retention);
		s->maker.retention.steps++;
	}
}

/* --- tasks --- */

static void
read_shape(struct settings *s)
{
	static char rule_text[RULE_TEXT_MAX];

	s->maker.shape = (struct tree_shape){
		.leaf = (uint32_t)leaf, .split = TREE_SPLIT_USUAL, .keep = keep_percent, .rule = rule, .zone = s->zone
	};
	if (split != NULL && !splits_read(&s->maker.shape, split))
		program_usage("--split: expected at most %d numbers from 2 to %d, such as 4 or 4,5, not '%s'",
			      TREE_BELOW_MOST + 1, TREE_SPLIT_MOST, split);
	if (rule == TREE_BY_SAMPLES && s->maker.shape.below[0] != 0)
		program_usage("--split: expected one number with --split-by samples, whose levels begin at the leaves");
	s->maker.rule = rule_print(rule_text, &s->maker.shape);
	s->maker.zone = s->choice.zone_name == NULL || rule != TREE_BY_CALENDAR ? "" : s->choice.zone_name;
	s->maker.event = s->recording.selection.event;
}

/* "default" is the name of the usual keys, which have none elsewhere. A report has one set, a tree one or several. */
static void
read_keys(struct settings *s)
{
	struct stk_error err = { 0 };

	for (unsigned i = 0; i < keys.count; i++)
		if (key_sets_add(&s->maker.keys, strcmp(keys.at[i], "default") == 0 ? "" : keys.at[i], &err) < 0)
			program_usage("%s", err.text);
	s->recording.by = keys.count == 0 ? NULL : key_sets_by(&s->maker.keys, 0);
}

/* A root from 0 to 1000 ms is split at 500, whenever its first and last samples are. */
static void
read_span(struct settings *s)
{
	struct stk_error err = { 0 };

	if (span == NULL)
		return;
	if (rule == TREE_BY_SAMPLES)
		program_usage("--span has no effect with --split-by samples");
	if (window_parse(span, &s->choice, (int64_t)time(NULL) * 1000000000, &s->maker.shape.span, &err) < 0)
		program_usage("--span: %s", err.text);
	if (s->maker.shape.span.from == INT64_MIN || s->maker.shape.span.to == INT64_MAX)
		program_usage("--span: expected both ends, as in @0..@1, not '%s'", span);
	if (s->maker.shape.span.from >= s->maker.shape.span.to)
		program_usage("--span: expected an end after the beginning, not '%s'", span);
}

static bool
asks_for_rows(const struct settings *s)
{
	return program_given("report") || s->function != NULL || program_given("min") || s->depth > 0 ||
	       program_given("top") || s->when;
}

static bool
asks(const struct settings *s)
{
	return sample_choice_has_window() || s->step_ns > 0 || s->others.count > 0 || s->rules != NULL ||
	       s->recording.filtered || s->stats || asks_for_rows(s);
}

static bool
format_is(const char *name)
{
	return program_common.format != NULL && strcmp(program_common.format, name) == 0;
}

static enum view
table_given(const struct settings *s)
{
	static const enum view views[] = { [REPORT_TREE] = VIEW_TREE,	    [REPORT_FLAT] = VIEW_FLAT,
					   [REPORT_PATHS] = VIEW_PATHS,	    [REPORT_CALLERS] = VIEW_CALLERS,
					   [REPORT_CLASSES] = VIEW_FLAT,    [REPORT_GROUPS] = VIEW_TREE,
					   [REPORT_POOLS] = VIEW_FLAT };

	return s->function != NULL ? VIEW_CALLERS : views[report];
}

static enum view
view_given(const struct settings *s)
{
	if (s->others.count > 0)
		return VIEW_DIFFERENCE;
	if (format_is("stream"))
		return VIEW_RECORDS;
	if (format_is("folded"))
		return VIEW_FOLDED;
	return table_given(s);
}

/* Programs that compare without --report get stacks, as they always did; people get functions. */
static enum view
compared_given(const struct settings *s)
{
	if (program_given("report") || s->function != NULL)
		return table_given(s);
	return s->form == FORM_TEXT ? VIEW_FLAT : VIEW_PATHS;
}

static void
check_report(const struct settings *s)
{
	static const char *const words[] = { "tree", "flat", "paths", "callers", "classes", "groups", "pools" };

	if (report == REPORT_CALLERS && s->function == NULL)
		program_usage("--report callers: expected --function as well, whose callers are shown");
	if (report != REPORT_CALLERS && program_given("report") && s->function != NULL)
		program_usage("--report %s and --function: only one at a time", words[report]);
	if (s->recording.by != NULL &&
	    (report == REPORT_POOLS || (report >= REPORT_CLASSES && strcmp(s->recording.by, "none") != 0)))
		program_usage("--by has no effect with --report %s", words[report]);
	if (s->rules != NULL && s->others.count > 0 && (program_given("report") || s->function != NULL) &&
	    report < REPORT_CLASSES)
		program_usage("--report %s has no effect with --rules: expected classes, groups or pools",
			      s->function != NULL ? "callers" : words[report]);
}

/* Rules on one recording say what they look at. */
static void
refuse_beside_rules(const struct settings *s)
{
	static const char *const without_effect[] = { "report", "function", "by",      "depth",
						      "min",    "top",      "samples", "names" };

	for (size_t i = 0; i < sizeof without_effect / sizeof *without_effect; i++)
		if (program_given(without_effect[i]))
			program_usage("--%s has no effect with --rules, but with --diff", without_effect[i]);
	if (s->view == VIEW_FOLDED)
		program_usage("-f %s: expected text, tsv, ndjson or stream with --rules", program_common.format);
}

static void
read_view(struct settings *s)
{
	s->form = format_is("tsv") ? FORM_TSV : format_is("ndjson") ? FORM_NDJSON : FORM_TEXT;
	s->view = view_given(s);
	check_report(s);
	s->compared = s->view == VIEW_DIFFERENCE ? compared_given(s) : s->view;
	if (report == REPORT_CLASSES)
		s->recording.as = AS_CLASSES;
	else if (report == REPORT_GROUPS)
		s->recording.as = AS_GROUPS;
	else if (report == REPORT_POOLS)
		s->recording.as = AS_POOLS;
	if (s->rules != NULL && s->view != VIEW_DIFFERENCE)
		refuse_beside_rules(s);
	if (s->view == VIEW_DIFFERENCE && (format_is("folded") || format_is("stream")))
		program_usage("-f %s: expected text, tsv or ndjson with --diff", program_common.format);
}

static void
read_task(struct settings *s)
{
	s->job = merge               ? JOB_MERGE
		 : follow            ? JOB_FOLLOW
		 : s->target != NULL ? JOB_APPEND
		 : retention != NULL ? JOB_THIN
				     : JOB_REPORT;
	if (s->job != JOB_REPORT && asks(s))
		program_usage("--append, --merge, --thin and --follow build trees: run stktree again for a report");
	if (follow) {		/* it is written repeatedly, not once at the end */
		s->target = program_common.output;
		program_common.output = NULL;
	}
	if (s->job == JOB_REPORT && !asks(s) && (program_common.format == NULL || s->view == VIEW_RECORDS) &&
	    program_common.output != NULL)
		s->job = JOB_BUILD;
}

void
settings_choose(struct settings *s, bool to_terminal)
{
	if (s->job != JOB_REPORT)
		return;
	if (program_common.format == NULL && !to_terminal && s->view != VIEW_DIFFERENCE && s->rules == NULL &&
	    !asks_for_rows(s))
		s->view = VIEW_RECORDS;
	if (s->view == VIEW_RECORDS && !asks(s))
		s->job = JOB_BUILD;
}

/* The selection of samples: windows are separate, because the tree handles them. */
static void
read_choice(struct settings *s, char **operands, int count)
{
	struct selection_options *selection = &s->recording.selection;

	sample_choice_keep_file();
	sample_choice_read(&s->choice, operands, count);
	*selection = s->choice.selection;
	selection->from_ns = INT64_MIN;
	selection->to_ns = INT64_MAX;
	selection->windows = NULL;
	selection->windows_count = 0;
	s->zone = s->choice.zone;
	s->recording.filtered = sample_choice_is_filtered();
}

int
settings_read(struct settings *s, int argc, char **argv)
{
	int first;

	program_confine(NULL);
	first = program_begin("stktree", "report on any time window of a recording, or compare two",
				  "[FILE | -]...", "text, tsv, ndjson, folded, stream", options, argc, argv);

	*s = given;
	first = take_files(s, first, argc, argv);
	read_choice(s, argv + first, argc - first);
	s->share = program_given("rate") ? rate == RATE_SHARE : s->rules == NULL;
	s->recording.naming.fold = s->others.count > 0 && !exact;
	s->recording.naming.full = names == NAMES_FULL;
	s->recording.samples = samples;
	s->discovery = 100 - s->confidence;
	read_retention(s);
	read_keys(s);
	read_shape(s);
	read_span(s);
	read_view(s);
	if (!program_given("top") && s->form == FORM_TEXT)
		s->top = TOP_USUAL;
	if (!program_given("min") && s->top > 0 && s->form == FORM_TEXT && s->view == VIEW_TREE)
		s->least = LEAST_SHOWN;
	read_task(s);
	if (s->when && (s->form != FORM_TEXT || (s->view != VIEW_TREE && s->view != VIEW_FLAT)))
		program_usage("--when: expected -f text and a report of a tree, functions, classes, groups or pools");
	/* threads without a stack are of a group by their names, of which what precedes stacks usually says enough */
	if (s->recording.by == NULL && s->recording.as != AS_POOLS && s->recording.as != AS_GROUPS &&
	    s->rules == NULL &&
	    (s->compared == VIEW_TREE || s->compared == VIEW_FLAT || s->compared == VIEW_CALLERS ||
	     s->view == VIEW_PATHS))
		s->recording.by = "none";
	if (s->recording.as == AS_POOLS)
		s->recording.by = "";
	return first;
}

void
settings_release(struct settings *s)
{
	sample_choice_release(&s->choice);
}
