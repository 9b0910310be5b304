/* SPDX-License-Identifier: MIT
 * tree_rules: reading with the place of each mistake, and shares of one recording. */
#include "timetree/tree_rules.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/quantities.h"
#include "stkpipe/schema.h"

#include <fnmatch.h>
#include <stdlib.h>

/* --- reading --- */

struct reading { const char *path; bool comparison; struct stk_error *err; };

static int
fail_at(const struct reading *r, const struct config_node *node, const char *expected)
{
	return stk_fail(r->err, STK_EUSAGE, "%s:%u:%u: expected %s", r->path, node->line, node->column, expected);
}

static int
fail_key(const struct reading *r, const struct config_node *member, const char *what)
{
	return stk_fail(r->err, STK_EUSAGE, "%s:%u:%u: '%s' %s", r->path, member->key_line, member->key_column,
			member->key.data, what);
}

static int
read_percent(const struct reading *r, const struct config_node *node, double most, double *part)
{
	if (node->type != CONFIG_TEXT || !real_parse(node->text.data, true, part) || !(*part >= 0 && *part <= most))
		return fail_at(r, node, most > 100 ? "a percentage such as 20%" : "a percentage from 0% to 100%");
	*part /= 100;
	return 0;
}

/* One of some words: its number, or -1. */
static int
read_word(const struct reading *r, const struct config_node *node, const char *const *words, const char *expected)
{
	for (int w = 0; words[w] != NULL; w++)
		if (node->type == CONFIG_TEXT && text_is(node->text, words[w]))
			return w;
	return fail_at(r, node, expected);
}

/* "blocked,waiting" */
static int
read_states(const struct reading *r, const struct config_node *node, uint64_t *states)
{
	const char *const *names = stk_schema()->kind[STK_SAMPLE].column[STK_COLUMN(sample, state)].names;
	const char *at = node->type == CONFIG_TEXT ? node->text.data : "";

	for (;;) {
		size_t size = strcspn(at, ","), n = 0;

		while (names[n] != NULL && !(strlen(names[n]) == size && memcmp(names[n], at, size) == 0))
			n++;
		if (names[n] == NULL)
			return fail_at(r, node, "states such as blocked or blocked,waiting");
		*states |= UINT64_C(1) << n;
		if (at[size] == '\0')
			return 0;
		at += size + 1;
	}
}

static int
read_bound(const struct reading *r, const struct config_node *member, struct watch_rule *rule, bool *bounded)
{
	static const char *const names[] = { [RULE_CHANGE] = "change", [RULE_UP] = "up",     [RULE_DOWN] = "down",
					     [RULE_OVER] = "over",     [RULE_UNDER] = "under" };

	for (enum rule_bound b = RULE_CHANGE; b <= RULE_UNDER; b++) {
		if (!text_is(member->key, names[b]))
			continue;
		if ((b < RULE_OVER) != r->comparison)
			return fail_key(r, member, r->comparison ? "is for rules on one recording, without --diff"
								 : "is for rules on a comparison: --diff");
		if (*bounded)
			return fail_key(r, member, "is a second bound of this rule");
		*bounded = true;
		rule->bound = b;
		return read_percent(r, member, b < RULE_OVER ? 1e8 : 100, &rule->by) < 0 ? -1 : 1;
	}
	return 0;
}

static int
read_of(const struct reading *r, const struct config_node *member, struct watch_rule *rule)
{
	static const char *const kinds[] = { [RULE_FUNCTION] = "function", [RULE_STACK] = "stack",
					     [RULE_TOTAL] = "total",       [RULE_CLASS] = "class",
					     [RULE_GROUP] = "group",       [RULE_POOL] = "pool",
					     [RULE_THREAD] = "thread",     [RULE_PROCESS] = "process",
					     [RULE_SOURCE] = "source",     [RULE_STATE] = "state",
					     [RULE_STATE + 1] = NULL };
	int word = read_word(r, member, kinds,
			     "function, stack, group, class, total, pool, thread, process, source or state");

	if (word < 0)
		return -1;
	if (r->comparison && word >= RULE_POOL)
		return fail_at(r, member, "function, stack, group, class or total where recordings are compared");
	rule->of = (enum rule_of)word;
	return 0;
}

