/* SPDX-License-Identifier: MIT
 * coverage_export: counts of paths become those of blocks and edges; a block's line is that at which it begins. */
#include "coverage_export.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "path/block_counts.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

struct line { uint32_t number; uint64_t count; };
typedef ARRAY(struct line) line_list;

struct exported {			/* a function */
	struct stk_text function, file;
	const struct covered *covered;
	struct block_counts counts;
	uint32_t line;			/* of its first block; 0: not known */
};

struct export {
	ARRAY(struct exported) functions;
	size_t prime, chosen;		/* left out: paths overlap; only some paths were counted */
	uint64_t unfinished, foreign;	/* calls; counts of paths that the graph does not have */
	struct printer *to;
};

/* --- counts --- */

/* "while.body@14": 14; 0 */
static uint32_t
line_of(const struct flow_block *block)
{
	const char *at = strrchr(block->name, '@');
	unsigned long line = at != NULL ? strtoul(at + 1, NULL, 10) : 0;

	return line <= INT32_MAX ? (uint32_t)line : 0;
}

static void
add_function(struct export *e, const struct covered *f, struct stk_text function, struct stk_text file)
{
	struct exported *added = array_push(&e->functions);

	*added = (struct exported){ .function = function, .file = file, .covered = f };
	added->line = line_of(&f->graph->blocks.at[f->graph->first]);
	block_counts_open(&added->counts, f->graph);
	for (size_t i = 0; i < f->counts.counts.count; i++)
		if (!block_counts_add(&added->counts, f->counts.texts.texts.at[i], f->counts.counts.at[i]))
			e->foreign += f->counts.counts.at[i];
	block_counts_settle(&added->counts);
	e->unfinished += f->unfinished > 0 ? (uint64_t)f->unfinished : 0;
}

static int
compare_functions(const void *a, const void *b)
{
	const struct exported *x = a, *y = b;
	int order = text_compare(x->file, y->file);

	if (order != 0)
		return order;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return text_compare(x->function, y->function);
}

static void
gather(struct export *e, const struct covered_functions *functions)
{
	for (size_t i = 0; i < functions->list.count; i++) {
		const struct covered *f = &functions->list.at[i];
		struct stk_text file = functions->names.texts.at[i], function = text_take(&file, '\t');

		if (f->left_out != NULL)
			program_warn("%s: %s", f->graph->function, f->left_out);
		else if (f->prime)
			e->prime++;
		else if (f->others > 0)
			e->chosen++;
		else
			add_function(e, f, function, file);
	}
	if (e->functions.count > 1)
		qsort(e->functions.at, e->functions.count, sizeof *e->functions.at, compare_functions);
}

static int
compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->count != y->count ? (x->count < y->count ? -1 : 1) : 0;
}

/* Equal numbers become one line: with the largest count of a function's blocks, or the sum over functions. */
static void
merge_lines(line_list *lines, bool sum)
{
	size_t kept = 0;

	if (lines->count > 1)
		qsort(lines->at, lines->count, sizeof *lines->at, compare_lines);
	for (size_t i = 0; i < lines->count; i++) {
		bool again = kept > 0 && lines->at[kept - 1].number == lines->at[i].number;

		if (again && sum)
			lines->at[kept - 1].count += lines->at[i].count;
		else if (again)
			lines->at[kept - 1].count = lines->at[i].count;
		else
			lines->at[kept++] = lines->at[i];
	}
	lines->count = kept;
}

static void
add_lines(line_list *to, const struct exported *f)
{
	line_list own = { 0 };

	for (uint32_t b = 0; b < f->covered->graph->blocks.count; b++) {
		uint32_t line = line_of(&f->covered->graph->blocks.at[b]);

		if (line > 0)
			*array_push(&own) = (struct line){ line, f->counts.of_block[b] };
	}
	merge_lines(&own, false);
	for (size_t i = 0; i < own.count; i++)
		*array_push(to) = own.at[i];
	array_release(&own);
}

/* --- lcov: the format of lcov(1), geninfo's tracefile --- */

static void
lcov_functions(struct text_buffer *to, const struct exported *functions, size_t count)
{
	size_t called = 0;

	for (size_t i = 0; i < count; i++) {
		add_format(to, "FN:%u,", functions[i].line);
		add_masked(to, functions[i].function);
		add_char(to, '\n');
	}
	for (size_t i = 0; i < count; i++) {
		add_format(to, "FNDA:%llu,", (unsigned long long)functions[i].covered->calls);
		add_masked(to, functions[i].function);
		add_char(to, '\n');
		called += functions[i].covered->calls > 0;
	}
	add_format(to, "FNF:%zu\nFNH:%zu\n", count, called);
}

struct branches { size_t found, taken, number; };

/* A way out of a block that has several: how often it was taken, "-" where the block was never reached or this is not
 * known. */
static void
lcov_block(struct text_buffer *to, const struct exported *f, uint32_t number, struct branches *sums)
{
	const struct flow_block *block = &f->covered->graph->blocks.at[number];
	uint32_t line = line_of(block);

	if (block->out.count < 2 || line == 0)
		return;
	for (size_t k = 0; k < block->out.count; k++) {
		uint64_t taken = f->counts.of_edge[block->out.at[k]];
		bool known = f->counts.of_block[number] > 0 && taken != EDGE_NOT_KNOWN;

		add_format(to, "BRDA:%u,%zu,%zu,", line, sums->number, k);
		if (known)
			add_format(to, "%llu\n", (unsigned long long)taken);
		else
			add_string(to, "-\n");
		sums->found++;
		sums->taken += known && taken > 0;
	}
	sums->number++;
}

