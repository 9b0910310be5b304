/* SPDX-License-Identifier: MIT
 * thread_stays: how often a thread of a class is still in it one dump later. By Little's law this separates how long a
 * class takes from how often it is called: of threads whose stay is memoryless, the share that is still there after h
 * is exp(-h / mean stay). Threads of a pool also come back: how often those do that had left is taken out. */
#ifndef CLASSIFY_THREAD_STAYS_H
#define CLASSIFY_THREAD_STAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread_stays;

void thread_stays_open(struct thread_stays **out);
void thread_stays_close(struct thread_stays *stays);

/* A thread of the dump at hand: known by a hash of what names it. */
void thread_stays_note(struct thread_stays *stays, uint64_t thread, uint32_t class);
/* The dump was known: forgets what was noted. */
void thread_stays_discard(struct thread_stays *stays);
/* The dump ends; source: a number of whose dump it was. What was noted is compared with the source's dump before. */
void thread_stays_end_dump(struct thread_stays *stays, uint32_t source);

struct stay_counts {
	uint64_t followed, stayed;	/* threads of the class in dumps that had a next one, and those still in it */
	uint64_t gone, returned;	/* those not in it there, if that had a next one, too, and those back in it */
};
struct stay_counts thread_stays_of(const struct thread_stays *stays, uint32_t class);

/* The threads of a source's last dump, one after another; false: there are no more. */
bool thread_stays_last(const struct thread_stays *stays, uint32_t source, size_t number, uint64_t *thread,
		       uint32_t *class);
/* The same of the threads that were in a class in the dump before the last, and had left it in the last. */
bool thread_stays_gone(const struct thread_stays *stays, uint32_t source, size_t number, uint64_t *thread,
		       uint32_t *class);
size_t thread_stays_bytes(const struct thread_stays *stays);

void thread_stays_restore(struct thread_stays *stays, uint32_t class, struct stay_counts counts);

/* What was noted becomes a source's last dump, and nothing is counted. */
void thread_stays_restore_last(struct thread_stays *stays, uint32_t source);
void thread_stays_restore_gone(struct thread_stays *stays, uint32_t source, uint64_t thread, uint32_t class);

/* Mean stay in nanoseconds, when dumps are `interval_ns` apart; 0: shorter than that, and than can be told from threads
 * that come back by chance; INFINITY: nobody left; NAN: not known. Threads of a pool that have nothing to do are in
 * their class nearly always, after short waits and long ones: where most of those that left are back one dump later,
 * others left and came back between two dumps. */
double mean_stay(struct stay_counts counts, double interval_ns);

#endif
