/* SPDX-License-Identifier: MIT
 * workers: one queue, first in first out, under one lock. Tasks are large (a block, a file), so that nobody waits for
 * the lock. */
#include "base/workers.h"
#include "base/memory.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { TASK_NEW, TASK_QUEUED, TASK_RUNNING, TASK_DONE };

struct stk_workers {
	int wanted;			/* threads asked for, the calling one included */
	int started;			/* threads in addition to it */
	pthread_t *threads;
	pthread_mutex_t lock;
	pthread_cond_t work;		/* the queue is not empty, or we close */
	pthread_cond_t done;		/* a task was done, or one can be helped with */
	struct task *first, **last;	/* the queue */
	bool closing;
};

/* --- the lock is held in these --- */

static struct task *
dequeue(struct stk_workers *workers)
{
	struct task *task = workers->first;

	if (task == NULL)
		return NULL;
	workers->first = task->next;
	if (workers->first == NULL)
		workers->last = &workers->first;
	task->next = NULL;
	task->state = TASK_RUNNING;
	return task;
}

/* Gives the lock back while the task runs. */
static void
run(struct stk_workers *workers, struct task *task)
{
	pthread_mutex_unlock(&workers->lock);
	task->run(task);
	pthread_mutex_lock(&workers->lock);
	task->state = TASK_DONE;
	pthread_cond_broadcast(&workers->done);
}

/* --- */

static void *
work(void *argument)
{
	struct stk_workers *workers = argument;
	struct task *task;

	pthread_mutex_lock(&workers->lock);
	for (;;) {
		task = dequeue(workers);
		if (task != NULL)
			run(workers, task);
		else if (workers->closing)
			break;
		else
			pthread_cond_wait(&workers->work, &workers->lock);
	}
	pthread_mutex_unlock(&workers->lock);
	return NULL;
}

/* The signals that ask to stop are left to the main thread, where they interrupt a blocking read. Fewer threads than
 * asked for only take longer. */
static void
start(struct stk_workers *workers)
{
	static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t blocked, before;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
		sigaddset(&blocked, stops[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	while (workers->started < workers->wanted - 1 &&
	       pthread_create(&workers->threads[workers->started], NULL, work, workers) == 0)
		workers->started++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct stk_workers *
stk_workers_open(int threads)
{
	struct stk_workers *workers = mem_new(1, sizeof *workers);

	assert(threads >= 1);
	workers->wanted = threads;
	workers->threads = mem_new((size_t)threads, sizeof *workers->threads);
	workers->last = &workers->first;
	pthread_mutex_init(&workers->lock, NULL);
	pthread_cond_init(&workers->work, NULL);
	pthread_cond_init(&workers->done, NULL);
	start(workers);
	return workers;
}

void
workers_submit(struct stk_workers *workers, struct task *task)
{
	task->next = NULL;
	if (workers->started == 0) {	/* nobody else would do it, and the memory it works on is warm now */
		task->run(task);
		task->state = TASK_DONE;
		return;
	}
	pthread_mutex_lock(&workers->lock);
	assert(!workers->closing);
	task->state = TASK_QUEUED;
	*workers->last = task;
	workers->last = &task->next;
	pthread_cond_signal(&workers->work);
	pthread_mutex_unlock(&workers->lock);
}

void
workers_wait(struct stk_workers *workers, struct task *task)
{
	struct task *other;

	if (workers->started == 0)
		return;
	pthread_mutex_lock(&workers->lock);
	assert(task->state != TASK_NEW);
	while (task->state != TASK_DONE) {
		other = dequeue(workers);
		if (other != NULL)
			run(workers, other);
		else
			pthread_cond_wait(&workers->done, &workers->lock);
	}
	pthread_mutex_unlock(&workers->lock);
}

bool
workers_done(struct stk_workers *workers, struct task *task)
{
	bool done;

	if (workers->started == 0)
		return task->state == TASK_DONE;
	pthread_mutex_lock(&workers->lock);
	done = task->state == TASK_DONE;
	pthread_mutex_unlock(&workers->lock);
	return done;
}

int
workers_threads(const struct stk_workers *workers)
{
	return workers->wanted;
}

void
stk_workers_close(struct stk_workers *workers)
{
	if (workers == NULL)
		return;
	pthread_mutex_lock(&workers->lock);
	assert(workers->first == NULL);
	workers->closing = true;
	pthread_cond_broadcast(&workers->work);
	pthread_mutex_unlock(&workers->lock);
	for (int i = 0; i < workers->started; i++)
		pthread_join(workers->threads[i], NULL);
	pthread_cond_destroy(&workers->done);
	pthread_cond_destroy(&workers->work);
	pthread_mutex_destroy(&workers->lock);
	free(workers->threads);
	free(workers);
}
