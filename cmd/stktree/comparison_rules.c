/* SPDX-License-Identifier: MIT
 * comparison_rules: every function and stack held against every rule. */
#include "comparison_rules.h"

#include "program/program.h"
#include "timetree/tree_rules.h"

#include <math.h>
#include <stdio.h>

/* --- holding against them --- */

struct judging { const struct compared *c; struct row_printer rows; bool found; };

static double
share_of(const struct bounded_side *side)
{
	return side->whole.value == 0 ? 0 : (double)side->count.value / (double)side->whole.value;
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

static double
change_of(const struct rate_difference *d)
{
	return d->a > 0 ? d->delta / d->a : d->b > 0 && d->delta > 0 ? HUGE_VAL : 0;
}

/* Held against the rule is what differs for certain: trees can leave stacks out. */
static void
judge(struct judging *j, const struct watch_rule *rule, struct stk_text what, enum measure measure, uint32_t row)
{
	const struct compared *c = j->c;
	struct bounded_side a = comparison_side(c->comparison, measure, row, 0),
			    b = comparison_side(c->comparison, measure, row, c->side);
	struct rate_difference certain = comparison_certain(c->comparison, measure, row, c->side), d;

	if ((rule->bound == RULE_UP && certain.delta <= 0) || (rule->bound == RULE_DOWN && certain.delta >= 0) ||
	    fabs(change_of(&certain)) < rule->by || !(fabs(certain.delta) > 0))
		return;
	if (fmax(share_of(&a), share_of(&b)) < rule->least || (rule->significant && certain.p > 1 - c->confidence))
		return;
	if (!tree_rule_is_about(rule, what))
		return;
	d = comparison_difference(c->comparison, measure, row, c->side);
	j->found = true;
	row_text(&j->rows, rule->name);
	row_text(&j->rows, text_from(c->name));
	row_paint(&j->rows, d.delta > 0 ? PAINT_HOT : PAINT_COLD);
	print_rates(j, d.a, d.b, change_of(&d));
	row_text(&j->rows, what);
}

static bool
has_any(const struct judging *j, enum measure measure, uint32_t row)
{
	return comparison_side(j->c->comparison, measure, row, 0).count.value > 0 ||
	       comparison_side(j->c->comparison, measure, row, j->c->side).count.value > 0;
}

static void
judge_functions(struct judging *j, const struct watch_rule *rule)
{
	const struct text_table *names = &comparison_tree(j->c->comparison)->names;

	for (uint32_t name = 1; name <= names->texts.count; name++) {
		struct stk_text text = text_table_text(names, name);

		if (!text_is(text, LEFT_OUT) && has_any(j, MEASURE_TOTALS, name))
			judge(j, rule, text, rule->total ? MEASURE_TOTALS : MEASURE_FUNCTIONS, name);
	}
}

static void
judge_stacks(struct judging *j, const struct watch_rule *rule)
{
	struct text_buffer path = { 0 };
	struct call_tree *tree = comparison_tree(j->c->comparison);

	for (uint32_t node = 0; node < tree->nodes.count; node++) {
		if (is_left_out(tree, node) || !has_any(j, MEASURE_STACKS, node))
			continue;
		path.count = 0;
		call_tree_add_path(tree, node, &path);
		judge(j, rule, text_in(&path, 0), MEASURE_STACKS, node);
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
	row_printer_begin(&j.rows, form, printer, form != ROWS_TEXT ? programs : compared->share ? shares : rates);
	for (size_t r = 0; r < rules.list.count; r++) {
		const struct watch_rule *rule = &rules.list.at[r];

		if (rule->of == RULE_FUNCTION || rule->of == RULE_CLASS || rule->of == RULE_GROUP)
			judge_functions(&j, rule);
		else if (rule->of == RULE_STACK)
			judge_stacks(&j, rule);
		else
			judge(&j, rule, text_from("(all)"), MEASURE_ALL, 0);
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
