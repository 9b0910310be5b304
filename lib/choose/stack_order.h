/* SPDX-License-Identifier: MIT
 * stack_order: where stacks are among one another when they are sorted as folded lines, by bytes, without their texts:
 * names are ranked once, and stacks are walked as a tree. */
#ifndef CHOOSE_STACK_ORDER_H
#define CHOOSE_STACK_ORDER_H

#include "choose/naming.h"
#include "model/stack_places.h"

#define ORDER_PIECE 64u

/* Stacks at places one after the other, each the only callee of the one before, and of positions one after the other.
 * The first one's caller is the last of row `caller`, which is a lower one. */
struct order_row { uint32_t first, position, caller; };

/* Positions are from 1 on, above the caller's, in the order of lines. */
struct stack_order {
	uint32_t *frames;		/* by place: numbers of names */
	ARRAY(struct order_row) rows;	/* by position, and one more, which begins after the last position. Row 0 is
					 * PLACE_NONE, at position 0 */
	uint32_t *row_of;		/* by place */
	struct stk_text *names;		/* each with a ';' before it, and between functions that were inlined */
	struct text_buffer texts;	/* of the names: ORDER_PIECE bytes from the begin of any can be read */
};

/* Orders all stacks that have a place, and takes places->frames away. Names are those of naming_frame for `java`. The
 * naming is borrowed. Memory: 8 bytes for each place, 20 for each row of places; 4 and 12 when places are no longer
 * asked for. */
void stack_order_make(struct stack_order *out, struct stack_places *places, struct naming *naming, bool java);
void stack_order_release(struct stack_order *order);

/* Equal for places with equal texts. */
struct ordered_stack { uint32_t position, row; };
struct ordered_stack stack_order_find(const struct stack_order *order, uint32_t place);
/* Places are no longer asked for. */
void stack_order_forget_places(struct stack_order *order);

#endif
