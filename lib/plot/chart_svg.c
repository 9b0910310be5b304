/* SPDX-License-Identifier: MIT
 * chart_svg: dark and light are styles of the file itself, so that a page which shows it needs to know nothing. */
#include "plot/chart_svg.h"

#include "base/terminal_text.h"
#include "base/time_math.h"
#include "plot/flame_svg.h"
#include "plot/svg_parts.h"

#include <math.h>
#include <string.h>

#define MARGIN       10
#define AXIS_WIDTH   56		/* left of a plot, for numbers */
#define LARGE_HIGH   240
#define SMALL_HIGH   110
#define GAP          16
#define HEAD_HIGH    36		/* above a plot: its name and a sentence */
#define FOOT_HIGH    22		/* below it: times */
#define WIDE_LETTER  7.2	/* of fonts that are wide, where text must not run into something */
#define SMALL_WIDTH  360	/* at least, of a small picture */
#define ROW_HIGH     18
#define LANE_HIGH    14
#define SPLITS_MOST  12u	/* told in words */

static const char style[] =
	"<style>svg{background:#fff;color-scheme:light dark}text{font:12px system-ui,Verdana,sans-serif;fill:#1a1a1a}.t{font-size:17px}"
	".b{font-weight:600}.s{fill:#595959}.g{stroke:#767676;stroke-opacity:.35;fill:none}.x{stroke:#767676;fill:none}.v{fill:none;stroke:#0b57d0;stroke-width:1.5}"
	".e{fill:none;stroke:#b35300;stroke-width:1.2;stroke-dasharray:5 3}.l{fill:none;stroke:#595959;stroke-dasharray:2 3}.n{fill:#e98138;fill-opacity:.22}"
	".m{fill:#c400c4}.w{fill:#c400c4;fill-opacity:.12}.k{stroke:#c400c4;fill:none;stroke-width:1.5}.c{fill:#767676;fill-opacity:.08}.h{fill:transparent}.h:hover{fill:#767676;fill-opacity:.25}"
	".o{fill:#1a1a1a}.r{fill:#0b57d0}"
	"@media screen and (prefers-color-scheme:dark){svg{background:#16181d}text,.o{fill:#e8e8e8}.s{fill:#a8adb7}.g,.x{stroke:#7a808c}.v{stroke:#8ab4f8}.r{fill:#8ab4f8}"
	".e{stroke:#f6a56b}.l{stroke:#a8adb7}.m,.w{fill:#ff7bff}.k{stroke:#ff7bff}}</style>\n";

static const char patterns[] =
	"<defs><pattern id=\"h0\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><path d=\"M0 0V6\" stroke=\"#000\" stroke-opacity=\".45\"/></pattern>"
	"<pattern id=\"h1\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(-45)\"><path d=\"M0 0V6\" stroke=\"#000\" stroke-opacity=\".45\"/></pattern>"
	"<pattern id=\"h2\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 0V6\" stroke=\"#000\" stroke-opacity=\".45\"/></pattern></defs>\n";

/* Of another palette than that of `style`. */
static void
add_palette_style(struct text_buffer *to, const struct palette_lines *of)
{
	add_format(to, "<style>.v{stroke:#%s}.r{fill:#%s}.e{stroke:#%s}.n{fill:#%s}.m,.w{fill:#%s}.k{stroke:#%s}", of->measured,
		   of->measured, of->expected, of->expected, of->found, of->found);
	add_format(to, "@media screen and (prefers-color-scheme:dark){.v{stroke:#%s}.r{fill:#%s}.e{stroke:#%s}.m,.w{fill:#%s}"
		   ".k{stroke:#%s}}</style>\n", of->measured_dark, of->measured_dark, of->expected_dark, of->found_dark,
		   of->found_dark);
}

struct plot {
	const struct chart *chart;
	const struct chart_panel *panel;
	double x, y, wide, high;	/* of the plot itself, without its axes */
	double top;			/* the value at its upper edge */
	unsigned columns;		/* of the chart, from the first on */
	unsigned bins, each;		/* columns are drawn `each` together */
};

