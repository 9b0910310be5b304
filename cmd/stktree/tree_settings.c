/* SPDX-License-Identifier: MIT
 * tree_settings: the options of stktree. */
#include "tree_settings.h"

#include "base/bytes.h"
#include "base/quantities.h"
#include "base/time_math.h"
#include "choose/where.h"
#include "program/options.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WIDTH_USUAL 100
#define LEAST_SHOWN 0.5		/* percent of the total, in a call tree for people */

static struct settings given;
static const char *report, *names, *keep_percent, *split_by, *retention, *least, *confidence, *rate, *thread, *process, *states, *grep, *where;
static bool merge, follow, running, samples;
static int64_t leaf = -1, split = -1;

static int
take_window(const char *value, struct stk_error *err)
{
	if (!looks_like_window(value))
		return stk_fail(err, STK_EUSAGE, "--window: expected FROM..TO, not '%s'", value);
	if (given.windows_count == WINDOWS_MOST)
		return stk_fail(err, STK_EUSAGE, "--window: more than %d", WINDOWS_MOST);
	given.windows[given.windows_count++] = value;
	return 0;
}

static int
take_other(const char *value, struct stk_error *err)
{
	if (given.others_count == WINDOWS_MOST)
		return stk_fail(err, STK_EUSAGE, "--diff: more than %d", WINDOWS_MOST);
	given.others[given.others_count++] = value;
	return 0;
}

static const struct option_row options[] = {
	OPT_HEADING("which samples"),
	OPT_TEXT(0, "from", &given.from, "TIME", "from this moment on"),
	OPT_TEXT(0, "to", &given.to, "TIME", "before this moment"),
	OPT_TAKE(0, "window", take_window, "FROM..TO", "in these windows together (may be repeated)"),
	OPT_DURATION(0, "step", &given.step_ns, "TIME", "one report for each so long part"),
	OPT_TEXT(0, "thread", &thread, "REGEX", "of threads by name"),
	OPT_TEXT(0, "process", &process, "REGEX", "of processes by name or number"),
	OPT_TEXT(0, "state", &states, "STATE,...", "in these states"),
	OPT_TEXT(0, "grep", &grep, "REGEX", "with such a frame"),
	OPT_TEXT(0, "where", &where, "COND", "of which this holds, see stkpipe(7)"),
	OPT_FLAG(0, "running", &running, "that run"),
	OPT_TEXT(0, "event", &given.recording.selection.event, "NAME", "of this sampling event, or all"),
	OPT_HEADING("report"),
	OPT_TEXT(0, "report", &report, "WHAT", "tree (calls), flat (functions), paths (hot stacks), classes, groups"),
	OPT_TEXT(0, "function", &given.function, "NAME", "its callers and callees"),
	OPT_TEXT(0, "by", &given.recording.by, "KEY,...", "begin stacks with source, process, thread, pool, state, none"),
	OPT_FLAG(0, "samples", &samples, "count samples, not their weights"),
	OPT_NUMBER(0, "depth", &given.depth, "N", "levels of the call tree"),
	OPT_TEXT(0, "min", &least, "PERCENT", "leave out what has less of the total"),
	OPT_NUMBER(0, "top", &given.top, "N", "rows"),
	OPT_TEXT(0, "names", &names, "short|full", "frames as functions, or with file and line"),
	OPT_TEXT(0, "zone", &given.zone_name, "ZONE", "times in this zone, and the calendar's"),
	OPT_FLAG(0, "stats", &given.stats, "say on stderr what was read"),
	OPT_HEADING("compare"),
	OPT_TAKE(0, "diff", take_other, "WINDOW|FILE", "each with the first (may be repeated)"),
	OPT_TEXT(0, "rate", &rate, "second|share", "compare samples a second (of known times), or shares"),
	OPT_TEXT(0, "confidence", &confidence, "PERCENT", "of the limits (95); of findings so many are true"),
	OPT_TEXT(0, "rules", &given.rules, "FILE", "what to report, YAML; exit status 1 when anything is"),
	OPT_HEADING("make"),
	OPT_NUMBER(0, "leaf", &leaf, "M", "a node with fewer samples is a leaf (65536)"),
	OPT_TEXT(0, "keep-percent", &keep_percent, "P", "counts cover so much of a node: 80 to 100 (100)"),
	OPT_NUMBER(0, "split", &split, "N", "parts of an interval (4)"),
	OPT_TEXT(0, "split-by", &split_by, "RULE", "time, samples or calendar (time)"),
	OPT_TEXT(0, "append", &given.target, "TREE", "the inputs to this tree"),
	OPT_FLAG(0, "merge", &merge, "the inputs are trees of one shape"),
	OPT_TEXT(0, "keep", &retention, "AGE:STEP,...", "thin: 7d:raw,90d:1m,2y:1h"),
	OPT_FLAG(0, "follow", &follow, "with -o: a tree that grows with its input"),
	OPT_DURATION(0, "every", &given.every_ns, "TIME", "--follow: how often (1s)"),
	OPT_END
};

