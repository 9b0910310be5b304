/* SPDX-License-Identifier: MIT
 * flow_picture: a block is the darker, an edge the thicker, the more often it was taken; those never taken are grey and dashed. */
#include "flow_picture.h"

#include "base/bytes.h"

#include <math.h>
#include <stdlib.h>

#define WIDEST 6.0		/* of a line */

/* Of "from	to" or "function	file". */
static struct stk_text
part_before_tab(struct stk_text text)
{
	return text_of(text.data, (size_t)((const char *)memchr(text.data, '\t', text.size) - text.data));
}

/* --- gathering --- */

static struct stk_text
joined(struct flow_pictures *p, struct stk_text a, struct stk_text b)
{
	p->scratch.count = 0;
	add_text(&p->scratch, a);
	add_char(&p->scratch, '\t');
	add_text(&p->scratch, b);
	return text_in(&p->scratch, 0);
}

static struct flow_function *
function_of(struct flow_pictures *p, struct stk_text name, struct stk_text file)
{
	uint32_t number = text_table_number(&p->functions, joined(p, name, file));

	while (p->list.count < number)
		*array_push(&p->list) = (struct flow_function){ 0 };
	return &p->list.at[number - 1];
}

void
flow_pictures_edge(struct flow_pictures *p, const struct stk_cfg *row)
{
	struct flow_function *f = function_of(p, row->function, row->file);

	(void)text_table_number(&f->blocks, row->from);
	(void)text_table_number(&f->blocks, row->to);
	tally_add(&f->edges, joined(p, row->from, row->to), 1);
}

void
flow_pictures_count(struct flow_pictures *p, const struct stk_path_count *row)
{
	struct flow_function *f = function_of(p, row->function, row->file);
	struct stk_text rest = row->path, before = { "", 0 };

	f->count += row->count;
	tally_add(&f->paths, row->path, row->count);
	while (rest.size > 0) {
		const char *blank = memchr(rest.data, ' ', rest.size);
		struct stk_text block = text_of(rest.data, blank != NULL ? (size_t)(blank - rest.data) : rest.size);

		(void)text_table_number(&f->blocks, block);
		tally_add(&f->block_counts, block, row->count);
		if (before.size == 0)
			tally_add(&f->starts, block, row->count);
		else
			tally_add(&f->edge_counts, joined(p, before, block), row->count);
		before = block;
		rest = text_of(rest.data + block.size + (blank != NULL), rest.size - block.size - (blank != NULL));
	}
}

void
flow_pictures_release(struct flow_pictures *p)
{
	for (size_t i = 0; i < p->list.count; i++) {
		struct flow_function *f = &p->list.at[i];

		text_table_release(&f->blocks);
		tally_release(&f->block_counts);
		tally_release(&f->edges);
		tally_release(&f->edge_counts);
		tally_release(&f->paths);
		tally_release(&f->starts);
	}
	array_release(&p->list);
	array_release(&p->scratch);
	text_table_release(&p->functions);
}

uint32_t
flow_pictures_find(const struct flow_pictures *p, const char *name)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < p->list.count; i++) {
		struct stk_text text = p->functions.texts.at[i];
		size_t size = (size_t)((const char *)memchr(text.data, '\t', text.size) - text.data);

		if (name != NULL && !text_is(text_of(text.data, size), name))
			continue;
		if (best == 0 || p->list.at[i].count > p->list.at[best - 1].count)
			best = i + 1;
	}
	return best;
}

/* --- writing --- */

/* A text in graphviz's quotes; "@14" becomes a second line. */
static void
add_quoted(struct text_buffer *to, struct stk_text text, bool label)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];

		if (c == '"' || c == '\\')
			add_char(to, '\\');
		if (label && c == '@')
			add_string(to, "\\nline ");
		else
			add_char(to, (unsigned char)c < ' ' ? '?' : c);
	}
}

static uint64_t
count_of(const struct tally *tally, struct stk_text text)
{
	uint32_t number = text_table_find(&tally->texts, text);

	return number == 0 ? 0 : tally->counts.at[number - 1];
}

static uint64_t
largest(const struct tally *tally)
{
	uint64_t most = 0;

	for (size_t i = 0; i < tally->counts.count; i++)
		most = tally->counts.at[i] > most ? tally->counts.at[i] : most;
	return most;
}

/* Paths that were cut at edges that lead back (epp): a block that was left more often than by the edges on paths was left by such an edge. Where only one can be meant,
 * it gets the rest. */
static void
count_cut_edges(struct flow_pictures *p, struct flow_function *f)
{
	struct tally left = { 0 }, ways = { 0 };

	for (size_t i = 0; i < f->edges.counts.count; i++) {
		struct stk_text edge = f->edges.texts.texts.at[i];
		struct stk_text from = part_before_tab(edge), to = text_of(edge.data + from.size + 1, edge.size - from.size - 1);

		tally_add(&left, from, count_of(&f->edge_counts, edge));
		tally_add(&ways, from, count_of(&f->edge_counts, edge) == 0 && count_of(&f->starts, to) > 0);
	}
	for (size_t i = 0; i < f->edges.counts.count; i++) {
		struct stk_text edge = f->edges.texts.texts.at[i];
		struct stk_text from = part_before_tab(edge), to = text_of(edge.data + from.size + 1, edge.size - from.size - 1);
		uint64_t came = count_of(&f->block_counts, from);

		if (count_of(&ways, from) == 1 && count_of(&f->edge_counts, edge) == 0 && count_of(&f->starts, to) > 0 && came > count_of(&left, from))
			tally_add(&f->edge_counts, joined(p, from, to), came - count_of(&left, from));
	}
	tally_release(&left);
	tally_release(&ways);
}

