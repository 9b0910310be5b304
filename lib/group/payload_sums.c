/* SPDX-License-Identifier: MIT
 * payload_sums: values are counted in buckets whose bounds grow by one percent, each with its mean. */
#include "group/payload_sums.h"

#include "base/text_table.h"

#include <math.h>
#include <stdlib.h>

#define KEPT_MOST 4000000
#define GROWTH 1.01
#define TINY 1e-100			/* what is nearer to 0 counts as 0 */
#define MIDDLE 30000			/* beyond the bucket of 1e100, which a measure does not exceed */

static uint32_t
find_sum(const struct payload_sums *p, uint32_t owner, uint32_t name)
{
	uint64_t hash = hash_pair(owner, name);
	uint32_t at = hash_map_start(&p->map, hash), n;

	while ((n = hash_map_next(&p->map, hash, &at)) != 0)
		if (p->sums.at[n - 1].owner == owner && p->sums.at[n - 1].name == name)
			return n;
	return 0;
}

static uint32_t
sum_of(struct payload_sums *p, uint32_t owner, uint32_t *first, uint32_t name)
{
	uint32_t n = find_sum(p, owner, name);

	if (n != 0 || p->sums.count == KEPT_MOST)
		return n;
	*array_push(&p->sums) = (struct payload_sum){
		.owner = owner, .name = name, .next = *first, .least = INFINITY, .most = -INFINITY
	};
	*first = n = (uint32_t)p->sums.count;
	hash_map_put(&p->map, hash_pair(owner, name), n);
	return n;
}

static int32_t
bucket_number(double value)
{
	double size = fabs(value);
	int32_t number;

	if (size < TINY)
		return 0;
	number = MIDDLE + (int32_t)floor(log(size) / log(GROWTH));
	return value < 0 ? -number : number;
}

/* NULL: there are too many. */
static struct payload_bucket *
bucket_of(struct payload_sums *p, uint32_t n, int32_t number)
{
	uint64_t hash = hash_pair(n, (uint32_t)number);
	uint32_t at = hash_map_start(&p->bucket_map, hash), place;
	struct payload_bucket *bucket;

	while ((place = hash_map_next(&p->bucket_map, hash, &at)) != 0) {
		bucket = &p->buckets.at[place - 1];
		if (bucket->payload == n && bucket->number == number)
			return bucket;
	}
	if (p->buckets.count == KEPT_MOST)
		return NULL;
	bucket = array_push(&p->buckets);
	*bucket = (struct payload_bucket){ .payload = n, .number = number, .next = p->sums.at[n - 1].first_bucket };
	p->sums.at[n - 1].first_bucket = (uint32_t)p->buckets.count;
	hash_map_put(&p->bucket_map, hash, (uint32_t)p->buckets.count);
	return bucket;
}

bool
payload_sums_add(struct payload_sums *p, uint32_t owner, uint32_t *first, uint32_t name, double value)
{
	uint32_t n = sum_of(p, owner, first, name);
	struct payload_bucket *bucket = n == 0 ? NULL : bucket_of(p, n, bucket_number(value));
	struct payload_sum *sum;

	if (bucket == NULL)
		return false;
	sum = &p->sums.at[n - 1];
	bucket->count++;
	bucket->sum += value;
	sum->count++;
	sum->sum += value;
	sum->least = value < sum->least ? value : sum->least;
	sum->most = value > sum->most ? value : sum->most;
	return true;
}

static int
compare_buckets(const void *a, const void *b)
{
	const struct payload_bucket *const *x = a, *const *y = b;

	return (*x)->number < (*y)->number ? -1 : (*x)->number > (*y)->number;
}

double
payload_sums_quantile(const struct payload_sums *p, uint32_t n, double part)
{
	const struct payload_sum *sum = &p->sums.at[n - 1];
	ARRAY(const struct payload_bucket *) buckets = { 0 };
	double before = 0, value = sum->most, rank = ceil(part * (double)sum->count);

	for (uint32_t b = sum->first_bucket; b != 0; b = p->buckets.at[b - 1].next)
		*array_push(&buckets) = &p->buckets.at[b - 1];
	if (buckets.count > 1)
		qsort(buckets.at, buckets.count, sizeof *buckets.at, compare_buckets);
	for (size_t i = 0; i < buckets.count; i++) {
		before += (double)buckets.at[i]->count;
		if (before >= rank) {
			value = buckets.at[i]->sum / (double)buckets.at[i]->count;
			break;
		}
	}
	array_release(&buckets);
	return value < sum->least ? sum->least : value > sum->most ? sum->most : value;
}

void
payload_sums_release(struct payload_sums *p)
{
	array_release(&p->sums);
	array_release(&p->buckets);
	hash_map_release(&p->map);
	hash_map_release(&p->bucket_map);
}
