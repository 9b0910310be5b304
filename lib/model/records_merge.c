/* SPDX-License-Identifier: MIT
 * records_merge: renumbering by a recorder, which gives equal things the same id. */
#include "model/records_merge.h"

#include "base/id_table.h"
#include "base/memory.h"
#include "model/recorder.h"

#include <stdlib.h>

#define NOTHING UINT32_MAX		/* in place of an id: defined, and the same as id 0 (the empty string); no
					 * writer gives this id */

struct merge {
	struct stk_writer *writer;
	struct recorder *recorder;
	const struct merge_listener *listener;	/* NULL: none */
	merge_name *name;			/* NULL: frames keep theirs */
	void *name_context;
	struct id_table ids[STK_DUMP + 1];	/* by kind: from an id of the current stream to ours */
	struct id_table aliases[STK_DUMP + 1];	/* from the recorder's number of a thing to our id, where definitions
						 * were lost and these differ */
	uint64_t lost;
	uint64_t row[STK_COLUMN_MAX * 2];
};

static struct merge *
new_merge(struct stk_writer *writer)
{
	struct merge *merge = mem_new(1, sizeof *merge);

	merge->writer = writer;
	for (unsigned k = 0; k <= STK_DUMP; k++)
		merge->ids[k].size = merge->aliases[k].size = sizeof(uint32_t);
	return merge;
}

int
merge_open(struct merge **out, struct stk_writer *writer, struct stk_error *err)
{
	*out = new_merge(writer);
	if (recorder_open(&(*out)->recorder, writer) < 0)
		return stk_fail(err, STK_ESYSTEM, "cannot begin a merge");
	return stk_writer_head(writer, NULL, err);
}

void
merge_resume(struct merge **out, struct stk_writer *writer, struct model *model)
{
	*out = new_merge(writer);
	(void)recorder_open(&(*out)->recorder, writer);
	recorder_adopt((*out)->recorder, model);
}

void
merge_redirect(struct merge *merge, struct stk_writer *writer)
{
	merge->writer = writer;
	recorder_turn(merge->recorder, writer);
}

void
merge_listen(struct merge *merge, const struct merge_listener *listener)
{
	merge->listener = listener;
}

void
merge_rename(struct merge *merge, merge_name *name, void *context)
{
	merge->name = name;
	merge->name_context = context;
}

void
merge_close(struct merge *merge)
{
	if (merge == NULL)
		return;
	merge_turn(merge);
	for (unsigned k = 0; k <= STK_DUMP; k++)
		id_table_clear(&merge->aliases[k]);
	recorder_close(merge->recorder);
	free(merge);
}

void
merge_turn(struct merge *merge)
{
	for (unsigned k = 0; k <= STK_DUMP; k++)
		id_table_clear(&merge->ids[k]);
}

/* 0: the stream does not define it. */
static uint32_t
known_id(const struct merge *merge, unsigned kind, uint64_t id)
{
	const uint32_t *known =
		id > UINT32_MAX || kind > STK_DUMP ? NULL : id_table_find(&merge->ids[kind], (uint32_t)id);

	return known == NULL ? 0 : *known;
}

void
merge_map_row(struct merge *merge, unsigned kind, void *row)
{
	const struct stk_kind_schema *schema = &stk_schema()->kind[kind];
	bool lost = false;

	for (unsigned c = 0; c < schema->columns; c++) {
		uint64_t *id = (uint64_t *)(void *)((char *)row + schema->column[c].offset);
		uint32_t known;

		if (schema->column[c].type != STK_TYPE_ID || *id == 0)
			continue;
		known = known_id(merge, schema->column[c].refers, *id);
		lost |= known == 0;
		*id = known == 0 ? MERGE_LOST_ID : known == NOTHING ? 0 : known;
	}
	merge->lost += lost;
}

static void
rename_function(struct merge *merge, struct stk_frame *frame)
{
	struct stk_text function = recorder_string_text(merge->recorder, (uint32_t)frame->function);

	if (merge->name != NULL && function.size > 0)
		frame->function = recorder_string(merge->recorder, merge->name(merge->name_context, function));
}

/* The recorder's number of the row, or 0 if its kind is not recorded. */
static uint32_t
find_or_define(struct merge *merge, unsigned kind, const void *row)
{
	const struct stk_string *string = row;
	const struct stk_stack *stack = row;
	const struct stk_objects *objects = row;

	switch (kind) {
	case STK_STRING:  return recorder_string(merge->recorder, string->text);
	case STK_FRAME:   return recorder_frame(merge->recorder, row);
	case STK_STACK:   return recorder_stack(merge->recorder, (uint32_t)stack->parent, (uint32_t)stack->frame);
	case STK_SOURCE:  return recorder_source(merge->recorder, row);
	case STK_THREAD:  return recorder_thread(merge->recorder, row);
	case STK_LOCKS:   return recorder_locks(merge->recorder, row);
	case STK_OBJECTS: return recorder_objects(merge->recorder, (uint32_t)objects->parent, objects->address);
	default:          return 0;
	}
}

/* Our id. Where the writer's id differs from the recorder's, the resumed stream has lost definitions, whose ids are not
 * given again. Dumps are events: two equal ones remain two, unless the listener finds one. */
static uint32_t
record(struct merge *merge, unsigned kind, const void *row, struct stk_error *err)
{
	uint32_t next = stk_writer_next_id(merge->writer, (enum stk_kind)kind), number = 0;
	const uint32_t *alias;

	if (kind == STK_DUMP && merge->listener != NULL &&
		(number = merge->listener->find_dump(merge->listener->context, row)) != 0)
		return number;
	if (kind == STK_DUMP)
		return stk_writer_add(merge->writer, STK_DUMP, row, err) < 0 ? 0 : next;
	number = find_or_define(merge, kind, row);
	if (stk_writer_next_id(merge->writer, (enum stk_kind)kind) != next) {
		if (number != next)
			*(uint32_t *)id_table_at(&merge->aliases[kind], number) = next;
		return next;
	}
	alias = id_table_find(&merge->aliases[kind], number);
	return alias != NULL && *alias != 0 ? *alias : number;
}

int
merge_take(struct merge *merge, struct stk_reader *reader, const struct stk_block *block, struct stk_error *err)
{
	if (block->kind == STK_HEAD || block->kind > STK_DUMP)
		return 0;
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		uint32_t id;

		stk_reader_row(reader, i, merge->row);
		merge_map_row(merge, block->kind, merge->row);
		if (block->kind == STK_FRAME)
			rename_function(merge, (struct stk_frame *)(void *)merge->row);
		id = record(merge, block->kind, merge->row, err);
		if (err->code != STK_EOK)
			return -1;
		*(uint32_t *)id_table_at(&merge->ids[block->kind], block->first_id + i) = id == 0 ? NOTHING : id;
		if (merge->listener != NULL && id != 0)
			merge->listener->defined(merge->listener->context, block->kind, id, merge->row);
	}
	return recorder_error(merge->recorder, err);
}

uint64_t
merge_lost(const struct merge *merge)
{
	return merge->lost;
}
