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

static void
add_quoted(struct text_buffer *to, struct stk_text text, bool name)
{
	add_char(to, '\'');
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];

		if (c == '\'')
			add_char(to, '\'');
		if (!name && (c == '{' || c == '\\' || c == '*'))
			add_char(to, '\\');
		add_char(to, name && (c == '/' || c == '\t' || c == '\n' || (c == '(' && i == 0)) ? '_' : c);
	}
	add_char(to, '\'');
}

static int
compare_totals(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;

	return x->total != y->total ? (x->total < y->total ? 1 : -1) : x->id < y->id ? -1 : x->id > y->id;
}

unsigned
segment_generator_print(struct segment_generator *g, double least, struct text_buffer *to)
{
	struct text_table names = { 0 };
	unsigned printed = 0;

	add_string(to,
		   "scheme: segments\n"
		   "description: chains of frames that are always seen together, as stkclass found them\n"
		   "groups:\n");
	if (g->segments.count > 0)
		qsort(g->segments.at, g->segments.count, sizeof *g->segments.at, compare_totals);
	for (size_t i = 0; i < g->segments.count; i++) {
		const struct segment *s = &g->segments.at[i];
		uint32_t before = (uint32_t)names.texts.count;
		struct text_buffer name = { 0 };

		if (s->id == 0 || s->split || s->last.size == 0 || 100 * (double)s->total < least * (double)g->samples)
			continue;
		add_text(&name, s->last);
		/* another ends with the same: by where it begins as well */
		if (text_table_number(&names, text_in(&name, 0)) <= before) {
			add_string(&name, " from ");
			add_text(&name, s->first);
			if (text_table_number(&names, text_in(&name, 0)) <= before)
				add_format(&name, " (%llu)", (unsigned long long)s->id);
		}
		add_string(to, "  - name: ");
		add_quoted(to, text_in(&name, 0), true);
		add_string(to, "\n    members: [{ stack: [");
		if (s->frames > 1) {
			add_quoted(to, s->first, false);
			add_string(to, s->frames > 2 ? ", '...', " : ", ");
		}
		add_quoted(to, s->last, false);
		add_string(to, "] }]\n");
		array_release(&name);
		printed++;
	}
	text_table_release(&names);
	return printed;
}
