/* SPDX-License-Identifier: MIT
 * window_map: cells of the tree are the squares, as many to a column as make at most FLAME_CELLS columns. */
#include "plot/window_map.h"

#include "base/quantities.h"
#include "base/time_math.h"
#include "plot/flame_svg.h"
#include "plot/page_text.h"
#include "report/event_unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HIGH	    96u /* pixels of the columns, */
#define HIGH_ONE    28u /* where each is one square */
#define TIMES_HIGH  18u
#define TIMES_EVERY 8u /* columns */
#define USED_LEAST  0.6 /* of the squares: where fewer have samples, as those of dumps, they are put together */
#define SCALE_HIGH  22u
#define LABELS_EXACT_NS INT64_C(1000000000)
#define LEAST_PIXELS 1.0 /* of frames, as there are many flame graphs; */
#define LEAST_PIXELS_SMALL 5.0 /* where there is no room for these */

struct map {
	const struct flame_tree *tree;
	const struct window_map_options *options;
	unsigned together, columns, lines; /* cells in a column; squares in it, each of as many cells */
	unsigned shared; /* columns that have the same flame graph; 0: none has one */
	double least_pixels; /* of its frames */
	struct module_colours *colours; /* of all flame graphs */
	uint64_t cells[WINDOW_MAP_CELLS], least, most;
};

static uint64_t
count_in(const struct map *m, unsigned from, unsigned to)
{
	uint64_t sum = 0;

	for (unsigned c = from; c < to && c < m->tree->cells; c++)
		sum += m->cells[c];
	return sum;
}

/* --- squares --- */

static double
share_used(const struct map *m, unsigned lines)
{
	unsigned each = m->together / lines, used = 0, all = 0;

	for (unsigned c = 0; c < m->tree->cells; c += each, all++)
		used += count_in(m, c, c + each) > 0;
	return (double)used / (double)all;
}

static void
find_squares(struct map *m)
{
	unsigned each;

	for (m->lines = m->together; m->lines > 1; m->lines--)
		if (m->together % m->lines == 0 && share_used(m, m->lines) >= USED_LEAST)
			break;
	each = m->together / m->lines;
	m->least = UINT64_MAX;
	for (unsigned c = 0; c < m->tree->cells; c += each) {
		uint64_t count = count_in(m, c, c + each);

		m->most = count > m->most ? count : m->most;
		m->least = count > 0 && count < m->least ? count : m->least;
	}
}

static unsigned
shade_of(const struct map *m, uint64_t count)
{
	if (m->most <= m->least)
		return PALETTE_HEATS / 2;
	return (unsigned)((double)(count - m->least) / (double)(m->most - m->least) * (PALETTE_HEATS - 1) + 0.5);
}

static unsigned
high(const struct map *m)
{
	return m->lines == 1 ? HIGH_ONE : HIGH;
}

static unsigned
left_of(const struct map *m, unsigned column)
{
	return column * m->options->width / m->columns;
}

/* --- times --- */

static int64_t
begin_of(const struct map *m, unsigned cell)
{
	return time_sum(m->tree->begin_ns, time_product(m->tree->cell_ns, cell));
}

static void
add_moment(struct text_buffer *to, const struct map *m, int64_t time_ns, int64_t after_ns)
{
	char text[TIME_TEXT_MAX], before[TIME_TEXT_MAX];

	if (m->options->monotonic)
		add_format(to, "%.3f s", (double)time_ns / 1e9);
	else
		page_add_text(to, text_from(time_print_after(text, time_ns, m->options->zone,
							     time_print(before, after_ns, m->options->zone))));
}

static void
add_amount(struct text_buffer *to, const struct map *m, uint64_t count)
{
	struct text_buffer text = { 0 };

	add_unit_amount(&text, count, m->options->unit);
	page_add_text(to, text_in(&text, 0));
	array_release(&text);
}

/* "2026-11-20T23:54:00Z to 23:54:20Z: 160 samples" */
static void
add_window(struct text_buffer *to, const struct map *m, unsigned from, unsigned until)
{
	int64_t begin = begin_of(m, from), end = begin_of(m, until);

	add_moment(to, m, begin, STK_TIME_UNKNOWN);
	add_string(to, " to ");
	add_moment(to, m, end, begin);
	add_string(to, ": ");
	add_amount(to, m, count_in(m, from, until));
}

