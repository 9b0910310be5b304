/* SPDX-License-Identifier: MIT
 * comparison_rules: read, then every function and stack held against every rule. */
#include "comparison_rules.h"

#include "base/config_text.h"
#include "base/memory.h"
#include "choose/function_sums.h"
#include "program/program.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct rule {
	struct stk_text name;
	enum { OF_FUNCTION, OF_STACK, OF_TOTAL } of;
	const char *match;
	bool total, significant;
	enum { CHANGE, UP, DOWN } direction;
	double by, least;		/* parts of 1 */
};

struct rules { ARRAY(struct rule) list; };

/* --- reading --- */

static int
fail_at(struct stk_error *err, const char *path, const struct config_node *node, const char *expected)
{
	return stk_fail(err, STK_EUSAGE, "%s:%u:%u: expected %s", path, node->line, node->column, expected);
}

static int
read_percent(const char *path, const struct config_node *node, double *part, struct stk_error *err)
{
	char *end;

	if (node->type != CONFIG_TEXT || node->text.size == 0)
		return fail_at(err, path, node, "a percentage such as 20%");
	*part = strtod(node->text.data, &end) / 100;
	if (end == node->text.data || (*end != '\0' && strcmp(end, "%") != 0) || !(*part >= 0 && *part < 1e6))
		return fail_at(err, path, node, "a percentage such as 20%");
	return 0;
}

/* One of some words: its number, or -1. */
static int
read_word(const char *path, const struct config_node *node, const char *const *words, const char *expected,
	  struct stk_error *err)
{
	for (int w = 0; words[w] != NULL; w++)
		if (node->type == CONFIG_TEXT && text_is(node->text, words[w]))
			return w;
	return fail_at(err, path, node, expected);
}

static int
read_member(const char *path, const struct config_node *member, struct rule *rule, struct stk_error *err)
{
	static const char *const kinds[] = { "function", "stack", "total", "group", "class", NULL },
				 *const whats[] = { "self", "total", NULL }, *const answers[] = { "no", "yes", NULL };
	static const char *const directions[] = { "change", "up", "down", NULL };
	int word = 0;

	for (int d = 0; directions[d] != NULL; d++) {
		if (text_is(member->key, directions[d])) {
			rule->direction = d == 0 ? CHANGE : d == 1 ? UP : DOWN;
			return read_percent(path, member, &rule->by, err);
		}
	}
	if (text_is(member->key, "at least") || text_is(member->key, "at_least"))
		return read_percent(path, member, &rule->least, err);
	if (text_is(member->key, "name")) {
		rule->name = member->text;
	} else if (text_is(member->key, "match")) {
		if (member->type != CONFIG_TEXT)
			return fail_at(err, path, member, "a name, in which * stands for any run");
		rule->match = member->text.data;
	} else if (text_is(member->key, "of")) {
		word = read_word(path, member, kinds, "function, stack, group, class or total", err);
		rule->of = word == 1 ? OF_STACK : word == 2 ? OF_TOTAL : OF_FUNCTION;
	} else if (text_is(member->key, "what")) {
		word = read_word(path, member, whats, "self or total", err);
		rule->total = word == 1;
	} else if (text_is(member->key, "significant")) {
		word = read_word(path, member, answers, "yes or no", err);
		rule->significant = word == 1;
	} else {
		return stk_fail(
			err, STK_EUSAGE,
			"%s:%u:%u: '%s' is not one of name, of, match, what, up, down, change, at least, significant",
			path, member->key_line, member->key_column, member->key.data);
	}
	return word < 0 ? -1 : 0;
}

static int
read_rules(const char *path, const struct config *config, struct rules *rules, struct stk_error *err)
{
	const struct config_node *root = config_root(config), *list = config_member(root, "rules");

	if (list == NULL || list->type != CONFIG_LIST)
		return fail_at(err, path, list == NULL ? root : list, "'rules:' with a list");
	for (const struct config_node *one = list->first; one != NULL; one = one->next) {
		struct rule rule = { .name = text_of("", 0), .direction = CHANGE };

		if (one->type != CONFIG_MAP)
			return fail_at(err, path, one, "a rule: name, of, match, up and so on");
		for (const struct config_node *member = one->first; member != NULL; member = member->next)
			if (read_member(path, member, &rule, err) < 0)
				return -1;
		*array_push(&rules->list) = rule;
	}
	return 0;
}

/* --- holding against them --- */

struct judging { const struct compared *c; struct row_printer rows; uint64_t whole[2]; bool found; };

static struct rate_difference
difference_of(const struct judging *j, uint64_t a, uint64_t b)
{
	const struct compared *c = j->c;

	return c->share ? share_difference(a, j->whole[0], b, j->whole[1], 1, c->confidence)
			: rate_difference(a, c->seconds[0], b, c->seconds[1], 1, c->confidence);
}

static double
share_of(uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0 : (double)part / (double)whole;
}

