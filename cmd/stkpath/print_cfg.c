/* SPDX-License-Identifier: MIT
 * print_cfg: stkpath cfg. */
#include "path_errors.h"
#include "region_list.h"
#include "stkpath.h"

#include "base/memory.h"
#include "base/output.h"
#include "base/whole_file.h"
#include "path/gcno.h"
#include "path/path_plan.h"
#include "path/regions.h"
#include "probe/llvm_ir.h"
#include "probe/probe_refusal.h"
#include "program/program.h"
#include "report/printer.h"

#include <string.h>

#define REGIONS_BLOCKS_MOST 300		/* looking for them in 1,000 blocks takes seconds */

static bool
is_text(void)
{
	return program_common.format != NULL && strcmp(program_common.format, "text") == 0;
}

/* --- one function, as YAML --- */

static void
add_graph(struct printer *to, struct stk_text file, const struct flow_graph *g)
{
	add_string(&to->text, "function: ");
	add_yaml_text(&to->text, text_from(g->function));
	if (file.size > 0) {
		add_string(&to->text, "\nfile: ");
		add_yaml_text(&to->text, file);
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
			add_yaml_text(&to->text,
				      text_from(g->blocks.at[g->edges.at[g->blocks.at[b].out.at[k]].to].name));
		}
		add_string(&to->text, "]");
		for (size_t k = 0; k < g->blocks.at[b].calls.count; k++) {
			add_string(&to->text, k > 0 ? ", " : ", calls: [");
			add_yaml_text(&to->text, text_from(g->blocks.at[b].calls.at[k]));
		}
		add_string(&to->text, g->blocks.at[b].calls.count > 0 ? "]}\n" : "}\n");
	}
}

static void
note_calls(const struct ir_module *module, const struct ir_function *f, struct flow_graph *g, const uint32_t *numbers)
{
	for (uint32_t b = 0; b < f->blocks.count; b++)
		if (numbers[b] != NO_BLOCK)
			ir_block_note_calls(module, &f->blocks.at[b], g, numbers[b]);
}

static void
add_regions_only(struct printer *to, struct stk_text function, const struct flow_graph *g)
{
	region_list_head(to, is_text());
	region_list_add(to, is_text(), function, g);
}

static int
print_function(struct printer *to, const struct ir_module *module, const struct path_settings *settings,
	       struct stk_error *err)
{
	const char *name = settings->function;
	const struct ir_function *f = ir_module_find(module, text_from(name));
	struct flow_graph *graph;
	uint32_t *numbers;
	int result;

	if (f == NULL)
		return stk_fail(err, STK_EUSAGE, "no function '%s' (without --function all are listed)", name);
	numbers = mem_new(f->blocks.count, sizeof *numbers);
	result = ir_function_graph(f, &graph, numbers, err);
	if (result == 0 && settings->regions) {
		add_regions_only(to, f->name, graph);
	} else if (result == 0) {
		note_calls(module, f, graph, numbers);
		add_graph(to, f->file, graph);
	}
	if (result == 0)
		result = printer_settle(to, true, err);
	flow_graph_free(graph);
	free(numbers);
	return result;
}

/* --- all functions, one per line --- */

struct loops { uint32_t edges, blocks; };	/* that lead back; that are in loops */

static struct loops
count_loops(const struct flow_graph *g)
{
	bool *back = mem_new(g->edges.count + 1, sizeof *back);
	struct loops loops = { 0 };

	flow_graph_back_edges(g, back);
	for (uint32_t e = 0; e < g->edges.count; e++)
		loops.edges += back[e];
	loops.blocks = flow_graph_loop_blocks(g, back);
	free(back);
	return loops;
}

static void
add_list_head(struct printer *to)
{
	if (!is_text())
		add_string(&to->text, "function\tfile\tline\tblocks\tedges\tloops\tnote\tpaths\tlooped\tregions\tlines\tregion\n");
}

/* 0: more than a number of 64 bits has. */
static uint64_t
count_paths(const struct flow_graph *g)
{
	struct stk_error unused = { 0 };
	struct path_plan *plan;
	uint64_t paths;

	if (path_plan_make(&plan, g, PATH_EPP, NULL, 0, &unused) < 0)
		return 0;
	paths = plan->all_paths;
	path_plan_free(plan);
	return paths;
}

static void
add_paths(struct text_buffer *to, const struct flow_graph *g)
{
	uint64_t paths = g != NULL ? count_paths(g) : 0;

	if (paths > 0)
		add_format(to, "%llu", (unsigned long long)paths);
}

struct parts { bool known; size_t count; uint32_t largest; };

/* Parts without loops and with one way in and one way out; of large graphs they are not looked for. */
static struct parts
count_parts(const struct flow_graph *g)
{
	struct regions regions = { 0 };
	struct parts parts = { 0 };

	if (g == NULL || g->blocks.count > REGIONS_BLOCKS_MOST)
		return parts;
	regions_find(&regions, g);
	parts = (struct parts){ .known = true, .count = regions.list.count };
	for (size_t i = 0; i < regions.list.count; i++)
		parts.largest = regions.list.at[i].size > parts.largest ? regions.list.at[i].size : parts.largest;
	regions_release(&regions);
	return parts;
}

struct listed { struct stk_text name, file; uint32_t line, lines; size_t blocks; const char *note; };

