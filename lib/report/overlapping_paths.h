/* SPDX-License-Identifier: MIT
 * overlapping_paths: functions of which prime paths or other sub-paths were counted (method ac). One visit of a block
 * is on many of these, so that their counts do not add up to those of blocks, edges, lines or calls. */
#ifndef REPORT_OVERLAPPING_PATHS_H
#define REPORT_OVERLAPPING_PATHS_H

#include "base/text_buffer.h"
#include "base/text_table.h"

struct overlapping_paths {
	struct text_table functions;		/* "function	file" */
	struct text_buffer scratch;
};

/* A zeroed struct is an empty one. In a stream the calls of a function come after its counts: ask at its end. */
void overlapping_paths_take(struct overlapping_paths *paths, const struct stk_path_call *row);
bool overlapping_paths_has(struct overlapping_paths *paths, struct stk_text function, struct stk_text file);
void overlapping_paths_release(struct overlapping_paths *paths);

#endif
