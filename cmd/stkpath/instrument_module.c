/* SPDX-License-Identifier: MIT
 * instrument_module: stkpath instrument. */
#include "function_selection.h"
#include "path_errors.h"
#include "stkpath.h"

#include "base/output.h"
#include "base/terminal_text.h"
#include "base/whole_file.h"
#include "path/call_sequences.h"
#include "path/plan_lines.h"
#include "path/prime_paths.h"
#include "probe/probe_left_out.h"
#include "probe/probe_module.h"
#include "probe/probe_refusal.h"
#include "probe/spare_checks.h"
#include "probe/spare_visits.h"
#include "program/program.h"
#include "report/printer.h"

#include <stdlib.h>
#include <string.h>

/* A function with the plan of its probes; the graph belongs to the plan. */
#define PRIME_UNASKED 100000	/* a function with more prime paths must be named: its tables take megabytes */

struct chosen {
	const struct ir_function *function;
	struct flow_graph *graph;
	struct path_plan *plan;
	struct word_plan *words;
	bool without_blocks;		/* of its steps only where calls begin and end */
};

struct left_out { const struct ir_function *function; char *reason; };

struct instrumenting {
	const struct path_settings *settings;
	struct ir_module *module;
	ARRAY(struct chosen) chosen;
	struct function_selection *selection;
	struct call_sequences sequences;	/* whose functions are chosen */
	struct text_table outside;		/* those of them that the module does not have */
	ARRAY(struct left_out) left_out;
};

static struct probe_options
probe_options_of(const struct path_settings *settings)
{
	static const char *const modes[] = { "clone", "sticky", "stop", NULL };
	struct probe_options options = { .atomic = settings->atomic };
	size_t mode = 0;

	while (modes[mode] != NULL && settings->mode != NULL && strcmp(settings->mode, modes[mode]) != 0)
		mode++;
	if (modes[mode] == NULL)
		program_usage("--mode: expected clone, sticky or stop, not '%s'", settings->mode);
	options.mode = (enum end_mode)mode;
	return options;
}

static void
release_chosen(struct chosen *chosen)
{
	word_plan_free(chosen->words);
	path_plan_free(chosen->plan);
	flow_graph_free(chosen->graph);
}

/* Probes that can be omitted. */
static int
spare_probes(const struct ir_module *m, struct chosen *chosen, struct stk_error *err)
{
	const struct ir_function *f = chosen->function;
	struct flow_graph *own;
	uint32_t *number_of;
	bool *leaves;
	int result;

	spare_checks(chosen->words);
	if (chosen->words->sub_paths == NULL)
		return 0;
	number_of = mem_new(f->blocks.count, sizeof *number_of);
	leaves = mem_new(chosen->graph->blocks.count, sizeof *leaves);
	result = ir_function_graph(f, &own, number_of, err);
	for (uint32_t b = 0; b < f->blocks.count && result == 0; b++)
		/* a plan may be of another graph: that is reported later */
		if (number_of[b] < chosen->graph->blocks.count)
			leaves[number_of[b]] |= ir_block_calls(m, &f->blocks.at[b]);
	if (result == 0)
		spare_visits(chosen->words, leaves);
	flow_graph_free(own);
	free(number_of);
	free(leaves);
	return result;
}

/* --- by plans --- */

/* The function of the module that a plan is for, if any. */
static int
choose_by_plan(struct instrumenting *in, const char *path, struct stk_error *err)
{
	struct text_buffer text = { 0 };
	struct chosen chosen = { 0 };
	int result = whole_file_read(&text, path, PATH_FILE_MOST, err);

	if (result == 0)
		result = plan_lines_read(&chosen.plan, &chosen.graph, path, text.at, text.count, err);
	array_release(&text);
	if (result == 0) {
		chosen.function = ir_module_find(in->module, text_from(chosen.graph->function));
		if (chosen.function == NULL)
			program_say("%s: the module has no function %s", path, chosen.graph->function);
		else
			result = word_plan_make(&chosen.words, chosen.plan, chosen.plan->keeping, err);
		if (result == 0 && chosen.words != NULL)
			result = spare_probes(in->module, &chosen, err);
	}
	for (size_t i = 0; i < in->chosen.count && result == 0; i++)
		if (in->chosen.at[i].function == chosen.function)
			result = stk_fail(err, STK_EUSAGE, "%s: second plan for %s", path, chosen.graph->function);
	if (result == 0 && chosen.function != NULL)
		*array_push(&in->chosen) = chosen;
	else
		release_chosen(&chosen);
	return result;
}

/* --- by functions --- */

