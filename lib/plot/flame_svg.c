/* SPDX-License-Identifier: MIT
 * flame_svg: frames of one colour could be one element, but each has a title of its own. What they have in common is
 * said once: colour, height, the letters' size. */
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
#define MANY_FRAMES 1000
#define COLUMN 1000	/* tenths of a pixel */

/* What has the same fill is a class; the same module has the same one in all pictures. */
enum { CLASS_SAME = PALETTE_MODULES, CLASS_CHANCE, CLASS_GONE, CLASSES };

#define CLASS_LESS 5
#define ROOT_RGB   0xE6E6E6	/* what was called by nobody, of any palette */
#define GONE_LOOK  "fill=\"#fff\" stroke=\"#767676\" stroke-dasharray=\"3 2\""

static uint32_t
fill_of(const struct flame_svg_options *options, unsigned class)
{
	int step = class < CLASS_LESS ? (int)class + 1 : CLASS_LESS - (int)class - 1;

	if (options->difference == NULL)
		return class == CLASS_SAME ? ROOT_RGB : palette_module(options->palette, class)->rgb;
	if (class == CLASS_CHANCE)
		return palette_chance(options->palette)->rgb;
	return palette_step(options->palette, class == CLASS_SAME ? 0 : step)->rgb;
}

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

/* Fewer letters of a longer name say nothing. */
enum { FEWEST_LETTERS = 5 };

/* The letters that fit, the last ones as dots; false, and nothing, where they are too few. */
static bool
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
	if (letters > room && room < FEWEST_LETTERS)
		return false;
	if (letters <= room) {
		xml_add_text(to, name);
	} else {
		xml_add_text(to, text_of(name.data, (size_t)(cut - name.data)));
		add_string(to, "..");
	}
	return true;
}

struct picture {
	const struct flame_tree *tree;
	const struct flame_svg_options *options;
	const struct module_colours *colours;	/* not of a comparison */
	uint64_t whole;
	unsigned levels, high;
	bool many;
	long long column;	/* what frames are counted from: tenths of a pixel, */
	unsigned base;		/* and a level */
};

struct ends { long long from, to; };

static void
add_share(struct text_buffer *to, const char *unit, uint64_t count, uint64_t whole)
{
	add_count(to, count);
	add_char(to, ' ');
	xml_add_text(to, text_from(unit));
	if (count == whole && whole > 0)
		add_string(to, ", 100%");
	else
		add_format(to, ", %.2f%%", whole == 0 ? 0 : 100 * (double)count / (double)whole);
}

/* A side without any has no shares. */
static void
add_side(struct text_buffer *to, const char *unit, const struct flame_difference *d, unsigned side, uint32_t node)
{
	if (d->totals[side].at[0] > 0) {
		add_share(to, unit, d->totals[side].at[node], d->totals[side].at[0]);
	} else {
		add_string(to, "no ");
		xml_add_text(to, text_from(unit));
	}
}

/* What changed, after the counts of the second side. */
static void
add_change(struct text_buffer *to, const char *unit, const struct flame_difference *d, uint32_t node)
{
	add_side(to, unit, d, 1, node);
	add_string(to, "; before ");
	add_side(to, unit, d, 0, node);
	if (d->shares && (d->totals[0].at[0] == 0 || d->totals[1].at[0] == 0)) {
		add_string(to, "; no shares to compare");
		return;
	}
	if (flame_difference_is_chance(d, node))
		add_string(to, "; no more than chance");
	else
		add_format(to, "; %+.1f points%s", flame_difference_points(d, node), d->shares ? "" : " of the rate");
}

static unsigned char
class_of(const struct picture *p, uint32_t node)
{
	const struct flame_difference *d = p->options->difference;
	int step;

	if (d == NULL)
		return (unsigned char)(node == 0 ? CLASS_SAME : module_colours_of(p->colours, p->tree, node));
	if (flame_difference_is_gone(d, node))
		return CLASS_GONE;
	if (flame_difference_is_chance(d, node))
		return CLASS_CHANCE;
	step = flame_difference_step(d, node);
	return (unsigned char)(step == 0 ? CLASS_SAME : step > 0 ? step - 1 : CLASS_LESS - step - 1);
}

