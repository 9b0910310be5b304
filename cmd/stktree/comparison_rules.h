/* SPDX-License-Identifier: MIT
 * comparison_rules: what of a comparison is worth a line, by rules in YAML: lib/timetree/tree_rules.h. Functions and
 * stacks are looked at one by one; with --report groups or classes these take the place of functions. */
#ifndef STKTREE_COMPARISON_RULES_H
#define STKTREE_COMPARISON_RULES_H

#include "choose/call_tree.h"
#include "report/row_printer.h"
#include "timetree/comparison.h"

struct compared {
	struct comparison *comparison;	/* with its measures of functions, totals and stacks */
	struct call_tree *tree;		/* column 0 and another */
	unsigned column;
	double seconds[2];		/* how long the two are */
	bool share;			/* shares are compared, not samples a second */
	double confidence;
	const char *name;		/* of the other */
};

/* Prints the findings; each raises the exit status to 4. -1: the file is wrong, or the output failed. */
int rules_apply(const char *path, const struct compared *compared, enum row_form form, struct printer *printer,
		struct stk_error *err);

#endif
