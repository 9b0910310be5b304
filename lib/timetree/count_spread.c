/* SPDX-License-Identifier: MIT
 * count_spread: what is before a moment is counted, and a part has the difference of its ends: so nothing is lost, and
 * nothing counted twice, by rounding. */
#include "timetree/count_spread.h"

#include <math.h>

#define GOLDEN 0.61803398874989485	/* multiples of it are spread over 0 to 1 as evenly as any */

static double
fraction(struct tree_interval whole, int64_t at)
{
	if (at <= whole.from)
		return 0;
	if (at >= whole.to)
		return 1;
	return (double)((uint64_t)at - (uint64_t)whole.from) / (double)((uint64_t)whole.to - (uint64_t)whole.from);
}

struct spread
spread_of(struct tree_interval whole, struct tree_interval window)
{
	return (struct spread){ fraction(whole, window.from), fraction(whole, window.to) };
}

/* The samples before a moment. The first count is centred: half of its first gap is before its first sample. */
static uint64_t
count_before(double at, uint64_t count, size_t number)
{
	double phase = 0.5 + (double)number * GOLDEN, before;

	if (at <= 0 || at >= 1)
		return at <= 0 ? 0 : count;
	before = floor((double)count * at + (phase - floor(phase)));
	return before >= (double)count ? count : (uint64_t)before;
}

uint64_t
spread_share(struct spread part, uint64_t count, size_t number)
{
	return count_before(part.to, count, number) - count_before(part.from, count, number);
}

static uint64_t
weight_of(uint64_t samples, uint64_t count, uint64_t weight)
{
	double part = count == 0 ? 0 : (double)weight * (double)samples / (double)count;

	return samples == count || part >= (double)weight ? weight : (uint64_t)part;
}

uint64_t
spread_weight(struct spread part, uint64_t count, uint64_t weight, size_t number)
{
	if (count == 0)
		return 0;
	return weight_of(count_before(part.to, count, number), count, weight) -
	       weight_of(count_before(part.from, count, number), count, weight);
}
