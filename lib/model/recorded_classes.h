/* SPDX-License-Identifier: MIT
 * recorded_classes: the class of each stack as a stream has it in its records (class_of_stack), while it comes. */
#ifndef MODEL_RECORDED_CLASSES_H
#define MODEL_RECORDED_CLASSES_H

#include "stkpipe/stream.h"

struct recorded_classes;

void recorded_classes_open(struct recorded_classes **out);
/* NULL does nothing. */
void recorded_classes_close(struct recorded_classes *classes);

/* Any block; at a head all are forgotten. *changed: whether a stack has another class than before. */
int recorded_classes_take(struct recorded_classes *classes, struct stk_reader *reader, const struct stk_block *block,
			  bool *changed, struct stk_error *err) STK_MUST_CHECK;

bool     recorded_classes_any(const struct recorded_classes *classes);
/* 0: none is known. */
uint64_t recorded_class_of(const struct recorded_classes *classes, uint64_t stack);
/* A stack that is of a class: people know the class by its frames, which all its stacks have. */
uint64_t recorded_class_stack(const struct recorded_classes *classes, uint64_t class);

#endif
