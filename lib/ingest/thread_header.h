/* SPDX-License-Identifier: MIT
 * thread_header: the line above a thread's stack in a thread dump of a Java VM. HotSpot's, of JDK 7 to 25:
 *	"main" #1 [11144] daemon prio=5 os_prio=0 cpu=26.71ms elapsed=1.20s allocated=658K defined_classes=9 tid=0x...
 * nid=0x2a1c runnable  [0x...]
 * and those of others:
 *	"main" Id=1 RUNNABLE				ThreadInfo, with or without prio=
 *	"main" (alive) RUNNABLE				IntelliJ, of tests
 *	"main" - Thread t@1				VisualVM; "main" alone above a state: Spring's actuator
 *	"main" waiting for lock a.B@1f2 WAITING		WebLogic's console and WLST, frames below without "at"
 *	"main" id=1 idx=0x4 tid=27878 prio=5 alive	JRockit
 *	Thread 123: (state = BLOCKED)			jstack -F of JDK 5 to 8
 * Words that are not known, as VMs of others have them (SAP), are kept as a note. */
#ifndef INGEST_THREAD_HEADER_H
#define INGEST_THREAD_HEADER_H

#include "stkpipe/rows.h"

#include <stdbool.h>
#include <stdint.h>

struct thread_header {
	struct stk_text name, condition;
	struct stk_text note;			/* words that are not understood, and what is between them */
	enum stk_state state;			/* when the header says it */
	const char *end;			/* the newline that ends it, or the end of the text */
	uint64_t number, tid, handle;		/* #12; nid= or [11144]; tid= */
	uint64_t cpu_ns, elapsed_ns, allocated, classes;
	int32_t priority, os_priority;
	uint32_t lines;				/* newlines within the name */
	bool daemon, has_priority, has_ids;	/* prio= was there; tid= or nid= was */
	bool virtual, is_jrockit;
	bool has_stack_area;			/* [0x...] was there: VM threads have none */
};

/* Reads the header at `from`, the start of a line. It begins with a quote, with "os_prio=" (some VMs have a thread
 * without a name), or with "Thread " and its number. A name may contain anything, also quotes and (within bounds) newlines. */
bool thread_header_read(struct thread_header *header, const char *from, const char *end);

/* By its name in java.lang.Thread.State; STK_STATE_UNKNOWN when it is none of these. */
enum stk_state java_state_named(struct stk_text word);

/* "26.71ms" or "1.23s" at *at, which moves past it. */
bool thread_span_read(const char **at, const char *end, uint64_t *ns);

/* What is left of the line after the keys: the condition, and whether there is a stack area. */
void thread_condition_read(struct thread_header *header, const char *from, const char *end);

#endif
