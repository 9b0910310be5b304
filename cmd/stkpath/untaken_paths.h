/* SPDX-License-Identifier: MIT
 * untaken_paths: prints the prime paths of a function that were not taken, those first to which taken ones came
 * nearest. */
#ifndef STKPATH_UNTAKEN_PATHS_H
#define STKPATH_UNTAKEN_PATHS_H

#include "path/path_files.h"
#include "report/printer.h"

/* taken: of each path. file: of the source, whose lines are shown where it can be read. */
int untaken_paths_print(struct printer *to, const struct flow_graph *graph, const struct flow_paths *prime,
			const bool *taken, struct stk_text file, struct stk_error *err) STK_MUST_CHECK;

#endif