static void
add_title(struct text_buffer *to, const struct picture *p, const struct flame_place *place, struct stk_text name)
{
	add_string(to, "<title>");
	xml_add_text(to, name);
	add_string(to, " (");
	if (p->options->difference != NULL)
		add_change(to, p->options->unit, p->options->difference, place->node);
	else
		add_share(to, p->options->unit, place->size, p->whole);
	add_string(to, ")</title>");
}

static struct stk_text
name_of(const struct picture *p, uint32_t node)
{
	return node == 0 ? text_from("all") : call_tree_name(&p->tree->calls, node);
}

/* The ends of a frame in tenths of a pixel. */
static struct ends
ends_of(const struct picture *p, const struct flame_place *place)
{
	double scale = (p->options->width - 2 * MARGIN) / (double)p->whole;

	return (struct ends){ llround((MARGIN + (double)place->from * scale) * 10),
			      llround((MARGIN + (double)(place->from + place->size) * scale) * 10) };
}

/* Levels are counted from the top. */
static unsigned
level_of(const struct picture *p, uint32_t node)
{
	uint32_t depth = p->tree->calls.nodes.at[node].depth;

	return p->options->icicle ? depth : p->levels - 1 - depth;
}

#define SHORT_NUMBERS 9u	/* levels up to this have one digit */

/* Where most frames are at most SHORT_NUMBERS levels away; frames: how many each level has. */
static unsigned
densest_level(const uint32_t *frames, unsigned levels)
{
	uint64_t near = 0, most = 0;
	unsigned best = 0;

	for (unsigned below = 0; below < levels + SHORT_NUMBERS; below++) {		/* the last that is near */
		near += below < levels ? frames[below] : 0;
		near -= below > 2 * SHORT_NUMBERS ? frames[below - 2 * SHORT_NUMBERS - 1] : 0;
		if (below >= SHORT_NUMBERS && near > most) {
			most = near;
			best = below - SHORT_NUMBERS;
		}
	}
	return best;
}

/* Begins where its first frame does, and at the level near which most of its frames are. Returns the place after its
 * last frame. */
static size_t
open_column(struct text_buffer *to, struct picture *p, const struct flame_places *places, const unsigned char *classes,
	    size_t first)
{
	uint32_t *frames = mem_new((size_t)p->levels + 1, sizeof *frames);
	size_t end = first;

	p->column = ends_of(p, &places->list.at[first]).from;
	for (; end < places->list.count; end++) {
		if (classes[end] != classes[first])
			continue;
		if (ends_of(p, &places->list.at[end]).from - p->column >= COLUMN)
			break;
		frames[level_of(p, places->list.at[end].node)]++;
	}
	p->base = densest_level(frames, p->levels);
	free(frames);
	add_format(to, "<g transform=\"translate(%lld %u)\">", p->column, p->base);
	return end;
}

static void
add_frame(struct text_buffer *to, struct picture *p, const struct flame_place *place, unsigned class)
{
	struct ends ends = ends_of(p, place);
	unsigned level = level_of(p, place->node);
	int height = (int)level - (int)p->base;

	if (class == CLASS_GONE)
		add_format(to, "<g><rect x=\"%lld\" y=\"%u\" width=\"%lld\" height=\"15\"/>", ends.from / 10,
			   TOP_PIXELS + 1 + level * LEVEL_PIXELS, ends.to / 10 - ends.from / 10);
	else
		add_format(to, "<g><path d=\"M%lld%s%dh%lld\"/>", ends.from - p->column, height < 0 ? "" : " ", height,
			   ends.to - ends.from);
	add_title(to, p, place, name_of(p, place->node));
	add_string(to, p->many ? "</g>" : "</g>\n");
}

