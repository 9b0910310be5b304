/* SPDX-License-Identifier: MIT
 * tree_reports: flat profile, callers and callees, hot paths, folded stacks. */
#include "class_names.h"
#include "row_times.h"

#include "base/memory.h"
#include "choose/folded_walk.h"
#include "choose/function_sums.h"
#include "program/program.h"

#include <stdlib.h>

/* --- flat --- */

/* Rows of a name and two numbers, the largest first. */
struct ranked {
	struct stk_text text;
	uint64_t self, total;
	struct bounded_count self_bounds, total_bounds;
	uint32_t name;
};

static int
compare_self(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return text_compare(x->text, y->text);
}

static int
compare_total(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->total != y->total ? (x->total < y->total ? 1 : -1) : compare_self(a, b);
}

struct shown_as { bool pool; const struct stk_text *class; };	/* class: what it is called; NULL: it is none */

static void
print_function(struct sheet *sheet, const struct window_report *r, const struct ranked *of, struct shown_as as)
{
	struct row_printer *rows = &sheet->rows;
	uint64_t whole = *call_tree_total(r->tree, 0);

	sheet_row(sheet);
	if (rows->form != ROWS_TEXT) {
		row_text(rows, of->text);
		row_count(rows, of->self);
		row_count(rows, of->total);
		sheet_bounds(sheet, r, of->self_bounds);
		sheet_bounds(sheet, r, of->total_bounds);
		if (as.class != NULL)
			row_text(rows, *as.class);
		sheet_coverage(sheet, r);
		return;
	}
	sheet_amount(sheet, of->self);
	sheet_share(sheet, of->self, whole);
	if (!as.pool) {
		sheet_amount(sheet, of->total);
		sheet_share(sheet, of->total, whole);
	}
	row_times_cell(sheet, r, of->name);
	row_text(rows, as.class != NULL ? *as.class : of->text);
}

/* Sums by function of a column, and where its counts have bounds of the two that these are in. */
struct all_sums { uint64_t *of[3]; };

static struct all_sums
sums_with_bounds(const struct window_report *r)
{
	const struct column_bounds *b = r->bounds;
	struct all_sums sums = { { r->functions != NULL ? r->functions : function_sums(r->tree, b->column) } };

	for (unsigned i = 0; i < 2 && b->bounds > 0; i++)
		sums.of[i + 1] = function_sums(r->tree, b->bounds + i);
	return sums;
}

static uint64_t
sum_at(const struct all_sums *sums, unsigned which, size_t at)
{
	return sums->of[which] == NULL ? 0 : sums->of[which][at];
}

static struct bounded_count
bounds_at(const struct window_report *r, const struct all_sums *sums, struct stk_text name, size_t at)
{
	if (text_is(name, LEFT_OUT))
		return bounds_left_out(r, sums->of[0][at], false);
	return bounded_sum(sums->of[0][at], sum_at(sums, 1, at), sum_at(sums, 2, at), r->bounds);
}

/* All functions, the one with most of its own first; with the samples that have no frames: so they add up. */
static struct ranked *
list_functions(const struct window_report *r, size_t *count, size_t *all)
{
	struct call_tree *tree = r->tree;
	struct all_sums sums = sums_with_bounds(r);
	uint64_t whole = *call_tree_total(tree, 0), none = *call_tree_self(tree, 0);
	struct bounded_count bare = bounded_self(tree, 0, r->bounds);
	struct ranked *ranked = mem_new(tree->names.texts.count + 1, sizeof *ranked);

	*count = *all = 0;
	for (uint32_t name = 1; name <= tree->names.texts.count; name++) {
		struct stk_text text = text_table_text(&tree->names, name);
		size_t at = 2 * (size_t)name;

		*all += sums.of[0][at + 1] > 0;
		if (!is_small_within(r, sums.of[0][at + 1], sum_at(&sums, 2, at + 1), whole))
			ranked[(*count)++] = (struct ranked){ text, sums.of[0][at], sums.of[0][at + 1],
							      bounds_at(r, &sums, text, at),
							      bounds_at(r, &sums, text, at + 1), name };
	}
	*all += none > 0;
	if (!is_small_within(r, none, possible_self(tree, 0, r->bounds), whole))
		ranked[(*count)++] = (struct ranked){ text_from(NO_FRAMES), none, none, bare, bare, 0 };
	qsort(ranked, *count, sizeof *ranked, compare_self);
	for (unsigned i = 0; i < 3; i++)
		free(sums.of[i]);
	return ranked;
}

