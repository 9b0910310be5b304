/* SPDX-License-Identifier: MIT
 * segment_ratios: follows how the halves of a split segment diverge. */
#include "classify/segment_ratios.h"

#include "base/memory.h"

#include <math.h>

#define RECENT_GAIN    0.125	/* of the recent mean: about the last 15 measures */
#define SLOW_GAIN      0.01	/* of mean and variance, once there were 100 measures */
#define COUNT_LEAST    40	/* measures before anything can have converged */
#define ERROR_MOST     0.05	/* converged: the mean's standard error is below this part of the mean, or of
				 * ERROR_ABSOLUTE */
#define ERROR_ABSOLUTE 0.05
#define TOTAL_LEAST    16	/* of a first half, before it is followed: so rare stacks cost nothing */
#define BAND           5.0	/* deviations of the recent mean of a level, within which it is steady */

/* Of a split in a part. shares: NULL until they are judged. */
struct entry { struct followed is[RATIO_WHICH_COUNT]; struct seasonal_share *shares[RATIOS]; };

struct segment_ratios {
	const struct classifier *classifier;
	ARRAY(struct entry) entries;
	ARRAY(uint32_t) number;			/* of the entry, from 1, by the tally of the first half; 0 none */
	ARRAY(uint64_t) now;			/* by segment, of the part at hand */
	struct shifts shifts;
};

void
segment_ratios_open(struct segment_ratios **out, const struct classifier *classifier)
{
	*out = mem_new(1, sizeof **out);
	(*out)->classifier = classifier;
}

void
segment_ratios_close(struct segment_ratios *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->entries.count; i++)
		for (unsigned which = 0; which < RATIOS; which++)
			seasonal_share_close(r->entries.at[i].shares[which]);
	array_release(&r->entries);
	array_release(&r->number);
	array_release(&r->now);
	array_release(&r->shifts);
	free(r);
}

/* --- one ratio --- */

static double
standard_error(const struct followed *f)
{
	double weight = f->count < (uint64_t)(1 / SLOW_GAIN) ? (double)f->count : 1 / SLOW_GAIN;

	return sqrt(f->variance / weight);
}

/* How far the recent mean is from the mean, in its own deviations. */
static double
departure(const struct followed *f)
{
	double deviation = sqrt(f->variance * RECENT_GAIN / (2 - RECENT_GAIN));
	double least = 1e-3 * (fabs(f->mean) + 1e-3);	/* of a ratio that never moved: a thousandth is no shift */

	return (f->recent - f->mean) / (deviation > least ? deviation : least);
}

static void
absorb(struct followed *f, double x)
{
	double gain = f->count < (uint64_t)(1 / SLOW_GAIN) ? 1 / ((double)f->count + 1) : SLOW_GAIN;
	double step = x - f->mean;

	f->mean += gain * step;
	f->variance = (1 - gain) * (f->variance + gain * step * step);
	f->count++;
}

static void
look(struct followed *f, double x)
{
	f->recent = f->count == 0 ? x : f->recent + RECENT_GAIN * (x - f->recent);
}

static void
follow_level(struct followed *f, double x)
{
	look(f, x);
	absorb(f, x);
}

static void
follow_ratio(struct followed *f, double x)
{
	follow_level(f, x);
	if (!f->converged)
		f->converged = f->count >= COUNT_LEAST &&
			       standard_error(f) <=
				       ERROR_MOST * (fabs(f->mean) > ERROR_ABSOLUTE ? fabs(f->mean) : ERROR_ABSOLUTE) &&
			       fabs(departure(f)) < BAND / 2;
}

/* --- a split --- */

static bool
level_is_steady(const struct followed *level)
{
	return fabs(departure(level)) <= BAND;
}

/* For two siblings we follow the share of the second in the sum of both; reports give the ratio of the two. */
static double
ratio_of(const struct entry *entry, enum ratio_which which, double share)
{
	return which == RATIO_SIBLINGS && !seasonal_share_is_all(entry->shares[RATIO_SECOND]) ? share / (1 - share)
											       : share;
}

static void
tell_shift(struct segment_ratios *r, struct entry *entry, enum ratio_which which, uint32_t segment, uint32_t part,
	   const struct share_change *change)
{
	*array_push(&r->shifts) =
		(struct shift){ .kind = level_is_steady(&entry->is[LEVEL_FIRST]) ? SHIFT_OF_COST : SHIFT_OF_LEVEL,
				.ratio = which,
				.segment = segment,
				.part = part,
				.value = ratio_of(entry, which, change->seen),
				.expected = ratio_of(entry, which, change->expected),
				.score = change->score };
	entry->is[which] = (struct followed){ 0 };
}

/* The entry of a first half; NULL for one that is too rare yet. */
static struct entry *
entry_for(struct segment_ratios *r, const struct measure *first)
{
	array_lengthen(&r->number, first->tally + 1u);
	if (r->number.at[first->tally] == 0) {
		if (first->total < TOTAL_LEAST)
			return NULL;
		*array_push(&r->entries) = (struct entry){ 0 };
		r->number.at[first->tally] = (uint32_t)r->entries.count;
	}
	return &r->entries.at[r->number.at[first->tally] - 1];
}

struct split { uint32_t whole, part; int64_t time_ns; };

static bool
take_ratio(struct segment_ratios *r, struct entry *entry, enum ratio_which which, const struct split *of, double hits,
	   double tries, struct share_change *change)
{
	if (tries <= 0)
		return false;
	if (entry->shares[which] == NULL)
		entry->shares[which] = seasonal_share_open();
	if (!seasonal_share_take(entry->shares[which], fmin(hits, tries), tries, of->time_ns, change))
		return false;
	tell_shift(r, entry, which, of->whole, of->part, change);
	return true;
}

