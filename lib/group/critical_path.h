/* SPDX-License-Identifier: MIT
 * critical_path: which spans of one piece of work decided how long it took. Read backward from its end: what a span
 * did after another one within it ended had waited for that one. Where a span began, the path goes on in the one that
 * waited for it; else in that of those open there which began last; else with what ended last before it, and nothing
 * in between. So the path has each moment from the first begin to the last end once. */
#ifndef GROUP_CRITICAL_PATH_H
#define GROUP_CRITICAL_PATH_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

/* A thread at work, which it is at most once at a time. */
struct work_span { int64_t from, to; uint64_t thread; };

/* span: its number, from 1 on; 0: none was open. */
struct path_piece { int64_t from, to; uint32_t span; };
struct path_pieces { ARRAY(struct path_piece) list; };

/* Whether a thread may have waited for what ended at a time. */
typedef bool may_wait_function(void *context, uint64_t thread, int64_t time);

/* Spans in the order of their begins, each longer than 0. *to: in the order of time. */
void critical_path(const struct work_span *spans, uint32_t count, may_wait_function *may_wait, void *context,
		   struct path_pieces *to);

#endif
