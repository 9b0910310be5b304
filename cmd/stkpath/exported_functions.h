/* SPDX-License-Identifier: MIT
 * exported_functions: functions of which all paths were counted, by file and line, with counts of their blocks, edges
 * and lines. A line is counted where a block begins. */
#ifndef STKPATH_EXPORTED_FUNCTIONS_H
#define STKPATH_EXPORTED_FUNCTIONS_H

#include "base/array.h"
#include "covered_functions.h"
#include "graph/block_counts.h"

/* branches: ways out of blocks that begin on it and have several; taken: those of which it is known that they were. */
struct line { uint32_t number; uint64_t count; size_t branches, taken; };
typedef ARRAY(struct line) line_list;

struct exported {			/* a function */
	struct stk_text function, file;
	const struct covered *covered;
	struct block_counts counts;
	uint32_t line;			/* of its first block; 0: not known */
};

struct exported_functions {
	ARRAY(struct exported) list;
	size_t prime, chosen;		/* left out: paths overlap; only some paths were counted */
	uint64_t unfinished, foreign;	/* calls; counts of paths that the graph does not have */
	int64_t latest_ns;		/* when counts were written last */
};

/* Warns about functions whose graph is not known. */
void exported_functions_open(struct exported_functions *functions, const struct covered_functions *covered);
/* Says what was left out, and calls that did not end. */
void exported_functions_tell(const struct exported_functions *functions);
void exported_functions_release(struct exported_functions *functions);
/* How many from here on are of the same file. */
size_t exported_of_one_file(const struct exported *functions, size_t count);

/* Lines of functions of one file, ascending: of blocks of a function that begin on the same line the largest count, of
 * several functions the sum. */
void exported_lines(line_list *lines, const struct exported *functions, size_t count);
/* "while.body@14": 14; 0 */
uint32_t line_of_block(const struct flow_block *block);
/* Blocks of a function, and how many of them were reached; without the exit that is added after all returns. */
void exported_blocks(size_t *all, size_t *reached, const struct exported *function);
/* How often an edge out of a block that was reached was taken; false: it cannot be told. */
bool exported_way(uint64_t *times, const struct exported *function, uint32_t block, size_t way);

#endif
