/* SPDX-License-Identifier: MIT
 * block_spread: how much counts vary from one block of time to the next. The samples of a dump, and of ticks that
 * follow one another, are not independent: what is there in one is there in the next. Counts of blocks that are longer
 * than such bursts vary as the counts of independent bursts do, and that is what a difference has to be held against.
 *
 * A side is cut into blocks of equal length, and its blocks are joined in pairs as well: where pairs vary more, bursts
 * are about as long as a block, and the pairs count. */
#ifndef TIMETREE_BLOCK_SPREAD_H
#define TIMETREE_BLOCK_SPREAD_H

#include "timetree/rate_difference.h"

#define BLOCKS_OF_SIDE 32	/* few enough that a block is long, and enough to estimate a variance */

enum { BLOCKS_SINGLE, BLOCKS_PAIRED, BLOCK_SIZES };

/* What was exposed in the blocks of a side: samples for shares, seconds for rates. A zeroed struct has no blocks. */
struct block_exposure {
	unsigned count[BLOCK_SIZES];
	double sum, squares[BLOCK_SIZES], now, pending;
	bool half;			/* the first of a pair was added */
};

/* What a row had in them. */
struct block_counts {
	double sum, squares[BLOCK_SIZES], products[BLOCK_SIZES];	/* products: with the exposure */
	double pending;
};

/* A block of this exposure begins, which must be above 0; then the counts of the rows in it, each once, those of no
 * samples as well; then it ends. */
void block_begin(struct block_exposure *side, double exposure);
void block_add(const struct block_exposure *side, struct block_counts *row, uint64_t count);
void block_end(struct block_exposure *side);

/* The dispersion of a row's counts, measured over both sides; never below that of independent samples. share: the
 * exposure is samples, of which the counts are a part. */
struct dispersion block_spread(const struct block_counts *a, const struct block_exposure *of_a,
			   const struct block_counts *b, const struct block_exposure *of_b, bool share);

#endif