static double
place_of(const struct plot *p, int64_t time_ns)
{
	double all = (double)p->columns * (double)p->chart->column_ns;
	double part = ((double)time_ns - (double)p->chart->begin_ns) / all;

	return p->x + fmin(fmax(part, 0), 1) * p->wide;
}

static double
height_of(const struct plot *p, double value)
{
	return p->y + p->high - fmin(fmax(value / p->top, 0), 1) * p->high;
}

static double
bin_value(const struct plot *p, const double *at, unsigned bin)
{
	unsigned from = bin * p->each, to = from + p->each;

	return chart_mean(at, from, to < p->columns ? to : p->columns);
}

static double
bin_place(const struct plot *p, double bin)
{
	double part = bin * p->each / p->columns;

	return p->x + fmin(part, 1) * p->wide;
}

/* --- axes --- */

static void
add_axes(struct text_buffer *to, const struct plot *p, bool times)
{
	struct chart_tick ticks[24];
	unsigned count = chart_ticks(p->chart, ticks, (unsigned)fmin(24, p->wide / 70));
	struct text_buffer number = { 0 };

	for (unsigned i = 0; i <= 2 && p->panel->rows.count == 0; i++) {
		double value = p->top * i / 2, y = height_of(p, value);

		add_string(to, "<path class=\"g\" d=\"");
		svg_add_point(to, 'M', p->x, y);
		add_char(to, 'h');
		svg_add_coordinate(to, p->wide);
		add_string(to, "\"/>");
		number.count = 0;
		chart_add_number(&number, value, p->panel->unit);
		svg_add_words(to, p->x - 6, y + 4, "s", "end", text_in(&number, 0), AXIS_WIDTH);
	}
	array_release(&number);
	if (p->panel->rows.count == 0)
		svg_add_words(to, p->x - 6, p->y + 18, "s", "end", text_from(p->panel->unit), AXIS_WIDTH + 8);
	for (unsigned i = 0; i < count; i++) {
		double x = place_of(p, ticks[i].time_ns);

		if (x >= p->x + p->wide)
			break;

		add_string(to, "<path class=\"g\" d=\"");
		svg_add_point(to, 'M', x, p->y);
		add_string(to, "v");
		svg_add_coordinate(to, p->high + 4);
		add_string(to, "\"/>");
		if (times)
			svg_add_words(to, x, p->y + p->high + 17, "s", "middle", text_from(ticks[i].text), 200);
	}
}

/* --- curves --- */

/* What is to come has another ground. */
static void
add_coming(struct text_buffer *to, const struct plot *p)
{
	double x = p->x + p->wide * p->chart->seen / p->columns;

	if (p->chart->seen >= p->columns)
		return;
	add_string(to, "<rect class=\"c\" x=\"");
	svg_add_coordinate(to, x);
	add_format(to, "\" y=\"%d\" width=\"", (int)p->y);
	svg_add_coordinate(to, p->x + p->wide - x);
	add_format(to, "\" height=\"%d\"/>\n", (int)p->high);
}

static void
add_curve(struct text_buffer *to, const struct plot *p, const double *at, const char *class)
{
	bool drawn = false;

	add_format(to, "<path class=\"%s\" d=\"", class);
	for (unsigned b = 0; b < p->bins; b++) {
		double value = bin_value(p, at, b);
		bool alone = !drawn && (b + 1 == p->bins || isnan(bin_value(p, at, b + 1)));

		drawn = !isnan(value);
		if (!drawn)
			continue;
		/* A value by itself is as wide as its column. */
		svg_add_point(to, alone || b == 0 || isnan(bin_value(p, at, b - 1)) ? 'M' : 'L',
			  bin_place(p, alone ? b : b + 0.5), height_of(p, value));
		if (alone) {
			add_char(to, 'h');
			svg_add_coordinate(to, fmax(bin_place(p, b + 1.0) - bin_place(p, b), 1));
		}
	}
	add_string(to, "\"/>\n");
}

