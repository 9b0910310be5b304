/* SPDX-License-Identifier: MIT
 * covered_functions: what programs with probes wrote of their functions: graphs, calls and counts of paths. */
#ifndef STKPATH_COVERED_FUNCTIONS_H
#define STKPATH_COVERED_FUNCTIONS_H

#include "base/tally.h"
#include "base/text_buffer.h"
#include "graph/flow_graph.h"
#include "stkpipe/stream.h"

struct covered {
	struct flow_graph *graph;
	struct tally counts;		/* of paths, by the names of their blocks */
	bool called;			/* its calls, which are written with its counts, are in the stream */
	bool prime, other;		/* by prime paths, which overlap; by other ones */
	bool inexact;			/* by methods that may take other paths for those of interest */
	uint64_t calls, others;		/* others: calls that took no path of interest */
	int64_t unfinished;
	const char *left_out;		/* why; NULL: it is not */
};

struct covered_functions {		/* zeroed at first */
	struct text_table names;	/* "function	file" */
	ARRAY(struct covered) list;	/* of name n at [n - 1] */
	struct text_table without;	/* "function: reason (file)" of those that could have no probes */
	struct text_buffer scratch;
	int64_t latest_ns;		/* when counts were written last */
};

/* Takes the rows of a block, if they are of ours. -1 as stk_reader_rows. */
int covered_functions_take(struct covered_functions *functions, struct stk_reader *reader,
			   const struct stk_block *block, struct stk_error *err) STK_MUST_CHECK;
/* Seals the graph of each, when all is taken; of those that cannot be, left_out says why. */
void covered_functions_seal(struct covered_functions *functions);
/* Why a function has no probes, by its name alone; empty: it is not known to have none. */
struct stk_text covered_functions_reason(const struct covered_functions *functions, struct stk_text function);
/* Says which functions have no probes, for each reason. */
void covered_functions_tell_without(const struct covered_functions *functions);
/* "/a/b" of "/a/b/c.c", "" of "c.c" and of "/c.c" */
struct stk_text covered_folder(struct stk_text file);
void covered_functions_release(struct covered_functions *functions);

#endif
