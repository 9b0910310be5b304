/* SPDX-License-Identifier: MIT
 * report_changes: the finding says when; files are read again for these two windows alone. */
#include "report_changes.h"

#include "base/input.h"
#include "base/time_math.h"
#include "plot/flame_svg.h"
#include "plot/page_text.h"
#include "plot/thread_svg.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE_LEAST 10 /* the time before has at least such a part of that of the finding */
#define UNSURE_MOST 4
#define ROWS_MOST 12

/* --- which windows --- */

static bool
can_be_read_again(char **operands, int count)
{
	for (int i = 0; i < count; i++)
		if (!input_is_file(operands[i]))
			return false;
	return count > 0;
}

static void
write_window(char *to, const struct thread_picture *picture, int64_t from_ns, int64_t to_ns)
{
	char from[TIME_TEXT_MAX], until[TIME_TEXT_MAX];

	(void)snprintf(to, CHANGES_WINDOW_MOST, "%s..%s", time_print(from, from_ns, picture->zone),
		       time_print(until, to_ns, picture->zone));
}

/* As long before it as it lasts, or what there is of that. */
static bool
find_windows(struct report_changes *c, const struct thread_picture *picture)
{
	const struct finding_lines *found = picture->found;

	for (size_t l = 0; l < found->list.count; l++) {
		const struct finding *finding = &picture->findings->list.at[found->list.at[l].first];
		struct time_range span;
		int64_t length, before;

		if (found->list.at[l].number == 0)
			continue;
		span = span_of_finding(picture, finding);
		length = time_difference(span.from_ns, span.to_ns);
		before = time_difference(picture->history->times.from_ns, span.from_ns);
		if (length <= 0 || before < length / BEFORE_LEAST || before <= 0)
			continue;
		c->number = found->list.at[l].number;
		write_window(c->windows[0], picture, before < length ? span.from_ns - before : span.from_ns - length,
			     span.from_ns);
		write_window(c->windows[1], picture, span.from_ns, span.to_ns);
		return true;
	}
	return false;
}

void
report_changes_make(struct report_changes *c, const struct plot_settings *settings,
		    const struct thread_picture *picture, char **operands, int count)
{
	struct stk_error err = { 0 };

	*c = (struct report_changes){ .palette = picture->palette,
				      .words = { .count = 2, .uses = 1, .use = { 1, 1 } } };
	if (!can_be_read_again(operands, count) || !find_windows(c, picture))
		return;
	for (unsigned side = 0; side < 2; side++)
		c->words.at[side] = c->windows[side];
	c->counted = true;
	if (diff_sides_open_windows(&c->counts.sides, settings, &c->words, operands, count, &err) == 0 &&
	    diff_counts_make(&c->counts, settings, &err) == 0) {
		if (comparison_samples(c->counts.comparison, 0) == 0)
			c->number = 0; /* nothing to compare with */
		return;
	}
	program_warn("cannot compare %s with %s: %s", c->windows[1], c->windows[0], err.text);
	c->number = 0;
}

void
report_changes_release(struct report_changes *c)
{
	if (c->counted)
		diff_counts_release(&c->counts);
}

/* --- words --- */

static void
add_row(struct text_buffer *to, const struct compared_row *row, struct stk_text name)
{
	add_format(to,
		   "<tr><td class=number>%.1f %%<td class=number>%.1f %%<td class=number>%+.1f<td>%s%s<th scope=row>",
		   100 * row->d.a, 100 * row->d.b, 100 * row->d.delta, row->by_total ? "total" : "self",
		   row->significant ? "" : " ~");
	page_add_text(to, row->row == 0 ? text_from("(no stack)") : name);
	add_char(to, '\n');
}

/* What is sure or, where nothing is, what changed most. */
static struct compared_row *
choose_rows(struct comparison *comparison, size_t *count, bool *sure)
{
	struct compared_row *rows = comparison_functions(comparison, count);
	size_t left = 0;

	*count = compared_rows_part_echoes(rows, *count);
	*sure = false;
	for (size_t i = 0; i < *count; i++)
		*sure |= rows[i].significant;
	*count = compared_rows_choose(comparison, rows, *count, *sure ? ROWS_MOST : UNSURE_MOST, 0);
	for (size_t i = 0; i < *count; i++)
		if (rows[i].significant == *sure)
			rows[left++] = rows[i];
	*count = left;
	return rows;
}

static void
add_table(struct text_buffer *to, struct comparison *comparison)
{
	struct call_tree *calls = comparison_tree(comparison);
	bool sure;
	size_t count;
	struct compared_row *rows = choose_rows(comparison, &count, &sure);

	if (!sure)
		add_string(
			to,
			"<p>No function changed by more than chance would make of so few samples near each other.</p>\n");
	if (count > 0)
		add_string(to, "<table><thead><tr><th class=number>before<th class=number>during<th class=number>points"
			       "<th>of<th>function</thead>\n");
	for (size_t i = 0; i < count; i++)
		add_row(to, &rows[i], text_table_text(&calls->names, rows[i].row));
	add_string(to, count > 0 ? "</table>\n" : "");
	free(rows);
}

void
report_changes_add(struct text_buffer *to, struct report_changes *c)
{
	struct flame_difference *difference = &c->counts.difference;
	struct flame_svg_options options = {
		.title = "", .unit = "samples", .width = THREAD_SVG_WIDTH, .icicle = true, .inside = true, .difference = difference,
		.palette = c->palette
	};
	static const char *const more_and_less[PALETTES] = { "orange is more, blue less", "red is more, blue less",
							     "dark is more, pale less" };
	uint64_t hidden;

	add_format(to, "<p>Finding %u, %s (%llu samples), against %s before it (%llu). ", c->number, c->windows[1],
		   (unsigned long long)comparison_samples(c->counts.comparison, 1), c->windows[0],
		   (unsigned long long)comparison_samples(c->counts.comparison, 0));
	add_format(to,
		   "Shares of all samples. In the picture, %s, and %s no more than chance; the number is the change in "
		   "points.</p>\n",
		   more_and_less[c->palette], c->palette == PALETTE_GREY ? "nearly white" : "grey");
	add_table(to, c->counts.comparison);
	difference->shares = true;
	flame_difference_widen(difference);
	if (difference->tree.calls.total.at[0] > 0)
		(void)flame_svg_add(to, &difference->tree, &options, &hidden);
}

void
report_changes_add_command(struct text_buffer *to, const struct report_changes *c)
{
	add_string(to, c->counts.sides.settings->selection);
	add_string(to, " --diff");
	for (unsigned side = 0; side < 2; side++)
		add_format(to, " %s", c->windows[side]);
}