static void
add_band(struct text_buffer *to, const struct plot *p)
{
	const struct chart_panel *panel = p->panel;

	if (panel->low == NULL)
		return;
	add_string(to, "<path class=\"n\" d=\"");
	for (unsigned b = 0; b < p->bins; ) {
		unsigned from = b;

		if (isnan(bin_value(p, panel->low, b)) || isnan(bin_value(p, panel->high, b))) {
			b++;
			continue;
		}
		for (; b < p->bins && !isnan(bin_value(p, panel->high, b)) && !isnan(bin_value(p, panel->low, b)); b++)
			svg_add_point(to, b == from ? 'M' : 'L', bin_place(p, b + 0.5),
				  height_of(p, bin_value(p, panel->high, b)));
		for (unsigned k = b; k-- > from; )
			svg_add_point(to, 'L', bin_place(p, k + 0.5), height_of(p, bin_value(p, panel->low, k)));
		add_char(to, 'Z');
	}
	add_string(to, "\"/>\n");
}

/* The line by which the limit is reached, and the interval of that moment. */
static void
add_way_to_limit(struct text_buffer *to, const struct plot *p)
{
	const struct chart_panel *panel = p->panel;
	double x = place_of(p, panel->reached_ns), y = height_of(p, panel->limit);
	double from = place_of(p, panel->earliest_ns == STK_TIME_UNKNOWN ? panel->reached_ns : panel->earliest_ns);
	double end = panel->latest_ns == STK_TIME_UNKNOWN ? p->x + p->wide : place_of(p, panel->latest_ns);
	struct text_buffer when = { 0 };

	add_string(to, "<rect class=\"w\" x=\"");
	svg_add_coordinate(to, from);
	add_format(to, "\" y=\"%d\" width=\"", (int)p->y);
	svg_add_coordinate(to, fmax(end - from, 1));
	add_format(to, "\" height=\"%d\"/><path class=\"k\" stroke-dasharray=\"6 3\" d=\"", (int)p->high);
	svg_add_point(to, 'M', bin_place(p, (double)p->chart->seen / p->each), height_of(p, panel->now));
	svg_add_point(to, 'L', x, y);
	add_string(to, "\"/><path class=\"k\" d=\"");
	svg_add_point(to, 'M', x, p->y);
	add_string(to, "v");
	svg_add_coordinate(to, p->high);
	add_string(to, "\"/>\n");
	chart_add_moment(&when, p->chart, panel->reached_ns);
	svg_add_words(to, x > p->x + p->wide / 2 ? x - 4 : x + 4, p->y + 14, "b", x > p->x + p->wide / 2 ? "end" : "",
		  text_in(&when, 0), 200);
	array_release(&when);
}

static void
add_limit(struct text_buffer *to, const struct plot *p)
{
	const struct chart_panel *panel = p->panel;

	if (isnan(panel->limit))
		return;
	if (panel->limit <= p->top) {
		double y = height_of(p, panel->limit);

		add_string(to, "<path class=\"k\" d=\"");
		svg_add_point(to, 'M', p->x, y);
		add_string(to, "h");
		svg_add_coordinate(to, p->wide);
		add_string(to, "\"/>\n");
	}
	if (panel->reached_ns != STK_TIME_UNKNOWN && panel->reached_ns < chart_end_ns(p->chart) &&
	    p->columns == p->chart->columns)
		add_way_to_limit(to, p);
}

static void
add_mark(struct text_buffer *to, const struct plot *p, const struct chart_mark *mark)
{
	double x = place_of(p, mark->from_ns), end = place_of(p, mark->until_ns);
	struct text_buffer when = { 0 };

	add_string(to, "<g><rect class=\"w\" x=\"");
	svg_add_coordinate(to, x);
	add_format(to, "\" y=\"%d\" width=\"", (int)p->y);
	svg_add_coordinate(to, fmax(end - x, 1));
	add_format(to, "\" height=\"%d\"/><path class=\"m\" d=\"", (int)p->high);
	svg_add_point(to, 'M', x - 5, p->y - 2);
	add_string(to, "h10l-5 9z\"/><title>");
	chart_add_moment(&when, p->chart, mark->from_ns);
	xml_add_text(to, text_in(&when, 0));
	array_release(&when);
	add_string(to, " ");
	xml_add_text(to, mark->say);
	add_string(to, "</title></g>\n");
}

/* --- areas --- */

