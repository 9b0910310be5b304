/* SPDX-License-Identifier: MIT
 * restored_codes: stkclass --restore: the input is codes, the output the samples that they were made of. */
#ifndef STKCLASS_RESTORED_CODES_H
#define STKCLASS_RESTORED_CODES_H

#include "model/model.h"
#include "program/filter.h"

/* Whether classes need blocks of this kind: heads, and definitions that samples refer to. */
bool is_for_classes(unsigned kind);

/* Restores all inputs of the filter into its writer, and reports what could not be restored. -1 with *err: it
 * cannot continue. */
int restore_codes(struct filter *filter, struct model *model, struct stk_error *err) STK_MUST_CHECK;

#endif
