/* SPDX-License-Identifier: MIT
 * thread_stop: ptrace(2), by PTRACE_SEIZE. */
#include "capture/thread_stop.h"

#include "capture/attach.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#define STACK_BYTES (512u << 10)
#define AT_ONCE_NS  INT64_C(30000) /* mostly it has stopped within this, which is less than a nap takes */

bool
thread_stop_begin(struct thread_stop *stop, pid_t tid)
{
	*stop = (struct thread_stop){ .tid = tid };
	return ptrace(PTRACE_SEIZE, tid, NULL, NULL) == 0 && ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0;
}

void
thread_stop_wait(struct thread_stop *stop, int64_t until_ns)
{
	static const struct timespec nap = { .tv_nsec = 50000 };
	int64_t begun = monotonic_ns(), now = begun;
	int status, got;

	stop->running_ns = begun;
	while ((got = waitpid(stop->tid, &status, __WALL | WNOHANG)) == 0 && now < until_ns) {
		stop->running_ns = now;
		now = monotonic_ns();
		if (now - begun > AT_ONCE_NS)
			nanosleep(&nap, NULL);
	}
	stop->halted = got == stop->tid && WIFSTOPPED(status);
	if (stop->halted && status >> 16 == 0)
		stop->signal = WSTOPSIG(status);
}

/* A killed thread disappears only when its tracer has waited for it, and its process only when all its threads have. */
void
thread_stop_end(struct thread_stop *stop, int64_t until_ns)
{
	if (!stop->halted)
		thread_stop_wait(stop, 0);
	if (stop->halted && ptrace(PTRACE_DETACH, stop->tid, NULL, (void *)(intptr_t)stop->signal) < 0)
		thread_stop_wait(stop, until_ns);
}

/* --- apart --- */

struct job { void (*run)(void *of); void *of; };

static void *
run_job(void *of)
{
	const struct job *job = of;

	job->run(job->of);
	return NULL;
}

/* It has the mask of its maker, which blocks signals. */
int
thread_stop_apart(void (*run)(void *of), void *of, struct stk_error *err)
{
	struct job job = { run, of };
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	errno = pthread_create(&thread, &attributes, run_job, &job);
	pthread_attr_destroy(&attributes);
	if (errno != 0)
		return stk_fail_errno(err, "cannot start a thread");
	pthread_join(thread, NULL);
	return 0;
}
