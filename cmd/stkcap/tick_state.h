/* SPDX-License-Identifier: MIT
 * tick_state: what the parts of tick_capture share. */
#ifndef STKCAP_TICK_STATE_H
#define STKCAP_TICK_STATE_H

#include "tick_away.h"
#include "tick_capture.h"
#include "tick_stacks.h"

#include <pthread.h>

#define VMS_MAX      TICK_PROCESSES_MAX	/* and other processes */
#define COLLECTORS   3
#define RECORD_NS    INT64_C(1000000000)

struct tick_vm {			/* or another process */
	bool used;
	bool is_vm;
	bool is_one_of_many;		/* which have no records before they tick */
	struct process process;
	struct subject *subject;
	int64_t added_ns;		/* its number was another one's before */
	char name[300];			/* kept when it has ended: moments may be told later */
	struct perf_memory *memory;
	int cause;			/* entry of the memory: why it collects */
	int ends[COLLECTORS];		/* entries: when the last collection of each ended */
	bool names_threads;		/* the system knows its threads by the VM's names: not so before JDK 9 */
	_Atomic int64_t ended;		/* the sum of those times when it was read last */
	_Atomic int64_t seen_ns;	/* until then it was another */
	bool flag_means_pause;		/* for Z and Shenandoah it means that a collection runs beside the program */
	struct tick_stacks *stacks;	/* NULL: none are taken */
	bool *has_row;			/* of many: by processor and state, whether its count is recorded; NULL */
	int64_t told_ns;		/* when it was recorded last */
	uint64_t before[TICK_STATES];	/* for statistics */
	int64_t turn_ns, told_turn_ns;	/* --rotate-interest: how long it was its turn; told: as was recorded */
};

struct tick_capture {
	struct tick_settings settings;
	struct tick_sampler *sampler;
	struct reply_pool *replies;
	struct walk_pool walks;		/* what is kept of all processes that are walked */
	struct tick_vm vms[VMS_MAX];
	pthread_mutex_t lock;		/* of: */
	struct taken_ticks taken;	/* inside */
	size_t stack_bytes;		/* of their stacks */
	struct taken_ticks away;	/* whose threads were not back yet */
	struct walk_sums sums;		/* of the walks in many processes, once they have ended */
	uint64_t unknown_wakers;	/* of threads that slept and came back: no waker is recorded */
	int64_t recorded_ns, turned_ns;
	int64_t counted_ns;		/* turn_ns are of the time until then */
	int turn;			/* whose turn it is */
};

/* The name of a thread, as the system has it; "" when it has ended. */
void tick_thread_name(pid_t pid, pid_t tid, char name[TICK_NAME_BYTES]);
/* Of the processes that are registered, those of interest: all, or one after another. */
void tick_capture_choose(struct tick_capture *ticks);
/* Records what came since the last time. ended: a VM that is removed, or NULL. */
int  tick_capture_record_all(struct tick_capture *ticks, struct live_records *records, const struct tick_vm *ended,
			     struct stk_error *err) STK_MUST_CHECK;

#endif
