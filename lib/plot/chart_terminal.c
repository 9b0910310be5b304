/* SPDX-License-Identifier: MIT
 * chart_terminal: the first panel is ten lines high, further ones five. */
#include "plot/chart_terminal.h"

#include "base/terminal_text.h"
#include "base/time_math.h"
#include "plot/thread_terminal.h"

#include <math.h>
#include <string.h>

#define NUMBERS    7		/* columns left of a plot */
#define LARGE_HIGH 10
#define SMALL_HIGH 4
#define MARKS_MOST 4		/* findings told below a panel, */
#define SPLITS_MOST 12		/* and splits below a tree */

struct sheet {
	struct text_buffer *to;
	const struct chart *chart;
	const struct chart_terminal_options *options;
	unsigned wide;			/* of a plot, in columns */
	unsigned columns;		/* of the chart that it shows, from the first on */
};

/* --- colours --- */

enum ink { INK_NONE, INK_FAINT, INK_BOLD, INK_VALUE, INK_BAND, INK_MARK };

static void
ink_on(const struct sheet *s, enum ink ink)
{
	const struct palette_lines *lines = palette_lines(s->chart->palette);
	const char *const of[] = { "", "2", "1", lines->measured_ink, lines->expected_ink, lines->found_ink };

	if (s->options->colours != FLAME_PLAIN && ink != INK_NONE)
		add_format(s->to, "\033[%sm", of[ink]);
}

static void
ink_off(const struct sheet *s, enum ink ink)
{
	if (s->options->colours != FLAME_PLAIN && ink != INK_NONE)
		add_string(s->to, "\033[0m");
}

static void
area_on(const struct sheet *s, unsigned colour)
{
	add_fill_colour(s->to, s->options->colours, palette_group(s->chart->palette, colour));
}

static char
area_letter(unsigned colour)
{
	return colour < CHART_OTHER ? (char)('a' + colour) : '.';
}

/* --- heights --- */

/* A letter of its height, where blocks are not to be had: of a bar, and of a row of shares. */
static const char bars[] = " ....++##", strips[] = " .:-=+*#@";

static void
add_eighths(const struct sheet *s, unsigned part, const char *letters)
{
	if (part == 0 || !s->options->blocks)
		add_char(s->to, letters[part]);
	else
		add_format(s->to, "\xE2\x96%c", (char)(0x80 + part));	/* U+2581 to U+2588 */
}

/* --- lines of text --- */

/* At most `room` characters, the last one ~ where it is cut. */
static void
add_cut(struct text_buffer *to, struct stk_text text, size_t room)
{
	const char *at = text.data, *end = at + text.size;
	size_t used = 0;

	while (at < end && used < room) {
		size_t size = utf8_size(at, end);

		size = size == 0 ? 1 : size;
		if (used + 1 == room && at + size < end)
			add_char(to, '~');
		else
			add_masked(to, text_of(at, size));
		at += size;
		used++;
	}
}

/* In lines of the sheet's width, broken at blanks. */
static void
add_prose(const struct sheet *s, enum ink ink, size_t indent, struct stk_text text)
{
	size_t room = s->options->width > indent + 10 ? s->options->width - indent : 10;
	const char *at = text.data, *end = at + text.size;

	while (at < end) {
		const char *p = at, *blank = NULL;
		size_t letters = 0;

		while (p < end && letters < room) {
			size_t size = utf8_size(p, end);

			if (*p == ' ')
				blank = p;
			p += size == 0 ? 1 : size;
			letters++;
		}
		if (p < end && *p != ' ' && blank != NULL)
			p = blank;
		for (size_t i = 0; i < indent; i++)
			add_char(s->to, ' ');
		ink_on(s, ink);
		add_masked(s->to, text_of(at, (size_t)(p - at)));
		ink_off(s, ink);
		add_char(s->to, '\n');
		for (at = p; at < end && *at == ' '; at++)
			continue;
	}
}

static void
trim_blanks(struct text_buffer *to)
{
	while (to->count > 0 && to->at[to->count - 1] == ' ')
		to->count--;
}

static void
trim_line(struct text_buffer *to)
{
	trim_blanks(to);
	add_char(to, '\n');
}

/* The mean of the chart's columns that are one column here. */
static double
cell_value(const struct sheet *s, const double *at, unsigned cell)
{
	unsigned from = (unsigned)((uint64_t)cell * s->columns / s->wide),
		 to = (unsigned)(((uint64_t)cell + 1) * s->columns / s->wide);

	return chart_mean(at, from, to > from ? to : from + 1);
}

