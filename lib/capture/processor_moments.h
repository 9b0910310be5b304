/* SPDX-License-Identifier: MIT
 * processor_moments: what all processors did at one moment. The kernel records when a processor turns to another
 * thread; from these records the state of each is known at any time, exactly: so a tick of one processor tells what the
 * others did at that very time, without interrupting them.
 *
 * Each processor's records are added by a thread of its own, in the order of time; moments are taken out by one
 * more. */
#ifndef CAPTURE_PROCESSOR_MOMENTS_H
#define CAPTURE_PROCESSOR_MOMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct processor_moments;

#define MOMENT_UNKNOWN 255		/* as a state */

struct processor_state {		/* of a processor, from a time on */
	int64_t time_ns;		/* CLOCK_MONOTONIC */
	pid_t tid;
	int process;			/* the caller's number; -1: none */
	unsigned state;			/* the caller's, or MOMENT_UNKNOWN */
};

struct processor_moment {
	uint64_t number;		/* from 1 */
	int64_t time_ns;
	unsigned processor;		/* whose tick it was */
	/* of each processor; valid until the next call */
	const struct processor_state *states;
};

struct processor_moment_counts {
	uint64_t taken;
	uint64_t dropped;		/* events too soon after another one, or nobody took them out in time */
	/* moments whose tick was in the thread that ran by the records, and others, of which there must be none */
	uint64_t agreed, disagreed;
};

/* period_ns: a moment is the first tick of any processor in each period; 0: each tick, but not within a millisecond. */
void processor_moments_open(struct processor_moments **out, unsigned processors, int64_t period_ns);
void processor_moments_close(struct processor_moments *m);

/* By the thread of a processor (0 to processors - 1): what it does from then on. */
void processor_moments_switch(struct processor_moments *m, unsigned processor, const struct processor_state *state);
/* Records after the last one are missing: it is not known what it did, until the next one. */
void processor_moments_lost(struct processor_moments *m, unsigned processor);
/* A tick of it, at which this thread ran; -1: one that is ending, and has no number any more. */
void processor_moments_tick(struct processor_moments *m, unsigned processor, int64_t time_ns, pid_t tid);
/* All its records up to this time were added. */
void processor_moments_seen(struct processor_moments *m, unsigned processor, int64_t time_ns);

/* By the thread that takes moments out, in their order: false when no more is known to all processors yet. */
bool processor_moments_next(struct processor_moments *m, struct processor_moment *out);
void processor_moments_counts(struct processor_moments *m, struct processor_moment_counts *counts);

#endif