static void
add_area(struct text_buffer *to, const struct plot *p, const struct chart_line *line, double *below)
{
	size_t from;

	add_format(to, "<g><path fill=\"#%06X\" d=\"", (unsigned)palette_group(p->chart->palette, line->colour)->rgb);
	from = to->count;
	for (unsigned b = 0; b < p->bins; b++) {
		double value = bin_value(p, line->at, b);
		double y = height_of(p, below[b] + (isnan(value) ? 0 : value));

		if (!(value > 0))
			continue;
		svg_add_point(to, 'M', bin_place(p, b), height_of(p, below[b]));
		add_char(to, 'V');
		svg_add_coordinate(to, y);
		add_char(to, 'H');
		svg_add_coordinate(to, bin_place(p, b + 1.0));
		add_char(to, 'V');
		svg_add_coordinate(to, height_of(p, below[b]));
		add_char(to, 'z');
		below[b] += value;
	}
	if (line->colour >= 8 && line->colour < CHART_OTHER) {
		struct text_buffer path = { 0 };

		add_text(&path, text_in(to, from));
		add_format(to, "\"/><path fill=\"url(#h%u)\" d=\"", (line->colour - 8) % 3);
		add_text(to, text_in(&path, 0));
		array_release(&path);
	}
	add_string(to, "\"/><title>");
	xml_add_text(to, line->name);
	add_string(to, line->say.size > 0 ? ": " : "");
	xml_add_text(to, line->say);
	add_string(to, "</title></g>\n");
}

/* A column under the pointer: its moment, and what each line has there. */
static void
add_titles(struct text_buffer *to, const struct plot *p)
{
	const struct chart_panel *panel = p->panel;
	struct text_buffer text = { 0 };

	for (unsigned b = 0; b < p->bins; b++) {
		double x = bin_place(p, b);

		text.count = 0;
		chart_add_moment(&text, p->chart, p->chart->begin_ns + (int64_t)b * p->each * p->chart->column_ns);
		for (size_t i = panel->lines.count; i-- > 0; ) {
			const struct chart_line *line = &panel->lines.at[i];
			double value = bin_value(p, line->at, b);

			if (isnan(value) || (line->role == CHART_AREA && value <= 0))
				continue;
			add_char(&text, '\n');
			add_text(&text, line->name);
			add_char(&text, ' ');
			chart_add_number(&text, value, panel->unit);
			if (line->role == CHART_EXPECTED && panel->low != NULL) {
				add_string(&text, " (");
				chart_add_number(&text, bin_value(p, panel->low, b), panel->unit);
				add_string(&text, " to ");
				chart_add_number(&text, bin_value(p, panel->high, b), panel->unit);
				add_char(&text, ')');
			}
		}
		add_string(to, "<rect class=\"h\" x=\"");
		svg_add_coordinate(to, x);
		add_format(to, "\" y=\"%d\" width=\"", (int)p->y);
		svg_add_coordinate(to, bin_place(p, b + 1.0) - x);
		add_format(to, "\" height=\"%d\"><title>", (int)p->high);
		xml_add_text(to, text_in(&text, 0));
		add_string(to, "</title></rect>\n");
	}
	array_release(&text);
}

/* Groups by falling weight, from the bottom; names as in the picture. Returns how high it is. */
static double
add_legend(struct text_buffer *to, enum palette palette, const struct chart_panel *panel, double x, double y,
	   double wide)
{
	double at = x, line = y;

	for (size_t i = 0; i < panel->lines.count; i++) {
		const struct chart_line *is = &panel->lines.at[i];
		double room = 30 + SVG_LETTER * (double)(is->name.size + is->say.size + 2);

		room = fmin(room, wide);
		if (at + room > x + wide && at > x) {
			at = x;
			line += 18;
		}
		add_format(to, "<rect fill=\"#%06X\" stroke=\"#767676\" x=\"%d\" y=\"%d\" width=\"11\" height=\"11\"/>",
			   (unsigned)palette_group(palette, is->colour)->rgb, (int)at, (int)line - 10);
		if (is->colour >= 8 && is->colour < CHART_OTHER)
			add_format(to, "<rect fill=\"url(#h%u)\" x=\"%d\" y=\"%d\" width=\"11\" height=\"11\"/>", (is->colour - 8) % 3,
				   (int)at, (int)line - 10);
		{
			struct text_buffer text = { 0 };

			add_text(&text, is->name);
			add_char(&text, ' ');
			add_text(&text, is->say);
			svg_add_words(to, at + 16, line, "", "", text_in(&text, 0), room - 20);
			array_release(&text);
		}
		at += room;
	}
	return line + 18 - y;
}

