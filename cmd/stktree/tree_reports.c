/* SPDX-License-Identifier: MIT
 * tree_reports: call tree, flat profile, callers and callees, hot paths, folded stacks. */
#include "tree_reports.h"

#include "base/memory.h"
#include "choose/folded_walk.h"
#include "program/program.h"
#include "report/row_printer.h"

#include <stdlib.h>

#define TOP_USUAL   40		/* rows for people; programs get all */
#define NAMES_MOST  12

/* --- rows that begin with a window when there are several --- */

struct sheet {
	struct row_printer rows;
	const char *names[NAMES_MOST];
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];
	bool windows;
};

static void
begin(struct sheet *sheet, const struct window_report *r, const char *const *names)
{
	unsigned n = 0;
	size_t header;

	sheet->windows = r->window != NULL;
	if (sheet->windows) {
		sheet->names[n++] = "from", sheet->names[n++] = "to";
		time_print(sheet->from, r->window->from, r->settings->zone);
		time_print(sheet->to, r->window->to, r->settings->zone);
	}
	while (*names != NULL)
		sheet->names[n++] = *names++;
	sheet->names[n] = NULL;
	header = r->printer->text.count;
	row_printer_begin(&sheet->rows, (enum row_form)r->settings->form, r->printer, sheet->names);
	if (!r->first)		/* one header for all */
		r->printer->text.count = header;
}

static void
begin_row(struct sheet *sheet)
{
	if (!sheet->windows)
		return;
	row_time(&sheet->rows, sheet->from);
	row_time(&sheet->rows, sheet->to);
}

static size_t
most_rows(const struct settings *s, size_t count)
{
	size_t most = s->top > 0 ? (size_t)s->top : s->form == FORM_TEXT ? TOP_USUAL : count;

	return most < count ? most : count;
}

static bool
is_small(const struct settings *s, uint64_t part, uint64_t whole)
{
	return part == 0 || (double)part * 100 < s->least * (double)whole;
}

/* --- call tree --- */

struct tree_printing {
	const struct window_report *r;
	struct sheet *sheet;
	struct call_order order;
	struct text_buffer line;
	uint64_t whole;
	size_t left;
};

static void
print_node(struct tree_printing *p, uint32_t node)
{
	struct call_tree *tree = p->r->tree;
	const struct settings *s = p->r->settings;
	uint32_t level = tree->nodes.at[node].depth;
	uint64_t self = *call_tree_self(tree, node), total = *call_tree_total(tree, node);
	struct row_printer *rows = &p->sheet->rows;

	begin_row(p->sheet);
	if (s->form != FORM_TEXT) {
		row_count(rows, level);
		row_text(rows, call_tree_name(tree, node));
		row_count(rows, self);
		row_count(rows, total);
		return;
	}
	row_count(rows, total);
	row_real(rows, 100 * (double)total / (double)p->whole, 1);
	row_count(rows, self);
	p->line.count = 0;
	for (uint32_t l = 1; l < level; l++)
		add_string(&p->line, "  ");
	add_text(&p->line, call_tree_name(tree, node));
	row_text(rows, text_in(&p->line, 0));
}

/* Depth first, without recursion: stacks can be as deep as a stream says. */
static void
print_below(struct tree_printing *p)
{
	const struct settings *s = p->r->settings;
	struct call_tree *tree = p->r->tree;
	ARRAY(uint32_t) waiting = { 0 };

	*array_push(&waiting) = 0;
	while (waiting.count > 0 && p->left > 0) {
		uint32_t node = waiting.at[--waiting.count], first = p->order.first[node],
			 end = p->order.first[node + 1];

		if (node != 0) {
			print_node(p, node);
			p->left--;
		}
		if (s->depth > 0 && tree->nodes.at[node].depth >= (uint64_t)s->depth)
			continue;
		while (end > first)
			if (!is_small(s, *call_tree_total(tree, p->order.nodes[--end]), p->whole))
				*array_push(&waiting) = p->order.nodes[end];
	}
	if (waiting.count > 0 && s->form == FORM_TEXT)
		program_say("the rest is left out: --top, --depth and --min say what is shown");
	array_release(&waiting);
}

