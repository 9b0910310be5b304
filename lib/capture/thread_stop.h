/* SPDX-License-Identifier: MIT
 * thread_stop: stops a thread of another process and lets it go again, without a signal that it could see. Stopping
 * interrupts some calls of the kernel: epoll_wait, semop and sigtimedwait end with EINTR. One of our threads does all
 * of it. */
#ifndef CAPTURE_THREAD_STOP_H
#define CAPTURE_THREAD_STOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

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
/* Lets it go; it gets the signal that it was about to get. */
void thread_stop_end(struct thread_stop *stop, int64_t until_ns);

#endif
