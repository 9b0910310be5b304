/* SPDX-License-Identifier: MIT
 * count_spread: how much of what was counted in an interval is in a part of it, if it was spread evenly. Parts side by
 * side add up to the whole. Pure. */
#ifndef TIMETREE_COUNT_SPREAD_H
#define TIMETREE_COUNT_SPREAD_H

#include "timetree/tree_shape.h"

/* The part, in fractions of the interval: 0 <= from <= to <= 1. */
struct spread { double from, to; };

/* The part of `whole` that is in the window. */
struct spread spread_of(struct tree_interval whole, struct tree_interval window);

/* Of `count` samples. number: which of the counts of the interval it is, from 0: the samples of each are shifted
 * against those of the others, so that many small counts together are estimated as well as one large. */
uint64_t spread_share(struct spread part, uint64_t count, size_t number);
/* The weight of these samples, of that of all. */
uint64_t spread_weight(struct spread part, uint64_t count, uint64_t weight, size_t number);

#endif
