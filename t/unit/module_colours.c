/* SPDX-License-Identifier: MIT
 * Colours of modules: those that cover most never look alike, whatever their hashes say; a legend has modules, not
 * functions. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "plot/module_colours.h"
#include "plot/palette.h"

#include <stdlib.h>

static struct flame_tree tree;

/* A function called by the root, with so many counts of its own. */
static void
add_function(const char *name, const char *module, uint64_t count)
{
	struct call_tree *calls = &tree.calls;
	uint32_t node = call_tree_child(calls, 0, text_from(name)), number = calls->nodes.at[node].name;

	while (tree.modules.count <= number)
		*array_push(&tree.modules) = 0;
	if (module != NULL)
		tree.modules.at[number] = text_table_number(&tree.module_texts, text_from(module));
	while (calls->total.count < calls->nodes.count)
		*array_push(&calls->total) = 0;
	calls->self.at[node] += count;
	calls->total.at[node] += count;
}

static unsigned
colour_of(const struct module_colours *colours, const char *name)
{
	uint32_t node = call_tree_child(&tree.calls, 0, text_from(name));

	return module_colours_of(colours, &tree, node);
}

int
main(void)
{
	struct module_colours colours, alone;
	const struct coloured_module *legend[PALETTE_MODULES];
	char name[40], module[40];
	unsigned seen = 0;
	size_t count;

	call_tree_open(&tree.calls, 1);
	*array_push(&tree.calls.total) = 0;
	for (unsigned i = 0; i < 3 * PALETTE_MODULES; i++) {
		snprintf(name, sizeof name, "f%u", i);
		snprintf(module, sizeof module, "/lib/m%u.so", i);
		add_function(name, module, 1000 - i);
	}
	module_colours_make(&colours, &tree);
	for (unsigned i = 0; i < PALETTE_MODULES; i++) {
		snprintf(name, sizeof name, "f%u", i);
		seen |= 1u << colour_of(&colours, name);
	}
	is_u64(seen, (1u << PALETTE_MODULES) - 1, "the %u that cover most have %u colours", PALETTE_MODULES, PALETTE_MODULES);

	count = module_colours_legend(&colours, legend);
	is_u64(count, PALETTE_MODULES, "so many are in the legend");
	ok(text_is(module_short_name(legend[0]), "m0.so") && legend[0]->self == 1000, "the largest comes first, without its folder");

	call_tree_release(&tree.calls);
	array_release(&tree.modules);
	tree.modules.count = 0;
	call_tree_open(&tree.calls, 1);
	*array_push(&tree.calls.total) = 0;
	add_function("f0", "/lib/m0.so", 5);
	add_function("java.util.HashMap.get", NULL, 9);
	add_function("plain", NULL, 100);
	module_colours_make(&alone, &tree);
	is_u64(colour_of(&alone, "f0"), legend[0]->colour, "the one that covers most has the colour of its hash, as in a picture of its own");
	count = module_colours_legend(&alone, legend);
	ok(count == 2 && text_is(legend[0]->name, "java.util") && text_is(legend[1]->name, "/lib/m0.so"),
	   "a legend has packages and modules, and no function");
	tree.calls.self.at[1] = tree.calls.total.at[1] = 50;
	module_colours_count(&alone, &tree);
	count = module_colours_legend(&alone, legend);
	ok(count == 2 && legend[0]->self == 50 && text_is(legend[0]->name, "/lib/m0.so"), "other counts, the same colours");

	module_colours_release(&colours);
	module_colours_release(&alone);
	flame_tree_release(&tree);
	return tap_end();
}
