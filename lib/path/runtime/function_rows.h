/* SPDX-License-Identifier: MIT
 * function_rows: from what was counted of functions to rows of a stream: graphs, calls, paths. */
#ifndef PATH_RUNTIME_FUNCTION_ROWS_H
#define PATH_RUNTIME_FUNCTION_ROWS_H

#include "plain_stream.h"
#include "probed_function.h"

#include <stdbool.h>

struct own_counts;

struct function_rows {
	struct plain_stream stream;
	struct plain_block edges, calls, counts;
	struct plain_bytes path;	/* the current text */
	uint64_t now;
};

/* The stream has begun; others may be zeroed. End flushes, and leaves the stream to be ended. */
void function_rows_begin(struct function_rows *rows, uint64_t now);
void function_rows_put(struct function_rows *rows, struct probed_function *function);
void function_rows_end(struct function_rows *rows);

/* Whether something was counted since the last writing. */
bool function_rows_changed(const struct probed_function *function);
/* Also a function that nobody called, once, unless only chosen paths are counted: coverage is of all functions. */
bool function_rows_are_news(const struct probed_function *function);

/* What was counted so far is not written. */
void function_rows_pass_over(struct probed_function *function);

/* Graphs alone, of functions whose steps are written. */
void function_rows_name_blocks(struct probed_function *function);
void function_rows_put_graph(struct function_rows *rows, const struct probed_function *function);
/* How many calls a thread began and did not end. */
uint64_t function_rows_active(const struct probed_function *function, const struct own_counts *own);

#endif
