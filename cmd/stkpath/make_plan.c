/* SPDX-License-Identifier: MIT
 * make_plan: stkpath plan. */
#include "activation_events.h"
#include "chosen_rules.h"
#include "path_errors.h"
#include "stkpath.h"

#include "base/output.h"
#include "path/method_choice.h"
#include "path/path_files.h"
#include "path/plan_lines.h"
#include "path/prime_paths.h"
#include "program/program.h"
#include "report/printer.h"

#include <string.h>

static enum path_method
method_of(const struct path_settings *settings)
{
	if (settings->poison && strcmp(settings->method, "prepp") != 0)
		program_usage("--poison works only with --method prepp");
	if (settings->poison)
		return PATH_POISON;
	for (unsigned m = 0; m < PATH_METHODS; m++)
		if (m != PATH_POISON && strcmp(settings->method, path_method_names[m]) == 0)
			return (enum path_method)m;
	program_usage(
		"--method: expected epp, spp, espp, prepp, pap, pap-epp, psp0, psp1, psp2, psp3, trie, ac or auto, not '%s'",
		settings->method);
}

/* --- auto, by a sample of events --- */

/* How many operations a method does over the sample; false: it does not suit this graph. */
static bool
try_method(const struct path_settings *settings, const struct flow_graph *graph, const struct flow_paths *paths,
	   enum path_method method, struct path_totals *totals)
{
	struct flow_path *copies = mem_new(paths->list.count, sizeof *copies);
	struct stk_error unused = { 0 };
	struct path_machine *machine = NULL;
	struct path_plan *plan = NULL;
	bool can;

	for (size_t i = 0; i < paths->list.count; i++)
		copies[i] = flow_path_copy(&paths->list.at[i]);
	can = path_plan_make(&plan, graph, method, copies, paths->list.count, &unused) == 0 &&
	      path_machine_open(&machine, plan, plan->keeping, false, &unused) == 0;
	if (can) {
		activation_events_read(settings->sample, graph, machine, NULL);
		*totals = *path_machine_totals(machine);
	}
	free(copies);
	path_machine_close(machine);
	path_plan_free(plan);
	return can;
}

static enum path_method
cheapest_method(const struct path_settings *settings, const struct flow_graph *graph, const struct flow_paths *paths)
{
	static const enum path_method candidates[] = {
		PATH_PSP2, PATH_TRIE, PATH_PSP0, PATH_PSP3, PATH_PSP1, PATH_ESPP
	};
	enum path_method best = PATH_PSP2;
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
		struct path_totals totals = { 0 };

		if (!try_method(settings, graph, paths, candidates[i], &totals))
			continue;
		program_say("%s: %llu operations for %llu blocks of the sample", path_method_names[candidates[i]],
			    (unsigned long long)totals.probes, (unsigned long long)totals.blocks);
		if (totals.probes >= least)
			continue;
		least = totals.probes;
		best = candidates[i];
	}
	return best;
}

static enum path_method
method_by_rules(const struct path_settings *settings, const struct flow_graph *graph)
{
	struct text_buffer where = { 0 };
	struct path_properties properties;
	struct method_rules rules;
	struct stk_error err = { 0 };
	enum path_method method;
	char why[160];

	if (chosen_rules(&rules, &where, &err) < 0)
		program_usage("%s", err.text);
	path_properties_of(&properties, graph, settings->time_ns);
	method = method_choose(&rules, &properties, settings->any, why, sizeof why);
	if (where.at[0] != '\0')
		program_say("%s: %s, by %s", path_method_names[method], why, where.at);
	else
		program_say("%s: %s", path_method_names[method], why);
	array_release(&where);
	return method;
}

