/* SPDX-License-Identifier: MIT
 * region_list: the regions of graphs, one per line, for stkpath cfg --regions. */
#ifndef STKPATH_REGION_LIST_H
#define STKPATH_REGION_LIST_H

#include "graph/flow_graph.h"
#include "report/printer.h"

void region_list_head(struct printer *to, bool for_people);
void region_list_add(struct printer *to, bool for_people, struct stk_text function, const struct flow_graph *graph);

#endif
