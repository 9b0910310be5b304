/* SPDX-License-Identifier: MIT
 * report_windows: words around the map. */
#include "report_windows.h"

#include "base/terminal_text.h"
#include "base/time_math.h"
#include "plot/page_text.h"
#include "program/printing.h"
#include "program/program.h"

void
report_windows_add(struct text_buffer *to, struct flame_tree *tree, const struct window_map_options *options)
{
	struct text_buffer map = { 0 };
	unsigned shared = window_map_add(&map, tree, options);
	char column[TIME_TEXT_MAX];

	add_format(to, "<p>Time runs across, and down within each column of %s. ",
		   duration_print(column, time_product(tree->cell_ns, flame_tree_together(tree))));
	if (shared == 1)
		add_string(to, "A column leads to the flame graph of its time.</p>\n");
	else if (shared > 1)
		add_format(to, "A column leads to a flame graph, which %u columns share: more would make this page too large.</p>\n",
			   shared);
	else
		add_string(to, "Flame graphs of columns would make this page too large.</p>\n");
	add_text(to, text_in(&map, 0));
	if (shared > 1)
		program_say("%u columns share a flame graph (see --max-size)", shared);
	else if (shared == 0)
		program_say("no flame graphs of columns: the page would be too large (see --max-size)");
	array_release(&map);
}

void
report_add_ascii(struct text_buffer *to, struct stk_text text)
{
	const char *at = text.data, *end = at + text.size;

	while (at < end) {
		size_t size = (unsigned char)*at < 0x80 ? 1 : utf8_size(at, end);

		if ((unsigned char)*at < 0x80)
			add_char(to, *at);
		else
			page_add_text(to, text_of(at, size == 0 ? 1 : size));
		at += size == 0 ? 1 : size;
	}
}
