/* SPDX-License-Identifier: MIT
 * line_coverage: sums of what was come to. Lines of functions of one file are joined, as in what is written for other
 * tools, so that both have the same sums. */
#include "line_coverage.h"

#include "exported_functions.h"

#include "base/memory.h"
#include "program/printing.h"
#include "program/program.h"
#include "report/table.h"

#include <stdlib.h>
#include <string.h>

struct share { size_t taken, all; };

enum { LINES, BRANCHES, BLOCKS, EDGES, MEASURES };
static const char *const measures[MEASURES] = { "lines", "branches", "blocks", "edges" };

struct row {
	struct stk_text function, file;	/* or no function, and a file, folder or owner */
	struct share functions;		/* taken: called */
	struct share of[MEASURES];
	size_t unknown;			/* edges */
};

/* --- sums --- */

static void
add_to_share(struct share *to, struct share what)
{
	to->taken += what.taken;
	to->all += what.all;
}

static void
add_row(struct row *to, const struct row *what)
{
	add_to_share(&to->functions, what->functions);
	for (int m = 0; m < MEASURES; m++)
		add_to_share(&to->of[m], what->of[m]);
	to->unknown += what->unknown;
}

static void
add_blocks_and_edges(struct row *to, const struct exported *f)
{
	const struct flow_graph *g = f->covered->graph;
	struct share blocks;

	exported_blocks(&blocks.all, &blocks.taken, f);
	add_to_share(&to->of[BLOCKS], blocks);
	for (size_t i = 0; i < g->edges.count; i++) {
		bool unknown = f->counts.of_edge[i] == EDGE_NOT_KNOWN;

		add_to_share(&to->of[EDGES], (struct share){ !unknown && f->counts.of_edge[i] > 0, 1 });
		to->unknown += unknown;
	}
	add_to_share(&to->functions, (struct share){ f->covered->calls > 0, 1 });
}

/* Of functions of one file. */
static struct row
row_of(const struct exported *functions, size_t count, bool by_function)
{
	struct row row = { .function = by_function ? functions->function : text_of("", 0), .file = functions->file };
	line_list lines = { 0 };

	for (size_t i = 0; i < count; i++)
		add_blocks_and_edges(&row, &functions[i]);
	exported_lines(&lines, functions, count);
	for (size_t i = 0; i < lines.count; i++) {
		add_to_share(&row.of[LINES], (struct share){ lines.at[i].count > 0, 1 });
		add_to_share(&row.of[BRANCHES], (struct share){ lines.at[i].taken, lines.at[i].branches });
	}
	array_release(&lines);
	return row;
}

static int
compare_files(const void *a, const void *b)
{
	return text_compare(((const struct row *)a)->file, ((const struct row *)b)->file);
}

/* Rows of files become those of folders or owners. How many there are. */
static size_t
sum_files(struct row *rows, size_t count, const char *by, struct file_owners *owners)
{
	size_t sums = 0;

	for (size_t i = 0; i < count; i++)
		rows[i].file = file_group(owners, by, rows[i].file, rows[i].functions.all);
	if (count > 1)
		qsort(rows, count, sizeof *rows, compare_files);
	for (size_t i = 0; i < count; i++) {
		if (sums > 0 && text_equal(rows[sums - 1].file, rows[i].file))
			add_row(&rows[sums - 1], &rows[i]);
		else
			rows[sums++] = rows[i];
	}
	return sums;
}

/* --- output --- */

/* Where most lines are missing comes first. */
static int
compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	size_t p = x->of[LINES].all - x->of[LINES].taken, q = y->of[LINES].all - y->of[LINES].taken;

	if (p != q)
		return p < q ? 1 : -1;
	return text_compare(x->function, y->function) != 0 ? text_compare(x->function, y->function)
							   : text_compare(x->file, y->file);
}

