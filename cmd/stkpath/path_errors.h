/* SPDX-License-Identifier: MIT
 * path_errors: common to the commands of stkpath: how large a file may be, and how an error is reported. */
#ifndef STKPATH_PATH_ERRORS_H
#define STKPATH_PATH_ERRORS_H

#include "stkpipe/error.h"

#include <stddef.h>

#define PATH_FILE_MOST ((size_t)1 << 30)	/* bytes of a module, a graph or a plan */

/* An invalid graph, paths file or plan is wrong usage; a system error is a failure. */
void report_error(const struct stk_error *err);

#endif