static int
lcov_file(struct export *e, const struct exported *functions, size_t count, struct stk_error *err)
{
	struct text_buffer *to = &e->to->text;
	struct branches sums = { 0 };
	line_list lines = { 0 };
	size_t hit = 0;

	add_string(to, "TN:\nSF:");
	add_masked(to, functions[0].file);
	add_char(to, '\n');
	lcov_functions(to, functions, count);
	for (size_t i = 0; i < count; i++) {
		for (uint32_t b = 0; b < functions[i].covered->graph->blocks.count; b++)
			lcov_block(to, &functions[i], b, &sums);
		add_lines(&lines, &functions[i]);
	}
	add_format(to, "BRF:%zu\nBRH:%zu\n", sums.found, sums.taken);
	merge_lines(&lines, true);
	for (size_t i = 0; i < lines.count; i++) {
		add_format(to, "DA:%u,%llu\n", lines.at[i].number, (unsigned long long)lines.at[i].count);
		hit += lines.at[i].count > 0;
	}
	add_format(to, "LF:%zu\nLH:%zu\nend_of_record\n", lines.count, hit);
	array_release(&lines);
	return printer_settle(e->to, false, err);
}

/* --- JSON --- */

static void
json_function(struct text_buffer *to, const struct exported *f)
{
	const struct flow_graph *g = f->covered->graph;
	size_t blocks = 0, edges = 0, unknown = 0;

	for (uint32_t b = 0; b < g->blocks.count; b++)
		blocks += f->counts.of_block[b] > 0;
	for (size_t i = 0; i < g->edges.count; i++) {
		unknown += f->counts.of_edge[i] == EDGE_NOT_KNOWN;
		edges += f->counts.of_edge[i] > 0 && f->counts.of_edge[i] != EDGE_NOT_KNOWN;
	}
	add_string(to, "{\"name\":");
	add_json_text(to, f->function);
	add_format(to, ",\"line\":%u,\"calls\":%llu,\"unfinished\":%lld,\"paths\":%zu", f->line,
		   (unsigned long long)f->covered->calls, (long long)f->covered->unfinished,
		   f->covered->counts.counts.count);
	add_format(to, ",\"blocks\":%zu,\"blocks_taken\":%zu,\"edges\":%zu,\"edges_taken\":%zu,\"edges_unknown\":%zu}",
		   g->blocks.count, blocks, g->edges.count, edges, unknown);
}

static int
json_file(struct export *e, const struct exported *functions, size_t count, struct stk_error *err)
{
	struct text_buffer *to = &e->to->text;
	line_list lines = { 0 };

	add_string(to, "{\"file\":");
	add_json_text(to, functions[0].file);
	add_string(to, ",\"functions\":[");
	for (size_t i = 0; i < count; i++) {
		add_string(to, i > 0 ? ",\n" : "\n");
		json_function(to, &functions[i]);
		add_lines(&lines, &functions[i]);
	}
	add_string(to, "],\n\"lines\":[");
	merge_lines(&lines, true);
	for (size_t i = 0; i < lines.count; i++)
		add_format(to, "%s{\"line\":%u,\"count\":%llu}", i > 0 ? "," : "", lines.at[i].number,
			   (unsigned long long)lines.at[i].count);
	add_string(to, "]}");
	array_release(&lines);
	return printer_settle(e->to, false, err);
}

/* --- both --- */

static int
write_files(struct export *e, enum coverage_format format, struct stk_error *err)
{
	const struct exported *all = e->functions.at;
	size_t from = 0, to;
	int result = 0;

	add_string(&e->to->text, format == COVERAGE_JSON ? "{\"files\":[" : "");
	for (; from < e->functions.count && result == 0; from = to) {
		for (to = from + 1; to < e->functions.count && text_equal(all[to].file, all[from].file); to++)
			;
		if (format == COVERAGE_JSON)
			add_string(&e->to->text, from > 0 ? ",\n" : "\n");
		result = (format == COVERAGE_JSON ? json_file : lcov_file)(e, &all[from], to - from, err);
	}
	add_string(&e->to->text, format == COVERAGE_JSON ? "]}\n" : "");
	return result == 0 ? printer_settle(e->to, true, err) : -1;
}

static void
tell(const struct export *e)
{
	if (e->prime > 0)
		program_warn(
			"left out: %zu functions whose prime paths were counted: these overlap, so that lines cannot be counted from them (count all paths, as stkpath-cc does by default)",
			e->prime);
	if (e->chosen > 0)
		program_warn("left out: %zu functions of which only paths of interest were counted, not all", e->chosen);
	if (e->foreign > 0)
		program_warn("left out: counts of paths that the graph does not have: %llu",
			     (unsigned long long)e->foreign);
	if (e->unfinished > 0)
		program_say("calls that did not end, whose lines are not counted: %llu",
			    (unsigned long long)e->unfinished);
}

int
coverage_export(const struct covered_functions *functions, enum coverage_format format, struct printer *to,
		struct stk_error *err)
{
	struct export e = { .to = to };
	int result;

	gather(&e, functions);
	result = write_files(&e, format, err);
	if (result == 0)
		tell(&e);
	for (size_t i = 0; i < e.functions.count; i++)
		block_counts_release(&e.functions.at[i].counts);
	array_release(&e.functions);
	return result;
}
