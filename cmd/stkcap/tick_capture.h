/* SPDX-License-Identifier: MIT
 * tick_capture: --ticks: what the processors do at their ticks, as counters of each VM and processor, and the stacks of
 * threads that were inside. */
#ifndef STKCAP_TICK_CAPTURE_H
#define STKCAP_TICK_CAPTURE_H

#include "live_records.h"

#include "capture/perf_memory.h"
#include "capture/tick_sampler.h"

/* What to do at a tick inside a VM of interest. */
enum tick_order { ORDER_STACK, ORDER_COUNT, ORDER_READ, ORDER_STATISTICS };

struct tick_settings {
	struct tick_plan plan;
	enum tick_order order;
	int64_t rotate_ns;		/* one VM after another is of interest, for this long; 0: all at once */
	bool agent;			/* stacks through it */
	uint64_t copy_bytes;		/* of a stack that the kernel copies at a tick, at most; 0: none */
};

struct tick_capture;

/* The pool is borrowed. */
int tick_capture_open(struct tick_capture **out, const struct tick_settings *settings, struct reply_pool *replies,
		      struct stk_error *err) STK_MUST_CHECK;
void tick_capture_close(struct tick_capture *ticks);

/* A VM or another process registers; its number, or -1 when there is no room. The subject is the caller's until
 * tick_capture_remove. One of many has no records while it has no ticks, and is not reported by name. */
enum tick_kind { TICKS_OF_VM = 1, TICKS_OF_MANY = 2 };
int  tick_capture_add(struct tick_capture *ticks, const struct process *process, unsigned kind,
		      struct subject *subject);
/* Its last counts are recorded. */
int tick_capture_remove(struct tick_capture *ticks, int number, struct live_records *records,
			struct stk_error *err) STK_MUST_CHECK;

/* Whether the conditions on the machine hold from now on. */
void tick_capture_meets(struct tick_capture *ticks, bool met);
/* Of all processors so far. */
struct tick_totals;
void tick_capture_totals(const struct tick_capture *ticks, struct tick_totals *totals);

/* Once a second or so, and at the end: counts and stacks since the last time become records. */
int tick_capture_record(struct tick_capture *ticks, struct live_records *records,
			struct stk_error *err) STK_MUST_CHECK;

#endif
