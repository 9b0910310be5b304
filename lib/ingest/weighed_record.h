/* SPDX-License-Identifier: MIT
 * weighed_record: what text profiles have in common that weigh stacks, of Go, gperftools and jemalloc: a head with the
 * scale, and records of values above addresses. */
#ifndef INGEST_WEIGHED_RECORD_H
#define INGEST_WEIGHED_RECORD_H

#include "stkpipe/rows.h"

#include <stdbool.h>

enum heap_value { INUSE_OBJECTS, INUSE_SPACE, ALLOC_OBJECTS, ALLOC_SPACE, HEAP_VALUES };

struct heap_scale {
	bool contention;
	double rate;			/* bytes from one sample of the heap to the next; 0: all blocks are there */
	uint64_t cycles, period;	/* of contention, a second and a sample */
};

struct heap_record { uint64_t values[HEAP_VALUES]; struct stk_text stack; };	/* of contention: cycles, count */

/* "heap profile: 1: 6144 [3: 18432] @ heap/1048576", "--- mutex:". */
bool is_heap_scale_head(struct stk_text line, struct heap_scale *scale);
/* "cycles/second=1996800000", "sampling period = 5": of contention. */
bool is_heap_setting(struct stk_text line, struct heap_scale *scale);
/* A record, with its addresses from the @ on. */
bool is_heap_record(struct stk_text line, const struct heap_scale *scale, struct heap_record *record);
/* "1: 6144 [3: 18432] " at *at, which moves past it. */
bool heap_values_take(const char **at, const char *end, uint64_t values[HEAP_VALUES]);

/* What was sampled becomes what there was, as pprof estimates it. */
void heap_record_scale(const struct heap_scale *scale, struct heap_record *record);

/* The event of a value, as pprof names it. */
const char *heap_event(const struct heap_scale *scale, enum heap_value value);

/* The first event of a stream is what is counted unless another is asked for: what is in use, and delays. */
static inline enum heap_value
heap_leading(const struct heap_scale *scale)
{
	return scale->contention ? INUSE_OBJECTS : INUSE_SPACE;
}

#endif
