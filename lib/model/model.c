/* SPDX-License-Identifier: MIT
 * model: what a stream has defined so far, a table of rows by id for each kind. */
#include "model/model.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "model/frame_text.h"
#include "model/recorded_groups.h"

#include <stdlib.h>

/* There are many more stacks than anything else, so their rows are kept in half of the space. An id beyond 32 bits
 * refers to nothing. */
struct short_stack { uint32_t parent, frame; };

#define LENT_PAGE  1024u
#define SLAB_FIRST 32u			/* pages that are allocated at first, */
#define SLAB_PAGES 2048u		/* and then: memory is taken as it is written to, in huge pages */

/* Borrowed stacks by id less one, LENT_PAGE in a page; NULL where none was read. */
struct lent_stacks {
	struct short_stack **pages;
	ARRAY(struct short_stack *) slabs;
	uint32_t left;			/* pages of the last slab */
	size_t bytes;
};

static const struct short_stack not_lent = { UINT32_MAX, UINT32_MAX };

struct known_ids { uint64_t *ids; size_t room; };

struct model {
	struct id_table tables[STK_DUMP + 1];
	uint32_t counts[STK_DUMP + 1];		/* rows of each kind */
	uint32_t highest[STK_DUMP + 1];		/* id of each kind */
	struct arena texts;
	struct lost_ids lost;
	struct known_ids columns[STK_COLUMN_MAX];	/* room for model_column */
	struct model_lender lender;		/* of stacks; without a function: there is none */
	struct lent_stacks lent;
	struct recorded_groups *groups;		/* NULL: they are not asked for */
};

static bool
is_modelled(unsigned kind)
{
	return kind >= STK_STRING && kind <= STK_DUMP;
}

static inline const void *
find_row(const struct model *model, enum stk_kind kind, uint64_t id)
{
	return id_table_find(&model->tables[kind], id);
}

static inline const struct short_stack *
find_lent(const struct model *model, uint64_t id)
{
	const struct short_stack *page, *row;

	if (id - 1 >= model->lender.stacks || (page = model->lent.pages[(id - 1) / LENT_PAGE]) == NULL)
		return NULL;
	row = &page[(id - 1) % LENT_PAGE];
	return row->parent == not_lent.parent && row->frame == not_lent.frame ? NULL : row;
}

/* The row of a stack, read now where that is how stacks come. */
static inline const struct short_stack *
find_stack(const struct model *model, uint64_t id)
{
	const struct short_stack *row;

	if (model->lender.load == NULL)
		return find_row(model, STK_STACK, id);
	row = find_lent(model, id);
	if (row != NULL || id - 1 >= model->lender.stacks)
		return row;
	model->lender.load(model->lender.context, id);
	return find_lent(model, id);
}

static void
forget_lent(struct model *model)
{
	free(model->lent.pages);
	for (size_t i = 0; i < model->lent.slabs.count; i++)
		free(model->lent.slabs.at[i]);
	array_release(&model->lent.slabs);
	model->lent = (struct lent_stacks){ 0 };
	model->lender = (struct model_lender){ 0 };
}

static void
forget(struct model *model)
{
	for (unsigned kind = STK_STRING; kind <= STK_DUMP; kind++) {
		model->tables[kind].size =
			kind == STK_STACK ? sizeof(struct short_stack) : stk_schema()->kind[kind].row_size;
		id_table_clear(&model->tables[kind]);
		model->counts[kind] = model->highest[kind] = 0;
	}
	arena_release(&model->texts);
	forget_lent(model);
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
	for (unsigned c = 0; c < STK_COLUMN_MAX; c++)
		free(model->columns[c].ids);
	recorded_groups_close(model->groups);
	free(model);
}

void
model_keep_groups(struct model *model)
{
	if (model->groups == NULL)
		recorded_groups_open(&model->groups);
}

struct recorded_groups *
model_groups(const struct model *model)
{
	return model->groups;
}

void
model_borrow_stacks(struct model *model, const struct model_lender *lender)
{
	forget_lent(model);
	model->lender = *lender;
	model->lent.pages = mem_new(lender->stacks / LENT_PAGE + 1, sizeof *model->lent.pages);
}

uint32_t
model_lent_stacks(const struct model *model)
{
	return model->lender.load == NULL ? 0 : model->lender.stacks;
}

bool
model_lent_rows(const struct model *model, uint64_t stack, struct lent_rows *rows)
{
	return model->lender.rows(model->lender.context, stack, rows) && stack >= rows->first &&
	       stack - rows->first < rows->rows;
}

