/* SPDX-License-Identifier: MIT
 * summary: what the table for people says: gathered by summary.c, over all streams by names and not by ids, and written
 * by summary_text.c. Memory: what is distinct (stacks, threads, locks, names); nothing for each sample. */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "base/id_table.h"
#include "base/pair_sums.h"
#include "base/tally.h"
#include "base/time_range.h"
#include "report/lock_summary.h"
#include "report/missing_moments.h"
#include "report/moment_summary.h"
#include "report/path_summary.h"
#include "report/report.h"
#include "report/turn_estimate.h"

enum sample_class {		/* the states, and two that a dump does not tell apart by them */
	CLASS_IDLE = STK_STATE_SLEEPING + 1,	/* runnable for the VM, waiting in the system */
	CLASS_NONE,				/* a thread of the VM: no Java state, or no stack */
	CLASS_COUNT
};

struct use { uint64_t samples, running, blocked, waiting, weight, running_weight; };

struct thread_use {		/* of a thread of the present stream */
	struct use use;
	struct time_range range;	/* of its samples */
	int64_t cpu_least, cpu_most;
	bool met;
};

struct pool_use {		/* of threads whose names differ in a number */
	struct use use;
	uint64_t threads;
	int64_t cpu_ns;		/* between the first and the last sample of each thread */
	uint32_t one;		/* the name of its only thread, in names */
};

struct source_use {
	char *name, *process, *clock, *from, *length;	/* as text, made when the source's stream is over */
	uint64_t pid, dumps, threads, samples;
	struct time_range range;	/* of samples and dumps */
	struct time_range others;	/* of metrics, counters and events: for a source that has nothing else */
};

struct series_use { double first, last, least, most; uint64_t count; };

/* What processors did at their ticks, by what stkcap --ticks counts. */
enum tick_column {
	TICKS_INSIDE,
	TICKS_GC,
	TICKS_VM,
	TICKS_OUTSIDE,
	TICKS_IDLE,
	TICKS_MISSED,
	TICKS_EXPECTED,
	TICK_COLUMNS
};
extern const char *const tick_columns[TICK_COLUMNS];

struct tick_use {
	uint64_t last[TICK_COLUMNS], grown[TICK_COLUMNS];
	bool counted[TICK_COLUMNS];	/* there was a row of it: only VMs collect */
	int64_t cpu;
	uint64_t latest;		/* of the processor: ticks that were expected since the row before */
	/* of a VM that was counted by turns: as of the row before, and what follows from its turns */
	bool by_turns;
	uint64_t before[TICK_COLUMNS];
	struct turn_estimate turns[TICKS_VM + 1];
};

/* When a row of a deadlock was seen, also as text in the zone of its source. */
struct deadlock_times { struct time_range range; char first[TIME_TEXT_MAX], last[TIME_TEXT_MAX]; };

struct summary {
	struct report report;
	uint64_t streams, samples, dumps, threads, weight;
	struct time_range range;		/* over all sources with a wall clock */
	bool weighted;				/* samples stand for more than one */
	bool in_dumps;				/* some are parts of dumps */
	bool with_cpu;
	struct text_buffer event;		/* that weights are of, or "all" when there are several */
	bool event_met;
	uint64_t last_event;			/* of the sample before, + 1; 0: none in the present stream */

	/* over all streams */
	struct text_table names;		/* of functions, threads */
	struct pair_sums nodes;			/* a stack by (node of its parent, name): node n is nodes.sums.at[n -
						 * 1] */
	struct pair_sums stacks;		/* by (node, class) */
	struct text_table pool_names;
	ARRAY(struct pool_use) pools;
	ARRAY(struct source_use) sources;
	struct lock_summary locks;
	struct text_table series_names;
	ARRAY(struct series_use) series;
	struct text_table tick_names;		/* "CPU	SOURCE" */
	ARRAY(struct tick_use) ticks;
	struct tally deadlocks, events, notes, other_kinds;
	ARRAY(struct deadlock_times) deadlock_times;	/* of text n of deadlocks at n - 1 */
	struct path_summary paths;
	struct moment_summary moments;
	struct missing_moments missing;

	/* of the present stream, by its ids */
	struct pair_sums now;			/* by (stack, class) */
	struct id_table thread_uses, node_of, source_of;	/* source_of: place in sources, plus one */
	ARRAY(uint32_t) thread_ids;		/* met in samples */
	struct thread_use lost_threads;		/* all whose definitions were lost */
	ARRAY(uint32_t) chain;
	ARRAY(uint32_t) source_ids;
	struct text_buffer scratch;
};

static inline bool
is_running_class(unsigned class)
{
	return class == STK_STATE_UNKNOWN || class == STK_STATE_RUNNABLE || class == STK_STATE_RUNNING;
}

/* Writes all tables. */
int summary_text(struct summary *summary, struct stk_error *err);

/* A stack as a line of a table: "leaf < caller < caller ...", ".." for callers of the platform that are left out. Names
 * become shorter, the leaf's last, until the leaf and who called it fit into `room` characters; the callers after them
 * may go beyond it. */
void add_stack_label(struct text_buffer *to, const struct summary *summary, uint32_t node, size_t room);

#endif
