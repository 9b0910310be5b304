/* SPDX-License-Identifier: MIT
 * bounded_difference: whether two counts differ, of which it is only known that they are between bounds: trees leave
 * stacks out, and estimate what a window has of an interval. */
#ifndef TIMETREE_BOUNDED_DIFFERENCE_H
#define TIMETREE_BOUNDED_DIFFERENCE_H

#include "timetree/rate_difference.h"

struct bounded_count { uint64_t value, least, most; };

/* A count out of a whole. exposure: in seconds or dumps; 0 on both sides: shares of the whole are compared. */
struct bounded_side { struct bounded_count count, whole; double exposure; };

/* Of the values; the limits hold for all counts between the bounds, and p is that of certain_difference. */
struct rate_difference bounded_difference(const struct bounded_side *a, const struct bounded_side *b,
					  struct dispersion of, double confidence);

/* The smallest difference between the bounds: what there is at least. Where there may be none, delta is 0 and p 1. */
struct rate_difference certain_difference(const struct bounded_side *a, const struct bounded_side *b,
					  struct dispersion of, double confidence);

#endif
