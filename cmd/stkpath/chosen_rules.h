/* SPDX-License-Identifier: MIT
 * chosen_rules: by which rules `auto` chooses a method: those measured on this machine, where there are some, or else
 * those of the source. */
#ifndef STKPATH_CHOSEN_RULES_H
#define STKPATH_CHOSEN_RULES_H

#include "base/text_buffer.h"
#include "path/method_choice.h"

/* where: gets the file that they are from; empty: the source's. -1 with *err: the file is not such a table. */
int chosen_rules(struct method_rules *to, struct text_buffer *where, struct stk_error *err) STK_MUST_CHECK;

#endif