/* --- definitions --- */

static uint32_t
short_id(uint64_t id)
{
	return id < UINT32_MAX ? (uint32_t)id : UINT32_MAX;
}

/* A place for the row of an id. Defined twice: the later one counts. */
static void *
place_of(struct model *model, unsigned kind, uint32_t id)
{
	model->counts[kind] += id_table_find(&model->tables[kind], id) == NULL;
	if (id > model->highest[kind])
		model->highest[kind] = id;
	return id_table_at(&model->tables[kind], id);
}

/* A definition refers to what was defined before it, of its own kind as well. */
static void
check_reference(struct model *model, unsigned kind, uint32_t own_id, unsigned refers, uint64_t id)
{
	if (id == 0 || refers > STK_DUMP)
		return;
	if ((refers == kind && id >= own_id) || !model_knows(model, refers, id))
		model->lost.references[refers]++;
}

static struct short_stack *
new_lent_page(struct lent_stacks *lent)
{
	uint32_t pages = lent->slabs.count == 0 ? SLAB_FIRST : SLAB_PAGES;
	struct short_stack *page;

	if (lent->left == 0) {
		*array_push(&lent->slabs) = mem_resize(NULL, (size_t)pages * LENT_PAGE, sizeof *page);
		lent->left = pages;
	}
	pages = lent->slabs.count == 1 ? SLAB_FIRST : SLAB_PAGES;
	page = lent->slabs.at[lent->slabs.count - 1] + (size_t)(pages - lent->left--) * LENT_PAGE;
	for (uint32_t i = 0; i < LENT_PAGE; i++)
		page[i] = not_lent;
	lent->bytes += LENT_PAGE * sizeof *page;
	return page;
}

/* Rows whose ids are those of one page. */
static void
take_lent_rows(struct short_stack *to, const uint64_t *parents, const uint64_t *frames, uint32_t rows)
{
	for (uint32_t i = 0; i < rows; i++)
		to[i] = (struct short_stack){ short_id(parents[i]), short_id(frames[i]) };
}

/* A parent that was not read yet is reported when it cannot be. */
void
model_check_lent(struct model *model, const struct lent_rows *rows)
{
	bool all_frames = model->counts[STK_FRAME] == model->highest[STK_FRAME];
	uint64_t lost = 0;

	for (uint32_t i = 0; i < rows->rows; i++)
		lost += rows->parents[i] >= (uint64_t)rows->first + i;
	model->lost.references[STK_STACK] += lost;
	for (uint32_t i = 0; i < rows->rows; i++)
		if (!all_frames || rows->frames[i] > model->highest[STK_FRAME])
			check_reference(model, STK_STACK, rows->first + i, STK_FRAME, rows->frames[i]);
}

static void
take_lent(struct model *model, const struct stk_block *block, const uint64_t *parents, const uint64_t *frames)
{
	uint64_t end = (uint64_t)block->first_id - 1 + block->rows, rows;

	for (uint64_t at = block->first_id - 1; at < end && at < model->lender.stacks; at += rows) {
		struct short_stack **page = &model->lent.pages[at / LENT_PAGE];
		uint64_t from = at - (block->first_id - 1);

		rows = LENT_PAGE - at % LENT_PAGE < end - at ? LENT_PAGE - at % LENT_PAGE : end - at;
		if (*page == NULL)
			*page = new_lent_page(&model->lent);
		take_lent_rows(*page + at % LENT_PAGE, parents + from, frames + from, (uint32_t)rows);
	}
}

static int
take_stacks(struct model *model, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	const uint64_t *parents, *frames;

	if (stk_reader_column(reader, STK_COLUMN(stack, parent), &parents, err) < 0 ||
	    stk_reader_column(reader, STK_COLUMN(stack, frame), &frames, err) < 0)
		return -1;
	if (model->lender.load != NULL) {
		take_lent(model, block, parents, frames);
		return 0;
	}
	for (uint32_t row = 0; row < block->rows; row++) {
		uint32_t id = block->first_id + row;
		struct short_stack *stack = place_of(model, STK_STACK, id);

		*stack = (struct short_stack){ short_id(parents[row]), short_id(frames[row]) };
		check_reference(model, STK_STACK, id, STK_STACK, parents[row]);
		check_reference(model, STK_STACK, id, STK_FRAME, frames[row]);
	}
	return 0;
}

