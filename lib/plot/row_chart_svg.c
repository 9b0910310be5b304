/* SPDX-License-Identifier: MIT
 * row_chart_svg: each series has its own colour; each line also has its own dashes and shape of points, for
 * readers who cannot tell the colours apart. */
#include "plot/row_chart_svg.h"

#include "plot/flame_svg.h"
#include "plot/svg_parts.h"

#include <math.h>
#include <stdio.h>

#define MARGIN      12
#define AXIS_WIDTH  58		/* left of a plot, for numbers */
#define PLOT_HIGH   170
#define HEAD_HIGH   40		/* above a plot: its name and that of y */
#define FOOT_HIGH   46		/* below it: x and its name */
#define SLANT_HIGH  78		/* below it where names of x have no room beside each other */
#define ACROSS_MOST 3u
#define STEPS       4		/* of the axis of y, about */

static const char style[] =
	"<style>svg{background:#fff;color-scheme:light dark}text{font:12px system-ui,Verdana,sans-serif;fill:#1a1a1a}.t{font-size:17px}"
	".b{font-weight:600}.s{fill:#595959}.g{stroke:#767676;stroke-opacity:.35;fill:none}.x{stroke:#1a1a1a;fill:none}.k{stroke:#1a1a1a;stroke-width:.8}.l{fill:none;stroke-width:2}"
	"@media screen and (prefers-color-scheme:dark){svg{background:#16181d}text{fill:#e8e8e8}.s{fill:#a8adb7}.g{stroke:#7a808c}.x,.k{stroke:#e8e8e8}}</style>\n";

struct plot {
	const struct row_chart *chart;
	const struct row_panel *panel;
	enum palette palette;
	double x, y, wide;		/* of the plot itself, without its axes */
	double low, high, step;		/* of y: its axis */
	double first, last;		/* of x, where it is a number */
	bool slanted;			/* the names of x */
};

/* --- places --- */

/* A round step, by which an axis of this length has about STEPS of it. */
static double
round_step(double length)
{
	double power = pow(10, floor(log10(length / STEPS))), rest = length / STEPS / power;

	return power * (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10);
}

static double
height_of(const struct plot *p, double y)
{
	return p->y + PLOT_HIGH * (p->high - y) / (p->high - p->low);
}

static struct stk_text
place_name(const struct plot *p, uint32_t place)
{
	return text_table_text(&p->panel->places, place + 1);
}

/* The middle of what belongs to an x. */
static double
place_of(const struct plot *p, uint32_t place)
{
	double at;

	if (p->chart->bars || !row_chart_number(place_name(p, place), &at))
		return p->x + p->wide * (place + 0.5) / (double)p->panel->places.texts.count;
	return p->x + p->wide * (p->last > p->first ? (at - p->first) / (p->last - p->first) : 0.5);
}

static void
set_axes(struct plot *p)
{
	size_t places = p->panel->places.texts.count, longest = 0;
	double length = p->panel->high - p->panel->low;

	p->step = round_step(length > 0 ? length : 1);
	p->low = p->step * floor(p->panel->low / p->step);
	p->high = p->step * fmax(ceil(p->panel->high / p->step), p->panel->low < 0 ? 0 : 1);
	p->first = INFINITY;
	p->last = -INFINITY;
	for (uint32_t i = 0; i < places; i++) {
		double at;

		longest = place_name(p, i).size > longest ? place_name(p, i).size : longest;
		if (row_chart_number(place_name(p, i), &at)) {
			p->first = fmin(p->first, at);
			p->last = fmax(p->last, at);
		}
	}
	p->slanted = SVG_LETTER * (double)(longest + 1) > p->wide / (double)places;
}

/* --- parts --- */

static void
add_line(struct text_buffer *to, const char *class, double x, double y, double wide, double high)
{
	add_format(to, "<path class=\"%s\" d=\"", class);
	svg_add_point(to, 'M', x, y);
	svg_add_point(to, 'L', x + wide, y + high);
	add_string(to, "\"/>\n");
}

