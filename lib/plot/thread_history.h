/* SPDX-License-Identifier: MIT
 * thread_history: what each thread did in each dump, and which locks threads waited for: what pictures of states and
 * locks are drawn from. A thread that stays where it is costs no memory from dump to dump. */
#ifndef PLOT_THREAD_HISTORY_H
#define PLOT_THREAD_HISTORY_H

#include "base/hash_map.h"
#include "diag/diagnosis.h"
#include "diag/wait_graph.h"

#define HISTORY_ROWS_MOST 200000 /* threads that are kept apart */
#define HISTORY_LOCKS_MOST 10000 /* locks; beyond, those of a class are one */
#define LOOKS (2 * (STK_STATE_SLEEPING + 1))

/* How a thread looks: its state, and whether it only waits for work. */
static inline unsigned
look_of(enum stk_state state, bool idle)
{
	return 2 * (unsigned)state + idle;
}

struct history_dump {
	int64_t time_ns, from_ns, to_ns;
	uint32_t dumps, threads;
}; /* it stands for from_ns to to_ns */

struct history_process {
	uint32_t process; /* its number in the diagnosis */
	ARRAY(struct history_dump) dumps;
};

/* The same in dumps that follow each other: places in the dumps of its process. */
struct history_run {
	uint32_t first, last;
	uint32_t stack; /* of stack_facts */
	uint32_t lock; /* a number of a lock that it wants; 0 */
	uint32_t holder; /* a number of the row that holds it; 0 */
	uint8_t look;
};

struct history_row { /* a thread */
	uint64_t key;
	uint32_t process; /* a place in processes */
	uint32_t name, pool; /* texts of the diagnosis; pool 0: not known */
	bool vm; /* a thread of the virtual machine itself */
	bool chosen; /* any of its samples is */
	uint64_t samples[LOOKS]; /* that are chosen */
	ARRAY(struct history_run) runs;
};

struct history_wait { /* the same in dumps that follow each other */
	uint32_t first, last;
	uint32_t waiters; /* threads whose way ends at it */
	int64_t lost_ns; /* thread time of these; not kept when moments become coarser */
	uint32_t holder, held_at; /* a number of a row, and a text; 0 */
	bool ring; /* they wait for each other */
};

struct history_lock {
	uint32_t process; /* a place in processes */
	uint32_t class, number; /* a text; the number-th of the class, from 1 */
	uint32_t wanted_at; /* a text */
	uint32_t dump; /* the latest in which it was wanted, + 1 */
	uint64_t samples, dumps; /* threads whose way ended at it, summed over dumps; and how many dumps */
	uint32_t most;
	int64_t lost_ns; /* thread time */
	bool chosen; /* any of these, or the holder, is */
	bool ring;
	ARRAY(struct history_wait) waits;
};

struct history_pool { /* threads whose names differ by a number, or one thread */
	uint32_t process; /* a place in processes */
	uint32_t pool; /* a text; of one thread its name */
	bool vm;
	uint32_t finding; /* the first that is about it, + 1; 0 */
	uint64_t samples[LOOKS];
	ARRAY(uint32_t) rows; /* numbers of rows, by name */
};

struct thread_history {
	const struct diagnosis *diagnosis; /* whose texts and stacks these are */
	ARRAY(struct history_process) processes;
	ARRAY(struct history_row) rows; /* number n at [n - 1] */
	ARRAY(struct history_lock) locks; /* likewise */
	ARRAY(struct history_pool) pools; /* made at the end: what is wrong first */
	struct hash_map by_key, by_lock;
	ARRAY(uint32_t) row_of; /* by thread of the dump at hand */
	ARRAY(uint32_t) lock_of; /* by lock of the dump at hand */
	struct time_range times; /* from the beginning of the first to the end of the last dump */
	uint64_t dumps, samples; /* that are drawn */
	uint64_t untimed, backward; /* dumps that are not */
	uint64_t left_out; /* samples of threads beyond HISTORY_ROWS_MOST */
	uint32_t together; /* how many dumps became one (thread_history_coarsen) */
};

/* A zeroed struct, with a diagnosis, is empty. */
void thread_history_take(struct thread_history *history, const struct diag_dump *dump, const struct wait_graph *graph);
/* After the last dump: how long each dump stands, and pools in the order in which they are shown. */
void thread_history_settle(struct thread_history *history, const struct diag_findings *findings);
/* `times` dumps become one in which a thread is as in most of them. Totals stay what they are. */
void thread_history_coarsen(struct thread_history *history, uint32_t times);
void thread_history_release(struct thread_history *history);

/* Adds how long a row was of each look in each of `count` equal parts of the time: LOOKS numbers a part. */
void thread_history_parts(const struct thread_history *history, uint32_t row, struct time_range times, size_t count,
			  double *parts);
/* The look that has most of LOOKS numbers, blocked counted thrice and waiting for work a fifth; LOOKS: all are 0. */
unsigned most_of_looks(const double *parts);

/* Whether a finding is about a thread. */
bool finding_has(const struct finding *finding, uint32_t thread);
/* The place of a finding's process; the number of processes when no dump of it is drawn, or it is of none. */
uint32_t thread_history_process(const struct thread_history *history, uint32_t process);

#endif
