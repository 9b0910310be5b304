/* SPDX-License-Identifier: MIT
 * activation_events: lines that say which blocks were entered: "> THREAD" begins a call, a block's name is the next one
 * of the call at hand, "<" ends it. "@ THREAD" goes on with another thread's. Calls within calls are ended innermost
 * first. */
#ifndef STKPATH_ACTIVATION_EVENTS_H
#define STKPATH_ACTIVATION_EVENTS_H

#include "path/path_machine.h"

/* What is wrong is told with its line, and counts nothing; so is a file that cannot be read. */
void activation_events_read(const char *path, const struct flow_graph *graph, struct path_machine *machine);

#endif
