/* SPDX-License-Identifier: MIT
 * gc_collection: what a log says of a garbage collection, as the metrics that all logs give: heap.before and heap.used
 * (after it), heap.total, gc.pause (seconds), the same after full ones as heap.used.full, after others as
 * heap.used.young, and its pause once more by cause: gc.cause.Allocation Failure. What runs beside the program gives
 * gc.concurrent.PHASE (seconds). */
#ifndef INGEST_GC_COLLECTION_H
#define INGEST_GC_COLLECTION_H

#include "ingest/metric_lines.h"

struct collection {
	struct metric_time time;
	struct stk_text cause, concurrent;	/* concurrent: the name of the phase */
	const char *cause_begins;		/* what precedes the cause in the metric's name; NULL: "gc.cause." */
	bool open, full;
	bool has_heap, has_before, has_pause;
	double before, used, total, pause;
};

void collection_say(struct findings *findings, uint32_t line, const struct collection *is);

#endif
