/* SPDX-License-Identifier: MIT
 * flame_terminal: frames are placed in whole letters, so that the last of a level ends where its caller ends. */
#include "plot/flame_terminal.h"

#include "plot/flame_order.h"

#include "base/terminal_text.h"

/* The fills of pictures, and the nearest of 256 and of 16 colours that carry black text. */
static const struct { unsigned red, green, blue, of_256, of_16; } fills[FLAME_COLOURS] = {
	{ 0xF0, 0xE4, 0x42, 227, 103 }, { 0x5B, 0x73, 0xCD, 68, 104 },  { 0xEE, 0x29, 0x18, 196, 101 },
	{ 0x68, 0xC8, 0xF4, 81, 106 },  { 0xEF, 0x96, 0x87, 210, 101 }, { 0xAF, 0xFD, 0xED, 159, 106 },
	{ 0x9D, 0x77, 0x82, 138, 105 }, { 0x7D, 0x98, 0xF5, 111, 104 }, { 0xC2, 0xC3, 0x10, 142, 103 },
	{ 0xBB, 0x8D, 0xB6, 175, 105 }, { 0xB2, 0xD8, 0xC3, 151, 102 }, { 0xEF, 0x79, 0x26, 208, 102 },
};

/* The name in `room` columns: cut with ~, filled with blanks. What a terminal would obey is masked. */
static void
add_fitted(struct text_buffer *to, struct stk_text name, size_t room)
{
	const char *at = name.data, *end = at + name.size;
	size_t letters = 0, used = 0;

	for (const char *p = at; p < end; letters++) {
		size_t size = utf8_size(p, end);

		p += size == 0 ? 1 : size;
	}
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

static void
add_colour(struct text_buffer *to, enum flame_colours colours, unsigned colour, bool other)
{
	if (colours == FLAME_TRUE)		/* neighbours of one colour differ in brightness */
		add_format(to, "\033[30;48;2;%u;%u;%um", fills[colour].red - (other ? fills[colour].red / 8 : 0),
			   fills[colour].green - (other ? fills[colour].green / 8 : 0),
			   fills[colour].blue - (other ? fills[colour].blue / 8 : 0));
	else if (colours == FLAME_256)
		add_format(to, "\033[30;48;5;%um", fills[colour].of_256);
	else if (colours == FLAME_16)
		add_format(to, "\033[30;%um", fills[colour].of_16);
}

struct level { ARRAY(struct flame_place) places; };

static void
add_level(struct text_buffer *to, const struct flame_tree *tree, const struct flame_terminal_options *options,
	  const struct level *level)
{
	double scale = (double)options->width / (double)tree->calls.total.at[0];
	size_t column = 0;

	for (size_t i = 0; i < level->places.count; i++) {
		const struct flame_place *place = &level->places.at[i];
		size_t begin = (size_t)((double)place->from * scale + 0.5);
		size_t end = (size_t)((double)(place->from + place->size) * scale + 0.5);
		struct stk_text name = place->node == 0 ? text_from("all") : call_tree_name(&tree->calls, place->node);

		for (; column < begin; column++)
			add_char(to, ' ');
		if (end > options->width)
			end = options->width;
		if (end <= begin)
			continue;
		if (options->colours != FLAME_PLAIN)
			add_colour(to, options->colours, place->node == 0 ? 10 : flame_colour(tree, place->node),
				   i % 2 != 0);
		add_char(to, options->colours == FLAME_PLAIN ? '|' : ' ');
		add_fitted(to, name, end - begin - 1);
		if (options->colours != FLAME_PLAIN)
			add_string(to, "\033[0m");
		column = end;
	}
	while (to->count > 0 && to->at[to->count - 1] == ' ')
		to->count--;
	add_char(to, '\n');
}

uint64_t
flame_terminal_add(struct text_buffer *to, const struct flame_tree *tree, const struct flame_terminal_options *options,
		   uint64_t *hidden)
{
	struct flame_places places;
	uint64_t left_out = flame_places_make(&places, tree,
					      (double)tree->calls.total.at[0] / (double)options->width, hidden);
	struct level *levels = mem_new((size_t)places.levels + 1, sizeof *levels);

	for (size_t i = 0; i < places.list.count; i++)
		*array_push(&levels[tree->calls.nodes.at[places.list.at[i].node].depth].places) = places.list.at[i];
	for (uint32_t i = 0; i < places.levels; i++)
		add_level(to, tree, options, &levels[options->icicle ? i : places.levels - 1 - i]);
	for (uint32_t i = 0; i < places.levels; i++)
		array_release(&levels[i].places);
	free(levels);
	flame_places_release(&places);
	return left_out;
}
