/* SPDX-License-Identifier: MIT
 * count_changes: conditional likelihood by strata, dispersion of blocks of hours and days. */
#include "trend/count_changes.h"

#include "base/memory.h"
#include "base/probability.h"
#include "trend/season_calendar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOUR	       INT64_C(3600000000000)
#define DAY	       (24 * HOUR)
#define SHORT_SIDE     (6 * HOUR)	/* up to which days say nothing of it */
#define LOG_MOST       40.0		/* of a ratio: beyond is infinite */
#define STEPS	       64		/* of halving: as close as doubles are */
#define PRIOR_HITS     10.0		/* of the prior dispersion of hours, 1.5 */
#define PRIOR_HOURLY   1.5
#define PRIOR_DAYS     5.0
#define HITS_LEAST     6.0		/* which fewer could not be told from chance */
#define EXACT_MOST     30		/* hits up to which the exact distribution is taken */
#define EXACT_VARIES   1.1		/* ... if they vary no more than that */
#define NOISY_DAY      100.0		/* hits a day, from which days show their own noise */
#define NOISY_LEAST    5		/* such series, for their noise to be that of all */
#define NOISE_USUAL    0.1
#define NOISE_LEAST    0.02
#define SERIES_LEAST   10		/* of which a common ratio can be told */
#define WEIGHT_MOST    0.1
#define WEIGHED_LEAST  30.0		/* hits of a series with a say in it */
#define OWN_SEASON     (1 / 0.09)	/* hits of a stratum from which its own season shows: by 30 % */
#define EDGE	       4		/* slots at either end that are no side */

struct stratum { double hits[2], dumps[2]; };

struct count_comparison {
	struct count_slots slots;
	struct stratum *strata;		/* their dumps stay, their hits are of the series at hand */
	unsigned *used, used_count;	/* those that both sides have, with hits */
	double ratio_log;		/* of the series at hand */
	size_t *visits;			/* slots of each stratum */
	double *pooled;			/* of all series, by stratum: hits, by the root of their number */
	double *expected;		/* room, by slot */
	size_t comparable;		/* slots in strata of both sides */
	size_t common;			/* strata of both sides */
	int64_t shorter_ns;		/* of the sides */
	double days, hours;
};

static bool
is_common(const struct stratum *s)
{
	return s->dumps[0] > 0 && s->dumps[1] > 0;
}

static void
count_dumps(const struct count_slots *slots, struct stratum *strata)
{
	for (size_t i = 0; i < slots->count; i++)
		if (slots->side[i] != SIDE_NONE)
			strata[slots->stratum[i]].dumps[(unsigned)slots->side[i]] += slots->dumps[i];
}

struct count_common
count_comparable(const struct count_slots *slots)
{
	struct stratum *strata = mem_new(slots->strata, sizeof *strata);
	double all[2] = { 0 }, common[2] = { 0 };
	size_t count[2] = { 0 };
	struct count_common is = { 0 };

	count_dumps(slots, strata);
	for (unsigned s = 0; s < slots->strata; s++)
		for (unsigned side = 0; side < 2; side++) {
			all[side] += strata[s].dumps[side];
			common[side] += is_common(&strata[s]) ? strata[s].dumps[side] : 0;
		}
	for (size_t i = 0; i < slots->count; i++)
		if (slots->side[i] != SIDE_NONE)
			count[(unsigned)slots->side[i]] += is_common(&strata[slots->stratum[i]]);
	free(strata);
	if (all[0] <= 0 || all[1] <= 0)
		return is;
	is.of_smaller = all[0] < all[1] ? common[0] / all[0] : common[1] / all[1];
	is.slots = count[0] < count[1] ? count[0] : count[1];
	is.left_out = 1 - (common[0] + common[1]) / (all[0] + all[1]);
	return is;
}

static bool
is_compared(const struct count_comparison *c, size_t slot)
{
	return c->slots.side[slot] != SIDE_NONE && is_common(&c->strata[c->slots.stratum[slot]]);
}

