/* SPDX-License-Identifier: MIT
 * stack_lender: the stacks of a stream in a file, block by block as a model is asked for them: what a window costs
 * depends on the stacks in it, not on those of the recording. */
#ifndef TIMETREE_STACK_LENDER_H
#define TIMETREE_STACK_LENDER_H

#include "model/model.h"
#include "stream/stream_file.h"

struct stack_lender;

/* Lends the stacks of a stream to the model, which must not be asked after the lender is closed; both are borrowed. 1;
 * 0: they must be read at once, because ids do not tell in which block they are; -1 with *err. *out is to be closed in
 * any case. */
int  stack_lender_open(struct stack_lender **out, struct stream_file *file, unsigned stream, struct model *model,
	struct stk_error *err) STK_MUST_CHECK;
/* NULL does nothing. */
void stack_lender_close(struct stack_lender *lender);

/* 0; -1 with *err: a block could not be read, so what the model said of its stacks is not to be used. */
int  stack_lender_error(const struct stack_lender *lender, struct stk_error *err) STK_MUST_CHECK;

#endif
