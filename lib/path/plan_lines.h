/* SPDX-License-Identifier: MIT
 * plan_lines: a plan as lines of columns between tabs, which contain everything that a machine needs: the graph, the
 * probes, the paths and their ids.
 *
 *	kind  where  op  value
 *	plan  psp0   u64  exact			method, how r may be kept, and whether no other path gets one of the ids
 *	graph f      sum  3f0c...		function, checksum of the graph
 *	walk  A      to   H			entry and exit
 *	block A      succ B C			for each block, in order
 *	entry A      set  0			probes: at the entry,
 *	edge  A>B    mul  2 0			on an edge,
 *	node  B      chk  0 3			at a block
 *	parts A>B    mul  2 0 2 1		the digits of a mul that does the work of several
 *	path  A B H  6				an interesting path and its id */
#ifndef PATH_PLAN_LINES_H
#define PATH_PLAN_LINES_H

#include "path/path_plan.h"

typedef int plan_write_function(void *context, const char *bytes, size_t size, struct stk_error *err);

int plan_lines_write(const struct path_plan *plan, plan_write_function *write, void *context,
		     struct stk_error *err) STK_MUST_CHECK;

/* The graph belongs to the plan; the caller owns both. -1 (STK_EUSAGE): *err says "NAME:LINE: what is wrong". */
int plan_lines_read(struct path_plan **out, struct flow_graph **graph, const char *name, const char *text, size_t size,
		    struct stk_error *err) STK_MUST_CHECK;

#endif
