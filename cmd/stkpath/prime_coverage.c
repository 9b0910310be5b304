/* SPDX-License-Identifier: MIT
 * prime_coverage: stkpath coverage without a plan: all functions whose prime paths a program counted. Their graphs
 * are in the stream. */
#include "coverage_export.h"
#include "covered_functions.h"
#include "path_errors.h"
#include "stkpath.h"

#include "base/bytes.h"
#include "path/prime_paths.h"
#include "program/filter.h"
#include "program/printing.h"
#include "program/program.h"
#include "report/function_choice.h"
#include "report/printer.h"
#include "report/table.h"

#include <stdlib.h>
#include <string.h>

struct coverage { struct covered_functions functions; struct filter filter; size_t otherwise; };

struct primes { uint64_t all, taken; };		/* of a function */

static int
take_block(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct coverage *c = context;

	return covered_functions_take(&c->functions, c->filter.reader, block, err);
}

static bool
is_text(void)
{
	return program_common.format != NULL && strcmp(program_common.format, "text") == 0;
}

/* --- counts --- */

static uint64_t
count_of(struct text_buffer *name, const struct covered *f, const struct flow_path *path)
{
	name->count = 0;
	for (size_t k = 0; k < path->blocks.count; k++) {
		if (k > 0)
			add_char(name, ' ');
		add_string(name, f->graph->blocks.at[path->blocks.at[k]].name);
	}
	return tally_of(&f->counts, text_in(name, 0));
}

/* Counts the function's prime paths; with a printer, prints those that were not taken. */
static int
count_prime(const struct covered *f, struct primes *primes, struct printer *to, struct stk_error *err)
{
	struct text_buffer name = { 0 };
	struct flow_paths prime = { 0 };
	int result = prime_paths_find(&prime, f->graph, err);

	*primes = (struct primes){ .all = prime.list.count };
	for (size_t i = 0; i < prime.list.count && result == 0; i++) {
		bool taken = count_of(&name, f, &prime.list.at[i]) > 0;

		primes->taken += taken;
		if (to == NULL || taken)
			continue;
		add_string(&to->text, is_text() ? "           0  " : "");
		add_masked(&to->text, text_in(&name, 0));
		add_string(&to->text, is_text() ? "\n" : "\t0\n");
		result = printer_settle(to, false, err);
	}
	flow_paths_release(&prime);
	array_release(&name);
	return result;
}

/* Warns about a function whose coverage is unknown. False: it has no row. */
static bool
look_at(struct coverage *c, const struct covered *f, struct primes *primes, struct printer *to, struct stk_error *err)
{
	const char *left_out = f->left_out;
	struct stk_error why = { 0 };

	if (f->other) {
		c->otherwise++;
		return false;
	}
	if (left_out == NULL && count_prime(f, primes, to, &why) < 0) {
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
	struct row *rows = mem_new(c->functions.list.count + 1, sizeof *rows);
	uint64_t prime = 0, taken = 0;
	size_t count = 0;
	int result = 0;

	for (size_t i = 0; i < c->functions.list.count && err->code == STK_EOK; i++) {
		struct stk_text file = c->functions.names.texts.at[i], function = text_take(&file, '\t');
		struct primes primes;

		if (!look_at(c, &c->functions.list.at[i], &primes, NULL, err))
			continue;
		rows[count++] = (struct row){ function, file, primes.all, primes.taken };
		prime += primes.all;
		taken += primes.taken;
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
	struct primes primes;
	uint32_t number;

	if (function_choose(&number, &c->functions.names, settings->function, err) < 0)
		return -1;
	add_string(&to->text, is_text() ? "" : "path\tcount\n");
	if (number == 0 || !look_at(c, &c->functions.list.at[number - 1], &primes, to, err))
		return err->code != STK_EOK ? -1 : stk_fail(err, STK_EUSAGE, "no prime paths of %s were counted",
							    settings->function);
	if (printer_settle(to, true, err) < 0)
		return -1;
	program_say("%llu of %llu prime paths of %s were taken: %.1f %%", (unsigned long long)primes.taken,
		    (unsigned long long)primes.all, settings->function,
		    100.0 * (double)primes.taken / (double)primes.all);
	coverage_judge(settings, primes.taken, primes.all);
	return 0;
}

static int
print_coverage(struct coverage *c, const struct path_settings *settings, struct printer *to, struct stk_error *err)
{
	static const char *const exports[] = {
		[COVERAGE_LCOV] = "lcov", [COVERAGE_COBERTURA] = "cobertura", [COVERAGE_JSON] = "json"
	};
	const char *format = program_common.format;

	for (size_t i = 0; i < sizeof exports / sizeof *exports && format != NULL; i++)
		if (strcmp(format, exports[i]) == 0)
			return coverage_export(&c->functions, (enum coverage_format)i, to, err);
	return settings->function != NULL ? print_untaken(c, settings, to, err) : print_functions(c, settings, to, err);
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
		covered_functions_seal(&c.functions);
		printer = printer_to(c.filter.output);
		result = print_coverage(&c, settings, &printer, &err);
	}
	report_error(&err);
	printer_release(&printer);
	covered_functions_release(&c.functions);
	filter_close(&c.filter, result == 0);
	return program_end();
}
