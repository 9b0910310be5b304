/* SPDX-License-Identifier: MIT
 * count_jump: two weighted lines and Student's t of their distance. */
#include "trend/count_jump.h"

#include "base/probability.h"

#include <math.h>
#include <stdlib.h>

#define SLOTS_LEAST  4			/* on either side: two more than a line takes */
#define PRIOR_SLOTS  4.0		/* that are taken to vary so much, beside those seen */
#define PRIOR_VARIES 1.5		/* times as much as a Poisson count */
#define REPEATS_MOST 0.8		/* of a remainder, in the next slot */
#define CHANCE_MOST  2.2		/* standard errors of the greatest of some ten jumps that are none */
#define SECOND	     1e-9

/* Of one side, weighted by dumps; time is 0 at the moment. */
struct line { double value, slope, variance; };

static double
hours_from(const struct count_slots *slots, size_t i, size_t split)
{
	return ((double)slots->time_ns[i] - (double)slots->time_ns[split]) * SECOND / 3600;
}

static double
rate_at(const struct count_slots *slots, const double *hits, size_t i)
{
	return hits[i] / slots->dumps[i];
}

/* variance: of the line at the moment, where a dump has a variance of 1. */
static struct line
fit_line(const struct count_slots *slots, const double *hits, size_t from, size_t to, size_t split)
{
	double w = 0, wt = 0, wy = 0, stt = 0, sty = 0, middle, level;
	struct line line;

	for (size_t i = from; i < to; i++) {
		w += slots->dumps[i];
		wt += slots->dumps[i] * hours_from(slots, i, split);
		wy += hits[i];
	}
	middle = wt / w;
	level = wy / w;
	for (size_t i = from; i < to; i++) {
		double t = hours_from(slots, i, split) - middle;

		stt += slots->dumps[i] * t * t;
		sty += slots->dumps[i] * t * (rate_at(slots, hits, i) - level);
	}
	line.slope = sty / stt;
	line.value = level - line.slope * middle;
	line.variance = 1 / w + middle * middle / stt;
	return line;
}

/* What the slots are off their lines: the sum of squares, in the variance of a Poisson count, and how much of it the
 * next slot repeats. */
struct remainder { double squares, products, last; size_t count; };

static void
add_remainders(struct remainder *r, const struct count_slots *slots, const double *hits, size_t from, size_t to,
	       size_t split, const struct line *line, double mean)
{
	for (size_t i = from; i < to; i++) {
		double expected = line->value + line->slope * hours_from(slots, i, split),
		       off = (rate_at(slots, hits, i) - expected) * sqrt(slots->dumps[i] / mean);

		r->squares += off * off;
		r->products += i > from ? off * r->last : 0;
		r->last = off;
		r->count++;
	}
}

/* Threads that stay, and waves of load, make the next slot repeat this one: then there are fewer of them than seen. */
static double
repeated(const struct remainder *r)
{
	double repeats = r->squares > 0 ? fmin(REPEATS_MOST, fmax(0, r->products / r->squares)) : 0;

	return (1 + repeats) / (1 - repeats);
}

struct count_jump
count_jump_at(const struct count_slots *slots, const double *hits, size_t split, int64_t span_ns, size_t skip)
{
	struct count_jump jump = { .freedom = PRIOR_SLOTS, .log_error = INFINITY };
	struct remainder r = { 0 };
	size_t from = split, to = split, end = split > skip ? split - skip : 0, begin = split + skip;
	double seen = 0, dumps = 0, mean, varies;
	struct line before, after;

	while (from > 0 && slots->time_ns[split] - slots->time_ns[from - 1] <= span_ns)
		from--;
	while (to < slots->count && slots->time_ns[to] - slots->time_ns[split] < span_ns)
		to++;
	for (size_t i = from; i < to; i++) {
		seen += hits[i];
		dumps += slots->dumps[i];
	}
	if (end < from + SLOTS_LEAST || to < begin + SLOTS_LEAST || seen <= 0)
		return jump;
	mean = seen / dumps;
	before = fit_line(slots, hits, from, end, split);
	after = fit_line(slots, hits, begin, to, split);
	add_remainders(&r, slots, hits, from, end, split, &before, mean);
	add_remainders(&r, slots, hits, begin, to, split, &after, mean);
	jump.before = fmax(0, before.value);
	jump.after = fmax(0, after.value);
	jump.freedom += (double)r.count - 4;
	varies = fmax(1, (r.squares + PRIOR_SLOTS * PRIOR_VARIES) / jump.freedom) * repeated(&r);
	if (before.value > 0 && after.value > 0)
		jump.log_error = sqrt(varies * (before.variance / before.value + after.variance / after.value));
	jump.t = fabs(jump.after - jump.before) / sqrt(varies * mean * (before.variance + after.variance));
	return jump;
}

void
count_jumps_find(const struct count_slots *slots, const double *hits, int64_t span_ns, struct count_jump *jumps)
{
	for (size_t i = 0; i < slots->count; i++)
		jumps[i] = count_jump_at(slots, hits, i, span_ns, 0);
}

double
count_jump_p(const struct count_slots *slots, const struct count_jump *jumps, size_t split, int64_t span_ns)
{
	double elsewhere = CHANCE_MOST;

	for (size_t i = 0; i < slots->count; i++)
		if (llabs(slots->time_ns[i] - slots->time_ns[split]) > span_ns)
			elsewhere = fmax(elsewhere, jumps[i].t);
	return fmin(1, 2 * student_above(jumps[split].t * CHANCE_MOST / elsewhere, jumps[split].freedom));
}