/* What classes are called beside their names: for people shortened, and in their place. */
static struct stk_text *
names_of_classes(const struct window_report *r, const struct ranked *ranked, size_t count, struct text_buffer *room)
{
	struct stk_text *texts = mem_new(count + 1, sizeof *texts);

	for (size_t i = 0; i < count; i++)
		texts[i] = ranked[i].text;
	class_names(r->recordings, (size_t)r->recordings_count, texts, count, r->settings->form == FORM_TEXT, room);
	return texts;
}

int
report_flat(const struct window_report *r, struct stk_error *err)
{
	static const char *const for_people[][6] = { [AS_FRAMES] = { "self#", "self %#", "total " UNIT "#", "total %#",
								     "function*", NULL },
						     [AS_CLASSES] = { "self#", "self %#", "total " UNIT "#", "total %#",
								      "class>", NULL },
						     [AS_POOLS] = { UNIT "#", "%#", "pool*", NULL },
						     [AS_GROUPS] = { "self#", "self %#", "total " UNIT "#", "total %#",
								     "group*", NULL } },
				 *const for_programs[] = { "function", "self", "total", NULL },
				 *const with_bounds[] = { "function", "self", "total", "self_low", "self_high",
							  "total_low", "total_high", NULL },
				 *const classes_for_programs[] = { "function", "self", "total", "stack", NULL },
				 *const classes_with_bounds[] = { "function", "self", "total", "self_low", "self_high",
								  "total_low", "total_high", "stack", NULL };
	struct sheet sheet = { 0 };
	size_t count, all, shown;
	struct ranked *ranked = list_functions(r, &count, &all);
	bool classes = r->settings->recording.as == AS_CLASSES, pools = r->settings->recording.as == AS_POOLS;
	struct text_buffer room = { 0 };
	struct stk_text *names = classes ? names_of_classes(r, ranked, count, &room) : NULL;
	int result;

	shown = rows_shown(r->settings, count);
	sheet_begin(&sheet, r, for_people[r->settings->recording.as],
		    r->bounds->bounds == 0 ? (classes ? classes_for_programs : for_programs)
		    : classes		   ? classes_with_bounds
					   : with_bounds);
	for (size_t i = 0; i < shown; i++)
		print_function(&sheet, r, &ranked[i], (struct shown_as){ pools, classes ? &names[i] : NULL });
	result = sheet_end(&sheet, err);
	if (result == 0)
		result = remark_left_out(r, (struct left_out_rows){ shown, count, all,
								    classes ? "class" : pools ? "pool" : "function",
								    classes ? "classes" : pools ? "pools" : "functions" },
					 err);
	array_release(&room);
	free(names);
	free(ranked);
	return result;
}

/* --- callers and callees --- */

/* What neighbour_sums returns, of the nodes of a walk. */
static struct neighbour_sums
walked_neighbours(const struct window_report *r, uint32_t name)
{
	size_t names = r->tree->names.texts.count + 1;
	struct neighbour_sums sums = { .callers = mem_new(names, sizeof *sums.callers),
				       .callees = mem_new(names, sizeof *sums.callees) };
	ARRAY(uint32_t) way = { 0 };		/* names, by depth; the root's is 0 */
	uint32_t outermost = UINT32_MAX;	/* depth of the function above the node at hand */
	struct walked_call call;

	*array_push(&way) = 0;
	while (name != 0 && call_walk_next(r->walk, &call)) {
		uint32_t caller = way.at[call.depth - 1];

		array_lengthen(&way, (size_t)call.depth + 1);
		way.at[call.depth] = call.name;
		if (call.depth <= outermost)
			outermost = UINT32_MAX;
		if (call.name == name)
			sums.self += call.self;
		else if (caller == name)
			sums.callees[call.name] += call.total;
		if (call.name == name && outermost == UINT32_MAX) {
			outermost = call.depth;
			sums.total += call.total;
			sums.callers[caller] += call.total;
		}
	}
	array_release(&way);
	return sums;
}

/* Of a column, and of those of its bounds, where there are such; else 0. */
struct all_relations { struct neighbour_sums of[3]; };

