/* SPDX-License-Identifier: MIT
 * live_screen: every line is written whole and to its end, so that what another program wrote to the terminal is gone
 * with the next screen. A character takes one column: wide ones are shown as '?'. */
#include "plot/live_screen.h"

#include "base/terminal_text.h"
#include "base/time_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_LINES   2		/* title and heading */
#define VALUE_WIDTH  8
#define VALUES_MOST  4
#define GRAPH_MOST   60
#define NAME_LEAST   8
#define HELP_KEYS    "q quit  enter stacks  s sort  b by  / filter  space freeze  w save  ? keys"

unsigned
live_screen_rows(const struct live_screen *screen)
{
	return screen->lines > HEAD_LINES + 2 ? screen->lines - HEAD_LINES - 2 : 0;
}

/* --- order --- */

static int
compare_names(const struct live_line *a, const struct live_line *b)
{
	size_t size = a->name.size < b->name.size ? a->name.size : b->name.size;
	int order = size == 0 ? 0 : memcmp(a->name.data, b->name.data, size);

	return order != 0 ? order : (a->name.size > b->name.size) - (a->name.size < b->name.size);
}

static double
value_of(const struct live_line *line, enum live_order order)
{
	return order == LIVE_BY_NOW ? line->row.now : order == LIVE_BY_RECENT ? line->row.recent : line->row.whole;
}

static int
compare_values(const void *a, const void *b, enum live_order order)
{
	double x = value_of(a, order), y = value_of(b, order);

	return x != y ? (x < y) - (x > y) : compare_names(a, b);
}

static int
by_now(const void *a, const void *b)
{
	return compare_values(a, b, LIVE_BY_NOW);
}

static int
by_recent(const void *a, const void *b)
{
	return compare_values(a, b, LIVE_BY_RECENT);
}

static int
by_whole(const void *a, const void *b)
{
	return compare_values(a, b, LIVE_BY_WHOLE);
}

static int
by_name(const void *a, const void *b)
{
	return compare_names(a, b);
}

void
live_lines_sort(struct live_line *lines, size_t count, enum live_order order)
{
	static int (*const compare[LIVE_ORDERS])(const void *, const void *) = { by_now, by_recent, by_whole, by_name };

	if (count > 1)
		qsort(lines, count, sizeof *lines, compare[order]);
}

/* --- text --- */

/* At most `width` characters, and blanks up to there. */
static void
add_cut(struct text_buffer *to, struct stk_text text, unsigned width, bool fill)
{
	const char *at = text.data, *end = text.data + text.size;
	unsigned used = 0;

	for (; at < end && used < width; used++) {
		size_t size = printable_size(at, end), whole = size > 0 ? size : utf8_size(at, end);
		uint32_t character = size > 0 ? utf8_number(at, size) : '?';

		if (size == 1 || (size > 1 && character < 0x1100 && (character < 0x300 || character > 0x36f)))
			add_bytes(to, at, size);
		else
			add_char(to, '?');
		at += whole > 0 ? whole : 1;
	}
	for (; fill && used < width; used++)
		add_char(to, ' ');
}

static void
begin_line(struct text_buffer *to, unsigned line)
{
	add_format(to, "\033[%u;1H\033[0m", line + 1);
}

static void
add_line(struct text_buffer *to, const struct live_screen *screen, unsigned line, const char *style,
	 struct stk_text text)
{
	begin_line(to, line);
	add_string(to, style);
	add_cut(to, text, screen->columns, true);
	add_string(to, "\033[0m");
}

/* --- the table --- */

struct layout { unsigned name, values, graph; };

/* Names get what is left, but first a value, then a graph, then the other values need room. */
static struct layout
lay_out(const struct live_screen *screen)
{
	struct layout l = { .values = VALUES_MOST };
	unsigned width = screen->columns;

	while (l.values > 1 && l.values * VALUE_WIDTH + NAME_LEAST * 2 > width)
		l.values--;
	width -= l.values * VALUE_WIDTH;
	if (width > NAME_LEAST * 2 + 12)
		l.graph = width / 2 < GRAPH_MOST ? width / 2 : GRAPH_MOST;
	l.name = width - (l.graph > 0 ? l.graph + 1 : 0);
	return l;
}

static void
add_number(struct text_buffer *to, double value, bool percent)
{
	char number[40];

	snprintf(number, sizeof number, value >= 1000 ? " %*.0f" : value >= 100 || percent ? " %*.1f" : " %*.2f",
		 VALUE_WIDTH - 1, value);
	add_string(to, number);
}

