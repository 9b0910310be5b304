/* SPDX-License-Identifier: MIT
 * joined: texts of stacks are kept until the stream ends; samples repeat them. */
#include "report/joined.h"

struct stack_text { struct stk_text as[2]; };	/* as[1]: in a Java process */

void
stack_texts_open(struct stack_texts *texts, void (*add)(struct text_buffer *to, struct stk_text folded))
{
	*texts = (struct stack_texts){ .add = add, .known.size = sizeof(struct stack_text) };
}

void
stack_texts_add(struct stack_texts *texts, const struct report *report, uint64_t stack, bool java,
		struct text_buffer *to)
{
	struct stk_text *known = NULL;
	size_t from = to->count;

	if (stack != 0 && model_knows(report->model, STK_STACK, stack))
		known = &((struct stack_text *)id_table_at(&texts->known, (uint32_t)stack))->as[java];
	if (known != NULL && known->data != NULL) {
		add_text(to, *known);
		return;
	}
	texts->scratch.count = 0;
	naming_add_stack(report->naming, stack, java, &texts->scratch);
	texts->add(to, text_in(&texts->scratch, 0));
	if (known != NULL)
		*known = text_of(arena_copy(&texts->arena, to->at + from, to->count - from), to->count - from);
}

void
stack_texts_forget(struct stack_texts *texts)
{
	id_table_clear(&texts->known);
	arena_reset(&texts->arena);
}

void
stack_texts_release(struct stack_texts *texts)
{
	id_table_clear(&texts->known);
	arena_release(&texts->arena);
	array_release(&texts->scratch);
}

bool
joined_java(const struct report *report, uint64_t thread)
{
	return text_starts(model_string(report->model, model_thread(report->model, thread).name), "java");
}

bool
joined_address(const struct stk_kind_schema *kind, unsigned column)
{
	return (kind->number == STK_DEADLOCK && column == STK_COLUMN(deadlock, object)) ||
	       (kind->number == STK_EVIDENCE && column == STK_COLUMN(evidence, address));
}

uint64_t
joined_dump(const struct report *report, const struct block_columns *columns, uint32_t row)
{
	uint64_t dump = columns->schema->number == STK_DEADLOCK
				? columns->words[STK_COLUMN(deadlock, dump)][row] : 0;

	return model_knows(report->model, STK_DUMP, dump) ? dump : 0;
}

uint64_t
joined_source(const struct report *report, const struct block_columns *columns, uint32_t row)
{
	int source = schema_column_of(columns->schema, STK_SOURCE),
	    thread = schema_column_of(columns->schema, STK_THREAD);
	int dump = schema_column_of(columns->schema, STK_DUMP);

	if (source >= 0)
		return columns->words[source][row];
	return model_sample_source(report->model, thread >= 0 ? columns->words[thread][row] : 0,
				   dump >= 0 ? columns->words[dump][row] : 0);
}
