/* SPDX-License-Identifier: MIT
 * flow_picture: the more often a block or edge was taken, the darker or thicker it is; those never taken are grey and
 * dashed. */
#include "flow_picture.h"

#include "base/bytes.h"

#include <math.h>
#include <stdlib.h>

#define WIDEST 6.0		/* of a line */

/* --- gathering --- */

static struct flow_function *
function_of(struct flow_pictures *p, struct stk_text name, struct stk_text file)
{
	uint32_t number = text_table_number(&p->functions, text_joined(&p->scratch, name, file));

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
	tally_add(&f->edges, text_joined(&p->scratch, row->from, row->to), 1);
}

void
flow_pictures_count(struct flow_pictures *p, const struct stk_path_count *row)
{
	struct flow_function *f = function_of(p, row->function, row->file);
	struct stk_text rest = row->path, before = { "", 0 };

	f->count += row->count;
	tally_add(&f->paths, row->path, row->count);
	while (rest.size > 0) {
		struct stk_text block = text_take(&rest, ' ');

		(void)text_table_number(&f->blocks, block);
		tally_add(&f->block_counts, block, row->count);
		if (before.size == 0)
			tally_add(&f->starts, block, row->count);
		else
			tally_add(&f->edge_counts, text_joined(&p->scratch, before, block), row->count);
		before = block;
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
flow_pictures_most(const struct flow_pictures *p)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < p->list.count; i++)
		if (best == 0 || p->list.at[i].count > p->list.at[best - 1].count)
			best = i + 1;
	return best;
}

/* --- writing --- */

/* A text in graphviz's quotes; "@14" becomes a second line. Graphviz copies "&#27;" and the like into its SVG,
 * where they are not valid XML, so an & is escaped. Unprintable bytes are masked, because bytes that are not UTF-8 and
 * control characters are not valid XML either. */
static void
add_quoted(struct text_buffer *to, struct stk_text text, bool label)
{
	struct text_buffer shown = { 0 };

	add_masked(&shown, text);
	for (size_t i = 0; i < shown.count; i++) {
		char c = shown.at[i];

		if (c == '"' || c == '\\')
			add_char(to, '\\');
		if (label && c == '@')
			add_string(to, "\\nline ");
		else if (c == '&')
			add_string(to, "&amp;");
		else
			add_char(to, c);
	}
	array_release(&shown);
}

/* Paths that were cut at edges that lead back (epp): a block that was left more often than by the edges on paths was
 * left by such an edge. If there is only one, it gets the rest. */
