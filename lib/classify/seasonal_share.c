/* SPDX-License-Identifier: MIT
 * seasonal_share: sums of likelihood ratios of binomials (CUSUM), in both directions, around the share of the hour. */
#include "classify/seasonal_share.h"

#include "base/memory.h"
#include "base/time_math.h"
#include "stkpipe/schema.h"

#include <math.h>
#include <stdlib.h>

#define HOUR_NS       INT64_C(3600000000000)
#define UNDATED_BLOCK 12		/* measures, where there are no hours */
#define LEARNS        40		/* measures that it takes before the first change is reported */
#define VISITS_LEAST  2			/* to an hour, before its share is known */
#define VISITS_KEPT   6.0
#define BLOCKS_KEPT   100.0
#define PRIOR         20.0		/* tries of all hours that count in each */
#define UNKNOWN_ODDS  1.7		/* times which a season may move the odds of an hour that is not known */
#define FIRST_BLOCKS  24			/* the hours of a day: of those to come nothing is known */
#define FIRST_VARIES  4.0		/* deviations of the hours before, by which they may differ */
#define SURE          0.5		/* standard errors of a share that are allowed for */
#define RATIO_OF_ODDS 2.0		/* of another share, beyond what is allowed for */
#define LIMIT         14.5		/* natural units */
#define STEP_MOST     0.25		/* of the limit: no dump decides by itself */
#define SUSPECT       0.4		/* of the limit, beyond which an hour is not learned */
#define VARIES_BLOCKS 4.0		/* that vary by chance alone are taken to have been before the first */
#define VARIES_GAIN   0.01
#define VARIES_CLIP   4.0

/* --- hours --- */

/* 1970 began with a Thursday. */
static unsigned
slot_of(int64_t hour)
{
	int64_t day = hour / 24 - (hour % 24 < 0);
	unsigned of_week = (unsigned)(((day + 3) % 7 + 7) % 7);

	return (unsigned)(hour - day * 24) + (of_week >= 5 ? 24 : 0);
}

static bool
is_dated(const struct seasonal_share *s)
{
	return s->hour != INT64_MIN;
}

/* --- what is expected --- */

static double
logit(double p)
{
	return log(p / (1 - p));
}

static double
share_of_logit(double x)
{
	return 1 / (1 + exp(-x));
}

/* How many there were of what fades by 1 / kept each time, as far as that is in a sum. */
static double
kept_of(double count, double kept)
{
	return kept * (1 - pow(1 - 1 / kept, count));
}

/* Of an hour with so many tries, in the variance of a binomial: at least what it is in all hours, and what a share that
 * is another one each hour makes of many tries. */
static double
varies_of(const struct seasonal_share *s, double tries, double p)
{
	double more = s->weight > 0 && s->extra > 0 ? 1 + s->extra / s->weight * tries * p * (1 - p) : 1;

	return more > s->varies ? more : s->varies;
}

/* By how much the logit of an hour may differ of which nothing is known yet. */
static double
unknown_logit(const struct seasonal_share *s)
{
	double usual = log(UNKNOWN_ODDS), varies = s->weight > 0 && s->extra > 0 ? sqrt(s->extra / s->weight) : 0;

	return s->blocks < FIRST_BLOCKS ? fmax(usual, FIRST_VARIES * varies) : usual;
}

/* The share of the hour at hand, never quite 0 or 1; how it varies; and by how much its logit may differ. */
static double
expect(const struct seasonal_share *s, double *varies, double *allowed)
{
	double all = (s->hits + 0.5) / (s->tries + 1), p = all, tries = s->tries + 1;
	double of_block = s->tries / kept_of((double)s->blocks, BLOCKS_KEPT);
	bool known = true;

	if (s->slots != NULL && is_dated(s)) {
		const struct share_slot *slot = &s->slots[slot_of(s->hour)];

		known = slot->visits >= VISITS_LEAST;
		if (known) {
			tries = (double)slot->tries + PRIOR;
			p = ((double)slot->hits + PRIOR * all) / tries;
			of_block = (double)slot->tries / kept_of(slot->visits, VISITS_KEPT);
		}
	}
	*varies = varies_of(s, of_block, p);
	*allowed = SURE * sqrt(*varies / (tries * p * (1 - p)));
	if (!known)
		*allowed = fmax(*allowed, unknown_logit(s));
	return p;
}

static struct share_gain
gain_of(double p, double away, double varies)
{
	double from = share_of_logit(logit(p) + away),
	       to = share_of_logit(logit(p) + away + copysign(log(RATIO_OF_ODDS), away));

	return (struct share_gain){ .hit = log(to / from) / varies, .miss = log((1 - to) / (1 - from)) / varies };
}