static void
print_relation(struct sheet *sheet, const struct window_report *r, const char *relation, struct bounded_count count,
	       struct stk_text name)
{
	sheet_row(sheet);
	row_text(&sheet->rows, text_from(relation));
	sheet_amount(sheet, count.value);
	if (sheet->rows.form == ROWS_TEXT)
		sheet_share(sheet, count.value, *call_tree_total(r->tree, 0));
	row_text(&sheet->rows, name);
	sheet_bounds(sheet, r, count);
	sheet_coverage(sheet, r);
}

/* How many --top left out. */
static size_t
print_relations(struct sheet *sheet, const struct window_report *r, const char *relation,
		const struct all_relations *found, bool callees)
{
	struct call_tree *tree = r->tree;
	struct ranked *ranked = mem_new(tree->names.texts.count + 1, sizeof *ranked);
	const uint64_t *of[3];
	size_t count = 0, shown;

	for (unsigned i = 0; i < 3; i++)
		of[i] = callees ? found->of[i].callees : found->of[i].callers;
	for (uint32_t name = 0; name <= tree->names.texts.count; name++) {
		if (of[0][name] == 0)
			continue;
		ranked[count++] = (struct ranked){
			.text = name == 0 ? text_from("(root)") : text_table_text(&tree->names, name),
			.total = of[0][name],
			.total_bounds = bounded_sum(of[0][name], of[1] == NULL ? 0 : of[1][name],
						    of[2] == NULL ? 0 : of[2][name], r->bounds)
		};
	}
	qsort(ranked, count, sizeof *ranked, compare_total);
	shown = rows_shown(r->settings, count);
	for (size_t i = 0; i < shown; i++)
		print_relation(sheet, r, relation, ranked[i].total_bounds, ranked[i].text);
	free(ranked);
	return count - shown;
}

static uint32_t
name_of_function(const struct window_report *r)
{
	struct call_tree *tree = r->tree;
	uint32_t wanted = 0;

	for (uint32_t name = 1; name <= tree->names.texts.count; name++)
		if (text_is(text_table_text(&tree->names, name), r->settings->function))
			wanted = name;
	return wanted;
}

/* What goes through the function by way of each caller and callee; below an outer call of its own a function is not
 * counted again. */
int
report_callers(const struct window_report *r, struct stk_error *err)
{
	static const char *const for_people[] = { "relation", UNIT "#", "%#", "function*", NULL },
				 *const for_programs[] = { "relation", "samples", "function", NULL },
				 *const with_bounds[] = { "relation", "samples", "function", "low", "high", NULL };
	struct stk_text function = text_from(r->settings->function);
	const struct column_bounds *b = r->bounds;
	uint32_t wanted = name_of_function(r);
	size_t left = 0;
	struct all_relations found = { { r->walk != NULL ? walked_neighbours(r, wanted)
							 : neighbour_sums(r->tree, b->column, wanted) } };
	const struct neighbour_sums *of = found.of;
	struct sheet sheet = { 0 };
	int result;

	for (unsigned i = 0; i < 2 && b->bounds > 0; i++)
		found.of[i + 1] = neighbour_sums(r->tree, b->bounds + i, wanted);
	sheet_begin(&sheet, r, for_people, b->bounds > 0 ? with_bounds : for_programs);
	if (wanted != 0) {
		left = print_relations(&sheet, r, "caller", &found, false);
		row_paint(&sheet.rows, PAINT_HEAD);
		print_relation(&sheet, r, "total", bounded_sum(of[0].total, of[1].total, of[2].total, b), function);
		print_relation(&sheet, r, "self", bounded_sum(of[0].self, of[1].self, of[2].self, b), function);
		left += print_relations(&sheet, r, "callee", &found, true);
	}
	result = sheet_end(&sheet, err);
	if (result == 0)
		result = remark_left_out(r, (struct left_out_rows){ 0, left, left, "caller or callee",
								    "callers and callees" }, err);
	for (unsigned i = 0; i < 3; i++)
		neighbour_sums_release(&found.of[i]);
	if (wanted == 0 && result == 0)
		program_warn("--function: no function is called '%s' here (--report flat lists them)",
			     r->settings->function);
	return result;
}

/* --- stacks --- */

/* A stack that was counted: `place` is that of its text among all. */
struct counted_stack { uint32_t node, place; uint64_t self, possible; };

static int
compare_stacks(const void *a, const void *b)
{
	const struct counted_stack *x = a, *y = b;

	return x->self != y->self ? (x->self < y->self ? 1 : -1) : x->place < y->place ? -1 : 1;
}

