/* SPDX-License-Identifier: MIT
 * selected_pass: passes a block to the next filter with only the chosen rows. */
#ifndef CHOOSE_SELECTED_PASS_H
#define CHOOSE_SELECTED_PASS_H

#include "choose/selection.h"

/* Passes the reader's current block on to the writer. Definitions, blocks of which all rows are chosen and kinds that
 * this program does not know pass unchanged; of others the chosen rows are written again. *lost_columns becomes true
 * when these had columns that this program does not know, which are lost. -1 with *err: STK_EDATA, the block is
 * damaged; else the writer failed. */
int selected_pass(struct selection *selection, struct stk_reader *reader, const struct stk_block *block,
		  struct stk_writer *writer, bool *lost_columns, struct stk_error *err) STK_MUST_CHECK;

#endif
