/* SPDX-License-Identifier: MIT
 * stack_forms: how often the stacks of a stream were counted. */
#include "classify/stack_forms.h"

#include "model/model.h"

void
stack_forms_note(struct stack_forms *s, uint32_t stack, uint64_t times)
{
	*array_push(&s->noted) = (struct noted_stack){ stack, times };
}

void
stack_forms_settle(struct stack_forms *s, bool counted)
{
	for (size_t i = 0; i < s->noted.count && counted; i++) {
		uint64_t *times = id_table_at(&s->counts, s->noted.at[i].stack);

		*times += s->noted.at[i].times;
	}
	s->noted.count = 0;
}

/* A stack counts for all of its callers, which have lower ids. */
static void
add_forms(struct stack_forms *s, struct stream_ids *ids, struct frame_variants *variants)
{
	struct model *model = ids->model;

	for (uint32_t stack = model_before(model, STK_STACK, UINT32_MAX); stack != 0;
	     stack = model_before(model, STK_STACK, stack)) {
		const struct stk_stack row = model_stack(model, stack);
		const struct stk_frame frame = model_frame(model, row.frame);
		const uint64_t *times = id_table_find(&s->counts, stack);

		if (times == NULL)
			continue;
		frame_variants_add(variants, stream_ids_frame(ids, row.frame), frame.line, frame.form, *times);
		if (row.parent < stack && model_knows(model, STK_STACK, row.parent)) {
			uint64_t *above = id_table_at(&s->counts, row.parent);

			*above += *times;
		}
	}
}

void
stack_forms_turn(struct stack_forms *s, struct stream_ids *ids, struct frame_variants *variants)
{
	add_forms(s, ids, variants);
	id_table_clear(&s->counts);
}

void
stack_forms_release(struct stack_forms *s)
{
	id_table_clear(&s->counts);
	array_release(&s->noted);
}
