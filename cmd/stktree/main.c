/* SPDX-License-Identifier: MIT
 * stktree: the hierarchical time tree: reports on any window of a recording at the cost of its logarithm, and compares
 * two. */
#include "make_tree.h"
#include "recording_rules.h"
#include "window_report.h"

#include "program/program.h"

#include <stdlib.h>

static int
answer(const struct settings *settings, struct output *output, char **operands, int count, struct stk_error *err)
{
	program_need_input(count);
	if (settings->rules != NULL && settings->view != VIEW_DIFFERENCE)
		return report_rules(settings, output, operands, count, err);
	if (settings->view == VIEW_DIFFERENCE)
		return report_difference(settings, output, operands, count, err);
	return report_windows(settings, output, operands, count, err);
}

/* Reports seek in files; trees are built from any input. */
static int
run(struct settings *settings, char **operands, int count, struct stk_error *err)
{
	struct output *output = NULL;
	struct filter filter = { 0 };
	int result;

	if (settings->job == JOB_REPORT) {
		if (output_open(&output, program_common.output, err) < 0)
			return -1;
		settings_choose(settings, output_is_terminal(output));
		settings_refuse_idle(settings);
		if (settings->job == JOB_REPORT) {
			result = answer(settings, output, operands, count, err);
			return output_close(output, result == 0 && !program_stopping(),
					    result == 0 ? err : &(struct stk_error){ 0 }) < 0
				       ? -1
				       : result;
		}
		if (output_close(output, false, err) < 0)
			return -1;
	}
	settings_refuse_idle(settings);
	result = filter_open(&filter, operands, count, err);
	if (result == 0 && settings->target == NULL && output_is_terminal(filter.output))
		program_usage("a tree is not for a terminal: use -o FILE, or a pipe");
	if (result == 0)
		result = make_tree(settings, &filter, operands, count, err);
	filter_close(&filter, result == 0);
	return result;
}

int
main(int argc, char **argv)
{
	static struct settings settings;
	struct stk_error err = { 0 };
	int first = settings_read(&settings, argc, argv), result = run(&settings, argv + first, argc - first, &err);

	settings_release(&settings);
	if (result == 0)
		stk_error_clear(&err);
	return program_finish(&err, NULL);
}
