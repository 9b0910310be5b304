/* SPDX-License-Identifier: MIT
 * call_tree_report: the heaviest branches of a call tree. What calls nothing else and has nothing of its own is one
 * branch with the only function that it calls: for people its numbers are there once, and its functions are below each
 * other without further indentation, so that indentation says where a tree branches. */
#include "row_times.h"

#include "base/memory.h"
#include "base/quantities.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>

#define NAMES_MOST   5		/* of a branch, when not all rows are asked for: else the first and the last two */
#define NAMES_EITHER 2
#define REST_LEAST   1.0	/* percent that a row for what is left out below a node has */
#define HOT_LEAST    10.0	/* percent of all samples that make a function's own worth a colour */

struct branch {
	uint32_t head, tail;		/* nodes, the same unless it is folded */
	uint32_t parent;		/* a branch */
	uint32_t level;			/* of indentation */
	uint32_t hidden;		/* callees of the tail that are not shown */
	uint64_t rest;			/* what these have */
	bool shown;
};

struct weighed { uint64_t total; uint32_t depth, branch; };

struct tree_printing {
	const struct window_report *r;
	struct sheet sheet;
	struct call_order order;
	ARRAY(struct branch) branches;	/* each before those below it; the first is the root */
	uint64_t whole, largest;	/* the largest branch that --top leaves out */
	uint32_t deepest;		/* level of a row */
	struct text_buffer lead;
	struct { uint64_t samples, count; bool top, least, depth; } left;	/* out, and by which options */
};

static uint64_t
total_of(const struct tree_printing *p, uint32_t node)
{
	return *call_tree_total(p->r->tree, node);
}

static uint64_t
self_of(const struct tree_printing *p, uint32_t node)
{
	return *call_tree_self(p->r->tree, node);
}

static uint64_t
possible_of(const struct tree_printing *p, uint32_t node)
{
	const struct column_bounds *b = p->r->bounds;

	return b->bounds == 0 ? 0 : call_tree_total(p->r->tree, node)[b->bounds + 1];
}

static uint32_t
depth_of(const struct tree_printing *p, uint32_t node)
{
	return p->r->tree->nodes.at[node].depth;
}

static bool
is_people(const struct tree_printing *p)
{
	return p->r->settings->form == FORM_TEXT;
}

static bool
is_deepest(const struct tree_printing *p, uint32_t node)
{
	return p->r->settings->depth > 0 && depth_of(p, node) >= (uint64_t)p->r->settings->depth;
}

/* --- which --- */

/* The only function that a node calls, when the node has nothing of its own; or 0. */
static uint32_t
only_callee(const struct tree_printing *p, uint32_t node)
{
	const uint32_t *callees = p->order.nodes + p->order.first[node];
	uint32_t count = p->order.first[node + 1] - p->order.first[node];

	if (!is_people(p) || is_deepest(p, node) || self_of(p, node) > 0 || count == 0 ||
	    (count > 1 && total_of(p, callees[1]) > 0))		/* groups may have the same samples */
		return 0;
	return total_of(p, *callees) == total_of(p, node) ? *callees : 0;
}

struct waiting { uint32_t node, parent; };

static void
add_branch(struct tree_printing *p, struct waiting of)
{
	struct branch *branch;
	uint32_t tail = of.node, next;

	while (tail != 0 && (next = only_callee(p, tail)) != 0)
		tail = next;
	branch = array_push(&p->branches);
	*branch = (struct branch){ .head = of.node, .tail = tail, .parent = of.parent,
				   .rest = total_of(p, tail) - self_of(p, tail) };
	branch->level = of.node == 0 ? 0 : p->branches.at[of.parent].level + 1;
	for (uint32_t i = p->order.first[tail]; i < p->order.first[tail + 1]; i++)
		branch->hidden += total_of(p, p->order.nodes[i]) > 0;
}

