/* SPDX-License-Identifier: MIT
 * function_choice: --function NAME or FILE:NAME, among functions of counted paths, of which several files may have one
 * of the same name. */
#ifndef REPORT_FUNCTION_CHOICE_H
#define REPORT_FUNCTION_CHOICE_H

#include "base/text_table.h"
#include "stkpipe/error.h"

/* The number in a table of "function	file" of what is wanted, 0 when it has none; or -1 with *err, when several are
 * called so. A name is that of the linker, or that of the source of C++ or Rust, with parameters or without. FILE may
 * be the end of the file's path, from one of its parts on: util.c or x/util.c for src/x/util.c; a file that is called
 * like that from end to end comes first. */
int function_choose(uint32_t *number, const struct text_table *functions, const char *wanted, struct stk_error *err)
	STK_MUST_CHECK;

#endif
