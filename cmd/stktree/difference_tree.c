/* SPDX-License-Identifier: MIT
 * difference_tree: each function below its caller, with what it has and calls in both sides; of the callees of one the
 * largest growth first. For people the calls that changed most with all above them, where a chain of calls that all
 * have the same has its numbers once. */
#include "difference.h"
#include "report_sheet.h"

#include "base/memory.h"
#include "base/quantities.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NAMES_MOST   5		/* of a chain: else the first and the last two */
#define NAMES_EITHER 2

/* The tree of one side beside the first. */
struct drawing {
	struct difference_report *r;
	const struct compared_row *rows;	/* of this side, the largest growth first */
	size_t count;
	uint32_t *row_of;		/* by node, + 1; 0: it has none */
	uint32_t *first, *next;		/* shown callees of a node, and the next of its caller */
	bool *shown;			/* by node */
	size_t lines;
	uint32_t deepest;
	struct text_buffer lead;
};

struct waiting { uint32_t node, level; };

static const struct compared_row *
row_at(const struct drawing *d, uint32_t node)
{
	return &d->rows[d->row_of[node] - 1];
}

static uint32_t
parent_of(const struct drawing *d, uint32_t node)
{
	return comparison_tree(d->r->comparison)->nodes.at[node].parent;
}

static struct stk_text
name_of(const struct drawing *d, uint32_t node)
{
	return node == 0 ? text_from(NO_FRAMES) : call_tree_name(comparison_tree(d->r->comparison), node);
}

/* --- which --- */

/* A call with all above it, while there is room: how many lines that takes is known before chains are folded. */
static void
show(struct drawing *d, uint32_t node, size_t most)
{
	size_t needed = 0;

	for (uint32_t at = node; !d->shown[at]; at = parent_of(d, at)) {
		needed++;
		if (at == 0)
			break;
	}
	if (most > 0 && d->lines > 0 && d->lines + needed > most)
		return;
	d->lines += needed;
	for (uint32_t at = node; !d->shown[at]; at = parent_of(d, at)) {
		d->shown[at] = true;
		if (at == 0)
			break;
	}
}

static int
compare_worth(const void *a, const void *b)
{
	const struct compared_row *x = *(const struct compared_row *const *)a,
				  *y = *(const struct compared_row *const *)b;
	double p = fabs(x->d.delta), q = fabs(y->d.delta);

	if (x->significant != y->significant)
		return x->significant ? -1 : 1;
	return p > q ? -1 : p < q ? 1 : x->row < y->row ? -1 : x->row > y->row;
}

/* Deepest first of what changed alike, so that a way down to the change is there, and not only its beginning. */
static void
choose(struct drawing *d, const bool *worth)
{
	const struct compared_row **by_worth = mem_new(d->count + 1, sizeof *by_worth);
	size_t most = (size_t)d->r->settings->top, count = 0;

	for (size_t i = 0; i < d->count; i++)
		if (worth[i])
			by_worth[count++] = &d->rows[i];
	if (most > 0)
		qsort(by_worth, count, sizeof *by_worth, compare_worth);
	d->shown[0] = true;
	for (size_t i = 0; i < count; i++)
		show(d, by_worth[i]->row, most);
	free(by_worth);
}

/* From the least growth to the largest, each before those of its caller that were met. */
static void
link_callees(struct drawing *d)
{
	for (size_t i = d->count; i-- > 0; ) {
		uint32_t node = d->rows[i].row, parent = parent_of(d, node);

		if (node == 0 || !d->shown[node])
			continue;
		d->next[node] = d->first[parent];
		d->first[parent] = node;
	}
}

/* --- rows --- */

/* The only callee that is shown, where it has what its caller has; or 0. */
static uint32_t
only_callee(const struct drawing *d, uint32_t node)
{
	uint32_t callee = d->first[node];
	const struct compared_row *of = row_at(d, node), *is;

	if (d->r->settings->form != FORM_TEXT || callee == 0 || d->next[callee] != 0)
		return 0;
	is = row_at(d, callee);
	return is->total[0] == of->total[0] && is->total[1] == of->total[1] ? callee : 0;
}

/* Indentation by two; by a number where it would take more than a quarter of the line. */
static struct stk_text
lead_of(struct drawing *d, uint32_t level)
{
	size_t width = d->r->printer->screen.width, most = (width > 0 ? width : SCREEN_WIDTH_USUAL) / 4;
	size_t unit = 2 * (size_t)d->deepest <= most ? 2 : 1, blanks = unit * level;
	char number[16] = "";

	if (blanks > most) {
		(void)snprintf(number, sizeof number, "+%u ", level);
		blanks = most > strlen(number) ? most - strlen(number) : 0;
	}
	d->lead.count = 0;
	while (blanks-- > 0)
		add_char(&d->lead, ' ');
	add_string(&d->lead, number);
	return text_in(&d->lead, 0);
}

/* Further names of a chain, without numbers. */
static void
print_name(struct drawing *d, const struct compared_row *of, uint32_t level, struct stk_text name)
{
	difference_row(d->r, of);
	for (unsigned cell = 0; cell < 5; cell++)
		row_text(&d->r->rows, text_of("", 0));
	row_label(&d->r->rows, lead_of(d, level), name);
}