static void
add_times(const struct sheet *s)
{
	struct chart_tick ticks[24];
	unsigned count = chart_ticks(s->chart, ticks, s->wide / 11 < 24 ? s->wide / 11 + 1 : 24), at = 0;

	for (unsigned i = 0; i < NUMBERS; i++)
		add_char(s->to, ' ');
	ink_on(s, INK_FAINT);
	for (unsigned i = 0; i < count; i++) {
		double all = (double)s->columns * (double)s->chart->column_ns;
		unsigned place =
			(unsigned)(((double)ticks[i].time_ns - (double)s->chart->begin_ns) / all * s->wide);
		size_t size = strlen(ticks[i].text);

		if (ticks[i].time_ns >= s->chart->begin_ns + (int64_t)s->columns * s->chart->column_ns ||
		    place + size > s->wide || (place < at && at > 0))
			continue;
		for (; at < place; at++)
			add_char(s->to, ' ');
		add_string(s->to, ticks[i].text);
		at += (unsigned)size;
		add_char(s->to, ' ');
		at++;
	}
	trim_blanks(s->to);
	ink_off(s, INK_FAINT);
	add_char(s->to, '\n');
}

static void
add_number_left(const struct sheet *s, double value, const char *unit, bool shown)
{
	struct text_buffer text = { 0 };

	if (shown)
		chart_add_number(&text, value, unit);
	for (size_t i = text.count; i + 1 < NUMBERS; i++)
		add_char(s->to, ' ');
	ink_on(s, shown ? INK_FAINT : INK_NONE);
	add_text(s->to, text_in(&text, 0));
	ink_off(s, shown ? INK_FAINT : INK_NONE);
	add_char(s->to, ' ');
	array_release(&text);
}

/* --- curves --- */

static const struct chart_line *
line_of(const struct chart_panel *panel, enum chart_role role)
{
	for (size_t i = 0; i < panel->lines.count; i++)
		if (panel->lines.at[i].role == role)
			return &panel->lines.at[i];
	return NULL;
}

/* The line from what was seen last to where the limit is reached. */
static bool
is_on_way_to_limit(const struct sheet *s, const struct chart_panel *panel, unsigned cell, double low, double high)
{
	const struct chart *chart = s->chart;
	double at = s->columns * (cell + 0.5) / s->wide, reached, value;

	if (isnan(panel->limit) || panel->reached_ns == STK_TIME_UNKNOWN)
		return false;
	reached = ((double)panel->reached_ns - (double)chart->begin_ns) / (double)chart->column_ns;
	value = panel->now + (panel->limit - panel->now) * (at - chart->seen) / fmax(reached - chart->seen, 1);
	return at >= chart->seen && at <= reached && value >= low && value < high;
}

/* Bars of what was measured, the band of what is to come, the limit. */
static void
add_cell(const struct sheet *s, const struct chart_panel *panel, unsigned cell, double low, double high)
{
	const struct chart_line *measured = line_of(panel, CHART_MEASURED), *expected = line_of(panel, CHART_EXPECTED);
	double value = measured != NULL ? cell_value(s, measured->at, cell) : NAN;
	double coming = expected != NULL ? cell_value(s, expected->at, cell) : NAN;
	bool limit = panel->limit > low && panel->limit <= high;

	if (!isnan(value)) {
		unsigned part = value >= high ? 8 : value <= low ? 0 : (unsigned)((value - low) / (high - low) * 8);

		if (part == 0 && low <= 0 && value > 0)
			part = 1;
		ink_on(s, part > 0 ? INK_VALUE : limit ? INK_MARK : INK_NONE);
		if (part == 0 && limit)
			add_char(s->to, '=');
		else
			add_eighths(s, part, bars);
		ink_off(s, part > 0 ? INK_VALUE : limit ? INK_MARK : INK_NONE);
	} else if (!isnan(coming) && panel->low != NULL && cell_value(s, panel->high, cell) > low &&
		   cell_value(s, panel->low, cell) < high) {
		ink_on(s, INK_BAND);
		add_char(s->to, coming >= low && coming < high ? 'o' : ':');
		ink_off(s, INK_BAND);
	} else if (is_on_way_to_limit(s, panel, cell, low, high)) {
		ink_on(s, INK_MARK);
		add_char(s->to, '/');
		ink_off(s, INK_MARK);
	} else {
		ink_on(s, limit ? INK_MARK : INK_NONE);
		add_char(s->to, limit ? '=' : ' ');
		ink_off(s, limit ? INK_MARK : INK_NONE);
	}
}

