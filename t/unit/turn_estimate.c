/* SPDX-License-Identifier: MIT
 * turn_estimate: limits of 95 % hold the truth about 95 times in 100, also where ticks of one turn resemble each
 * other. */
#include "../lib/tap.h"

#include "report/turn_estimate.h"

#include <math.h>

static uint64_t state = 88172645463325252u;

static double
chance(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / 9007199254740992.0;
}

static void
test_few(void)
{
	struct turn_estimate e = { 0 };
	double share, off;

	ok(!turn_estimate_share(&e, 0.5, &share, &off) && share == 0, "nothing");
	turn_estimate_add(&e, 100, 30, 100);
	turn_estimate_add(&e, 100, 30, 100);
	ok(!turn_estimate_share(&e, 0.5, &share, &off) && fabs(share - 0.3) < 1e-9,
	   "one turn of two intervals has no limits");
	turn_estimate_add(&e, 50, 20, 100);
	turn_estimate_add(&e, 0, 0, 100);
	turn_estimate_add(&e, 50, 10, 100);
	turn_estimate_add(&e, 100, 40, 100);
	turn_estimate_add(&e, 0, 0, 100);
	ok(turn_estimate_share(&e, 0.5, &share, &off) && fabs(share - 130.0 / 400) < 1e-9, "three turns: 130 of 400");
	/* turns: 250 of 80, 50 of 10, 100 of 40; residuals -1.25, -6.25, 7.5: squares 96.875 */
	ok(fabs(off - 4.30 * sqrt(0.5 * 96.875 / 2 / 3) / (400.0 / 3)) < 1e-3, "limits as by hand: %f", off);
	ok(turn_estimate_share(&e, 1, &share, &off) && off == 0, "when all was counted there is no doubt");
	e = (struct turn_estimate){ 0 };
	for (unsigned turn = 0; turn < 4; turn++)
		turn_estimate_add(&e, 50, 0, 100);
	ok(turn_estimate_share(&e, 0, &share, &off) && share == 0 && fabs(off - 3.0 / 200) < 1e-9,
	   "none of 200 may be 3 of 200");
}

/* A VM whose share changes from turn to turn, or wanders from second to second; every third turn of 5 s is counted. */
static bool
holds_truth(unsigned turns, bool wanders)
{
	struct turn_estimate e = { 0 };
	double share, off, busy = 0.5, all = 0, hits_of_all = 0;

	for (unsigned second = 0; second < turns * 15; second++) {
		double hits = 0, ticks = second / 5 % 3 == 0 ? 99 : 0;

		if (wanders)
			busy += (chance() - 0.5) * 0.3;
		else if (second % 5 == 0)
			busy = chance();
		busy = busy < 0.05 ? 0.05 : busy > 0.95 ? 0.95 : busy;
		for (unsigned i = 0; i < 99; i++)
			hits += chance() < busy;
		turn_estimate_add(&e, ticks, ticks > 0 ? hits : 0, 99);
		all += 99;
		hits_of_all += hits;
	}
	return turn_estimate_share(&e, 1.0 / 3, &share, &off) && fabs(share - hits_of_all / all) <= off;
}

static unsigned
times_held(unsigned turns, bool wanders)
{
	unsigned held = 0;

	for (unsigned run = 0; run < 1000; run++)
		held += holds_truth(turns, wanders);
	return held;
}

static void
test_coverage(void)
{
	static const unsigned turns[] = { 4, 8, 20, 60 };

	for (unsigned i = 0; i < sizeof turns / sizeof *turns; i++) {
		unsigned held = times_held(turns[i], false), wandering = times_held(turns[i], true);

		ok(held >= 920 && held <= 980, "%u turns: the truth is within the limits in %u of 1000", turns[i],
		   held);
		ok(wandering >= 950, "what wanders slowly is known better: in %u of 1000", wandering);
	}
}

int
main(void)
{
	test_few();
	test_coverage();
	return tap_end();
}
