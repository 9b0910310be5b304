/* SPDX-License-Identifier: MIT
 * settings: the options of stkcat. */
#include "settings.h"

#include "choose/where.h"
#include "program/options.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH_USUAL 100
#define WIDTH_LEAST 60
#define WIDTH_MOST  1000

static struct settings given;
static const char *from, *to, *where, *zone, *names, *annotate, *compat;
static bool running;

static const struct option_row options[] = {
	OPT_HEADING("what is shown"),
	OPT_TEXT(0, "only", &given.selection.only, "KIND,...", "these kinds of records"),
	OPT_TEXT(0, "from", &from, "TIME", "rows from this moment on"),
	OPT_TEXT(0, "to", &to, "TIME", "rows before this moment"),
	OPT_TEXT(0, "grep", &given.selection.grep, "REGEX", "samples with such a frame in their stack"),
	OPT_FLAG(0, "invert", &given.selection.invert, "samples without it"),
	OPT_TEXT(0, "thread", &given.selection.thread, "REGEX", "threads by name"),
	OPT_TEXT(0, "process", &given.selection.process, "REGEX", "processes by name or number"),
	OPT_TEXT(0, "state", &given.selection.states, "STATE,...", "samples in these states"),
	OPT_TEXT(0, "event", &given.selection.event, "NAME", "samples of this event, or all"),
	OPT_TEXT(0, "where", &where, "COND", "samples of which this holds: thread = exec-* and not state = waiting"),
	OPT_FLAG(0, "running", &running, "samples that run, not those that wait in the system"),
	OPT_HEADING("how"),
	OPT_TEXT(0, "by", &given.by, "KEY,...", "folded: begin stacks with source, process, thread, pool, state..."),
	OPT_TEXT(0, "names", &names, "short|full", "frames as functions, or with file and line"),
	OPT_TEXT(0, "annotate", &annotate, "KIND,...", "mark frames: kernel _[k], jit _[j], inlined _[i], all"),
	OPT_TEXT(0, "compat", &compat, "perf|jstack", "folded as stackcollapse-perf.pl or -jstack.pl does"),
	OPT_FLAG(0, "ids", &given.ids, "tsv: ids as numbers"),
	OPT_TEXT(0, "zone", &zone, "ZONE", "times in this zone"),
	OPT_NUMBER(0, "top", &given.top, "N", "text: rows of a table (10)"),
	OPT_FLAG(0, "sort", &given.sort, "stream: rows by time"),
	OPT_FLAG(0, "merge", &given.merge, "stream: all inputs become one stream"),
	OPT_HEADING("something else"),
	OPT_FLAG(0, "check", &given.check, "is it valid and whole? Silent when it is"),
	OPT_FLAG(0, "stats", &given.stats, "rows and bytes of each kind"),
	OPT_FLAG(0, "kinds", &given.kinds, "the kinds and columns that there are (-f text, tsv, md)"),
	OPT_FLAG(0, "follow", &given.follow, "go on as the input grows"),
	OPT_END
};

static const struct report_form *const forms[] = { &summary_form, &tsv_form, &ndjson_form, &folded_form, &dumps_form, &records_form };

static const struct report_form *
form_named(const char *name)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (strcmp(forms[i]->name, name) == 0)
			return forms[i];
	return NULL;
}

static void
usage_unless(int result, const struct stk_error *err)
{
	if (result < 0)
		program_usage("%s", err->text);
}

static void
read_times(struct settings *s, int64_t now_ns)
{
	struct stk_error err = { 0 };

	s->selection.from_ns = INT64_MIN;
	s->selection.to_ns = INT64_MAX;
	if (zone != NULL)
		usage_unless(time_zone_open(&s->zone, zone, &err), &err);
	if (from != NULL)
		usage_unless(time_parse(from, now_ns, s->zone, &s->selection.from_ns, &err), &err);
	if (to != NULL)
		usage_unless(time_parse(to, now_ns, s->zone, &s->selection.to_ns, &err), &err);
	if (where == NULL)
		return;
	usage_unless(where_open(&s->selection.where, where, now_ns, s->zone, &err), &err);
	if (where_asks_groups(s->selection.where))
		program_usage("--where: groups are known to stkgroup");
}