static void
add_marks(const struct sheet *s, const struct chart_panel *panel)
{
	double all = (double)s->columns * (double)s->chart->column_ns;
	char *cells;

	if (panel->marks.count == 0)
		return;
	cells = mem_new(s->wide, 1);
	memset(cells, ' ', s->wide);
	for (size_t i = 0; i < panel->marks.count; i++) {
		const struct chart_mark *mark = &panel->marks.at[i];
		double from = ((double)mark->from_ns - (double)s->chart->begin_ns) / all * s->wide;
		double until = ((double)mark->until_ns - (double)s->chart->begin_ns) / all * s->wide;

		for (double at = fmax(floor(from), 0); at <= until && at < s->wide; at++)
			if (cells[(unsigned)at] == ' ')
				cells[(unsigned)at] = '-';
		if (from >= 0 && from < s->wide)
			cells[(unsigned)from] = '!';
	}
	for (unsigned i = 0; i < NUMBERS; i++)
		add_char(s->to, ' ');
	ink_on(s, INK_MARK);
	add_bytes(s->to, cells, s->wide);
	trim_blanks(s->to);
	ink_off(s, INK_MARK);
	add_char(s->to, '\n');
	free(cells);
}

static void
tell_marks(const struct sheet *s, const struct chart_panel *panel)
{
	struct text_buffer text = { 0 };

	size_t most = panel->rows.count > 0 ? SPLITS_MOST : MARKS_MOST;

	for (size_t i = 0; i < panel->marks.count && i < most; i++) {
		text.count = 0;
		add_string(&text, "! ");
		chart_add_moment(&text, s->chart, panel->marks.at[i].from_ns);
		add_char(&text, ' ');
		add_text(&text, panel->marks.at[i].say);
		add_prose(s, INK_MARK, NUMBERS, text_in(&text, 0));
	}
	if (panel->marks.count > most) {
		text.count = 0;
		add_format(&text, "and %zu more", panel->marks.count - most);
		add_prose(s, INK_MARK, NUMBERS, text_in(&text, 0));
	}
	array_release(&text);
}

static void
add_curves(const struct sheet *s, const struct chart_panel *panel, unsigned high)
{
	double top = chart_top(panel, s->columns);

	for (unsigned line = high; line-- > 0; ) {
		add_number_left(s, top * (line + 1) / high, panel->unit, line + 1 == high || line + 1 == high / 2);
		for (unsigned cell = 0; cell < s->wide; cell++)
			add_cell(s, panel, cell, top * line / high, top * (line + 1) / high);
		trim_line(s->to);
	}
	add_marks(s, panel);
}

/* --- areas --- */

/* The area that covers most of the middle of a cell; NULL: none. */
static const struct chart_line *
area_at(const struct sheet *s, const struct chart_panel *panel, unsigned cell, double value)
{
	double below = 0;

	for (size_t i = 0; i < panel->lines.count; i++) {
		double own = cell_value(s, panel->lines.at[i].at, cell);

		below += isnan(own) ? 0 : own;
		if (value < below)
			return &panel->lines.at[i];
	}
	return NULL;
}

static void
add_areas(const struct sheet *s, const struct chart_panel *panel, unsigned high)
{
	double top = chart_top(panel, s->columns);

	for (unsigned line = high; line-- > 0; ) {
		add_number_left(s, top * (line + 1) / high, panel->unit, line + 1 == high || line + 1 == high / 2);
		for (unsigned cell = 0; cell < s->wide; cell++) {
			const struct chart_line *is = area_at(s, panel, cell, top * (line + 0.5) / high);

			if (is == NULL) {
				add_char(s->to, ' ');
				continue;
			}
			area_on(s, is->colour);
			add_char(s->to, area_letter(is->colour));
			ink_off(s, INK_FAINT);
		}
		trim_line(s->to);
	}
}

static void
add_letters(const struct sheet *s, const struct chart_panel *panel)
{
	for (size_t i = 0; i < panel->lines.count; i++) {
		const struct chart_line *line = &panel->lines.at[i];
		struct text_buffer text = { 0 };

		for (unsigned k = 0; k + 2 < NUMBERS; k++)
			add_char(s->to, ' ');
		area_on(s, line->colour);
		add_char(s->to, area_letter(line->colour));
		ink_off(s, INK_FAINT);
		add_char(s->to, ' ');
		add_text(&text, line->name);
		add_string(&text, "  ");
		add_text(&text, line->say);
		add_cut(s->to, text_in(&text, 0), s->options->width - NUMBERS);
		add_char(s->to, '\n');
		array_release(&text);
	}
}

