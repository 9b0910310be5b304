/* SPDX-License-Identifier: MIT
 * heat_terminal: time runs across in columns, and down within each. */
#include "heat_terminal.h"

#include "base/memory.h"
#include "plot/thread_terminal.h"

#include <stdio.h>
#include <stdlib.h>

#define LINES 10
#define MARGIN 9 /* before the columns */
#define GAP 4 /* between two times under them */

static const char shades[] = " .:-=+*#%@";
#define SHADES (sizeof shades - 1)

/* How long a column can be, in milliseconds: LINES of them are round, too. */
static const int64_t columns_ms[] = { 10,       20,       50,        100,       200,     500,     1000,
				      2000,     5000,     10000,     20000,     30000,   60000,   120000,
				      300000,   600000,   900000,    1800000,   3600000, 7200000, 14400000,
				      43200000, 86400000, 604800000, 2419200000 };

struct grid {
	int64_t begin_ns, column_ns;
	unsigned columns, lines;
	uint64_t *counts; /* by column and line */
};

static int64_t
floor_to(int64_t a, int64_t step)
{
	return (a / step - (a % step < 0)) * step;
}

static struct grid
make_grid(const struct heat_facts *facts, unsigned width)
{
	struct grid g = { .lines = LINES };

	for (unsigned i = 0; i < sizeof columns_ms / sizeof *columns_ms; i++) {
		g.column_ns = columns_ms[i] * 1000000;
		if (g.column_ns % facts->cell_ns != 0)
			continue;
		g.begin_ns = floor_to(facts->times.from_ns, g.column_ns);
		g.columns = (unsigned)((facts->times.to_ns - g.begin_ns) / g.column_ns < 100000
					       ? (facts->times.to_ns - g.begin_ns) / g.column_ns + 1
					       : 100000);
		if (g.columns <= width)
			break;
	}
	while (g.lines > 1 && g.column_ns / g.lines % facts->cell_ns != 0)
		g.lines--;
	if (g.columns > width)
		g.columns = width;
	g.counts = mem_new((size_t)g.columns * g.lines, sizeof *g.counts);
	return g;
}

static void
count_cells(struct grid *g, struct heat_cells *cells, uint32_t rows)
{
	const struct heat_facts *facts = heat_cells_facts(cells);
	int64_t line_ns = g->column_ns / g->lines, begin = g->begin_ns / facts->cell_ns;
	uint32_t *one = mem_new((size_t)rows + 1, sizeof *one), times = (uint32_t)(line_ns / facts->cell_ns);
	struct heat_counts counts = { 0 };

	for (unsigned c = 0; c < g->columns; c++) {
		struct heat_range range = { begin + (int64_t)c * times * g->lines,
					    begin + ((int64_t)c + 1) * times * g->lines, times };

		heat_cells_range(cells, range, one, 1, &counts);
		for (size_t i = 0; i < counts.runs.count; i++)
			for (uint32_t k = 0; k < counts.runs.at[i].length; k++)
				g->counts[c * g->lines + counts.runs.at[i].start + k] += counts.runs.at[i].count;
	}
	heat_counts_release(&counts);
	free(one);
}

static int
compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* From the first to the ninety-ninth percentile of what is not empty, so that a steady day is not one shade. */
static void
find_scale(const struct grid *g, uint64_t *least, uint64_t *most)
{
	size_t count = (size_t)g->columns * g->lines, used = 0;
	uint64_t *sorted = mem_new(count, sizeof *sorted);

	for (size_t i = 0; i < count; i++)
		if (g->counts[i] > 0)
			sorted[used++] = g->counts[i];
	qsort(sorted, used, sizeof *sorted, compare_numbers);
	*least = used == 0 ? 0 : sorted[used / 100];
	*most = used == 0 ? 0 : sorted[used - 1 - used / 100];
	free(sorted);
}

