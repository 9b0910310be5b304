/* SPDX-License-Identifier: MIT
 * stack_order: where stacks are among one another when they are sorted as folded lines, by bytes, without their texts:
 * names are ranked once, and stacks are walked as a tree. */
#ifndef CHOOSE_STACK_ORDER_H
#define CHOOSE_STACK_ORDER_H

#include "choose/naming.h"
#include "model/stack_places.h"

/* A text is that of its caller's position and the name of its frame below it. */
struct ordered_stack { uint32_t caller, frame; };

struct stack_order {
	uint32_t *positions;		/* by place, from 1 on, 0 for PLACE_NONE: equal for equal texts */
	struct ordered_stack *stacks;	/* by position, which is above the caller's; in the order of lines */
	uint32_t last;			/* position */
	struct stk_text *names;		/* by number of the frame; ';' between several where functions were inlined */
};

/* Orders all stacks that have a place, and takes places->callers away, where the positions will be. Names are those of
 * naming_frame for `java`. The naming is borrowed. Memory: 12 bytes more for each place, 8 when it is done. */
void stack_order_make(struct stack_order *out, struct stack_places *places, struct naming *naming, bool java);
void stack_order_release(struct stack_order *order);

#endif
