/* SPDX-License-Identifier: MIT
 * idle_options: what was asked for, and would have no effect on what is done. */
#include "tree_settings.h"

#include "program/program.h"

#include <string.h>

/* A report has no shape: who names one means to build a tree, and gets none. */
static void
refuse_shape(void)
{
	static const char *const of_trees[] = { "leaf", "split", "split-by", "span", "keep-percent" };

	for (size_t i = 0; i < sizeof of_trees / sizeof *of_trees; i++)
		if (program_given(of_trees[i]))
			program_usage("--%s has no effect on a report: a tree is built by -o TREE alone, and asked later",
				      of_trees[i]);
}

void
settings_refuse_idle(const struct settings *s)
{
	if (s->job == JOB_REPORT) {
		refuse_shape();
		if (s->maker.keys.count > 1)
			program_usage("--by: a report has one set of keys: write --by %s,%s, or build a tree with several by -o TREE alone",
				      key_sets_by(&s->maker.keys, 0), key_sets_by(&s->maker.keys, 1));
		return;
	}
	if (s->recording.samples || program_given("names"))
		program_usage("--%s has no effect on a tree that is built: run stktree again for a report",
			      s->recording.samples ? "samples" : "names");
	if (program_common.format != NULL && strcmp(program_common.format, "stream") != 0)
		program_usage("-f %s: a tree that is built is a stream: run stktree again for a report",
			      program_common.format);
	if (program_given("zone") && s->maker.shape.rule != TREE_BY_CALENDAR && !program_given("span"))
		program_usage("--zone has no effect on a tree that is built, but with --split-by calendar or --span");
}
