/* SPDX-License-Identifier: MIT
 * workers: tasks done by several threads. The caller waits for a task in the order it likes, and while it waits
 * does queued tasks itself, so that N threads are N and a pool of one thread is plain calls. What is computed
 * never depends on the number of threads. Opened and closed by the calls of stkpipe/resources.h; all submitted
 * tasks must have been waited for before a pool is closed. */
#ifndef BASE_WORKERS_H
#define BASE_WORKERS_H

#include "stkpipe/resources.h"

#include <stdbool.h>

struct task {			/* the first member of what the caller wants done */
	void (*run)(struct task *task);
	struct task *next;	/* workers' own */
	int state;		/* workers' own */
};

void workers_submit(struct stk_workers *workers, struct task *task);
/* Returns when the task is done. */
void workers_wait(struct stk_workers *workers, struct task *task);
/* True when the task is done; never waits. */
bool workers_done(struct stk_workers *workers, struct task *task);
/* As many as were asked for. */
int  workers_threads(const struct stk_workers *workers);

#endif
