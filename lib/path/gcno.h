/* SPDX-License-Identifier: MIT
 * gcno: the graphs of functions as gcc's --coverage leaves them beside an object (.gcno), of gcc 8 to 15 and of
 * clang. */
#ifndef PATH_GCNO_H
#define PATH_GCNO_H

#include "base/array.h"
#include "graph/flow_graph.h"

struct gcno_function {
	char *name, *file;
	uint32_t line;
	struct flow_graph *graph;	/* blocks are "b4@17" */
};

struct gcno { ARRAY(struct gcno_function) functions; };

bool gcno_is(const void *bytes, size_t size);
/* -1 (STK_EUSAGE): "NAME: byte N: what is wrong". */
int gcno_read(struct gcno *out, const char *name, const void *bytes, size_t size, struct stk_error *err) STK_MUST_CHECK;
void gcno_release(struct gcno *gcno);

#endif
