/* SPDX-License-Identifier: MIT
 * walked_names: gives the native frames of walked stacks their names: later, and not at the tick, because that takes
 * longer than all the rest. A line of a native frame becomes,
 * with tabs between,
 *	i ADDRESS FILE SYMBOL SOURCE LINE	what was inlined there, innermost first
 *	n ADDRESS FILE SYMBOL OFFSET [SOURCE LINE] */
#ifndef WALK_WALKED_NAMES_H
#define WALK_WALKED_NAMES_H

#include "base/text_buffer.h"
#include "capture/native_names.h"

/* Adds the stack with names. The names must have been refreshed. */
void walked_names_add(struct native_names *names, struct stk_text stack, struct text_buffer *to);

#endif
