/* SPDX-License-Identifier: MIT
 * suggest_functions: stkpath suggest. A stack profile ends at the top function; a path profile shows more of it.
 * Functions are ranked by the counts of classes, if the stream has the classes of stkclass, else by samples. */
#include "path_errors.h"
#include "stkpath.h"

#include "base/bytes.h"
#include "base/id_table.h"
#include "base/output.h"
#include "base/tally.h"
#include "base/whole_file.h"
#include "model/model.h"
#include "probe/llvm_ir.h"
#include "program/filter.h"
#include "program/lost_ids.h"
#include "program/printing.h"
#include "program/program.h"
#include "report/printer.h"
#include "report/table.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN 20

struct suggesting {
	const struct path_settings *settings;
	struct filter filter;
	struct model *model;
	struct id_table stack_of_class;		/* one of its stacks, by the class's number */
	struct tally by_classes, by_samples;	/* "function	file" of the top frame */
	struct text_buffer scratch;
	struct ir_module *module;		/* --cfg FILE.ll: only its functions; NULL */
};

static void
count_leaf(struct suggesting *s, struct tally *to, uint64_t stack, uint64_t count)
{
	struct stk_frame frame =
		model_frame(s->model, model_stack(s->model, model_id(s->model, STK_STACK, stack)).frame);

	if (stack == 0 || frame.function == 0 || count == 0)
		return;
	tally_add(to,
		  text_joined(&s->scratch, model_string(s->model, frame.function), model_string(s->model, frame.file)),
		  count);
}

static void
take_row(struct suggesting *s, unsigned kind, const void *row)
{
	const struct stk_sample *sample = row;
	const struct stk_class_of_stack *of = row;
	const struct stk_intensity *intensity = row;
	const uint64_t *stack;

	if (kind == STK_SAMPLE) {
		count_leaf(s, &s->by_samples, sample->stack, sample->weight);
	} else if (kind == STK_CLASS_OF_STACK) {
		*(uint64_t *)id_table_at(&s->stack_of_class, of->class) = of->stack;
	} else if (kind == STK_INTENSITY && intensity->series == STK_SERIES_CLASS) {
		stack = id_table_find(&s->stack_of_class, intensity->id);
		if (stack != NULL)
			count_leaf(s, &s->by_classes, *stack, intensity->count);
	}
}

static int
take_block(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct suggesting *s = context;
	static uint64_t row[STK_COLUMN_MAX * 2];

	if (model_take(s->model, s->filter.reader, block, err) < 0)
		return -1;
	if (block->kind == STK_HEAD)
		id_table_clear(&s->stack_of_class);
	if (block->kind != STK_SAMPLE && block->kind != STK_CLASS_OF_STACK && block->kind != STK_INTENSITY)
		return 0;
	if (stk_reader_rows(s->filter.reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		stk_reader_row(s->filter.reader, i, row);
		take_row(s, block->kind, row);
	}
	return 0;
}

/* --- output --- */

struct suggestion { struct stk_text function, file; uint64_t count; size_t blocks, order; };

/* Functions without a branch have one path; those of another module are unknown. */
static bool
look_at(const struct suggesting *s, struct suggestion *to)
{
	const struct ir_function *f;
	struct stk_error err = { 0 };
	struct flow_graph *graph;
	bool branches = false;

	if (s->module == NULL)
		return true;
	f = ir_module_find(s->module, to->function);
	if (f == NULL || ir_function_graph(f, &graph, NULL, &err) < 0)
		return false;
	to->blocks = graph->blocks.count;
	for (uint32_t b = 0; b < graph->blocks.count; b++)
		branches |= graph->blocks.at[b].out.count > 1;
	flow_graph_free(graph);
	return branches;
}

static int
compare_suggestions(const void *a, const void *b)
{
	const struct suggestion *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count ? 1 : -1) : x->order < y->order ? -1 : 1;
}

static void
print_suggestions(const struct suggesting *s, struct printer *printer)
{
	struct text_buffer *to = &printer->text;
	const struct tally *tally = s->by_classes.counts.count > 0 ? &s->by_classes : &s->by_samples;
	struct suggestion *list = mem_new(tally->counts.count + 1, sizeof *list);
	bool text = program_common.format != NULL && strcmp(program_common.format, "text") == 0;
	struct table table = { 0 };
	uint64_t all = 0;
	size_t count = 0;

	for (size_t i = 0; i < tally->counts.count; i++) {
		struct stk_text file = tally->texts.texts.at[i], function = text_take(&file, '\t');
		struct suggestion *at = &list[count];

		all += tally->counts.at[i];
		*at = (struct suggestion){
			.function = function, .file = file, .count = tally->counts.at[i], .order = i
		};
		count += look_at(s, at);
	}
	qsort(list, count, sizeof *list, compare_suggestions);
	if (!text)
		add_string(to, s->module != NULL ? "function\tfile\tcount\tshare\tblocks\n"
						 : "function\tfile\tcount\tshare\n");
	table_column(&table, TABLE_RIGHT, "count");
	table_column(&table, TABLE_RIGHT, "share");
	table_column(&table, TABLE_CUT_FRONT, "function");
	table_column(&table, TABLE_CUT_FRONT, "file");
	for (size_t i = 0; i < count && i < SHOWN; i++) {
		if (text) {
			table_format(&table, "%llu", (unsigned long long)list[i].count);
			table_format(&table, "%.1f%%", 100.0 * (double)list[i].count / (double)all);
			table_function(&table, list[i].function);
			table_cell(&table, list[i].file);
			continue;
		}
		add_escaped(to, list[i].function);
		add_char(to, '\t');
		add_escaped(to, list[i].file);
		add_format(to, "\t%llu\t%.4f", (unsigned long long)list[i].count, (double)list[i].count / (double)all);
		if (s->module != NULL)
			add_format(to, "\t%zu", list[i].blocks);
		add_char(to, '\n');
	}
	if (text)
		table_print(&table, printer);
	table_release(&table);
	free(list);
}

static int
read_module(struct suggesting *s, struct stk_error *err)
{
	struct text_buffer text = { 0 };
	int result = 0;

	if (s->settings->cfg != NULL)
		result = whole_file_read(&text, s->settings->cfg, PATH_FILE_MOST, err);
	if (result == 0 && s->settings->cfg != NULL)
		result = ir_module_read(&s->module, s->settings->cfg, text.at, text.count, err);
	array_release(&text);
	return result;
}

int
suggest_functions(const struct path_settings *settings, char **operands, int count)
{
	struct suggesting s = { .settings = settings, .stack_of_class = { .size = sizeof(uint64_t) } };
	struct stk_error err = { 0 };
	struct printer printer = { 0 };
	int result = filter_open(&s.filter, operands, count, &err);

	if (result == 0)
		result = read_module(&s, &err);
	if (result == 0 && model_open(&s.model) == 0)
		result = filter_each(&s.filter, take_block, &s, &err);
	if (result == 0) {
		report_lost_ids(s.model);
		printer = printer_to(s.filter.output);
		print_suggestions(&s, &printer);
		result = printer_settle(&printer, true, &err);
	}
	report_error(&err);
	printer_release(&printer);
	tally_release(&s.by_classes);
	tally_release(&s.by_samples);
	id_table_clear(&s.stack_of_class);
	array_release(&s.scratch);
	ir_module_free(s.module);
	model_close(s.model);
	filter_close(&s.filter, result == 0);
	return program_end();
}
