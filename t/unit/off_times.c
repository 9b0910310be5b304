/* SPDX-License-Identifier: MIT
 * unit: off_times: when threads come back, whatever order the processors' turns arrive in. */
#include "../lib/tap.h"

#include "capture/off_times.h"

#define THREADS 5
#define WAITS   200

/* A thread leaves one processor and comes back on another one; each processor hands over its turns at once. */
static void
test_many(void)
{
	struct off_times *o;
	int64_t left[THREADS][WAITS], back[THREADS][WAITS], found_ns;
	unsigned on[THREADS][WAITS + 1], wrong = 0, put_off_wrong = 0;
	bool put_off;

	srand(7);
	off_times_open(&o, 3);
	for (unsigned t = 0; t < THREADS; t++) {
		int64_t now = 1000 + t;

		for (unsigned i = 0; i <= WAITS; i++)
			on[t][i] = (unsigned)rand() % 3;
		for (unsigned i = 0; i < WAITS; i++) {
			left[t][i] = now += 10 + rand() % 1000;
			back[t][i] = now += 10 + rand() % 1000;
		}
	}
	for (unsigned p = 0; p < 3; p++) {
		for (unsigned t = 0; t < THREADS; t++)
			for (unsigned i = 0; i < WAITS; i++) {
				if (on[t][i] == p)
					off_times_turn(o, (pid_t)t + 1, left[t][i],
						       i % 2 ? TURN_LEAVES : TURN_IS_PUT_OFF);
				if (on[t][i + 1] == p)
					off_times_turn(o, (pid_t)t + 1, back[t][i], TURN_COMES);
			}
		off_times_seen(o, p, 10000000);
	}
	ok(off_times_take(o) == 10000000, "all processors have seen that time");
	for (unsigned t = 0; t < THREADS; t++)
		for (unsigned i = 0; i < WAITS; i++) {
			put_off = i % 2;
			wrong += !off_times_find(o, (pid_t)t + 1, left[t][i], &found_ns, &put_off) ||
				 found_ns != back[t][i];
			put_off_wrong += put_off != (i % 2 == 0);
		}
	ok(wrong == 0, "each thread comes back when it does: %u wrong", wrong);
	ok(put_off_wrong == 0, "and is put off when it was: %u wrong", put_off_wrong);
	ok(off_times_dropped(o) == 0, "no turn is dropped");
	off_times_close(o);
}

static void
test_edges(void)
{
	struct off_times *o;
	int64_t back_ns = 0;
	bool put_off = false;

	off_times_open(&o, 2);
	ok(off_times_take(o) == 0 && !off_times_find(o, 1, 5, &back_ns, &put_off), "without turns nobody comes back");
	off_times_turn(o, 1, 100, TURN_LEAVES);
	off_times_turn(o, 1, 300, TURN_COMES);
	off_times_seen(o, 0, 400);
	off_times_seen(o, 1, 200);
	ok(off_times_take(o) == 200 && !off_times_find(o, 1, 100, &back_ns, &put_off),
	   "another processor may still tell of an earlier return");
	off_times_turn(o, 1, 250, TURN_COMES);
	off_times_seen(o, 1, 400);
	ok(off_times_take(o) == 400 && off_times_find(o, 1, 100, &back_ns, &put_off) && back_ns == 250,
	   "and that is the one that counts");
	ok(!off_times_find(o, 1, 300, &back_ns, &put_off), "a return at the very time is of before");
	ok(!off_times_find(o, 2, 100, &back_ns, &put_off), "another thread's return is not its own");
	off_times_take(o);
	ok(!off_times_find(o, 1, 100, &back_ns, &put_off), "what was taken before is gone");
	off_times_close(o);
	off_times_close(NULL);
}

static void
test_wakers(void)
{
	const struct off_waker first = { 10, 11, false }, second = { 20, 21, false }, timer = { 0, 0, true };
	struct off_waker by = { 0 };
	struct off_times *o;

	off_times_open(&o, 1);
	ok(!off_times_waker(o, 1, 0, 1000, &by), "nobody woke it");
	off_times_woken(o, 1, 300, &second);	/* of another processor: not in the order of time */
	off_times_woken(o, 1, 200, &first);
	off_times_woken(o, 2, 250, &timer);
	off_times_seen(o, 0, 400);
	ok(off_times_take(o) == 400 && off_times_waker(o, 1, 100, 350, &by) && by.tid == 21,
	   "the last one before it came");
	ok(off_times_waker(o, 1, 100, 250, &by) && by.tid == 11, "and not one that came after");
	ok(!off_times_waker(o, 1, 310, 350, &by), "one of before it left does not count");
	ok(off_times_waker(o, 2, 100, 250, &by) && by.interrupt, "a timer woke another one");
	off_times_seen(o, 0, 900);
	ok(off_times_take(o) == 900 && off_times_waker(o, 1, 100, 800, &by) && by.tid == 21,
	   "it came back only after that was taken");
	off_times_woken(o, 1, 1000, &first);
	off_times_seen(o, 0, 2000);
	ok(off_times_take(o) == 2000 && off_times_waker(o, 1, 950, 1500, &by) && by.tid == 11, "a new one counts");
	off_times_seen(o, 0, INT64_C(100000000000));
	off_times_take(o);
	ok(!off_times_waker(o, 1, 950, INT64_C(90000000000), &by), "after a minute it is forgotten");
	off_times_close(o);
}

int
main(void)
{
	test_many();
	test_edges();
	test_wakers();
	return tap_end();
}
