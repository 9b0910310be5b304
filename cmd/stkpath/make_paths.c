/* SPDX-License-Identifier: MIT
 * make_paths: stkpath paths: paths of interest, for stkpath plan: those that were walked, the prime ones that were not,
 * random ones, or all ways through some block. */
#include "activation_events.h"
#include "path_errors.h"
#include "stkpath.h"

#include "base/input.h"
#include "base/memory.h"
#include "base/output.h"
#include "path/path_files.h"
#include "path/path_plan.h"
#include "path/path_words.h"
#include "path/prime_paths.h"
#include "path/random_paths.h"
#include "path/sub_paths.h"
#include "program/program.h"
#include "report/counting_methods.h"
#include "report/printer.h"

#include <string.h>

struct making {
	const struct path_settings *settings;
	struct flow_graph *graph;
	bool *through, *around;		/* by block: a path must have one of these; NULL: none is asked for */
	struct walked_paths walked, made;
	uint64_t left_out;		/* by --through and --around */
	bool inexact;			/* counts of what was walked */
};

/* --- through and around --- */

static bool *
blocks_through(const struct flow_graph *g, const struct option_texts *names, struct stk_error *err)
{
	bool *wanted = mem_new(g->blocks.count, sizeof *wanted);

	for (unsigned n = 0; n < names->count && err->code == STK_EOK; n++) {
		bool found = false;

		for (uint32_t b = 0; b < g->blocks.count; b++)
			if (flow_graph_is_called(g, b, text_from(names->at[n])))
				wanted[b] = found = true;
		if (!found)
			(void)!stk_fail(err, STK_EUSAGE,
					"--through: no block is called '%s': expected a block, its label, or a line: @14",
					names->at[n]);
	}
	return wanted;
}

static bool
calls(const struct flow_block *block, const char *name)
{
	for (size_t k = 0; k < block->calls.count; k++)
		if (strcmp(block->calls.at[k], name) == 0)
			return true;
	return false;
}

static bool *
blocks_around(const struct flow_graph *g, const struct option_texts *names, struct stk_error *err)
{
	bool *wanted = mem_new(g->blocks.count, sizeof *wanted), known = false;

	for (uint32_t b = 0; b < g->blocks.count; b++)
		known |= g->blocks.at[b].calls.count > 0;
	for (unsigned n = 0; n < names->count && err->code == STK_EOK; n++) {
		bool found = false;

		for (uint32_t b = 0; b < g->blocks.count; b++)
			if (calls(&g->blocks.at[b], names->at[n]))
				wanted[b] = found = true;
		if (!found)
			(void)!stk_fail(err, STK_EUSAGE, known ? "--around: no block calls '%s' by name"
				: "--around %s: the graph does not say what blocks call; stkpath cfg FILE.ll writes one that does",
					names->at[n]);
	}
	return wanted;
}

static bool
has_one(const bool *wanted, const uint32_t *blocks, size_t count)
{
	for (size_t k = 0; k < count; k++)
		if (wanted == NULL || wanted[blocks[k]])
			return true;
	return false;
}

static bool
is_chosen(void *context, const uint32_t *blocks, size_t count)
{
	const struct making *m = context;

	return has_one(m->through, blocks, count) && has_one(m->around, blocks, count);
}

static void
choose(struct making *m, const uint32_t *blocks, size_t count, uint64_t times)
{
	if (is_chosen(m, blocks, count))
		(void)walked_paths_add(&m->made, blocks, count, times);
	else
		m->left_out++;
}

/* --- what was walked --- */

static int
take_walk(void *context, const struct flow_path *path, uint64_t count, struct stk_error *err)
{
	struct making *m = context;
	size_t first = flow_path_first(m->graph, path);

	(void)err;
	(void)walked_paths_add(&m->walked, path->blocks.at + first, path->blocks.count - first, count);
	return 0;
}

static void
tell_left_out(const struct path_totals *totals)
{
	if (totals->unfinished > 0)
		program_say("calls that did not end, whose paths are left out: %llu",
			    (unsigned long long)totals->unfinished);
	if (totals->broken > 0)
		program_say("calls that went where no edge leads, whose paths are left out: %llu",
			    (unsigned long long)totals->broken);
}

