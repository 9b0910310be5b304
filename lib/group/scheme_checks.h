/* SPDX-License-Identifier: MIT
 * scheme_checks: what a scheme says of stacks that are written by hand ("frame;frame;frame (module)"): its own
 * examples, and one to explain; and which of its parts have no effect. Each finding is a line that is added to a
 * text. */
#ifndef GROUP_SCHEME_CHECKS_H
#define GROUP_SCHEME_CHECKS_H

#include "base/text_buffer.h"
#include "group/grouping.h"

/* Adds a stack with its names as recordings have them, and a NUL. */
typedef void usual_names(struct text_buffer *to, const char *stack);
/* Examples of the scheme that belong to another group than they say. Returns how many. */
unsigned scheme_check_examples(const struct scheme *scheme, usual_names *usual, struct text_buffer *to);

/* Members and groups that never get anything. Returns how many. with_data: use the sums of the grouping too. A member
 * is compared with the 2,000 before it. */
unsigned scheme_check_use(struct grouping *grouping, bool with_data, struct text_buffer *to);

/* Which groups claim a stack, which of them won, and why the others did not. */
void scheme_explain(struct grouping *grouping, const char *stack, struct text_buffer *to);

#endif
