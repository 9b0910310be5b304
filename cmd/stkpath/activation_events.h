/* SPDX-License-Identifier: MIT
 * activation_events: lines about calls and the blocks that they enter: "> THREAD" begins a call, the name of a block
 * enters it, "<" ends the call. "@ THREAD" switches to another thread. Nested calls end innermost first. */
#ifndef STKPATH_ACTIVATION_EVENTS_H
#define STKPATH_ACTIVATION_EVENTS_H

#include "path/path_machine.h"
#include "path/walked_paths.h"

/* Wrong lines are reported and not counted; so is a file that cannot be read. others: gets the paths that a program
 * counted and that are not the plan's; NULL: they are left out, which is reported. */
void activation_events_read(const char *path, const struct flow_graph *graph, struct path_machine *machine,
			    struct walked_paths *others);

#endif