static void
add_axes(struct text_buffer *to, const struct plot *p, struct stk_text name)
{
	svg_add_words(to, p->x - AXIS_WIDTH, p->y - 24, "b", "", name, p->wide + AXIS_WIDTH);
	svg_add_words(to, p->x - AXIS_WIDTH, p->y - 9, "s", "", p->chart->y_name, p->wide + AXIS_WIDTH);
	for (double y = p->low; y < p->high + p->step / 2; y += p->step) {
		char number[32];

		(void)snprintf(number, sizeof number, "%.6g", fabs(y) < p->step / 1e6 ? 0 : y);
		add_line(to, fabs(y) < p->step / 1e6 ? "x" : "g", p->x, height_of(p, y), p->wide, 0);
		svg_add_words(to, p->x - 6, height_of(p, y) + 4, "s", "end", text_from(number), AXIS_WIDTH);
	}
	for (uint32_t i = 0; i < p->panel->places.texts.count; i++) {
		double x = place_of(p, i), y = p->y + PLOT_HIGH + 15;

		if (!p->chart->bars)
			add_line(to, "g", x, p->y, 0, PLOT_HIGH + 3);
		if (!p->slanted) {
			svg_add_words(to, x, y, "s", "middle", place_name(p, i), p->wide);
			continue;
		}
		add_string(to, "<g transform=\"translate(");
		svg_add_coordinate(to, x + 4);
		add_char(to, ' ');
		svg_add_coordinate(to, y - 2);
		add_string(to, ") rotate(-30)\">");
		svg_add_words(to, 0, 0, "s", "end", place_name(p, i), 18 * SVG_LETTER);
		add_string(to, "</g>\n");
	}
	svg_add_words(to, p->x + p->wide / 2, p->y + PLOT_HIGH + (p->slanted ? SLANT_HIGH : FOOT_HIGH) - 14, "s", "middle",
		      p->chart->x_name, p->wide);
}

static unsigned
colour_of(const struct plot *p, uint32_t series)
{
	return (unsigned)palette_group(p->palette, series)->rgb;
}

/* " title": a value in words, and the end of what has it. */
static void
end_with_title(struct text_buffer *to, const struct plot *p, const struct row_value *value, const char *element)
{
	add_string(to, "<title>");
	xml_add_text(to, text_table_text(&p->chart->series, value->series + 1));
	add_string(to, ", ");
	xml_add_text(to, place_name(p, value->place));
	add_format(to, ": %.6g</title></%s>\n", value->y, element);
}

static void
add_bars(struct text_buffer *to, const struct plot *p)
{
	size_t series = p->chart->series.texts.count;
	double group = 0.84 * p->wide / (double)p->panel->places.texts.count, bar = group / (double)series;

	for (size_t i = 0; i < p->panel->values.count; i++) {
		const struct row_value *value = &p->panel->values.at[i];
		double zero = height_of(p, 0), end = height_of(p, value->y);

		add_format(to, "<rect fill=\"#%06X\" class=\"k\" x=\"", colour_of(p, value->series));
		svg_add_coordinate(to, place_of(p, value->place) - group / 2 + bar * value->series);
		add_string(to, "\" y=\"");
		svg_add_coordinate(to, fmin(zero, end));
		add_string(to, "\" width=\"");
		svg_add_coordinate(to, fmax(bar, 0.5));
		add_string(to, "\" height=\"");
		svg_add_coordinate(to, fabs(zero - end));
		add_string(to, "\">");
		end_with_title(to, p, value, "rect");
	}
}

/* A circle, a square, and what else a few strokes make. */
static void
add_shape(struct text_buffer *to, uint32_t series, double x, double y)
{
	static const char *const shapes[] = { "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "m-4-4h8v8h-8z", "m0-5l5 9h-10z",
					      "m0-5l5 5l-5 5l-5-5z", "m0 5l5-9h-10z", "m-5-2h10v4h-10z" };

	add_string(to, "\" d=\"");
	svg_add_point(to, 'M', x, y);
	add_string(to, shapes[series % (sizeof shapes / sizeof *shapes)]);
	add_char(to, '"');
}

