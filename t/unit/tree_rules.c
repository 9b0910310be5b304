/* SPDX-License-Identifier: MIT
 * Rules of stktree: what is read, what is refused and where, and which shares they find. */
#include "../lib/tap.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "timetree/tree_rules.h"

#include <stdlib.h>

static bool
refuses(const char *text, bool comparison, const char *expected)
{
	struct tree_rules rules;
	struct stk_error err = { 0 };
	int result = tree_rules_read_text(&rules, text_from(text), "r", comparison, &err);
	bool well = result < 0 && err.code == STK_EUSAGE && strstr(err.text, expected) != NULL;

	if (!well)
		printf("# %s\n", result < 0 ? err.text : "accepted");
	tree_rules_release(&rules);
	stk_error_clear(&err);
	return well;
}

static void
test_refusals(void)
{
	ok(refuses("rules: 3\n", false, "r:1:8: expected 'rules:' with a list"), "rules are a list");
	ok(refuses("rules:\n  - name: x\n", false, "r:2:5: expected a bound"), "a rule on one recording has a bound");
	ok(refuses("rules:\n  - over: 20%\n    under: 3%\n", false, "r:3:5: 'under' is a second bound"), "one bound");
	ok(refuses("rules:\n  - over: many\n", false, "r:2:11: expected a percentage"), "a bound is a percentage");
	ok(refuses("rules:\n  - over: 101%\n", false, "from 0% to 100%"), "no share is above 100 %%");
	ok(refuses("rules:\n  - over: nan\n", false, "percentage"), "a bound is a number");
	ok(refuses("rules:\n  - up: 20%\n", false, "r:2:5: 'up' is for rules on a comparison"), "up needs a comparison");
	ok(refuses("rules:\n  - over: 20%\n", true, "r:2:5: 'over' is for rules on one recording"),
	   "over needs one recording");
	ok(refuses("rules:\n  - significant: yes\n    over: 1%\n", false, "r:2:5: 'significant'"),
	   "one recording has no significance");
	ok(refuses("rules:\n  - of: pool\n    up: 1%\n", true, "r:2:9: expected function, stack"),
	   "pools are not compared");
	ok(refuses("rules:\n  - of: pool\n    state: asleep\n    over: 1%\n", false, "r:3:12: expected states"),
	   "states have names");
	ok(refuses("rules:\n  - state: blocked\n    over: 1%\n", false, "r:2:5: expected state only of"),
	   "functions have no states");
	ok(refuses("rules:\n  - what: total\n    together: yes\n    over: 1%\n", false, "totals of functions"),
	   "totals of functions are not added up");
	ok(refuses("rules:\n  - ovr: 1%\n", false, "r:2:5: 'ovr' is not one of"), "unknown keys are refused");
	ok(refuses("rules:\n\t- over: 1%\n", false, "r:2:1: "), "what is not YAML is refused with its place");
}

static char found[1024];

static void
note(void *context, const struct rule_finding *f)
{
	(void)context;
	snprintf(found + strlen(found), sizeof found - strlen(found), "%.*s %llu/%llu;", (int)f->what.size, f->what.data,
		 (unsigned long long)f->part, (unsigned long long)f->whole);
}

static void
add(struct call_tree *tree, const char *path, uint64_t count)
{
	uint32_t node = call_tree_path(tree, 0, text_from(path));

	*call_tree_self(tree, node) += count;
	array_lengthen(&tree->total, tree->nodes.count);
	for (uint32_t at = node;; at = tree->nodes.at[at].parent) {
		*call_tree_total(tree, at) += count;
		if (at == 0)
			break;
	}
}