/* How long the sides are, by the slots that there are of each. */
static void
measure_sides(struct count_comparison *c)
{
	int64_t first[2] = { 0 }, last[2] = { 0 }, day = INT64_MIN, hour = INT64_MIN;
	bool begun[2] = { false, false };

	for (size_t i = 0; i < c->slots.count; i++) {
		unsigned side = (unsigned)c->slots.side[i];

		if (!is_compared(c, i))
			continue;
		c->comparable++;
		if (c->slots.time_ns[i] / DAY != day) {
			day = c->slots.time_ns[i] / DAY;
			c->days++;
		}
		if (c->slots.time_ns[i] / HOUR != hour) {
			hour = c->slots.time_ns[i] / HOUR;
			c->hours++;
		}
		first[side] = begun[side] ? first[side] : c->slots.time_ns[i];
		last[side] = c->slots.time_ns[i];
		begun[side] = true;
	}
	for (unsigned side = 0; side < 2; side++)
		if (last[side] - first[side] < c->shorter_ns)
			c->shorter_ns = last[side] - first[side];
}

void
count_comparison_open(struct count_comparison **out, const struct count_slots *slots)
{
	struct count_comparison *c = mem_new(1, sizeof *c);

	c->slots = *slots;
	c->strata = mem_new(slots->strata + 1, sizeof *c->strata);
	c->used = mem_new(slots->strata + 1, sizeof *c->used);
	c->visits = mem_new(slots->strata + 1, sizeof *c->visits);
	c->pooled = mem_new(slots->strata + 1, sizeof *c->pooled);
	c->expected = mem_new(slots->count + 1, sizeof *c->expected);
	c->shorter_ns = INT64_MAX;
	count_dumps(slots, c->strata);
	for (size_t i = 0; i < slots->count; i++)
		c->visits[slots->stratum[i]]++;
	for (unsigned s = 0; s < slots->strata; s++)
		c->common += is_common(&c->strata[s]);
	measure_sides(c);
	*out = c;
}

void
count_comparison_close(struct count_comparison *c)
{
	if (c == NULL)
		return;
	free(c->strata);
	free(c->used);
	free(c->visits);
	free(c->pooled);
	free(c->expected);
	free(c);
}

/* --- the likelihood of a ratio --- */

/* The share of a stratum's hits that come after the moment. */
static double
share_after(const struct stratum *s, double ratio_log)
{
	return 1 / (1 + s->dumps[0] / s->dumps[1] * exp(-ratio_log));
}

static double
after_at(const struct count_comparison *c, double ratio_log)
{
	double sum = 0;

	for (unsigned u = 0; u < c->used_count; u++) {
		const struct stratum *s = &c->strata[c->used[u]];

		sum += (s->hits[0] + s->hits[1]) * share_after(s, ratio_log);
	}
	return sum;
}

static double
likelihood(const struct count_comparison *c, double ratio_log)
{
	double sum = 0;

	for (unsigned u = 0; u < c->used_count; u++) {
		const struct stratum *s = &c->strata[c->used[u]];

		/* ln of the shares: neither is 1 - a share that is all but 1 */
		if (s->hits[1] > 0)
			sum -= s->hits[1] * log1p(s->dumps[0] / s->dumps[1] * exp(-ratio_log));
		if (s->hits[0] > 0)
			sum -= s->hits[0] * log1p(s->dumps[1] / s->dumps[0] * exp(ratio_log));
	}
	return sum;
}