static void
check_references(struct model *model, const struct stk_kind_schema *schema, uint32_t own_id, const void *row)
{
	for (unsigned c = 0; c < schema->columns; c++) {
		uint64_t id;

		if (schema->column[c].type != STK_TYPE_ID)
			continue;
		memcpy(&id, (const char *)row + schema->column[c].offset, sizeof id);
		check_reference(model, schema->number, own_id, schema->column[c].refers, id);
	}
}

static void
take_rows(struct model *model, struct stk_reader *reader, const struct stk_block *block)
{
	const struct stk_kind_schema *schema = &stk_schema()->kind[block->kind];

	for (uint32_t row = 0; row < block->rows; row++) {
		uint32_t id = block->first_id + row;
		void *to = place_of(model, block->kind, id);

		stk_reader_row(reader, row, to);
		check_references(model, schema, id, to);
	}
}

/* A text that all rows of a block share is kept once: a few bytes of a stream may repeat a long text many thousand
 * times. */
static void
take_strings(struct model *model, struct stk_reader *reader, const struct stk_block *block)
{
	struct stk_text last = { NULL, 0 };
	const char *copy = NULL;

	for (uint32_t row = 0; row < block->rows; row++) {
		struct stk_string *string = place_of(model, STK_STRING, block->first_id + row);

		stk_reader_row(reader, row, string);
		if (row == 0 || string->text.data != last.data || string->text.size != last.size)
			copy = arena_copy(&model->texts, string->text.data, string->text.size);
		last = string->text;
		string->text.data = copy;
	}
}

int
model_take(struct model *model, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	if (model->groups != NULL && recorded_groups_take(model->groups, reader, block, err) < 0)
		return -1;
	if (block->kind == STK_HEAD) {
		forget(model);
		return 1;
	}
	if (!is_modelled(block->kind))
		return 0;
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	if (block->kind == STK_STACK)
		return take_stacks(model, reader, block, err) < 0 ? -1 : 1;
	if (block->kind == STK_STRING)
		take_strings(model, reader, block);
	else
		take_rows(model, reader, block);
	return 1;
}

/* --- what an id is --- */

bool
model_knows(const struct model *model, unsigned kind, uint64_t id)
{
	if (kind == STK_STACK)
		return id == 0 || find_stack(model, id) != NULL;
	return id == 0 || (is_modelled(kind) && find_row(model, kind, id) != NULL);
}

void
model_count_lost(struct model *model, unsigned kind, uint64_t references)
{
	model->lost.references[kind] += references;
}

uint64_t
model_id_of_rows(struct model *model, unsigned kind, uint64_t id, uint64_t rows)
{
	if (model_knows(model, kind, id))
		return id;
	model->lost.references[kind] += rows;
	return 0;
}

uint64_t
model_id(struct model *model, unsigned kind, uint64_t id)
{
	return model_id_of_rows(model, kind, id, 1);
}

uint32_t
model_count(const struct model *model, enum stk_kind kind)
{
	return kind == STK_STACK && model->lender.load != NULL ? model->lender.stacks : model->counts[kind];
}

/* Of stacks that were read, too: those that were not are passed over. */
static uint32_t
next_lent(const struct model *model, uint32_t after)
{
	for (uint64_t id = (uint64_t)after + 1; id - 1 < model->lender.stacks; id++) {
		if (model->lent.pages[(id - 1) / LENT_PAGE] == NULL)
			id += LENT_PAGE - 1 - (id - 1) % LENT_PAGE;
		else if (find_lent(model, id) != NULL)
			return (uint32_t)id;
	}
	return 0;
}

static uint32_t
lent_before(const struct model *model, uint32_t before)
{
	for (uint64_t id = before - 1 < model->lender.stacks ? before - 1 : model->lender.stacks; id > 0; id--) {
		if (model->lent.pages[(id - 1) / LENT_PAGE] == NULL)
			id -= (id - 1) % LENT_PAGE;
		else if (find_lent(model, id) != NULL)
			return (uint32_t)id;
	}
	return 0;
}

uint32_t
model_next(struct model *model, enum stk_kind kind, uint32_t after)
{
	uint64_t id = after;

	if (kind == STK_STACK && model->lender.load != NULL)
		return next_lent(model, after);
	return id_table_next(&model->tables[kind], (uint64_t)after + 1, &id) ? (uint32_t)id : 0;
}

uint32_t
model_before(struct model *model, enum stk_kind kind, uint32_t before)
{
	uint64_t id;

	if (kind == STK_STACK && model->lender.load != NULL)
		return lent_before(model, before);
	return before > 1 && id_table_before(&model->tables[kind], before - 1, &id) ? (uint32_t)id : 0;
}

