/* SPDX-License-Identifier: MIT
 * settings: the options of stkcat. */
#include "settings.h"

#include "model/plain_name.h"
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
	OPT_TEXT(0, "only", &given.only, "KIND,...", "only records of these kinds"),
	OPT_HEADING("form"),
	OPT_TEXT(0, "by", &given.by, "KEY,...", "folded: begin stacks with source, process, thread, pool, state..."),
	OPT_CHOICE(0, "names", &given.names, NULL, "short, full", "show frames as functions, or with file and line"),
	OPT_LIST(0, "annotate", &annotations, "MARK,...", "kernel (_[k]), jit (_[j]), inlined (_[i]), all",
		 "mark frames"),
	OPT_CHOICE(0, "compat", &compat, NULL, "perf, jstack", "fold as stackcollapse-perf.pl or -jstack.pl does"),
	OPT_FLAG(0, "ids", &given.ids, "tsv, ndjson, csv: write ids as numbers"),
	OPT_NUMBER(0, "top", &given.top, "N", "text: rows of each table (10; 0: all)"),
	OPT_FLAG('S', "stream", &stream, "write records, as -f stream; the default with -o NAME.stk, --sort and --merge"),
	OPT_FLAG(0, "sort", &given.sort, "stream: sort rows by time"),
	OPT_FLAG(0, "merge", &given.merge, "stream: merge all inputs into one"),
	OPT_TEXT(0, "mask", &given.mask, "PATTERN,...", "stream: replace names by tokens: com.acme.**, thread:, host:, all:"),
	OPT_WRITTEN(0, "mask-key", &given.mask_key, "FILE", "the key of the tokens, made if missing, and the way back"),
	OPT_FLAG(0, "unmask", &given.unmask, "stream: replace the tokens of --mask-key by names"),
	OPT_LIST(0, "demangle", &given.plain_names, "WHAT,...", PLAIN_NAME_WORDS, "stream: name functions as their sources do"),
	OPT_HEADING("other actions"),
	OPT_FLAG(0, "check", &given.check, "check that the input is valid and complete; silent when it is"),
	OPT_FLAG(0, "contents", &given.contents, "show rows and bytes of each kind"),
	OPT_FLAG(0, "kinds", &given.kinds, "list the known kinds and columns (-f text, tsv, md)"),
	OPT_FLAG(0, "follow", &given.follow, "continue as the input grows"),
	OPT_OLD("stats", "contents"),
	OPT_ONE_OF("check contents kinds"),
	OPT_ONE_OF("stream format"),
	OPT_ONE_OF("mask unmask sort"),
	OPT_ONE_OF("mask unmask merge"),
	OPT_ONE_OF("mask unmask follow"),
	OPT_ONE_OF("mask unmask check contents kinds"),
	OPT_ONE_OF("mask unmask demangle"),
	OPT_ONE_OF("demangle check contents kinds"),
	OPT_NEEDS("mask-key", "mask unmask"),
	OPT_NEEDS("unmask", "mask-key"),
	OPT_END
};

static const struct report_form *const forms[] = { &summary_form, &tsv_form,     &ndjson_form,     &csv_form,
						   &folded_form,  &dumps_form,   &records_form,
						   &speedscope_form, &firefox_form, &chrome_form,
						   &pprof_form,   &otlp_form,    &sqlite_form,
						   &openmetrics_form };

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

/* --compat sets defaults: options that were given win. */
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

/* A file with this name is meant to hold records, not a table. */
static bool
is_named_stream(const char *path)
{
	size_t size = path != NULL ? strlen(path) : 0;

	return size > 4 && strcmp(path + size - 4, ".stk") == 0;
}

/* The form that the other options imply, when there is no -f. */
static const struct report_form *
form_implied(const struct settings *s)
{
	if (s->mask != NULL || s->unmask)
		return &masked_form;
	if (stream || s->sort || s->merge || s->plain_names != 0 || is_named_stream(program_common.output))
		return &records_form;
	return s->by != NULL ? &folded_form : &summary_form;
}

static bool
is_viewer_form(const struct report_form *form)
{
	return form == &speedscope_form || form == &firefox_form || form == &chrome_form || form == &pprof_form ||
	       form == &otlp_form;
}

static void
read_form(struct settings *s)
{
	const struct report_form *form = form_given();

	if (program_common.format != NULL && form == NULL && !s->kinds)
		program_usage("-f %s works only with --kinds", program_common.format);
	if ((s->contents || s->kinds) && form != NULL && form != &summary_form && form != &tsv_form)
		program_usage("-f %s: expected text or tsv with --contents and --kinds", program_common.format);
	if ((s->mask != NULL || s->unmask) && form != NULL && form != &records_form)
		program_usage("--mask and --unmask work only with -f stream: pipe what they write into stkcat");
	if (s->mask != NULL || s->unmask)
		form = &masked_form;
	s->form = s->check ? &integrity_form : s->contents ? &statistics_form : form != NULL ? form : form_implied(s);
	if (s->by != NULL && s->form != &folded_form)
		program_usage("--by and --compat work only with -f folded");
	if (s->ids && s->form != &tsv_form && s->form != &ndjson_form && s->form != &csv_form)
		program_usage("--ids works only with -f tsv, ndjson and csv");
	if (program_given("top") && s->form != &summary_form)
		program_usage("--top works only with -f text");
	if ((s->sort || s->merge) && s->form != &records_form)
		program_usage("--sort and --merge work only with -f stream");
	if (s->plain_names != 0 && s->form != &records_form)
		program_usage("--demangle works only with -f stream: pipe what it writes into stkcat");
	if (plain_name_missing(s->plain_names) != NULL)
		program_usage("--demangle: %s", plain_name_missing(s->plain_names));
	if (s->form == &csv_form && s->only != NULL && strchr(s->only, ',') != NULL)
		program_usage("-f csv is one table: choose one kind with --only");
	if (s->form == &csv_form && s->only == NULL)
		s->only = "sample";
	if (is_viewer_form(s->form) && s->only != NULL && strcmp(s->only, "sample") != 0)
		program_usage("-f %s has samples only: --only %s would leave nothing", s->form->name, s->only);
	if (s->form == &openmetrics_form && s->only != NULL && strcmp(s->only, "metric") != 0)
		program_usage("-f openmetrics has metrics only: --only %s would leave nothing", s->only);
	s->choice.selection.one_event = s->form == &folded_form || s->form == &summary_form;
}

int
settings_read(struct settings *s, int argc, char **argv)
{
	int first;

	program_confine(NULL);
	first = program_begin("stkcat", "look into, check, join, cut and convert record streams",
				  "[FILE | DIR | -]...", "text, tsv, ndjson, csv, folded, dumps, stream, speedscope, firefox, chrome, pprof, otlp, sqlite, openmetrics, md", options, argc,
				  argv);

	*s = given;
	sample_choice_read(&s->choice, argv + first, argc - first);
	read_naming(s);
	read_compat(s);
	read_form(s);
	s->choice.selection.only = s->only;
	return first;
}

void
settings_release(struct settings *s)
{
	sample_choice_release(&s->choice);
}
