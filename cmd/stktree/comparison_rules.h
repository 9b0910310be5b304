/* SPDX-License-Identifier: MIT
 * comparison_rules: what of a comparison is worth a line, in YAML:
 *
 *	rules:
 *	  - name: parsing                    # said in the finding
 *	    of: function                     # function, stack or total; functions and stacks are looked at one by one.
 *     With
 *	                                     # --report groups or classes these stand for functions: of: group, of:
 *                                      class
 *	    match: com.acme.Parser.*         # names, * stands for any run; all without it
 *	    what: total                      # self (default) or total, of functions
 *	    up: 20%                          # or down, or change: by at least so much of what it was
 *	    at least: 1%                     # of all samples, in the larger of the two
 *	    significant: yes                 # and more than chance says
 */
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

/* Prints the findings; each raises the exit status to 1. -1: the file is wrong, or the output failed. */
int rules_apply(const char *path, const struct compared *compared, enum row_form form, struct printer *printer,
		struct stk_error *err);

#endif
