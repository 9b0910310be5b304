/* SPDX-License-Identifier: MIT
 * workers: tasks done by several threads. The caller waits for a task in the order it likes, and while it waits does queued tasks itself, so that
 * N threads are N and a pool of one thread is plain calls. What is computed never depends on the number of threads. */
#ifndef BASE_WORKERS_H
#define BASE_WORKERS_H

#include <stdbool.h>

struct workers;

struct task {			/* the first member of what the caller wants done */
	void (*run)(struct task *task);
	struct task *next;	/* workers' own */
	int state;		/* workers' own */
};

/* threads >= 1, the calling one included. */
struct workers *workers_open(int threads);
void workers_submit(struct workers *workers, struct task *task);
/* Returns when the task is done. */
void workers_wait(struct workers *workers, struct task *task);
/* True when the task is done; never waits. */
bool workers_done(struct workers *workers, struct task *task);
int  workers_threads(const struct workers *workers);
/* All submitted tasks must have been waited for. NULL does nothing. */
void workers_close(struct workers *workers);

#endif