static void
print_table(struct printer *to, const struct row *rows, size_t count, const char *by)
{
	struct table table = { 0 };

	table_column(&table, TABLE_RIGHT, "share");
	for (int m = 0; m < MEASURES; m++) {
		table_column(&table, TABLE_RIGHT, measures[m]);
		table_column(&table, TABLE_RIGHT, "of");
	}
	table_column(&table, by != NULL ? TABLE_RIGHT : TABLE_CUT_FRONT, by != NULL ? "functions" : "function");
	table_column(&table, TABLE_CUT_FRONT, by != NULL ? by : "file");
	for (size_t i = 0; i < count; i++) {
		const struct row *row = &rows[i];

		if (row->of[LINES].all > 0)
			table_format(&table, "%.1f%%", 100.0 * (double)row->of[LINES].taken / (double)row->of[LINES].all);
		else
			table_format(&table, "-");
		for (int m = 0; m < MEASURES; m++) {
			table_format(&table, "%zu", row->of[m].taken);
			table_format(&table, "%zu", row->of[m].all);
		}
		if (by != NULL)
			table_format(&table, "%zu", row->functions.all);
		else
			table_function(&table, row->function);
		table_cell(&table, row->file);
	}
	table_print(&table, to);
	table_release(&table);
}

static void
print_rows(struct text_buffer *to, const struct row *rows, size_t count, const char *by)
{
	add_string(to, by != NULL ? by : "function\tfile");
	add_string(to, by != NULL ? "\tfunctions\tfunctions_called" : "");
	for (int m = 0; m < MEASURES; m++)
		add_format(to, "\t%s\t%s_taken", measures[m], measures[m]);
	add_string(to, "\tedges_unknown\n");
	for (size_t i = 0; i < count; i++) {
		const struct row *row = &rows[i];

		add_escaped(to, by != NULL ? row->file : row->function);
		add_char(to, '\t');
		if (by != NULL)
			add_format(to, "%zu\t%zu", row->functions.all, row->functions.taken);
		else
			add_escaped(to, row->file);
		for (int m = 0; m < MEASURES; m++)
			add_format(to, "\t%zu\t%zu", row->of[m].all, row->of[m].taken);
		add_format(to, "\t%zu\n", row->unknown);
	}
}

static void
tell_sums(const struct row *rows, size_t count)
{
	struct row sum = { 0 };
	const struct share *of = sum.of;

	for (size_t i = 0; i < count; i++)
		add_row(&sum, &rows[i]);
	program_say("%zu of %zu functions were called; %zu of %zu lines, %zu of %zu branches, %zu of %zu blocks and %zu of %zu edges were taken",
		    sum.functions.taken, sum.functions.all, of[LINES].taken, of[LINES].all, of[BRANCHES].taken,
		    of[BRANCHES].all, of[BLOCKS].taken, of[BLOCKS].all, of[EDGES].taken, of[EDGES].all);
	if (sum.unknown > 0)
		program_say("edges of which it cannot be told whether they were taken, and which are not counted as taken: %zu",
			    sum.unknown);
}

/* A row for each function, or for each file, and what these add up to. How many there are. */
static size_t
make_rows(struct row *rows, const struct exported_functions *functions, const char *by, struct file_owners *owners)
{
	const struct exported *all = functions->list.at;
	size_t count = 0, left = functions->list.count, same;

	for (size_t from = 0; left > 0; from += same, left -= same) {
		same = by == NULL ? 1 : exported_of_one_file(&all[from], left);
		rows[count++] = row_of(&all[from], same, by == NULL);
	}
	return by == NULL ? count : sum_files(rows, count, by, owners);
}

bool
line_coverage_suits(const struct covered_functions *covered)
{
	size_t prime = 0, other = 0;

	for (size_t i = 0; i < covered->list.count; i++) {
		prime += covered->list.at[i].prime;
		other += covered->list.at[i].other;
	}
	return prime == 0 && other > 0;
}

int
line_coverage_print(const struct covered_functions *covered, const struct path_settings *settings,
		    struct file_owners *owners, struct printer *to, struct stk_error *err)
{
	struct exported_functions functions = { 0 };
	const char *by = settings->by;
	struct row *rows;
	size_t count;
	int result;

	exported_functions_open(&functions, covered);
	rows = mem_new(functions.list.count + 1, sizeof *rows);
	count = make_rows(rows, &functions, by, owners);
	if (count > 1)
		qsort(rows, count, sizeof *rows, compare_rows);
	if (program_common.format != NULL && strcmp(program_common.format, "text") == 0)
		print_table(to, rows, count, by);
	else
		print_rows(&to->text, rows, count, by);
	result = printer_settle(to, true, err);
	if (result == 0) {
		tell_sums(rows, count);
		exported_functions_tell(&functions);
		covered_functions_tell_without(covered);
		file_owners_tell(owners);
		coverage_judge(settings, 0, 0);		/* which is of prime paths */
	}
	free(rows);
	exported_functions_release(&functions);
	return result;
}
