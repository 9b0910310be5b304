/* SPDX-License-Identifier: MIT
 * tick_away: --off-cpu: samples of threads that left their processor wait until it is known when they came back. */
#ifndef STKCAP_TICK_AWAY_H
#define STKCAP_TICK_AWAY_H

#include "tick_stacks.h"

#include "base/array.h"
#include "capture/off_times.h"

#define TICK_NAME_BYTES 16

struct taken_tick {			/* of a thread of a VM */
	struct tick tick;
	struct tick_stack stack;
	char name[TICK_NAME_BYTES];
	int64_t away_ns;		/* how long it was away from the processors; -1: it is a tick on one */
	bool put_off;			/* it could have gone on */
	bool woken;			/* it is known by whom: */
	struct off_waker waker;
};

struct taken_ticks { struct taken_tick *at; size_t count, room; };

/* Moves to *back the samples whose threads came back by the time that all processors have seen, which off_times_take
 * returned; the others stay. */
void tick_away_settle(struct taken_ticks *away, const struct off_times *turns, int64_t until_ns,
		      struct taken_ticks *back);
/* Moves the samples of a process, whose capture ends: of each thread the last one, which is away still, and those
 * before it. From these it has come back, but it was not seen yet when, and woken by whom: they last until it left
 * again. Returns how many these are. */
size_t tick_away_end(struct taken_ticks *away, pid_t pid, int64_t now_ns, struct taken_ticks *back);

#endif