/* --- spans of events --- */

static double
add_spans(struct text_buffer *to, const struct plot *p, double y)
{
	const struct chart_panel *panel = p->panel;

	for (size_t i = 0; i < panel->lanes.count; i++)
		svg_add_words(to, p->x - 6, y + (double)i * LANE_HIGH + 11, "s", "end", panel->lanes.at[i], AXIS_WIDTH - 4);
	for (size_t i = 0; i < panel->spans.count; i++) {
		const struct chart_span *span = &panel->spans.at[i];
		double x = place_of(p, span->from_ns);

		add_string(to, "<rect class=\"r\" x=\"");
		svg_add_coordinate(to, x);
		add_format(to, "\" y=\"%d\" width=\"", (int)(y + span->lane * LANE_HIGH + 2));
		svg_add_coordinate(to, fmax(place_of(p, span->to_ns) - x, 1));
		add_format(to, "\" height=\"%d\"><title>", LANE_HIGH - 4);
		xml_add_text(to, span->say);
		add_string(to, "</title></rect>\n");
	}
	return (double)panel->lanes.count * LANE_HIGH;
}

/* --- a tree --- */

static void
add_row(struct text_buffer *to, const struct plot *p, const struct chart_row *row, double y, double names)
{
	double indent = fmin(row->depth * 12, names / 2);
	struct text_buffer count = { 0 };

	add_string(to, "<g><title>");
	xml_add_text(to, row->frames);
	add_format(to, "\n%llu in all, %llu of its own, %llu in the last dump</title>\n", (unsigned long long)row->total,
		   (unsigned long long)row->own, (unsigned long long)row->now);
	chart_add_number(&count, (double)row->total, "");
	svg_add_words(to, MARGIN + 44, y + 13, "s", "end", text_in(&count, 0), 60);
	array_release(&count);
	svg_add_words(to, MARGIN + 52 + indent, y + 13, "", "", row->name,
		  (names - 56 - indent) * SVG_LETTER / WIDE_LETTER);
	for (unsigned b = 0; b < p->bins; b++) {
		double value = bin_value(p, row->at, b), share = row->most > 0 ? value / row->most : 0;

		if (!(value > 0))
			continue;
		add_string(to, "<rect class=\"r\" x=\"");
		svg_add_coordinate(to, bin_place(p, b));
		add_string(to, "\" y=\"");
		svg_add_coordinate(to, y + (1 - share) * (ROW_HIGH - 3) + 1);
		add_string(to, "\" width=\"");
		svg_add_coordinate(to, bin_place(p, b + 1.0) - bin_place(p, b));
		add_string(to, "\" height=\"");
		svg_add_coordinate(to, fmax(share * (ROW_HIGH - 3), 1));
		add_string(to, "\"/>");
	}
	add_string(to, "</g>\n");
}

/* Broken after a colon where it is too long for one. Returns how high it is. */
static double
add_two_lines(struct text_buffer *to, double y, struct stk_text text, double wide)
{
	static const char since[] = ": since then";
	const char *second = memmem(text.data, text.size, since, sizeof since - 1);
	size_t size = second == NULL ? text.size : (size_t)(second + 1 - text.data);

	if ((double)text.size * WIDE_LETTER <= wide || second == NULL) {
		svg_add_words(to, MARGIN, y + 13, "", "", text, wide * SVG_LETTER / WIDE_LETTER);
		return ROW_HIGH;
	}
	svg_add_words(to, MARGIN, y + 13, "", "", text_of(text.data, size), wide * SVG_LETTER / WIDE_LETTER);
	svg_add_words(to, MARGIN + 20, y + ROW_HIGH + 11, "", "", text_of(text.data + size + 1, text.size - size - 1),
		  (wide - 20) * SVG_LETTER / WIDE_LETTER);
	return 2 * ROW_HIGH;
}

