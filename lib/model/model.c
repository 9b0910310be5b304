/* SPDX-License-Identifier: MIT
 * model: what a stream has defined so far. Each kind is a table of pages, so that an id far ahead of the others (a block was lost, or somebody is hostile)
 * costs a page and not the way there. */
#include "model/model.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "model/frame_text.h"

#include <stdlib.h>

#define PAGE_ROWS 4096u

/* Stacks are many more than everything else: their rows are kept in half of the room. An id beyond 32 bits refers to nothing. */
struct short_stack { uint32_t parent, frame; };

struct table {
	unsigned char **pages;		/* by id / PAGE_ROWS; NULL: nothing of it is known */
	uint32_t pages_count;
	uint32_t ids;			/* the highest id plus one */
	size_t row_size;
};

struct model {
	struct table tables[STK_DUMP + 1];
	struct arena texts;
	size_t bytes;
};

/* A page is a bit a row, set when the row is known, and then the rows. */
#define PAGE_KNOWN (PAGE_ROWS / 8)

static bool
is_modelled(unsigned kind)
{
	return kind >= STK_STRING && kind <= STK_DUMP;
}

static unsigned char *
page_of(struct model *model, struct table *table, uint32_t id)
{
	uint32_t number = id / PAGE_ROWS;
	size_t size = PAGE_KNOWN + PAGE_ROWS * table->row_size;

	if (number >= table->pages_count) {
		uint32_t count = number + number / 2 + 4;

		table->pages = mem_resize(table->pages, count, sizeof *table->pages);
		memset(table->pages + table->pages_count, 0, (count - table->pages_count) * sizeof *table->pages);
		table->pages_count = count;
	}
	if (table->pages[number] == NULL) {
		table->pages[number] = mem_new(1, size);
		model->bytes += size;
	}
	return table->pages[number];
}

static const void *
find_row(const struct table *table, uint64_t id)
{
	const unsigned char *page;
	uint32_t within = (uint32_t)(id % PAGE_ROWS);

	if (id == 0 || id >= table->ids || (page = table->pages[id / PAGE_ROWS]) == NULL || (page[within / 8] >> within % 8 & 1) == 0)
		return NULL;
	return page + PAGE_KNOWN + within * table->row_size;
}

static void
forget(struct model *model)
{
	for (unsigned kind = STK_STRING; kind <= STK_DUMP; kind++) {
		struct table *table = &model->tables[kind];

		for (uint32_t p = 0; p < table->pages_count; p++)
			free(table->pages[p]);
		free(table->pages);
		*table = (struct table){ .row_size = kind == STK_STACK ? sizeof(struct short_stack) : stk_schema()->kind[kind].row_size };
	}
	arena_release(&model->texts);
	model->bytes = 0;
}

int
model_open(struct model **out)
{
	*out = mem_new(1, sizeof **out);
	forget(*out);
	return 0;
}

void
model_close(struct model *model)
{
	if (model == NULL)
		return;
	forget(model);
	free(model);
}

static uint32_t
short_id(uint64_t id)
{
	return id < UINT32_MAX ? (uint32_t)id : UINT32_MAX;
}

static void
take_stacks(struct model *model, const struct stk_block *block, const uint64_t *parents, const uint64_t *frames)
{
	struct table *table = &model->tables[STK_STACK];

	for (uint32_t row = 0; row < block->rows; row++) {
		uint32_t id = block->first_id + row, within = id % PAGE_ROWS;
		unsigned char *page = page_of(model, table, id);
		struct short_stack stack = { short_id(parents[row]), short_id(frames[row]) };

		memcpy(page + PAGE_KNOWN + within * sizeof stack, &stack, sizeof stack);
		page[within / 8] |= (unsigned char)(1u << within % 8);
	}
}

