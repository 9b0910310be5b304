/* SPDX-License-Identifier: MIT
 * coverage_export: functions, lines and branches for other tools: the format of lcov, and JSON. */
#include "coverage_export.h"

#include "cobertura.h"
#include "exported_functions.h"

#include "base/bytes.h"

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
	uint32_t line = line_of_block(block);

	if (block->out.count < 2 || line == 0)
		return;
	for (size_t k = 0; k < block->out.count; k++) {
		uint64_t taken;
		bool known = exported_way(&taken, f, number, k);

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
lcov_file(struct printer *printer, const struct exported *functions, size_t count, struct stk_error *err)
{
	struct text_buffer *to = &printer->text;
	struct branches sums = { 0 };
	line_list lines = { 0 };
	size_t hit = 0;

	add_string(to, "TN:\nSF:");
	add_masked(to, functions[0].file);
	add_char(to, '\n');
	lcov_functions(to, functions, count);
	for (size_t i = 0; i < count; i++)
		for (uint32_t b = 0; b < functions[i].covered->graph->blocks.count; b++)
			lcov_block(to, &functions[i], b, &sums);
	add_format(to, "BRF:%zu\nBRH:%zu\n", sums.found, sums.taken);
	exported_lines(&lines, functions, count);
	for (size_t i = 0; i < lines.count; i++) {
		add_format(to, "DA:%u,%llu\n", lines.at[i].number, (unsigned long long)lines.at[i].count);
		hit += lines.at[i].count > 0;
	}
	add_format(to, "LF:%zu\nLH:%zu\nend_of_record\n", lines.count, hit);
	array_release(&lines);
	return printer_settle(printer, false, err);
}

/* --- JSON --- */

static void
json_function(struct text_buffer *to, const struct exported *f)
{
	const struct flow_graph *g = f->covered->graph;
	size_t blocks, reached, edges = 0, unknown = 0;

	exported_blocks(&blocks, &reached, f);
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
		   blocks, reached, g->edges.count, edges, unknown);
}

static int
json_file(struct printer *printer, const struct exported *functions, size_t count, struct stk_error *err)
{
	struct text_buffer *to = &printer->text;
	line_list lines = { 0 };

	add_string(to, "{\"file\":");
	add_json_text(to, functions[0].file);
	add_string(to, ",\"functions\":[");
	for (size_t i = 0; i < count; i++) {
		add_string(to, i > 0 ? ",\n" : "\n");
		json_function(to, &functions[i]);
	}
	add_string(to, "],\n\"lines\":[");
	exported_lines(&lines, functions, count);
	for (size_t i = 0; i < lines.count; i++)
		add_format(to, "%s{\"line\":%u,\"count\":%llu}", i > 0 ? "," : "", lines.at[i].number,
			   (unsigned long long)lines.at[i].count);
	add_string(to, "]}");
	array_release(&lines);
	return printer_settle(printer, false, err);
}

/* --- all --- */

static int
write_files(struct printer *to, const struct exported_functions *functions, enum coverage_format format,
	    struct stk_error *err)
{
	const struct exported *all = functions->list.at;
	size_t from = 0, left = functions->list.count, same;
	int result = 0;

	if (format == COVERAGE_COBERTURA)
		return cobertura_write(to, functions, err);
	add_string(&to->text, format == COVERAGE_JSON ? "{\"files\":[" : "");
	for (; left > 0 && result == 0; from += same, left -= same) {
		same = exported_of_one_file(&all[from], left);
		if (format == COVERAGE_JSON)
			add_string(&to->text, from > 0 ? ",\n" : "\n");
		result = (format == COVERAGE_JSON ? json_file : lcov_file)(to, &all[from], same, err);
	}
	add_string(&to->text, format == COVERAGE_JSON ? "]}\n" : "");
	return result == 0 ? printer_settle(to, true, err) : -1;
}

int
coverage_export(const struct covered_functions *covered, enum coverage_format format, struct printer *to,
		struct stk_error *err)
{
	struct exported_functions functions = { 0 };
	int result;

	exported_functions_open(&functions, covered);
	result = write_files(to, &functions, format, err);
	if (result == 0) {
		exported_functions_tell(&functions);
		covered_functions_tell_without(covered);
	}
	exported_functions_release(&functions);
	return result;
}