static int
read_member(const struct reading *r, const struct config_node *member, struct watch_rule *rule, bool *bounded)
{
	static const char *const whats[] = { "self", "total", NULL }, *const answers[] = { "no", "yes", NULL };
	int word = read_bound(r, member, rule, bounded);

	if (word != 0)
		return word < 0 ? -1 : 0;
	if (text_is(member->key, "at least") || text_is(member->key, "at_least"))
		return read_percent(r, member, 100, &rule->least);
	if (text_is(member->key, "of"))
		return read_of(r, member, rule);
	if (text_is(member->key, "name") || text_is(member->key, "match")) {
		if (member->type != CONFIG_TEXT)
			return fail_at(r, member, "a name, in which * stands for any run");
		if (text_is(member->key, "name"))
			rule->name = member->text;
		else
			rule->match = member->text.data;
	} else if (text_is(member->key, "what")) {
		word = read_word(r, member, whats, "self or total");
		rule->total = word == 1;
	} else if (text_is(member->key, "state")) {
		return r->comparison ? fail_key(r, member, "is for rules on one recording, without --diff")
				     : read_states(r, member, &rule->states);
	} else if (text_is(member->key, "together")) {
		if (r->comparison)
			return fail_key(r, member, "is for rules on one recording, without --diff");
		word = read_word(r, member, answers, "yes or no");
		rule->together = word == 1;
	} else if (text_is(member->key, "significant")) {
		if (!r->comparison)
			return fail_key(r, member, "is for rules on a comparison: --diff");
		word = read_word(r, member, answers, "yes or no");
		rule->significant = word == 1;
	} else {
		return fail_key(r, member, r->comparison
			? "is not one of name, of, match, what, up, down, change, at least, significant"
			: "is not one of name, of, match, what, over, under, state, together, at least");
	}
	return word < 0 ? -1 : 0;
}

static int
check_rule(const struct reading *r, const struct config_node *node, const struct watch_rule *rule, bool bounded)
{
	if (!r->comparison && !bounded)
		return fail_at(r, node, "a bound: over or under, with a percentage");
	if (rule->states != 0 && rule->of < RULE_POOL && rule->of != RULE_TOTAL)
		return fail_at(r, node, "state only of total, pool, thread, process or source");
	if (rule->states != 0 && rule->of == RULE_STATE)
		return fail_at(r, node, "'of: state' with 'match', or something else with 'state'");
	if (rule->together && rule->total)
		return fail_at(r, node, "'what: self' with 'together': totals of functions that call each other overlap");
	return 0;
}

static int
read_rules(const struct reading *r, struct tree_rules *rules)
{
	const struct config_node *root = config_root(rules->config), *list = config_member(root, "rules");

	if (list == NULL || list->type != CONFIG_LIST)
		return fail_at(r, list == NULL ? root : list, "'rules:' with a list");
	for (const struct config_node *one = list->first; one != NULL; one = one->next) {
		struct watch_rule rule = { .name = text_of("", 0) };
		bool bounded = false;

		if (one->type != CONFIG_MAP)
			return fail_at(r, one, "a rule: name, of, match and so on");
		for (const struct config_node *member = one->first; member != NULL; member = member->next)
			if (read_member(r, member, &rule, &bounded) < 0)
				return -1;
		if (check_rule(r, one, &rule, bounded) < 0)
			return -1;
		*array_push(&rules->list) = rule;
	}
	return 0;
}

int
tree_rules_read_text(struct tree_rules *rules, struct stk_text text, const char *name, bool comparison,
		     struct stk_error *err)
{
	struct reading r = { name, comparison, err };
	struct stk_error why = { 0 };

	*rules = (struct tree_rules){ 0 };
	if (config_read(&rules->config, text.data, text.size, &why) < 0)
		return stk_fail(err, STK_EUSAGE, "%s:%s", name, why.text);
	return read_rules(&r, rules);
}

int
tree_rules_read(struct tree_rules *rules, const char *path, bool comparison, struct stk_error *err)
{
	struct reading r = { path, comparison, err };

	*rules = (struct tree_rules){ 0 };
	if (config_read_file(&rules->config, path, err) < 0) {
		if (err->code == STK_EDATA)
			err->code = STK_EUSAGE;
		return -1;
	}
	return read_rules(&r, rules);
}

void
tree_rules_release(struct tree_rules *rules)
{
	array_release(&rules->list);
	config_close(rules->config);
	*rules = (struct tree_rules){ 0 };
}

bool
tree_rule_is_about(const struct watch_rule *rule, struct stk_text name)
{
	char *text;
	bool is;

	if (rule->match == NULL)
		return true;
	text = mem_new(name.size + 1, 1);
	if (name.size > 0)
		memcpy(text, name.data, name.size);
	is = fnmatch(rule->match, text, 0) == 0;
	free(text);
	return is;
}

/* --- one recording --- */

const char *
tree_rule_keys(const struct watch_rule *rule)
{
	switch (rule->of) {
	case RULE_POOL:    return rule->states != 0 ? "pool,state" : "pool";
	case RULE_THREAD:  return rule->states != 0 ? "thread,state" : "thread";
	case RULE_PROCESS: return rule->states != 0 ? "process,state" : "process";
	case RULE_SOURCE:  return rule->states != 0 ? "source,state" : "source";
	case RULE_TOTAL:   return rule->states != 0 ? "state" : "none";
	case RULE_STATE:   return "state";
	default:           return "none";
	}
}

