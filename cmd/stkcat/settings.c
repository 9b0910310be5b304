/* SPDX-License-Identifier: MIT
 * settings: the options of stkcat. */
#include "settings.h"

#include "program/program.h"

#include <stdlib.h>
#include <string.h>


enum compat { COMPAT_PERF, COMPAT_JSTACK };
enum annotations { MARK_KERNEL = 1, MARK_JIT = 2, MARK_INLINED = 4, MARK_ALL = 8 };

static struct settings given = { .top = 10 };
static enum compat compat;
static uint64_t annotations;
static bool stream;

static const struct option_row options[] = {
	OPT_TABLE(sample_choice_options),
	OPT_TABLE(sample_zone_option),
	OPT_TEXT(0, "only", &given.only, "KIND,...", "records of these kinds"),
	OPT_HEADING("how"),
	OPT_TEXT(0, "by", &given.by, "KEY,...", "folded: begin stacks with source, process, thread, pool, state..."),
	OPT_CHOICE(0, "names", &given.names, NULL, "short, full", "frames as functions, or with file and line"),
	OPT_LIST(0, "annotate", &annotations, "MARK,...", "kernel (_[k]), jit (_[j]), inlined (_[i]), all",
		 "mark frames"),
	OPT_CHOICE(0, "compat", &compat, NULL, "perf, jstack", "folded as stackcollapse-perf.pl or -jstack.pl does"),
	OPT_FLAG(0, "ids", &given.ids, "tsv: ids as numbers"),
	OPT_NUMBER(0, "top", &given.top, "N", "text: rows of a table (10)"),
	OPT_FLAG('S', "stream", &stream, "records: -f stream; the default with -o NAME.stk, --sort and --merge"),
	OPT_FLAG(0, "sort", &given.sort, "stream: rows by time"),
	OPT_FLAG(0, "merge", &given.merge, "stream: all inputs become one stream"),
	OPT_HEADING("something else"),
	OPT_FLAG(0, "check", &given.check, "is it valid and whole? Silent when it is"),
	OPT_FLAG(0, "contents", &given.contents, "rows and bytes of each kind"),
	OPT_FLAG(0, "kinds", &given.kinds, "the kinds and columns that there are (-f text, tsv, md)"),
	OPT_FLAG(0, "follow", &given.follow, "go on as the input grows"),
	OPT_OLD("stats", "contents"),
	OPT_ONE_OF("check contents kinds"),
	OPT_ONE_OF("stream format"),
	OPT_END
};

static const struct report_form *const forms[] = { &summary_form, &tsv_form,   &ndjson_form,
						   &folded_form,  &dumps_form, &records_form };

/* NULL: no -f, or the one of --kinds alone. */
static const struct report_form *
form_given(void)
{
	for (size_t i = 0; program_common.format != NULL && i < sizeof forms / sizeof *forms; i++)
		if (strcmp(forms[i]->name, program_common.format) == 0)
			return forms[i];
	return NULL;
}

static void
read_naming(struct settings *s)
{
	s->naming.full = s->names == NAMES_FULL;
	s->naming.kernel = (annotations & (MARK_KERNEL | MARK_ALL)) != 0;
	s->naming.jit = (annotations & (MARK_JIT | MARK_ALL)) != 0;
	s->naming.inlined = (annotations & (MARK_INLINED | MARK_ALL)) != 0;
}

/* A bundle of options is a default: what was given in words stays. */
static void
read_compat(struct settings *s)
{
	if (!program_given("compat"))
		return;
	if (s->by == NULL)
		s->by = compat == COMPAT_PERF ? "command" : "pool";
	if (compat == COMPAT_JSTACK)
		s->choice.selection.activity = ACTIVITY_JSTACK;
}

/* Nobody wants a table in a file that is called so. */
static bool
is_named_stream(const char *path)
{
	size_t size = path != NULL ? strlen(path) : 0;

	return size > 4 && strcmp(path + size - 4, ".stk") == 0;
}

/* What the other options ask for, when there is no -f. */
static const struct report_form *
form_implied(const struct settings *s)
{
	if (stream || s->sort || s->merge || is_named_stream(program_common.output))
		return &records_form;
	return s->by != NULL ? &folded_form : &summary_form;
}

static void
read_form(struct settings *s)
{
	const struct report_form *form = form_given();

	if (program_common.format != NULL && form == NULL && !s->kinds)
		program_usage("-f %s: only for --kinds", program_common.format);
	if ((s->contents || s->kinds) && form != NULL && form != &summary_form && form != &tsv_form)
		program_usage("-f %s: --contents and --kinds know text and tsv", program_common.format);
	s->form = s->check ? &integrity_form : s->contents ? &statistics_form : form != NULL ? form : form_implied(s);
	if (s->by != NULL && s->form != &folded_form)
		program_usage("--by and --compat are for -f folded");
	if ((s->sort || s->merge) && s->form != &records_form)
		program_usage("--sort and --merge are for -f stream");
	s->choice.selection.one_event = s->form == &folded_form || s->form == &summary_form;
}

int
settings_read(struct settings *s, int argc, char **argv)
{
	int first = program_begin("stkcat", "looks into, checks, joins, cuts and converts record streams",
				  "[FILE | DIR | -]...", "text, tsv, ndjson, folded, dumps, stream, md", options, argc,
				  argv);

	*s = given;
	sample_choice_read(&s->choice, argv + first, argc - first, false);
	s->choice.selection.only = s->only;
	read_naming(s);
	read_compat(s);
	read_form(s);
	return first;
}

void
settings_release(struct settings *s)
{
	sample_choice_release(&s->choice);
}
