/* SPDX-License-Identifier: MIT
 * module_colours: lib/plot/page/flame_data.js does the same for pages. */
#include "plot/module_colours.h"

#include "plot/palette.h"

#include <stdlib.h>
#include <string.h>

/* What comes before class and method, or before the last of a C++ name; else the name. */
static struct stk_text
module_of_name(struct stk_text name)
{
	size_t plain = 0, dots[2] = { 0, 0 }, colons = 0;

	while (plain < name.size && name.data[plain] != '(' && name.data[plain] != '<')
		plain++;
	for (size_t i = 0; i < plain; i++) {
		if (name.data[i] == '.') {
			dots[0] = dots[1];
			dots[1] = i;
		}
		if (name.data[i] == ':' && i + 1 < plain && name.data[i + 1] == ':')
			colons = i++;
	}
	return text_of(name.data, dots[0] > 0 ? dots[0] : colons > 0 ? colons : plain);
}

/* The module of each function. */
static void
find_modules(struct module_colours *out, const struct flame_tree *tree)
{
	size_t names = tree->calls.names.texts.count;

	*array_push(&out->module_of) = 0;
	for (uint32_t n = 1; n <= names; n++) {
		uint32_t recorded = n < tree->modules.count ? tree->modules.at[n] : 0;
		struct stk_text name = text_table_text(&tree->calls.names, n);
		struct stk_text text = recorded != 0 ? text_table_text(&tree->module_texts, recorded)
						     : module_of_name(name);
		uint32_t module = text_table_number(&out->texts, text);

		if (module > out->modules.count)
			*array_push(&out->modules) = (struct coloured_module){
				.name = text, .is_function = recorded == 0 && text.size == name.size };
		*array_push(&out->module_of) = module;
	}
}

void
module_colours_count(struct module_colours *colours, const struct flame_tree *tree)
{
	const struct call_tree *calls = &tree->calls;

	for (size_t i = 0; i < colours->modules.count; i++)
		colours->modules.at[i].covered = colours->modules.at[i].self = 0;
	for (size_t node = 1; node < calls->nodes.count; node++) {
		uint32_t name = calls->nodes.at[node].name;
		struct coloured_module *module = &colours->modules.at[colours->module_of.at[name] - 1];

		module->covered += calls->total.at[node];
		module->self += calls->self.at[node];
	}
}

static const struct module_colours *sorted;	/* qsort has no context */

/* Those that cover as much: by their names. */
static int
compare_covered(const void *a, const void *b)
{
	const struct coloured_module *x = &sorted->modules.at[*(const uint32_t *)a - 1];
	const struct coloured_module *y = &sorted->modules.at[*(const uint32_t *)b - 1];
	size_t common = x->name.size < y->name.size ? x->name.size : y->name.size;
	int order;

	if (x->covered != y->covered)
		return x->covered > y->covered ? -1 : 1;
	order = memcmp(x->name.data, y->name.data, common);
	return order != 0 ? order : (x->name.size > y->name.size) - (x->name.size < y->name.size);
}

static unsigned
hashed_colour(struct stk_text text)
{
	uint32_t hash = 0x811C9DC5;

	for (size_t i = 0; i < text.size; i++)
		hash = (hash ^ (unsigned char)text.data[i]) * 0x01000193;
	return hash % PALETTE_MODULES;
}

/* Once all are taken, those that are left share them. */
static void
choose_colours(struct module_colours *out)
{
	bool taken[PALETTE_MODULES] = { false };

	for (size_t i = 0; i < out->ranked.count; i++) {
		struct coloured_module *module = &out->modules.at[out->ranked.at[i] - 1];

		module->colour = hashed_colour(module->name);
		if (i >= PALETTE_MODULES)
			continue;
		while (taken[module->colour])
			module->colour = (module->colour + 1) % PALETTE_MODULES;
		taken[module->colour] = true;
	}
}

void
module_colours_make(struct module_colours *out, const struct flame_tree *tree)
{
	*out = (struct module_colours){ 0 };
	find_modules(out, tree);
	module_colours_count(out, tree);
	for (uint32_t n = 1; n <= out->modules.count; n++)
		*array_push(&out->ranked) = n;
	sorted = out;
	if (out->ranked.count > 1)
		qsort(out->ranked.at, out->ranked.count, sizeof *out->ranked.at, compare_covered);
	choose_colours(out);
}

void
module_colours_release(struct module_colours *colours)
{
	text_table_release(&colours->texts);
	array_release(&colours->modules);
	array_release(&colours->module_of);
	array_release(&colours->ranked);
}

unsigned
module_colours_of(const struct module_colours *colours, const struct flame_tree *tree, uint32_t node)
{
	return colours->modules.at[colours->module_of.at[tree->calls.nodes.at[node].name] - 1].colour;
}

/* What covers as much as another has the order of the ranks. */
size_t
module_colours_legend(const struct module_colours *colours, const struct coloured_module **to)
{
	size_t count = 0;

	for (size_t i = 0; i < colours->ranked.count && i < PALETTE_MODULES; i++) {
		const struct coloured_module *module = &colours->modules.at[colours->ranked.at[i] - 1];
		size_t at = count;

		if (module->is_function || module->covered == 0)
			continue;
		for (; at > 0 && to[at - 1]->self < module->self; at--)
			to[at] = to[at - 1];
		to[at] = module;
		count++;
	}
	return count;
}

struct stk_text
module_short_name(const struct coloured_module *module)
{
	size_t begin = module->name.size;

	if (module->name.size == 0 || module->name.data[0] != '/')
		return module->name;
	while (module->name.data[begin - 1] != '/')
		begin--;
	return text_of(module->name.data + begin, module->name.size - begin);
}