struct judging {
	const struct watch_rule *rule;
	uint64_t all, left_out;
	rule_finding_function *found;
	void *context;
	struct { uint64_t part, whole, size; } sum;	/* together */
};

/* size: how much of everything it is. */
static void
judge_one(const struct judging *j, struct stk_text what, uint64_t part, uint64_t whole, uint64_t size)
{
	const struct watch_rule *rule = j->rule;
	struct rule_finding finding = { rule, what, part, whole };
	uint64_t least = part, most = part + j->left_out;		/* what it can be */
	double share = whole == 0 ? 0 : (double)(rule->bound == RULE_OVER ? least : most) / (double)whole;

	if (whole == 0 || (double)size < rule->least * (double)j->all ||
	    (rule->bound == RULE_OVER ? share <= rule->by : share >= rule->by))
		return;
	j->found(j->context, &finding);
}

static void
judge(struct judging *j, struct stk_text what, uint64_t part, uint64_t whole, uint64_t size)
{
	if (!tree_rule_is_about(j->rule, what))
		return;
	if (!j->rule->together) {
		judge_one(j, what, part, whole, size);
		return;
	}
	j->sum.part += part;
	j->sum.whole = j->rule->states != 0 ? j->sum.whole + whole : j->all;
	j->sum.size += size;
}

static bool
is_state(const struct watch_rule *rule, struct stk_text name)
{
	const char *const *names = stk_schema()->kind[STK_SAMPLE].column[STK_COLUMN(sample, state)].names;

	for (unsigned n = 0; names[n] != NULL; n++)
		if (text_is(name, names[n]))
			return (rule->states >> n & 1) != 0;
	return false;
}

/* Of the samples below a node, those in the states, which are the nodes below it. */
static uint64_t
in_states(const struct watch_rule *rule, struct call_tree *tree, uint32_t node)
{
	uint64_t sum = 0;

	for (uint32_t at = tree->nodes.at[node].first; at != 0; at = tree->nodes.at[at].next)
		if (is_state(rule, call_tree_name(tree, at)))
			sum += *call_tree_total(tree, at);
	return sum;
}

static void
judge_names(struct judging *j, const struct call_tree *tree, const uint64_t *sums)
{
	for (uint32_t name = 1; name <= tree->names.texts.count; name++)
		if (sums[2 * name + 1] > 0)
			judge(j, text_table_text(&tree->names, name), sums[2 * name + j->rule->total], j->all,
			      sums[2 * name + 1]);
}

static void
judge_stacks(struct judging *j, struct call_tree *tree)
{
	struct text_buffer path = { 0 };

	for (uint32_t node = 0; node < tree->nodes.count; node++) {
		uint64_t self = *call_tree_self(tree, node);

		if (self == 0)
			continue;
		path.count = 0;
		call_tree_add_path(tree, node, &path);
		judge(j, text_in(&path, 0), self, j->all, self);
	}
	array_release(&path);
}

/* What stacks begin with. */
static void
judge_keys(struct judging *j, struct call_tree *tree)
{
	for (uint32_t at = tree->nodes.at[0].first; at != 0; at = tree->nodes.at[at].next) {
		uint64_t total = *call_tree_total(tree, at);

		if (j->rule->states != 0)
			judge(j, call_tree_name(tree, at), in_states(j->rule, tree, at), total, total);
		else
			judge(j, call_tree_name(tree, at), total, j->all, total);
	}
}

void
tree_rule_judge(const struct watch_rule *rule, const struct judged_tree *of, rule_finding_function *found,
		void *context)
{
	struct call_tree *tree = of->tree;
	struct judging j = { .rule = rule,
			     .all = *call_tree_total(tree, 0) + of->left_out,
			     .left_out = of->left_out,
			     .found = found,
			     .context = context };

	switch (rule->of) {
	case RULE_FUNCTION:
	case RULE_CLASS:
	case RULE_GROUP:
		judge_names(&j, tree, of->sums);
		break;
	case RULE_STACK:
		judge_stacks(&j, tree);
		break;
	case RULE_TOTAL:
		judge(&j, text_from("(all)"), rule->states != 0 ? in_states(rule, tree, 0) : j.all, j.all, j.all);
		break;
	default:
		judge_keys(&j, tree);
		break;
	}
	if (rule->together)
		judge_one(&j, text_from(rule->match == NULL ? "(all)" : rule->match), j.sum.part, j.sum.whole,
			  j.sum.size);
}
