/* SPDX-License-Identifier: MIT
 * tree_rules: what is worth a line, in YAML: of a comparison of two recordings, or of one recording by itself.
 *
 *	rules:
 *	  - name: parsing                    # said in the finding
 *	    of: function                     # what is looked at, one by one: function (default), stack, class, group;
 *	                                     # pool, thread, process, source, state; or total
 *	    match: com.acme.Parser.*         # names, * stands for any run; all without it
 *	    what: total                      # self (default) or total, of functions, classes and groups
 *	    at least: 1%                     # of all samples: what has less is not looked at
 *
 * of one recording
 *
 *	    over: 20%                        # or under: its share of all samples,
 *	    state: blocked                   # or, with states, how much of its own samples is in one of them
 *	    together: yes                    # all that match as one
 *
 * and of a comparison
 *
 *	    up: 20%                          # or down, or change: by at least so much of what it was
 *	    significant: yes                 # and more than chance says */
#ifndef TIMETREE_TREE_RULES_H
#define TIMETREE_TREE_RULES_H

#include "base/array.h"
#include "base/config_text.h"
#include "choose/call_tree.h"
#include "stkpipe/error.h"

#include <stdbool.h>

enum rule_of {
	RULE_FUNCTION,
	RULE_STACK,
	RULE_TOTAL,
	RULE_CLASS,
	RULE_GROUP,
	RULE_POOL,
	RULE_THREAD,
	RULE_PROCESS,
	RULE_SOURCE,
	RULE_STATE
};

enum rule_bound { RULE_CHANGE, RULE_UP, RULE_DOWN, RULE_OVER, RULE_UNDER };

struct watch_rule {
	struct stk_text name;
	enum rule_of of;
	const char *match;		/* NULL: all */
	bool total, significant, together;
	enum rule_bound bound;
	double by, least;		/* parts of 1 */
	uint64_t states;		/* a bit for each state; 0: any */
};

struct tree_rules {
	ARRAY(struct watch_rule) list;
	struct config *config;		/* of which the texts are */
};

/* Reads the rules of a comparison, or of one recording. -1 with *err (STK_EUSAGE): the file, line and column of what is
 * wrong; tree_rules_release in any case. */
int tree_rules_read(struct tree_rules *rules, const char *path, bool comparison, struct stk_error *err) STK_MUST_CHECK;
/* The same of a text. */
int tree_rules_read_text(struct tree_rules *rules, struct stk_text text, const char *name, bool comparison,
			 struct stk_error *err) STK_MUST_CHECK;
/* A zeroed struct may be released. */
void tree_rules_release(struct tree_rules *rules);

/* Whether the name is one of those that the rule is about. */
bool tree_rule_is_about(const struct watch_rule *rule, struct stk_text name);

/* --- one recording --- */

/* What stacks begin with where this is looked at, as an option of recordings: "pool,state"; "none" for frames, classes
 * and groups. */
const char *tree_rule_keys(const struct watch_rule *rule);

struct rule_finding {
	const struct watch_rule *rule;
	struct stk_text what;
	uint64_t part, whole;		/* samples, and of how many */
};

/* Valid during the call. */
typedef void rule_finding_function(void *context, const struct rule_finding *finding);

struct judged_tree {
	struct call_tree *tree;		/* column 0 of it, grown for the keys of the rule */
	const uint64_t *sums;		/* self and total of each name, 2 for each; of functions, classes and groups */
	uint64_t left_out;		/* samples of which it is not known what they are: what is found is certain */
};

void tree_rule_judge(const struct watch_rule *rule, const struct judged_tree *of, rule_finding_function *found,
		     void *context);

#endif
