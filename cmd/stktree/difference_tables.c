/* SPDX-License-Identifier: MIT
 * difference_tables: a row for each function, stack, class, pool, or caller and callee of a function. A class has its
 * name, a hash, for programs, and its frames. */
#include "class_names.h"
#include "difference.h"
#include "report_sheet.h"

#include "base/memory.h"
#include "choose/folded_walk.h"
#include "program/program.h"

#include <stdlib.h>

/* --- rows --- */

static void
paint_row(struct difference_report *r, const struct compared_row *row)
{
	row_paint(&r->rows, !row->significant ? PAINT_NONE : row->d.delta > 0 ? PAINT_HOT : PAINT_COLD);
}

/* Rows that are shown; the marks of all are kept, so that the remark counts them. */
static struct compared_row *
rows_to_show(struct difference_report *r, const struct compared_row *all, size_t count, size_t *left)
{
	struct compared_row *shown = mem_new(count + 1, sizeof *shown);

	if (count > 0)
		memcpy(shown, all, count * sizeof *shown);
	*left = compared_rows_choose(r->comparison, shown, count, (size_t)r->settings->top, r->settings->least);
	return shown;
}

/* --- functions, classes, pools --- */

/* What the rows are called: classes for people by the frames that tell them apart. */
static struct stk_text *
function_names(struct difference_report *r, const struct compared_row *rows, size_t count, struct text_buffer *room)
{
	struct text_table *names = &comparison_tree(r->comparison)->names;
	struct stk_text *texts = mem_new(count + 1, sizeof *texts);

	for (size_t i = 0; i < count; i++)
		texts[i] = rows[i].row == 0 ? text_from(NO_FRAMES) : text_table_text(names, rows[i].row);
	if (r->settings->recording.as == AS_CLASSES)
		class_names(r->recordings, (size_t)r->recordings_count, texts, count, r->settings->form == FORM_TEXT,
			    room);
	return texts;
}

static void
print_function(struct difference_report *r, const struct compared_row *row, struct stk_text name)
{
	bool people = r->settings->form == FORM_TEXT;
	struct text_table *names = &comparison_tree(r->comparison)->names;

	paint_row(r, row);
	difference_row(r, row);
	if (!people)
		row_text(&r->rows, row->row == 0 ? text_from(NO_FRAMES) : text_table_text(names, row->row));
	for (unsigned i = 0; i < 2; i++)
		difference_part(r, row, i == 0 ? 0 : row->side, row->self[i]);
	for (unsigned i = 0; i < 2 && (!people || r->settings->recording.as == AS_FRAMES); i++)
		difference_part(r, row, i == 0 ? 0 : row->side, row->total[i]);
	difference_cells(r, row);
	if (people || r->settings->recording.as == AS_CLASSES)
		row_text(&r->rows, name);
}

/* Programs get all functions, and the samples without a stack where there are any, so that rows add up. People do not
 * get those that have nothing of their own on either side, and the same total, unless they ask for all. */
static size_t
rows_wanted(const struct settings *s, struct compared_row *rows, size_t count)
{
	bool people = s->form == FORM_TEXT;
	size_t left = 0;

	for (size_t i = 0; i < count; i++)
		if (rows[i].self[0] > 0 || rows[i].self[1] > 0 ||
			(people ? s->top == 0 || rows[i].by_total : rows[i].row != 0))
			rows[left++] = rows[i];
	return left;
}

/* Programs compare totals themselves: their rows are by what is the functions' own. */
bool
difference_shows_totals(const struct settings *s)
{
	return s->compared == VIEW_FLAT && s->form == FORM_TEXT && s->recording.as == AS_FRAMES && s->rules == NULL;
}

static int
report_functions(struct difference_report *r, struct stk_error *err)
{
	static const char *const shares[] = { "self a %#", "self b %#", "total a %#?", "total b %#?", "delta %#",
					      "limits#?", "", "function*", NULL },
				 *const rates[] = { "self a /s#", "self b /s#", "total a /s#?", "total b /s#?",
						    "delta /s#", "limits#?", "", "function*", NULL };
	static const char *const labels[][7] = { { "a %#", "b %#", "delta %#", "limits#?", "", "class>", NULL },
						 { "a /s#", "b /s#", "delta /s#", "limits#?", "", "class>", NULL },
						 { "a %#", "b %#", "delta %#", "limits#?", "", "pool*", NULL },
						 { "a /s#", "b /s#", "delta /s#", "limits#?", "", "pool*", NULL } };
	static const char *const programs[] = { "function", "self_a", "self_b", "total_a", "total_b", "delta",
						"low", "high", "significant", NULL },
				 *const class_programs[] = { "function", "self_a", "self_b", "total_a", "total_b",
							     "delta", "low", "high", "significant", "stack", NULL };
	bool classes = r->settings->recording.as == AS_CLASSES, pools = r->settings->recording.as == AS_POOLS;
	size_t count, left;
	struct compared_row *all, *shown;
	struct text_buffer room = { 0 };
	struct stk_text *names;
	int result;

	all = difference_shows_totals(r->settings) ? comparison_functions(r->comparison, &count)
						: comparison_rows(r->comparison, MEASURE_FUNCTIONS, 0, &count);
	if (r->settings->form != FORM_TEXT)
		count = rows_wanted(r->settings, all, count);
	left = difference_shows_totals(r->settings) && r->settings->top > 0 ? compared_rows_part_echoes(all, count)
									     : count;
	shown = rows_to_show(r, all, left, &left);
	left = rows_wanted(r->settings, shown, left);
	names = function_names(r, shown, left, &room);
	difference_begin(r, classes || pools ? labels[2 * pools + !r->share] : r->share ? shares : rates,
			 classes ? class_programs : programs);
	for (size_t i = 0; i < left; i++)
		print_function(r, &shown[i], names[i]);
	result = difference_end(r, all, count, left, classes ? "class" : pools ? "pool" : "function",
				classes ? "classes" : pools ? "pools" : "functions", err);
	free(names);
	free(shown);
	free(all);
	array_release(&room);
	return result;
}

