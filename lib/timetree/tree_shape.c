/* SPDX-License-Identifier: MIT
 * tree_shape: bounds of parts, and the selection of what a node keeps. */
#include "timetree/tree_shape.h"

#include <stdbool.h>
#include <stdlib.h>

#define SECOND INT64_C(1000000000)

uint32_t
tree_split(const struct tree_shape *shape, unsigned level)
{
	uint32_t split = shape->split;

	for (unsigned l = 0; l < level && l < TREE_BELOW_MOST && shape->below[l] != 0; l++)
		split = shape->below[l];
	return split;
}

/* --- equal parts --- */

/* The start of part k of n: the moments of an interval, its last one included, are divided; rounded up, so that [0,
 * 1000] in halves is cut at 500. */
static int64_t
part_start(struct tree_interval whole, uint64_t k, uint64_t n)
{
	uint64_t span = (uint64_t)whole.to - (uint64_t)whole.from - 1;

	return (int64_t)((uint64_t)whole.from + span / n * k + (span % n * k + n - 1) / n);
}

static struct tree_interval
equal_part(struct tree_interval whole, int64_t at, uint64_t n)
{
	uint64_t low = 0, high = n;		/* part_start(low) <= at < part_start(high), where part n starts at
						 * whole.to */

	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (part_start(whole, middle, n) <= at)
			low = middle;
		else
			high = middle;
	}
	return (struct tree_interval){ part_start(whole, low, n), high == n ? whole.to : part_start(whole, high, n) };
}

/* --- the calendar --- */

/* Those between that clocks are read by, so that no node has sixty parts: few samples a part would be many nodes. */
enum unit { YEAR, MONTH, DAY, HOUR, QUARTER, FIVE_MINUTES, MINUTE, FIFTEEN_SECONDS, FIVE_SECONDS, WHOLE_SECOND, UNITS };

static int64_t
floor_seconds(int64_t ns)
{
	return ns / SECOND - (ns % SECOND < 0);
}

/* Where the clock of the zone begins the unit that holds `at`, and the next one (next = 1). */
static int64_t
unit_start(const struct tree_shape *shape, enum unit unit, int64_t at, int next)
{
	static const int64_t lengths[UNITS] = { [HOUR] = 3600,          [QUARTER] = 900,     [FIVE_MINUTES] = 300,
						[MINUTE] = 60,          [FIFTEEN_SECONDS] = 15,
						[FIVE_SECONDS] = 5,     [WHOLE_SECOND] = 1 };
	int64_t seconds = floor_seconds(at), local = seconds + time_zone_offset(shape->zone, seconds);
	struct time_civil civil;

	if (unit >= HOUR)		/* a zone's offset does not change these, but by whole minutes: a clock that is
					 * set continues from there */
		return at / SECOND < INT64_MAX / SECOND - 7200
			       ? (seconds - ((local % lengths[unit]) + lengths[unit]) % lengths[unit] +
				  next * lengths[unit]) *
					 SECOND
			       : INT64_MAX;
	time_civil_of(&civil, local);
	if (unit == YEAR)
		return time_from_civil(civil.year + next, 1, 1, 0, 0, 0, 0, shape->zone);
	if (unit == MONTH)
		return time_from_civil(civil.year + (civil.month + next > 12),
				       civil.month + next > 12 ? 1 : civil.month + next, 1, 0, 0, 0, 0, shape->zone);
	time_civil_of(&civil, (time_days(civil.year, civil.month, civil.day) + next) * 86400);
	return time_from_civil(civil.year, civil.month, civil.day, 0, 0, 0, 0, shape->zone);
}

/* The largest unit of which the interval holds a beginning splits it. */
static struct tree_interval
calendar_part(const struct tree_shape *shape, unsigned level, struct tree_interval whole, int64_t at)
{
	for (enum unit unit = YEAR; unit < UNITS; unit++) {
		int64_t first = unit_start(shape, unit, whole.from, 1), from, to;

		if (first == STK_TIME_UNKNOWN || first <= whole.from || first >= whole.to)
			continue;
		from = unit_start(shape, unit, at, 0);
		to = unit_start(shape, unit, at, 1);
		if (to == STK_TIME_UNKNOWN || to > whole.to)
			to = whole.to;
		return (struct tree_interval){ from < whole.from ? whole.from : from, to };
	}
	return equal_part(whole, at, tree_split(shape, level));
}

struct tree_interval
tree_part(const struct tree_shape *shape, unsigned level, struct tree_interval whole, int64_t at)
{
	struct tree_interval part;

	if (shape->rule != TREE_BY_CALENDAR)
		return equal_part(whole, at, tree_split(shape, level));
	part = calendar_part(shape, level, whole, at);
	if (part.from > at || part.to <= at)		/* a clock that was set back: no unit is where it should be */
		return equal_part(whole, at, tree_split(shape, level));
	return part;
}

/* --- selection --- */

static int
compare_frequency(const void *a, const void *b)
{
	const struct tree_count *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
				    : (x->type > y->type) - (x->type < y->type);
}

static int
compare_type(const void *a, const void *b)
{
	const struct tree_count *x = a, *y = b;

	return (x->type > y->type) - (x->type < y->type);
}

size_t
tree_keep(struct tree_count *counts, size_t count, uint64_t samples, double keep, uint64_t *bound)
{
	uint64_t covered = 0;
	size_t kept = 0;

	*bound = 0;
	if (keep >= 100)
		return count;
	qsort(counts, count, sizeof *counts, compare_frequency);
	while (kept < count && (double)covered * 100 < keep * (double)samples)
		covered += counts[kept++].count;
	if (kept < count)
		*bound = counts[kept].count;
	qsort(counts, kept, sizeof *counts, compare_type);
	return kept;
}