int
model_take(struct model *model, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	struct table *table;

	if (block->kind == STK_HEAD) {
		forget(model);
		return 1;
	}
	if (!is_modelled(block->kind))
		return 0;
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	table = &model->tables[block->kind];
	if (block->first_id + block->rows > table->ids)
		table->ids = block->first_id + block->rows;
	if (block->kind == STK_STACK) {
		const uint64_t *parents, *frames;

		if (stk_reader_column(reader, STK_COLUMN(stack, parent), &parents, err) < 0 || stk_reader_column(reader, STK_COLUMN(stack, frame), &frames, err) < 0)
			return -1;
		take_stacks(model, block, parents, frames);
		return 1;
	}
	for (uint32_t row = 0; row < block->rows; row++) {
		uint32_t id = block->first_id + row, within = id % PAGE_ROWS;
		unsigned char *page = page_of(model, table, id);
		void *to = page + PAGE_KNOWN + within * table->row_size;

		stk_reader_row(reader, row, to);
		if (block->kind == STK_STRING) {
			struct stk_string *string = to;

			string->text.data = arena_copy(&model->texts, string->text.data, string->text.size);
		}
		page[within / 8] |= (unsigned char)(1u << within % 8);
	}
	return 1;
}

uint32_t
model_ids(const struct model *model, enum stk_kind kind)
{
	return is_modelled(kind) && model->tables[kind].ids > 0 ? model->tables[kind].ids : 1;
}

bool
model_knows(const struct model *model, enum stk_kind kind, uint64_t id)
{
	return id == 0 || (is_modelled(kind) && find_row(&model->tables[kind], id) != NULL);
}

struct stk_text
model_string(const struct model *model, uint64_t id)
{
	const struct stk_string *string = find_row(&model->tables[STK_STRING], id);

	return string != NULL ? string->text : text_from(id == 0 ? "" : "?");
}

/* model_frame, model_stack and the like: a copy of the row, zero where there is none. */
#define ROW_OF(NAME, name) \
struct stk_##name \
model_##name(const struct model *model, uint64_t id) \
{ \
	const struct stk_##name *row = find_row(&model->tables[STK_##NAME], id); \
\
	return row != NULL ? *row : (struct stk_##name){ 0 }; \
}
ROW_OF(FRAME, frame)
ROW_OF(SOURCE, source)
ROW_OF(THREAD, thread)
ROW_OF(LOCKS, locks)
ROW_OF(OBJECTS, objects)
ROW_OF(DUMP, dump)
#undef ROW_OF

struct stk_stack
model_stack(const struct model *model, uint64_t id)
{
	const struct short_stack *row = find_row(&model->tables[STK_STACK], id);

	return row != NULL ? (struct stk_stack){ row->parent, row->frame } : (struct stk_stack){ 0 };
}

uint32_t
model_stack_frames(const struct model *model, uint64_t stack, uint32_t *frames, uint32_t room)
{
	uint32_t count = 0, kept;

	for (uint64_t at = stack; at != 0; count++) {
		struct stk_stack node = model_stack(model, at);

		if (count < room)
			frames[count] = (uint32_t)node.frame;
		at = node.parent < at ? node.parent : 0;
	}
	kept = count < room ? count : room;
	for (uint32_t i = 0; i < kept / 2; i++) {
		uint32_t frame = frames[i];

		frames[i] = frames[kept - 1 - i];
		frames[kept - 1 - i] = frame;
	}
	return count;
}

size_t
model_bytes(const struct model *model)
{
	return model->bytes + model->texts.bytes;
}

size_t
model_frame_text(const struct model *model, uint64_t frame, char *to, size_t room)
{
	const struct stk_frame row = model_frame(model, frame);
	struct frame_names names = { model_string(model, row.function), model_string(model, row.module), model_string(model, row.file), row.line, row.form, row.address, row.offset };

	if (!model_knows(model, STK_FRAME, frame))
		names = (struct frame_names){ .function = text_from("?") };
	return frame_text(&names, to, room);
}
