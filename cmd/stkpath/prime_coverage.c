/* SPDX-License-Identifier: MIT
 * prime_coverage: stkpath coverage without a plan: all functions whose prime paths a program counted. Their graphs
 * are in the stream. */
#include "path_errors.h"
#include "stkpath.h"

#include "base/bytes.h"
#include "base/tally.h"
#include "path/path_plan.h"
#include "path/prime_paths.h"
#include "program/filter.h"
#include "program/printing.h"
#include "program/program.h"
#include "report/function_choice.h"
#include "report/printer.h"
#include "report/table.h"

#include <stdlib.h>

struct covered {
	struct flow_graph *graph;
	struct tally counts;		/* of paths */
	bool called;			/* its calls, which are written with its counts, are in the stream */
	bool otherwise;			/* its prime paths were not counted */
	const char *left_out;		/* why; NULL: it is not */
	uint64_t prime, taken;
};

struct coverage {
	struct filter filter;
	struct text_table names;	/* "function	file" */
	ARRAY(struct covered) functions;
	struct text_buffer scratch;
	size_t otherwise;
};

static struct covered *
function_of(struct coverage *c, struct stk_text function, struct stk_text file)
{
	uint32_t number = text_table_number(&c->names, text_joined(&c->scratch, function, file));

	if (c->functions.count < number)
		*array_push(&c->functions) = (struct covered){ .graph = flow_graph_new(function) };
	return &c->functions.at[number - 1];
}

/* Each time that counts are written, the whole graph comes first again. */
static void
take_edge(struct covered *f, const struct stk_cfg *row)
{
	uint32_t from = flow_graph_add_block(f->graph, row->from), to = flow_graph_add_block(f->graph, row->to);

	if (row->edge == f->graph->edges.count)
		flow_graph_add_edge(f->graph, from, to);
	else if (row->edge > f->graph->edges.count || f->graph->edges.at[row->edge].from != from ||
		 f->graph->edges.at[row->edge].to != to)
		f->left_out = "its graph is not the same everywhere: the program was changed, or edges were lost";
}

static void
take_call(struct covered *f, const struct stk_path_call *row)
{
	f->called = true;
	f->otherwise |= !text_is(row->method, path_method_names[PATH_AC]);
}

static int
take_block(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct coverage *c = context;

	if (block->kind != STK_CFG && block->kind != STK_PATH_COUNT && block->kind != STK_PATH_CALL)
		return 0;
	if (stk_reader_rows(c->filter.reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		struct stk_path_count count;
		struct stk_path_call call;
		struct stk_cfg edge;

		if (block->kind == STK_CFG) {
			stk_reader_row(c->filter.reader, i, &edge);
			take_edge(function_of(c, edge.function, edge.file), &edge);
		} else if (block->kind == STK_PATH_COUNT) {
			stk_reader_row(c->filter.reader, i, &count);
			tally_add(&function_of(c, count.function, count.file)->counts, count.path, count.count);
		} else {
			stk_reader_row(c->filter.reader, i, &call);
			take_call(function_of(c, call.function, call.file), &call);
		}
	}
	return 0;
}

static bool
is_text(void)
{
	return program_common.format != NULL && strcmp(program_common.format, "text") == 0;
}

/* --- counts --- */

static uint64_t
count_of(struct coverage *c, const struct covered *f, const struct flow_path *path)
{
	c->scratch.count = 0;
	for (size_t k = 0; k < path->blocks.count; k++) {
		if (k > 0)
			add_char(&c->scratch, ' ');
		add_string(&c->scratch, f->graph->blocks.at[path->blocks.at[k]].name);
	}
	return tally_of(&f->counts, text_in(&c->scratch, 0));
}

/* Counts the function's prime paths; with a printer, prints those that were not taken. */
static int
count_prime(struct coverage *c, struct covered *f, struct printer *to, struct stk_error *err)
{
	struct flow_paths prime = { 0 };
	uint32_t exit = 0, fault;
	int result = 0;

	for (uint32_t b = 0; b < f->graph->blocks.count; b++)
		if (f->graph->blocks.at[b].out.count == 0)
			exit = b;
	if (f->graph->blocks.count == 0)
		return stk_fail(err, STK_EUSAGE, "the stream does not have its graph");
	if (flow_graph_seal(f->graph, 0, exit, &fault, err) < 0 || prime_paths_find(&prime, f->graph, err) < 0)
		result = -1;
	f->prime = prime.list.count;
	for (size_t i = 0; i < prime.list.count && result == 0; i++) {
		bool taken = count_of(c, f, &prime.list.at[i]) > 0;

		f->taken += taken;
		if (to == NULL || taken)
			continue;
		add_string(&to->text, is_text() ? "           0  " : "");
		add_masked(&to->text, text_in(&c->scratch, 0));
		add_string(&to->text, is_text() ? "\n" : "\t0\n");
		result = printer_settle(to, false, err);
	}
	flow_paths_release(&prime);
	return result;
}

/* Warns about a function whose coverage is unknown. False: it has no row. */
static bool
look_at(struct coverage *c, size_t i, struct printer *to, struct stk_error *err)
{
	struct covered *f = &c->functions.at[i];
	const char *left_out = f->left_out;
	struct stk_error why = { 0 };

	if (f->otherwise) {
		c->otherwise++;
		return false;
	}
	if (left_out == NULL && !f->called)
		left_out = "the stream does not have its calls, so its counts may be lost too";
	if (left_out == NULL && count_prime(c, f, to, &why) < 0) {
		if (why.code != STK_EUSAGE)
			*err = why;
		left_out = why.text;
	}
	if (left_out != NULL)
		program_warn("%s: %s", f->graph->function, left_out);
	return left_out == NULL;
}

static void
tell_otherwise(const struct coverage *c)
{
	if (c->otherwise > 0)
		program_warn(
			"%zu functions are left out: their prime paths were not counted (stkpath instrument --method ac --prime, or STKPATH_METHOD=prime)",
			c->otherwise);
}

/* --- output --- */

struct row { struct stk_text function, file; uint64_t prime, taken; };

/* The function with most paths not taken comes first. */
static int
compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	uint64_t p = x->prime - x->taken, q = y->prime - y->taken;

	if (p != q)
		return p < q ? 1 : -1;
	return text_compare(x->function, y->function) != 0 ? text_compare(x->function, y->function)
							   : text_compare(x->file, y->file);
}