static void
usage_unless(int result, const struct stk_error *err)
{
	if (result < 0)
		program_usage("%s", err->text);
}

static double
read_percent(const char *name, const char *text, double usual, double low, double high)
{
	char *end;
	double value;

	if (text == NULL)
		return usual;
	value = strtod(text, &end);
	if (end == text || (*end != '\0' && strcmp(end, "%") != 0) || !(value >= low && value <= high))
		program_usage("%s: expected a percentage from %g to %g, not '%s'", name, low, high, text);
	return value;
}

/* --- windows --- */

bool
looks_like_window(const char *text)
{
	return strstr(text, "..") != NULL && access(text, F_OK) != 0;
}

int
bound_parse(const char *text, const struct settings *s, int64_t last, int64_t *bound, struct stk_error *err)
{
	if (time_parse(text, last, s->zone, bound, err) < 0)
		return -1;
	*bound = time_clamp(*bound);
	return 0;
}

int
window_parse(const char *text, const struct settings *s, int64_t last, struct tree_interval *window, struct stk_error *err)
{
	const char *dots = strstr(text, "..");
	char first[64];

	*window = (struct tree_interval){ INT64_MIN, INT64_MAX };
	if (dots == NULL || (size_t)(dots - text) >= sizeof first)
		return stk_fail(err, STK_EUSAGE, "expected FROM..TO, not '%s'", text);
	memcpy(first, text, (size_t)(dots - text));
	first[dots - text] = '\0';
	if (*first != '\0' && bound_parse(first, s, last, &window->from, err) < 0)
		return -1;
	return dots[2] == '\0' ? 0 : bound_parse(dots + 2, s, last, &window->to, err);
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
		program_usage("--keep: expected AGE:STEP as 90d:1m, not '%s'", word);
}

static void
read_retention(struct settings *s)
{
	char text[256], *next = text;

	if (retention == NULL)
		return;
	if (strlen(retention) >= sizeof text)
		program_usage("--keep: '%s' is too long", retention);
	memcpy(text, retention, strlen(retention) + 1);
	for (char *word; (word = strsep(&next, ",")) != NULL; ) {
		struct retention *step = &s->maker.retention[s->maker.retention_steps];
		char *colon = strchr(word, ':');

		if (colon == NULL || s->maker.retention_steps == RETENTION_STEPS_MOST)
			program_usage("--keep: expected AGE:STEP,... as 7d:raw,90d:1m,2y:1h, not '%s'", retention);
		*colon = '\0';
		read_age(word, word, &step->age_ns);
		step->resolution_ns = 0;
		if (strcmp(colon + 1, "raw") != 0)
			read_age(word, colon + 1, &step->resolution_ns);
		if (s->maker.retention_steps > 0 && (step->age_ns <= step[-1].age_ns || step->resolution_ns < step[-1].resolution_ns))
			program_usage("--keep: what is older is kept in longer steps: '%s'", retention);
		s->maker.retention_steps++;
	}
}

/* --- --- */