int
report_tree(const struct window_report *r, struct stk_error *err)
{
	static const char *const for_people[] = { "total#", "%#", "self#", "function", NULL }, *const for_programs[] = {
		"level", "function", "self", "total", NULL
	};
	struct sheet sheet = { 0 };
	struct tree_printing p = { .r = r, .sheet = &sheet, .whole = *call_tree_total(r->tree, 0) };
	int result;

	begin(&sheet, r, r->settings->form == FORM_TEXT ? for_people : for_programs);
	p.left = most_rows(r->settings, r->tree->nodes.count);
	call_order_open(&p.order, r->tree);
	print_below(&p);
	result = row_printer_end(&sheet.rows, err);
	call_order_release(&p.order);
	array_release(&p.line);
	return result;
}

/* --- flat --- */

/* A node counts for its name unless a caller of it has the same. */
static bool
is_outermost(const struct call_tree *tree, uint32_t node)
{
	uint32_t name = tree->nodes.at[node].name;

	for (uint32_t at = tree->nodes.at[node].parent; at != 0; at = tree->nodes.at[at].parent)
		if (tree->nodes.at[at].name == name)
			return false;
	return true;
}

uint64_t *
function_sums(struct call_tree *tree, unsigned column)
{
	uint64_t *sums = mem_new(2 * (tree->names.texts.count + 1), sizeof *sums);

	for (uint32_t n = 1; n < tree->nodes.count; n++) {
		uint32_t name = tree->nodes.at[n].name;

		sums[2 * name] += call_tree_self(tree, n)[column];
		if (call_tree_total(tree, n)[column] > 0 && is_outermost(tree, n))
			sums[2 * name + 1] += call_tree_total(tree, n)[column];
	}
	return sums;
}

/* Rows of a name and two numbers, the largest first. */
struct ranked { struct stk_text text; uint64_t self, total; };

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

int
report_flat(const struct window_report *r, struct stk_error *err)
{
	static const char *const for_people[] = { "self#", "%#", "total#", "% #", "function", NULL },
				 *const for_programs[] = { "function", "self", "total", NULL };
	struct call_tree *tree = r->tree;
	uint64_t *sums = function_sums(tree, 0), whole = *call_tree_total(tree, 0);
	struct ranked *ranked = mem_new(tree->names.texts.count + 1, sizeof *ranked);
	struct sheet sheet = { 0 };
	size_t count = 0;
	int result;

	for (uint32_t name = 1; name <= tree->names.texts.count; name++)
		if (!is_small(r->settings, sums[2 * name + 1], whole))
			ranked[count++] = (struct ranked){ text_table_text(&tree->names, name), sums[2 * name],
							   sums[2 * name + 1] };
	qsort(ranked, count, sizeof *ranked, compare_self);
	begin(&sheet, r, r->settings->form == FORM_TEXT ? for_people : for_programs);
	for (size_t i = 0; i < most_rows(r->settings, count); i++) {
		begin_row(&sheet);
		if (r->settings->form != FORM_TEXT)
			row_text(&sheet.rows, ranked[i].text);
		row_count(&sheet.rows, ranked[i].self);
		if (r->settings->form == FORM_TEXT)
			row_real(&sheet.rows, 100 * (double)ranked[i].self / (double)whole, 1);
		row_count(&sheet.rows, ranked[i].total);
		if (r->settings->form == FORM_TEXT) {
			row_real(&sheet.rows, 100 * (double)ranked[i].total / (double)whole, 1);
			row_text(&sheet.rows, ranked[i].text);
		}
	}
	result = row_printer_end(&sheet.rows, err);
	free(ranked);
	free(sums);
	return result;
}

/* --- callers and callees --- */

static void
print_relations(struct sheet *sheet, const struct window_report *r, const char *relation, struct call_tree *tree,
		const uint64_t *weights)
{
	struct ranked *ranked = mem_new(tree->names.texts.count + 1, sizeof *ranked);
	size_t count = 0;

	for (uint32_t name = 0; name <= tree->names.texts.count; name++)
		if (weights[name] > 0)
			ranked[count++] =
				(struct ranked){ name == 0 ? text_from("(root)") : text_table_text(&tree->names, name),
						 0, weights[name] };
	qsort(ranked, count, sizeof *ranked, compare_total);
	for (size_t i = 0; i < most_rows(r->settings, count); i++) {
		begin_row(sheet);
		row_text(&sheet->rows, text_from(relation));
		row_count(&sheet->rows, ranked[i].total);
		row_text(&sheet->rows, ranked[i].text);
	}
	free(ranked);
}

