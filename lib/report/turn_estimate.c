/* SPDX-License-Identifier: MIT
 * turn_estimate: turns are a sample of clusters of unequal size, and the share is a ratio of two sums (Cochran,
 * Sampling Techniques, chapters 6 and 9): its variance is that of hits - share * ticks between turns. Ticks of one
 * turn resemble each other, so limits by single ticks would be too narrow. */
#include "report/turn_estimate.h"

#include <math.h>

#define TURNS_LEAST 3
#define WHOLE       0.97	/* of an interval: the rest is rounding */

static void
end_turn(struct turn_estimate *e)
{
	if (e->ticks <= 0)
		return;
	e->turns++;
	e->sum_ticks += e->ticks;
	e->sum_hits += e->hits;
	e->squares_ticks += e->ticks * e->ticks;
	e->squares_hits += e->hits * e->hits;
	e->products += e->ticks * e->hits;
	e->ticks = e->hits = 0;
}

void
turn_estimate_add(struct turn_estimate *e, double ticks, double hits, double possible)
{
	e->ticks += ticks;
	e->hits += hits;
	if (ticks < WHOLE * possible)
		end_turn(e);
}

/* Of Student's distribution, for 95 %. */
static double
student(double freedom)
{
	static const double few[] = { 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23 };

	return freedom <= 10 ? few[(int)freedom - 1] : 1.96 + 2.4 / freedom + 3 / (freedom * freedom);
}

bool
turn_estimate_share(const struct turn_estimate *of, double counted, double *share, double *off)
{
	struct turn_estimate e = *of;
	double spread, mean;

	end_turn(&e);
	*share = e.sum_ticks > 0 ? e.sum_hits / e.sum_ticks : 0;
	*off = 0;
	if (e.turns < TURNS_LEAST)
		return false;
	spread = e.squares_hits - 2 * *share * e.products + *share * *share * e.squares_ticks;
	spread = spread > 0 ? spread / (e.turns - 1) : 0;
	mean = e.sum_ticks / e.turns;
	counted = counted < 0 ? 0 : counted > 1 ? 1 : counted;
	*off = student(e.turns - 1) * sqrt((1 - counted) * spread / e.turns) / mean;
	/* none of n, or all: it may still be 3 of n (the rule of three) */
	if (e.sum_hits == 0 || e.sum_hits == e.sum_ticks)
		*off = (1 - counted) * 3 / e.sum_ticks;
	return true;
}
