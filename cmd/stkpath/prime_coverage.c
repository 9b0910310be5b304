/* SPDX-License-Identifier: MIT
 * prime_coverage: stkpath coverage without a plan: all functions whose prime paths a program counted. Their graphs
 * are in the stream. */
#include "coverage_export.h"
#include "covered_functions.h"
#include "file_groups.h"
#include "line_coverage.h"
#include "path_errors.h"
#include "stkpath.h"
#include "untaken_paths.h"

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

struct coverage {
	struct covered_functions functions, earlier;
	struct filter filter;
	const char *base;		/* the file of the earlier counts, which is read first; NULL */
	bool base_ended;
	size_t otherwise;
	struct file_owners owners;	/* with --by owner */
};

struct primes { uint64_t all, taken, added; };	/* of a function; added: taken, and not in the earlier counts */

static int
take_block(void *context, const struct stk_block *block, struct stk_error *err)
{
	struct coverage *c = context;

	c->base_ended |= c->base == NULL || strcmp(c->filter.name, c->base) != 0;
	return covered_functions_take(c->base_ended ? &c->functions : &c->earlier, c->filter.reader, block, err);
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

static void
print_path(struct text_buffer *to, struct stk_text path, uint64_t count)
{
	if (is_text())
		add_format(to, "%12llu  ", (unsigned long long)count);
	add_masked(to, path);
	if (!is_text())
		add_format(to, "\t%llu", (unsigned long long)count);
	add_char(to, '\n');
}

static bool
has_same_graph(const struct covered *a, const struct covered *b)
{
	size_t count = a->graph->edges.count;

	if (count != b->graph->edges.count || a->graph->blocks.count != b->graph->blocks.count)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct flow_edge *x = &a->graph->edges.at[i], *y = &b->graph->edges.at[i];

		if (strcmp(a->graph->blocks.at[x->from].name, b->graph->blocks.at[y->from].name) != 0 ||
		    strcmp(a->graph->blocks.at[x->to].name, b->graph->blocks.at[y->to].name) != 0)
			return false;
	}
	return true;
}

/* The same function in the earlier counts: NULL when it was not there, as one that is new, or of a library that was not
 * loaded. *left_out: why the two cannot be compared. */
static const struct covered *
earlier_of(const struct coverage *c, const struct covered *f, const char **left_out)
{
	size_t at = (size_t)(f - c->functions.list.at);
	uint32_t number = text_table_find(&c->earlier.names, c->functions.names.texts.at[at]);
	const struct covered *before = number > 0 ? &c->earlier.list.at[number - 1] : NULL;

	if (before != NULL && before->left_out != NULL)
		*left_out = before->left_out;
	else if (before != NULL && before->other)
		*left_out = "its prime paths were not counted in what it is to be compared with";
	else if (before != NULL && !has_same_graph(f, before))
		*left_out = "its graph is another one in what it is to be compared with: the program was changed";
	return before;
}

static struct stk_text
file_of(const struct coverage *c, const struct covered *f)
{
	struct stk_text file = c->functions.names.texts.at[f - c->functions.list.at];

	(void)text_take(&file, '\t');
	return file;
}

/* Counts the function's prime paths; with a printer, prints those that were not taken, or, with earlier counts to
 * compare with, those that were added. */
static int
count_prime(const struct coverage *c, const struct covered *f, const struct covered *before, struct primes *primes,
	    struct printer *to, struct stk_error *err)
{
	struct text_buffer name = { 0 };
	struct flow_paths prime = { 0 };
	int result = prime_paths_find(&prime, f->graph, err);
	bool *taken = mem_new(prime.list.count + 1, sizeof *taken);

	*primes = (struct primes){ .all = prime.list.count };
	for (size_t i = 0; i < prime.list.count && result == 0; i++) {
		uint64_t count = count_of(&name, f, &prime.list.at[i]);
		bool added = count > 0 && (before == NULL || tally_of(&before->counts, text_in(&name, 0)) == 0);

		taken[i] = count > 0;
		primes->taken += count > 0;
		primes->added += added;
		if (to == NULL || c->base == NULL || !added)
			continue;
		print_path(&to->text, text_in(&name, 0), count);
		result = printer_settle(to, false, err);
	}
	if (to != NULL && c->base == NULL && result == 0)
		result = untaken_paths_print(to, f->graph, &prime, taken, file_of(c, f), err);
	free(taken);
	flow_paths_release(&prime);
	array_release(&name);
	return result;
}

