/* SPDX-License-Identifier: MIT
 * path_errors: errors of files. */
#include "path_errors.h"

#include "program/program.h"

void
report_error(const struct stk_error *err)
{
	if (err->code == STK_ESYSTEM) {
		program_fail("%s", err->text);
	} else if (err->code != STK_EOK) {
		program_warn("%s", err->text);
		program_status_raise(PROGRAM_BAD_USAGE);
	}
}