/* Depth first, without recursion: stacks can be as deep as a stream says. */
static void
list_branches(struct tree_printing *p)
{
	ARRAY(struct waiting) waiting = { 0 };

	*array_push(&waiting) = (struct waiting){ 0, 0 };
	while (waiting.count > 0) {
		uint32_t number = (uint32_t)p->branches.count, tail, first;

		add_branch(p, waiting.at[--waiting.count]);
		tail = p->branches.at[number].tail;
		if (is_deepest(p, tail))
			continue;
		first = p->order.first[tail];
		for (uint32_t end = p->order.first[tail + 1]; end > first; ) {
			uint32_t node = p->order.nodes[--end];

			if (!is_small_within(p->r, total_of(p, node), possible_of(p, node), p->whole))
				*array_push(&waiting) = (struct waiting){ node, number };
		}
	}
	array_release(&waiting);
}

static int
compare_weights(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->branch < y->branch ? -1 : x->branch > y->branch;
}

static void
show_branch(struct tree_printing *p, uint32_t number)
{
	struct branch *branch = &p->branches.at[number], *parent = &p->branches.at[branch->parent];
	uint64_t total = total_of(p, branch->head);

	branch->shown = true;
	parent->hidden--;
	parent->rest -= total < parent->rest ? total : parent->rest;	/* groups may have the same samples */
	if (branch->level > p->deepest)
		p->deepest = branch->level;
}

/* The heaviest, of equal ones those nearer to the root. A caller is never lighter than what it calls, so that a branch
 * is shown only with all above it. */
static void
choose_branches(struct tree_printing *p)
{
	size_t count = p->branches.count - 1, shown = rows_shown(p->r->settings, count);
	struct weighed *weighed = mem_new(count + 1, sizeof *weighed);

	for (uint32_t b = 1; b <= count; b++) {
		uint32_t head = p->branches.at[b].head;

		weighed[b - 1] = (struct weighed){ total_of(p, head), depth_of(p, head), b };
	}
	if (shown < count)
		qsort(weighed, count, sizeof *weighed, compare_weights);
	for (size_t i = 0; i < shown; i++)
		show_branch(p, weighed[i].branch);
	p->branches.at[0].shown = true;
	p->left.top = shown < count;
	p->largest = shown < count ? weighed[shown].total : 0;
	free(weighed);
}

/* --- rows for people --- */

/* Indentation by two or one; by a number where it would take more than a quarter of the line. */
static struct stk_text
lead_of(struct tree_printing *p, uint32_t level)
{
	size_t width = p->r->printer->screen.width, most = (width > 0 ? width : SCREEN_WIDTH_USUAL) / 4;
	size_t unit = 2 * (size_t)p->deepest <= most ? 2 : 1, blanks = unit * (level - 1);
	char number[16] = "";

	if (blanks > most) {
		(void)snprintf(number, sizeof number, "+%u ", level - 1);
		blanks = most > strlen(number) ? most - strlen(number) : 0;
	}
	p->lead.count = 0;
	while (blanks-- > 0)
		add_char(&p->lead, ' ');
	add_string(&p->lead, number);
	return text_in(&p->lead, 0);
}

static void
print_total(struct tree_printing *p, uint64_t total)
{
	sheet_amount(&p->sheet, total);
	sheet_share(&p->sheet, total, p->whole);
}

/* What a function has of its own, and its name; when: a node whose times are beside it. */
static void
print_self(struct tree_printing *p, uint32_t when, uint64_t self, struct stk_text lead, struct stk_text name)
{
	if ((double)self * 100 >= HOT_LEAST * (double)p->whole)
		row_paint(&p->sheet.rows, PAINT_HOT);
	sheet_amount(&p->sheet, self);
	row_times_cell(&p->sheet, p->r, when);
	row_label(&p->sheet.rows, lead, name);
}

/* A name without figures. */
static void
print_name(struct tree_printing *p, uint32_t when, uint32_t level, struct stk_text name)
{
	row_text(&p->sheet.rows, text_of("", 0));
	row_times_cell(&p->sheet, p->r, when);
	row_label(&p->sheet.rows, lead_of(p, level), name);
}

