/* SPDX-License-Identifier: MIT
 * stack_order: where stacks are among one another when they are sorted as folded lines, by bytes, without their texts:
 * names are ranked once, and stacks are walked as a tree. */
#ifndef CHOOSE_STACK_ORDER_H
#define CHOOSE_STACK_ORDER_H

#include "choose/naming.h"

struct stack_order;

/* Names are those of naming_frame for `java`. Model and naming are borrowed. */
void stack_order_open(struct stack_order **out, const struct model *model, struct naming *naming, bool java);
void stack_order_close(struct stack_order *order);

/* All stacks are added, then the order is settled; then each has a position, from 1 on: equal for equal texts. Memory:
 * 16 bytes for each stack that was added and those above it. */
void stack_order_add(struct stack_order *order, uint32_t stack);
void stack_order_settle(struct stack_order *order);
/* Of one that was added. */
uint32_t stack_order_position(const struct stack_order *order, uint32_t stack);

#endif