static void
count_cut_edges(struct flow_pictures *p, struct flow_function *f)
{
	struct tally left = { 0 }, ways = { 0 };

	for (size_t i = 0; i < f->edges.counts.count; i++) {
		struct stk_text edge = f->edges.texts.texts.at[i], to = edge, from = text_take(&to, '\t');

		tally_add(&left, from, tally_of(&f->edge_counts, edge));
		tally_add(&ways, from, tally_of(&f->edge_counts, edge) == 0 && tally_of(&f->starts, to) > 0);
	}
	for (size_t i = 0; i < f->edges.counts.count; i++) {
		struct stk_text edge = f->edges.texts.texts.at[i], to = edge, from = text_take(&to, '\t');
		uint64_t came = tally_of(&f->block_counts, from);

		if (tally_of(&ways, from) == 1 && tally_of(&f->edge_counts, edge) == 0 &&
		    tally_of(&f->starts, to) > 0 && came > tally_of(&left, from))
			tally_add(&f->edge_counts, text_joined(&p->scratch, from, to), came - tally_of(&left, from));
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

/* From nearly white to what there is most of. */
static void
add_colour(struct text_buffer *to, enum palette palette, double heat_)
{
	static const unsigned least = 0xFF, shifts[] = { 16, 8, 0 };
	uint32_t most = palette_step(palette, PALETTE_STEPS)->rgb;

	add_char(to, '#');
	for (unsigned i = 0; i < 3; i++) {
		double end = most >> shifts[i] & 255;

		add_format(to, "%02x", (unsigned)(least - 10 + (end - (least - 10)) * heat_));
	}
}

static void
add_block(struct text_buffer *to, const struct flow_function *f, struct stk_text block, uint64_t most,
	  enum palette palette)
{
	uint64_t count = tally_of(&f->block_counts, block);

	add_string(to, "  \"");
	add_quoted(to, block, false);
	add_string(to, "\" [label=\"");
	add_quoted(to, block, true);
	if (count > 0) {
		add_format(to, "\\n%llu\", fillcolor=\"", (unsigned long long)count);
		add_colour(to, palette, heat(count, most));
		add_string(to, "\"];\n");
	} else {
		add_string(
			to,
			"\", fillcolor=\"#ffffff\", color=\"#999999\", fontcolor=\"#777777\", style=\"rounded,filled,dashed\"];\n");
	}
}

static void
add_edge(struct text_buffer *to, const struct flow_function *f, struct stk_text edge, uint64_t most,
	 const char *colour)
{
	uint64_t count = tally_of(&f->edge_counts, edge);

	add_string(to, "  \"");
	add_quoted(to, text_take(&edge, '\t'), false);
	add_string(to, "\" -> \"");
	add_quoted(to, edge, false);
	if (count > 0)
		add_format(to, "\" [label=\" %llu\", penwidth=%.1f%s%s%s];\n", (unsigned long long)count,
			   1 + (WIDEST - 1) * heat(count, most), *colour != '\0' ? ", color=\"#" : "", colour,
			   *colour != '\0' ? "\"" : "");
	else
		add_string(to, "\" [color=\"#999999\", style=dashed];\n");
}

/* Whether a path goes along "from	to". */
static bool
goes_along(struct stk_text path, struct stk_text edge)
{
	for (size_t i = 0; i + edge.size <= path.size; i++) {
		bool same = (i == 0 || path.data[i - 1] == ' ') &&
			    (i + edge.size == path.size || path.data[i + edge.size] == ' ');

		for (size_t k = 0; k < edge.size && same; k++)
			same = path.data[i + k] == (edge.data[k] == '\t' ? ' ' : edge.data[k]);
		if (same)
			return true;
	}
	return false;
}

static void
add_title(struct text_buffer *to, struct stk_text name, const struct flow_function *f, const struct tally_row *order,
	  size_t paths)
{
	struct stk_text file = name, function = text_take(&file, '\t');

	add_string(to, "  label=\"");
	add_quoted(to, function, false);
	add_string(to, file.size > 0 ? " (" : "");
	add_quoted(to, file, false);
	add_string(to, file.size > 0 ? ")" : "");
	add_format(to, ": %llu times on %zu paths\\l", (unsigned long long)f->count, f->paths.counts.count);
	for (size_t i = 0; i < paths && i < f->paths.counts.count && order[i].count > 0; i++) {
		add_format(to, "%llu: ", (unsigned long long)order[i].count);
		add_quoted(to, order[i].text.size > 200 ? text_of(order[i].text.data, 200) : order[i].text, false);
		add_string(to, order[i].text.size > 200 ? " ...\\l" : "\\l");
	}
	add_string(to, "\";\n");
}

void
flow_picture_write(struct flow_pictures *p, uint32_t function, size_t paths, enum palette palette,
		   struct text_buffer *to)
{
	struct flow_function *f = &p->list.at[function - 1];
	struct tally_row *order = tally_ranked(&f->paths);
	uint64_t most_block = tally_most(&f->block_counts), most_edge;
	const char *plain = palette == PALETTE_GREY ? "8e8e8e" : "";	/* that the most frequent path is seen beside it */
	struct stk_text name = text_table_text(&p->functions, function), file = name;

	count_cut_edges(p, f);
	most_edge = tally_most(&f->edge_counts);
	add_string(to, "digraph \"");
	add_quoted(to, text_take(&file, '\t'), false);
	add_string(
		to,
		"\" {\n  labelloc=t;\n  labeljust=l;\n  fontname=\"sans-serif\";\n  node [shape=box, style=\"rounded,filled\", fontname=\"monospace\", fontsize=10];\n"
		"  edge [fontname=\"monospace\", fontsize=9];\n");
	add_title(to, name, f, order, paths);
	for (size_t i = 0; i < f->blocks.texts.count; i++)
		add_block(to, f, f->blocks.texts.at[i], most_block, palette);
	for (size_t i = 0; i < f->edges.counts.count; i++) {
		struct stk_text edge = f->edges.texts.texts.at[i];

		bool hot = f->paths.counts.count > 0 && goes_along(order[0].text, edge);

		add_edge(to, f, edge, most_edge, hot ? palette_lines(palette)->measured : plain);
	}
	add_string(to, "}\n");
	free(order);
}
