/* SPDX-License-Identifier: MIT
 * What counts leave out, how counts are spread over an interval, and differences of counts that have bounds. */
#include "../lib/tap.h"

#include "timetree/bounded_difference.h"
#include "timetree/count_spread.h"
#include "timetree/left_out.h"

#include <math.h>

/* --- left out --- */

static uint32_t
alike_by_tens(void *context, uint32_t type)
{
	(void)context;
	return type / 10;
}

static void
test_left_out(void)
{
	static const struct tree_count counts[] = { { 10, 3, 30 }, { 11, 2, 50 }, { 20, 4, 4 }, { 30, 1, 70 } };
	struct tree_sink sink = { 0 }, tens = { .alike = alike_by_tens };
	struct left_out none = left_out_of_counts(counts, 0, &sink), own = left_out_of_counts(counts, 4, &sink),
			alike = left_out_of_counts(counts, 4, &tens);
	struct stk_tree_node node = { .samples = 20, .kept = 10 }, old = { .samples = 20, .kept = 10, .bound = 4 },
			     whole = { .samples = 20, .kept = 20, .bound = 4 };

	ok(none.samples == 0 && none.bound == 0 && none.weight_bound == 0, "nothing is left out of nothing");
	ok(own.samples == 10 && own.weight == 154, "all samples and their weight");
	ok(own.bound == 4 && own.alike_bound == 4 && own.weight_bound == 70, "the most of any one");
	ok(alike.bound == 4 && alike.alike_bound == 5 && alike.weight_bound == 80, "and of those that are alike, together");
	left_out_store(&alike, &node);
	is_u64(left_out_of(&node).weight, 154, "a node has the weight");
	is_u64(left_out_of(&node).alike_bound, 5, "and the bound");
	is_u64(left_out_of(&old).alike_bound, 10, "of an earlier version any stack can have all");
	ok(left_out_of(&old).weight_unknown, "whose weight nobody knows");
	is_u64(left_out_of(&whole).bound, 0, "where all is kept no stack has more");
	left_out_add(&alike, &own);
	ok(alike.samples == 20 && alike.bound == 8 && alike.alike_bound == 9, "of two nodes one can have both");
	own = left_out_of(&old);
	left_out_add(&alike, &own);
	left_out_store(&alike, &node);
	ok(node.left_weight < 0 && left_out_of(&node).weight_unknown, "what is not known of a part is not known of all");
}

/* --- spread --- */

static void
test_spread(void)
{
	struct tree_interval hour = { 0, 3600 };
	uint64_t sum = 0, weight = 0, most = 0;

	is_u64(spread_share(spread_of(hour, hour), 7, 3), 7, "the whole has all");
	is_u64(spread_share(spread_of(hour, (struct tree_interval){ INT64_MIN, INT64_MAX }), 7, 3), 7, "as has more than it");
	is_u64(spread_share(spread_of(hour, (struct tree_interval){ 0, 1800 }), 10, 0), 5, "half of it has half");
	is_u64(spread_share(spread_of(hour, (struct tree_interval){ 3600, 7200 }), 10, 0), 0, "what is after it has nothing");
	is_u64(spread_share(spread_of(hour, (struct tree_interval){ 0, 1799 }), 1, 0), 0, "one is in the middle");
	is_u64(spread_share(spread_of(hour, (struct tree_interval){ 1799, 1800 }), 1, 0), 1, "exactly");
	is_u64(spread_share(spread_of(hour, (struct tree_interval){ 0, 1800 }), 0, 0), 0, "nothing remains nothing");
	is_u64(spread_weight(spread_of(hour, (struct tree_interval){ 0, 1800 }), 10, 1000, 0), 500, "weight follows samples");
	is_u64(spread_weight(spread_of(hour, (struct tree_interval){ 0, 1799 }), 1, 1000, 0), 0, "where none is, none");
	is_u64(spread_weight(spread_of(hour, hour), 0, 0, 0), 0, "and none has none");
	for (int64_t at = 0; at < 3600; at += 7) {
		struct spread part = spread_of(hour, (struct tree_interval){ at, at + 7 });
		uint64_t share = spread_share(part, 1009, 5);

		sum += share;
		weight += spread_weight(part, 1009, 99991, 5);
		most = share > most ? share : most;
	}
	is_u64(sum, 1009, "parts side by side add up");
	is_u64(weight, 99991, "as does their weight");
	ok(most <= 3, "and none has much more than its part");
	sum = 0;
	for (size_t number = 0; number < 3600; number++)
		sum += spread_share(spread_of(hour, (struct tree_interval){ 600, 1200 }), 1, number);
	ok(sum >= 590 && sum <= 610, "many small counts are spread as one large: %llu", (unsigned long long)sum);
	is_u64(spread_share(spread_of((struct tree_interval){ INT64_MIN + 1, INT64_MAX },
				      (struct tree_interval){ INT64_MIN + 1, 0 }), 10, 0), 5, "over all times");
}

/* --- differences --- */

static struct bounded_side
side(uint64_t value, uint64_t least, uint64_t most, uint64_t whole, double seconds)
{
	return (struct bounded_side){ { value, least, most }, { whole, whole, whole }, seconds };
}

static void
test_differences(void)
{
	const struct dispersion independent = { .factor = 1, .freedom = INFINITY },
				bursts = { .factor = 9, .freedom = 20 };
	struct bounded_side exact_a = side(100, 100, 100, 1000, 10), exact_b = side(200, 200, 200, 1000, 10),
			    a = side(100, 100, 150, 1000, 10), b = side(200, 180, 220, 1000, 10),
			    wide = side(100, 0, 200, 1000, 10), none = side(0, 0, 60, 1000, 0),
			    shared = side(50, 50, 50, 1000, 0);
	struct rate_difference plain = rate_difference(100, 10, 200, 10, 1, 0.95),
			       same = bounded_difference(&exact_a, &exact_b, independent, 0.95),
			       within = bounded_difference(&a, &b, independent, 0.95),
			       certain = certain_difference(&a, &b, independent, 0.95),
			       unsure = bounded_difference(&wide, &exact_b, independent, 0.95),
			       bursty = bounded_difference(&a, &b, bursts, 0.95),
			       share = certain_difference(&none, &shared, independent, 0.95);

	ok(fabs(same.p - plain.p) <= 0 && fabs(same.low - plain.low) <= 0 && fabs(same.delta - 10) < 1e-9,
	   "exact counts differ as without bounds");
	ok(fabs(within.delta - 10) < 1e-9 && fabs(certain.delta - 3) < 1e-9, "at least from 150 to 180");
	ok(within.p > same.p && within.p <= certain.p && within.p >= certain.p, "which is less sure");
	ok(within.low < rate_difference(150, 10, 180, 10, 1, 0.95).low + 1e-12 &&
	   within.high > rate_difference(100, 10, 220, 10, 1, 0.95).high - 1e-12, "limits hold at every end");
	ok(bursty.p > within.p && bursty.high > within.high && bursty.low < within.low,
	   "bursts widen the limits of counts that have bounds");
	ok(unsure.p >= 1 && fabs(unsure.delta - 10) < 1e-9 && unsure.low < 0, "counts that can be equal do not differ for certain");
	ok(share.p >= 1 && fabs(share.delta) <= 0, "nor do shares");
	ok(fabs(certain_difference(&b, &a, independent, 0.95).delta + 3) < 1e-9, "and the other way round");
}

int
main(void)
{
	test_left_out();
	test_spread();
	test_differences();
	return tap_end();
}
