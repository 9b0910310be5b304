/* SPDX-License-Identifier: MIT
 * comparison_rules: every function and stack held against every rule. */
#include "comparison_rules.h"

#include "tree_reports.h"

#include "base/memory.h"
#include "program/program.h"
#include "timetree/tree_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- holding against them --- */

struct judging { const struct compared *c; struct row_printer rows; struct bounded_count whole[2]; bool found; };

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

static double
change_of(const struct rate_difference *d)
{
	return d->a > 0 ? d->delta / d->a : d->b > 0 && d->delta > 0 ? HUGE_VAL : 0;
}

/* Held against the rule is what differs for certain: trees can leave stacks out. */
static void
judge(struct judging *j, const struct watch_rule *rule, struct stk_text what, struct bounded_count a,
      struct bounded_count b)
{
	const struct compared *c = j->c;
	struct bounded_side sides[2] = { { a, j->whole[0], c->share ? 0 : c->seconds[0] },
					 { b, j->whole[1], c->share ? 0 : c->seconds[1] } };
	struct rate_difference d = bounded_difference(&sides[0], &sides[1], 1, c->confidence),
			       certain = certain_difference(&sides[0], &sides[1], 1, c->confidence);
	double p = share_of(a.value, j->whole[0].value), q = share_of(b.value, j->whole[1].value);

	if ((rule->bound == RULE_UP && certain.delta <= 0) || (rule->bound == RULE_DOWN && certain.delta >= 0) ||
	    fabs(change_of(&certain)) < rule->by || !(fabs(certain.delta) > 0))
		return;
	if ((p > q ? p : q) < rule->least || (rule->significant && certain.p > 1 - c->confidence))
		return;
	if (!tree_rule_is_about(rule, what))
		return;
	j->found = true;
	row_text(&j->rows, rule->name);
	row_text(&j->rows, text_from(c->name));
	row_paint(&j->rows, d.delta > 0 ? PAINT_HOT : PAINT_COLD);
	print_rates(j, d.a, d.b, change_of(&d));
	row_text(&j->rows, what);
}

/* Sums of a side by function: its counts, and where these have bounds what is estimated and what it can be instead. */
struct function_counts { uint64_t *sums[3]; };

static struct function_counts
count_functions(const struct judging *j, unsigned side)
{
	const struct column_bounds *b = &j->c->bounds[side];
	struct function_counts counts = { { function_sums(j->c->tree, b->column) } };

	for (unsigned i = 0; i < 2 && b->bounds > 0; i++)
		counts.sums[i + 1] = function_sums(j->c->tree, b->bounds + i);
	return counts;
}

static struct bounded_count
count_of(const struct judging *j, unsigned side, const struct function_counts *counts, size_t at)
{
	const struct column_bounds *b = &j->c->bounds[side];

	return bounded_sum(counts->sums[0][at], b->bounds == 0 ? 0 : counts->sums[1][at],
			   b->bounds == 0 ? 0 : counts->sums[2][at], b);
}

static void
judge_functions(struct judging *j, const struct watch_rule *rule)
{
	struct call_tree *tree = j->c->tree;
	struct function_counts a = count_functions(j, 0), b = count_functions(j, 1);

	for (uint32_t name = 1; name <= tree->names.texts.count; name++) {
		struct stk_text text = text_table_text(&tree->names, name);
		size_t at = 2 * (size_t)name;

		if ((a.sums[0][at + 1] > 0 || b.sums[0][at + 1] > 0) && !text_is(text, LEFT_OUT))
			judge(j, rule, text, count_of(j, 0, &a, at + rule->total),
			      count_of(j, 1, &b, at + rule->total));
	}
	for (unsigned i = 0; i < 3; i++) {
		free(a.sums[i]);
		free(b.sums[i]);
	}
}

static void
judge_stacks(struct judging *j, const struct watch_rule *rule)
{
	struct text_buffer path = { 0 };
	struct call_tree *tree = j->c->tree;

	for (uint32_t node = 0; node < tree->nodes.count; node++) {
		struct bounded_count a = bounded_self(tree, node, &j->c->bounds[0]),
				     b = bounded_self(tree, node, &j->c->bounds[1]);

		if ((a.value == 0 && b.value == 0) || is_left_out(tree, node))
			continue;
		path.count = 0;
		call_tree_add_path(tree, node, &path);
		judge(j, rule, text_in(&path, 0), a, b);
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
	j.whole[0] = bounded_whole(compared->tree, &compared->bounds[0]);
	j.whole[1] = bounded_whole(compared->tree, &compared->bounds[1]);
	row_printer_begin(&j.rows, form, printer, form != ROWS_TEXT ? programs : compared->share ? shares : rates);
	for (size_t r = 0; r < rules.list.count; r++) {
		const struct watch_rule *rule = &rules.list.at[r];

		if (rule->of == RULE_FUNCTION || rule->of == RULE_CLASS || rule->of == RULE_GROUP)
			judge_functions(&j, rule);
		else if (rule->of == RULE_STACK)
			judge_stacks(&j, rule);
		else
			judge(&j, rule, text_from("(all)"), j.whole[0], j.whole[1]);
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
