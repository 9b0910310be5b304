/* SPDX-License-Identifier: MIT
 * comparison_rules: what of a comparison is worth a line, by rules in YAML: lib/timetree/tree_rules.h. Functions and
 * stacks are looked at one by one; with --report groups or classes these take the place of functions. */
#ifndef STKTREE_COMPARISON_RULES_H
#define STKTREE_COMPARISON_RULES_H

#include "report/row_printer.h"
#include "timetree/comparison.h"

struct compared {
	struct comparison *comparison;	/* with its measures of functions, totals, stacks and all */
	unsigned side;			/* what is compared with the first side */
	const char *name;		/* of that */
	bool share;			/* shares are compared, not samples a second */
	double confidence;
};

/* Prints the findings; each raises the exit status to 4. -1: the file is wrong, or the output failed. */
int rules_apply(const char *path, const struct compared *compared, enum row_form form, struct printer *printer,
		struct stk_error *err);

#endif
