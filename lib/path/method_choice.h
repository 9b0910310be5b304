/* SPDX-License-Identifier: MIT
 * method_choice: which of psp0, psp1 and psp2 suits a graph, by measurements of many functions (Wang and Li): six
 * properties in the order of their significance. The first that is known decides; or, in the other reading of that
 * table, psp0 when any of its conditions holds. */
#ifndef PATH_METHOD_CHOICE_H
#define PATH_METHOD_CHOICE_H

#include "path/path_plan.h"

/* time_ns: of one run of the function, 0 when it is not known. why: a few words. */
enum path_method method_choose(const struct flow_graph *graph, int64_t time_ns, bool any, char *why, size_t room);

#endif