/* What became of ways that were split, in words. */
static double
add_splits(struct text_buffer *to, const struct plot *p, double y, double wide)
{
	const struct chart_panel *panel = p->panel;
	size_t shown = panel->marks.count < SPLITS_MOST ? panel->marks.count : SPLITS_MOST;
	size_t rest = panel->marks.count - shown;
	double line = 0;
	struct text_buffer text = { 0 };

	for (size_t i = 0; i < shown; i++) {
		text.count = 0;
		chart_add_moment(&text, p->chart, panel->marks.at[i].from_ns);
		add_string(&text, ": ");
		add_text(&text, panel->marks.at[i].say);
		line = add_two_lines(to, y + line, text_in(&text, 0), wide) + line;
	}
	text.count = 0;
	add_format(&text, "%zu more", rest);
	if (rest > 0)
		svg_add_words(to, MARGIN, y + line + 13, "s", "", text_in(&text, 0), wide);
	array_release(&text);
	return line + (rest > 0) * ROW_HIGH;
}

static double
add_rows(struct text_buffer *to, struct plot *p, double y, double wide)
{
	const struct chart_panel *panel = p->panel;
	double names = floor(wide * 0.46);

	p->x = MARGIN + names;
	p->wide = wide - names;
	p->y = y;
	p->high = (double)panel->rows.count * ROW_HIGH;
	add_axes(to, p, true);
	for (size_t i = 0; i < panel->rows.count; i++)
		add_row(to, p, &panel->rows.at[i], y + (double)i * ROW_HIGH, names);
	for (size_t i = 0; i < panel->marks.count; i++) {
		const struct chart_mark *mark = &panel->marks.at[i];

		add_string(to, "<path class=\"m\" d=\"");
		svg_add_point(to, 'M', place_of(p, mark->from_ns), y - 1);
		add_string(to, "l4 -6h-8z\"><title>");
		xml_add_text(to, mark->say);
		add_string(to, "</title></path>\n");
	}
	return p->high + FOOT_HIGH + add_splits(to, p, y + p->high + FOOT_HIGH, wide);
}

/* --- panels --- */

/* Returns how high it is. */
static double
add_panel(struct text_buffer *to, const struct chart *chart, const struct chart_panel *panel, double x, double y,
	  double wide, double high)
{
	struct plot p = { .chart = chart, .panel = panel, .x = x + AXIS_WIDTH, .y = y + HEAD_HIGH,
		.wide = wide - AXIS_WIDTH, .high = high,
		.columns = high == SMALL_HIGH ? chart->foreseen : chart->columns };
	struct text_buffer text = { 0 };
	double used = HEAD_HIGH + high + FOOT_HIGH;

	p.top = chart_top(panel, chart->columns);
	p.each = (unsigned)ceil(p.columns / fmax(p.wide, 1));
	p.bins = (p.columns + p.each - 1) / p.each;
	add_string(to, "<g>\n");
	svg_add_words(to, x, y + 13, "b", "", panel->name, wide);
	add_text(&text, panel->say);
	if (panel->limit_say.size > 0) {
		add_string(&text, "; ");
		add_text(&text, panel->limit_say);
	}
	svg_add_words(to, x, y + 28, "s", "", text_in(&text, 0), wide);
	array_release(&text);
	if (panel->rows.count > 0) {
		used = HEAD_HIGH + 10 + add_rows(to, &p, y + HEAD_HIGH + 10, wide);
		add_string(to, "</g>\n");
		return used;
	}
	add_coming(to, &p);
	add_axes(to, &p, true);
	if (chart_is_stacked(panel)) {
		double *below = mem_new(p.bins, sizeof *below);

		for (size_t i = 0; i < panel->lines.count; i++)
			add_area(to, &p, &panel->lines.at[i], below);
		free(below);
	} else {
		static const char *const classes[] = { "v", "v", "e", "l" };

		add_band(to, &p);
		for (size_t i = 0; i < panel->lines.count; i++)
			add_curve(to, &p, panel->lines.at[i].at, classes[panel->lines.at[i].role]);
	}
	add_limit(to, &p);
	add_titles(to, &p);
	for (size_t i = 0; i < panel->marks.count; i++)
		add_mark(to, &p, &panel->marks.at[i]);
	if (panel->lanes.count > 0)
		used += add_spans(to, &p, y + used) + 8;
	if (chart_is_stacked(panel) && !panel->part)
		used += add_legend(to, chart->palette, panel, x, y + used + 14, wide);
	add_string(to, "</g>\n");
	return used;
}

