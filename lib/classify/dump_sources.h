/* SPDX-License-Identifier: MIT
 * dump_sources: the sources whose dumps were counted, numbered from 1 on, with how many these were and when. Number 0
 * is all; slices are of all as well. */
#ifndef CLASSIFY_DUMP_SOURCES_H
#define CLASSIFY_DUMP_SOURCES_H

#include "base/time_range.h"
#include "stkpipe/rows.h"

#include <stdbool.h>

struct dump_sources;

struct dump_times { struct stk_text source; uint64_t dumps; struct time_range range; };

void dump_sources_open(struct dump_sources **out);
void dump_sources_close(struct dump_sources *sources);

/* The number of a source, made when it is new. */
uint32_t dump_sources_number(struct dump_sources *sources, struct stk_text name);
uint32_t dump_sources_last(const struct dump_sources *sources);		/* the highest number */
struct dump_times dump_sources_get(const struct dump_sources *sources, uint32_t source);

/* The source is in the current dump or slice. */
void dump_sources_mark(struct dump_sources *sources, uint32_t source);
/* The dump or slice ends: it counts for all that are in it. */
void dump_sources_count(struct dump_sources *sources, int64_t time_ns);
/* Nothing is in the next one yet. */
void dump_sources_unmark(struct dump_sources *sources);

/* For states: sets what was counted, unless dumps of the source were; or adds it. The number of the source. */
uint32_t dump_sources_restore(struct dump_sources *sources, const struct dump_times *times);
uint32_t dump_sources_add(struct dump_sources *sources, const struct dump_times *times);

#endif
