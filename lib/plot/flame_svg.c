/* SPDX-License-Identifier: MIT
 * flame_svg: frames of one colour could be one element, but each has a title of its own. Their height and the letters'
 * size are said once. */
#include "plot/flame_svg.h"

#include "plot/flame_order.h"

#include "base/terminal_text.h"

#include <math.h>

#define MARGIN       10.0
#define LEVEL_PIXELS 16
#define TOP_PIXELS   36
#define END_PIXELS   34
#define LETTER_WIDTH (12 * 0.59)	/* on average */
#define LEAST_PIXELS 0.1
#define LEGEND_PIXELS 78	/* of a word */

/* Fills that carry black text; the same module has the same one in all pictures. */
static const char fills[] = ".a{fill:#f0e442}.b{fill:#5b73cd}.c{fill:#ee2918}.d{fill:#68c8f4}.e{fill:#ef9687}.f{fill:#affded}"
			    ".g{fill:#9d7782}.h{fill:#7d98f5}.i{fill:#c2c310}.j{fill:#bb8db6}.k{fill:#b2d8c3}.l{fill:#ef7926}"
			    ".m{fill:#e6e6e6}";

/* Of a comparison: more, less, no change, chance, and what vanished; the same as in pages. */
static const char difference_fills[] = ".a{fill:#fde3cf}.b{fill:#fbc79f}.c{fill:#f6a56b}.d{fill:#e98138}.e{fill:#e0670a}"
				       ".f{fill:#d6e6f4}.g{fill:#afcfea}.h{fill:#7fb3dc}.i{fill:#4a94cb}.j{fill:#2f82bf}"
				       ".m{fill:#e6e6e6}.n{fill:#bdbdbd}.o{fill:#fff;stroke:#767676;stroke-dasharray:3 2}";

void
xml_add_text(struct text_buffer *to, struct stk_text text)
{
	const char *at = text.data, *end = at + text.size;

	while (at < end) {
		size_t size = utf8_size(at, end);
		uint32_t c = size == 0 ? 0xFFFD : utf8_number(at, size);

		if (c == '\t' || c == '\n' || c == '\r' || c == '&' || c == '<' || c == '>' || c == '"' || c == '\'')
			add_format(to, "&#%u;", (unsigned)c);
		else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || (c & 0xFFFE) == 0xFFFE || size == 0)
			add_string(to, "\xEF\xBF\xBD");
		else
			add_bytes(to, at, size);
		at += size == 0 ? 1 : size;
	}
}

/* 1234567 as 1,234,567. */
static void
add_count(struct text_buffer *to, uint64_t count)
{
	if (count >= 1000) {
		add_count(to, count / 1000);
		add_format(to, ",%03u", (unsigned)(count % 1000));
	} else {
		add_unsigned(to, count);
	}
}

/* The number with one digit after the point, without a needless one. */
static void
add_tenths(struct text_buffer *to, double number)
{
	long long tenths = llround(number * 10);

	add_signed(to, tenths / 10);
	if (tenths % 10 != 0)
		add_format(to, ".%d", (int)(tenths % 10));
}

/* The letters that fit, the last ones as dots. */
static void
add_label(struct text_buffer *to, struct stk_text name, size_t room)
{
	const char *at = name.data, *end = at + name.size, *cut = at;
	size_t letters = 0;

	for (; at < end; letters++) {
		size_t size = utf8_size(at, end);

		if (letters + 2 == room)
			cut = at;
		at += size == 0 ? 1 : size;
	}
	if (letters <= room) {
		xml_add_text(to, name);
	} else {
		xml_add_text(to, text_of(name.data, (size_t)(cut - name.data)));
		add_string(to, "..");
	}
}

struct picture {
	const struct flame_tree *tree;
	const struct flame_svg_options *options;
	uint64_t whole;
	unsigned high;
};

static void
add_share(struct text_buffer *to, uint64_t count, uint64_t whole)
{
	add_count(to, count);
	if (count == whole)
		add_string(to, " samples, 100%");
	else
		add_format(to, " samples, %.2f%%", whole == 0 ? 0 : 100 * (double)count / (double)whole);
}

/* What changed, after the counts of the second side. */
static void
add_change(struct text_buffer *to, const struct flame_difference *d, uint32_t node)
{
	add_share(to, d->totals[1].at[node], d->totals[1].at[0]);
	add_string(to, "; before ");
	add_share(to, d->totals[0].at[node], d->totals[0].at[0]);
	if (flame_difference_is_chance(d, node))
		add_string(to, "; no more than chance");
	else
		add_format(to, "; %+.1f points%s", flame_difference_points(d, node), d->shares ? "" : " of the rate");
}

static char
class_of(const struct picture *p, uint32_t node)
{
	const struct flame_difference *d = p->options->difference;
	int step;

	if (d == NULL)
		return node == 0 ? 'm' : (char)('a' + (int)flame_colour(p->tree, node));
	if (flame_difference_is_gone(d, node))
		return 'o';
	if (flame_difference_is_chance(d, node))
		return 'n';
	step = flame_difference_step(d, node);
	return (char)(step == 0 ? 'm' : step > 0 ? 'a' + step - 1 : 'f' - step - 1);
}