/* --- the map --- */

/* The squares of a column, those of one shade that touch as one. */
static void
add_squares(struct text_buffer *to, const struct map *m, unsigned column)
{
	unsigned each = m->together / m->lines, x = left_of(m, column), wide = left_of(m, column + 1) - x;

	for (unsigned line = 0, next; line < m->lines; line = next) {
		unsigned from = column * m->together + line * each;
		uint64_t count = count_in(m, from, from + each);
		unsigned top = high(m) * line / m->lines, shade = count == 0 ? 0 : shade_of(m, count);

		next = line + 1;
		if (count == 0)
			continue;
		for (; next < m->lines; next++) {
			uint64_t more = count_in(m, from + (next - line) * each, from + (next - line + 1) * each);

			if (more == 0 || shade_of(m, more) != shade)
				break;
		}
		add_format(to, "<path fill=\"#%06x\" d=\"M%u %uh%uv%uh-%u\"/>",
			   (unsigned)palette_heat(m->options->palette, shade)->rgb, x, top, wide,
			   high(m) * next / m->lines - top, wide);
	}
}

static void
add_column(struct text_buffer *to, const struct map *m, unsigned column)
{
	unsigned from = column * m->together;
	struct text_buffer about = { 0 };

	if (count_in(m, from, from + m->together) == 0)
		return;
	add_window(&about, m, from, from + m->together);
	if (m->shared > 0)
		add_format(to, "<a href=\"#w%u\" aria-label=\"%.*s\">", column / m->shared, (int)about.count, about.at);
	else
		add_string(to, "<g>");
	add_format(to, "<title>%.*s</title>", (int)about.count, about.at);
	add_squares(to, m, column);
	add_string(to, m->shared > 0 ? "</a>\n" : "</g>\n");
	array_release(&about);
}

/* Where a column begins: without fractions of a second, unless columns are short. */
static int64_t
label_of(const struct map *m, unsigned column)
{
	int64_t begin = begin_of(m, column * m->together);

	return m->tree->cell_ns < LABELS_EXACT_NS ? begin : time_floor(begin, LABELS_EXACT_NS);
}

static void
add_times(struct text_buffer *to, const struct map *m)
{
	for (unsigned column = 0; column < m->columns; column += TIMES_EVERY) {
		unsigned x = left_of(m, column);

		add_format(to, "<text x=\"%u\" y=\"%u\">", x, high(m) + 13);
		add_moment(to, m, label_of(m, column),
			   column == 0 ? STK_TIME_UNKNOWN : label_of(m, column - TIMES_EVERY));
		add_string(to, "</text>\n");
	}
}

static void
add_scale(struct text_buffer *to, const struct map *m)
{
	unsigned top = high(m) + TIMES_HIGH;
	char least[TIME_TEXT_MAX];

	if (strncmp(m->options->unit, "ns of ", 6) == 0)
		(void)duration_print(least, (int64_t)m->least);
	else
		(void)snprintf(least, sizeof least, "%llu", (unsigned long long)m->least);
	for (unsigned i = 0; i < PALETTE_HEATS && m->most > m->least; i++)
		add_format(to, "<path fill=\"#%06x\" d=\"M%u %uh20v12h-20\"/>",
			   (unsigned)palette_heat(m->options->palette, i)->rgb, 140 + 20 * i, top + 5);
	if (m->most > m->least)
		add_format(to, "<text x=\"134\" y=\"%u\" text-anchor=\"end\">%s</text>", top + 16, least);
	add_format(to, "<text x=\"%d\" y=\"%u\">", m->most > m->least ? 146 + 20 * PALETTE_HEATS : 0, top + 16);
	add_amount(to, m, m->most);
	add_string(to, "</text>\n");
}

