/* SPDX-License-Identifier: MIT
 * flame_terminal: frames are placed in whole letters, so that the last of a level ends where its caller ends. */
#include "plot/flame_terminal.h"

#include "plot/flame_order.h"
#include "plot/module_colours.h"

#include "base/terminal_text.h"

#define ROOT_MODULE    10	/* a pale one */
#define LEGEND_LETTERS 24u	/* of a name */

static const struct palette_fill gone = { 0xFFFFFF, 231, 107 };

struct drawing {
	const struct flame_tree *tree;
	const struct flame_terminal_options *options;
	struct module_colours colours;	/* unless it is a comparison */
};

static const struct palette_fill *
fill_of(const struct drawing *drawing, uint32_t node)
{
	const struct flame_terminal_options *options = drawing->options;
	const struct flame_difference *d = options->difference;

	if (d == NULL && node == 0)
		return palette_module(options->palette, ROOT_MODULE);
	if (d == NULL)
		return palette_module(options->palette, module_colours_of(&drawing->colours, drawing->tree, node));
	if (flame_difference_is_gone(d, node))
		return &gone;
	return flame_difference_is_chance(d, node) ? palette_chance(options->palette)
						   : palette_step(options->palette, flame_difference_step(d, node));
}

static size_t
letters_of(struct stk_text name)
{
	const char *at = name.data, *end = at + name.size;
	size_t letters = 0;

	for (; at < end; letters++) {
		size_t size = utf8_size(at, end);

		at += size == 0 ? 1 : size;
	}
	return letters;
}

/* Fewer letters of a longer name say nothing. No ~ alone either: in a comparison it means chance. */
enum { FEWEST_LETTERS = 4 };

/* The name in `room` columns: cut with ~ or, in very few, left out; filled with blanks. What a terminal would obey is
 * masked. */
static void
add_fitted(struct text_buffer *to, struct stk_text name, size_t room)
{
	const char *at = name.data, *end = at + name.size;
	size_t letters = letters_of(name), used = 0;

	if (letters > room && room < FEWEST_LETTERS)
		at = end;
	while (at < end && used < room) {
		size_t size = printable_size(at, end), whole = utf8_size(at, end);

		if (used + 1 == room && letters > room)
			add_char(to, '~');
		else if (size == 0)
			add_char(to, '?');
		else
			add_bytes(to, at, size);
		at += size != 0 ? size : whole != 0 ? whole : 1;
		used++;
	}
	for (; used < room; used++)
		add_char(to, ' ');
}

/* Neighbours of one colour differ in brightness. */
static unsigned
byte_of(uint32_t rgb, unsigned shift, bool other)
{
	unsigned byte = rgb >> shift & 0xFF;

	return byte - (other ? byte / 8 : 0);
}

static void
add_colour(struct text_buffer *to, enum flame_colours colours, const struct palette_fill *fill, bool other)
{
	if (colours == FLAME_TRUE)
		add_format(to, "\033[30;48;2;%u;%u;%um", byte_of(fill->rgb, 16, other), byte_of(fill->rgb, 8, other),
			   byte_of(fill->rgb, 0, other));
	else if (colours == FLAME_256)
		add_format(to, "\033[30;48;5;%um", fill->of_256);
	else if (colours == FLAME_16)
		add_format(to, "\033[30;%um", fill->of_16);
}

/* The name and, where there is room for both, how it changed. */
static void
add_name(struct text_buffer *to, struct stk_text name, const struct flame_difference *d, uint32_t node, size_t room)
{
	struct text_buffer word = { 0 };
	size_t own = room, letters = letters_of(name);

	if (d != NULL)
		flame_difference_add_word(&word, d, node, "~");
	if (room > word.count + 3)
		own = word.count > 0 && letters < room - word.count ? letters : room - word.count;
	else
		word.count = 0;
	add_fitted(to, name, own);
	add_text(to, text_in(&word, 0));
	for (size_t used = own + word.count; used < room; used++)
		add_char(to, ' ');
	array_release(&word);
}

struct level { ARRAY(struct flame_place) places; };

struct columns { size_t begin, end; };

static struct columns
columns_of(const struct flame_tree *tree, const struct flame_place *place, size_t width)
{
	double scale = (double)width / (double)tree->calls.total.at[0];
	size_t end = (size_t)((double)(place->from + place->size) * scale + 0.5);

	return (struct columns){ (size_t)((double)place->from * scale + 0.5), end < width ? end : width };
}

