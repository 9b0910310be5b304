/* SPDX-License-Identifier: MIT
 * grouped_stacks: stacks of groups in place of frames, as folded text; and the stacks that no group took, with the functions that are in most of them. */
#include "group_views.h"

#include "base/memory.h"
#include "base/tally.h"
#include "report/row_printer.h"

#include <stdlib.h>

/* --- folded --- */

struct grouped_stacks { const struct settings *settings; struct tally lines; struct text_buffer line; };

void
grouped_stacks_open(struct grouped_stacks **out, const struct settings *settings)
{
	*out = mem_new(1, sizeof **out);
	(*out)->settings = settings;
}

void
grouped_stacks_close(struct grouped_stacks *s)
{
	if (s == NULL)
		return;
	tally_release(&s->lines);
	array_release(&s->line);
	free(s);
}

static void
add_element(struct grouped_stacks *s, struct stk_text text)
{
	if (s->line.count > 0)
		add_char(&s->line, ';');
	add_text(&s->line, text);
}

/* "parent/child" as two elements. */
static void
add_path(struct grouped_stacks *s, struct stk_text path)
{
	size_t from = s->line.count;

	add_element(s, path);
	for (size_t i = from; i < s->line.count; i++)
		s->line.at[i] = s->line.at[i] == '/' ? ';' : s->line.at[i];
}

/* Frames of one group are one element, and in the view of entries keep the function that leads in. */
static void
add_frames(struct grouped_stacks *s, struct grouping *grouping, const struct model *model, struct naming *naming,
	   uint64_t stack)
{
	const struct scheme *scheme = grouping_scheme(grouping);
	const uint32_t *frames, *groups;
	uint32_t count = grouping_of_frames(grouping, model, stack, &frames, &groups);

	for (uint32_t i = 0; i < count; i++) {
		if (groups[i] == 0) {
			add_element(s, naming_frame(naming, frames[i], false));
		} else if (i == 0 || groups[i - 1] != groups[i]) {
			add_element(s, scheme->groups.at[groups[i] - 1].path);
			if (s->settings->frames == FRAMES_ENTRY) {
				add_char(&s->line, '!');
				add_text(&s->line, naming_frame(naming, frames[i], false));
			}
		}
	}
}

void
grouped_stacks_add(struct grouped_stacks *s, struct grouping *grouping, const struct model *model,
		   struct naming *naming, struct stk_text prefix, uint64_t stack, uint64_t weight)
{
	const uint32_t *groups;
	uint32_t count = grouping_of_stack(grouping, model, stack, &groups);

	for (uint32_t i = 0; i < count || i == 0; i++) {
		s->line.count = 0;
		if (prefix.size > 0)
			add_text(&s->line, prefix);
		if (s->settings->frames == FRAMES_WHOLE)
			add_path(s, count == 0 ? text_from("(none)")
				 : grouping_scheme(grouping)->groups.at[groups[i] - 1].path);
		else
			add_frames(s, grouping, model, naming, stack);
		if (s->line.count == 0)
			add_char(&s->line, '?');
		tally_add(&s->lines, text_in(&s->line, 0), weight);
		if (s->settings->frames != FRAMES_WHOLE)
			break;
	}
}

struct line { struct stk_text text; uint64_t weight; };

static int
compare_lines(const void *a, const void *b)
{
	const struct stk_text *x = &((const struct line *)a)->text, *y = &((const struct line *)b)->text;
	int order = memcmp(x->data, y->data, x->size < y->size ? x->size : y->size);

	return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

int
grouped_stacks_print(struct grouped_stacks *s, struct printer *printer, struct stk_error *err)
{
	size_t count = s->lines.counts.count;
	struct line *lines = mem_new(count + 1, sizeof *lines);
	int result = 0;

	for (size_t i = 0; i < count; i++)
		lines[i] = (struct line){ s->lines.texts.texts.at[i], s->lines.counts.at[i] };
	qsort(lines, count, sizeof *lines, compare_lines);
	for (size_t i = 0; i < count && result == 0; i++) {
		add_text(&printer->text, lines[i].text);
		add_char(&printer->text, ' ');
		add_unsigned(&printer->text, lines[i].weight);
		add_char(&printer->text, '\n');
		result = printer_settle(printer, false, err);
	}
	free(lines);
	return result;
}

/* --- what no group took --- */

int
uncovered_print(struct uncovered *u, const struct settings *settings, struct printer *printer, struct stk_error *err)
{
	static const char *const for_people[] = { "weight#", "%#", "function", NULL };
	static const char *const for_programs[] = { "weight", "share", "function", NULL };
	uint64_t whole = uncovered_whole(u), none = uncovered_none(u), covered;
	double share_of_none = whole == 0 ? 0 : (double)none / (double)whole;
	bool people = settings->form == ROWS_TEXT;
	struct row_printer rows;
	struct stk_text name;

	if (people)
		add_format(&printer->text, "no group took %llu of %llu (%.1f%%); of these would be taken by\n\n",
			   (unsigned long long)none, (unsigned long long)whole,
				whole == 0 ? 0 : 100 * (double)none / (double)whole);
	row_printer_begin(&rows, settings->form, printer, (size_t)settings->width, people ? for_people : for_programs);
	if (!people) {
		row_count(&rows, none);
		row_real(&rows, share_of_none, 6);
		row_text(&rows, text_from("(none)"));
	}
	for (int64_t i = 0; i < settings->top && uncovered_take(u, &name, &covered); i++) {
		row_count(&rows, covered);
		row_real(&rows, (people ? 100 : 1) * (double)covered / (double)whole, 1);
		row_text(&rows, name);
	}
	return row_printer_end(&rows, err);
}
