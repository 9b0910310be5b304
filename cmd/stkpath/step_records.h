/* SPDX-License-Identifier: MIT
 * step_records: the steps of calls in a record stream, written by a program instrumented with --steps. */
#ifndef STKPATH_STEP_RECORDS_H
#define STKPATH_STEP_RECORDS_H

#include "base/input.h"
#include "path/path_machine.h"
#include "path/walked_paths.h"

/* From the beginning of the input, of which `first` was read already. Calls of other functions are left out; errors
 * are reported. Calls that have not ended at the end of the input are unfinished. others: see
 * activation_events_read. */
void step_records_read(const char *path, struct input *input, struct stk_text first, const struct flow_graph *graph,
		       struct path_machine *machine, struct walked_paths *others);

/* Whether the first bytes of an input are those of a record stream. */
bool step_records_are(struct stk_text first);

#endif
