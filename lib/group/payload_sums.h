/* SPDX-License-Identifier: MIT
 * payload_sums: measures by owner and name: number, sum, extremes and quantiles. A quantile is the value of its rank
 * (the least that so large a part of all is not above) to one percent; exact where the values next to it by size are
 * equal. A zeroed struct is empty. */
#ifndef GROUP_PAYLOAD_SUMS_H
#define GROUP_PAYLOAD_SUMS_H

#include "base/array.h"
#include "base/hash_map.h"

#include <stdbool.h>

struct payload_sum {
	uint32_t owner, name;
	uint32_t next;			/* of the same owner, from 1; 0: there is none */
	uint64_t count;
	double sum, least, most;
	uint32_t first_bucket;
};

struct payload_bucket { uint32_t payload, next; int32_t number; uint64_t count; double sum; };

struct payload_sums {
	ARRAY(struct payload_sum) sums;		/* sum n at n - 1 */
	struct hash_map map;
	ARRAY(struct payload_bucket) buckets;
	struct hash_map bucket_map;
};

/* *first is the owner's first sum, 0 while it has none. False: there are more sums or buckets than are kept, four
 * million; nothing was added. */
bool payload_sums_add(struct payload_sums *sums, uint32_t owner, uint32_t *first, uint32_t name, double value);
/* The value of rank `part`, 0 to 1, in sum n. */
double payload_sums_quantile(const struct payload_sums *sums, uint32_t n, double part);
void payload_sums_release(struct payload_sums *sums);

#endif
