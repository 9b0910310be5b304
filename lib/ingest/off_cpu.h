/* SPDX-License-Identifier: MIT
 * off_cpu: samples of the times in which threads were off a processor, from the events of their switches: a sample is
 * at the time at which a thread left, with the stack that it left with, and weighs how long it was away, in
 * nanoseconds. */
#ifndef INGEST_OFF_CPU_H
#define INGEST_OFF_CPU_H

#include "base/array.h"
#include "base/id_table.h"
#include "base/text_table.h"
#include "stkpipe/rows.h"

struct off_cpu {			/* a zeroed struct is one in which no thread is away */
	struct id_table threads;	/* place in `away` + 1, by the number that says who it is */
	ARRAY(struct stk_sample) away;	/* by place; weight: 1 while the thread is away, else 0 */
};

/* A thread's number in the system, or its id where that is not known. */
static inline uint64_t
off_cpu_who(uint64_t tid, uint64_t thread)
{
	return tid != 0 ? tid : thread | UINT64_C(1) << 62;
}

void off_cpu_release(struct off_cpu *off);

/* A thread leaves its processor. who: its number, under whatever name it comes back. state: a letter as that of
 * trace_left_state; one that has ended does not come back. False: it was away, and when it came back is not known. */
bool off_cpu_leave(struct off_cpu *off, uint64_t who, const struct stk_event *event, char state);
/* It comes back. False: it was not seen to leave, or earlier than that. */
bool off_cpu_return(struct off_cpu *off, uint64_t who, int64_t time, struct stk_sample *out);
/* It was seen at work, though it did not come back: false, and it is not away. */
bool off_cpu_works(struct off_cpu *off, uint64_t who, int64_t time);
/* Those that are still away at the end, one after another, as if they came back then. */
bool off_cpu_next(struct off_cpu *off, size_t *at, int64_t end, struct stk_sample *out);
/* Nobody is away: another file begins. */
void off_cpu_clear(struct off_cpu *off);

#endif
