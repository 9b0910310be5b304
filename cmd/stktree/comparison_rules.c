/* SPDX-License-Identifier: MIT
 * comparison_rules: every function and stack held against every rule. */
#include "comparison_rules.h"

#include "base/memory.h"
#include "choose/function_sums.h"
#include "program/program.h"
#include "timetree/tree_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
chance_of(struct judging *j, const struct watch_rule *rule, enum measure measure, uint32_t row)
{
	return rule->significant ? comparison_difference(j->c->comparison, measure, row, j->c->column).p : -1;
}

/* chance: p of the difference; below 0: as of independent samples. */
static void
judge(struct judging *j, const struct watch_rule *rule, struct stk_text what, uint64_t a, uint64_t b, double chance)
{
	struct rate_difference d = difference_of(j, a, b);
	double change = d.a > 0   ? d.delta / d.a
			: d.b > 0 ? HUGE_VAL
				  : 0,
	       p = share_of(a, j->whole[0]), q = share_of(b, j->whole[1]);

	if ((rule->bound == RULE_UP && d.delta <= 0) || (rule->bound == RULE_DOWN && d.delta >= 0) ||
	    fabs(change) < rule->by || !(fabs(d.delta) > 0))
		return;
	if ((p > q ? p : q) < rule->least || (rule->significant && (chance < 0 ? d.p : chance) > 1 - j->c->confidence))
		return;
	if (!tree_rule_is_about(rule, what))
		return;
	j->found = true;
	row_text(&j->rows, rule->name);
	row_text(&j->rows, text_from(j->c->name));
	row_paint(&j->rows, d.delta > 0 ? PAINT_HOT : PAINT_COLD);
	print_rates(j, d.a, d.b, change);
	row_text(&j->rows, what);
}

static void
judge_functions(struct judging *j, const struct watch_rule *rule)
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
judge_stacks(struct judging *j, const struct watch_rule *rule)
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
	struct tree_rules rules;
	int result = 0;

	if (tree_rules_read(&rules, path, true, err) < 0) {
		tree_rules_release(&rules);
		return -1;
	}
	j.whole[0] = call_tree_total(compared->tree, 0)[0];
	j.whole[1] = call_tree_total(compared->tree, 0)[compared->column];
	row_printer_begin(&j.rows, form, printer, form != ROWS_TEXT ? programs : compared->share ? shares : rates);
	for (size_t r = 0; r < rules.list.count; r++) {
		const struct watch_rule *rule = &rules.list.at[r];

		if (rule->of == RULE_FUNCTION || rule->of == RULE_CLASS || rule->of == RULE_GROUP)
			judge_functions(&j, rule);
		else if (rule->of == RULE_STACK)
			judge_stacks(&j, rule);
		else
			judge(&j, rule, text_from("(all)"), j.whole[0], j.whole[1], -1);
	}
	if (!j.found)
		printer->text.count = 0;		/* silence is good news */
	if (j.found)
		program_status_raise(PROGRAM_FOUND);
	if (j.found)
		result = row_printer_end(&j.rows, err);
	else
		table_release(&j.rows.table);
	tree_rules_release(&rules);
	return result;
}