static void
add_lanes(const struct sheet *s, const struct chart_panel *panel)
{
	double all = (double)s->columns * (double)s->chart->column_ns;
	char *cells = mem_new((size_t)s->wide + 1, 1);

	for (size_t lane = 0; lane < panel->lanes.count; lane++) {
		memset(cells, ' ', s->wide);
		for (size_t i = 0; i < panel->spans.count; i++) {
			const struct chart_span *span = &panel->spans.at[i];
			double from = ((double)span->from_ns - (double)s->chart->begin_ns) / all * s->wide;
			double to = ((double)span->to_ns - (double)s->chart->begin_ns) / all * s->wide;

			if (span->lane != lane)
				continue;
			for (double at = fmax(floor(from), 0); at < s->wide && (at <= from || at < to); at++)
				cells[(unsigned)at] = '#';
		}
		for (unsigned i = 0; i < NUMBERS; i++)
			add_char(s->to, ' ');
		add_bytes(s->to, cells, s->wide);
		trim_line(s->to);
		add_prose(s, INK_FAINT, NUMBERS, panel->lanes.at[lane]);
	}
	free(cells);
}

/* --- a tree --- */

static void
add_tree(const struct sheet *all, const struct chart_panel *panel)
{
	size_t width = all->options->width;
	unsigned strip = width >= 120 ? 48 : width >= 70 ? 24 : 12;
	struct sheet s = *all;

	s.wide = strip < s.chart->columns ? strip : s.chart->columns;
	for (size_t i = 0; i < panel->rows.count; i++) {
		const struct chart_row *row = &panel->rows.at[i];
		size_t room = width - NUMBERS - s.wide - 2, indent = row->depth * 2;
		double most = 0;

		indent = indent < room / 2 ? indent : room / 2;
		for (unsigned cell = 0; cell < s.wide; cell++)
			most = fmax(most, cell_value(&s, row->at, cell));
		add_number_left(&s, (double)row->total, "", true);
		ink_on(&s, INK_VALUE);
		for (unsigned cell = 0; cell < s.wide; cell++) {
			double value = cell_value(&s, row->at, cell);

			if (value > 0)
				add_eighths(&s, (unsigned)fmax(1, round(8 * value / most)), strips);
			else
				add_string(s.to, s.options->blocks ? "\xC2\xB7" : " ");
		}
		ink_off(&s, INK_VALUE);
		add_string(s.to, "  ");
		for (size_t k = 0; k < indent; k++)
			add_char(s.to, ' ');
		add_cut(s.to, row->name, room - indent);
		trim_line(s.to);
	}
}

/* --- the whole --- */

static void
add_sheet(struct sheet *s, const struct chart_panel *panel, bool large)
{
	struct text_buffer text = { 0 };

	s->columns = large ? s->chart->columns : s->chart->foreseen;
	s->wide = (unsigned)(s->options->width > NUMBERS + 10 ? s->options->width - NUMBERS : 10);
	add_char(s->to, '\n');
	ink_on(s, INK_BOLD);
	add_cut(s->to, panel->name, s->options->width);
	ink_off(s, INK_BOLD);
	add_char(s->to, '\n');
	if (panel->unit[0] != '\0' && panel->rows.count == 0 && !text_starts(panel->say, panel->unit))
		add_format(&text, "%s%s", panel->unit, panel->say.size > 0 ? ": " : "");
	add_text(&text, panel->say);
	if (panel->limit_say.size > 0) {
		add_string(&text, "; ");
		add_text(&text, panel->limit_say);
	}
	add_prose(s, INK_FAINT, 0, text_in(&text, 0));
	array_release(&text);
	if (panel->rows.count > 0) {
		add_tree(s, panel);
	} else if (chart_is_stacked(panel)) {
		add_areas(s, panel, panel->part ? SMALL_HIGH : LARGE_HIGH + 2);
		add_times(s);
		if (!panel->part)
			add_letters(s, panel);
	} else if (panel->lines.count > 0) {
		add_curves(s, panel, large ? LARGE_HIGH : SMALL_HIGH);
		add_times(s);
	}
	if (panel->lanes.count > 0)
		add_lanes(s, panel);
	tell_marks(s, panel);
}

void
chart_terminal_add(struct text_buffer *to, const struct chart *chart, const struct chart_terminal_options *options)
{
	struct sheet s = { to, chart, options, 0, chart->columns };
	struct text_buffer text = { 0 };

	add_prose(&s, INK_BOLD, 0, chart->answer);
	for (size_t i = 0; i < chart->panels.count; i++)
		add_sheet(&s, &chart->panels.at[i], i == 0);
	add_char(to, '\n');
	for (size_t i = 0; i < chart->notes.count; i++)
		add_prose(&s, INK_FAINT, 2, chart->notes.at[i]);
	add_string(&text, "$ ");
	add_string(&text, chart->command);
	add_prose(&s, INK_FAINT, 2, text_in(&text, 0));
	array_release(&text);
}