static void
add_class(struct text_buffer *to, struct picture *p, const struct flame_places *places, const unsigned char *classes,
	  unsigned class)
{
	bool columns = p->many && class != CLASS_GONE;
	size_t end = 0;

	p->column = p->base = 0;
	for (size_t i = 0; i < places->list.count; i++) {
		if (classes[i] != class)
			continue;
		if (columns && i >= end) {
			add_string(to, end > 0 ? "</g>\n" : "");
			end = open_column(to, p, places, classes, i);
		}
		add_frame(to, p, &places->list.at[i], class);
	}
	if (end > 0)
		add_string(to, "</g>\n");
}

/* The frames of each class are lines as thick as a level, in tenths of a pixel and levels: that is less than half the
 * bytes of rectangles with an attribute for each number. Many frames have short numbers, from a column's left end and a
 * level in its middle, and each column is one line of the file. */
static void
add_frames(struct text_buffer *to, struct picture *p, const struct flame_places *places)
{
	unsigned char *classes = mem_new(places->list.count + 1, 1);
	size_t counts[CLASSES] = { 0 };

	for (size_t i = 0; i < places->list.count; i++)
		counts[classes[i] = class_of(p, places->list.at[i].node)]++;
	p->many = places->list.count >= MANY_FRAMES;
	add_format(to, "<g transform=\"translate(0 %u.5) scale(.1 %d)\" stroke-width=\".9375\">\n",
		   TOP_PIXELS + 8, LEVEL_PIXELS);
	for (unsigned class = 0; class < CLASSES; class++) {
		if (class == CLASS_GONE)
			add_string(to, "</g>\n");
		if (counts[class] == 0)
			continue;
		if (class == CLASS_GONE)
			add_string(to, "<g " GONE_LOOK ">\n");
		else
			add_format(to, "<g stroke=\"#%06x\">\n", (unsigned)fill_of(p->options, class));
		add_class(to, p, places, classes, class);
		add_string(to, "</g>\n");
	}
	free(classes);
}

static void
add_frame_label(struct text_buffer *to, const struct picture *p, const struct flame_place *place)
{
	struct ends ends = ends_of(p, place);
	size_t room = (size_t)((double)(ends.to - ends.from) / 10 / LETTER_WIDTH), begin = to->count;
	struct text_buffer label = { 0 };

	if (room == 0)
		return;
	add_text(&label, name_of(p, place->node));
	if (p->options->difference != NULL)
		flame_difference_add_word(&label, p->options->difference, place->node, "\u2248");
	add_format(to, "<text x=\"%lld\" y=\"%u\">", (ends.from + 35) / 10, TOP_PIXELS + 12 + level_of(p, place->node) * LEVEL_PIXELS);
	if (add_label(to, text_in(&label, 0), room))
		add_string(to, "</text>\n");
	else
		to->count = begin;
	array_release(&label);
}

/* Names are above the frames, whose titles are seen through them. */
static void
add_frame_labels(struct text_buffer *to, const struct picture *p, const struct flame_places *places)
{
	add_string(to, "<g pointer-events=\"none\">\n");
	for (size_t i = 0; i < places->list.count; i++)
		add_frame_label(to, p, &places->list.at[i]);
	add_string(to, "</g>\n");
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
	add_string(to, "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	add_format(to, "<text class=\"t\" x=\"%u\" y=\"24\">", width / 2);
	xml_add_text(to, text_from(p->options->title));
	add_string(to, "</text>\n");
}

#define MODULE_LETTERS 24u	/* of a name in the legend */

/* As many modules as there is room for: name and share of all counts, on its colour. */
static void
add_module_legend(struct text_buffer *to, const struct picture *p)
{
	const struct coloured_module *modules[PALETTE_MODULES];
	size_t count = p->whole == 0 ? 0 : module_colours_legend(p->colours, modules);
	double x = MARGIN;

	add_string(to, "<g>\n");		/* text on fills is black, also in a dark page */
	for (size_t i = 0; i < count; i++) {
		struct stk_text name = module_short_name(modules[i]);
		size_t room = name.size < MODULE_LETTERS ? name.size : MODULE_LETTERS;
		double width = (double)(room + sizeof " 99.9%") * LETTER_WIDTH;

		if (x + width > p->options->width - MARGIN)
			break;
		add_format(to, "<rect fill=\"#%06x\" x=\"%.0f\" y=\"%u\" width=\"%.0f\" height=\"15\"/>",
			   (unsigned)fill_of(p->options, modules[i]->colour), x, p->high - END_PIXELS + 1, width - 8);
		add_format(to, "<text x=\"%.0f\" y=\"%u\">", x + 3, p->high - END_PIXELS + 12);
		(void)add_label(to, name, room);
		add_format(to, " %.1f%%</text>\n", 100 * (double)modules[i]->self / (double)p->whole);
		x += width;
	}
	add_string(to, "</g>\n");
}