static void
read_shape(struct settings *s)
{
	struct tree_shape *shape = &s->maker.shape;
	static const char *const rules[] = { [TREE_BY_TIME] = "time", [TREE_BY_SAMPLES] = "samples", [TREE_BY_CALENDAR] = "calendar" };
	unsigned rule = 0;

	if (leaf != -1 && (leaf < 1 || leaf > TREE_LEAF_MOST))
		program_usage("--leaf: expected 1 to %u samples, not %lld", TREE_LEAF_MOST, (long long)leaf);
	if (split != -1 && (split < 2 || split > TREE_SPLIT_MOST))
		program_usage("--split: expected 2 to %d parts, not %lld", TREE_SPLIT_MOST, (long long)split);
	while (split_by != NULL && rule < 3 && strcmp(split_by, rules[rule]) != 0)
		rule++;
	if (rule == 3)
		program_usage("--split-by: expected time, samples or calendar, not '%s'", split_by);
	*shape = (struct tree_shape){ .leaf = leaf == -1 ? TREE_LEAF_USUAL : (uint32_t)leaf, .split = split == -1 ? TREE_SPLIT_USUAL : (uint32_t)split,
		.keep = read_percent("--keep-percent", keep_percent, 100, 80, 100), .rule = (enum tree_rule)rule, .zone = s->zone };
	s->maker.rule = rules[rule];
	s->maker.zone = s->zone_name == NULL ? "" : s->zone_name;
	s->maker.by = s->recording.by;
	s->maker.event = s->recording.selection.event;
}

static bool
asks(const struct settings *s)
{
	return s->from != NULL || s->to != NULL || s->windows_count > 0 || s->step_ns > 0 || report != NULL || s->function != NULL || s->others_count > 0 || s->rules != NULL ||
		s->recording.filtered || s->stats || least != NULL || s->depth > 0 || s->top > 0;
}

static void
read_report(struct settings *s)
{
	static const struct { const char *name; enum view view; int as; } reports[] = {
		{ "tree", VIEW_TREE, AS_FRAMES }, { "flat", VIEW_FLAT, AS_FRAMES }, { "paths", VIEW_PATHS, AS_FRAMES }, { "classes", VIEW_FLAT, AS_CLASSES }, { "groups", VIEW_TREE, AS_GROUPS }
	};

	for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
		if (strcmp(report, reports[i].name) != 0)
			continue;
		s->view = reports[i].view;
		if (reports[i].as == AS_CLASSES)
			s->recording.as = AS_CLASSES;
		else if (reports[i].as == AS_GROUPS)
			s->recording.as = AS_GROUPS;
		return;
	}
	program_usage("--report: expected tree, flat, paths, classes or groups, not '%s'", report);
}

static void
read_view(struct settings *s)
{
	const char *format = program_common.format;
	bool folded = format != NULL && strcmp(format, "folded") == 0;

	s->form = FORM_TEXT;
	s->view = VIEW_TREE;
	if (format != NULL && strcmp(format, "tsv") == 0)
		s->form = FORM_TSV;
	else if (format != NULL && strcmp(format, "ndjson") == 0)
		s->form = FORM_NDJSON;
	else if (format != NULL && !folded && strcmp(format, "text") != 0 && strcmp(format, "stream") != 0)
		program_usage("-f: expected text, tsv, ndjson, folded or stream, not '%s'", format);
	if (report != NULL)
		read_report(s);
	if (s->function != NULL)
		s->view = VIEW_CALLERS;
	if (folded)
		s->view = VIEW_FOLDED;
	if (format != NULL && strcmp(format, "stream") == 0)
		s->view = VIEW_RECORDS;
	if (s->others_count > 0 || s->rules != NULL)
		s->view = VIEW_DIFFERENCE;
	if (s->view == VIEW_DIFFERENCE && folded)
		program_usage("-f folded: a comparison is text, tsv or ndjson");
	if (s->step_ns > 0 && s->others_count > 0)
		program_usage("--step and --diff: only one at a time");
}

