/* SPDX-License-Identifier: MIT
 * thread_stop: stops threads of another process and lets them go again, without a signal that they could see. Stopping
 * interrupts some calls of the kernel: epoll_wait, semop and sigtimedwait end with EINTR.
 *
 * A thread stops when it gets a processor, or comes back from the kernel: that can take any time. One that has not
 * stopped in time cannot be let go, and would stop later and stay so. So all of it is done in a thread of ours that
 * ends afterwards (thread_stop_apart): then the kernel takes the request back. */
#ifndef CAPTURE_THREAD_STOP_H
#define CAPTURE_THREAD_STOP_H

#include "stkpipe/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Runs this in a thread of its own and waits until it has ended, with all stops that it began. -1: there is no such
 * thread, and nothing was run. */
int thread_stop_apart(void (*run)(void *of), void *of, struct stk_error *err) STK_MUST_CHECK;

struct thread_stop {
	pid_t tid;
	bool halted;
	int signal; /* that it was about to get */
	int64_t running_ns; /* when it was last seen not to have stopped yet */
};

/* Asks it to stop. False: it has ended, or may not be stopped (errno). */
bool thread_stop_begin(struct thread_stop *stop, pid_t tid);
/* Waits until it has stopped: halted is true, unless the time has passed (CLOCK_MONOTONIC). */
void thread_stop_wait(struct thread_stop *stop, int64_t until_ns);
/* Lets it go, if it has stopped; it gets the signal that it was about to get. */
void thread_stop_end(struct thread_stop *stop, int64_t until_ns);

#endif
