/* SPDX-License-Identifier: MIT
 * level_changes: splits by ranks propose places, many of them wrong; then the weakest goes, again and again, which
 * tells how clear each is beside those that are left; in the end each is judged by what people look at
 * (level_chooser.h). Ranks are for finding: a wild value does not move them. Welch's t is for judging: a wild value
 * widens its variance, and is not told. */
#include "trend/level_changes.h"

#include "base/array.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define SPLIT_Z      2.6		/* of a split of a segment by ranks */
#define SEGMENT_LEAST 6
#define NEAR         25			/* values on each side */
#define NEARER       12
#define NEAR_Z       2.2		/* of the ranks of the values near a change */
#define LEAN_T       2.0		/* of the slope on a side of a change */
#define PLACE_NEAR   15			/* values within which the place is sought */
#define VALUES_MOST  20000		/* a longer record is averaged to that many */
#define MARKED_LEAST 300			/* values: few records that people marked are shorter */
#define CLEAR_LEAST  2.2		/* a candidate that is not as clear is not judged */

const struct level_rules level_rules_usual = { .limit = 3.8, .correlated = 0.5 };

/* Places of changes; the first is 0 and the last the number of values. */
struct places { size_t *at; size_t count, room; };

struct finder {
	const double *x;
	size_t count;
	struct places places;
	ARRAY(struct level_candidate) candidates;
	/* room */
	struct ranked { double value; size_t at; } *sorted;
	double *ranks, *sums, *means;
};

/* --- ranks --- */

static int
compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* The ranks of values, where ties share their mean; *ties: the sum of c^3 - c over groups of c equal ones. */
static void
rank_values(struct finder *f, const double *x, size_t count, double *ties)
{
	*ties = 0;
	for (size_t i = 0; i < count; i++)
		f->sorted[i] = (struct ranked){ x[i], i };
	qsort(f->sorted, count, sizeof *f->sorted, compare_ranked);
	for (size_t i = 0, next; i < count; i = next) {
		double same;

		for (next = i + 1; next < count && f->sorted[next].value == f->sorted[i].value; next++)
			;
		same = (double)(next - i);
		*ties += same * same * same - same;
		for (size_t k = i; k < next; k++)
			f->ranks[f->sorted[k].at] = (double)i + (same + 1) / 2;
	}
}

/* z of a sum of the ranks of `first` of n values. */
static double
rank_z(double sum, double first, double n, double ties)
{
	double variance = first * (n - first) * (n + 1) / 12 - first * (n - first) * ties / (12 * n * (n - 1));

	return variance > 1e-9 ? fabs(sum - first * (n + 1) / 2) / sqrt(variance) : 0;
}

static double
rank_z_at(struct finder *f, size_t from, size_t at, size_t to)
{
	double ties, sum = 0;

	rank_values(f, f->x + from, to - from, &ties);
	for (size_t i = 0; i < at - from; i++)
		sum += f->ranks[i];
	return rank_z(sum, (double)(at - from), (double)(to - from), ties);
}

/* --- candidates --- */

/* The best split of a segment; 0: none is good enough. */
static size_t
best_split(struct finder *f, size_t from, size_t to)
{
	double n = (double)(to - from), ties, sum = 0, best = SPLIT_Z;
	size_t at = 0;

	if (to - from < 2 * SEGMENT_LEAST)
		return 0;
	rank_values(f, f->x + from, to - from, &ties);
	for (size_t k = 1; k + SEGMENT_LEAST <= to - from; k++) {
		double z;

		sum += f->ranks[k - 1];
		if (k < SEGMENT_LEAST)
			continue;
		z = rank_z(sum, (double)k, n, ties);
		if (z > best || (at == 0 && z >= best)) {
			best = z;
			at = from + k;
		}
	}
	return at;
}

