/* SPDX-License-Identifier: MIT
 * recorded_classes: a table of stacks, and the first stack of each class. */
#include "model/recorded_classes.h"

#include "base/id_table.h"
#include "base/memory.h"

#include <stdlib.h>

struct recorded_classes {
	struct id_table of_stack;	/* uint64_t, the class */
	struct id_table first;		/* by class: uint64_t, the stack that was the first one of it */
	bool any;
};

void
recorded_classes_open(struct recorded_classes **out)
{
	struct recorded_classes *classes = *out = mem_new(1, sizeof *classes);

	classes->of_stack.size = classes->first.size = sizeof(uint64_t);
}

static void
forget(struct recorded_classes *classes)
{
	id_table_clear(&classes->of_stack);
	id_table_clear(&classes->first);
	classes->any = false;
}

void
recorded_classes_close(struct recorded_classes *classes)
{
	if (classes == NULL)
		return;
	forget(classes);
	free(classes);
}

static bool
set_class(struct recorded_classes *classes, const struct stk_class_of_stack *row)
{
	uint64_t *class = id_table_at(&classes->of_stack, row->stack);
	uint64_t *first = id_table_at(&classes->first, row->class);
	bool changed = *class != row->class;

	*class = row->class;
	if (*first == 0)
		*first = row->stack;
	classes->any = true;
	return changed;
}

int
recorded_classes_take(struct recorded_classes *classes, struct stk_reader *reader, const struct stk_block *block,
		      bool *changed, struct stk_error *err)
{
	struct stk_class_of_stack row;

	*changed = false;
	if (block->kind == STK_HEAD)
		forget(classes);
	if (block->kind != STK_CLASS_OF_STACK)
		return 0;
	if (stk_reader_rows(reader, err) < 0)
		return -1;
	for (uint32_t i = 0; i < block->rows; i++) {
		stk_reader_row(reader, i, &row);
		*changed |= set_class(classes, &row);
	}
	return 0;
}

bool
recorded_classes_any(const struct recorded_classes *classes)
{
	return classes->any;
}

uint64_t
recorded_class_of(const struct recorded_classes *classes, uint64_t stack)
{
	const uint64_t *class = id_table_find(&classes->of_stack, stack);

	return class == NULL ? 0 : *class;
}

uint64_t
recorded_class_stack(const struct recorded_classes *classes, uint64_t class)
{
	const uint64_t *stack = id_table_find(&classes->first, class);

	return stack == NULL ? 0 : *stack;
}