/* Those with most of their own first. Texts are made when they are shown: all of them are large. */
static struct counted_stack *
list_stacks(const struct window_report *r, size_t *count)
{
	struct call_tree *tree = r->tree;
	ARRAY(struct counted_stack) list = { 0 };
	struct folded_walk *walk;
	struct stk_text text;
	uint32_t node;

	folded_walk_open(&walk, tree);
	while (folded_walk_next(walk, &node, &text)) {
		struct counted_stack stack = { node, (uint32_t)list.count, bounded_self(tree, node, r->bounds).value,
					       possible_self(tree, node, r->bounds) };

		if (stack.self > 0 || stack.possible > 0)
			*array_push(&list) = stack;
	}
	folded_walk_close(walk);
	if (list.count > 0)
		qsort(list.at, list.count, sizeof *list.at, compare_stacks);
	*count = list.count;
	return list.at;
}

static void
print_stack(struct sheet *sheet, const struct window_report *r, const struct counted_stack *stack,
	    struct text_buffer *text)
{
	struct bounded_count count = is_left_out(r->tree, stack->node)
					     ? bounds_left_out(r, stack->self, true)
					     : bounded_self(r->tree, stack->node, r->bounds);

	text->count = 0;
	call_tree_add_path(r->tree, stack->node, text);
	sheet_row(sheet);
	sheet_amount(sheet, stack->self);
	sheet_share(sheet, stack->self, *call_tree_total(r->tree, 0));
	row_text(&sheet->rows, text_in(text, 0));
	sheet_bounds(sheet, r, count);
	sheet_coverage(sheet, r);
}

int
report_paths(const struct window_report *r, struct stk_error *err)
{
	static const char *const for_people[] = { UNIT "#", "%#", "stack*", NULL },
				 *const for_programs[] = { "samples", "share", "stack", NULL },
				 *const with_bounds[] = { "samples", "share", "stack", "low", "high", NULL };
	struct text_buffer text = { 0 };
	size_t count, large = 0, shown;
	struct counted_stack *list = list_stacks(r, &count);
	uint64_t whole = *call_tree_total(r->tree, 0);
	struct sheet sheet = { 0 };
	int result;

	while (large < count && !is_small_within(r, list[large].self, list[large].possible, whole))
		large++;
	shown = rows_shown(r->settings, large);
	sheet_begin(&sheet, r, for_people, r->bounds->bounds > 0 ? with_bounds : for_programs);
	for (size_t i = 0; i < shown; i++)
		print_stack(&sheet, r, &list[i], &text);
	result = sheet_end(&sheet, err);
	if (result == 0)
		result = remark_left_out(r, (struct left_out_rows){ shown, large, count, "stack", "stacks" }, err);
	free(list);
	array_release(&text);
	return result;
}

int
report_folded(const struct window_report *r, struct stk_error *err)
{
	struct text_buffer *to = &r->printer->text;
	uint64_t whole = *call_tree_total(r->tree, 0);
	struct folded_walk *walk;
	struct stk_text text;
	uint32_t node;
	int result = 0;

	folded_walk_open(&walk, r->tree);
	while (result == 0 && folded_walk_next(walk, &node, &text)) {
		uint64_t self = *call_tree_self(r->tree, node);

		if (self == 0 || is_small(r->settings, self, whole))
			continue;
		add_text(to, text);
		add_char(to, ' ');
		add_unsigned(to, self);
		add_char(to, '\n');
		result = printer_settle(r->printer, false, err);
	}
	folded_walk_close(walk);
	return result < 0 ? -1 : printer_settle(r->printer, true, err);
}

int
report_lines(const struct settings *settings, struct folded_lines *lines, uint64_t whole, struct printer *printer,
	     struct stk_error *err)
{
	struct text_buffer *to = &printer->text;
	struct stk_text text;
	uint64_t count, weight;
	int result = 0;

	while (result == 0 && folded_lines_next(lines, &text, &count, &weight)) {
		uint64_t shown = settings->recording.samples ? count : weight;

		if (is_small(settings, shown, whole))
			continue;
		add_text(to, text);
		add_char(to, ' ');
		add_unsigned(to, shown);
		add_char(to, '\n');
		result = printer_settle(printer, false, err);
	}
	return result < 0 ? -1 : printer_settle(printer, true, err);
}
