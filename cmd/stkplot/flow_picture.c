/* SPDX-License-Identifier: MIT
 * flow_picture: the more often a block or edge was taken, the darker or thicker it is; those never taken are grey and
 * dashed. */
#include "flow_picture.h"

#include "base/bytes.h"
#include "graph/block_counts.h"
#include "report/counting_methods.h"

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
	struct stk_text rest = row->path;

	f->count += row->count;
	tally_add(&f->paths, row->path, row->count);
	while (rest.size > 0) {
		struct stk_text block = text_take(&rest, ' ');

		(void)text_table_number(&f->blocks, block);
		tally_add(&f->block_counts, block, row->count);
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
		tally_release(&f->paths);
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
add_edge(struct text_buffer *to, struct stk_text edge, uint64_t count, uint64_t most, const char *colour)
{
	add_string(to, "  \"");
	add_quoted(to, text_take(&edge, '\t'), false);
	add_string(to, "\" -> \"");
	add_quoted(to, edge, false);
	if (count == EDGE_NOT_KNOWN)
		add_string(to, "\" [label=\" ?\", color=\"#999999\"];\n");
	else if (count > 0)
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
	  size_t paths, uint64_t lost, uint64_t foreign, bool inexact)
{
	struct stk_text file = name, function = text_take(&file, '\t');

	add_string(to, "  label=\"");
	add_quoted(to, function, false);
	add_string(to, file.size > 0 ? " (" : "");
	add_quoted(to, file, false);
	add_string(to, file.size > 0 ? ")" : "");
	add_format(to, ": %s%llu times on %zu paths\\l", inexact ? INEXACT_MARK : "", (unsigned long long)f->count, f->paths.counts.count);
	if (inexact)
		add_string(to, INEXACT_MARK ": " INEXACT_COUNTS "\\l");
	if (lost > 0)
		add_format(to, "not in the picture: the paths of %llu other calls, which were not counted\\l",
			   (unsigned long long)lost);
	if (foreign > 0)
		add_format(to, "not on its edges: %llu times on paths that its graph does not have\\l",
			   (unsigned long long)foreign);
	for (size_t i = 0; i < paths && i < f->paths.counts.count && order[i].count > 0; i++) {
		add_format(to, "%s%llu: ", inexact ? INEXACT_MARK : "", (unsigned long long)order[i].count);
		add_quoted(to, order[i].text.size > 200 ? text_of(order[i].text.data, 200) : order[i].text, false);
		add_string(to, order[i].text.size > 200 ? " ...\\l" : "\\l");
	}
	add_string(to, "\";\n");
}

/* Its edges have the numbers that they have in the tally. */
static int
make_graph(struct flow_graph **out, const struct flow_function *f, struct stk_text name, struct stk_error *err)
{
	struct flow_graph *g = *out = flow_graph_new(text_take(&name, '\t'));
	struct stk_error why = { 0 };
	uint32_t exit = 0, fault;

	for (size_t i = 0; i < f->edges.counts.count; i++) {
		struct stk_text to = f->edges.texts.texts.at[i], from = text_take(&to, '\t');
		uint32_t source = flow_graph_add_block(g, from);

		flow_graph_add_edge(g, source, flow_graph_add_block(g, to));
	}
	for (uint32_t b = 0; b < g->blocks.count; b++)
		if (g->blocks.at[b].out.count == 0)
			exit = b;
	if (g->blocks.count > 0 && flow_graph_seal(g, 0, exit, &fault, &why) == 0)
		return 0;
	return stk_fail(err, STK_EDATA, "%s: the stream does not have its whole graph", g->function);
}

/* Of calls that are not in the graph the times are returned. */
static uint64_t
count_paths(struct block_counts *counts, const struct flow_function *f)
{
	uint64_t foreign = 0;

	for (size_t i = 0; i < f->paths.counts.count; i++)
		if (!block_counts_add(counts, f->paths.texts.texts.at[i], f->paths.counts.at[i]))
			foreign += f->paths.counts.at[i];
	block_counts_settle(counts);
	return foreign;
}

static uint64_t
most_of_edges(const struct block_counts *counts)
{
	uint64_t most = 0;

	for (uint32_t e = 0; e < counts->graph->edges.count; e++)
		if (counts->of_edge[e] != EDGE_NOT_KNOWN && counts->of_edge[e] > most)
			most = counts->of_edge[e];
	return most;
}

static void
add_edges(struct text_buffer *to, const struct flow_function *f, const struct block_counts *counts,
	  const struct tally_row *order, enum palette palette)
{
	const char *plain = palette == PALETTE_GREY ? "8e8e8e" : "";	/* that the most frequent path is seen beside it */
	uint64_t most = most_of_edges(counts);

	for (size_t i = 0; i < f->edges.counts.count; i++) {
		struct stk_text edge = f->edges.texts.texts.at[i];
		bool hot = f->paths.counts.count > 0 && goes_along(order[0].text, edge);

		add_edge(to, edge, counts->of_edge[i], most, hot ? palette_lines(palette)->measured : plain);
	}
}

int
flow_picture_write(struct text_buffer *to, const struct flow_pictures *p, uint32_t function, size_t paths,
		   uint64_t lost, bool inexact, enum palette palette, struct stk_error *err)
{
	const struct flow_function *f = &p->list.at[function - 1];
	struct stk_text name = text_table_text(&p->functions, function), file = name;
	uint64_t most = tally_most(&f->block_counts);
	struct block_counts counts = { 0 };
	struct tally_row *order;
	struct flow_graph *graph;
	int result = make_graph(&graph, f, name, err);

	if (result == 0) {
		block_counts_open(&counts, graph);
		order = tally_ranked(&f->paths);
		add_string(to, "digraph \"");
		add_quoted(to, text_take(&file, '\t'), false);
		add_string(
			to,
			"\" {\n  labelloc=t;\n  labeljust=l;\n  fontname=\"sans-serif\";\n  node [shape=box, style=\"rounded,filled\", fontname=\"monospace\", fontsize=10];\n"
			"  edge [fontname=\"monospace\", fontsize=9];\n");
		add_title(to, name, f, order, paths, lost, count_paths(&counts, f), inexact);
		for (size_t i = 0; i < f->blocks.texts.count; i++)
			add_block(to, f, f->blocks.texts.at[i], most, palette);
		add_edges(to, f, &counts, order, palette);
		add_string(to, "}\n");
		free(order);
		block_counts_release(&counts);
	}
	flow_graph_free(graph);
	return result;
}
