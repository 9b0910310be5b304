/* SPDX-License-Identifier: MIT
 * workers: tasks done by several threads. The caller waits for tasks in any order, and runs queued tasks itself while
 * it waits, so that N threads are N and a pool of one thread is plain calls. The results never depend on the number of
 * threads. Opened and closed by the calls of stkpipe/resources.h; all submitted tasks must have been waited for before
 * a pool is closed. */
#ifndef BASE_WORKERS_H
#define BASE_WORKERS_H

#include "stkpipe/resources.h"

#include <stdbool.h>

struct task {			/* the first member of the caller's task */
	void (*run)(struct task *task);
	struct task *next;	/* workers' own */
	int state;		/* workers' own */
};

void workers_submit(struct stk_workers *workers, struct task *task);
/* Returns when the task is done. */
void workers_wait(struct stk_workers *workers, struct task *task);
/* True when the task is done; never waits. */
bool workers_done(struct stk_workers *workers, struct task *task);
/* The number that was asked for. */
int  workers_threads(const struct stk_workers *workers);

#endif
