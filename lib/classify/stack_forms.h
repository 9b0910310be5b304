/* SPDX-License-Identifier: MIT
 * stack_forms: how often the stacks of a stream were counted, from which it follows in which forms their frames
 * were. */
#ifndef CLASSIFY_STACK_FORMS_H
#define CLASSIFY_STACK_FORMS_H

#include "base/array.h"
#include "classify/frame_variants.h"
#include "classify/stream_ids.h"

struct noted_stack { uint32_t stack; uint64_t times; };

struct stack_forms {
	struct id_table counts;			/* uint64_t, by the stream's stack */
	ARRAY(struct noted_stack) noted;	/* of the current dump */
};

#define STACK_FORMS_EMPTY ((struct stack_forms){ .counts = { .size = sizeof(uint64_t) } })

void stack_forms_note(struct stack_forms *forms, uint32_t stack, uint64_t times);
/* The dump ends: what was noted of it is counted, or dropped. */
void stack_forms_settle(struct stack_forms *forms, bool counted);
/* The stream ends: adds the forms of its frames. */
void stack_forms_turn(struct stack_forms *forms, struct stream_ids *ids, struct frame_variants *variants);
void stack_forms_release(struct stack_forms *forms);

#endif
