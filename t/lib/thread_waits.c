/* SPDX-License-Identifier: MIT
 * A preloaded library that says when each thread of a program waited for another: a line a thread, from the program's
 * begin to its end, into the file $THREAD_WAITS. Drawn in columns of equal time: # worked, + mostly, - half, . little,
 * blank waited. Built by scripts/bench/timeline. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define THREADS 64
#define SPANS   100000		/* of one thread; later ones count as work */
#define COLUMNS 80

struct span { int64_t from, to; };

static struct { struct span *spans; size_t count; } waits[THREADS];
static int threads;
static __thread int own;	/* the thread's number, from 1 on */
static int64_t began;
static int (*real_wait)(pthread_cond_t *, pthread_mutex_t *);

static int64_t
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void
number_thread(void)
{
	own = __atomic_add_fetch(&threads, 1, __ATOMIC_SEQ_CST);
	if (own <= THREADS)
		waits[own - 1].spans = malloc(SPANS * sizeof(struct span));
}

__attribute__((constructor)) static void
begin(void)
{
	*(void **)&real_wait = dlsym(RTLD_NEXT, "pthread_cond_wait");
	began = now();
	number_thread();
}

int
pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	int64_t from = now();
	int result = real_wait(cond, mutex);

	if (own == 0)
		number_thread();
	if (own <= THREADS && waits[own - 1].spans != NULL && waits[own - 1].count < SPANS)
		waits[own - 1].spans[waits[own - 1].count++] = (struct span){ from - began, now() - began };
	return result;
}

/* The time that two spans share. */
static int64_t
shared(struct span a, struct span b)
{
	int64_t from = a.from > b.from ? a.from : b.from, to = a.to < b.to ? a.to : b.to;

	return to > from ? to - from : 0;
}

static char
shade(double waited)
{
	return waited < 0.1 ? '#' : waited < 0.4 ? '+' : waited < 0.7 ? '-' : waited < 0.9 ? '.' : ' ';
}

static void
draw(FILE *to, int thread, int64_t all)
{
	char line[COLUMNS + 1] = { 0 };
	int64_t sum = 0;

	for (int c = 0; c < COLUMNS; c++) {
		struct span column = { all * c / COLUMNS, all * (c + 1) / COLUMNS };
		int64_t waited = 0;

		for (size_t s = 0; s < waits[thread].count; s++)
			waited += shared(waits[thread].spans[s], column);
		line[c] = shade((double)waited / (double)(column.to - column.from + 1));
		sum += waited;
	}
	fprintf(to, "thread %d waited %6.1f of %6.1f ms |%s|\n", thread + 1, (double)sum / 1e6, (double)all / 1e6, line);
}

__attribute__((destructor)) static void
end(void)
{
	int64_t all = now() - began;
	const char *name = getenv("THREAD_WAITS");
	FILE *to = name != NULL ? fopen(name, "w") : NULL;

	for (int t = 0; to != NULL && t < threads && t < THREADS; t++)
		draw(to, t, all);
	if (to != NULL)
		fclose(to);
}
