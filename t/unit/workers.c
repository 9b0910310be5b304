/* SPDX-License-Identifier: MIT
 * workers: the same result with any number of threads, in any order of waiting. */
#include "../lib/tap.h"

#include "base/workers.h"

#define TASKS 500

struct sum {
	struct task task;
	struct stk_workers *workers;	/* for those that submit others */
	uint64_t from, result;
};

static struct sum sums[TASKS];

static void
add_up(struct task *task)
{
	struct sum *sum = (struct sum *)task;

	sum->result = 0;
	for (uint64_t i = 0; i < 1000 + sum->from % 13 * 500; i++)
		sum->result = sum->result * 31 + sum->from + i;
}

static void
submit_all(struct stk_workers *workers)
{
	for (size_t i = 0; i < TASKS; i++) {
		sums[i] = (struct sum){ .task.run = add_up, .from = i };
		workers_submit(workers, &sums[i].task);
	}
}

static uint64_t
total(void)
{
	uint64_t all = 0;

	for (size_t i = 0; i < TASKS; i++)
		all = all * 1000003 + sums[i].result;
	return all;
}

static uint64_t
run_forward(struct stk_workers *workers)
{
	submit_all(workers);
	for (size_t i = 0; i < TASKS; i++)
		workers_wait(workers, &sums[i].task);
	return total();
}

static uint64_t
run_backward(struct stk_workers *workers)
{
	submit_all(workers);
	for (size_t i = TASKS; i-- > 0;)
		workers_wait(workers, &sums[i].task);
	return total();
}

/* A task that submits another and waits for it: with as many such tasks as threads, only helping gets them on. */
static void
add_up_by_another(struct task *task)
{
	struct sum *sum = (struct sum *)task, inner = { .task.run = add_up, .from = sum->from };

	workers_submit(sum->workers, &inner.task);
	workers_wait(sum->workers, &inner.task);
	sum->result = inner.result;
}

static uint64_t
run_nested(struct stk_workers *workers)
{
	for (size_t i = 0; i < TASKS; i++) {
		sums[i] = (struct sum){ .task.run = add_up_by_another, .workers = workers, .from = i };
		workers_submit(workers, &sums[i].task);
	}
	for (size_t i = 0; i < TASKS; i++)
		workers_wait(workers, &sums[i].task);
	return total();
}

static void
test(int threads, uint64_t wanted)
{
	struct stk_workers *workers = stk_workers_open(threads);

	is_i64(workers_threads(workers), threads, "%d threads: as many as asked for", threads);
	is_u64(run_forward(workers), wanted, "%d threads: the result, waited for in order", threads);
	is_u64(run_backward(workers), wanted, "%d threads: the result, waited for backwards", threads);
	is_u64(run_nested(workers), wanted, "%d threads: the result by tasks that wait for tasks", threads);
	ok(workers_done(workers, &sums[0].task), "%d threads: what was waited for is done", threads);
	workers_wait(workers, &sums[0].task);
	workers_submit(workers, &sums[1].task);
	while (!workers_done(workers, &sums[1].task))
		usleep(100);
	ok(true, "%d threads: a task gets done without being waited for", threads);
	stk_workers_close(workers);
}

int
main(void)
{
	uint64_t wanted;

	for (size_t i = 0; i < TASKS; i++) {
		sums[i].from = i;
		add_up(&sums[i].task);
	}
	wanted = total();
	test(1, wanted);
	test(2, wanted);
	test(8, wanted);
	stk_workers_close(NULL);
	return tap_end();
}
