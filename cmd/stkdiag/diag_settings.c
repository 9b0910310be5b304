/* SPDX-License-Identifier: MIT
 * diag_settings: the options of stkdiag. */
#include "diag_settings.h"

#include "program/program.h"

#include <string.h>

static struct settings given = { .alert = STK_SEVERITY_WARNING, .evidence = 4 };

static const struct option_row options[] = {
	OPT_HEADING("rules"),
	OPT_TEXT(0, "rules", &given.rules, "FILE", "thresholds, as --list-rules prints them; what it leaves out stays"),
	OPT_CHOICE(0, "alert", &given.alert, "SEVERITY", "info, warning, critical",
		   "exit with status 4 from this severity on (warning)"),
	OPT_TEXT(0, "explain", &given.explain, "RULE", "say what a rule looks for, and exit"),
	OPT_FLAG(0, "list-rules", &given.list_rules, "print all rules with their thresholds as YAML, and exit"),
	OPT_FLAG(0, "merge", &given.merge, "join the inputs, which are findings: records of stkdiag"),
	OPT_HEADING("output"),
	OPT_NUMBER(0, "top", &given.top, "N", "show only the N worst findings"),
	OPT_NUMBER(0, "evidence", &given.evidence, "N", "threads that are shown of each finding (4)"),
	OPT_TABLE(sample_choice_options),
	OPT_TEXT(0, "compare", &given.compare, "WINDOW",
		 "say what is new beside FROM..TO, or the same hours of yesterday or last-week"),
	OPT_TABLE(sample_zone_option),
	OPT_NEEDS("compare", "window from to"),
	OPT_ONE_OF("explain list-rules merge"),
	OPT_ONE_OF("merge rules"),
	OPT_ONE_OF("merge compare"),
	OPT_ONE_OF("merge evidence"),
	OPT_END
};

static enum diag_form
form_given(const char *format)
{
	static const char *const names[] = { "text", "tsv", "ndjson", "stream" };
	unsigned form = DIAG_TEXT;

	while (form < DIAG_RECORDS && format != NULL && strcmp(format, names[form]) != 0)
		form++;
	return (enum diag_form)form;
}

int
settings_read(struct settings *s, int argc, char **argv)
{
	int first;

	program_confine(NULL);
	first = program_begin("stkdiag", "say what is wrong in thread dumps: who waits for whom, what is stuck",
				  "[FILE | DIR | -]...", "text, tsv, ndjson, stream", options, argc, argv);

	*s = given;
	s->form_given = program_common.format != NULL;
	s->form = form_given(program_common.format);
	s->file = argc - first == 1 && strcmp(argv[first], "-") != 0 ? argv[first] : "FILE";
	diag_limits_default(&s->limits);
	if (s->merge && (sample_choice_has_window() || sample_choice_is_filtered()))
		program_usage("--merge: --from, --thread and the like select samples, and findings have none");
	sample_choice_read(&s->choice, argv + first, argc - first);
	if (s->compare != NULL)
		other_window_read(&s->other, s->compare, &s->choice);
	return first;
}

void
settings_release(struct settings *s)
{
	sample_choice_release(&s->choice);
}