/* Warns about a function whose coverage is unknown. False: it has no row. */
static bool
look_at(struct coverage *c, const struct covered *f, struct primes *primes, struct printer *to, struct stk_error *err)
{
	const char *left_out = f->left_out;
	const struct covered *before = NULL;
	struct stk_error why = { 0 };

	if (f->other) {
		c->otherwise++;
		return false;
	}
	if (left_out == NULL)
		before = earlier_of(c, f, &left_out);
	if (left_out == NULL && count_prime(c, f, before, primes, to, &why) < 0) {
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

struct row {
	struct stk_text function, file;	/* or no function, and a file, folder or owner */
	size_t functions;
	struct primes primes;
	bool compared;			/* with earlier counts */
};

/* The function with most paths not taken comes first; or that to which most were added. */
static int
compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	uint64_t p = x->compared ? x->primes.added : x->primes.all - x->primes.taken,
		 q = y->compared ? y->primes.added : y->primes.all - y->primes.taken;

	if (p != q)
		return p < q ? 1 : -1;
	return text_compare(x->function, y->function) != 0 ? text_compare(x->function, y->function)
							   : text_compare(x->file, y->file);
}

static int
compare_files(const void *a, const void *b)
{
	return text_compare(((const struct row *)a)->file, ((const struct row *)b)->file);
}

/* One row for each file, folder or owner. How many there are. */
static size_t
sum_rows(struct coverage *c, struct row *rows, size_t count, const char *by)
{
	size_t sums = 0;

	for (size_t i = 0; i < count; i++)
		rows[i].file = file_group(&c->owners, by, rows[i].file, 1);
	qsort(rows, count, sizeof *rows, compare_files);
	for (size_t i = 0; i < count; i++) {
		struct row *last = sums > 0 ? &rows[sums - 1] : NULL;

		if (last == NULL || !text_equal(last->file, rows[i].file)) {
			rows[sums] = rows[i];
			rows[sums++].function = text_of("", 0);
			continue;
		}
		last->functions += rows[i].functions;
		last->primes.all += rows[i].primes.all;
		last->primes.taken += rows[i].primes.taken;
		last->primes.added += rows[i].primes.added;
	}
	return sums;
}

static void
print_table(struct printer *to, const struct row *rows, size_t count, const struct path_settings *settings)
{
	struct table table = { 0 };

	if (settings->base != NULL)
		table_column(&table, TABLE_RIGHT, "added");
	table_column(&table, TABLE_RIGHT, "taken");
	table_column(&table, TABLE_RIGHT, "of");
	table_column(&table, TABLE_RIGHT, "share");
	if (settings->by != NULL)
		table_column(&table, TABLE_RIGHT, "functions");
	else
		table_column(&table, TABLE_CUT_FRONT, "function");
	table_column(&table, TABLE_CUT_FRONT, settings->by != NULL ? settings->by : "file");
	for (size_t i = 0; i < count; i++) {
		const struct primes *p = &rows[i].primes;

		if (settings->base != NULL)
			table_format(&table, "%llu", (unsigned long long)p->added);
		table_format(&table, "%llu", (unsigned long long)p->taken);
		table_format(&table, "%llu", (unsigned long long)p->all);
		table_format(&table, "%.1f%%", 100.0 * (double)p->taken / (double)p->all);
		if (settings->by != NULL)
			table_format(&table, "%zu", rows[i].functions);
		else
			table_function(&table, rows[i].function);
		table_cell(&table, rows[i].file);
	}
	table_print(&table, to);
	table_release(&table);
}

static void
print_rows(struct text_buffer *to, const struct row *rows, size_t count, const struct path_settings *settings)
{
	if (settings->by != NULL)
		add_format(to, "%s\tfunctions\tprime\ttaken", settings->by);
	else
		add_string(to, "function\tfile\tprime\ttaken");
	add_string(to, settings->base != NULL ? "\tadded\n" : "\n");
	for (size_t i = 0; i < count; i++) {
		const struct primes *p = &rows[i].primes;

		add_escaped(to, settings->by != NULL ? rows[i].file : rows[i].function);
		add_char(to, '\t');
		if (settings->by != NULL)
			add_format(to, "%zu", rows[i].functions);
		else
			add_escaped(to, rows[i].file);
		add_format(to, "\t%llu\t%llu", (unsigned long long)p->all, (unsigned long long)p->taken);
		if (settings->base != NULL)
			add_format(to, "\t%llu", (unsigned long long)p->added);
		add_char(to, '\n');
	}
}

static void
tell_sums(const struct coverage *c, const struct primes *sums, size_t count)
{
	if (sums->all == 0)
		return;
	program_say("%llu of %llu prime paths of %zu functions were taken: %.1f %%", (unsigned long long)sums->taken,
		    (unsigned long long)sums->all, count, 100.0 * (double)sums->taken / (double)sums->all);
	if (c->base != NULL)
		program_say("%llu of them were not taken in %s", (unsigned long long)sums->added, c->base);
}

static int
print_functions(struct coverage *c, const struct path_settings *settings, struct printer *to, struct stk_error *err)
{
	struct row *rows = mem_new(c->functions.list.count + 1, sizeof *rows);
	struct primes sums = { 0 };
	size_t count = 0, printed;

	for (size_t i = 0; i < c->functions.list.count && err->code == STK_EOK; i++) {
		struct stk_text file = c->functions.names.texts.at[i], function = text_take(&file, '\t');
		struct primes primes;

		if (!look_at(c, &c->functions.list.at[i], &primes, NULL, err))
			continue;
		rows[count++] = (struct row){ function, file, 1, primes, c->base != NULL };
		sums.all += primes.all;
		sums.taken += primes.taken;
		sums.added += primes.added;
	}
	printed = settings->by != NULL ? sum_rows(c, rows, count, settings->by) : count;
	qsort(rows, printed, sizeof *rows, compare_rows);
	if (is_text())
		print_table(to, rows, printed, settings);
	else
		print_rows(&to->text, rows, printed, settings);
	free(rows);
	tell_otherwise(c);
	if (err->code != STK_EOK || printer_settle(to, true, err) < 0)
		return -1;
	tell_sums(c, &sums, count);
	covered_functions_tell_without(&c->functions);
	file_owners_tell(&c->owners);
	coverage_judge(settings, sums.taken, sums.all);
	return 0;
}

static int
print_paths(struct coverage *c, const struct path_settings *settings, struct printer *to, struct stk_error *err)
{
	struct primes primes;
	struct stk_text reason;
	uint32_t number;

	if (function_choose(&number, &c->functions.names, settings->function, err) < 0)
		return -1;
	if (number == 0 && (reason = covered_functions_reason(&c->functions, text_from(settings->function))).size > 0)
		return stk_fail(err, STK_EUSAGE, "%s has no probes: %.*s", settings->function, (int)reason.size,
				reason.data);
	if (c->base != NULL && !is_text())
		add_string(&to->text, "path\tcount\n");
	if (number == 0 || !look_at(c, &c->functions.list.at[number - 1], &primes, to, err))
		return err->code != STK_EOK ? -1 : stk_fail(err, STK_EUSAGE, "no prime paths of %s were counted",
							    settings->function);
	if (printer_settle(to, true, err) < 0)
		return -1;
	program_say("%llu of %llu prime paths of %s were taken: %.1f %%", (unsigned long long)primes.taken,
		    (unsigned long long)primes.all, settings->function,
		    100.0 * (double)primes.taken / (double)primes.all);
	if (c->base != NULL)
		program_say("%llu of them were not taken in %s", (unsigned long long)primes.added, c->base);
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
	if (settings->function != NULL)
		return print_paths(c, settings, to, err);
	if (c->base == NULL && line_coverage_suits(&c->functions))
		return line_coverage_print(&c->functions, settings, &c->owners, to, err);
	return print_functions(c, settings, to, err);
}

/* What comes first: the earlier counts. */
static char **
with_base(const struct path_settings *settings, char **operands, int count)
{
	char **all = mem_new((size_t)count + 2, sizeof *all);
	int used = 0;

	if (settings->base != NULL)
		all[used++] = (char *)(uintptr_t)settings->base;
	for (int i = 0; i < count; i++) {
		if (settings->base != NULL && strcmp(operands[i], settings->base) == 0)
			program_usage("--base: %s is also what is to be compared with it", operands[i]);
		all[used++] = operands[i];
	}
	if (settings->base != NULL && count == 0)
		all[used++] = (char *)(uintptr_t)"-";
	return all;
}

static int
read_counts(struct coverage *c, struct stk_error *err)
{
	if (filter_each(&c->filter, take_block, c, err) < 0)
		return -1;
	if (c->base != NULL && c->earlier.list.count == 0)
		return stk_fail(err, STK_EUSAGE, "%s: no counts of paths to compare with", c->base);
	covered_functions_seal(&c->functions);
	covered_functions_seal(&c->earlier);
	return 0;
}

int
prime_coverage(const struct path_settings *settings, char **operands, int count)
{
	struct coverage c = { .filter = { .tell_lost = true }, .base = settings->base };
	char **all = with_base(settings, operands, count);
	struct stk_error err = { 0 };
	struct printer printer = { 0 };
	int all_count = settings->base != NULL ? 1 + (count > 0 ? count : 1) : count,
	    result = 0;

	/* before the filter is confined to what it has opened */
	if (settings->owners != NULL)
		result = file_owners_open(&c.owners, settings->owners, settings->root, &err);
	if (result == 0)
		result = filter_open(&c.filter, all, all_count, &err);
	if (result == 0)
		result = read_counts(&c, &err);
	if (result == 0) {
		printer = printer_to(c.filter.output);
		result = print_coverage(&c, settings, &printer, &err);
	}
	report_error(&err);
	printer_release(&printer);
	covered_functions_release(&c.functions);
	covered_functions_release(&c.earlier);
	file_owners_release(&c.owners);
	filter_close(&c.filter, result == 0);
	free(all);
	return program_end();
}
