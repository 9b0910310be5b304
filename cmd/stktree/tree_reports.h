/* SPDX-License-Identifier: MIT
 * tree_reports: what is shown of the stacks of a window. */
#ifndef STKTREE_TREE_REPORTS_H
#define STKTREE_TREE_REPORTS_H

#include "tree_settings.h"
#include "window_heading.h"

#include "choose/folded_lines.h"
#include "report/printer.h"
#include "timetree/call_walk.h"
#include "timetree/column_bounds.h"
#include "timetree/when_counts.h"

/* One window's report, of column 0. With --step there are several, and `window` is in each row for programs; else it is
 * NULL. */
struct window_report {
	const struct settings *settings;
	struct recording *const *recordings;
	int recordings_count;
	struct call_tree *tree;
	uint64_t *functions;		/* sums by name, see recordings_functions; NULL: the tree has them. Freed by
					 * report_flat */
	struct call_walk *walk;		/* NULL: the tree has its nodes */
	struct printer *printer;
	const struct tree_interval *window;
	const struct column_bounds *bounds;	/* of the column: rows for programs have them where there are any */
	bool first;
	struct counted counted;
	bool seconds;			/* times are seconds from an unknown start */
	const struct when_counts *when;	/* of the rows, by node or by name; NULL: not asked for */
};

/* call_tree_report.c */
int report_tree(const struct window_report *report, struct stk_error *err);
/* node_rows.c: the same of a walk, for programs */
int report_nodes(const struct window_report *report, struct stk_error *err);
/* tree_reports.c */
int report_flat(const struct window_report *report, struct stk_error *err);
int report_paths(const struct window_report *report, struct stk_error *err);
int report_callers(const struct window_report *report, struct stk_error *err);
int report_folded(const struct window_report *report, struct stk_error *err);
/* The same without a call tree; `whole`: what all lines have. */
int report_lines(const struct settings *settings, struct folded_lines *lines, uint64_t whole, struct printer *printer,
		 struct stk_error *err);

#endif