static void
add_title(struct text_buffer *to, const struct picture *p, const struct flame_place *place, struct stk_text name)
{
	add_string(to, "<title>");
	xml_add_text(to, name);
	add_string(to, " (");
	if (p->options->difference != NULL)
		add_change(to, p->options->difference, place->node);
	else
		add_share(to, place->size, p->whole);
	add_string(to, ")</title>");
}

static void
add_frame(struct text_buffer *to, const struct picture *p, const struct flame_place *place)
{
	const struct call_tree *calls = &p->tree->calls;
	uint32_t depth = calls->nodes.at[place->node].depth;
	double scale = (p->options->width - 2 * MARGIN) / (double)p->whole;
	double x = round((MARGIN + (double)place->from * scale) * 10) / 10;
	double end = round((MARGIN + (double)(place->from + place->size) * scale) * 10) / 10;
	unsigned y = p->options->icicle ? TOP_PIXELS + depth * LEVEL_PIXELS + 1
					: p->high - END_PIXELS - (depth + 1) * LEVEL_PIXELS + 1;
	struct stk_text name = place->node == 0 ? text_from("all") : call_tree_name(calls, place->node);
	size_t room = (size_t)((end - x) / LETTER_WIDTH);
	struct text_buffer label = { 0 };

	add_format(to, "<g><rect class=\"%c\" x=\"", class_of(p, place->node));
	add_tenths(to, x);
	add_format(to, "\" y=\"%u\" width=\"", y);
	add_tenths(to, end - x);
	add_string(to, "\" height=\"15\"/>");
	add_title(to, p, place, name);
	if (room >= 3 && p->options->difference != NULL) {
		add_text(&label, name);
		flame_difference_add_word(&label, p->options->difference, place->node, "\u2248");
		name = text_in(&label, 0);
	}
	if (room >= 3) {
		add_string(to, "<text x=\"");
		add_tenths(to, x + 3);
		add_format(to, "\" y=\"%u\">", y + 11);
		add_label(to, name, room);
		add_string(to, "</text>");
	}
	add_string(to, "</g>\n");
	array_release(&label);
}

static void
add_opening(struct text_buffer *to, const struct picture *p)
{
	unsigned width = p->options->width;

	add_format(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\"%s>\n", width, p->high,
		   width, p->high, p->options->inside ? " class=\"flame\" role=\"group\" aria-label=\"Flame graph\"" : "");
	if (p->options->inside)
		return;
	add_string(to, "<style>text{font:12px Verdana,sans-serif}.t{font-size:17px;text-anchor:middle}");
	add_string(to, p->options->difference != NULL ? difference_fills : fills);
	add_string(to, "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	add_format(to, "<text class=\"t\" x=\"%u\" y=\"24\">", width / 2);
	xml_add_text(to, text_from(p->options->title));
	add_string(to, "</text>\n");
}

/* Below the title: what the colours are, in words as well. */
static void
add_legend(struct text_buffer *to, const struct picture *p)
{
	static const struct { char fill; const char *text; } all[] = {
		{ 'c', "+ more" }, { 'h', "- less" }, { 'n', "\u2248 chance" }, { 'o', "gone" }
	};
	unsigned x = 10;

	for (unsigned i = 0; i < sizeof all / sizeof *all && p->options->width >= 4 * LEGEND_PIXELS; i++) {
		add_format(to, "<rect class=\"%c\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"15\"/>", all[i].fill, x,
			   p->high - END_PIXELS + 1, LEGEND_PIXELS - 8);
		add_format(to, "<text x=\"%u\" y=\"%u\">%s</text>\n", x + 3, p->high - END_PIXELS + 12, all[i].text);
		x += LEGEND_PIXELS;
	}
	if (p->options->width >= 4 * LEGEND_PIXELS + 300)
		add_format(to, "<text x=\"%u\" y=\"%u\">%s</text>\n", x + 3, p->high - END_PIXELS + 12,
			   p->options->difference->shares ? "in points of share" : "in points of samples a second");
}

uint64_t
flame_svg_add(struct text_buffer *to, const struct flame_tree *tree, const struct flame_svg_options *options,
	      uint64_t *hidden)
{
	struct picture p = { tree, options, tree->calls.total.at[0], 0 };
	double least = p.whole == 0 ? 0 : LEAST_PIXELS / ((options->width - 2 * MARGIN) / (double)p.whole);
	struct flame_places places;
	uint64_t left_out;

	left_out = flame_places_make(&places, tree, least, hidden);
	p.high = (unsigned)places.levels * LEVEL_PIXELS + TOP_PIXELS + END_PIXELS;
	add_opening(to, &p);
	for (size_t i = 0; i < places.list.count; i++)
		add_frame(to, &p, &places.list.at[i]);
	if (p.whole == 0)
		add_string(to, "<text x=\"13\" y=\"47\">no samples</text>\n");
	if (options->difference != NULL)
		add_legend(to, &p);
	if (left_out > 0) {
		add_format(to, "<text x=\"10\" y=\"%u\">", p.high - 10);
		add_count(to, left_out);
		add_format(to, " call paths under %.1f pixels are not drawn (%.2f%% of the samples)</text>\n", LEAST_PIXELS,
			   100 * (double)*hidden / (double)p.whole);
	}
	add_string(to, "</svg>\n");
	flame_places_release(&places);
	return left_out;
}