static void
print_table(struct printer *to, const struct row *rows, size_t count)
{
	struct table table = { 0 };

	table_column(&table, TABLE_RIGHT, "taken");
	table_column(&table, TABLE_RIGHT, "of");
	table_column(&table, TABLE_RIGHT, "share");
	table_column(&table, TABLE_CUT_FRONT, "function");
	table_column(&table, TABLE_CUT_FRONT, "file");
	for (size_t i = 0; i < count; i++) {
		table_format(&table, "%llu", (unsigned long long)rows[i].taken);
		table_format(&table, "%llu", (unsigned long long)rows[i].prime);
		table_format(&table, "%.1f%%", 100.0 * (double)rows[i].taken / (double)rows[i].prime);
		table_cell(&table, rows[i].function);
		table_cell(&table, rows[i].file);
	}
	table_print(&table, to);
	table_release(&table);
}

static void
print_rows(struct text_buffer *to, const struct row *rows, size_t count)
{
	add_string(to, "function\tfile\tprime\ttaken\n");
	for (size_t i = 0; i < count; i++) {
		add_escaped(to, rows[i].function);
		add_char(to, '\t');
		add_escaped(to, rows[i].file);
		add_format(to, "\t%llu\t%llu\n", (unsigned long long)rows[i].prime, (unsigned long long)rows[i].taken);
	}
}

static int
print_functions(struct coverage *c, const struct path_settings *settings, struct printer *to, struct stk_error *err)
{
	struct row *rows = mem_new(c->functions.count + 1, sizeof *rows);
	uint64_t prime = 0, taken = 0;
	size_t count = 0;
	int result = 0;

	for (size_t i = 0; i < c->functions.count && err->code == STK_EOK; i++) {
		const struct covered *f = &c->functions.at[i];
		struct stk_text file = c->names.texts.at[i], function = text_take(&file, '\t');

		if (!look_at(c, i, NULL, err))
			continue;
		rows[count++] = (struct row){ function, file, f->prime, f->taken };
		prime += f->prime;
		taken += f->taken;
	}
	qsort(rows, count, sizeof *rows, compare_rows);
	if (is_text())
		print_table(to, rows, count);
	else
		print_rows(&to->text, rows, count);
	free(rows);
	tell_otherwise(c);
	if (err->code != STK_EOK || printer_settle(to, true, err) < 0)
		result = -1;
	else if (prime > 0)
		program_say("%llu of %llu prime paths of %zu functions were taken: %.1f %%", (unsigned long long)taken,
			    (unsigned long long)prime, count, 100.0 * (double)taken / (double)prime);
	if (result == 0)
		coverage_judge(settings, taken, prime);
	return result;
}

static int
print_untaken(struct coverage *c, const struct path_settings *settings, struct printer *to, struct stk_error *err)
{
	const struct covered *f;
	uint32_t number;

	if (function_choose(&number, &c->names, settings->function, err) < 0)
		return -1;
	add_string(&to->text, is_text() ? "" : "path\tcount\n");
	if (number == 0 || !look_at(c, number - 1, to, err))
		return err->code != STK_EOK ? -1 : stk_fail(err, STK_EUSAGE, "no prime paths of %s were counted",
							    settings->function);
	if (printer_settle(to, true, err) < 0)
		return -1;
	f = &c->functions.at[number - 1];
	program_say("%llu of %llu prime paths of %s were taken: %.1f %%", (unsigned long long)f->taken,
		    (unsigned long long)f->prime, settings->function, 100.0 * (double)f->taken / (double)f->prime);
	coverage_judge(settings, f->taken, f->prime);
	return 0;
}

int
prime_coverage(const struct path_settings *settings, char **operands, int count)
{
	struct coverage c = { .filter = { .tell_lost = true } };
	struct stk_error err = { 0 };
	struct printer printer = { 0 };
	int result = filter_open(&c.filter, operands, count, &err);

	if (result == 0)
		result = filter_each(&c.filter, take_block, &c, &err);
	if (result == 0) {
		printer = printer_to(c.filter.output);
		result = settings->function != NULL ? print_untaken(&c, settings, &printer, &err)
						    : print_functions(&c, settings, &printer, &err);
	}
	report_error(&err);
	printer_release(&printer);
	for (size_t i = 0; i < c.functions.count; i++) {
		flow_graph_free(c.functions.at[i].graph);
		tally_release(&c.functions.at[i].counts);
	}
	array_release(&c.functions);
	text_table_release(&c.names);
	array_release(&c.scratch);
	filter_close(&c.filter, result == 0);
	return program_end();
}