static struct stk_text
name_of(const struct flame_tree *tree, uint32_t node)
{
	return node == 0 ? text_from("all") : call_tree_name(&tree->calls, node);
}

/* Of no frame of some levels there is room for a name. */
static bool
shows_a_name(const struct flame_tree *tree, const struct level *level, size_t width)
{
	for (size_t i = 0; i < level->places.count; i++) {
		struct columns columns = columns_of(tree, &level->places.at[i], width);
		size_t room = columns.end > columns.begin ? columns.end - columns.begin - 1 : 0;

		if (room >= FEWEST_LETTERS || letters_of(name_of(tree, level->places.at[i].node)) <= room)
			return true;
	}
	return false;
}

static void
add_level(struct text_buffer *to, const struct drawing *drawing, const struct level *level)
{
	const struct flame_terminal_options *options = drawing->options;
	const struct flame_tree *tree = drawing->tree;
	size_t column = 0;

	for (size_t i = 0; i < level->places.count; i++) {
		const struct flame_place *place = &level->places.at[i];
		struct columns columns = columns_of(tree, place, options->width);

		for (; column < columns.begin; column++)
			add_char(to, ' ');
		if (columns.end <= columns.begin)
			continue;
		if (options->colours != FLAME_PLAIN)
			add_colour(to, options->colours, fill_of(drawing, place->node),
				   i % 2 != 0 && options->difference == NULL);
		add_char(to, options->colours == FLAME_PLAIN || options->difference != NULL ? '|' : ' ');
		add_name(to, name_of(tree, place->node), options->difference, place->node,
			 columns.end - columns.begin - 1);
		if (options->colours != FLAME_PLAIN)
			add_string(to, "\033[0m");
		column = columns.end;
	}
	while (to->count > 0 && to->at[to->count - 1] == ' ')
		to->count--;
	add_char(to, '\n');
}

/* As many modules as a line has room for: name and share of all counts, on its colour. */
static void
add_legend(struct text_buffer *to, const struct drawing *drawing)
{
	const struct flame_terminal_options *options = drawing->options;
	const struct coloured_module *modules[PALETTE_MODULES];
	size_t count = module_colours_legend(&drawing->colours, modules), used = 0;

	for (size_t i = 0; i < count; i++) {
		double share = 100 * (double)modules[i]->self / (double)drawing->tree->calls.total.at[0];
		struct stk_text name = module_short_name(modules[i]);
		size_t letters = letters_of(name), room = letters < LEGEND_LETTERS ? letters : LEGEND_LETTERS;
		size_t wide = room + sizeof "  99.9% ";

		if (used + wide > options->width)
			break;
		add_colour(to, options->colours, palette_module(options->palette, modules[i]->colour), false);
		add_char(to, ' ');
		add_fitted(to, name, room);
		add_format(to, " %4.1f%% \033[0m ", share);
		used += wide;
	}
	if (used > 0)
		to->at[to->count - 1] = '\n';
}

void
flame_terminal_add(struct text_buffer *to, const struct flame_tree *tree, const struct flame_terminal_options *options,
		   struct flame_undrawn *undrawn)
{
	struct drawing drawing = { .tree = tree, .options = options };
	struct flame_places places;
	struct level *levels;
	uint32_t drawn;

	if (options->difference == NULL)
		module_colours_make(&drawing.colours, tree);
	undrawn->paths = flame_places_make(&places, tree, (double)tree->calls.total.at[0] / (double)options->width,
					   &undrawn->counts);
	levels = mem_new((size_t)places.levels + 1, sizeof *levels);
	for (size_t i = 0; i < places.list.count; i++)
		*array_push(&levels[tree->calls.nodes.at[places.list.at[i].node].depth].places) = places.list.at[i];
	for (drawn = places.levels; drawn > 1 && !shows_a_name(tree, &levels[drawn - 1], options->width);)
		drawn--;
	undrawn->levels = places.levels - drawn;
	for (uint32_t i = 0; i < drawn; i++)
		add_level(to, &drawing, &levels[options->icicle ? i : drawn - 1 - i]);
	if (options->colours != FLAME_PLAIN && options->difference == NULL && tree->calls.total.at[0] > 0)
		add_legend(to, &drawing);
	for (uint32_t i = 0; i < places.levels; i++)
		array_release(&levels[i].places);
	free(levels);
	module_colours_release(&drawing.colours);
	flame_places_release(&places);
}
