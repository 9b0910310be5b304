/* SPDX-License-Identifier: MIT
 * bounded_difference: from the ends of both ranges. */
#include "timetree/bounded_difference.h"

#include <math.h>

/* One of the counts that there can be. */
struct end { uint64_t count, whole; double exposure; };

static struct end
lowest(const struct bounded_side *side)
{
	return (struct end){ side->count.least, side->whole.most, side->exposure };
}

static struct end
highest(const struct bounded_side *side)
{
	uint64_t whole = side->whole.least, count = side->count.most;

	return (struct end){ count < whole || side->exposure > 0 ? count : whole, whole, side->exposure };
}

static struct end
value_of(const struct bounded_side *side)
{
	return (struct end){ side->count.value, side->whole.value, side->exposure };
}

static bool
is_exact(const struct bounded_side *side)
{
	return side->count.least == side->count.most && side->whole.least == side->whole.most;
}

static double
rate_of(struct end end)
{
	double of = end.exposure > 0 ? end.exposure : (double)end.whole;

	return of > 0 ? (double)end.count / of : 0;
}

static struct rate_difference
compare(struct end a, struct end b, struct dispersion of, double confidence)
{
	if (a.exposure > 0 && b.exposure > 0)
		return rate_difference_dispersed(a.count, a.exposure, b.count, b.exposure, of, confidence);
	return share_difference_dispersed(a.count, a.whole, b.count, b.whole, of, confidence);
}

struct rate_difference
certain_difference(const struct bounded_side *a, const struct bounded_side *b, struct dispersion of, double confidence)
{
	struct rate_difference d;

	if (is_exact(a) && is_exact(b))
		return compare(value_of(a), value_of(b), of, confidence);
	if (rate_of(lowest(b)) > rate_of(highest(a)))
		return compare(highest(a), lowest(b), of, confidence);
	if (rate_of(highest(b)) < rate_of(lowest(a)))
		return compare(lowest(a), highest(b), of, confidence);
	d = compare(value_of(a), value_of(b), of, confidence);
	d.delta = 0;
	d.p = 1;
	return d;
}

struct rate_difference
bounded_difference(const struct bounded_side *a, const struct bounded_side *b, struct dispersion of, double confidence)
{
	struct rate_difference d = compare(value_of(a), value_of(b), of, confidence);

	if (is_exact(a) && is_exact(b))
		return d;
	d.low = fmin(d.low, compare(highest(a), lowest(b), of, confidence).low);
	d.high = fmax(d.high, compare(lowest(a), highest(b), of, confidence).high);
	d.p = certain_difference(a, b, of, confidence).p;
	return d;
}