static void
read_annotations(struct naming_options *naming)
{
	for (const char *at = annotate; at != NULL && *at != '\0'; ) {
		struct stk_text word = text_of(at, strcspn(at, ","));
		bool all = text_is(word, "all"), kernel = text_is(word, "kernel"), jit = text_is(word, "jit"), inlined = text_is(word, "inlined");

		if (!all && !kernel && !jit && !inlined)
			program_usage("--annotate: '%.*s' is not one of kernel, jit, inlined, all", (int)word.size, word.data);
		naming->kernel |= all || kernel;
		naming->jit |= all || jit;
		naming->inlined |= all || inlined;
		at += word.size + (at[word.size] == ',');
	}
}

static void
read_names(struct settings *s)
{
	if (names != NULL && strcmp(names, "short") != 0 && strcmp(names, "full") != 0)
		program_usage("--names: expected short or full, not '%s'", names);
	s->naming.full = names != NULL && strcmp(names, "full") == 0;
	read_annotations(&s->naming);
}

/* A bundle of options is a default: what was said in words stays. */
static void
read_compat(struct settings *s)
{
	if (running)
		s->selection.activity = ACTIVITY_RUNNING;
	if (compat == NULL)
		return;
	if (strcmp(compat, "perf") != 0 && strcmp(compat, "jstack") != 0)
		program_usage("--compat: expected perf or jstack, not '%s'", compat);
	if (s->by == NULL)
		s->by = strcmp(compat, "perf") == 0 ? "command" : "pool";
	if (strcmp(compat, "jstack") == 0)
		s->selection.activity = ACTIVITY_JSTACK;
}

static void
read_form(struct settings *s)
{
	const char *format = program_common.format;
	const struct report_form *form = format == NULL ? NULL : form_named(format);
	bool markdown = s->kinds && format != NULL && strcmp(format, "md") == 0;

	if (format != NULL && form == NULL && !markdown)
		program_usage("-f: expected text, tsv, ndjson, folded, dumps or stream, not '%s'", format);
	if (s->check + s->stats + s->kinds > 1)
		program_usage("--check, --stats and --kinds: only one at a time");
	if ((s->stats || s->kinds) && form != NULL && form != &summary_form && form != &tsv_form)
		program_usage("-f %s: --stats and --kinds know text and tsv", format);
	s->form = s->check ? &integrity_form : s->stats ? &statistics_form : form;
	if (s->form == NULL && (s->sort || s->merge))
		s->form = &records_form;
	if (s->form == NULL && s->by != NULL)
		s->form = &folded_form;
	if (s->by != NULL && s->form != &folded_form)
		program_usage("--by and --compat are for -f folded");
	if ((s->sort || s->merge) && s->form != &records_form)
		program_usage("--sort and --merge are for -f stream");
	s->selection.one_event = s->form == &folded_form || s->form == &summary_form;
}

static int64_t
read_width(const char *columns)
{
	int64_t width = columns == NULL ? 0 : strtol(columns, NULL, 10);

	return width <= 0 ? WIDTH_USUAL : width < WIDTH_LEAST ? WIDTH_LEAST : width > WIDTH_MOST ? WIDTH_MOST : width;
}

int
settings_read(struct settings *s, int argc, char **argv, const char *columns, int64_t now_ns)
{
	int first;

	given.top = 10;
	first = program_begin("stkcat", "looks into, checks, joins, cuts and converts record streams", "[FILE | DIR | -]...",
			      "text, tsv, ndjson, folded, dumps, stream", options, argc, argv);
	*s = given;
	s->width = read_width(columns);
	read_times(s, now_ns);
	read_names(s);
	read_compat(s);
	read_form(s);
	return first;
}

void
settings_release(struct settings *s)
{
	where_close(s->selection.where);
	time_zone_close(s->zone);
}

const struct report_form *
settings_form(const struct settings *s, bool to_terminal)
{
	return s->form != NULL ? s->form : to_terminal ? &summary_form : &records_form;
}