static double
add_panels(struct text_buffer *to, const struct chart *chart, unsigned width, double y)
{
	double wide = (double)width - 2 * MARGIN, each;
	unsigned across = (unsigned)fmax(1, floor((wide + GAP) / (SMALL_WIDTH + GAP)));

	each = (wide - (across - 1) * GAP) / across;
	for (size_t i = 0; i < chart->panels.count; i++) {
		const struct chart_panel *panel = &chart->panels.at[i];

		if (i == 0 || (chart_is_stacked(panel) && !panel->part) || panel->rows.count > 0) {
			y += add_panel(to, chart, panel, MARGIN, y, wide, LARGE_HIGH) + GAP;
		} else {
			double used = 0;
			unsigned k = 0;

			for (; k < across && i + k < chart->panels.count; k++)
				used = fmax(used, add_panel(to, chart, panel + k, MARGIN + k * (each + GAP), y, each,
							    SMALL_HIGH));
			i += k - 1;
			y += used + GAP;
		}
	}
	return y;
}

static void
add_key(struct text_buffer *to, const struct chart *chart, double y)
{
	if (strcmp(chart->kind, "trend") != 0)
		return;
	add_format(to, "<path class=\"v\" d=\"M10 %dh24\"/>", (int)y - 4);
	svg_add_words(to, 40, y, "s", "", text_from("measured"), 200);
	add_format(to, "<rect class=\"n\" x=\"110\" y=\"%d\" width=\"24\" height=\"12\"/><path class=\"e\" d=\"M110 %dh24\"/>", (int)y - 10,
		   (int)y - 4);
	svg_add_words(to, 140, y, "s", "", text_from("expected, and its interval"), 300);
	add_format(to, "<path class=\"l\" d=\"M310 %dh24\"/>", (int)y - 4);
	svg_add_words(to, 340, y, "s", "", text_from("level, season taken off"), 300);
	add_format(to, "<path class=\"m\" d=\"M500 %dh10l-5 9z\"/>", (int)y - 9);
	svg_add_words(to, 516, y, "s", "", text_from("finding"), 200);
	add_format(to, "<rect class=\"c\" x=\"580\" y=\"%d\" width=\"24\" height=\"12\"/>", (int)y - 10);
	svg_add_words(to, 610, y, "s", "", text_from("to come"), 200);
}

void
chart_svg_add(struct text_buffer *to, const struct chart *chart, unsigned width, bool inside)
{
	struct text_buffer body = { 0 };
	double wide = (double)width - 2 * MARGIN, y = inside ? 14 : 26;

	if (!inside) {
		svg_add_words(&body, MARGIN, y, "t", "", chart->title, wide * 0.7);
		y += 22;
	}
	svg_add_words(&body, MARGIN, y, "b", "", chart->answer, wide);
	y += 14;
	y = add_panels(&body, chart, width, y);
	if (chart->panels.count > 0) {
		add_key(&body, chart, y + 6);
		y += 18;
	}
	for (size_t i = 0; i < chart->notes.count; i++, y += 17)
		svg_add_words(&body, MARGIN, y + 10, "s", "", chart->notes.at[i], wide);
	if (!inside) {
		struct text_buffer text = { 0 };

		add_string(&text, "$ ");
		add_string(&text, chart->command);
		svg_add_words(&body, MARGIN, y + 14, "s", "", text_in(&text, 0), wide);
		array_release(&text);
	}
	y += 24;
	add_format(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\"", width,
		   (unsigned)y, width, (unsigned)y);
	if (inside)
		add_format(to, " class=\"chart %s\" role=\"group\" aria-label=\"Chart\"", palette_name(chart->palette));
	add_string(to, ">\n");
	add_string(to, inside ? "" : style);
	if (!inside && chart->palette != PALETTE_SAFE)
		add_palette_style(to, palette_lines(chart->palette));
	add_string(to, patterns);
	add_text(to, text_in(&body, 0));
	add_string(to, "</svg>\n");
	array_release(&body);
}
