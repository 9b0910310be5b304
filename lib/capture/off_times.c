/* SPDX-License-Identifier: MIT
 * off_times: turns are sorted by thread and time when they are taken. */
#include "capture/off_times.h"

#include "base/array.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define TURNS_MAX  (4u << 20)
#define WOKEN_NS   INT64_C(60000000000)	/* for which it is kept that a thread was woken, but did not come back yet */
#define LEAVING_NS INT64_C(1000000)	/* between the sample of a thread that leaves, and the record that it left */

struct turn { pid_t tid; enum off_turn turn; int64_t time_ns; };

struct waking { pid_t tid; int64_t time_ns; struct off_waker by; };

struct off_times {
	unsigned processors;
	pthread_mutex_t lock;		/* of: */
	ARRAY(struct turn) added;
	int64_t *seen_ns;		/* of each processor */
	uint64_t dropped;
	ARRAY(struct waking) added_wakings;
	ARRAY(struct turn) taken;	/* sorted; of who asks */
	ARRAY(struct waking) wakings;	/* likewise, with the last one of each thread from before */
};

void
off_times_open(struct off_times **out, unsigned processors)
{
	struct off_times *o = *out = mem_new(1, sizeof *o);

	o->processors = processors;
	o->seen_ns = mem_new(processors, sizeof *o->seen_ns);
	pthread_mutex_init(&o->lock, NULL);
}

void
off_times_close(struct off_times *o)
{
	if (o == NULL)
		return;
	pthread_mutex_destroy(&o->lock);
	array_release(&o->added);
	array_release(&o->taken);
	array_release(&o->added_wakings);
	array_release(&o->wakings);
	free(o->seen_ns);
	free(o);
}

void
off_times_turn(struct off_times *o, pid_t tid, int64_t time_ns, enum off_turn turn)
{
	pthread_mutex_lock(&o->lock);
	if (o->added.count < TURNS_MAX)
		*array_push(&o->added) = (struct turn){ tid, turn, time_ns };
	else
		o->dropped++;
	pthread_mutex_unlock(&o->lock);
}

void
off_times_woken(struct off_times *o, pid_t tid, int64_t time_ns, const struct off_waker *by)
{
	pthread_mutex_lock(&o->lock);
	if (o->added_wakings.count < TURNS_MAX)
		*array_push(&o->added_wakings) = (struct waking){ tid, time_ns, *by };
	pthread_mutex_unlock(&o->lock);
}

void
off_times_seen(struct off_times *o, unsigned processor, int64_t time_ns)
{
	pthread_mutex_lock(&o->lock);
	o->seen_ns[processor] = time_ns;
	pthread_mutex_unlock(&o->lock);
}

static int
compare_turns(const void *left, const void *right)
{
	const struct turn *a = left, *b = right;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

static int
compare_wakings(const void *left, const void *right)
{
	const struct waking *a = left, *b = right;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

/* Of those taken before, the last one of each thread is still needed if it has not come back since. */
static void
keep_last_wakings(struct off_times *o, int64_t until)
{
	size_t left = 0;

	for (size_t i = 0; i < o->wakings.count; i++)
		if ((i + 1 == o->wakings.count || o->wakings.at[i + 1].tid != o->wakings.at[i].tid) &&
		    until - o->wakings.at[i].time_ns < WOKEN_NS)
			o->wakings.at[left++] = o->wakings.at[i];
	o->wakings.count = left;
}

/* With the lock. */
static void
take_wakings(struct off_times *o, int64_t until)
{
	size_t left = 0;

	keep_last_wakings(o, until);
	for (size_t i = 0; i < o->added_wakings.count; i++)
		if (o->added_wakings.at[i].time_ns <= until)
			*array_push(&o->wakings) = o->added_wakings.at[i];
		else
			o->added_wakings.at[left++] = o->added_wakings.at[i];
	o->added_wakings.count = left;
}

int64_t
off_times_take(struct off_times *o)
{
	int64_t until = INT64_MAX;
	size_t left = 0;

	pthread_mutex_lock(&o->lock);
	for (unsigned i = 0; i < o->processors; i++)
		if (o->seen_ns[i] < until)
			until = o->seen_ns[i];
	o->taken.count = 0;
	for (size_t i = 0; i < o->added.count; i++)
		if (o->added.at[i].time_ns <= until)
			*array_push(&o->taken) = o->added.at[i];
		else
			o->added.at[left++] = o->added.at[i];
	o->added.count = left;
	take_wakings(o, until);
	pthread_mutex_unlock(&o->lock);
	if (o->taken.count > 0)
		qsort(o->taken.at, o->taken.count, sizeof *o->taken.at, compare_turns);
	if (o->wakings.count > 0)
		qsort(o->wakings.at, o->wakings.count, sizeof *o->wakings.at, compare_wakings);
	return until;
}

/* The first turn of a thread at or after a time. */
static size_t
first_from(const struct off_times *o, pid_t tid, int64_t time_ns)
{
	const struct turn wanted = { .tid = tid, .time_ns = time_ns };
	size_t low = 0, high = o->taken.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_turns(&o->taken.at[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool
off_times_find(const struct off_times *o, pid_t tid, int64_t left_ns, int64_t *back_ns, bool *put_off)
{
	for (size_t i = first_from(o, tid, left_ns); i < o->taken.count && o->taken.at[i].tid == tid; i++) {
		const struct turn *turn = &o->taken.at[i];

		if (turn->turn == TURN_COMES && turn->time_ns > left_ns) {
			*back_ns = turn->time_ns;
			return true;
		}
		if (turn->turn != TURN_COMES && turn->time_ns - left_ns < LEAVING_NS)
			*put_off = turn->turn == TURN_IS_PUT_OFF;
	}
	return false;
}

bool
off_times_waker(const struct off_times *o, pid_t tid, int64_t left_ns, int64_t back_ns, struct off_waker *by)
{
	const struct waking wanted = { .tid = tid, .time_ns = back_ns };
	size_t low = 0, high = o->wakings.count;

	while (low < high) {		/* the first one after it came back */
		size_t middle = low + (high - low) / 2;

		if (compare_wakings(&o->wakings.at[middle], &wanted) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || o->wakings.at[low - 1].tid != tid || o->wakings.at[low - 1].time_ns < left_ns)
		return false;
	*by = o->wakings.at[low - 1].by;
	return true;
}

uint64_t
off_times_dropped(const struct off_times *o)
{
	return o->dropped;
}