static enum path_method
chosen_method(const struct path_settings *settings, const struct flow_graph *graph, const struct flow_paths *paths)
{
	enum path_method method;

	if (strcmp(settings->method, "auto") != 0)
		return method_of(settings);
	if (paths->list.count == 0)
		return PATH_PAP;
	if (settings->sample != NULL) {
		method = cheapest_method(settings, graph, paths);
		program_say("%s: has the fewest operations in the sample", path_method_names[method]);
		return method;
	}
	return method_by_rules(settings, graph);
}

/* The paths of interest: those of a file, or all prime ones. */
static int
read_paths(const struct path_settings *settings, const struct flow_graph *graph, struct flow_paths *paths,
	   struct stk_error *err)
{
	if (settings->prime)
		return prime_paths_find(paths, graph, err);
	return settings->paths == NULL
		       ? 0
		       : flow_paths_read_file(paths, settings->paths, graph, strcmp(settings->method, "ac") == 0, err);
}

/* --- text for people --- */

#define VALUES_SHOWN 8u

static void
add_check(struct text_buffer *to, const char *variable, const struct probe *probe)
{
	add_format(to, "end unless %s is ", variable);
	for (size_t i = 0; i < probe->set_count && i < VALUES_SHOWN; i++) {
		char *value = mpz_get_str(NULL, 10, probe->set[i]);

		add_string(to, i == 0 ? "" : i + 1 == probe->set_count ? " or " : ", ");
		add_string(to, value);
		free(value);
	}
	if (probe->set_count > VALUES_SHOWN)
		add_format(to, " or one of %zu more", probe->set_count - VALUES_SHOWN);
}

static void
add_operations(struct printer *to, const char *where, const char *arrow, const char *next, const struct probes *probes)
{
	char *a, *b;

	for (size_t i = 0; i < probes->list.count; i++) {
		const struct probe *probe = &probes->list.at[i];

		a = mpz_get_str(NULL, 10, probe->a);
		b = mpz_get_str(NULL, 10, probe->b);
		add_string(&to->text, "  ");
		add_masked(&to->text, text_from(where));
		add_string(&to->text, arrow);
		add_masked(&to->text, text_from(next));
		add_string(&to->text, "  ");
		switch (probe->kind) {
		case PROBE_SET:   add_string(&to->text, "r = "); add_string(&to->text, a); break;
		case PROBE_ADD:   add_string(&to->text, "r += "); add_string(&to->text, a); break;
		case PROBE_MUL:
			add_string(&to->text, "r = r * ");
			add_string(&to->text, a);
			add_string(&to->text, " + ");
			add_string(&to->text, b);
			break;
		case PROBE_LSET:  add_string(&to->text, "l = "); add_string(&to->text, a); break;
		case PROBE_LADD:  add_string(&to->text, "l += "); add_string(&to->text, a); break;
		case PROBE_LJOIN:
			add_string(&to->text, "r = r * ");
			add_string(&to->text, a);
			add_string(&to->text, " + l");
			break;
		case PROBE_CHK:   add_check(&to->text, "r", probe); break;
		case PROBE_LCHK:  add_check(&to->text, "l", probe); break;
		case PROBE_END:   add_string(&to->text, "end"); break;
		case PROBE_COUNT: add_string(&to->text, "count r"); break;
		case PROBE_KINDS: break;
		}
		add_char(&to->text, '\n');
		free(a);
		free(b);
	}
}