const struct lost_ids *
model_lost(const struct model *model)
{
	return &model->lost;
}

/* How many of the first ids of a column are known. Where none of a kind is missing, the highest id decides. */
static uint32_t
count_known(const struct model *model, unsigned refers, const uint64_t *ids, uint32_t rows)
{
	uint32_t row = 0;

	if (model->counts[refers] == model->highest[refers])
		while (row < rows && ids[row] <= model->highest[refers])
			row++;
	while (row < rows && model_knows(model, refers, ids[row]))
		row++;
	return row;
}

/* The reader's own column, unless some of its ids must be replaced. */
int
model_column(struct model *model, struct stk_reader *reader, const struct stk_block *block, unsigned column,
	     const uint64_t **ids, struct stk_error *err)
{
	unsigned refers = stk_schema()->kind[block->kind].column[column].refers;
	struct known_ids *known = &model->columns[column];
	uint32_t row;

	if (stk_reader_column(reader, column, ids, err) < 0)
		return -1;
	row = count_known(model, refers, *ids, block->rows);
	if (row == block->rows)
		return 0;
	if (known->room < block->rows) {
		known->room = block->rows;
		known->ids = mem_resize(known->ids, known->room, sizeof *known->ids);
	}
	memcpy(known->ids, *ids, row * sizeof *known->ids);
	for (; row < block->rows; row++)
		known->ids[row] = model_id(model, refers, (*ids)[row]);
	*ids = known->ids;
	return 0;
}

int
model_check(struct model *model, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	const struct stk_kind_schema *kind = block->kind < STK_KIND_COUNT ? &stk_schema()->kind[block->kind] : NULL;

	for (unsigned c = 0; kind != NULL && !kind->definition && c < kind->columns; c++) {
		const uint64_t *ids;

		if (kind->column[c].type != STK_TYPE_ID || !is_modelled(kind->column[c].refers) ||
		    (block->kind == STK_SAMPLE && c > STK_COLUMN(sample, stack)))
			continue;
		if (model_column(model, reader, block, c, &ids, err) < 0)
			return -1;
	}
	return 0;
}

/* --- rows --- */

struct stk_text
model_string(const struct model *model, uint64_t id)
{
	const struct stk_string *string = find_row(model, STK_STRING, id);

	return string != NULL ? string->text : text_from(id == 0 ? "" : "?");
}

/* model_frame, model_stack and the like: a copy of the row, zero where there is none. */
#define ROW_OF(NAME, name) \
struct stk_##name \
model_##name(const struct model *model, uint64_t id) \
{ \
	const struct stk_##name *row = find_row(model, STK_##NAME, id); \
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
	const struct short_stack *row = find_stack(model, id);

	return row != NULL ? (struct stk_stack){ row->parent, row->frame } : (struct stk_stack){ 0 };
}

struct stk_text
model_thread_name(const struct model *model, uint64_t thread)
{
	return model_knows(model, STK_THREAD, thread) ? model_string(model, model_thread(model, thread).name)
						      : text_from("?");
}

struct stk_text
model_source_name(const struct model *model, uint64_t source)
{
	return model_knows(model, STK_SOURCE, source) ? model_string(model, model_source(model, source).name)
						      : text_from("?");
}

uint64_t
model_sample_source(const struct model *model, uint64_t thread, uint64_t dump)
{
	if (thread != 0 && model_knows(model, STK_THREAD, thread))
		return model_thread(model, thread).source;
	if (dump != 0 && model_knows(model, STK_DUMP, dump))
		return model_dump(model, dump).source;
	return thread != 0 || dump != 0 ? MODEL_LOST : 0;
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
	size_t bytes = model->texts.bytes + model->lent.bytes;

	for (unsigned kind = STK_STRING; kind <= STK_DUMP; kind++)
		bytes += id_table_bytes(&model->tables[kind]);
	return bytes;
}

size_t
model_frame_text(const struct model *model, uint64_t frame, char *to, size_t room)
{
	const struct stk_frame row = model_frame(model, frame);
	struct frame_names names = { model_string(model, row.function),
				     model_string(model, row.module),
				     model_string(model, row.file),
				     row.line,
				     row.form,
				     row.address,
				     row.offset };

	if (!model_knows(model, STK_FRAME, frame))
		names = (struct frame_names){ .function = text_from("?") };
	return frame_text(&names, to, room);
}