static void
print_no_total(struct tree_printing *p)
{
	row_text(&p->sheet.rows, text_of("", 0));
	row_text(&p->sheet.rows, text_of("", 0));
}

/* The functions of a branch below the first; the last has what there is of its own. */
static void
print_folded(struct tree_printing *p, const struct branch *branch)
{
	struct call_tree *tree = p->r->tree;
	uint32_t names = depth_of(p, branch->tail) - depth_of(p, branch->head) + 1, left_out = 0;
	uint32_t *way = mem_new(names, sizeof *way), node = branch->tail;
	char text[64];

	for (uint32_t n = names; n-- > 0; node = tree->nodes.at[node].parent)
		way[n] = node;
	if (names > NAMES_MOST && p->r->settings->top > 0)
		left_out = names - 2 * NAMES_EITHER;
	for (uint32_t n = 1; n + 1 < names; n++) {
		print_no_total(p);
		if (left_out > 0 && n == NAMES_EITHER) {
			(void)snprintf(text, sizeof text, "(%u calls)", left_out);
			print_name(p, UINT32_MAX, branch->level, text_from(text));
			n += left_out - 1;
		} else {
			print_name(p, UINT32_MAX, branch->level, call_tree_name(tree, way[n]));
		}
	}
	print_no_total(p);
	print_self(p, UINT32_MAX, self_of(p, branch->tail), lead_of(p, branch->level),
		   call_tree_name(tree, branch->tail));
	free(way);
}

static void
print_for_people(struct tree_printing *p, const struct branch *branch)
{
	struct stk_text name = call_tree_name(p->r->tree, branch->head);

	print_total(p, total_of(p, branch->head));
	if (branch->head == branch->tail) {
		print_self(p, branch->head, self_of(p, branch->tail), lead_of(p, branch->level), name);
	} else {
		print_name(p, branch->head, branch->level, name);
		print_folded(p, branch);
	}
}

/* What is left out below a branch: a row where it is much. */
static void
print_rest(struct tree_printing *p, const struct branch *branch)
{
	char text[64] = "... deeper calls";

	if (branch->rest == 0)
		return;
	p->left.samples += branch->rest;
	p->left.count += branch->hidden;
	if (branch->hidden == 0)
		p->left.depth = true;
	if ((double)branch->rest * 100 < REST_LEAST * (double)p->whole)
		return;
	if (branch->hidden > 0)
		(void)snprintf(text, sizeof text, "... %u more", branch->hidden);
	row_paint(&p->sheet.rows, PAINT_FAINT);
	print_total(p, branch->rest);
	print_name(p, UINT32_MAX, branch->level + 1, text_from(text));
}

static void
print_root(struct tree_printing *p)
{
	uint64_t self = self_of(p, 0);

	if (!is_small(p->r->settings, self, p->whole)) {
		print_total(p, self);
		print_self(p, 0, self, text_of("", 0), text_from(NO_FRAMES));
	}
	print_rest(p, &p->branches.at[0]);
}

/* --- all rows --- */

static void
print_for_programs(struct tree_printing *p, uint32_t level, struct stk_text name, uint64_t self, uint64_t total)
{
	sheet_row(&p->sheet);
	row_count(&p->sheet.rows, level);
	row_text(&p->sheet.rows, name);
	row_count(&p->sheet.rows, self);
	row_count(&p->sheet.rows, total);
}

static void
print_branch_for_programs(struct tree_printing *p, uint32_t node)
{
	print_for_programs(p, depth_of(p, node), call_tree_name(p->r->tree, node), self_of(p, node), total_of(p, node));
	sheet_node_bounds(&p->sheet, p->r, node);
}

