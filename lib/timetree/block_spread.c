/* SPDX-License-Identifier: MIT
 * block_spread: the variance of a ratio of sums over blocks, against that of independent samples. */
#include "timetree/block_spread.h"

#include <math.h>

#define PAIRS_FREEDOM_LEAST 10	/* fewer pairs say too little */

void
block_begin(struct block_exposure *side, double exposure)
{
	side->now = exposure;
}

void
block_add(const struct block_exposure *side, struct block_counts *row, uint64_t count)
{
	double x = (double)count, pair = row->pending + x;

	if (count == 0 && !(row->pending > 0))		/* most rows in most blocks */
		return;
	row->sum += x;
	row->squares[BLOCKS_SINGLE] += x * x;
	row->products[BLOCKS_SINGLE] += x * side->now;
	row->pending = side->half ? 0 : x;
	if (side->half) {
		row->squares[BLOCKS_PAIRED] += pair * pair;
		row->products[BLOCKS_PAIRED] += pair * (side->pending + side->now);
	}
}

void
block_end(struct block_exposure *side)
{
	double pair = side->pending + side->now;

	side->count[BLOCKS_SINGLE]++;
	side->sum += side->now;
	side->squares[BLOCKS_SINGLE] += side->now * side->now;
	side->pending = side->half ? 0 : side->now;
	if (side->half) {
		side->count[BLOCKS_PAIRED]++;
		side->squares[BLOCKS_PAIRED] += pair * pair;
	}
	side->half = !side->half;
}

/* What one size of blocks says of a side: the squares around the mean rate, scaled to the variance of the sum. */
static double
variance(const struct block_counts *row, const struct block_exposure *of, unsigned size, double rate)
{
	double around = row->squares[size] - 2 * rate * row->products[size] + rate * rate * of->squares[size];

	return fmax(0, around) * of->count[size] / (of->count[size] - 1);
}

/* Both sides together: false where there are too few blocks. */
static bool
estimate(const struct block_counts *const row[2], const struct block_exposure *const of[2], unsigned size,
	 bool share, struct dispersion *out)
{
	double varied = 0, expected = 0;

	out->freedom = 0;
	for (unsigned i = 0; i < 2; i++) {
		double rate = of[i]->sum > 0 ? row[i]->sum / of[i]->sum : 0;

		if (of[i]->count[size] < 2)
			continue;
		varied += variance(row[i], of[i], size, rate);
		expected += row[i]->sum * (share ? 1 - rate : 1);
		out->freedom += of[i]->count[size] - 1;
	}
	out->factor = expected > 0 ? fmax(1, varied / expected) : 1;
	return out->freedom > 0;
}

struct dispersion
block_spread(const struct block_counts *a, const struct block_exposure *of_a, const struct block_counts *b,
	     const struct block_exposure *of_b, bool share)
{
	const struct block_counts *const row[2] = { a, b };
	const struct block_exposure *const of[2] = { of_a, of_b };
	struct dispersion single = { 0 }, paired = { 0 };

	if (!estimate(row, of, BLOCKS_SINGLE, share, &single))
		return (struct dispersion){ .factor = 1, .freedom = INFINITY };
	if (estimate(row, of, BLOCKS_PAIRED, share, &paired) && paired.freedom >= PAIRS_FREEDOM_LEAST &&
	    paired.factor > single.factor)
		return paired;
	return single;
}