static void
print_people(struct drawing *d, const struct compared_row *row, uint32_t level, uint32_t tail)
{
	struct row_printer *rows = &d->r->rows;
	uint32_t names = 0, at = row->row;
	char text[64];

	row_paint(rows, !row->significant ? PAINT_NONE : row->d.delta > 0 ? PAINT_HOT : PAINT_COLD);
	difference_row(d->r, row);
	difference_part(d->r, row, 0, row->total[0]);
	difference_part(d->r, row, row->side, row->total[1]);
	difference_cells(d->r, row);
	row_label(rows, lead_of(d, level), name_of(d, row->row));
	for (uint32_t node = row->row; node != tail; node = d->first[node])
		names++;
	for (uint32_t n = 1; n <= names; n++) {
		at = d->first[at];
		if (names >= NAMES_MOST && n == NAMES_EITHER && d->r->settings->top > 0) {
			(void)snprintf(text, sizeof text, "(%u calls)", names - 2 * NAMES_EITHER + 1);
			print_name(d, row, level, text_from(text));
			for (; n <= names - NAMES_EITHER; n++)
				at = d->first[at];
		}
		print_name(d, row, level, name_of(d, at));
	}
}

/* Samples without a stack are beside what is at the first level. */
static void
print_program(struct drawing *d, const struct compared_row *row)
{
	struct row_printer *rows = &d->r->rows;

	difference_row(d->r, row);
	row_count(rows, row->row == 0 ? 1 : comparison_tree(d->r->comparison)->nodes.at[row->row].depth);
	row_text(rows, name_of(d, row->row));
	difference_part(d->r, row, 0, row->self[0]);
	difference_part(d->r, row, row->side, row->self[1]);
	difference_part(d->r, row, 0, row->total[0]);
	difference_part(d->r, row, row->side, row->total[1]);
	difference_cells(d->r, row);
}

/* Depth first, without recursion: stacks can be as deep as a stream says. */
static void
print_below(struct drawing *d, bool print)
{
	ARRAY(struct waiting) waiting = { 0 };
	ARRAY(uint32_t) callees = { 0 };

	for (uint32_t node = d->first[0]; node != 0; node = d->next[node])
		*array_push(&callees) = node;
	while (callees.count > 0)
		*array_push(&waiting) = (struct waiting){ callees.at[--callees.count], 0 };
	while (waiting.count > 0) {
		struct waiting is = waiting.at[--waiting.count];
		uint32_t tail = is.node, next;

		while ((next = only_callee(d, tail)) != 0)
			tail = next;
		if (is.level > d->deepest)
			d->deepest = is.level;
		if (print && d->r->settings->form == FORM_TEXT)
			print_people(d, row_at(d, is.node), is.level, tail);
		else if (print)
			print_program(d, row_at(d, is.node));
		for (uint32_t node = d->first[tail]; node != 0; node = d->next[node])
			*array_push(&callees) = node;
		while (callees.count > 0)
			*array_push(&waiting) = (struct waiting){ callees.at[--callees.count], is.level + 1 };
	}
	array_release(&waiting);
	array_release(&callees);
}

/* Returns how many of its rows are shown. */
static size_t
draw_side(struct difference_report *r, const struct compared_row *rows, size_t count, const bool *worth)
{
	size_t nodes = comparison_tree(r->comparison)->nodes.count, shown = 0;
	struct drawing d = { .r = r, .rows = rows, .count = count };

	d.row_of = mem_new(nodes, sizeof *d.row_of);
	d.first = mem_new(nodes, sizeof *d.first);
	d.next = mem_new(nodes, sizeof *d.next);
	d.shown = mem_new(nodes, sizeof *d.shown);
	for (size_t i = 0; i < count; i++)
		d.row_of[rows[i].row] = (uint32_t)i + 1;
	choose(&d, worth);
	link_callees(&d);
	print_below(&d, false);			/* how deep it is */
	print_below(&d, true);
	if (d.row_of[0] != 0 && r->settings->form == FORM_TEXT)
		print_people(&d, row_at(&d, 0), 0, 0);
	else if (d.row_of[0] != 0)
		print_program(&d, row_at(&d, 0));
	for (size_t i = 0; i < count; i++)
		shown += d.shown[rows[i].row];
	free(d.row_of);
	free(d.first);
	free(d.next);
	free(d.shown);
	array_release(&d.lead);
	return shown;
}

static size_t
rows_of_side(const struct compared_row *rows, size_t from, size_t count)
{
	size_t end = from;

	while (end < count && rows[end].side == rows[from].side)
		end++;
	return end - from;
}

int
report_difference_tree(struct difference_report *r, struct stk_error *err)
{
	static const char *const shares[] = { "a %#", "b %#", "delta %#", "limits#?", "", "function*", NULL },
				 *const rates[] = { "a /s#", "b /s#", "delta /s#", "limits#?", "", "function*", NULL };
	static const char *const programs[] = { "level", "function", "self_a", "self_b", "total_a", "total_b", "delta",
						"low", "high", "significant", NULL };
	size_t count, left = 0;
	struct compared_row *all = comparison_rows(r->comparison, MEASURE_CALLS, (uint64_t)r->settings->depth, &count);
	bool *worth = mem_new(count + 1, sizeof *worth);
	int result;

	compared_rows_mark(r->comparison, all, count, 0, r->settings->least, worth);
	difference_begin(r, r->share ? shares : rates, programs);
	for (size_t from = 0, rows; from < count; from += rows) {
		rows = rows_of_side(all, from, count);
		left += draw_side(r, all + from, rows, worth + from);
	}
	result = difference_end(r, all, count, left, "call", "calls", err);
	free(worth);
	free(all);
	return result;
}
