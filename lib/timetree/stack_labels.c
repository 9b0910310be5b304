/* SPDX-License-Identifier: MIT
 * stack_labels: classes by id, groups by scheme and id with the names above them; and which a stack has. Of several
 * schemes the first counts. */
#include "timetree/stack_labels.h"

#include "base/id_table.h"
#include "base/memory.h"
#include "base/text_buffer.h"
#include "base/text_table.h"

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

	if (kind == STK_CLASS) {
		*(uint32_t *)id_table_at(&labels->names, class->id) = text_table_number(&labels->texts, class->name);
	} else if (kind == STK_CLASS_OF_STACK) {
		*(uint64_t *)id_table_at(&labels->of_stack, classed->stack) = classed->class;
	} else if (kind == STK_GROUP) {
		if (!labels->has_scheme)
			labels->scheme = group->scheme;
		labels->has_scheme = true;
		if (group->scheme != labels->scheme)
			return;
		*(uint32_t *)id_table_at(&labels->names, group->id) = text_table_number(&labels->texts, group->name);
		*(uint64_t *)id_table_at(&labels->parents, group->id) = group->parent;
	} else if (kind == STK_GROUP_OF_STACK && grouped->scheme == labels->scheme) {
		*(uint64_t *)id_table_at(&labels->of_stack, grouped->stack) = grouped->group;
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
			stk_error_clear(err);		/* reported */
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
make_path(struct stack_labels *labels, uint64_t group)
{
	uint32_t way[DEPTH_MOST], depth = 0;
	struct text_buffer path = { 0 };

	for (uint64_t at = group; depth < DEPTH_MOST; ) {
		const uint32_t *name = id_table_find(&labels->names, at);
		const uint64_t *parent = id_table_find(&labels->parents, at);

		if (at == 0 || name == NULL)
			break;
		way[depth++] = *name;
		at = parent == NULL ? 0 : *parent;
	}
	while (depth-- > 0) {
		add_text(&path, text_table_text(&labels->texts, way[depth]));
		if (depth > 0)
			add_char(&path, ';');
	}
	*(uint32_t *)id_table_at(&labels->paths, group) =
		text_table_number(&labels->texts, path.count == 0 ? text_from("(none)") : text_in(&path, 0));
	array_release(&path);
}

int
stack_labels_open(
	struct stack_labels **out, struct stream_file *file, unsigned stream, bool groups, struct stk_error *err)
{
	struct stack_labels *labels = *out = mem_new(1, sizeof *labels);
	uint64_t group;

	labels->groups = groups;
	labels->names.size = labels->paths.size = sizeof(uint32_t);
	labels->parents.size = labels->of_stack.size = sizeof(uint64_t);
	if (take_kind(labels, file, stream, groups ? STK_GROUP : STK_CLASS, err) < 0 ||
	    take_kind(labels, file, stream, groups ? STK_GROUP_OF_STACK : STK_CLASS_OF_STACK, err) < 0)
		return -1;
	for (bool more = groups && id_table_next(&labels->names, 0, &group); more;
		more = group < UINT64_MAX && id_table_next(&labels->names, group + 1, &group))
		make_path(labels, group);
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

bool
stack_labels_any(struct stack_labels *labels)
{
	uint64_t stack;

	return id_table_next(&labels->of_stack, 0, &stack);
}

struct stk_text
stack_label(const struct stack_labels *labels, uint32_t stack)
{
	const uint64_t *of = id_table_find(&labels->of_stack, stack);
	const uint32_t *text = of == NULL ? NULL : id_table_find(labels->groups ? &labels->paths : &labels->names, *of);

	return text == NULL ? text_from("(none)") : text_table_text(&labels->texts, *text);
}
