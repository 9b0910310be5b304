/* SPDX-License-Identifier: MIT
 * dump_scan: how far the scan of a piece of thread dumps has come, and what is open there. The files of the scan share
 * it: dump_section takes threads, dump_between the lines between them, dump_deadlock and dump_heap what is below. */
#ifndef INGEST_DUMP_SCAN_H
#define INGEST_DUMP_SCAN_H

#include "ingest/dump_heap.h"
#include "ingest/ingest.h"

enum place {			/* what the lines between two threads may be */
	AMONG_THREADS,
	IN_LIST,		/* addresses of the VM's thread list */
	IN_RING,		/* a deadlock: which thread waits for which */
	IN_RING_STACKS,		/* and the stacks of those, which were seen before */
	IN_HEAP
};

struct dump_scan {
	struct findings *findings;
	const char *at, *end;	/* at: the start of a line */
	uint32_t line;		/* its number */
	enum place place;
	bool over;		/* what ends a dump was seen (the count of JNI references); only deadlocks and the heap
				 * may follow, */
	unsigned since_over;	/* and foreign lines, as many as this */
	bool prefixed;		/* a dump with log prefixes was found: stop */
	bool in_dump;		/* a head or a thread was seen: a header at the end of the text is one */
	int64_t date;		/* of the dump whose head comes next */
	uint32_t date_line;
	uint64_t rings;		/* deadlocks of this dump */
	/* of the ring's current thread */
	struct { uint32_t line; struct stk_text thread, class; uint64_t object; enum stk_relation relation; } waits;
	struct dump_heap heap;
	struct { const char *from, *to; uint32_t first, last; } noise;	/* a run of foreign lines; from NULL: none */
};

/* Moves past the newline at `stop`, or to the end. */
void dump_scan_pass(struct dump_scan *s, const char *stop);

/* The same when it is the line's own. */
void dump_scan_pass_line(struct dump_scan *s, struct stk_text line);

/* A foreign line joins the run; the run is reported. */
void dump_scan_add_noise(struct dump_scan *s, struct stk_text line);
void dump_scan_flush_noise(struct dump_scan *s);

/* A dump whose end was seen is reported as over. */
void dump_scan_say_over(struct dump_scan *s);

/* A list, a deadlock or a heap ends here. */
void dump_scan_leave_place(struct dump_scan *s);

/* What was open is over: all three. */
void dump_scan_settle(struct dump_scan *s);

#endif