static void
begin_block(struct seasonal_share *s)
{
	double allowed;

	s->ready = s->blocks > 0 && s->tries > 0;
	if (!s->ready)
		return;
	s->expected = expect(s, &s->varies_now, &allowed);
	s->gains[0] = gain_of(s->expected, allowed, s->varies_now);
	s->gains[1] = gain_of(s->expected, -allowed, s->varies_now);
}

/* --- learning --- */

/* In hours of a share that was always all or nothing, there is nothing to know of each. */
static void
learn_slot(struct seasonal_share *s)
{
	struct share_slot *slot;

	if (!is_dated(s))
		return;
	if (s->slots == NULL && (s->hits + s->block_hits <= 0 || s->hits + s->block_hits >= s->tries + s->block_tries))
		return;
	if (s->slots == NULL)
		s->slots = mem_new(SHARE_SLOTS, sizeof *s->slots);
	slot = &s->slots[slot_of(s->hour)];
	slot->hits = (float)((double)slot->hits * (1 - 1 / VISITS_KEPT) + s->block_hits);
	slot->tries = (float)((double)slot->tries * (1 - 1 / VISITS_KEPT) + s->block_tries);
	slot->visits += slot->visits < UINT32_MAX;
}

static void
learn_variance(struct seasonal_share *s)
{
	double off = s->block_hits - s->block_expected, variance = s->block_variance;
	double most = VARIES_CLIP * (1 + s->varies_now) * variance, gain, squared = off * off;

	if (variance < 1)
		return;
	squared = squared < most ? squared : most;
	gain = 1 / (VARIES_BLOCKS + (double)s->blocks + 1);
	gain = gain > VARIES_GAIN ? gain : VARIES_GAIN;
	s->varies += gain * (squared / variance - s->varies);
	s->varies = s->varies > 1 ? s->varies : 1;
	s->extra += gain * (squared - variance - s->extra);
	s->weight += gain * (variance * variance - s->weight);
}

static void
end_block(struct seasonal_share *s)
{
	double keeps = 1 - 1 / BLOCKS_KEPT;

	if (s->block_tries > 0 && s->rise.sum <= SUSPECT * LIMIT && s->fall.sum <= SUSPECT * LIMIT) {
		learn_variance(s);
		learn_slot(s);
		s->hits = s->hits * keeps + s->block_hits;
		s->tries = s->tries * keeps + s->block_tries;
		s->blocks++;
	}
	s->block_measures = 0;
	s->block_hits = s->block_tries = s->block_expected = s->block_variance = 0;
}

/* The odds of all hours are what they are since it changed. */
static void
move_to(struct seasonal_share *s, const struct share_evidence *since)
{
	double moved = logit((since->hits + 0.5) / (since->tries + 1)) -
		       logit((since->expected + 0.5) / (since->tries + 1));

	for (unsigned k = 0; s->slots != NULL && k < SHARE_SLOTS; k++) {
		double p = ((double)s->slots[k].hits + 0.5) / ((double)s->slots[k].tries + 1);

		s->slots[k].tries /= 4;
		s->slots[k].hits = (float)((double)s->slots[k].tries * share_of_logit(logit(p) + moved));
	}
	s->hits = since->hits;
	s->tries = since->tries;
	s->measures = s->block_measures = 0;
	s->block_hits = s->block_tries = s->block_expected = s->block_variance = 0;
	s->rise = s->fall = (struct share_evidence){ 0 };
	begin_block(s);
}

/* --- measures --- */

static void
add_evidence(struct seasonal_share *s, struct share_evidence *e, const struct share_gain *gain, double hits,
	     double tries)
{
	double more = hits * gain->hit + (tries - hits) * gain->miss;

	e->sum += more < STEP_MOST * LIMIT ? more : STEP_MOST * LIMIT;
	if (e->sum <= 0) {
		*e = (struct share_evidence){ 0 };
		return;
	}
	e->hits += hits;
	e->tries += tries;
	e->expected += tries * s->expected;
	e->variance += tries * s->expected * (1 - s->expected);
}

static struct share_change
change_by(const struct seasonal_share *s, const struct share_evidence *e)
{
	return (struct share_change){ .seen = e->hits / e->tries,
				      .expected = e->expected / e->tries,
				      .score = (e->hits - e->expected) / sqrt(e->variance * s->varies_now) };
}

static void
come_to(struct seasonal_share *s, int64_t time_ns)
{
	int64_t hour = time_ns == STK_TIME_UNKNOWN ? INT64_MIN : time_units(time_ns, HOUR_NS);
	bool first = s->varies <= 0;

	if (!first && hour == s->hour && (is_dated(s) || s->block_measures < UNDATED_BLOCK))
		return;
	if (first)
		s->varies = 1;
	else
		end_block(s);
	s->hour = hour;
	begin_block(s);
}

