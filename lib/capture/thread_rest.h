/* SPDX-License-Identifier: MIT
 * thread_rest: whether a thread of another process has rested all the time between two looks, so that what is read of
 * it meanwhile belongs together. */
#ifndef CAPTURE_THREAD_REST_H
#define CAPTURE_THREAD_REST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct thread_rest {
	pid_t pid, tid;
	char state; /* as /proc shows it: R, S, D ...; 0: it has ended */
	uint64_t ran_ns, turns; /* on a processor, so far */
};

/* True: it does not run. */
bool thread_rest_begin(struct thread_rest *rest, pid_t pid, pid_t tid);
/* Whether it has not run since. */
bool thread_rest_held(const struct thread_rest *rest);

#endif