/* Between 0 and 1, by the logarithm: loops are taken thousands of times. */
static double
heat(uint64_t count, uint64_t most)
{
	return most == 0 ? 0 : log1p((double)count) / log1p((double)most);
}

/* White to red, by way of yellow. */
static void
add_colour(struct text_buffer *to, double heat_)
{
	add_format(to, "#ff%02x%02x", (unsigned)(250 - 140 * heat_), (unsigned)(240 - 190 * heat_));
}

static void
add_block(struct text_buffer *to, const struct flow_function *f, struct stk_text block, uint64_t most)
{
	uint64_t count = count_of(&f->block_counts, block);

	add_string(to, "  \"");
	add_quoted(to, block, false);
	add_string(to, "\" [label=\"");
	add_quoted(to, block, true);
	if (count > 0) {
		add_format(to, "\\n%llu\", fillcolor=\"", (unsigned long long)count);
		add_colour(to, heat(count, most));
		add_string(to, "\"];\n");
	} else {
		add_string(to, "\", fillcolor=\"#ffffff\", color=\"#999999\", fontcolor=\"#777777\", style=\"rounded,filled,dashed\"];\n");
	}
}

static void
add_edge(struct text_buffer *to, const struct flow_function *f, struct stk_text edge, uint64_t most, bool hot)
{
	size_t from = (size_t)((const char *)memchr(edge.data, '\t', edge.size) - edge.data);
	uint64_t count = count_of(&f->edge_counts, edge);

	add_string(to, "  \"");
	add_quoted(to, text_of(edge.data, from), false);
	add_string(to, "\" -> \"");
	add_quoted(to, text_of(edge.data + from + 1, edge.size - from - 1), false);
	if (count > 0)
		add_format(to, "\" [label=\" %llu\", penwidth=%.1f%s];\n", (unsigned long long)count, 1 + (WIDEST - 1) * heat(count, most), hot ? ", color=\"#c00000\"" : "");
	else
		add_string(to, "\" [color=\"#999999\", style=dashed];\n");
}

struct ranked { struct stk_text path; uint64_t count; uint32_t order; };

static int
compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count ? 1 : -1) : (x->order > y->order) - (x->order < y->order);
}

static struct ranked *
rank_paths(const struct flow_function *f)
{
	struct ranked *order = mem_new(f->paths.counts.count + 1, sizeof *order);

	for (uint32_t i = 0; i < f->paths.counts.count; i++)
		order[i] = (struct ranked){ f->paths.texts.texts.at[i], f->paths.counts.at[i], i };
	qsort(order, f->paths.counts.count, sizeof *order, compare_ranked);
	return order;
}

/* Whether a path goes along "from	to". */
static bool
goes_along(struct stk_text path, struct stk_text edge)
{
	for (size_t i = 0; i + edge.size <= path.size; i++) {
		bool same = (i == 0 || path.data[i - 1] == ' ') && (i + edge.size == path.size || path.data[i + edge.size] == ' ');

		for (size_t k = 0; k < edge.size && same; k++)
			same = path.data[i + k] == (edge.data[k] == '\t' ? ' ' : edge.data[k]);
		if (same)
			return true;
	}
	return false;
}

static void
add_title(struct text_buffer *to, struct stk_text name, const struct flow_function *f, const struct ranked *order, size_t paths)
{
	size_t size = (size_t)((const char *)memchr(name.data, '\t', name.size) - name.data);

	add_string(to, "  label=\"");
	add_quoted(to, text_of(name.data, size), false);
	add_string(to, size + 1 < name.size ? " (" : "");
	add_quoted(to, text_of(name.data + size + 1, name.size - size - 1), false);
	add_string(to, size + 1 < name.size ? ")" : "");
	add_format(to, ": %llu times on %zu paths\\l", (unsigned long long)f->count, f->paths.counts.count);
	for (size_t i = 0; i < paths && i < f->paths.counts.count && order[i].count > 0; i++) {
		add_format(to, "%llu: ", (unsigned long long)order[i].count);
		add_quoted(to, order[i].path.size > 200 ? text_of(order[i].path.data, 200) : order[i].path, false);
		add_string(to, order[i].path.size > 200 ? " ...\\l" : "\\l");
	}
	add_string(to, "\";\n");
}

void
flow_picture_write(struct flow_pictures *p, uint32_t function, size_t paths, struct text_buffer *to)
{
	struct flow_function *f = &p->list.at[function - 1];
	struct ranked *order = rank_paths(f);
	uint64_t most_block = largest(&f->block_counts), most_edge;

	count_cut_edges(p, f);
	most_edge = largest(&f->edge_counts);
	add_string(to, "digraph \"");
	add_quoted(to, part_before_tab(text_table_text(&p->functions, function)), false);
	add_string(to, "\" {\n  labelloc=t;\n  labeljust=l;\n  fontname=\"sans-serif\";\n  node [shape=box, style=\"rounded,filled\", fontname=\"monospace\", fontsize=10];\n"
		"  edge [fontname=\"monospace\", fontsize=9];\n");
	add_title(to, text_table_text(&p->functions, function), f, order, paths);
	for (size_t i = 0; i < f->blocks.texts.count; i++)
		add_block(to, f, f->blocks.texts.at[i], most_block);
	for (size_t i = 0; i < f->edges.counts.count; i++) {
		struct stk_text edge = f->edges.texts.texts.at[i];

		add_edge(to, f, edge, most_edge, f->paths.counts.count > 0 && goes_along(order[0].path, edge));
	}
	add_string(to, "}\n");
	free(order);
}
