/* SPDX-License-Identifier: MIT
 * segment_generator: segments by id with their frames as text; the latest total of each. */
#include "group/segment_generator.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/text_table.h"

#include <stdlib.h>

struct segment { uint64_t id, total; struct stk_text first, last; uint64_t frames; bool split; };

struct segment_generator {
	struct text_table texts;
	ARRAY(struct segment) segments;		/* by id - 1 */
	uint64_t samples;
};

#define SEGMENTS_MOST (1u << 22)

void
segment_generator_open(struct segment_generator **out)
{
	*out = mem_new(1, sizeof **out);
}

void
segment_generator_close(struct segment_generator *g)
{
	if (g == NULL)
		return;
	text_table_release(&g->texts);
	array_release(&g->segments);
	free(g);
}

static struct segment *
segment_at(struct segment_generator *g, uint64_t id)
{
	if (id == 0 || id > SEGMENTS_MOST)
		return NULL;
	array_lengthen(&g->segments, id);
	return &g->segments.at[id - 1];
}

static struct stk_text
function_of(struct segment_generator *g, const struct model *model, uint32_t frame)
{
	return text_table_text(&g->texts, text_table_number(&g->texts,
							    model_string(model, model_frame(model, frame).function)));
}

/* The frames are the last ones of a stack. */
static void
take_segment(struct segment_generator *g, const struct model *model, const struct stk_segment *row)
{
	uint32_t count = model_stack_frames(model, row->stack, NULL, 0), *frames;
	struct segment *segment = segment_at(g, row->id);

	if (segment == NULL || row->frames == 0 || row->frames > count)
		return;
	frames = mem_new(count, sizeof *frames);
	(void)model_stack_frames(model, row->stack, frames, count);
	segment->id = row->id;
	segment->frames = row->frames;
	segment->split = row->first != 0;
	segment->first = function_of(g, model, frames[count - row->frames]);
	segment->last = function_of(g, model, frames[count - 1]);
	free(frames);
}

static void
take_row(struct segment_generator *g, const struct model *model, unsigned kind, const void *row)
{
	const struct stk_split *split = row;
	const struct stk_intensity *intensity = row;
	struct segment *segment;

	if (kind == STK_SEGMENT) {
		take_segment(g, model, row);
	} else if (kind == STK_SPLIT) {
		segment = segment_at(g, split->segment);
		if (segment != NULL)
			segment->split = true;
	} else if (intensity->series == STK_SERIES_SEGMENT) {
		segment = segment_at(g, intensity->id);
		if (segment != NULL && intensity->total > segment->total)
			segment->total = intensity->total;
	}
}

int
segment_generator_take(struct segment_generator *g, const struct model *model, struct stk_reader *reader,
		       const struct stk_block *block, struct stk_error *err)
{
	uint64_t row[STK_COLUMN_MAX * 2];

	if (block->kind != STK_SEGMENT && block->kind != STK_SPLIT && block->kind != STK_INTENSITY)
		return 0;
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		stk_reader_row(reader, i, row);
		take_row(g, model, block->kind, row);
	}
	return 0;
}

void
segment_generator_count(struct segment_generator *g, uint64_t samples)
{
	g->samples += samples;
}

/* A group is called so. */
static void
add_name(struct text_buffer *to, struct stk_text text)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];

		add_char(to, c == '/' || c == '\t' || c == '\n' || (c == '(' && i == 0) ? '_' : c);
	}
}

/* A function as a pattern. */
static void
add_pattern(struct text_buffer *to, struct stk_text function)
{
	for (size_t i = 0; i < function.size; i++) {
		char c = function.data[i];

		if (c == '{' || c == '\\' || c == '*')
			add_char(to, '\\');
		add_char(to, c);
	}
}

static int
compare_totals(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;

	return x->total != y->total ? (x->total < y->total ? 1 : -1) : x->id < y->id ? -1 : x->id > y->id;
}

/* Whether nobody has a name yet; it has it then. */
static bool
claim(struct text_table *names, const struct scheme_update *update, struct stk_text name)
{
	uint32_t before = (uint32_t)names->texts.count;

	return text_table_number(names, name) > before && (update == NULL || !scheme_update_has_group(update, name));
}

/* Another that ends with the same is named by where it begins as well. */
static void
name_segment(const struct segment *s, struct text_table *names, const struct scheme_update *update,
	     struct text_buffer *name)
{
	add_name(name, s->last);
	if (claim(names, update, text_in(name, 0)))
		return;
	add_string(name, " from ");
	add_name(name, s->first);
	if (!claim(names, update, text_in(name, 0)))
		add_format(name, " (%llu)", (unsigned long long)s->id);
}

/* One whose frames a group has, whatever it is called, is not missing. */
static int
add_segment(const struct segment *s, struct text_table *names, struct scheme_update *update, struct text_buffer *to,
	    struct stk_error *err)
{
	struct text_buffer first = { 0 }, last = { 0 }, name = { 0 }, lines = { 0 };
	struct stk_text list[3];
	unsigned n = 0;
	int result = 0;

	add_pattern(&first, s->first);
	add_pattern(&last, s->last);
	if (s->frames > 1)
		list[n++] = text_in(&first, 0);
	if (s->frames > 2)
		list[n++] = text_from("...");
	list[n++] = text_in(&last, 0);
	if (update == NULL || !scheme_update_has_list(update, list, n)) {
		name_segment(s, names, update, &name);
		add_string(&lines, "- name: ");
		add_yaml_text(&lines, text_in(&name, 0));
		add_string(&lines, "\n  members: [{ stack: [");
		for (unsigned i = 0; i < n; i++) {
			add_string(&lines, i == 0 ? "" : ", ");
			add_yaml_text(&lines, list[i]);
		}
		add_string(&lines, "] }]\n");
		if (update != NULL)
			result = scheme_update_add_group(update, "groups", text_in(&lines, 0), err);
		for (struct stk_text rest = text_in(&lines, 0); update == NULL && rest.size > 0; ) {
			add_string(to, "  ");
			add_text(to, text_take(&rest, '\n'));
			add_char(to, '\n');
		}
	}
	array_release(&first);
	array_release(&last);
	array_release(&name);
	array_release(&lines);
	return result;
}

int
segment_generator_print(struct segment_generator *g, double least, struct scheme_update *update, struct text_buffer *to,
			unsigned *printed, struct stk_error *err)
{
	struct text_table names = { 0 };
	int result = 0;

	*printed = 0;
	if (update == NULL)
		add_string(to,
			   "scheme: segments\n"
			   "description: chains of frames that are always seen together, as stkclass found them\n"
			   "groups:\n");
	if (g->segments.count > 0)
		qsort(g->segments.at, g->segments.count, sizeof *g->segments.at, compare_totals);
	for (size_t i = 0; i < g->segments.count && result == 0; i++) {
		const struct segment *s = &g->segments.at[i];

		if (s->id == 0 || s->split || s->last.size == 0 || 100 * (double)s->total < least * (double)g->samples)
			continue;
		result = add_segment(s, &names, update, to, err);
		++*printed;
	}
	text_table_release(&names);
	return result;
}
