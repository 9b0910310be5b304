/* SPDX-License-Identifier: MIT
 * flame_difference: nodes and names keep the numbers that they have in the comparison. */
#include "plot/flame_difference.h"

#include "choose/naming.h"

#include <math.h>

/* --- counts --- */

static void
add_counts(struct flame_tree *tree, uint32_t node, const uint64_t *self)
{
	uint32_t row;

	if (self[0] == 0 && self[1] == 0)
		return;
	row = pair_sums_index(&tree->rows, node, 0);
	for (uint32_t side = 0; side < 2; side++)
		if (self[side] > 0)
			pair_sums_add(&tree->counts, &(struct pair_sum){ row, side, 1, self[side] });
}

void
flame_difference_open(struct flame_difference *out, struct comparison *comparison)
{
	struct call_tree *from = comparison_tree(comparison), *calls = &out->tree.calls;

	*out = (struct flame_difference){ .tree = { .cells = 2 } };
	call_tree_open(calls, 1);
	for (uint32_t n = 1; n < from->nodes.count; n++)
		(void)call_tree_child(calls, from->nodes.at[n].parent, call_tree_name(from, n));
	for (uint32_t n = 0; n < from->nodes.count; n++)
		add_counts(&out->tree, n, call_tree_self(from, n));
	flame_tree_sum(&out->tree);
	for (unsigned side = 0; side < 2; side++) {
		out->seconds[side] = comparison_seconds(comparison, side);
		array_lengthen(&out->totals[side], from->nodes.count);
		for (uint32_t n = 0; n < from->nodes.count; n++)
			out->totals[side].at[n] = call_tree_total(from, n)[side];
	}
	array_lengthen(&out->tree.marks, from->nodes.count);
	array_lengthen(&out->tree.name_marks, calls->names.texts.count + 1);
}

void
flame_difference_release(struct flame_difference *d)
{
	flame_tree_release(&d->tree);
	array_release(&d->totals[0]);
	array_release(&d->totals[1]);
}

/* --- marks --- */

void
flame_difference_mark(struct flame_difference *d, struct comparison *comparison, bool shares)
{
	struct call_tree *from = comparison_tree(comparison);
	unsigned shift = shares ? MARK_SHARES : 0;
	size_t count;
	struct compared_row *rows = comparison_rows(comparison, MEASURE_CALLS, 0, &count);

	for (size_t i = 0; i < count; i++)
		if (rows[i].significant && rows[i].row != 0)		/* 0 is what has no stack */
			d->tree.marks.at[rows[i].row] |= (unsigned char)(MARK_CHANGED << shift);
	free(rows);
	rows = comparison_rows(comparison, MEASURE_ALL, 0, &count);
	if (count > 0 && rows[0].significant)
		d->tree.marks.at[0] |= (unsigned char)(MARK_CHANGED << shift);
	free(rows);
	rows = comparison_functions(comparison, &count);
	for (size_t i = 0; i < count; i++) {
		uint32_t name = rows[i].row == 0 ? 0
						 : text_table_find(&d->tree.calls.names,
								   text_table_text(&from->names, rows[i].row));

		d->tree.name_marks.at[name] |= (unsigned char)(((rows[i].significant ? MARK_CHANGED : 0) |
								(rows[i].by_total ? MARK_BY_TOTAL : 0))
							       << shift);
	}
	free(rows);
}

void
flame_difference_add_modules(struct flame_difference *d, struct model *model)
{
	struct flame_tree *tree = &d->tree;
	struct naming *naming;

	naming_open(&naming, model, &(struct naming_options){ .fold = true });
	for (uint32_t id = model_next(model, STK_FRAME, 0); id != 0; id = model_next(model, STK_FRAME, id)) {
		struct stk_text module = model_string(model, model_frame(model, id).module);

		for (int java = 0; java < 2 && module.size > 0; java++) {
			uint32_t name = text_table_find(&tree->calls.names, naming_frame(naming, id, java != 0));

			if (name != 0 && tree->modules.at[name] == 0)
				tree->modules.at[name] = text_table_number(&tree->module_texts, module);
		}
	}
	naming_close(naming);
}

/* --- still pictures --- */

bool
flame_difference_is_gone(const struct flame_difference *d, uint32_t node)
{
	return d->totals[1].at[node] == 0;
}

void
flame_difference_widen(struct flame_difference *d)
{
	struct call_tree *calls = &d->tree.calls;
	double first = (double)d->totals[0].at[0], second = (double)d->totals[1].at[0];
	double scale = first > 0 && second > 0 ? second / first : 1;
	uint64_t *self = mem_new(calls->nodes.count, sizeof *self);

	for (size_t i = 0; i < d->tree.counts.sums.count; i++) {
		const struct pair_sum *sum = &d->tree.counts.sums.at[i];
		uint32_t node = d->tree.rows.sums.at[sum->a].a;

		if (sum->b == 1)
			self[node] += sum->weight;
		else if (flame_difference_is_gone(d, node))
			self[node] += (uint64_t)llround((double)sum->weight * scale);
	}
	for (uint32_t n = 0; n < calls->nodes.count; n++)
		calls->self.at[n] = calls->total.at[n] = self[n];
	for (size_t n = calls->nodes.count; n-- > 1; )
		calls->total.at[calls->nodes.at[n].parent] += calls->total.at[n];
	free(self);
}

double
flame_difference_points(const struct flame_difference *d, uint32_t node)
{
	double a = (double)d->totals[0].at[node], b = (double)d->totals[1].at[node];
	double A = (double)d->totals[0].at[0], B = (double)d->totals[1].at[0], whole;

	if (d->shares)
		return 100 * ((B > 0 ? b / B : 0) - (A > 0 ? a / A : 0));
	whole = fmax(A / d->seconds[0], B / d->seconds[1]);
	return whole > 0 ? 100 * (b / d->seconds[1] - a / d->seconds[0]) / whole : 0;
}

bool
flame_difference_is_chance(const struct flame_difference *d, uint32_t node)
{
	return (d->tree.marks.at[node] >> (d->shares ? MARK_SHARES : 0) & MARK_CHANGED) == 0;
}

int
flame_difference_step(const struct flame_difference *d, uint32_t node)
{
	static const double limits[] = { 0.1, 0.5, 2, 5, 10 };
	double points = flame_difference_points(d, node);
	int step = 0;

	while (step < 5 && fabs(points) >= limits[step])
		step++;
	return points < 0 ? -step : step;
}

void
flame_difference_add_word(struct text_buffer *to, const struct flame_difference *d, uint32_t node, const char *chance)
{
	if (flame_difference_is_gone(d, node))
		add_string(to, " (gone)");
	else if (flame_difference_is_chance(d, node))
		add_format(to, " %s", chance);
	else
		add_format(to, " %+.1f", flame_difference_points(d, node));
}
