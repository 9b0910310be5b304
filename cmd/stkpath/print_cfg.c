/* SPDX-License-Identifier: MIT
 * print_cfg: stkpath cfg. */
#include "stkpath.h"

#include "base/output.h"
#include "base/program.h"
#include "path/llvm_ir.h"
#include "report/printer.h"

#include <string.h>

static bool
is_text(void)
{
	return program_common.format != NULL && strcmp(program_common.format, "text") == 0;
}

/* --- one function, as YAML --- */

static void
add_graph(struct printer *to, const struct ir_function *f, const struct flow_graph *g)
{
	add_string(&to->text, "function: ");
	add_yaml_text(&to->text, text_from(g->function));
	if (f->file.size > 0) {
		add_string(&to->text, "\nfile: ");
		add_yaml_text(&to->text, f->file);
	}
	add_string(&to->text, "\nentry: ");
	add_yaml_text(&to->text, text_from(g->blocks.at[g->first].name));
	add_string(&to->text, "\nexit: ");
	add_yaml_text(&to->text, text_from(g->blocks.at[g->exit].name));
	add_string(&to->text, "\nblocks:\n");
	for (uint32_t b = 0; b < g->blocks.count; b++) {
		if (b == g->entry && g->entry != g->first)
			continue;
		add_string(&to->text, "  - {id: ");
		add_yaml_text(&to->text, text_from(g->blocks.at[b].name));
		add_string(&to->text, ", succ: [");
		for (size_t k = 0; k < g->blocks.at[b].out.count; k++) {
			add_string(&to->text, k > 0 ? ", " : "");
			add_yaml_text(&to->text, text_from(g->blocks.at[g->edges.at[g->blocks.at[b].out.at[k]].to].name));
		}
		add_string(&to->text, "]}\n");
	}
}

static int
print_function(struct printer *to, const struct ir_module *module, const char *name, struct stk_error *err)
{
	const struct ir_function *f = ir_module_find(module, text_from(name));
	struct flow_graph *graph;

	if (f == NULL)
		return stk_fail(err, STK_EUSAGE, "there is no function '%s': without --function they are listed", name);
	if (ir_function_graph(f, &graph, NULL, err) < 0)
		return -1;
	add_graph(to, f, graph);
	flow_graph_free(graph);
	return printer_settle(to, true, err);
}

/* --- all of them, a line each --- */

static uint32_t
count_loops(const struct flow_graph *g)
{
	bool *back = mem_new(g->edges.count + 1, sizeof *back);
	uint32_t loops = 0;

	flow_graph_back_edges(g, back);
	for (uint32_t e = 0; e < g->edges.count; e++)
		loops += back[e];
	free(back);
	return loops;
}

static int
print_list(struct printer *to, const struct ir_module *module, struct stk_error *err)
{
	if (!is_text())
		add_string(&to->text, "function\tfile\tline\tblocks\tedges\tloops\tnote\n");
	for (size_t i = 0; i < module->functions.count; i++) {
		const struct ir_function *f = &module->functions.at[i];
		struct stk_error why = { 0 };
		struct flow_graph *g;
		size_t blocks = f->blocks.count, edges = 0, loops = 0;

		if (ir_function_graph(f, &g, NULL, &why) == 0) {
			blocks = g->blocks.count;
			edges = g->edges.count;
			loops = count_loops(g);
			flow_graph_free(g);
		}
		if (is_text()) {
			add_format(&to->text, "%6zu blocks %6zu edges %4zu loops  ", blocks, edges, loops);
			add_masked(&to->text, f->name);
			add_char(&to->text, ' ');
			add_masked(&to->text, f->file);
			add_format(&to->text, ":%u %s\n", f->source_line, why.text);
		} else {
			add_escaped(&to->text, f->name);
			add_char(&to->text, '\t');
			add_escaped(&to->text, f->file);
			add_format(&to->text, "\t%u\t%zu\t%zu\t%zu\t%s\n", f->source_line, blocks, edges, loops, why.text);
		}
		if (printer_settle(to, false, err) < 0)
			return -1;
	}
	return printer_settle(to, true, err);
}

/* --- the command --- */

static int
print_module(const struct path_settings *settings, const struct ir_module *module, struct stk_error *err)
{
	struct printer to = { 0 };
	struct stk_error late = { 0 };
	int result = output_open(&to.output, program_common.output, err);

	if (result == 0)
		result = settings->function != NULL ? print_function(&to, module, settings->function, err) : print_list(&to, module, err);
	printer_release(&to);
	if (output_close(to.output, result == 0, &late) < 0 && result == 0) {
		*err = late;
		result = -1;
	}
	return result;
}

int
print_cfg(const struct path_settings *settings, char **operands, int count)
{
	struct ir_module *module = NULL;
	struct text_buffer text = { 0 };
	struct stk_error err = { 0 };
	int result;

	if (count != 1)
		program_usage("cfg: expected one file, from clang -S -emit-llvm");
	result = read_whole(&text, operands[0], &err);
	if (result == 0)
		result = ir_module_read(&module, operands[0], text.at, text.count, &err);
	array_release(&text);
	if (result == 0)
		result = print_module(settings, module, &err);
	if (result < 0)
		report_error(&err);
	ir_module_free(module);
	return program_end();
}