bool
seasonal_share_take(struct seasonal_share *s, double hits, double tries, int64_t time_ns, struct share_change *change)
{
	const struct share_evidence *found;

	come_to(s, time_ns);
	s->measures++;
	s->block_measures++;
	s->block_hits += hits;
	s->block_tries += tries;
	if (!s->ready)
		return false;
	s->block_expected += tries * s->expected;
	s->block_variance += tries * s->expected * (1 - s->expected);
	if (s->measures <= LEARNS)
		return false;
	add_evidence(s, &s->rise, &s->gains[0], hits, tries);
	add_evidence(s, &s->fall, &s->gains[1], hits, tries);
	found = s->rise.sum > LIMIT ? &s->rise : s->fall.sum > LIMIT ? &s->fall : NULL;
	if (found == NULL)
		return false;
	*change = change_by(s, found);
	move_to(s, found);
	return true;
}

bool
seasonal_share_is_all(const struct seasonal_share *s)
{
	return s == NULL || (s->slots == NULL && s->hits >= s->tries && s->block_hits >= s->block_tries);
}

struct seasonal_share *
seasonal_share_open(void)
{
	return mem_new(1, sizeof(struct seasonal_share));
}

void
seasonal_share_close(struct seasonal_share *s)
{
	if (s == NULL)
		return;
	free(s->slots);
	free(s);
}

size_t
seasonal_share_bytes(const struct seasonal_share *s)
{
	return s == NULL ? 0 : sizeof *s + (s->slots == NULL ? 0 : SHARE_SLOTS * sizeof *s->slots);
}

/* --- states --- */

enum { OF_ALL = SHARE_SLOTS, OF_BLOCK, OF_VARIANCE, OF_RISE, OF_RISE_EXPECTED, OF_FALL, OF_FALL_EXPECTED };

bool
seasonal_share_part(const struct seasonal_share *s, unsigned part, struct share_part *out)
{
	const struct share_evidence *e;

	*out = (struct share_part){ 0 };
	if (s == NULL || s->varies <= 0)
		return false;
	e = part == OF_RISE || part == OF_RISE_EXPECTED ? &s->rise : &s->fall;
	if (part < SHARE_SLOTS) {
		if (s->slots == NULL || s->slots[part].visits == 0)
			return false;
		*out = (struct share_part){ .count = s->slots[part].visits,
					    .a = (double)s->slots[part].hits,
					    .b = (double)s->slots[part].tries };
		return true;
	}
	switch (part) {
	case OF_ALL:
		*out = (struct share_part){ s->measures, s->blocks, s->hits, s->tries, s->varies };
		return true;
	case OF_BLOCK:
		*out = (struct share_part){ (uint64_t)s->hour, s->block_measures, s->block_hits, s->block_tries,
					    s->block_expected };
		return true;
	case OF_VARIANCE:
		*out = (struct share_part){ .a = s->block_variance, .b = s->extra, .c = s->weight };
		return out->a > 0 || out->c > 0;
	case OF_RISE:
	case OF_FALL:
		*out = (struct share_part){ .a = e->sum, .b = e->hits, .c = e->tries };
		return e->sum > 0;
	default:
		*out = (struct share_part){ .a = e->expected, .b = e->variance };
		return e->sum > 0;
	}
}

void
seasonal_share_restore(struct seasonal_share *s, unsigned part, const struct share_part *from)
{
	struct share_evidence *e = part == OF_RISE || part == OF_RISE_EXPECTED ? &s->rise : &s->fall;

	if (part < SHARE_SLOTS) {
		if (s->slots == NULL)
			s->slots = mem_new(SHARE_SLOTS, sizeof *s->slots);
		s->slots[part] = (struct share_slot){ .hits = (float)from->a,
						      .tries = (float)from->b,
						      .visits = (uint32_t)from->count };
		return;
	}
	switch (part) {
	case OF_ALL:
		s->measures = from->count;
		s->blocks = from->more;
		s->hits = from->a;
		s->tries = from->b;
		s->varies = from->c;
		break;
	case OF_BLOCK:
		s->hour = (int64_t)from->count;
		s->block_measures = from->more;
		s->block_hits = from->a;
		s->block_tries = from->b;
		s->block_expected = from->c;
		break;
	case OF_VARIANCE:
		s->block_variance = from->a;
		s->extra = from->b;
		s->weight = from->c;
		break;
	case OF_RISE:
	case OF_FALL:
		e->sum = from->a;
		e->hits = from->b;
		e->tries = from->c;
		break;
	default:
		e->expected = from->a;
		e->variance = from->b;
	}
}

void
seasonal_share_resume(struct seasonal_share *s)
{
	if (s != NULL && s->varies > 0)
		begin_block(s);
}
