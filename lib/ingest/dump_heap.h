/* SPDX-License-Identifier: MIT
 * dump_heap: the heap below a dump that SIGQUIT asked for: what its generations hold together. */
#ifndef INGEST_DUMP_HEAP_H
#define INGEST_DUMP_HEAP_H

#include "ingest/ingest.h"

struct dump_heap { uint32_t line; double total, used, metaspace; bool has_heap, has_metaspace; };

/* Takes a line below "Heap". False: it is not of the heap. */
bool dump_heap_take(struct dump_heap *heap, struct stk_text line);

/* Adds what was read to the findings, as metrics of the line where the heap began. */
void dump_heap_report(const struct dump_heap *heap, struct findings *findings);

#endif
