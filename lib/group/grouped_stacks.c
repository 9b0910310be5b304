/* SPDX-License-Identifier: MIT
 * grouped_stacks: each sample becomes a line, and equal lines one. */
#include "group/grouped_stacks.h"

#include "base/memory.h"
#include "base/tally.h"

#include <stdlib.h>

struct grouped_stacks { enum frames_as frames; struct tally lines; struct text_buffer line; };

void
grouped_stacks_open(struct grouped_stacks **out, enum frames_as frames)
{
	*out = mem_new(1, sizeof **out);
	(*out)->frames = frames;
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
			if (s->frames == FRAMES_ENTRY) {
				add_char(&s->line, '!');
				add_text(&s->line, naming_frame(naming, frames[i], false));
			}
		}
	}
}

/* Whether a sample stands as its groups, in place of its frames: then samples of other groups have another line. */
static bool
is_whole(const struct grouped_stacks *s, const struct grouped_sample *sample, uint32_t groups)
{
	return s->frames == FRAMES_WHOLE || (sample->stack == 0 && groups > 0);
}

void
grouped_stacks_add(struct grouped_stacks *s, struct grouping *grouping, const struct model *model,
		   struct naming *naming, struct stk_text prefix, const struct grouped_sample *sample)
{
	const uint32_t *groups;
	uint32_t count = sample->stack == 0
		? grouping_of_thread(grouping, model, sample->thread, &groups)
		: grouping_of_sample(grouping, model, sample->stack, sample->state, &groups);

	for (uint32_t i = 0; i < count || i == 0; i++) {
		s->line.count = 0;
		if (prefix.size > 0)
			add_text(&s->line, prefix);
		if (is_whole(s, sample, count))
			add_path(s, count == 0 ? text_from("(none)")
				 : grouping_scheme(grouping)->groups.at[groups[i] - 1].path);
		else
			add_frames(s, grouping, model, naming, sample->stack);
		if (s->line.count == 0)
			add_char(&s->line, '?');
		tally_add(&s->lines, text_in(&s->line, 0), sample->weight);
		if (!is_whole(s, sample, count))
			break;
	}
}

static int
compare_lines(const void *a, const void *b)
{
	const struct stk_text *x = &((const struct tally_row *)a)->text, *y = &((const struct tally_row *)b)->text;
	int order = memcmp(x->data, y->data, x->size < y->size ? x->size : y->size);

	return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

struct tally_row *
grouped_stacks_lines(const struct grouped_stacks *s, size_t *count)
{
	struct tally_row *lines;

	*count = s->lines.counts.count;
	lines = mem_new(*count + 1, sizeof *lines);
	for (size_t i = 0; i < *count; i++)
		lines[i] = (struct tally_row){ s->lines.texts.texts.at[i], s->lines.counts.at[i] };
	qsort(lines, *count, sizeof *lines, compare_lines);
	return lines;
}
