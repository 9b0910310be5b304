/* SPDX-License-Identifier: MIT
 * unit: processor_moments: states of all processors at ticks, against a second way: looking them up. */
#include "capture/processor_moments.h"

#include "../lib/tap.h"

#include <stdlib.h>

#define PROCESSORS 3
#define TURNS      500

static struct processor_state made[PROCESSORS][TURNS];

static struct processor_state
state(int64_t time_ns, pid_t tid, unsigned doing)
{
	return (struct processor_state){ .time_ns = time_ns, .tid = tid, .process = (int)tid % 4 - 1, .state = doing };
}

/* What a processor did at a time, by its turns in their order. */
static unsigned
looked_up(unsigned processor, int64_t time_ns)
{
	unsigned doing = MOMENT_UNKNOWN;

	for (unsigned i = 0; i < TURNS && made[processor][i].time_ns <= time_ns; i++)
		doing = made[processor][i].state;
	return doing;
}

/* Processors hand over their turns and ticks one after another, as their threads do. */
static void
test_random(void)
{
	struct processor_moments *m;
	struct processor_moment moment;
	struct processor_moment_counts counts;
	uint64_t seen = 0, wrong = 0;
	int64_t last = 0;

	srand(1);
	processor_moments_open(&m, PROCESSORS, 1000);
	for (unsigned p = 0; p < PROCESSORS; p++) {
		int64_t now = 5000;

		for (unsigned i = 0; i < TURNS; i++) {
			now += 1 + rand() % 300;
			made[p][i] = state(now, rand() % 50, (unsigned)rand() % 5);
		}
	}
	for (unsigned p = 0; p < PROCESSORS; p++) {
		unsigned i = 0;

		for (int64_t tick = 5000 + 10 * p; tick < 60000; tick += 1000) {
			pid_t tid = -1;

			for (; i < TURNS && made[p][i].time_ns <= tick; i++) {
				processor_moments_switch(m, p, &made[p][i]);
				tid = made[p][i].tid;
			}
			processor_moments_tick(m, p, tick, tid);
		}
		ok(p == PROCESSORS - 1 || !processor_moments_next(m, &moment),
		   "no moment is told before all processors have come to it");
		processor_moments_seen(m, p, 60000);
	}
	while (processor_moments_next(m, &moment)) {
		seen++;
		wrong += moment.number != seen || moment.time_ns <= last;
		last = moment.time_ns;
		for (unsigned p = 0; p < PROCESSORS; p++)
			wrong += moment.states[p].state != looked_up(p, moment.time_ns);
	}
	ok(seen == 55, "one moment for each period, whoever ticks first: %llu", (unsigned long long)seen);
	ok(wrong == 0, "the states of all processors are those that were made, and moments are in order");
	processor_moments_counts(m, &counts);
	ok(counts.taken == 55 && counts.dropped == 0 && counts.disagreed == 0, "none is dropped or contradicted");
	processor_moments_close(m);
}

static void
test_edges(void)
{
	struct processor_moments *m;
	struct processor_moment moment;
	struct processor_moment_counts counts;
	const struct processor_state turn = state(100, 7, 2), other = state(150, 8, 1), again = state(2000300, 9, 3);

	processor_moments_open(&m, 2, 0);
	ok(!processor_moments_next(m, &moment), "without a tick there is no moment");
	processor_moments_switch(m, 0, &turn);
	processor_moments_tick(m, 0, 100, 7);
	processor_moments_tick(m, 0, 150, 8);
	processor_moments_switch(m, 0, &other);
	processor_moments_lost(m, 0);
	processor_moments_tick(m, 0, 1000200, 5);
	processor_moments_switch(m, 0, &again);
	processor_moments_tick(m, 0, 2000300, 8);
	processor_moments_seen(m, 0, 3000000);
	processor_moments_seen(m, 1, 100);
	ok(!processor_moments_next(m, &moment), "a record of the very time may still come");
	processor_moments_seen(m, 1, 101);
	ok(processor_moments_next(m, &moment) && moment.time_ns == 100 && moment.states[0].state == 2 &&
		   moment.states[0].tid == 7,
	   "a turn at the time of a tick is before it");
	ok(moment.states[1].state == MOMENT_UNKNOWN, "what a processor did before its first record is not known");
	processor_moments_seen(m, 1, 3000000);
	ok(processor_moments_next(m, &moment) && moment.states[0].state == MOMENT_UNKNOWN,
	   "nor what it did after records were lost");
	ok(processor_moments_next(m, &moment) && moment.number == 3 && moment.states[0].state == 3,
	   "until the next one");
	ok(!processor_moments_next(m, &moment), "that is all");
	processor_moments_counts(m, &counts);
	ok(counts.dropped == 1 && counts.agreed == 1 && counts.disagreed == 1 && counts.taken == 3,
	   "what is dropped, agrees and contradicts is counted");
	processor_moments_close(m);
	processor_moments_close(NULL);
}

int
main(void)
{
	test_random();
	test_edges();
	return tap_end();
}