/* The plan without paths of interest: pieces of paths, or, where there are too many, digits; or prime paths. */
static int
plan_all(const struct ir_module *module, struct chosen *chosen, const struct path_settings *settings,
	 struct stk_error *err)
{
	struct flow_paths prime = { 0 };
	struct stk_error too_many = { 0 };
	bool pap = strcmp(settings->method, "pap") == 0;
	int result = 0;

	if (settings->prime) {
		result = prime_paths_find(&prime, chosen->graph, err);
		if (result == 0 && settings->function == NULL && prime.list.count > PRIME_UNASKED) {
			result = stk_fail(err, STK_EUSAGE, "%s has %zu prime paths: use --function to instrument it",
					  chosen->graph->function, prime.list.count);
			flow_paths_release(&prime);
		}
		if (result == 0)
			result = path_plan_make(&chosen->plan, chosen->graph, PATH_AC, prime.list.at, prime.list.count,
						err);
		array_release(&prime.list);
	} else if (pap || path_plan_make(&chosen->plan, chosen->graph, PATH_EPP, NULL, 0, &too_many) < 0) {
		result = path_plan_make(&chosen->plan, chosen->graph, PATH_PAP, NULL, 0, err);
		if (result == 0)
			chosen->plan->keeping = KEEP_SPILL;
	}
	if (result == 0)
		result = word_plan_make(&chosen->words, chosen->plan, chosen->plan->keeping, err);
	return result == 0 ? spare_probes(module, chosen, err) : -1;
}

/* What another module has is not left out. */
static void
leave_out(struct instrumenting *in, const struct ir_function *f, const char *reason)
{
	program_say("%.*s is left as it is: %s", (int)f->name.size, f->name.data, reason);
	if (probe_is_elsewhere(in->module, f))
		return;
	*array_push(&in->left_out) = (struct left_out){ f, mem_string(reason) };
}

/* asked: requested by name; otherwise a refusal is only reported. */
static int
choose_function(struct instrumenting *in, const struct ir_function *f, bool asked, struct stk_error *err)
{
	const char *refused = probe_refusal(in->module, f);
	struct chosen chosen = { .function = f };
	struct stk_error why = { 0 };
	int result;

	if (refused != NULL && !asked) {
		leave_out(in, f, refused);
		return 0;
	}
	result = refused != NULL ? stk_fail(&why, STK_EUSAGE, "%.*s: %s", (int)f->name.size, f->name.data, refused)
				 : ir_function_graph(f, &chosen.graph, NULL, &why);
	if (result == 0 && !in->settings->steps)
		result = plan_all(in->module, &chosen, in->settings, &why);
	if (result == 0)
		*array_push(&in->chosen) = chosen;
	else
		release_chosen(&chosen);
	if (result < 0 && !asked && why.code == STK_EUSAGE) {
		leave_out(in, f, why.text);
		return 0;
	}
	*err = why;
	return result;
}

static bool
is_chosen(const struct instrumenting *in, const struct ir_function *f)
{
	for (size_t i = 0; i < in->chosen.count; i++)
		if (in->chosen.at[i].function == f)
			return true;
	return false;
}

/* All functions that are called so: in C++ several may be. */
static int
choose_called(struct instrumenting *in, struct stk_text name, struct stk_error *err)
{
	bool found = false;
	int result = 0;

	for (size_t i = 0; i < in->module->functions.count && result == 0; i++) {
		const struct ir_function *f = &in->module->functions.at[i];

		if (!function_is_called(f, name))
			continue;
		found = true;
		if (function_selection_has(in->selection, f) && !is_chosen(in, f))
			result = choose_function(in, f, true, err);
	}
	if (!found)
		program_say("the module has no function %.*s", (int)name.size, name.data);
	return result;
}

/* --function A,B; all without it. */
static int
choose_by_name(struct instrumenting *in, struct stk_error *err)
{
	struct stk_text names = text_from(in->settings->function != NULL ? in->settings->function : "");
	int result = 0;

	for (size_t i = 0; i < in->module->functions.count && in->settings->function == NULL && result == 0; i++)
		if (function_selection_has(in->selection, &in->module->functions.at[i]))
			result = choose_function(in, &in->module->functions.at[i], false, err);
	while (names.size > 0 && result == 0)
		result = choose_called(in, take_function_name(&names), err);
	return result;
}

/* --- by sequences --- */

static bool
names_blocks(const struct call_sequences *sequences, uint32_t function)
{
	for (size_t s = 0; s < sequences->list.count; s++)
		for (size_t i = 0; i < sequences->list.at[s].names.count; i++)
			if (sequences->list.at[s].names.at[i].function == function &&
			    sequences->list.at[s].names.at[i].place == SEQUENCE_BLOCK)
				return true;
	return false;
}

