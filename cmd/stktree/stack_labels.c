/* SPDX-License-Identifier: MIT
 * stack_labels: classes by id, groups by scheme and id with the names above them; and which a stack has. Of several schemes the first counts. */
#include "stack_labels.h"

#include "base/memory.h"
#include "report/id_table.h"
#include "report/text_buffer.h"
#include "report/text_table.h"

#include <stdlib.h>

#define DEPTH_MOST 64

struct stack_labels {
	struct text_table texts;
	struct id_table names;		/* by class or group: text */
	struct id_table parents;	/* by group */
	struct id_table paths;		/* by group: text of the whole path */
	struct id_table of_stack;	/* class or group + 1 */
	bool groups, has_scheme;
	uint64_t scheme;
};

static void
take_row(struct stack_labels *labels, unsigned kind, const void *row)
{
	const struct stk_class *class = row;
	const struct stk_group *group = row;
	const struct stk_class_of_stack *classed = row;
	const struct stk_group_of_stack *grouped = row;

	if (kind == STK_CLASS && class->id < UINT32_MAX) {
		*(uint32_t *)id_table_at(&labels->names, (uint32_t)class->id) = text_table_number(&labels->texts, class->name);
	} else if (kind == STK_CLASS_OF_STACK && classed->stack < UINT32_MAX && classed->class < UINT32_MAX - 1) {
		*(uint32_t *)id_table_at(&labels->of_stack, (uint32_t)classed->stack) = (uint32_t)classed->class + 1;
	} else if (kind == STK_GROUP && group->id < UINT32_MAX) {
		if (!labels->has_scheme)
			labels->scheme = group->scheme, labels->has_scheme = true;
		if (group->scheme != labels->scheme)
			return;
		*(uint32_t *)id_table_at(&labels->names, (uint32_t)group->id) = text_table_number(&labels->texts, group->name);
		*(uint32_t *)id_table_at(&labels->parents, (uint32_t)group->id) = (uint32_t)group->parent;
	} else if (kind == STK_GROUP_OF_STACK && grouped->stack < UINT32_MAX && grouped->group < UINT32_MAX - 1 && grouped->scheme == labels->scheme) {
		*(uint32_t *)id_table_at(&labels->of_stack, (uint32_t)grouped->stack) = (uint32_t)grouped->group + 1;
	}
}

static int
take_kind(struct stack_labels *labels, struct stream_file *file, unsigned stream, unsigned kind, struct stk_error *err)
{
	size_t count;
	const struct file_block *blocks = stream_file_blocks(file, stream, kind, &count);
	uint64_t row[STK_COLUMN_MAX * 2];

	for (size_t b = 0; b < count; b++) {
		struct stk_block block;
		int got = stream_file_go(file, stream, &blocks[b], &block, err);

		if (got < 0)
			return -1;
		if (got == 0 || stk_reader_rows(stream_file_reader(file), err) < 0) {
			stk_error_clear(err);		/* told */
			continue;
		}
		for (uint32_t i = 0; i < block.rows; i++) {
			stk_reader_row(stream_file_reader(file), i, row);
			take_row(labels, kind, row);
		}
	}
	return 0;
}

/* The names from the top group down. */
static void
make_path(struct stack_labels *labels, uint32_t group)
{
	uint32_t way[DEPTH_MOST], depth = 0;
	struct text_buffer path = { 0 };

	for (uint32_t at = group; depth < DEPTH_MOST; ) {
		const uint32_t *name = id_table_find(&labels->names, at), *parent = id_table_find(&labels->parents, at);

		if (at == 0 || name == NULL || *name == 0)
			break;
		way[depth++] = *name;
		at = parent == NULL ? 0 : *parent;
	}
	while (depth-- > 0) {
		add_text(&path, text_table_text(&labels->texts, way[depth]));
		if (depth > 0)
			add_char(&path, ';');
	}
	*(uint32_t *)id_table_at(&labels->paths, group) = text_table_number(&labels->texts, path.count == 0 ? text_from("(none)") : text_in(&path, 0));
	array_release(&path);
}

int
stack_labels_open(struct stack_labels **out, struct stream_file *file, unsigned stream, bool groups, struct stk_error *err)
{
	struct stack_labels *labels = *out = mem_new(1, sizeof *labels);

	labels->groups = groups;
	labels->names.size = labels->parents.size = labels->paths.size = labels->of_stack.size = sizeof(uint32_t);
	if (take_kind(labels, file, stream, groups ? STK_GROUP : STK_CLASS, err) < 0 ||
	    take_kind(labels, file, stream, groups ? STK_GROUP_OF_STACK : STK_CLASS_OF_STACK, err) < 0)
		return -1;
	for (uint32_t page = 0; groups && page < labels->names.pages_count; page++)
		for (uint32_t i = 0; labels->names.pages[page] != NULL && i < ID_PAGE; i++)
			if (*(uint32_t *)id_table_find(&labels->names, page * ID_PAGE + i) != 0)
				make_path(labels, page * ID_PAGE + i);
	return 0;
}

void
stack_labels_close(struct stack_labels *labels)
{
	if (labels == NULL)
		return;
	text_table_release(&labels->texts);
	id_table_clear(&labels->names);
	id_table_clear(&labels->parents);
	id_table_clear(&labels->paths);
	id_table_clear(&labels->of_stack);
	free(labels);
}

struct stk_text
stack_label(const struct stack_labels *labels, uint32_t stack)
{
	const uint32_t *of = id_table_find(&labels->of_stack, stack), *text;

	if (of == NULL || *of == 0)
		return text_from("(none)");
	text = id_table_find(labels->groups ? &labels->paths : &labels->names, *of - 1);
	return text == NULL || *text == 0 ? text_from("(none)") : text_table_text(&labels->texts, *text);
}