static double
best_ratio(const struct count_comparison *c, const double hits[2])
{
	double low = -LOG_MOST, high = LOG_MOST;

	if (hits[0] <= 0 || hits[1] <= 0)
		return hits[1] > 0 ? LOG_MOST : -LOG_MOST;
	for (unsigned i = 0; i < STEPS; i++) {
		double middle = (low + high) / 2;

		if (after_at(c, middle) < hits[1])
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* Where the likelihood has fallen by `by` from its best, between there and `to`. */
static double
limit_towards(const struct count_comparison *c, double to, double by)
{
	double best = likelihood(c, c->ratio_log), near_ = c->ratio_log, far = to;

	if (best - likelihood(c, to) < by)
		return to;
	for (unsigned i = 0; i < STEPS; i++) {
		double middle = (near_ + far) / 2;

		if (best - likelihood(c, middle) < by)
			near_ = middle;
		else
			far = middle;
	}
	return (near_ + far) / 2;
}

static double
ratio_of_log(double ratio_log)
{
	return ratio_log >= LOG_MOST ? INFINITY : ratio_log <= -LOG_MOST ? 0 : exp(ratio_log);
}

/* --- a series --- */

static void
take_hits(struct count_comparison *c, const double *hits, struct count_change *to, double compared[2])
{
	for (unsigned s = 0; s < c->slots.strata; s++)
		c->strata[s].hits[0] = c->strata[s].hits[1] = 0;
	for (size_t i = 0; i < c->slots.count; i++)
		if (c->slots.side[i] != SIDE_NONE) {
			to->hits[(unsigned)c->slots.side[i]] += hits[i];
			c->strata[c->slots.stratum[i]].hits[(unsigned)c->slots.side[i]] += hits[i];
		}
	c->used_count = 0;
	for (unsigned s = 0; s < c->slots.strata; s++) {
		const struct stratum *is = &c->strata[s];

		if (!is_common(is) || is->hits[0] + is->hits[1] <= 0)
			continue;
		c->used[c->used_count++] = s;
		compared[0] += is->hits[0];
		compared[1] += is->hits[1];
	}
}

/* Hits a dump that a stratum has on a side. */
static double
rate_of(const struct count_comparison *c, const struct stratum *s, unsigned side)
{
	double ratio = exp(c->ratio_log);

	if (c->ratio_log >= LOG_MOST || c->ratio_log <= -LOG_MOST)
		return s->hits[side] / s->dumps[side];
	return (s->hits[0] + s->hits[1]) / (s->dumps[0] + ratio * s->dumps[1]) * (side == SIDE_AFTER ? ratio : 1);
}

static void
find_levels(const struct count_comparison *c, struct count_change *to)
{
	double dumps = 0;

	for (unsigned s = 0; s < c->slots.strata; s++)
		if (is_common(&c->strata[s]))
			dumps += c->strata[s].dumps[0] + c->strata[s].dumps[1];
	for (unsigned u = 0; u < c->used_count; u++) {
		const struct stratum *s = &c->strata[c->used[u]];

		for (unsigned side = 0; side < 2; side++)
			to->level[side] += (s->dumps[0] + s->dumps[1]) / dumps * rate_of(c, s, side);
	}
}

struct blocks { int64_t length, at; double seen, expected, squares, hits; };

static void
end_block(struct blocks *b)
{
	b->squares += (b->seen - b->expected) * (b->seen - b->expected);
	b->hits += b->expected;
	b->seen = b->expected = 0;
}

static void
add_to_blocks(struct blocks *b, int64_t time_ns, double seen, double expected)
{
	int64_t at = time_ns / b->length - (time_ns % b->length < 0);

	if (at != b->at)
		end_block(b);
	b->at = at;
	b->seen += seen;
	b->expected += expected;
}

/* Of a few hours: how days vary cannot be told from it. */
static bool
is_short(const struct count_comparison *c)
{
	return c->shorter_ns <= SHORT_SIDE;
}

/* What is fitted takes a share of the variance away; without any left the prior is all there is. */
static void
find_dispersion(const struct count_comparison *c, const double *hits, struct count_change *to)
{
	struct blocks hours = { .length = HOUR, .at = INT64_MIN }, days = { .length = DAY, .at = INT64_MIN };
	double left = 1 - ((double)c->common + 1) / (double)c->comparable, scale = left > 0.02 ? 1 / left : 0;

	for (size_t i = 0; i < c->slots.count; i++) {
		double expected;

		if (!is_compared(c, i))
			continue;
		expected = c->slots.dumps[i] *
			   rate_of(c, &c->strata[c->slots.stratum[i]], (unsigned)c->slots.side[i]);
		add_to_blocks(&hours, c->slots.time_ns[i], hits[i], expected);
		add_to_blocks(&days, c->slots.time_ns[i], hits[i], expected);
	}
	end_block(&hours);
	end_block(&days);
	if (scale <= 0)
		hours.hits = 0;
	to->hourly = fmax(1, (scale * hours.squares + PRIOR_HITS * PRIOR_HOURLY) / (hours.hits + PRIOR_HITS));
	to->days = c->days;
	to->day_hits = days.hits;
	to->day_freedom = fmax(0, c->days * (1 - (double)c->common / (double)c->comparable) - 1);
	if (to->day_freedom > 0 && days.hits > 0)
		to->day_dispersion = days.squares / days.hits * c->days / to->day_freedom;
	to->freedom = PRIOR_DAYS + (is_short(c) ? fmax(0, c->hours * fmax(0, left) - 1) : to->day_freedom);
}

bool
count_change_fit(struct count_comparison *c, const double *hits, struct count_change *to)
{
	double compared[2] = { 0 };

	*to = (struct count_change){ .p = 1, .ratio = NAN, .low = 0, .high = INFINITY };
	take_hits(c, hits, to, compared);
	if (compared[0] + compared[1] < HITS_LEAST)
		return false;
	c->ratio_log = best_ratio(c, compared);
	to->ratio = ratio_of_log(c->ratio_log);
	find_levels(c, to);
	find_dispersion(c, hits, to);
	return true;
}

/* --- judged --- */

static int
compare_reals(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double
count_day_noise(const struct count_change *fits, size_t count)
{
	double *noise = mem_new(count + 1, sizeof *noise), found = NOISE_USUAL * NOISE_USUAL, freedom = 0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		double a_day = fits[i].days > 0 ? fits[i].day_hits / fits[i].days : 0;

		if (a_day <= NOISY_DAY || fits[i].day_freedom <= 0)
			continue;
		noise[n++] = (fits[i].day_dispersion - fits[i].hourly) / a_day;
		freedom = fits[i].day_freedom;
	}
	if (n >= NOISY_LEAST) {
		qsort(noise, n, sizeof *noise, compare_reals);
		found = (freedom * noise[n / 2] + PRIOR_DAYS * found) / (freedom + PRIOR_DAYS);
	}
	free(noise);
	return fmax(NOISE_LEAST * NOISE_LEAST, found);
}

static double
daily_dispersion(const struct count_change *of, double day_noise)
{
	double a_day = of->days > 0 ? of->day_hits / of->days : 0, prior = of->hourly + day_noise * a_day;

	return fmax(of->hourly, (of->day_freedom * of->day_dispersion + PRIOR_DAYS * prior) /
					(of->day_freedom + PRIOR_DAYS));
}

/* P of as many or fewer after the moment, and half of just as many: each hit is after it with the share of its
 * stratum. */
static double
exact_p(const struct count_comparison *c, double usual)
{
	double chance[EXACT_MOST + 1] = { 1 }, below = 0, after = 0;
	unsigned n = 0;

	for (unsigned u = 0; u < c->used_count; u++) {
		const struct stratum *s = &c->strata[c->used[u]];
		double share = share_after(s, log(usual));

		after += s->hits[1];
		for (unsigned h = 0; h < (unsigned)(s->hits[0] + s->hits[1]) && n < EXACT_MOST; h++) {
			n++;
			for (unsigned k = n; k > 0; k--)
				chance[k] = chance[k] * (1 - share) + chance[k - 1] * share;
			chance[0] *= 1 - share;
		}
	}
	for (unsigned k = 0; k < (unsigned)after && k <= n; k++)
		below += chance[k];
	below += chance[(unsigned)after <= n ? (unsigned)after : n] / 2;
	return fmin(1, 2 * fmin(below, 1 - below));
}

/* Whole numbers of threads, and so few that the distribution can be listed. */
static bool
is_exact(const struct count_comparison *c, double dispersion)
{
	double sum = 0;

	for (unsigned u = 0; u < c->used_count; u++)
		for (unsigned side = 0; side < 2; side++) {
			double hits = c->strata[c->used[u]].hits[side];

			if (floor(hits) < hits)
				return false;
			sum += hits;
		}
	return sum < EXACT_MOST && dispersion < EXACT_VARIES;
}

void
count_change_judge(struct count_comparison *c, double usual, double day_noise, double confidence,
		   struct count_change *of)
{
	double dispersion, quantile, by;

	of->daily = daily_dispersion(of, day_noise);
	dispersion = is_short(c) ? of->hourly : of->daily;
	quantile = student_quantile((1 + confidence) / 2, of->freedom);
	by = dispersion * quantile * quantile / 2;
	of->low = ratio_of_log(limit_towards(c, -LOG_MOST, by));
	of->high = ratio_of_log(limit_towards(c, LOG_MOST, by));
	if (is_exact(c, dispersion))
		of->p = exact_p(c, usual);
	else
		of->p = 2 * student_above(sqrt(2 * fmax(0, likelihood(c, c->ratio_log) - likelihood(c, log(usual))) /
					       dispersion),
					  of->freedom);
}

/* --- of all series --- */

struct weighed_ratio { double log, weight; };

static int
compare_ratios(const void *a, const void *b)
{
	return compare_reals(&((const struct weighed_ratio *)a)->log, &((const struct weighed_ratio *)b)->log);
}

double
count_common_ratio(const struct count_change *fits, size_t count)
{
	struct weighed_ratio *at = mem_new(count + 1, sizeof *at);
	double sum = 0, most, half = 0, found = 1;
	size_t n = 0, i = 0;

	for (size_t k = 0; k < count; k++) {
		const struct count_change *f = &fits[k];

		if (f->hits[0] + f->hits[1] < WEIGHED_LEAST || f->hits[0] <= 0 || f->hits[1] <= 0 || isnan(f->ratio))
			continue;
		at[n] = (struct weighed_ratio){ log(f->ratio),
			1 / (f->hourly * (1 / f->hits[0] + 1 / f->hits[1])) };
		sum += at[n++].weight;
	}
	most = sum * WEIGHT_MOST;
	for (size_t k = 0; k < n; k++)
		at[k].weight = fmin(at[k].weight, most);
	for (size_t k = 0; k < n; k++)
		half += at[k].weight / 2;
	if (n >= SERIES_LEAST) {
		qsort(at, n, sizeof *at, compare_ratios);
		while (i + 1 < n && (half -= at[i].weight) > 0)
			i++;
		found = exp(at[i].log);
	}
	free(at);
	return found;
}

void
count_discovery_rates(const double *p, size_t count, double *q)
{
	double harmonic = 0;

	for (size_t i = count; i > 0; i--)
		harmonic += 1 / (double)i;
	false_discovery_rates(p, count, q);
	for (size_t i = 0; i < count; i++)
		q[i] = fmin(1, q[i] * harmonic);
}

/* --- the moment --- */

void
count_comparison_pool(struct count_comparison *c, const double *hits)
{
	double all = 0;

	for (size_t i = 0; i < c->slots.count; i++)
		all += hits[i];
	for (size_t i = 0; i < c->slots.count && all > 0; i++)
		c->pooled[c->slots.stratum[i]] += hits[i] / sqrt(all);
}

/* What was seen once, such as the only weekend of a week, is all that can be expected of it: it says nothing of a
 * change, and would hide one among its hits. */
static bool
says_something(const struct count_comparison *c, size_t slot)
{
	return c->visits[c->slots.stratum[slot]] > 1;
}

static double
hits_said(const struct count_comparison *c, const double *hits, size_t slot)
{
	return says_something(c, slot) ? hits[slot] : 0;
}

/* The rate of a stratum: the mean of its own and that of the common season, as gamma and Poisson have it. */
static void
expect_by_strata(struct count_comparison *c, const double *hits)
{
	double all = 0, said = 0, dumps = 0, pooled = 0, expected = 0;

	memset(c->strata, 0, c->slots.strata * sizeof *c->strata);
	for (size_t i = 0; i < c->slots.count; i++) {
		c->strata[c->slots.stratum[i]].hits[0] += hits[i];
		c->strata[c->slots.stratum[i]].dumps[0] += c->slots.dumps[i];
		all += hits[i];
		dumps += c->slots.dumps[i];
	}
	for (unsigned s = 0; s < c->slots.strata; s++)
		pooled += c->pooled[s];
	for (size_t i = 0; i < c->slots.count; i++) {
		const struct stratum *s = &c->strata[c->slots.stratum[i]];
		double common = pooled > 0 ? all * c->pooled[c->slots.stratum[i]] / pooled : all * s->dumps[0] / dumps;

		c->expected[i] = says_something(c, i) ? c->slots.dumps[i] / s->dumps[0] * common *
								(s->hits[0] + OWN_SEASON) / (common + OWN_SEASON) : 0;
		expected += c->expected[i];
		said += hits_said(c, hits, i);
	}
	for (size_t i = 0; i < c->slots.count && expected > 0; i++)
		c->expected[i] *= said / expected;
}

static double
gain_of(double seen, double expected)
{
	return seen > 0 && expected > 0 ? seen * log(seen / expected) : 0;
}

/* How much more it varies than a Poisson count from one day to the next, on either side of a slot. */
static double
varies_around(const struct count_comparison *c, const double *hits, size_t split, double before, double expected_before,
	      double all)
{
	struct blocks days = { .length = DAY, .at = INT64_MIN };
	double ratio[2] = { before / expected_before, (all - before) / (all - expected_before) };
	size_t blocks = 1;

	for (size_t i = 0; i < c->slots.count; i++) {
		blocks += i > 0 && c->slots.time_ns[i] / days.length != c->slots.time_ns[i - 1] / days.length;
		add_to_blocks(&days, c->slots.time_ns[i], hits_said(c, hits, i), c->expected[i] * ratio[i >= split]);
	}
	end_block(&days);
	return fmax(1, (days.squares * (double)blocks / fmax(1, (double)blocks - 2) +
			PRIOR_DAYS * PRIOR_HOURLY * all / (double)blocks) /
			       (all + PRIOR_DAYS * all / (double)blocks));
}

size_t
count_change_gains(struct count_comparison *c, const double *hits, double least, double *gains)
{
	double all = 0, seen = 0, expected = 0, most = 0, best_seen = 0, best_expected = 0, varies;
	size_t best = 0;

	expect_by_strata(c, hits);
	for (size_t i = 0; i < c->slots.count; i++)
		all += hits_said(c, hits, i);
	for (size_t i = 0; i + EDGE < c->slots.count; i++) {
		double gain = gain_of(seen, expected) + gain_of(all - seen, all - expected);

		if (i >= EDGE && gain > most) {
			most = gain;
			best = i;
			best_seen = seen;
			best_expected = expected;
		}
		seen += hits_said(c, hits, i);
		expected += c->expected[i];
	}
	if (best == 0 || all < HITS_LEAST || best_expected <= 0 || best_expected >= all)
		return 0;
	varies = varies_around(c, hits, best, best_seen, best_expected, all);
	if (most / varies <= least)
		return 0;
	seen = expected = 0;
	for (size_t i = 0; i + EDGE < c->slots.count; i++) {
		double gain = gain_of(seen, expected) + gain_of(all - seen, all - expected);

		if (i >= EDGE && gain / varies > least)
			gains[i] += gain / varies - least;
		seen += hits_said(c, hits, i);
		expected += c->expected[i];
	}
	return best;
}