/* Where the second half is nowhere but in the whole, its ratio to the first is that of the whole: it needs no judgement
 * of its own, which would know less. */
static void
take_ratios(struct segment_ratios *r, struct entry *entry, const struct split *of, double of_whole, double of_first,
	    double of_second)
{
	struct share_change change;
	bool moved = take_ratio(r, entry, RATIO_FIRST, of, of_whole, of_first, &change);

	(void)take_ratio(r, entry, RATIO_SECOND, of, of_whole, of_second, &(struct share_change){ 0 });
	if (!seasonal_share_is_all(entry->shares[RATIO_SECOND]))
		(void)take_ratio(r, entry, RATIO_SIBLINGS, of, of_second, of_first + of_second, &change);
	else if (moved)
		tell_shift(r, entry, RATIO_SIBLINGS, of->whole, of->part, &change);
}

static void
take_split(struct segment_ratios *r, const struct split *of, const struct segment *is, const struct measure *first)
{
	double of_whole = (double)r->now.at[of->whole], of_first = (double)first->now,
	       of_second = (double)r->now.at[is->second];
	struct entry *entry = entry_for(r, first);

	if (entry == NULL)
		return;
	/* levels first: they determine what a shift of a ratio means */
	follow_level(&entry->is[LEVEL_FIRST], of_first);
	follow_level(&entry->is[LEVEL_SECOND], of_second);
	follow_level(&entry->is[LEVEL_WHOLE], of_whole);
	follow_ratio(&entry->is[RATIO_FIRST], of_whole / of_first);
	if (of_second > 0)
		follow_ratio(&entry->is[RATIO_SECOND], of_whole / of_second);
	follow_ratio(&entry->is[RATIO_SIBLINGS], of_second / of_first);
	take_ratios(r, entry, of, of_whole, of_first, of_second);
}

const struct shifts *
segment_ratios_take(struct segment_ratios *r, const struct measures *segments, int64_t time_ns)
{
	const struct segments *forest = classifier_segments(r->classifier);
	const struct segment *list = segments_list(forest);

	r->shifts.count = 0;
	array_lengthen(&r->now, segments_count(forest) + 1u);
	for (size_t from = 0, to; from < segments->count; from = to) {
		uint32_t part = segments->at[from].part;

		for (to = from; to < segments->count && segments->at[to].part == part; to++)
			r->now.at[segments->at[to].id] = segments->at[to].now;
		for (size_t i = from; i < to; i++) {
			struct split of = { list[segments->at[i].id - 1].parent, part, time_ns };

			if (of.whole != 0 && list[of.whole - 1].first == segments->at[i].id)
				take_split(r, &of, &list[of.whole - 1], &segments->at[i]);
		}
		for (size_t i = from; i < to; i++)
			r->now.at[segments->at[i].id] = 0;
	}
	return &r->shifts;
}

/* --- asking and restoring --- */

static uint32_t
tally_of_first(const struct segment_ratios *r, uint32_t segment, uint32_t part)
{
	uint32_t first = segments_get(classifier_segments(r->classifier), segment).first;

	return first == 0 ? 0 : classifier_tally_number(r->classifier, first, part);
}

const struct followed *
segment_ratios_of(const struct segment_ratios *r, uint32_t segment, uint32_t part, enum ratio_which which)
{
	uint32_t tally = tally_of_first(r, segment, part);

	return tally < r->number.count && r->number.at[tally] != 0 ? &r->entries.at[r->number.at[tally] - 1].is[which]
								   : NULL;
}

const struct seasonal_share *
segment_ratios_share(const struct segment_ratios *r, uint32_t segment, uint32_t part, enum ratio_which which)
{
	uint32_t tally = tally_of_first(r, segment, part);

	return tally < r->number.count && r->number.at[tally] != 0
		       ? r->entries.at[r->number.at[tally] - 1].shares[which]
		       : NULL;
}

static struct entry *
entry_to_restore(struct segment_ratios *r, uint32_t segment, uint32_t part)
{
	uint32_t tally = tally_of_first(r, segment, part);

	if (tally == 0)
		return NULL;
	array_lengthen(&r->number, tally + 1u);
	if (r->number.at[tally] == 0) {
		*array_push(&r->entries) = (struct entry){ 0 };
		r->number.at[tally] = (uint32_t)r->entries.count;
	}
	return &r->entries.at[r->number.at[tally] - 1];
}

struct seasonal_share *
segment_ratios_share_for(struct segment_ratios *r, uint32_t segment, uint32_t part, enum ratio_which which)
{
	struct entry *entry = entry_to_restore(r, segment, part);

	if (entry == NULL)
		return NULL;
	if (entry->shares[which] == NULL)
		entry->shares[which] = seasonal_share_open();
	return entry->shares[which];
}

void
segment_ratios_restore(struct segment_ratios *r, uint32_t segment, uint32_t part, enum ratio_which which,
		       const struct followed *followed)
{
	struct entry *entry = entry_to_restore(r, segment, part);

	if (entry != NULL)
		entry->is[which] = *followed;
}

void
segment_ratios_resume(struct segment_ratios *r)
{
	for (size_t i = 0; i < r->entries.count; i++)
		for (unsigned which = 0; which < RATIOS; which++)
			seasonal_share_resume(r->entries.at[i].shares[which]);
}

size_t
segment_ratios_bytes(const struct segment_ratios *r)
{
	size_t bytes = r->entries.room * sizeof *r->entries.at + r->number.room * sizeof *r->number.at +
		       r->now.room * sizeof *r->now.at;

	for (size_t i = 0; i < r->entries.count; i++)
		for (unsigned which = 0; which < RATIOS; which++)
			bytes += seasonal_share_bytes(r->entries.at[i].shares[which]);
	return bytes;
}
