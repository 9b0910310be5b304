/* SPDX-License-Identifier: MIT
 * sequence_counts: how often call sequences occur in the calls of a program, thread by thread. Each call of the
 * function that a sequence begins with is followed until it ends, with all that happens in it: recursive calls too,
 * each by itself. Calls that have come equally far are followed as one, so that an event costs as much as there are
 * different states, however deep calls are nested. */
#ifndef PATH_SEQUENCE_COUNTS_H
#define PATH_SEQUENCE_COUNTS_H

#include "path/call_sequences.h"

#define SEQUENCE_CALLS_MOST 10000000u	/* unfinished at once */

struct sequence_counts;

struct sequence_count {
	uint64_t calls;			/* of the function that the sequence begins with */
	uint64_t on;			/* those in which the sequence occurs */
	uint64_t times;			/* how often its last item completed it, in all of them */
	uint64_t unfinished;		/* calls that did not end, or whose end is not known */
};

/* What an event belongs to: a call has a number that no other of its process has, and grows. */
struct sequence_call { uint64_t process, thread, number; struct stk_text function; };

/* The sequences are borrowed. */
void sequence_counts_open(struct sequence_counts **out, const struct call_sequences *sequences);
void sequence_counts_close(struct sequence_counts *counts);

/* A call begins, passes a block, ends. Inner calls that have not ended when an outer one goes on were left (longjmp, an
 * exception). -1: nothing is known of this call, whose beginning was lost or is in another process; the event is left
 * out. */
int sequence_counts_begin(struct sequence_counts *counts, const struct sequence_call *call) STK_MUST_CHECK;
int sequence_counts_block(struct sequence_counts *counts, const struct sequence_call *call,
			  struct stk_text block) STK_MUST_CHECK;
int sequence_counts_end(struct sequence_counts *counts, const struct sequence_call *call) STK_MUST_CHECK;
/* Events were lost, or there are no more: all calls are unfinished. */
void sequence_counts_break(struct sequence_counts *counts);

/* Says that a function has such a block: see sequence_counts_unknown. */
void sequence_counts_graph(struct sequence_counts *counts, struct stk_text function, struct stk_text block);
/* A name of a sequence of which nothing was seen: a function without calls and graph, or one whose graph has no such
 * block. NULL: there is none from *at on, which is moved behind it. */
const struct sequence_name *sequence_counts_unknown(const struct sequence_counts *counts, size_t sequence, size_t *at);

struct sequence_count sequence_counts_of(const struct sequence_counts *counts, size_t sequence);
/* -1: the automaton of a sequence is too large; *err says of which. */
int sequence_counts_check(const struct sequence_counts *counts, struct stk_error *err) STK_MUST_CHECK;

#endif