/* What goes through the function by way of each caller and callee; below an outer call of its own a function is not
 * counted again. */
int
report_callers(const struct window_report *r, struct stk_error *err)
{
	static const char *const names[] = { "relation", "samples#", "function", NULL };
	struct call_tree *tree = r->tree;
	uint32_t wanted = 0;
	uint64_t *callers = mem_new(tree->names.texts.count + 1, sizeof *callers),
		 *callees = mem_new(tree->names.texts.count + 1, sizeof *callees), self = 0, total = 0;
	struct sheet sheet = { 0 };
	int result;

	for (uint32_t name = 1; name <= tree->names.texts.count; name++)
		if (text_is(text_table_text(&tree->names, name), r->settings->function))
			wanted = name;
	for (uint32_t n = 1; n < tree->nodes.count && wanted != 0; n++) {
		const struct call_node *node = &tree->nodes.at[n];

		if (node->name == wanted) {
			self += *call_tree_self(tree, n);
			if (is_outermost(tree, n)) {
				total += *call_tree_total(tree, n);
				callers[tree->nodes.at[node->parent].name] += *call_tree_total(tree, n);
			}
		} else if (tree->nodes.at[node->parent].name == wanted && node->parent != 0) {
			callees[node->name] += *call_tree_total(tree, n);
		}
	}
	begin(&sheet, r, names);
	if (wanted != 0) {
		print_relations(&sheet, r, "caller", tree, callers);
		begin_row(&sheet);
		row_text(&sheet.rows, text_from("total")), row_count(&sheet.rows, total),
			row_text(&sheet.rows, text_from(r->settings->function));
		begin_row(&sheet);
		row_text(&sheet.rows, text_from("self")), row_count(&sheet.rows, self),
			row_text(&sheet.rows, text_from(r->settings->function));
		print_relations(&sheet, r, "callee", tree, callees);
	}
	result = row_printer_end(&sheet.rows, err);
	free(callers);
	free(callees);
	if (wanted == 0 && result == 0)
		program_warn("--function: no function is called '%s' here (--report flat lists them)",
			     r->settings->function);
	return result;
}

/* --- stacks --- */

/* The stacks that were counted, as texts in one buffer, in the order of these. */
static struct ranked *
list_stacks(const struct window_report *r, struct text_buffer *texts, size_t *count)
{
	struct call_tree *tree = r->tree;
	struct ranked *list = mem_new(tree->nodes.count, sizeof *list);
	size_t *from = mem_new(tree->nodes.count, sizeof *from), n = 0;
	struct folded_walk *walk;
	struct stk_text text;
	uint32_t node;

	folded_walk_open(&walk, tree);
	while (folded_walk_next(walk, &node, &text)) {
		if (*call_tree_self(tree, node) == 0)
			continue;
		from[n] = texts->count;
		add_text(texts, text);
		list[n].text.size = text.size;
		list[n++].self = *call_tree_self(tree, node);
	}
	folded_walk_close(walk);
	for (size_t i = 0; i < n; i++)
		list[i].text.data = texts->at + from[i];
	free(from);
	*count = n;
	return list;
}

int
report_paths(const struct window_report *r, struct stk_error *err)
{
	static const char *const for_people[] = { "samples#", "%#", "stack*", NULL }, *const for_programs[] = {
		"samples", "share", "stack", NULL
	};
	struct text_buffer texts = { 0 };
	size_t count;
	struct ranked *list = list_stacks(r, &texts, &count);
	uint64_t whole = *call_tree_total(r->tree, 0);
	struct sheet sheet = { 0 };
	int result;

	qsort(list, count, sizeof *list, compare_self);
	begin(&sheet, r, r->settings->form == FORM_TEXT ? for_people : for_programs);
	for (size_t i = 0; i < most_rows(r->settings, count) && !is_small(r->settings, list[i].self, whole); i++) {
		begin_row(&sheet);
		row_count(&sheet.rows, list[i].self);
		row_real(&sheet.rows, (r->settings->form == FORM_TEXT ? 100 : 1) * (double)list[i].self / (double)whole,
			 1);
		row_text(&sheet.rows, list[i].text);
	}
	result = row_printer_end(&sheet.rows, err);
	free(list);
	array_release(&texts);
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