static void
add_lines(struct text_buffer *to, const struct plot *p)
{
	static const char *const dashes[] = { "", "7 3", "2 2", "9 3 2 3" };

	for (uint32_t series = 0; series < p->chart->series.texts.count; series++) {
		bool first = true;

		add_format(to, "<path class=\"l\" stroke=\"#%06X\" stroke-dasharray=\"%s\" d=\"", colour_of(p, series),
			   dashes[series % (sizeof dashes / sizeof *dashes)]);
		for (size_t i = 0; i < p->panel->values.count; i++) {
			const struct row_value *value = &p->panel->values.at[i];

			if (value->series != series)
				continue;
			svg_add_point(to, first ? 'M' : 'L', place_of(p, value->place), height_of(p, value->y));
			first = false;
		}
		add_string(to, "\"/>\n");
	}
	for (size_t i = 0; i < p->panel->values.count; i++) {
		const struct row_value *value = &p->panel->values.at[i];

		add_format(to, "<path class=\"k\" fill=\"#%06X", colour_of(p, value->series));
		add_shape(to, value->series, place_of(p, value->place), height_of(p, value->y));
		add_char(to, '>');
		end_with_title(to, p, value, "path");
	}
}

/* Returns where the panels may begin. */
static double
add_legend(struct text_buffer *to, const struct row_chart *chart, enum palette palette, double width, double y)
{
	double x = MARGIN;

	for (uint32_t i = 0; i < chart->series.texts.count; i++) {
		struct stk_text name = text_table_text(&chart->series, i + 1);
		double room = 34 + SVG_LETTER * 1.15 * (double)name.size;

		if (x + room > width && x > MARGIN) {
			x = MARGIN;
			y += 18;
		}
		add_format(to, "<path class=\"k\" fill=\"#%06X", (unsigned)palette_group(palette, i)->rgb);
		add_shape(to, chart->bars ? 1 : i, x + 6, y - 4);
		add_string(to, "/>");
		svg_add_words(to, x + 18, y, "", "", name, width);
		x += room;
	}
	return y + 14;
}

void
row_chart_svg_add(struct text_buffer *to, const struct row_chart *chart, struct stk_text title, unsigned width,
		  enum palette palette)
{
	unsigned count = (unsigned)chart->list.count, across = count < ACROSS_MOST ? count : ACROSS_MOST;
	double y = 26, each = (width - 2.0 * MARGIN) / across, foot = FOOT_HIGH;
	struct text_buffer body = { 0 };

	svg_add_words(&body, MARGIN, y, "t", "", title, width * 0.7);
	y = add_legend(&body, chart, palette, width - MARGIN, y + 24);
	for (unsigned i = 0; i < count; i++) {
		struct plot p = { .chart = chart, .panel = &chart->list.at[i], .palette = palette,
				  .x = MARGIN + each * (i % across) + AXIS_WIDTH, .y = y + HEAD_HIGH,
				  .wide = each - AXIS_WIDTH - MARGIN };

		set_axes(&p);
		foot = p.slanted ? SLANT_HIGH : foot;
		add_axes(&body, &p, text_table_text(&chart->panels, i + 1));
		if (chart->bars)
			add_bars(&body, &p);
		else
			add_lines(&body, &p);
		if ((i + 1) % across == 0 || i + 1 == count)
			y += HEAD_HIGH + PLOT_HIGH + foot;
	}
	add_format(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n", width,
		   (unsigned)y + MARGIN, width, (unsigned)y + MARGIN);
	add_string(to, style);
	add_text(to, text_in(&body, 0));
	add_string(to, "</svg>\n");
	array_release(&body);
}
