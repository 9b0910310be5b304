/* SPDX-License-Identifier: MIT
 * line_coverage: stkpath coverage of functions of which all paths were counted: how many of their lines, branches,
 * blocks and edges were come to; by function, file, folder or owner. */
#ifndef STKPATH_LINE_COVERAGE_H
#define STKPATH_LINE_COVERAGE_H

#include "covered_functions.h"
#include "file_groups.h"
#include "report/printer.h"
#include "stkpath.h"

/* No prime paths were counted, but all paths. */
bool line_coverage_suits(const struct covered_functions *covered);
/* What is left out is reported. */
int line_coverage_print(const struct covered_functions *covered, const struct path_settings *settings,
			struct file_owners *owners, struct printer *to, struct stk_error *err) STK_MUST_CHECK;

#endif
