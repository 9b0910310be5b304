/* SPDX-License-Identifier: MIT
 * heap_model: a worked example to nine digits, what holds, what grows, all threads alike, and the smallest inputs. */
#include "../lib/tap.h"

#include "base/memory.h"
#include "trend/heap_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES 3
#define SLOTS 336

static double
uniform(uint64_t *state)
{
	*state = (1103515245 * *state + 12345) % 2147483648u;
	return (double)*state / 2147483648.0;
}

struct input {
	double hour[SLOTS], heap[SLOTS], weight[SLOTS], all[SLOTS], noise[SLOTS];
	uint32_t epoch[SLOTS];
	float odd[CLASSES * SLOTS], even[CLASSES * SLOTS];
};

static struct heap_fit
fit(const struct input *in, size_t slots)
{
	float *odd = mem_new(CLASSES * slots + 1, sizeof *odd), *even = mem_new(CLASSES * slots + 1, sizeof *even);
	struct heap_slots of = { .slots = slots,
				 .classes = CLASSES,
				 .hour = in->hour,
				 .heap = in->heap,
				 .weight = in->weight,
				 .epoch = in->epoch,
				 .odd = odd,
				 .even = even,
				 .all = in->all,
				 .all_noise = in->noise };
	struct heap_fit result;

	for (size_t c = 0; c < CLASSES; c++) {
		memcpy(odd + c * slots, in->odd + c * SLOTS, slots * sizeof *odd);
		memcpy(even + c * slots, in->even + c * SLOTS, slots * sizeof *even);
	}
	result = heap_model_fit(&of, NULL);
	free(odd);
	free(even);
	return result;
}

/* Two weeks: threads of three classes with a daily wave, and a heap of which `hold` a thread of the first, `load` a
 * thread of all, and what leaks. */
static void
make(struct input *in, double hold, double load)
{
	uint64_t state = 7;

	for (size_t i = 0; i < SLOTS; i++) {
		double u[8], w = 1.2 + cos(2 * M_PI * ((double)(i % 24) - 14) / 24), threads[CLASSES];

		for (size_t k = 0; k < 8; k++)
			u[k] = uniform(&state);
		threads[0] = 2 * w * (.5 + u[0]);
		threads[1] = 5 * w * (.5 + u[1]);
		threads[2] = w * (.5 + u[2]);
		in->hour[i] = (double)i;
		in->weight[i] = 1;
		in->all[i] = in->noise[i] = 0;
		for (size_t c = 0; c < CLASSES; c++) {
			double half = .1 * (u[3 + c] - .5);

			in->odd[c * SLOTS + i] = (float)(threads[c] + half);
			in->even[c * SLOTS + i] = (float)(threads[c] - half);
			in->all[i] += threads[c];
			in->noise[i] += half * half;
		}
		in->heap[i] =
			500 + 20 * (double)i / 24 + hold * threads[0] + load * in->all[i] + 10 * (u[6] + u[7] - 1);
	}
}

static bool
near(double value, double wanted, double part)
{
	return fabs(value - wanted) <= part * fabs(wanted);
}

/* By a reference program in Python. Limits are 1.5 times as wide. */
static void
test_holder(void)
{
	static struct input in;
	struct heap_fit f;

	make(&in, 40, 0);
	f = fit(&in, SLOTS);
	ok(f.known && f.count == 1 && f.holders[0].class == 0 && !f.holders[0].grows, "one class holds the heap");
	ok(near(f.holders[0].per_thread, 39.848169659687755, 1e-6), "... as much a thread as the reference says");
	ok(near(f.holders[0].error, 1.5 * 0.29835237199610987, 1e-4), "... with its error (%.6f)", f.holders[0].error);
	ok(near(f.explained, 0.9962988229959697, 1e-7), "... and share explained");
	ok(f.holders[0].rivals_count == 0 && f.load == 0, "... which no other class does, nor the load");
	ok(near(f.leak, 20, 0.05) && near(f.base, 500 + 20 * 14, 0.02), "base and leak are what is left");
	ok(near(f.holders[0].held, 40 * 2 * 1.2, 0.05), "it holds its bytes a thread times its threads");
}

static void
test_load(void)
{
	static struct input in;
	struct heap_fit f;

	make(&in, 0, 3);
	f = fit(&in, SLOTS);
	ok(f.count == 0 && f.load_p < 1e-6 && near(f.load, 3, 0.02), "all threads alike: no class, %.3f a thread",
	   f.load);
	make(&in, 0, 0);
	f = fit(&in, SLOTS);
	ok(f.known && f.count == 0 && f.load_p > 0.01 && f.least > 0, "no threads: no holder, and what would be seen");
}

static void
test_grows(void)
{
	static struct input in;
	struct heap_fit f;
	double hours = 0;

	make(&in, 0, 0);
	for (size_t i = 0; i < SLOTS; i++) { /* a job of one day in three */
		bool runs = i / 24 % 3 == 0;

		in.all[i] += (runs ? 2 : 0) - (double)in.odd[2 * SLOTS + i];
		in.odd[2 * SLOTS + i] = in.even[2 * SLOTS + i] = runs ? 2 : 0;
		in.heap[i] += 3 * hours;
		hours += runs ? 2 : 0;
	}
	f = fit(&in, SLOTS);
	ok(f.count == 1 && f.holders[0].class == 2 && f.holders[0].grows && near(f.holders[0].per_thread, 3, 0.03),
	   "what grows while a class runs is found, %.3f a thread and hour", f.holders[0].per_thread);
}

/* The same heap, set back to its base after a week. */
static void
test_restart(void)
{
	static struct input in;
	struct heap_fit f;

	make(&in, 40, 0);
	for (size_t i = SLOTS / 2; i < SLOTS; i++) {
		in.epoch[i] = 1;
		in.heap[i] -= 20 * 7;
	}
	f = fit(&in, SLOTS);
	ok(f.count == 1 && near(f.holders[0].per_thread, 40, 0.02) && near(f.leak, 20, 0.1),
	   "a restart between hides nothing");
}

static void
test_edges(void)
{
	static struct input in;
	struct heap_fit f;

	make(&in, 40, 0);
	for (size_t n = 0; n < 4; n++)
		ok(!fit(&in, n).known, "%zu slots: nothing is known", n);
	ok(!fit(&in, HEAP_SLOTS_LEAST - 1).known && fit(&in, HEAP_SLOTS_LEAST).known,
	   "as many as are needed are enough");
	for (size_t i = 0; i < SLOTS; i++)
		in.heap[i] = 1e9;
	f = fit(&in, SLOTS);
	ok(f.known && f.count == 0 && !(f.load_p < 0.01) && f.mean == 1e9 && fabs(f.leak) < 1e-3,
	   "a constant heap has no holder");
	for (size_t i = 0; i < SLOTS; i++)
		in.weight[i] = 0;
	f = fit(&in, SLOTS);
	ok(f.count == 0 && !(f.load_p < 0.01), "what has no weight explains nothing");
	make(&in, 40, 0);
	memset(in.odd, 0, sizeof in.odd);
	memset(in.even, 0, sizeof in.even);
	memset(in.all, 0, sizeof in.all);
	ok(fit(&in, SLOTS).count == 0, "nor do classes without threads");
}

int
main(void)
{
	test_holder();
	test_load();
	test_grows();
	test_restart();
	test_edges();
	return tap_end();
}
