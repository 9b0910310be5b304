/* SPDX-License-Identifier: MIT
 * The median of 0, 1, 2, 3 and many distances, beside that of a sorted array. */
#include "../lib/tap.h"

#include "base/usual_distance.h"

#include <inttypes.h>

static int
compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* The worst relative error over many draws of `count` numbers of all sizes. */
static double
worst_error(size_t count)
{
	uint64_t state = 88172645463325252u;
	int64_t drawn[1000];
	double worst = 0;

	for (int round = 0; round < 200; round++) {
		struct usual_distance usual = { .count = 0 };
		int64_t want, got;

		for (size_t i = 0; i < count; i++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			drawn[i] = (int64_t)(state >> 2 >> state % 60) + 1;
			usual_distance_add(&usual, drawn[i]);
		}
		qsort(drawn, count, sizeof *drawn, compare);
		want = drawn[(count - 1) / 2];
		got = usual_distance_of(&usual);
		if ((double)llabs(got - want) / (double)want > worst)
			worst = (double)llabs(got - want) / (double)want;
		usual_distance_release(&usual);
	}
	return worst;
}

int
main(void)
{
	struct usual_distance usual = { .count = 0 };

	is_i64(usual_distance_of(&usual), 0, "of no distance: 0");
	usual_distance_add(&usual, 0);
	usual_distance_add(&usual, -5);
	is_i64(usual_distance_of(&usual), 0, "what is not above 0 is no distance");
	usual_distance_add(&usual, 10101010);
	is_i64(usual_distance_of(&usual), 10101010, "of one: itself");
	usual_distance_add(&usual, 7);
	is_i64(usual_distance_of(&usual), 7, "of two: the smaller");
	usual_distance_add(&usual, INT64_MAX);
	is_i64(usual_distance_of(&usual), 10101010, "of three: the middle one");
	usual_distance_release(&usual);
	for (int64_t i = 1; i <= 127; i++)
		usual_distance_add(&usual, i);
	is_i64(usual_distance_of(&usual), 64, "small numbers are exact");
	usual_distance_release(&usual);
	ok(worst_error(1) <= 0, "one distance of any size is exact");
	ok(worst_error(999) < 1.0 / 64, "the median of many is within a sixty-fourth");
	return tap_end();
}