/* What the members of one rule find. */
static const char *
finds(struct call_tree *tree, uint64_t left_out, const char *members)
{
	char text[512];
	struct tree_rules rules;
	struct stk_error err = { 0 };
	uint64_t *sums = mem_new(2 * (tree->names.texts.count + 1), sizeof *sums);

	for (uint32_t n = 1; n < tree->nodes.count; n++) {
		sums[2 * tree->nodes.at[n].name] += *call_tree_self(tree, n);
		sums[2 * tree->nodes.at[n].name + 1] += *call_tree_total(tree, n);
	}
	snprintf(text, sizeof text, "rules: [{%s}]\n", members);
	found[0] = '\0';
	if (tree_rules_read_text(&rules, text_from(text), "r", false, &err) == 0)
		tree_rule_judge(&rules.list.at[0], &(struct judged_tree){ tree, sums, left_out }, note, NULL);
	else
		snprintf(found, sizeof found, "%s", err.text);
	tree_rules_release(&rules);
	stk_error_clear(&err);
	free(sums);
	return found;
}

static void
is(const char *got, const char *wanted, const char *what)
{
	if (strcmp(got, wanted) != 0)
		printf("# %s\n", got);
	ok(strcmp(got, wanted) == 0, "%s", what);
}

static void
test_findings(void)
{
	struct call_tree frames, keys;

	call_tree_open(&frames, 1);
	add(&frames, "main;read", 30);
	add(&frames, "main;parse;read", 20);
	add(&frames, "main;parse", 10);
	add(&frames, "idle", 40);
	is(finds(&frames, 0, "over: 40%"), "read 50/100;", "a function over 40 %, by what it has itself");
	is(finds(&frames, 0, "over: 40%, what: total"), "main 60/100;read 50/100;", "by all below it");
	is(finds(&frames, 0, "over: 50%"), "", "over is more, not as much");
	is(finds(&frames, 0, "over: 49%, match: 'r*d'"), "read 50/100;", "only those that match");
	is(finds(&frames, 0, "over: 49%, match: 'x*'"), "", "... and no others");
	is(finds(&frames, 0, "of: stack, over: 25%"), "main;read 30/100;idle 40/100;", "stacks");
	is(finds(&frames, 0, "under: 15%, at least: 30%"), "main 0/100;parse 10/100;",
	   "under, of those that have at least so much");
	is(finds(&frames, 0, "over: 85%, together: yes, match: '[ri]*'"), "[ri]* 90/100;", "several together");
	is(finds(&frames, 100, "over: 24%"), "read 50/200;", "of what is left out nothing is sure: shares are of all");
	is(finds(&frames, 100, "over: 40%"), "", "... so that less is found");
	is(finds(&frames, 100, "under: 56%, match: parse"), "parse 10/200;", "... and it may be in what is shown");
	is(finds(&frames, 100, "under: 52%, match: idle"), "", "... which is then not under it for sure");
	call_tree_release(&frames);

	call_tree_open(&keys, 1);
	add(&keys, "web;blocked", 95);
	add(&keys, "web;running", 5);
	add(&keys, "db;blocked", 1);
	add(&keys, "db;waiting", 9);
	is(finds(&keys, 0, "of: pool, state: blocked, over: 90%"), "web 95/100;", "a pool with over 90 % blocked");
	is(finds(&keys, 0, "of: pool, state: 'blocked,waiting', over: 90%, at least: 10%"), "web 95/100;",
	   "... of some size");
	is(finds(&keys, 0, "of: pool, state: 'blocked,waiting', over: 90%"), "web 95/100;db 10/10;", "... or of any");
	is(finds(&keys, 0, "of: pool, over: 90%"), "web 100/110;", "a pool with over 90 % of all");
	is(finds(&keys, 0, "of: pool, state: blocked, over: 80%, together: yes"), "(all) 96/110;", "all pools together");
	call_tree_release(&keys);

	call_tree_open(&keys, 1);
	add(&keys, "blocked", 3);
	add(&keys, "running", 1);
	is(finds(&keys, 0, "of: total, state: blocked, over: 70%"), "(all) 3/4;", "all, in a state");
	is(finds(&keys, 0, "of: state, match: running, under: 30%"), "running 1/4;", "a state by its name");
	call_tree_release(&keys);
}

int
main(void)
{
	test_refusals();
	test_findings();
	return tap_end();
}
