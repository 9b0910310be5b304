/* SPDX-License-Identifier: MIT
 * path_errors: what the words of stkpath's command line have in common: how large a file may be, and how an error is
 * reported. */
#ifndef STKPATH_PATH_ERRORS_H
#define STKPATH_PATH_ERRORS_H

#include "stkpipe/error.h"

#include <stddef.h>

#define PATH_FILE_MOST ((size_t)1 << 30)	/* bytes of a module, a graph or a plan */

/* A graph, paths or a plan that are wrong are a mistake in the usage; a system that refuses is a failure. */
void report_error(const struct stk_error *err);

#endif