static unsigned
shade_of(uint64_t count, uint64_t least, uint64_t most)
{
	double share;

	if (count == 0)
		return 0;
	if (most <= least)
		return SHADES / 2;
	share = count <= least ? 0 : count >= most ? 1 : (double)(count - least) / (double)(most - least);
	return 1 + (unsigned)(share * (SHADES - 2) + 0.5);
}

/* Dark to light, as on dark pages; the letter says it, too. */
static void
add_shade_colour(struct text_buffer *to, const struct heat_terminal_options *options, unsigned shade)
{
	add_fill_colour(to, options->colours, palette_heat(options->palette, shade));
	if (options->colours != FLAME_PLAIN && palette_heat_is_dark(options->palette, shade))
		add_string(to, "\033[97m");
}

static void
end_fill(struct text_buffer *to, enum flame_colours colours)
{
	if (colours != FLAME_PLAIN)
		add_string(to, "\033[0m");
}

static void
add_line(struct text_buffer *to, const struct grid *g, unsigned line, uint64_t least, uint64_t most,
	 const struct heat_terminal_options *options)
{
	char text[TIME_TEXT_MAX];
	unsigned before = 0;

	add_format(to, "%*s ", MARGIN - 1, duration_print(text, g->column_ns / g->lines * line));
	for (unsigned c = 0; c < g->columns; c++) {
		unsigned shade = shade_of(g->counts[c * g->lines + line], least, most);

		if (shade != before && before != 0)
			end_fill(to, options->colours);
		if (shade != before && shade != 0)
			add_shade_colour(to, options, shade);
		add_char(to, shades[shade]);
		before = shade;
	}
	if (before != 0)
		end_fill(to, options->colours);
	add_char(to, '\n');
}

static void
print_time(char to[TIME_TEXT_MAX], int64_t ns, const struct time_zone *zone, bool seconds, const char *before)
{
	if (seconds)
		(void)snprintf(to, TIME_TEXT_MAX, "%.3f s", (double)ns / 1e9);
	else
		time_print_after(to, ns, zone, before);
}

/* The times at which columns begin, as many as there is room for. */
static void
add_times(struct text_buffer *to, const struct grid *g, const struct time_zone *zone, bool seconds)
{
	char text[TIME_TEXT_MAX], before[TIME_TEXT_MAX] = "";
	unsigned at = 0;

	add_format(to, "%*s", MARGIN, "");
	while (at < g->columns) {
		unsigned size;

		print_time(text, g->begin_ns + (int64_t)at * g->column_ns, zone, seconds, before);
		size = (unsigned)strlen(text);
		if (at > 0 && at + size > g->columns)
			break;
		add_string(to, text);
		if (*before == '\0' && !seconds)
			time_print(before, g->begin_ns, zone);
		at += size;
		for (unsigned i = 0; i < GAP && at < g->columns; i++, at++)
			add_char(to, ' ');
	}
	while (to->count > 0 && to->at[to->count - 1] == ' ')
		to->count--;
	add_char(to, '\n');
}

void
heat_terminal_add(struct text_buffer *to, struct heat_cells *cells, uint32_t rows,
		  const struct heat_terminal_options *options, struct text_buffer *say)
{
	const struct heat_facts *facts = heat_cells_facts(cells);
	unsigned width = options->width > MARGIN + 20 ? (unsigned)options->width - MARGIN : 20;
	struct grid g = make_grid(facts, width);
	char column[TIME_TEXT_MAX], line[TIME_TEXT_MAX];
	uint64_t least, most;

	count_cells(&g, cells, rows);
	find_scale(&g, &least, &most);
	for (unsigned i = 0; i < g.lines; i++)
		add_line(to, &g, i, least, most, options);
	add_times(to, &g, options->zone, options->seconds);
	add_format(say, "%llu samples; a column is %s, a character %s; scale from %llu to %llu %s",
		       (unsigned long long)facts->samples, duration_print(column, g.column_ns),
		       duration_print(line, g.column_ns / g.lines),
		       (unsigned long long)(facts->unit == 0 ? 0 : least * facts->unit),
		       (unsigned long long)(facts->unit == 0 ? 0 : most * facts->unit), options->unit);
	free(g.counts);
}