/* The mean of a column's cells: below 0: nobody looked. */
static double
cells_mean(const struct live_row *row, unsigned column, unsigned columns)
{
	unsigned from = LIVE_CELLS * column / columns, to = LIVE_CELLS * (column + 1) / columns, seen = 0;
	double sum = 0;

	for (unsigned i = from; i < to; i++)
		if (row->cells[i] >= 0) {
			sum += row->cells[i];
			seen++;
		}
	return seen > 0 ? sum / seen : -1;
}

/* Each row for itself: its highest value is a whole block. */
static void
add_graph(struct text_buffer *to, const struct live_row *row, unsigned width, bool blocks)
{
	static const char *const steps[2][9] = { { ".", ".", ":", "-", "=", "+", "*", "#", "@" },
						 { "\u2581", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586",
						   "\u2587", "\u2588" } };
	double most = 0;

	for (unsigned i = 0; i < width; i++) {
		double mean = cells_mean(row, i, width);

		most = mean > most ? mean : most;
	}
	for (unsigned i = 0; i < width; i++) {
		double mean = cells_mean(row, i, width);

		add_string(to, mean < 0 ? " " : steps[blocks][most > 0 ? (int)(mean / most * 8 + 0.5) : 0]);
	}
}

static void
add_row(struct text_buffer *to, const struct live_screen *screen, const struct layout *l, unsigned line,
	const char *style, struct stk_text name, const struct live_row *row, double total)
{
	double values[VALUES_MOST] = { row->now, total > 0 ? 100 * row->now / total : 0, row->recent, row->whole };

	begin_line(to, line);
	add_string(to, style);
	add_cut(to, name, l->name, true);
	for (unsigned i = 0; i < l->values; i++)
		add_number(to, values[i], i == 1);
	if (l->graph > 0) {
		add_char(to, ' ');
		add_graph(to, row, l->graph, screen->blocks);
	}
	add_string(to, "\033[0m");
}

static void
add_heading(struct text_buffer *to, const struct live_screen *screen, const struct layout *l)
{
	struct text_buffer text = { 0 };
	char times[3][TIME_TEXT_MAX], name[80];
	const char *heads[VALUES_MOST] = { times[0], "% now", times[1], times[2] };

	duration_print(times[0], screen->cell_ns * LIVE_NOW);
	duration_print(times[1], screen->cell_ns * LIVE_RECENT);
	duration_print(times[2], screen->cell_ns * LIVE_CELLS);
	snprintf(name, sizeof name, "%s, running %s", screen->by, screen->unit);
	add_cut(&text, text_from(name), l->name, true);
	for (unsigned i = 0; i < l->values; i++)
		add_format(&text, " %*.*s", VALUE_WIDTH - 1, VALUE_WIDTH - 1, heads[i]);
	if (l->graph > 0)
		add_format(&text, " the last %s", times[2]);
	add_line(to, screen, 1, "\033[1m", text_in(&text, 0));
	array_release(&text);
}

static void
add_foot(struct text_buffer *to, const struct live_screen *screen)
{
	add_line(to, screen, screen->lines - 1, "", screen->message.size > 0 ? screen->message : text_from(HELP_KEYS));
}

static const char *
style_of(const struct live_screen *screen, size_t line)
{
	return line == screen->chosen ? "\033[7m" : "";
}

void
live_screen_add(struct text_buffer *to, const struct live_screen *screen, const struct live_line *lines, size_t count,
		const struct live_row *total)
{
	struct layout l = lay_out(screen);
	unsigned rows = live_screen_rows(screen);

	add_line(to, screen, 0, "", screen->title);
	add_heading(to, screen, &l);
	for (unsigned i = 0; i < rows; i++) {
		size_t line = screen->first + i;

		if (line < count)
			add_row(to, screen, &l, HEAD_LINES + i, style_of(screen, line), lines[line].name,
				&lines[line].row, total->now);
		else
			add_line(to, screen, HEAD_LINES + i, "", text_from(""));
	}
	add_row(to, screen, &l, HEAD_LINES + rows, "\033[1m", text_from("all"), total, total->now);
	add_foot(to, screen);
}

void
live_screen_add_texts(struct text_buffer *to, const struct live_screen *screen, const struct stk_text *texts,
		      size_t count)
{
	unsigned rows = live_screen_rows(screen) + 2;

	add_line(to, screen, 0, "", screen->title);
	for (unsigned i = 0; i < rows; i++) {
		size_t line = screen->first + i;

		add_line(to, screen, 1 + i, style_of(screen, line), line < count ? texts[line] : text_from(""));
	}
	add_foot(to, screen);
}
