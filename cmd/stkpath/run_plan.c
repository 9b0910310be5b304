/* SPDX-License-Identifier: MIT
 * run_plan: stkpath run. */
#include "activation_events.h"
#include "path_errors.h"
#include "stkpath.h"

#include "base/input.h"
#include "base/output.h"
#include "base/whole_file.h"
#include "path/path_words.h"
#include "path/plan_lines.h"
#include "program/program.h"
#include "report/counting_methods.h"
#include "report/printer.h"

#include <stdio.h>
#include <string.h>

struct run {
	const struct path_settings *settings;
	struct path_plan *plan;
	struct flow_graph *graph;
	struct path_machine *machine;
	struct printer to;
};

static enum path_keeping
keeping_of(const struct path_settings *settings, const struct path_plan *plan)
{
	if (settings->keeping == NULL)
		return plan->keeping;
	for (unsigned k = 0; k < KEEPINGS; k++)
		if (strcmp(settings->keeping, path_keeping_names[k]) == 0)
			return (enum path_keeping)k;
	program_usage("--repr: expected u64, shift64, shift128, table or spill, not '%s'", settings->keeping);
}

static int
open_run(struct run *run, struct stk_error *err)
{
	struct text_buffer text = { 0 };
	int result = whole_file_read(&text, run->settings->plan, PATH_FILE_MOST, err);

	if (result == 0)
		result = plan_lines_read(&run->plan, &run->graph, run->settings->plan, text.at, text.count, err);
	array_release(&text);
	if (result == 0)
		result = path_machine_open(&run->machine, run->plan, keeping_of(run->settings, run->plan),
					   run->settings->verify, err);
	return result == 0 ? output_open(&run->to.output, program_common.output, err) : -1;
}

/* --- printing --- */

static bool
is_inexact(const struct run *run)
{
	return !run->plan->exact || path_machine_totals(run->machine)->distrusted;
}

static void
add_row(struct run *run, const struct flow_path *path, uint64_t count)
{
	const struct flow_graph *g = run->graph;
	size_t from = flow_path_first(g, path);

	for (size_t k = from; k < path->blocks.count; k++) {
		if (k > from)
			add_char(&run->to.text, ' ');
		add_masked(&run->to.text, text_from(g->blocks.at[path->blocks.at[k]].name));
	}
	add_format(&run->to.text, "\t%llu\n", (unsigned long long)count);
}

/* For people, with loops as repetitions. */
static void
add_line(struct run *run, const struct flow_path *path, uint64_t count)
{
	struct text_buffer words = { 0 };
	char number[24];

	add_path_words(&words, run->graph, path);
	(void)snprintf(number, sizeof number, "%s%llu", is_inexact(run) ? INEXACT_MARK : "", (unsigned long long)count);
	add_format(&run->to.text, "%12s  ", number);
	add_masked(&run->to.text, text_in(&words, 0));
	add_char(&run->to.text, '\n');
	array_release(&words);
}

static int
print_found(void *context, const struct flow_path *path, uint64_t count, struct stk_error *err)
{
	struct run *run = context;

	if (program_common.format == NULL || strcmp(program_common.format, "tsv") == 0)
		add_row(run, path, count);
	else
		add_line(run, path, count);
	return printer_settle(&run->to, false, err);
}

static int
print_paths(struct run *run, struct stk_error *err)
{
	if (program_common.format == NULL || strcmp(program_common.format, "tsv") == 0)
		add_string(&run->to.text, "path\tcount\n");
	for (size_t i = 0; i < run->plan->paths.count; i++)
		if ((!run->settings->untaken || path_machine_count(run->machine, i) == 0) &&
		    print_found(run, &run->plan->paths.at[i], path_machine_count(run->machine, i), err) < 0)
			return -1;
	return run->settings->untaken ? 0 : path_machine_each(run->machine, print_found, run, err);
}

static void
print_statistics(struct run *run)
{
	const struct path_totals *t = path_machine_totals(run->machine);
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = { { "activations", t->activations }, { "finished", t->finished },
		     { "unfinished", t->unfinished },   { "broken", t->broken },
		     { "counted", t->counted },         { "ended", t->ended },
		     { "probes", t->probes },           { "blocks", t->blocks },
		     { "skipped", t->skipped },         { "wrong", t->wrong } };

	add_string(&run->to.text, "what\tcount\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows - !run->settings->verify; i++)
		add_format(&run->to.text, "%s\t%llu\n", rows[i].name, (unsigned long long)rows[i].value);
}

/* How many were counted wrongly, of all that were counted. */
static void
tell(const struct run *run)
{
	const struct path_totals *t = path_machine_totals(run->machine);
	uint64_t credited = 0;
	size_t count = run->plan->paths.count, taken = 0;

	for (size_t i = 0; i < count; i++) {
		credited += path_machine_count(run->machine, i);
		taken += path_machine_count(run->machine, i) > 0;
	}
	if (run->plan->method == PATH_AC && t->activations > 0)
		program_say("%llu activations, %llu unfinished, %llu broken", (unsigned long long)t->activations,
			    (unsigned long long)t->unfinished, (unsigned long long)t->broken);
	else if (t->activations > 0)
		program_say(
			"%llu activations, %llu finished, %llu of them on interesting paths; %llu unfinished, %llu broken",
			(unsigned long long)t->activations, (unsigned long long)t->finished,
			(unsigned long long)t->counted, (unsigned long long)t->unfinished,
			(unsigned long long)t->broken);
	if (run->settings->untaken && count > 0)
		program_say("%zu of %zu paths were taken: %.1f %%", taken, count,
			    100.0 * (double)taken / (double)count);
	coverage_judge(run->settings, taken, count);
	if (!run->plan->exact && !run->settings->verify && count > 0)
		program_say("%s is inexact: other paths may be counted as interesting ones (--verify counts them)",
			    path_method_names[run->plan->method]);
	else if (t->distrusted)
		program_say("%s: " INEXACT_COUNTS, run->graph->function);
	if (run->settings->verify)
		program_say("inaccuracy %.4f: %llu of %llu counted activations took other paths",
			    credited > 0 ? (double)t->wrong / (double)credited : 0.0, (unsigned long long)t->wrong,
			    (unsigned long long)credited);
}

static void
close_run(struct run *run, struct stk_error *err)
{
	struct stk_error late = { 0 };

	printer_release(&run->to);
	if (output_close(run->to.output, err->code == STK_EOK, &late) < 0 && err->code == STK_EOK)
		*err = late;
	path_machine_close(run->machine);
	path_plan_free(run->plan);
	flow_graph_free(run->graph);
}

int
run_plan(const struct path_settings *settings, char **operands, int count)
{
	struct run run = { .settings = settings };
	struct stk_error err = { 0 };
	struct file_list *files;
	const char *path;

	if (settings->plan == NULL)
		program_usage("run: missing --plan FILE");
	program_need_input(count);
	if (open_run(&run, &err) == 0) {
		(void)file_list_open(&files, operands, count, program_report);
		while (!program_stopping() && err.code == STK_EOK && (path = file_list_next(files)) != NULL)
			activation_events_read(path, run.graph, run.machine, NULL);
		file_list_close(files);
		if (program_stopping())
			program_finish_soon();
		path_machine_settle(run.machine);
		if (err.code == STK_EOK && settings->stats)
			print_statistics(&run);
		else if (err.code == STK_EOK)
			(void)print_paths(&run, &err);
		if (err.code == STK_EOK && printer_settle(&run.to, true, &err) == 0)
			tell(&run);
	}
	close_run(&run, &err);
	report_error(&err);
	return program_end();
}
