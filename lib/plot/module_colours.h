/* SPDX-License-Identifier: MIT
 * module_colours: the colour that a frame has by its module. A module has the colour that a hash of its name says, so
 * that it looks the same in all pictures; but where that is taken by one that covers more of this picture, the next
 * that is free. So no two of the PALETTE_MODULES that cover most look alike. */
#ifndef PLOT_MODULE_COLOURS_H
#define PLOT_MODULE_COLOURS_H

#include "plot/flame_counts.h"

struct coloured_module {
	struct stk_text name;	/* as recorded; else what comes before class and method of its functions */
	uint64_t covered;	/* the sum of the counts of its frames, at whatever depth */
	uint64_t self;		/* counts of its functions themselves */
	unsigned colour;
	bool is_function;	/* nothing but a function's own name */
};

struct module_colours {
	struct text_table texts;
	ARRAY(struct coloured_module) modules;	/* module n of texts is modules.at[n - 1] */
	ARRAY(uint32_t) module_of;		/* by number of a function's name; at 0, of the root, 0 */
	ARRAY(uint32_t) ranked;			/* numbers of modules, those that cover most first */
};

/* Borrows the texts of the tree. */
void module_colours_make(struct module_colours *out, const struct flame_tree *tree);
/* Counts those of a part of the tree, or of other sums of it, in place of the present counts: colours stay. */
void module_colours_count(struct module_colours *colours, const struct flame_tree *tree);
void module_colours_release(struct module_colours *colours);
/* Those that have a colour of their own and are more than one function, those that have most counts themselves first.
 * Returns how many; to has PALETTE_MODULES. */
size_t module_colours_legend(const struct module_colours *colours, const struct coloured_module **to);
/* What a legend says of a module: without the folders. */
struct stk_text module_short_name(const struct coloured_module *module);
/* From 0 to PALETTE_MODULES - 1, of a frame that is not the root. */
unsigned module_colours_of(const struct module_colours *colours, const struct flame_tree *tree, uint32_t node);

#endif