/* Below the title: what the colours are, in words as well. */
static void
add_difference_legend(struct text_buffer *to, const struct picture *p)
{
	static const struct { unsigned class; const char *text; } all[] = {
		{ 2, "+ more" }, { CLASS_LESS + 2, "- less" }, { CLASS_CHANCE, "\u2248 chance" }, { CLASS_GONE, "gone" }
	};
	unsigned x = 10;

	add_string(to, "<g>\n");
	for (unsigned i = 0; i < sizeof all / sizeof *all && p->options->width >= 4 * LEGEND_PIXELS; i++) {
		if (all[i].class == CLASS_GONE)
			add_string(to, "<rect " GONE_LOOK);
		else
			add_format(to, "<rect fill=\"#%06x\"", (unsigned)fill_of(p->options, all[i].class));
		add_format(to, " x=\"%u\" y=\"%u\" width=\"%d\" height=\"15\"/>", x, p->high - END_PIXELS + 1, LEGEND_PIXELS - 8);
		add_format(to, "<text x=\"%u\" y=\"%u\">%s</text>\n", x + 3, p->high - END_PIXELS + 12, all[i].text);
		x += LEGEND_PIXELS;
	}
	add_string(to, "</g>\n");
	if (p->options->width >= 4 * LEGEND_PIXELS + 300)
		add_format(to, "<text x=\"%u\" y=\"%u\">%s</text>\n", x + 3, p->high - END_PIXELS + 12,
			   p->options->difference->shares ? "in points of share" : "in points of samples a second");
}

uint64_t
flame_svg_add(struct text_buffer *to, const struct flame_tree *tree, const struct flame_svg_options *options,
	      uint64_t *hidden)
{
	struct picture p = { .tree = tree, .options = options, .whole = tree->calls.total.at[0] };
	double pixels = options->least_pixels > 0 ? options->least_pixels : LEAST_PIXELS;
	double least = p.whole == 0 ? 0 : pixels / ((options->width - 2 * MARGIN) / (double)p.whole);
	struct module_colours own = { 0 };
	struct flame_places places;
	uint64_t left_out;

	left_out = flame_places_make(&places, tree, least, hidden);
	if (options->colours != NULL)
		module_colours_count(options->colours, tree);
	else if (options->difference == NULL)
		module_colours_make(&own, tree);
	p.colours = options->colours != NULL ? options->colours : &own;
	p.levels = places.levels;
	p.high = (unsigned)places.levels * LEVEL_PIXELS + TOP_PIXELS + END_PIXELS;
	add_opening(to, &p);
	add_frames(to, &p, &places);
	add_frame_labels(to, &p, &places);
	if (p.whole == 0)
		add_string(to, "<text x=\"13\" y=\"47\">no samples</text>\n");
	if (options->difference != NULL)
		add_difference_legend(to, &p);
	else
		add_module_legend(to, &p);
	if (left_out > 0) {
		add_format(to, "<text x=\"10\" y=\"%u\">", p.high - 10);
		add_count(to, left_out);
		add_format(to, " call paths under %.1f pixels are not drawn (%.2f%% of the ", pixels,
			   100 * (double)*hidden / (double)p.whole);
		xml_add_text(to, text_from(options->unit));
		add_string(to, ")</text>\n");
	}
	add_string(to, "</svg>\n");
	module_colours_release(&own);
	flame_places_release(&places);
	return left_out;
}