/* --- stacks --- */

static int
report_stacks(struct difference_report *r, struct stk_error *err)
{
	static const char *const shares[] = { "a %#", "b %#", "delta %#", "limits#?", "", "stack*", NULL },
				 *const rates[] = { "a /s#", "b /s#", "delta /s#", "limits#?", "", "stack*", NULL };
	static const char *const programs[] = { "stack", "a", "b", "delta", "low", "high", "significant", NULL };
	bool people = r->settings->form == FORM_TEXT;
	size_t count, left;
	struct compared_row *all = comparison_rows(r->comparison, MEASURE_STACKS, 0, &count), *shown;
	struct text_buffer path = { 0 };
	int result;

	shown = rows_to_show(r, all, count, &left);
	difference_begin(r, r->share ? shares : rates, programs);
	for (size_t i = 0; i < left; i++) {
		const struct compared_row *row = &shown[i];

		path.count = 0;
		call_tree_add_path(comparison_tree(r->comparison), row->row, &path);
		paint_row(r, row);
		difference_row(r, row);
		if (!people)
			row_text(&r->rows, text_in(&path, 0));
		difference_part(r, row, 0, row->self[0]);
		difference_part(r, row, row->side, row->self[1]);
		difference_cells(r, row);
		if (people)
			row_text(&r->rows, text_in(&path, 0));
	}
	array_release(&path);
	result = difference_end(r, all, count, left, "stack", "stacks", err);
	free(shown);
	free(all);
	return result;
}

/* --- callers and callees --- */

static const char *
relation_of(uint32_t row)
{
	return row == NEIGHBOUR_TOTAL  ? "total"
	       : row == NEIGHBOUR_SELF ? "self"
	       : row % 2 == 0          ? "caller"
				       : "callee";
}

static unsigned
place_of(uint32_t row)
{
	return row == NEIGHBOUR_TOTAL ? 1 : row == NEIGHBOUR_SELF ? 2 : row % 2 == 0 ? 0 : 3;
}

static void
print_relation(struct difference_report *r, const struct compared_row *row)
{
	struct text_table *names = &comparison_tree(r->comparison)->names;
	uint32_t name = row->row <= NEIGHBOUR_SELF ? comparison_function(r->comparison)
						   : (row->row - NEIGHBOUR_CALLER) / 2;
	struct stk_text text = name == 0 ? text_from("(root)") : text_table_text(names, name);
	bool people = r->settings->form == FORM_TEXT;

	paint_row(r, row);
	difference_row(r, row);
	row_text(&r->rows, text_from(relation_of(row->row)));
	if (!people)
		row_text(&r->rows, text);
	difference_part(r, row, 0, row->self[0]);
	difference_part(r, row, row->side, row->self[1]);
	difference_cells(r, row);
	if (people)
		row_text(&r->rows, text);
}

/* Callers, the function itself, callees; in each the largest growth first. */
static int
report_neighbours(struct difference_report *r, struct stk_error *err)
{
	static const char *const shares[] = { "relation", "a %#", "b %#", "delta %#", "limits#?", "", "function*",
					      NULL },
				 *const rates[] = { "relation", "a /s#", "b /s#", "delta /s#", "limits#?", "",
						    "function*", NULL };
	static const char *const programs[] = { "relation", "function", "a", "b", "delta", "low", "high",
						"significant", NULL };
	size_t count, left;
	struct compared_row *all = comparison_rows(r->comparison, MEASURE_NEIGHBOURS, 0, &count), *shown;
	int result;

	if (comparison_function(r->comparison) == 0)
		program_warn("--function: no function is called '%s' here (--report flat lists them)",
			     r->settings->function);
	shown = rows_to_show(r, all, count, &left);
	difference_begin(r, r->share ? shares : rates, programs);
	for (unsigned side = 1; side < r->sides; side++)
		for (unsigned place = 0; place < 4; place++)
			for (size_t i = 0; i < left; i++)
				if (shown[i].side == side && place_of(shown[i].row) == place)
					print_relation(r, &shown[i]);
	result = difference_end(r, all, count, left, "caller or callee", "callers and callees", err);
	free(shown);
	free(all);
	return result;
}

int
report_difference_table(struct difference_report *r, struct stk_error *err)
{
	switch (r->settings->compared) {
	case VIEW_CALLERS: return report_neighbours(r, err);
	case VIEW_PATHS:   return report_stacks(r, err);
	default:           return report_functions(r, err);
	}
}