static void
read_task(struct settings *s)
{
	int tasks = merge + follow + (s->target != NULL) + (retention != NULL);

	if (tasks > 1)
		program_usage("--append, --merge, --keep and --follow: only one at a time");
	s->job = merge ? JOB_MERGE : follow ? JOB_FOLLOW : s->target != NULL ? JOB_APPEND : retention != NULL ? JOB_THIN : JOB_REPORT;
	if (tasks > 0 && (asks(s) && !(s->stats)))
		program_usage("--append, --merge, --keep and --follow make trees: a report is another run");
	if (follow && program_common.output == NULL)
		program_usage("--follow: -o FILE says where the tree grows");
	if (s->target != NULL && program_common.output != NULL)
		program_usage("--append writes into the tree it names: no -o");
	if (follow) {		/* it is written again and again, not once at the end */
		s->target = program_common.output;
		program_common.output = NULL;
	}
	if (tasks == 0 && !asks(s) && (program_common.format == NULL || s->view == VIEW_RECORDS) && program_common.output != NULL)
		s->job = JOB_BUILD;
}

void
settings_choose(struct settings *s, bool to_terminal)
{
	if (s->job != JOB_REPORT)
		return;
	if (program_common.format == NULL && !to_terminal && s->view != VIEW_DIFFERENCE && report == NULL && s->function == NULL && least == NULL && s->depth == 0 && s->top == 0)
		s->view = VIEW_RECORDS;
	if (s->view == VIEW_RECORDS && !asks(s))
		s->job = JOB_BUILD;
}

static void
read_where(struct settings *s)
{
	struct stk_error err = { 0 };
	struct timespec now;

	if (where == NULL)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	usage_unless(where_open(&s->recording.selection.where, where, (int64_t)now.tv_sec * 1000000000, s->zone, &err), &err);
	if (where_asks_groups(s->recording.selection.where))
		program_usage("--where: groups are known to stkgroup");
}

int
settings_read(struct settings *s, int argc, char **argv, const char *columns)
{
	struct stk_error err = { 0 };
	int first = program_begin("stktree", "a report for any window of time, and what changed between two", "[FILE | -]...", "text, tsv, ndjson, folded, stream", options, argc, argv);
	int64_t width = columns == NULL ? 0 : strtol(columns, NULL, 10);

	*s = given;
	if (s->zone_name != NULL)
		usage_unless(time_zone_open(&s->zone, s->zone_name, &err), &err);
	if (names != NULL && strcmp(names, "short") != 0 && strcmp(names, "full") != 0)
		program_usage("--names: expected short or full, not '%s'", names);
	if (rate != NULL && strcmp(rate, "second") != 0 && strcmp(rate, "share") != 0)
		program_usage("--rate: expected second or share, not '%s'", rate);
	s->share = rate != NULL && *rate == 's' && rate[1] == 'h';
	s->recording.naming.full = names != NULL && *names == 'f';
	s->recording.samples = samples;
	s->recording.selection.thread = thread;
	s->recording.selection.process = process;
	s->recording.selection.states = states;
	s->recording.selection.grep = grep;
	s->recording.selection.activity = running ? ACTIVITY_RUNNING : ACTIVITY_ANY;
	s->recording.filtered = thread != NULL || process != NULL || states != NULL || grep != NULL || where != NULL || running;
	read_where(s);
	s->confidence = read_percent("--confidence", confidence, 95, 50, 99.9999);
	s->discovery = 100 - s->confidence;
	s->every_ns = s->every_ns <= 0 ? 1000000000 : s->every_ns;
	read_retention(s);
	read_shape(s);
	read_view(s);
	s->least = read_percent("--min", least, 0, 0, 100);
	if (least == NULL && s->form == FORM_TEXT && s->view == VIEW_TREE)
		s->least = LEAST_SHOWN;
	read_task(s);
	if (s->recording.by == NULL && (s->view == VIEW_TREE || s->view == VIEW_FLAT || s->view == VIEW_CALLERS || s->view == VIEW_PATHS))
		s->recording.by = "none";
	s->width = width < 60 ? WIDTH_USUAL : width > 1000 ? 1000 : width;
	return first;
}

void
settings_release(struct settings *s)
{
	where_close(s->recording.selection.where);
	time_zone_close(s->zone);
}