/* The functions that sequences name: what happens in others, sequences do not see. */
static int
choose_by_sequences(struct instrumenting *in, struct stk_error *err)
{
	int result = call_sequences_read_file(&in->sequences, in->settings->paths, err);
	uint32_t count = result == 0 ? (uint32_t)in->sequences.functions.texts.count : 0;

	for (uint32_t i = 1; i <= count && result == 0; i++) {
		struct stk_text name = text_table_text(&in->sequences.functions, i);
		const struct ir_function *f = ir_module_find(in->module, name);

		if (f == NULL) {
			(void)text_table_number(&in->outside, name);
			continue;
		}
		result = choose_function(in, f, true, err);
		if (result == 0)
			in->chosen.at[in->chosen.count - 1].without_blocks = !names_blocks(&in->sequences, i);
	}
	return result;
}

/* --- the command --- */

static int
write_module(struct instrumenting *in, const struct probe_options *options, struct stk_error *err)
{
	struct probed *probed = mem_new(in->chosen.count + 1, sizeof *probed);
	struct ir_buffer text = { 0 };
	struct stk_error late = { 0 };
	struct output *output;
	int result;

	for (size_t i = 0; i < in->chosen.count; i++)
		probed[i] =
			(struct probed){ in->chosen.at[i].function, in->chosen.at[i].graph, in->chosen.at[i].words,
					 in->chosen.at[i].without_blocks };
	result = probe_module_write(&text, in->module, probed, in->chosen.count, options, err);
	for (size_t i = 0; i < in->left_out.count && result == 0; i++)
		probe_write_left_out(&text, in->left_out.at[i].function, text_from(in->left_out.at[i].reason));
	if (result == 0)
		result = output_open(&output, program_common.output, err);
	if (result == 0) {
		if (output_is_terminal(output))	/* the module contains raw text, such as names in comments */
			text.count = mask_text(text.at, text.count, "\t\n");
		result = output_write(output, text.at, text.count, err);
		if (output_close(output, result == 0, &late) < 0 && result == 0) {
			*err = late;
			result = -1;
		}
	}
	array_release(&text);
	free(probed);
	return result;
}

int
instrument_module(const struct path_settings *settings, char **operands, int count)
{
	struct instrumenting in = { .settings = settings };
	struct probe_options options = probe_options_of(settings);
	struct text_buffer text = { 0 };
	struct stk_error err = { 0 };
	int result;

	if (count < 1)
		program_usage("instrument: missing FILE.ll, from clang -S -emit-llvm");
	if ((count > 1 || settings->paths != NULL) && (settings->sources.count > 0 || settings->changed != NULL))
		program_usage("instrument: plans and sequences define the functions: remove --source and --changed");
	if (count > 1 && (settings->function != NULL || settings->steps || settings->prime))
		program_usage(
			"instrument: plans define the functions and the method: remove --function, --steps or --prime");
	if (settings->paths != NULL && !settings->steps)
		program_usage("instrument: --paths is for the sequences of --steps; paths of one function need a plan");
	if (settings->paths != NULL && settings->function != NULL)
		program_usage("instrument: --paths chooses the functions: remove --function");
	if (strcmp(settings->method, "auto") != 0 && strcmp(settings->method, "epp") != 0 &&
	    strcmp(settings->method, "pap") != 0 && !(settings->prime && strcmp(settings->method, "ac") == 0))
		program_usage(
			"instrument: without a plan, --method: expected epp, pap, or ac with --prime (stkpath plan makes plans for the others)");
	result = whole_file_read(&text, operands[0], PATH_FILE_MOST, &err);
	if (result == 0)
		result = ir_module_read(&in.module, operands[0], text.at, text.count, &err);
	array_release(&text);
	if (result == 0)
		result = function_selection_open(&in.selection, &settings->sources, settings->changed, &err);
	for (int i = 1; i < count && result == 0; i++)
		result = choose_by_plan(&in, operands[i], &err);
	if (result == 0 && count == 1)
		result = settings->paths != NULL ? choose_by_sequences(&in, &err) : choose_by_name(&in, &err);
	if (in.outside.texts.count > 0)
		options.outside = &in.outside;
	if (result == 0)
		result = write_module(&in, &options, &err);
	if (result == 0)
		program_say("%zu of %zu functions have probes", in.chosen.count, in.module->functions.count);
	report_error(&err);
	for (size_t i = 0; i < in.chosen.count; i++)
		release_chosen(&in.chosen.at[i]);
	array_release(&in.chosen);
	for (size_t i = 0; i < in.left_out.count; i++)
		free(in.left_out.at[i].reason);
	array_release(&in.left_out);
	function_selection_close(in.selection);
	call_sequences_release(&in.sequences);
	text_table_release(&in.outside);
	ir_module_free(in.module);
	return program_end();
}