static void
add_map(struct text_buffer *to, const struct map *m)
{
	unsigned all = high(m) + TIMES_HIGH + SCALE_HIGH;

	add_format(to,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"map\" width=\"%u\" height=\"%u\" viewBox=\"0 0 "
		   "%u %u\" role=\"group\" aria-label=\"Samples over time\">\n",
		   m->options->width, all, m->options->width, all);
	for (unsigned column = 0; column < m->columns; column++)
		add_column(to, m, column);
	add_times(to, m);
	add_scale(to, m);
	add_string(to, "</svg>\n");
}

/* --- flame graphs --- */

/* The function with most of its own in the present sums. */
static void
add_hottest(struct text_buffer *to, const struct flame_tree *tree)
{
	const struct call_tree *calls = &tree->calls;
	uint64_t *own = mem_new(calls->names.texts.count + 1, sizeof *own), most = 0;
	uint32_t hottest = 0;

	for (uint32_t n = 1; n < calls->nodes.count; n++)
		own[calls->nodes.at[n].name] += calls->self.at[n];
	for (uint32_t name = 1; name <= calls->names.texts.count; name++)
		if (own[name] > most) {
			most = own[name];
			hottest = name;
		}
	if (hottest != 0) {
		add_string(to, ", most in ");
		page_add_text(to, text_table_text(&calls->names, hottest));
		add_format(to, " (%.1f %%)", 100 * (double)most / (double)calls->total.at[0]);
	}
	free(own);
}

static void
add_graph(struct text_buffer *to, const struct map *m, struct flame_tree *tree, unsigned number)
{
	struct flame_svg_options options = { .title = "", .unit = m->options->unit, .width = m->options->width, .icicle = true, .inside = true,
					     .palette = m->options->palette, .least_pixels = m->least_pixels,
					     .colours = m->colours };
	unsigned from = number * m->shared * m->together, until = from + m->shared * m->together;
	uint64_t hidden;

	if (count_in(m, from, until) == 0)
		return;
	flame_tree_sum_cells(tree, from, until);
	add_string(to, "<details><summary>");
	add_window(to, m, from, until < tree->cells ? until : tree->cells);
	add_hottest(to, tree);
	add_format(to, "</summary>\n<div id=w%u>", number);
	(void)flame_svg_add(to, tree, &options, &hidden);
	add_string(to, "</div></details>\n");
}

static bool
add_graphs(struct text_buffer *to, const struct map *m, struct flame_tree *tree)
{
	to->count = 0;
	for (unsigned number = 0; number * m->shared < m->columns && to->count <= m->options->most_bytes; number++)
		add_graph(to, m, tree, number);
	return to->count <= m->options->most_bytes;
}

/* As many as there is room for: each of one column, else with fewer frames, else of two columns, four... */
static void
fit_graphs(struct text_buffer *to, struct map *m, struct flame_tree *tree)
{
	m->shared = 1;
	m->least_pixels = LEAST_PIXELS;
	while (!add_graphs(to, m, tree)) {
		if (m->least_pixels < LEAST_PIXELS_SMALL) {
			m->least_pixels = LEAST_PIXELS_SMALL;
			continue;
		}
		m->shared *= 2;
		if (m->shared >= 2 * m->columns) {
			m->shared = 0;
			to->count = 0;
			return;
		}
	}
}

unsigned
window_map_add(struct text_buffer *to, struct flame_tree *tree, const struct window_map_options *options)
{
	struct map m = { .tree = tree,
			 .options = options,
			 .together = flame_tree_together(tree),
			 .columns = flame_tree_columns(tree) };
	struct text_buffer graphs = { 0 };
	struct module_colours colours;

	module_colours_make(&colours, tree);
	m.colours = &colours;
	for (size_t i = 0; i < tree->counts.sums.count; i++)
		if (tree->counts.sums.at[i].b < tree->cells)
			m.cells[tree->counts.sums.at[i].b] += tree->counts.sums.at[i].weight;
	find_squares(&m);
	fit_graphs(&graphs, &m, tree);
	flame_tree_sum(tree);
	add_map(to, &m);
	if (m.shared > 0) {
		add_string(to, "<details><summary>Flame graph of each window</summary>\n");
		add_text(to, text_in(&graphs, 0));
		add_string(to, "</details>\n");
	}
	array_release(&graphs);
	module_colours_release(&colours);
	return m.shared;
}