static int
compare_places(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

static void
find_candidates(struct finder *f)
{
	struct places open = { 0 };	/* ends of segments that are still to be split, in pairs */

	f->places.count = 0;
	*array_push(&f->places) = 0;
	*array_push(&f->places) = f->count;
	*array_push(&open) = 0;
	*array_push(&open) = f->count;
	while (open.count > 0) {
		size_t to = open.at[open.count - 1], from = open.at[open.count - 2], at = best_split(f, from, to);

		open.count -= 2;
		if (at == 0)
			continue;
		*array_push(&f->places) = at;
		*array_push(&open) = from;
		*array_push(&open) = at;
		*array_push(&open) = at;
		*array_push(&open) = to;
	}
	array_release(&open);
	qsort(f->places.at, f->places.count, sizeof *f->places.at, compare_places);
}

/* --- scores --- */

static double
mean_of(const double *x, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += x[i];
	return sum / (double)count;
}

double
level_change_score(const double *x, size_t from, size_t at, size_t to)
{
	return 0.6 * log(1 + fmin(level_step(x, from, at, to, NEAR), 50)) +
	       1.2 * log(1 + fmin(level_step(x, from, at, to, SIZE_MAX), 100)) +
	       0.2 * log(1 + fmin(level_step(x, from, at, to, NEARER), 40));
}

double
rank_difference(const double *values, size_t count, size_t at)
{
	struct finder f = { .x = values, .count = count, .sorted = mem_new(count + 1, sizeof *f.sorted),
			    .ranks = mem_new(count + 1, sizeof *f.ranks) };
	double z = rank_z_at(&f, 0, at, count);

	free(f.sorted);
	free(f.ranks);
	return z;
}

static double
near_z(struct finder *f, size_t i)
{
	size_t before = f->places.at[i - 1], at = f->places.at[i], after = f->places.at[i + 1];
	size_t from = at - before > NEAR ? at - NEAR : before, to = after - at > NEAR ? at + NEAR : after;

	return rank_z_at(f, from, at, to);
}

/* Sums of values about their mean, over their places about the middle one. */
struct slope { double mean, slope, squares, left, places; };	/* left: squares about the line */

static struct slope
slope_of(const double *x, size_t count)
{
	struct slope s = { .mean = mean_of(x, count) };

	for (size_t i = 0; i < count; i++) {
		double place = (double)i - (double)(count - 1) / 2, value = x[i] - s.mean;

		s.slope += place * value;
		s.places += place * place;
		s.squares += value * value;
	}
	s.slope = s.places > 0 ? s.slope / s.places : 0;
	s.left = s.squares - s.slope * s.slope * s.places;
	return s;
}

/* Whether values lean upwards (sign > 0) or downwards by more than chance. */
static bool
leans(const struct slope *s, size_t count, double sign)
{
	return count >= SEGMENT_LEAST && s->slope * sign > 0 &&
	       fabs(s->slope) >= LEAN_T * sqrt(fmax(s->left, 0) / (double)(count - 2) / s->places);
}

/* A series that only grows has no step: one line is nearer to it than two levels, and both sides lean that way. */
static bool
is_slope(const double *x, size_t from, size_t at, size_t to)
{
	struct slope a = slope_of(x + from, at - from), b = slope_of(x + at, to - at),
		     all = slope_of(x + from, to - from);

	return all.left < a.squares + b.squares && leans(&a, at - from, b.mean - a.mean) &&
	       leans(&b, to - at, b.mean - a.mean);
}

static double
score_of(struct finder *f, size_t i)
{
	size_t from = f->places.at[i - 1], at = f->places.at[i], to = f->places.at[i + 1];

	return is_slope(f->x, from, at, to) ? 0 : level_change_score(f->x, from, at, to);
}

/* A place goes, which was the weakest one: it is kept up to the greatest strength of those that went so far. */
static void
note_candidate(struct finder *f, size_t at, double strength)
{
	double before = f->candidates.count > 0 ? f->candidates.at[f->candidates.count - 1].clear : 0;

	*array_push(&f->candidates) = (struct level_candidate){ at, fmax(before, strength) };
}

/* Takes the weakest place away, while it is weaker than the limit. Its neighbours' strength is then another. */
static void
drop_weak(struct finder *f, double (*strength)(struct finder *f, size_t i), double limit,
	  void (*note)(struct finder *f, size_t at, double strength))
{
	struct places *p = &f->places;
	double *strengths = mem_new(p->count + 1, sizeof *strengths);

	for (size_t i = 1; i + 1 < p->count; i++)
		strengths[i] = strength(f, i);
	while (p->count > 2) {
		size_t weakest = 1;

		for (size_t i = 2; i + 1 < p->count; i++)
			if (strengths[i] < strengths[weakest])
				weakest = i;
		if (strengths[weakest] >= limit)
			break;
		if (note != NULL)
			note(f, p->at[weakest], strengths[weakest]);
		memmove(p->at + weakest, p->at + weakest + 1, (p->count - weakest - 1) * sizeof *p->at);
		memmove(strengths + weakest, strengths + weakest + 1, (p->count - weakest - 1) * sizeof *strengths);
		p->count--;
		if (weakest > 1)
			strengths[weakest - 1] = strength(f, weakest - 1);
		if (weakest + 1 < p->count)
			strengths[weakest] = strength(f, weakest);
	}
	free(strengths);
}

/* --- places --- */

/* The value below which a share of sorted values is, between two of them in proportion. */
static double
quantile(const struct ranked *sorted, size_t count, double share)
{
	double at = share * (double)(count - 1);
	size_t below = (size_t)at;
	double rest = at - (double)below;

	return below + 1 < count ? sorted[below].value + rest * (sorted[below + 1].value - sorted[below].value)
				 : sorted[below].value;
}

/* Where two levels fit best, near a place and between its neighbours. */
static size_t
best_place(struct finder *f, size_t from, size_t at, size_t to)
{
	size_t low = at - from > PLACE_NEAR ? at - PLACE_NEAR : from,
	       high = to - at > PLACE_NEAR ? at + PLACE_NEAR : to;
	size_t n = high - low;
	double least, most, all = 0, sum = 0, best = -1;

	if (n <= 6)
		return at;
	for (size_t i = 0; i < n; i++)
		f->sorted[i] = (struct ranked){ f->x[low + i], i };
	qsort(f->sorted, n, sizeof *f->sorted, compare_ranked);
	least = quantile(f->sorted, n, 0.05);
	most = quantile(f->sorted, n, 0.95);
	for (size_t i = 0; i < n; i++)
		all += f->sums[i] = fmin(most, fmax(least, f->x[low + i]));
	for (size_t k = 1; k < n; k++) {
		double q = (double)k, rest = (double)(n - k), apart, gain;

		sum += f->sums[k - 1];
		apart = sum / q - (all - sum) / rest;
		gain = q * rest / (double)n * apart * apart;
		if (gain > best) {
			best = gain;
			at = low + k;
		}
	}
	return at;
}

static void
move_places(struct finder *f)
{
	struct places *p = &f->places;
	size_t kept = 1;

	for (size_t i = 1; i + 1 < p->count; i++)
		p->at[i] = best_place(f, p->at[i - 1], p->at[i], p->at[i + 1]);
	qsort(p->at, p->count, sizeof *p->at, compare_places);
	for (size_t i = 1; i < p->count; i++)
		if (p->at[i] != p->at[kept - 1])
			p->at[kept++] = p->at[i];
	p->count = kept;
}

/* --- all --- */

static int
compare_candidates(const void *a, const void *b)
{
	size_t x = ((const struct level_candidate *)a)->at, y = ((const struct level_candidate *)b)->at;

	return (x > y) - (x < y);
}

/* All places that may be changes, each with how clear it is beside the clearer ones. */
static void
rate_candidates(struct finder *f)
{
	find_candidates(f);
	drop_weak(f, near_z, NEAR_Z, NULL);
	move_places(f);
	drop_weak(f, score_of, INFINITY, note_candidate);
	if (f->candidates.count > 0)
		qsort(f->candidates.at, f->candidates.count, sizeof *f->candidates.at, compare_candidates);
}

/* The record with its levels between candidates as clear as the limit. t of neighbours that are alike is too high by
 * sqrt((1 + r) / (1 - r)), and the three weights of the score sum up to 2: by that the limit is raised. */
static struct level_record
measured(const struct finder *f, const struct level_rules *rules)
{
	struct level_record record = { .x = f->x, .count = f->count, .candidates = f->candidates.at,
		.candidate_count = f->candidates.count };
	double r = level_record_alike(&record, rules->limit);

	level_record_begin(&record, rules->limit + (r > rules->correlated ? log((1 + r) / (1 - r)) : 0));
	return record;
}

static bool
is_judged(const struct level_record *record, size_t i)
{
	const struct level_candidate *c = &record->candidates[i];

	return c->clear >= CLEAR_LEAST &&
	       !is_slope(record->x, level_kept_before(record, i), c->at, level_kept_after(record, i));
}

/* Where neighbours are alike, what wanders looks like levels, and of records that are shorter than those that were
 * marked nothing was learnt: there a candidate must also be as clear as the limit. Near the end that is enough: people
 * wait for more values before they mark a change, but it is news. */
static bool
is_change(const struct level_record *record, size_t candidate, const struct level_rules *rules)
{
	const struct level_candidate *c = &record->candidates[candidate];
	bool must_be_clear = record->limit > rules->limit || record->count < MARKED_LEAST;
	double figures[LEVEL_FIGURES];

	if (!is_judged(record, candidate) || (must_be_clear && c->clear < record->limit))
		return false;
	if (record->count - c->at <= NEAR && c->clear >= record->limit)
		return true;
	level_record_figures(record, candidate, figures);
	return is_worth_marking(level_chance(figures));
}

static void
find_in(struct finder *f, const struct level_rules *rules)
{
	struct level_record record;

	rate_candidates(f);
	record = measured(f, rules);
	f->places.count = 0;
	*array_push(&f->places) = 0;
	for (size_t i = 0; i < record.candidate_count; i++)
		if (is_change(&record, i, rules))
			*array_push(&f->places) = record.candidates[i].at;
	*array_push(&f->places) = f->count;
}

static size_t
list_changes(const struct finder *f, size_t each, struct level_change **changes)
{
	const size_t *at = f->places.at;
	size_t count = f->places.count - 2;

	*changes = mem_new(count + 1, sizeof **changes);
	for (size_t i = 1; i <= count; i++)
		(*changes)[i - 1] = (struct level_change){ .from = at[i] * each,
			.before = mean_of(f->x + at[i - 1], at[i] - at[i - 1]),
			.after = mean_of(f->x + at[i], at[i + 1] - at[i]),
			.score = level_change_score(f->x, at[i - 1], at[i], at[i + 1]),
			.steps = level_step(f->x, at[i - 1], at[i], at[i + 1], SIZE_MAX) };
	return count;
}

/* A record, averaged if it is long; *each: how many values became one. */
static void
open_finder(struct finder *f, const double *values, size_t count, size_t *each)
{
	*f = (struct finder){ .x = values, .count = count };
	*each = (count + VALUES_MOST - 1) / VALUES_MOST;
	if (*each > 1) {
		f->count = count / *each;
		f->x = f->means = mem_new(f->count, sizeof *f->means);
		for (size_t i = 0; i < f->count; i++)
			f->means[i] = mean_of(values + i * *each, *each);
	}
	f->sorted = mem_new(f->count, sizeof *f->sorted);
	f->ranks = mem_new(f->count, sizeof *f->ranks);
	f->sums = mem_new(f->count, sizeof *f->sums);
}

static void
close_finder(struct finder *f)
{
	free(f->sorted);
	free(f->ranks);
	free(f->sums);
	free(f->means);
	array_release(&f->places);
	array_release(&f->candidates);
}

size_t
level_changes_find(const double *values, size_t count, const struct level_rules *rules, struct level_change **changes)
{
	struct finder f;
	size_t each, found;

	*changes = NULL;
	if (count < LEVEL_CHANGES_LEAST)
		return 0;
	open_finder(&f, values, count, &each);
	find_in(&f, rules);
	found = list_changes(&f, each, changes);
	close_finder(&f);
	return found;
}

size_t
level_places_judge(const double *values, size_t count, const struct level_rules *rules, struct judged_place **places)
{
	struct finder f;
	struct level_record record;
	size_t each, judged = 0;

	*places = NULL;
	if (count < LEVEL_CHANGES_LEAST)
		return 0;
	open_finder(&f, values, count, &each);
	rate_candidates(&f);
	record = measured(&f, rules);
	*places = mem_new(record.candidate_count + 1, sizeof **places);
	for (size_t i = 0; i < record.candidate_count; i++)
		if (is_judged(&record, i)) {
			(*places)[judged].at = record.candidates[i].at * each;
			level_record_figures(&record, i, (*places)[judged++].figures);
		}
	close_finder(&f);
	return judged;
}
