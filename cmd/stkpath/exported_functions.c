/* SPDX-License-Identifier: MIT
 * exported_functions: counts of paths become those of blocks and edges, and these those of lines. */
#include "exported_functions.h"

#include "base/bytes.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

/* --- functions --- */

uint32_t
line_of_block(const struct flow_block *block)
{
	const char *at = strrchr(block->name, '@');
	unsigned long line = at != NULL ? strtoul(at + 1, NULL, 10) : 0;

	return line <= INT32_MAX ? (uint32_t)line : 0;
}

static void
add_function(struct exported_functions *e, const struct covered *f, struct stk_text function, struct stk_text file)
{
	struct exported *added = array_push(&e->list);

	*added = (struct exported){ .function = function, .file = file, .covered = f };
	added->line = line_of_block(&f->graph->blocks.at[f->graph->first]);
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

void
exported_functions_open(struct exported_functions *e, const struct covered_functions *covered)
{
	e->latest_ns = covered->latest_ns;
	for (size_t i = 0; i < covered->list.count; i++) {
		const struct covered *f = &covered->list.at[i];
		struct stk_text file = covered->names.texts.at[i], function = text_take(&file, '\t');

		if (f->left_out != NULL)
			program_warn("%s: %s", f->graph->function, f->left_out);
		else if (f->prime)
			e->prime++;
		else if (f->others > 0)
			e->chosen++;
		else
			add_function(e, f, function, file);
	}
	if (e->list.count > 1)
		qsort(e->list.at, e->list.count, sizeof *e->list.at, compare_functions);
}

void
exported_functions_release(struct exported_functions *functions)
{
	for (size_t i = 0; i < functions->list.count; i++)
		block_counts_release(&functions->list.at[i].counts);
	array_release(&functions->list);
}

void
exported_functions_tell(const struct exported_functions *e)
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

size_t
exported_of_one_file(const struct exported *functions, size_t count)
{
	size_t same = 1;

	while (same < count && text_equal(functions[same].file, functions[0].file))
		same++;
	return same;
}

/* --- lines --- */

static int
compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->count != y->count ? (x->count < y->count ? -1 : 1) : 0;
}

/* Equal numbers become one line: with the largest count of a function's blocks, or the sum over functions. Branches add
 * up. */
static void
merge_lines(line_list *lines, bool sum)
{
	size_t kept = 0;

	if (lines->count > 1)
		qsort(lines->at, lines->count, sizeof *lines->at, compare_lines);
	for (size_t i = 0; i < lines->count; i++) {
		struct line *last = kept > 0 ? &lines->at[kept - 1] : NULL, line = lines->at[i];

		if (last == NULL || last->number != line.number) {
			lines->at[kept++] = line;
			continue;
		}
		last->count = sum ? last->count + line.count : line.count;
		last->branches += line.branches;
		last->taken += line.taken;
	}
	lines->count = kept;
}

void
exported_blocks(size_t *all, size_t *reached, const struct exported *f)
{
	const struct flow_graph *g = f->covered->graph;

	*all = *reached = 0;
	for (uint32_t b = 0; b < g->blocks.count; b++) {
		bool code = strcmp(g->blocks.at[b].name, "(exit)") != 0;

		*all += code;
		*reached += code && f->counts.of_block[b] > 0;
	}
}

bool
exported_way(uint64_t *times, const struct exported *f, uint32_t block, size_t way)
{
	*times = f->counts.of_edge[f->covered->graph->blocks.at[block].out.at[way]];
	return f->counts.of_block[block] > 0 && *times != EDGE_NOT_KNOWN;
}

static struct line
line_of(const struct exported *f, uint32_t block)
{
	const struct flow_block *b = &f->covered->graph->blocks.at[block];
	struct line line = { .number = line_of_block(b), .count = f->counts.of_block[block] };
	uint64_t times;

	line.branches = b->out.count > 1 ? b->out.count : 0;
	for (size_t k = 0; k < line.branches; k++)
		line.taken += exported_way(&times, f, block, k) && times > 0;
	return line;
}

static void
add_lines(line_list *to, const struct exported *f)
{
	line_list own = { 0 };

	for (uint32_t b = 0; b < f->covered->graph->blocks.count; b++) {
		struct line line = line_of(f, b);

		if (line.number > 0)
			*array_push(&own) = line;
	}
	merge_lines(&own, false);
	for (size_t i = 0; i < own.count; i++)
		*array_push(to) = own.at[i];
	array_release(&own);
}

void
exported_lines(line_list *lines, const struct exported *functions, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_lines(lines, &functions[i]);
	merge_lines(lines, true);
}