/* All paths of the inputs: calls are followed as pap does, and paths that a program counted are taken as they are. */
static int
read_walks(struct making *m, char **operands, int count, struct stk_error *err)
{
	struct path_machine *machine = NULL;
	struct path_plan *plan = NULL;
	struct file_list *files;
	const char *path;
	int result = path_plan_make(&plan, m->graph, PATH_PAP, NULL, 0, err);

	if (result == 0)
		result = path_machine_open(&machine, plan, plan->keeping, false, err);
	if (result == 0) {
		(void)file_list_open(&files, operands, count, program_report);
		while (!program_stopping() && (path = file_list_next(files)) != NULL)
			activation_events_read(path, m->graph, machine, &m->walked);
		file_list_close(files);
		path_machine_settle(machine);
		tell_left_out(path_machine_totals(machine));
		m->inexact = path_machine_totals(machine)->distrusted;
		result = path_machine_each(machine, take_walk, m, err);
	}
	path_machine_close(machine);
	path_plan_free(plan);
	walked_paths_rank(&m->walked);
	return result;
}

static void
take_hottest(struct making *m)
{
	size_t most = m->settings->hot > 0 ? (size_t)m->settings->hot : SIZE_MAX;

	for (size_t i = 0; i < m->walked.list.count && m->made.list.count < most; i++) {
		const struct walked_path *one = &m->walked.list.at[i];

		choose(m, one->path.blocks.at, one->path.blocks.count, one->count);
	}
}

/* The prime paths that are no part of any walk. */
static int
take_untaken(struct making *m, struct stk_error *err)
{
	struct flow_paths prime = { 0 };
	struct sub_paths *parts;
	uint64_t *visits, *counts;

	if (prime_paths_find(&prime, m->graph, err) < 0)
		return -1;
	sub_paths_open(&parts, prime.list.at, prime.list.count);
	visits = mem_new(sub_paths_states(parts), sizeof *visits);
	counts = mem_new(prime.list.count + 1, sizeof *counts);
	for (size_t i = 0; i < m->walked.list.count; i++) {
		const struct flow_path *walk = &m->walked.list.at[i].path;
		uint32_t state = SUB_PATHS_START;

		for (size_t k = 0; k < walk->blocks.count; k++) {
			state = sub_paths_follow(parts, state, walk->blocks.at[k]);
			visits[state]++;
		}
	}
	sub_paths_counts(parts, visits, counts);
	for (size_t i = 0; i < prime.list.count; i++)
		if (counts[i] == 0)
			choose(m, prime.list.at[i].blocks.at, prime.list.at[i].blocks.count, 0);
	free(counts);
	free(visits);
	sub_paths_close(parts);
	flow_paths_release(&prime);
	return 0;
}

/* --- ways that nobody need have walked --- */

/* All ways through a block that come to no block twice. */
static int
take_ways(struct making *m, uint32_t block, struct stk_error *err)
{
	bool ends = block == m->graph->first || block == m->graph->exit;	/* where every way comes by */
	struct text_buffer text = { 0 };
	struct flow_paths ways = { 0 };
	int result;

	add_string(&text, ends ? "paths: [[..." : "paths: [[..., ");
	if (!ends)
		add_yaml_text(&text, text_from(m->graph->blocks.at[block].name));
	add_string(&text, ends ? "]]" : ", ...]]");
	result = flow_paths_read(&ways, m->graph->function, text.at, text.count, m->graph, false, err);
	for (size_t i = 0; i < ways.list.count && result == 0; i++)
		(void)!take_walk(m, &ways.list.at[i], 0, err);
	flow_paths_release(&ways);
	array_release(&text);
	return result;
}

static int
take_all_ways(struct making *m, struct stk_error *err)
{
	const bool *wanted = m->through != NULL ? m->through : m->around;

	for (uint32_t b = 0; b < m->graph->blocks.count; b++)
		if (wanted[b] && take_ways(m, b, err) < 0)
			return -1;
	walked_paths_rank(&m->walked);
	for (size_t i = 0; i < m->walked.list.count; i++)
		choose(m, m->walked.list.at[i].path.blocks.at, m->walked.list.at[i].path.blocks.count, 0);
	return 0;
}

static void
take_random(struct making *m)
{
	size_t wanted = (size_t)m->settings->random;

	random_paths_add(&m->made, m->graph, wanted, (uint64_t)m->settings->seed, is_chosen, m);
	walked_paths_rank(&m->made);
	if (m->made.list.count < wanted)
		program_say("%zu different paths were found, not %zu: of %zu random walks the others were the same%s",
			    m->made.list.count, wanted, 100 * wanted,
			    m->through != NULL || m->around != NULL ? ", or did not go there" : "");
}