static void
print_root_for_programs(struct tree_printing *p)
{
	uint64_t self = self_of(p, 0);
	struct bounded_count own = bounded_self(p->r->tree, 0, p->r->bounds);

	if (is_small_within(p->r, self, possible_self(p->r->tree, 0, p->r->bounds), p->whole))
		return;
	print_for_programs(p, 1, text_from(NO_FRAMES), self, self);
	sheet_bounds(&p->sheet, p->r, own);
	sheet_bounds(&p->sheet, p->r, own);
	sheet_coverage(&p->sheet, p->r);
}

/* Up to the branch that calls at `level`: what is left out below each that is done. */
static uint32_t
leave(struct tree_printing *p, uint32_t at, uint32_t level)
{
	for (; p->branches.at[at].level >= level && at != 0; at = p->branches.at[at].parent)
		print_rest(p, &p->branches.at[at]);
	return at;
}

static void
print_branches(struct tree_printing *p)
{
	uint32_t at = 0;

	for (uint32_t b = 1; b < p->branches.count; b++) {
		const struct branch *branch = &p->branches.at[b];

		if (!branch->shown)
			continue;
		if (is_people(p)) {
			(void)leave(p, at, branch->level);
			print_for_people(p, branch);
			at = b;
		} else {
			print_branch_for_programs(p, branch->head);
		}
	}
	if (is_people(p)) {
		(void)leave(p, at, 0);
		print_root(p);
	} else {
		print_root_for_programs(p);
	}
}

/* Which options left anything out: beside --top, what --min leaves out is callees that are no branch at all. */
static void
remark_rest(struct tree_printing *p)
{
	struct text_buffer text = { 0 };
	uint64_t branches = 0;
	const char *between = "";
	bool least_given = program_given("min");	/* else --top 0 shows what is small too */

	for (uint32_t b = 1; b < p->branches.count; b++)
		branches += !p->branches.at[b].shown && p->branches.at[p->branches.at[b].parent].shown;
	p->left.least = p->left.count > branches;
	if (p->left.samples == 0)
		return;
	add_string(&text, "left out: ");
	add_share(&text, (double)p->left.samples, (double)p->whole);
	if (p->left.count > 0) {
		add_format(&text, " in %llu %s", (unsigned long long)p->left.count,
			   plural(p->left.count, "branch", "branches"));
		if (p->left.top) {
			add_string(&text, ", none above ");
			add_share(&text, (double)p->largest, (double)p->whole);
		}
	}
	add_string(&text, " (more with ");
	if (p->left.top || (p->left.least && !least_given)) {
		add_string(&text, "--top 0");
		between = ", ";
	}
	if (p->left.least && least_given)
		add_format(&text, "%s--min 0", between);
	if (p->left.depth)
		add_format(&text, "%s--depth 0", p->left.least && least_given ? ", " : between);
	printer_remark(p->r->printer, "%.*s)", (int)text.count, text.at);
	array_release(&text);
}

int
report_tree(const struct window_report *r, struct stk_error *err)
{
	/* samples are named in the heading */
	static const char *const of_samples[] = { "total#", "%#", "self#", "function*", NULL };
	static const char *const of_units[] = { UNIT "#", "%#", "self#", "function*", NULL };
	static const char *const for_programs[] = { "level", "function", "self", "total", NULL };
	static const char *const with_bounds[] = {
		"level", "function", "self", "total", "self_low", "self_high", "total_low", "total_high", NULL
	};
	struct tree_printing p = { .r = r, .whole = *call_tree_total(r->tree, 0) };
	int result;

	sheet_begin(&p.sheet, r, r->counted.plain ? of_samples : of_units,
		    r->bounds->bounds > 0 ? with_bounds : for_programs);
	call_order_open(&p.order, r->tree);
	list_branches(&p);
	choose_branches(&p);
	print_branches(&p);
	result = sheet_end(&p.sheet, err);
	if (result == 0 && is_people(&p)) {
		remark_rest(&p);
		result = printer_settle(r->printer, true, err);
	}
	call_order_release(&p.order);
	array_release(&p.branches);
	array_release(&p.lead);
	return result;
}
