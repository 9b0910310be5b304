/* SPDX-License-Identifier: MIT
 * tick_away: at most one sample of a thread waits: it cannot leave again before it has come back. */
#include "tick_away.h"

#include <stdlib.h>

static bool
has_come_back(struct taken_tick *taken, const struct off_times *turns, int64_t until_ns)
{
	const struct tick *tick = &taken->tick;
	int64_t back_ns;

	if (tick->time_ns > until_ns || !off_times_find(turns, tick->tid, tick->time_ns, &back_ns, &taken->put_off))
		return false;
	taken->away_ns = back_ns - tick->time_ns;
	taken->woken = !taken->put_off &&
		       off_times_waker(turns, tick->tid, tick->time_ns, back_ns, &taken->waker);
	return true;
}

void
tick_away_settle(struct taken_ticks *away, const struct off_times *turns, int64_t until_ns, struct taken_ticks *back)
{
	size_t left = 0;

	for (size_t i = 0; i < away->count; i++)
		if (has_come_back(&away->at[i], turns, until_ns))
			*array_push(back) = away->at[i];
		else
			away->at[left++] = away->at[i];
	away->count = left;
}

static int
compare_by_thread(const void *a, const void *b)
{
	const struct tick *x = &((const struct taken_tick *)a)->tick, *y = &((const struct taken_tick *)b)->tick;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

size_t
tick_away_end(struct taken_ticks *away, pid_t pid, int64_t now_ns, struct taken_ticks *back)
{
	size_t left = 0, ended = 0;

	if (away->count > 0)
		qsort(away->at, away->count, sizeof *away->at, compare_by_thread);
	for (size_t i = 0; i < away->count; i++) {
		struct taken_tick taken = away->at[i];
		const struct tick *next = i + 1 < away->count ? &away->at[i + 1].tick : NULL;
		bool is_last = next == NULL || next->tid != taken.tick.tid;
		int64_t until_ns = is_last ? now_ns : next->time_ns;

		if (taken.tick.pid != pid) {
			away->at[left++] = taken;
			continue;
		}
		taken.away_ns = until_ns > taken.tick.time_ns ? until_ns - taken.tick.time_ns : 0;
		*array_push(back) = taken;
		ended += !is_last;
	}
	away->count = left;
	return ended;
}
