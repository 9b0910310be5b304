/* SPDX-License-Identifier: MIT
 * node_rows: the call tree for programs, each node written as it is met. */
#include "report_sheet.h"

#include "timetree/call_walk.h"

static void
print_node(struct sheet *sheet, uint64_t level, struct stk_text name, uint64_t self, uint64_t total)
{
	sheet_row(sheet);
	row_count(&sheet->rows, level);
	row_text(&sheet->rows, name);
	row_count(&sheet->rows, self);
	row_count(&sheet->rows, total);
}

int
report_nodes(const struct window_report *r, struct stk_error *err)
{
	static const char *const names[] = { "level", "function", "self", "total", NULL };
	uint64_t whole = *call_tree_total(r->tree, 0), bare = *call_tree_self(r->tree, 0);
	const struct settings *settings = r->settings;
	struct sheet sheet = { 0 };
	struct walked_call call;

	sheet_begin(&sheet, r, names, names);
	while (!sheet.failed && call_walk_next(r->walk, &call)) {
		bool small = is_small(settings, call.total, whole);

		if (!small)
			print_node(&sheet, call.depth, text_table_text(&r->tree->names, call.name), call.self,
				   call.total);
		if (small || (settings->depth > 0 && call.depth >= (uint64_t)settings->depth))
			call_walk_skip(r->walk);
	}
	if (!is_small(settings, bare, whole))
		print_node(&sheet, 1, text_from(NO_FRAMES), bare, bare);
	return sheet_end(&sheet, err);
}