/* For people with three digits that count, however small both are. */
static void
print_rates(struct judging *j, double a, double b, double change)
{
	bool people = j->rows.form == ROWS_TEXT;
	double scale = people && j->c->share ? 100 : 1, most = scale * (a > b ? a : b);
	int digits = most > 0 && most < 1 ? 2 - (int)floor(log10(most)) : 2;
	char text[64];

	row_real(&j->rows, scale * a, digits);
	row_real(&j->rows, scale * b, digits);
	(void)snprintf(text, sizeof text, "%+.1f", 100 * change);
	if (people)
		row_text(&j->rows, text_from(isinf(change) ? "new" : text));
	else
		row_real(&j->rows, 100 * change, 1);
}

/* Where bursts were measured, by them. */
static double
chance_of(struct judging *j, const struct rule *rule, enum measure measure, uint32_t row)
{
	return rule->significant ? comparison_difference(j->c->comparison, measure, row, j->c->column).p : -1;
}

/* chance: p of the difference; below 0: as of independent samples. */
static void
judge(struct judging *j, const struct rule *rule, struct stk_text what, uint64_t a, uint64_t b, double chance)
{
	struct rate_difference d = difference_of(j, a, b);
	double change = d.a > 0   ? d.delta / d.a
			: d.b > 0 ? HUGE_VAL
				  : 0,
	       p = share_of(a, j->whole[0]), q = share_of(b, j->whole[1]);

	if ((rule->direction == UP && d.delta <= 0) || (rule->direction == DOWN && d.delta >= 0) ||
	    fabs(change) < rule->by || !(fabs(d.delta) > 0))
		return;
	if ((p > q ? p : q) < rule->least || (rule->significant && (chance < 0 ? d.p : chance) > 1 - j->c->confidence))
		return;
	if (rule->match != NULL) {
		char *name = strndup(what.data, what.size);
		int unlike = fnmatch(rule->match, name, 0);

		free(name);
		if (unlike != 0)
			return;
	}
	j->found = true;
	row_text(&j->rows, rule->name);
	row_text(&j->rows, text_from(j->c->name));
	row_paint(&j->rows, d.delta > 0 ? PAINT_HOT : PAINT_COLD);
	print_rates(j, d.a, d.b, change);
	row_text(&j->rows, what);
}

static void
judge_functions(struct judging *j, const struct rule *rule)
{
	struct call_tree *tree = j->c->tree;
	uint64_t *a = function_sums(tree, 0), *b = function_sums(tree, j->c->column);

	for (uint32_t name = 1; name <= tree->names.texts.count; name++)
		if (a[2 * name + 1] > 0 || b[2 * name + 1] > 0)
			judge(j, rule, text_table_text(&tree->names, name), a[2 * name + rule->total],
			      b[2 * name + rule->total],
			      chance_of(j, rule, rule->total ? MEASURE_TOTALS : MEASURE_FUNCTIONS, name));
	free(a);
	free(b);
}

static void
judge_stacks(struct judging *j, const struct rule *rule)
{
	struct text_buffer path = { 0 };
	struct call_tree *tree = j->c->tree;

	for (uint32_t node = 0; node < tree->nodes.count; node++) {
		const uint64_t *self = call_tree_self(tree, node);

		if (self[0] == 0 && self[j->c->column] == 0)
			continue;
		path.count = 0;
		call_tree_add_path(tree, node, &path);
		judge(j, rule, text_in(&path, 0), self[0], self[j->c->column],
		      chance_of(j, rule, MEASURE_STACKS, node));
	}
	array_release(&path);
}

int
rules_apply(const char *path, const struct compared *compared, enum row_form form, struct printer *printer,
	    struct stk_error *err)
{
	static const char *const programs[] = { "rule", "with", "a", "b", "change", "what", NULL };
	static const char *const rates[] = { "rule>", "with>?", "a /s#", "b /s#", "change %#", "what*", NULL };
	static const char *const shares[] = { "rule>", "with>?", "a %#", "b %#", "change %#", "what*", NULL };
	struct judging j = { .c = compared };
	struct rules rules = { 0 };
	struct config *config;
	int result = config_read_file(&config, path, err);

	if (result < 0) {
		if (err->code == STK_EDATA)
			err->code = STK_EUSAGE;
		return -1;
	}
	result = read_rules(path, config, &rules, err);
	j.whole[0] = call_tree_total(compared->tree, 0)[0];
	j.whole[1] = call_tree_total(compared->tree, 0)[compared->column];
	row_printer_begin(&j.rows, form, printer, form != ROWS_TEXT ? programs : compared->share ? shares : rates);
	for (size_t r = 0; r < rules.list.count && result == 0; r++) {
		const struct rule *rule = &rules.list.at[r];

		if (rule->of == OF_FUNCTION)
			judge_functions(&j, rule);
		else if (rule->of == OF_STACK)
			judge_stacks(&j, rule);
		else
			judge(&j, rule, text_from("(all)"), j.whole[0], j.whole[1], -1);
	}
	if (!j.found)
		printer->text.count = 0;		/* silence is good news */
	if (j.found)
		program_status_raise(PROGRAM_FOUND);
	if (j.found || result < 0) {
		if (row_printer_end(&j.rows, result < 0 ? &(struct stk_error){ 0 } : err) < 0)
			result = -1;
	} else {
		table_release(&j.rows.table);
	}
	array_release(&rules.list);
	config_close(config);
	return result;
}