static void
add_plan(struct printer *to, const struct path_plan *plan)
{
	const struct flow_graph *g = plan->graph;
	struct plan_cost cost;

	path_plan_cost(plan, &cost);
	add_masked(&to->text, text_from(g->function));
	add_format(
		&to->text, ": %zu blocks, %zu edges, %zu paths of interest; %s, ids as %s, %s\n", g->blocks.count,
		g->edges.count, plan->paths.count, path_method_names[plan->method], path_keeping_names[plan->keeping],
		plan->exact
			? "exact"
			: "NOT exact: other paths may be counted as interesting ones (stkpath run --verify counts them)");
	add_format(&to->text, "%llu probes, %llu of them checks against %llu values\n", (unsigned long long)cost.probes,
		   (unsigned long long)cost.checks, (unsigned long long)cost.set_members);
	if (plan->all_paths > 0)
		add_format(&to->text, "%llu paths in all, cut at the edges that lead back\n",
			   (unsigned long long)plan->all_paths);
	add_string(&to->text, "\nProbes\n");
	add_operations(to, g->blocks.at[g->entry].name, "", " (before all)", &plan->entry);
	for (uint32_t e = 0; e < g->edges.count; e++)
		add_operations(to, g->blocks.at[g->edges.at[e].from].name, " > ", g->blocks.at[g->edges.at[e].to].name,
			       &plan->of_edge[e]);
	for (uint32_t b = 0; b < g->blocks.count; b++)
		add_operations(to, g->blocks.at[b].name, "", "", &plan->of_block[b]);
	if (plan->paths.count > 0)
		add_string(&to->text, "\nPaths of interest\n");
	for (size_t i = 0; i < plan->paths.count; i++) {
		char *id = mpz_get_str(NULL, 10, plan->ids[i]);

		add_string(&to->text, "  ");
		add_string(&to->text, id);
		free(id);
		for (size_t k = flow_path_first(g, &plan->paths.at[i]); k < plan->paths.at[i].blocks.count; k++) {
			add_char(&to->text, ' ');
			add_masked(&to->text, text_from(g->blocks.at[plan->paths.at[i].blocks.at[k]].name));
		}
		add_char(&to->text, '\n');
	}
}

/* --- the command --- */

static int
print_bytes(void *context, const char *bytes, size_t size, struct stk_error *err)
{
	struct printer *to = context;

	add_bytes(&to->text, bytes, size);
	return printer_settle(to, false, err);
}

static int
write_plan(const struct path_plan *plan, struct stk_error *err)
{
	struct stk_error late = { 0 };
	struct printer to = { 0 };
	int result = 0;

	if (output_open(&to.output, program_common.output, err) < 0)
		return -1;
	if (program_common.format != NULL && strcmp(program_common.format, "text") == 0)
		add_plan(&to, plan);
	else
		result = plan_lines_write(plan, print_bytes, &to, err);
	if (result == 0)
		result = printer_settle(&to, true, err);
	printer_release(&to);
	if (output_close(to.output, result == 0, &late) < 0 && result == 0) {
		*err = late;
		result = -1;
	}
	return result;
}

int
make_plan(const struct path_settings *settings, int operands)
{
	struct flow_graph *graph = NULL;
	struct flow_paths paths = { 0 };
	struct path_plan *plan = NULL;
	struct stk_error err = { 0 };
	int result = -1;

	if (settings->prime && (strcmp(settings->method, "ac") != 0 || settings->paths != NULL))
		program_usage("--prime works only with --method ac, and without --paths");
	if (settings->sample != NULL && (strcmp(settings->method, "auto") != 0 || strcmp(settings->sample, "-") == 0))
		program_usage("--sample works only with --method auto, and needs a file, not a pipe, because it is read more than once");
	if (operands > 0 || settings->cfg == NULL)
		program_usage("plan: missing --cfg FILE (and usually --paths FILE)");
	if (strcmp(settings->method, "auto") != 0)
		(void)method_of(settings);	/* report a mistake in it before files are read */
	program_stop_at_once(true);	/* nothing is written before the plan is complete */
	if (flow_graph_read_file(&graph, settings->cfg, &err) == 0 &&
	    (read_paths(settings, graph, &paths, &err) == 0)) {
		enum path_method method = chosen_method(settings, graph, &paths);

		/* the paths are the plan's now */
		result = path_plan_make(&plan, graph, method, paths.list.at, paths.list.count, &err);
		array_release(&paths.list);
	}
	program_stop_at_once(false);
	if (result == 0)
		result = write_plan(plan, &err);
	report_error(&err);
	path_plan_free(plan);
	flow_graph_free(graph);
	return program_end();
}