/* graph NULL: the note says why there is none. */
static void
add_function(struct printer *to, const struct listed *f, const struct flow_graph *g)
{
	size_t edges = g != NULL ? g->edges.count : 0;
	struct loops loops = g != NULL ? count_loops(g) : (struct loops){ 0 };
	struct parts parts;

	if (is_text()) {
		add_format(&to->text, "%6zu blocks %6zu edges %4u loops  ", f->blocks, edges, loops.edges);
		add_masked(&to->text, f->name);
		add_char(&to->text, ' ');
		add_masked(&to->text, f->file);
		add_format(&to->text, ":%u %s\n", f->line, f->note);
		return;
	}
	add_escaped(&to->text, f->name);
	add_char(&to->text, '\t');
	add_escaped(&to->text, f->file);
	add_format(&to->text, "\t%u\t%zu\t%zu\t%u\t%s\t", f->line, f->blocks, edges, loops.edges, f->note);
	add_paths(&to->text, g);
	add_format(&to->text, "\t%u\t", loops.blocks);
	parts = count_parts(g);
	if (parts.known)
		add_format(&to->text, "%zu", parts.count);
	add_char(&to->text, '\t');
	if (f->lines > 0)
		add_format(&to->text, "%u", f->lines);
	add_char(&to->text, '\t');
	if (parts.known)
		add_format(&to->text, "%u", parts.largest);
	add_char(&to->text, '\n');
}

static int
print_regions(struct printer *to, const struct ir_module *module, struct stk_error *err)
{
	size_t left_out = 0;
	int result = 0;

	region_list_head(to, is_text());
	for (size_t i = 0; i < module->functions.count && result == 0; i++) {
		struct stk_error unused = { 0 };
		struct flow_graph *g;

		if (ir_function_graph(&module->functions.at[i], &g, NULL, &unused) == 0)
			region_list_add(to, is_text(), module->functions.at[i].name, g);
		else
			left_out++;
		flow_graph_free(g);
		result = printer_settle(to, false, err);
	}
	if (left_out > 0)
		program_say("left out: %zu without a graph (the list without --regions has the reasons)", left_out);
	return result < 0 ? -1 : printer_settle(to, true, err);
}

static int
print_list(struct printer *to, const struct ir_module *module, struct stk_error *err)
{
	add_list_head(to);
	for (size_t i = 0; i < module->functions.count; i++) {
		const struct ir_function *f = &module->functions.at[i];
		struct stk_error why = { 0 };
		const char *refused;
		struct flow_graph *g;

		refused = ir_function_graph(f, &g, NULL, &why) < 0 ? why.text : probe_refusal(module, f);
		add_function(to, &(struct listed){ .name = f->name, .file = f->file, .line = f->source_line,
						   .lines = f->source_line > 0 ? f->source_end - f->source_line + 1 : 0,
						   .blocks = g != NULL ? g->blocks.count : f->blocks.count,
						   .note = refused != NULL ? refused : "" }, g);
		flow_graph_free(g);
		if (printer_settle(to, false, err) < 0)
			return -1;
	}
	return printer_settle(to, true, err);
}

/* --- of .gcno --- */

static void
add_gcno_function(struct printer *to, const struct gcno_function *f, bool regions)
{
	if (regions)
		region_list_add(to, is_text(), text_from(f->name), f->graph);
	else
		add_function(to, &(struct listed){ .name = text_from(f->name), .file = text_from(f->file),
						   .line = f->line, .blocks = f->graph->blocks.count, .note = "" },
			     f->graph);
}

static int
print_gcno_list(struct printer *to, const struct gcno *gcno, bool regions, struct stk_error *err)
{
	if (regions)
		region_list_head(to, is_text());
	else
		add_list_head(to);
	for (size_t i = 0; i < gcno->functions.count; i++)
		add_gcno_function(to, &gcno->functions.at[i], regions);
	return printer_settle(to, true, err);
}

static int
print_gcno(struct printer *to, const struct gcno *gcno, const struct path_settings *settings, struct stk_error *err)
{
	if (settings->function == NULL)
		return print_gcno_list(to, gcno, settings->regions, err);
	for (size_t i = 0; i < gcno->functions.count; i++) {
		const struct gcno_function *f = &gcno->functions.at[i];

		if (strcmp(f->name, settings->function) != 0)
			continue;
		if (settings->regions)
			add_regions_only(to, text_from(f->name), f->graph);
		else
			add_graph(to, text_from(f->file), f->graph);
		return printer_settle(to, true, err);
	}
	return stk_fail(err, STK_EUSAGE, "no function '%s' (without --function all are listed)", settings->function);
}

/* --- the command --- */

struct source { struct ir_module *module; struct gcno gcno; };	/* one of them */

static int
print_source(const struct path_settings *settings, const struct source *source, struct stk_error *err)
{
	struct printer to = { 0 };
	struct stk_error late = { 0 };
	int result = output_open(&to.output, program_common.output, err);

	if (result == 0 && source->module == NULL)
		result = print_gcno(&to, &source->gcno, settings, err);
	else if (result == 0 && settings->function != NULL)
		result = print_function(&to, source->module, settings, err);
	else if (result == 0)
		result = settings->regions ? print_regions(&to, source->module, err)
					   : print_list(&to, source->module, err);
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
	struct source source = { 0 };
	struct text_buffer text = { 0 };
	struct stk_error err = { 0 };
	int result;

	if (count != 1)
		program_usage("cfg: expected one file, from clang -S -emit-llvm or gcc --coverage");
	result = whole_file_read(&text, operands[0], PATH_FILE_MOST, &err);
	if (result == 0)
		result = gcno_is(text.at, text.count)
				 ? gcno_read(&source.gcno, operands[0], text.at, text.count, &err)
				 : ir_module_read(&source.module, operands[0], text.at, text.count, &err);
	array_release(&text);
	if (result == 0)
		result = print_source(settings, &source, &err);
	if (result < 0)
		report_error(&err);
	ir_module_free(source.module);
	gcno_release(&source.gcno);
	return program_end();
}
