/* SPDX-License-Identifier: MIT
 * stack_labels: the class, or the groups, that a stream says its stacks are of. */
#ifndef TIMETREE_STACK_LABELS_H
#define TIMETREE_STACK_LABELS_H

#include "stream/stream_file.h"

struct stack_labels;

/* groups: "scheme;group;subgroup"; else the name of the class. */
int stack_labels_open(struct stack_labels **out, struct stream_file *file, unsigned stream, bool groups,
	struct stk_error *err) STK_MUST_CHECK;
void stack_labels_close(struct stack_labels *labels);
/* Whether any stack has one. */
bool stack_labels_any(struct stack_labels *labels);
/* "(none)" for a stack without a label. */
struct stk_text stack_label(const struct stack_labels *labels, uint32_t stack);

#endif