/* --- output --- */

/* Whether a path leads from the entry to the exit. */
static bool
is_whole(const struct making *m, const struct flow_path *path)
{
	return path->blocks.at[0] == m->graph->first && path->blocks.at[path->blocks.count - 1] == m->graph->exit;
}

static int
print_paths(const struct making *m, struct printer *to, struct stk_error *err)
{
	add_string(&to->text, "# of ");
	add_masked(&to->text, text_from(m->graph->function));
	if (m->inexact)
		add_string(&to->text, "\n# " INEXACT_MARK ": " INEXACT_COUNTS);
	add_string(&to->text, m->made.list.count > 0 ? "\npaths:\n" : "\npaths: []\n");
	for (size_t i = 0; i < m->made.list.count; i++) {
		const struct walked_path *one = &m->made.list.at[i];

		add_string(&to->text, "  - ");
		add_path_list(&to->text, m->graph, &one->path);
		if (one->count > 0)
			add_format(&to->text, "\t# %s%llu", m->inexact ? INEXACT_MARK : "",
				   (unsigned long long)one->count);
		add_char(&to->text, '\n');
		if (printer_settle(to, false, err) < 0)
			return -1;
	}
	return printer_settle(to, true, err);
}

static void
tell(const struct making *m)
{
	size_t parts = 0, count = m->made.list.count;

	for (size_t i = 0; i < count; i++)
		parts += !is_whole(m, &m->made.list.at[i].path);
	if (m->left_out > 0)
		program_say("paths written: %zu; left out, because they do not go there: %llu", count,
			    (unsigned long long)m->left_out);
	else
		program_say("paths written: %zu", count);
	if (m->inexact)
		program_say("%s: " INEXACT_COUNTS, m->graph->function);
	if (parts > 0)
		program_say("begin or end within the function: %zu; stkpath plan takes these with --method ac", parts);
}

/* --- the command --- */

static int
make(struct making *m, char **operands, int count, struct stk_error *err)
{
	const struct path_settings *s = m->settings;

	if (flow_graph_read_file(&m->graph, s->cfg, err) < 0)
		return -1;
	m->through = s->through.count > 0 ? blocks_through(m->graph, &s->through, err) : NULL;
	m->around = s->around.count > 0 && err->code == STK_EOK ? blocks_around(m->graph, &s->around, err) : NULL;
	if (err->code != STK_EOK)
		return -1;
	if (s->random > 0) {
		take_random(m);
		return 0;
	}
	if (count == 0 && s->hot == 0 && !s->untaken)
		return take_all_ways(m, err);
	if (read_walks(m, operands, count, err) < 0)
		return -1;
	if (s->untaken)
		return take_untaken(m, err);
	take_hottest(m);
	return 0;
}

int
make_paths(const struct path_settings *settings, char **operands, int count)
{
	struct making m = { .settings = settings };
	struct stk_error err = { 0 }, late = { 0 };
	struct printer to = { 0 };
	int result;

	if (settings->cfg == NULL)
		program_usage("paths: missing --cfg FILE");
	if (program_common.format != NULL)
		program_usage("paths: -f has no effect: paths are written in YAML");
	if (settings->random > 0 && (count > 0 || settings->hot > 0 || settings->untaken))
		program_usage("paths: --random takes no files, and neither --hot nor --untaken");
	if (settings->hot > 0 && settings->untaken)
		program_usage("paths: --hot and --untaken exclude each other");
	if (settings->random == 0 && count == 0 && settings->hot == 0 && !settings->untaken &&
	    settings->through.count + settings->around.count == 0)
		program_usage("paths: expected --hot N, --untaken, --random N, --through BLOCK, --around FUNCTION, or files");
	if (settings->hot > 0 || settings->untaken)
		program_need_input(count);
	result = make(&m, operands, count, &err);
	if (result == 0)
		result = output_open(&to.output, program_common.output, &err);
	if (result == 0)
		result = print_paths(&m, &to, &err);
	if (result == 0)
		tell(&m);
	printer_release(&to);
	if (output_close(to.output, result == 0, &late) < 0 && result == 0)
		err = late;
	report_error(&err);
	walked_paths_release(&m.walked);
	walked_paths_release(&m.made);
	free(m.through);
	free(m.around);
	flow_graph_free(m.graph);
	return program_end();
}
