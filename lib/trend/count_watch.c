/* SPDX-License-Identifier: MIT
 * count_watch: most series are in few dumps. What a run of dumps without one means is linear in what was expected of
 * it, so that a series is settled when a dump has it and at the end of each slot; only those expected often take each
 * dump. */
#include "trend/count_watch.h"

#include "base/time_math.h"

#include <math.h>

#define HOUR_NS         INT64_C(3600000000000)
#define GRAIN           1048576.0       /* of sums over series */
#define GRAIN_MOST      1e9
#define FLOOR           0.02            /* threads a dump that are expected at least */
#define EAGER           1.0             /* threads a dump from which a series takes each */
#define VISITS_LEAST    2               /* to a slot, before findings are reported in it */
#define WEEKS_KEPT      4.0
#define VISITS_KEPT     4.0
#define OWN_SEASON      (1 / 0.09)      /* hits from which a series shows its own season: it differs by 30 % */
#define OWN_SLOT        30.0            /* hits from which it shows within two slots of another */
#define SUSPECT_LEARNS  0.6             /* of a limit, beyond which its hits are not learned */
#define SUSPECT_VARIES  0.5
#define LOAD_SERIES     10              /* from which there is a load in common */
#define LOAD_SHARE      0.1             /* of the say in it, at most */
#define LOAD_MEMORY     400.0           /* hits, */
#define LOAD_DUMPS      15.0            /* but no more dumps */
#define LOAD_PRIOR      5.0
#define LOAD_NONE       0.25            /* nothing runs */
#define LOAD_ODD        2.0             /* such days are not learned */
#define GROSS           16.0
#define FADES_HOURLY    0.9995
#define ABOVE_HIGHEST   1.25
#define BURST_TIMES     2.5
#define BURST_LEAST     4.0
#define BURST_PRIOR     5.0
#define BURST_SURE      3.5
#define BURST_LOWEST    17.0
/* What limits are beyond the logarithm of how often they are tried: what is expected is itself but an estimate. Set on
 * generated records (make_counts) of seeds below 10. */
#define EXTRA_EIGHTFOLD 7.0
#define EXTRA_TWOFOLD   6.5
#define EXTRA_SLOW      4.5
#define STEP_MOST       0.25            /* of a limit: no dump decides by itself */
#define SILENT_NS       (2 * HOUR_NS)
#define SILENT_DUMPS    40
#define RESCALED_NS     (12 * HOUR_NS)
#define NEW_HITS        5.0
#define GONE_VARIES     6.0             /* times what is expected by chance, all of it missing */
#define GONE_SINCE      0.8             /* of what was expected since the finding began, all of it missing */
#define NOISY_HITS      100.0           /* a day, from which days show their own noise */
#define NOISY_LEAST     5
#define NOISE_LEAST     0.02
#define NOISE_USUAL     0.05
#define LIMIT_WIDTH     1.96

static const double test_ratio[COUNT_TESTS] = { 8, 2, 0.5, 1.25, 0.8 };
static const double block_keeps[COUNT_SCALES] = { 0.9997, 0.998, 0.95 };
static const double near_slots[5] = { 1. / 3, 2. / 3, 1, 2. / 3, 1. / 3 };

/* --- limits --- */

#define TRIES           1200.0          /* six tests of 100 series, for half a false finding */

double
count_watch_limit(enum count_test test, double dumps_a_day)
{
	double a_month = 30 * fmax(24, dumps_a_day);

	switch (test) {
	case RISES_EIGHTFOLD: return log(a_month * TRIES) + EXTRA_EIGHTFOLD;
	case RISES_TWOFOLD:
	case FALLS_BY_HALF: return log(720 * TRIES) + EXTRA_TWOFOLD;
	default: return log(30 * TRIES) + EXTRA_SLOW;
	}
}

/* Beyond BURST_LEAST what is not expected of an hour falls off exponentially: how fast is the series' own. */
double
count_burst_limit(const struct counted *c)
{
	double seen = c->bursts + BURST_PRIOR, fall = (c->burst_excess + BURST_PRIOR) / seen,
	       wanted = 1 / (720 * TRIES);
	double often = (c->bursts + 1) / (c->burst_hours + 1);

	return fmax(BURST_LOWEST, BURST_LEAST + fall * (1 + BURST_SURE / sqrt(seen)) * log(often / wanted));
}

double
count_burst(double hits, double expected, double varies)
{
	double shape = expected / (varies - 1 + 0.001);

	return hits <= expected || expected <= 0
		       ? 0
		       : hits * log(hits / expected) - (hits + shape) * log((hits + shape) / (expected + shape));
}

/* The likelihood ratio of negative binomials, which is linear in hits and in what was expected. */
static void
find_gains(struct counted *c)
{
	for (unsigned t = 0; t < COUNT_TESTS; t++) {
		double over = c->blocks[t >= RISES_SLOWLY ? OF_DAYS : OF_HOURS].varies - 1, ratio = test_ratio[t], more;

		over = fmax(over, 1e-3);
		more = log((1 + ratio * over) / (1 + over));
		c->gains[t].hit = log(ratio) - more;
		c->gains[t].expected = -more / over;
	}
}

/* --- sums that do not depend on the order of series --- */

static int64_t
grains(double value)
{
	return llround(fmin(value, GRAIN_MOST) * GRAIN);
}

static double
of_grains(int64_t sum)
{
	return (double)sum / GRAIN;
}

/* --- opening --- */

void
count_watch_open(struct count_watch *w, struct season_calendar *calendar)
{
	*w = (struct count_watch){ .calendar = calendar,
				   .latest_ns = STK_TIME_UNKNOWN,
				   .load = 1,
				   .slots = mem_new(season_slots(calendar), sizeof *w->slots),
				   .day_noise = NOISE_USUAL * NOISE_USUAL };
	for (unsigned s = 0; s < season_slots(calendar); s++)
		w->slots[s] = (struct watched_slot){ .shape = 1, .day = INT64_MIN };
	for (unsigned t = 0; t < COUNT_TESTS; t++)
		w->limits[t] = count_watch_limit(t, 0);
}

void
count_watch_release(struct count_watch *w)
{
	for (size_t i = 0; i < w->series.count; i++)
		free(w->series.at[i].season);
	array_release(&w->series);
	array_release(&w->hit);
	array_release(&w->eager);
	free(w->slots);
	w->slots = NULL;
}

bool
count_watch_is_ready(const struct count_watch *w)
{
	return w->days >= COUNT_WATCH_DAYS;
}

int64_t
count_watch_dump_ns(const struct count_watch *w)
{
	return (int64_t)(24 * (double)HOUR_NS / fmax(24, w->a_day));
}

uint32_t
count_watch_add(struct count_watch *w, bool loads, bool whole)
{
	struct counted *c = array_push(&w->series);

	*c = (struct counted){ .loads = loads,
			       .whole = whole,
			       .season = mem_new(season_slots(w->calendar), sizeof *c->season),
			       .level = 0.5 / (w->all_dumps + 1),
			       .exposure = w->exposure,
			       .dumps = w->dumps,
			       .settled_ns = w->latest_ns,
			       .block = w->dump / COUNT_HIGHEST,
			       .silent_ns = INT64_MIN };
	c->level_before = c->level;
	c->rate = c->level;
	for (unsigned b = 0; b < COUNT_SCALES; b++)
		c->blocks[b].varies = 1.5;
	for (unsigned r = 0; r < COUNT_HIGHEST; r++)
		c->recent[r].dump = UINT64_MAX;
	find_gains(c);
	return (uint32_t)w->series.count - 1;
}

void
count_watch_copy(struct count_watch *w, uint32_t from, uint32_t to)
{
	struct counted *copy = &w->series.at[to];
	float *season = copy->season;
	double now = copy->now;

	memcpy(season, w->series.at[from].season, season_slots(w->calendar) * sizeof *season);
	*copy = w->series.at[from];
	copy->season = season;
	copy->now = now;
}

void
count_watch_hit(struct count_watch *w, uint32_t series, double hits)
{
	if (w->series.at[series].now <= 0 && hits > 0)
		*array_push(&w->hit) = series;
	w->series.at[series].now += hits;
}

/* --- how much it varies --- */

static double
suspicion(const struct count_watch *w, const struct counted *c)
{
	double most = 0;

	for (unsigned t = 0; t < COUNT_TESTS; t++)
		most = fmax(most, c->tests[t].sum / w->limits[t]);
	return most;
}

static bool
is_steady(const struct count_watch *w, const struct counted *c)
{
	return !count_watch_is_ready(w) || (c->open.until_ns == 0 && suspicion(w, c) <= SUSPECT_VARIES);
}

static double
surprise(const struct count_blocks *b, double hits, double expected)
{
	double away = hits - expected;

	return fmin(away * away, GROSS * b->varies * expected + 9);
}

static void
find_variation(struct count_blocks *b)
{
	b->varies = fmax(1, (b->squares + 15) / (b->total + 10));
}

static void
end_block(const struct count_watch *w, struct counted *c, enum count_scale scale)
{
	struct count_blocks *b = &c->blocks[scale];

	if (b->expected > 0 && is_steady(w, c)) {
		b->squares = block_keeps[scale] * b->squares + surprise(b, b->hits, b->expected);
		b->total = block_keeps[scale] * b->total + b->expected;
		if (scale != OF_DAYS)
			find_variation(b);
	}
	b->hits = b->expected = 0;
}

/* Blocks without a hit, of which as much was expected each. */
static void
skip_blocks(const struct count_watch *w, struct counted *c, uint64_t blocks, double expected)
{
	struct count_blocks *b = &c->blocks[OF_DUMPS];
	double keeps = pow(block_keeps[OF_DUMPS], (double)blocks), fresh = (1 - keeps) / (1 - block_keeps[OF_DUMPS]);

	if (blocks == 0 || expected <= 0 || !is_steady(w, c))
		return;
	b->squares = keeps * b->squares + fresh * surprise(b, 0, expected);
	b->total = keeps * b->total + fresh * expected;
	find_variation(b);
}

/* The dumps since it was settled had none; `expected` of them. */
static void
pass_blocks(const struct count_watch *w, struct counted *c, double expected)
{
	uint64_t block = w->dump / COUNT_HIGHEST, passed = block - c->block;
	double each = expected / ((double)passed + 1);

	c->blocks[OF_DUMPS].expected += each;
	if (passed > 0) {
		end_block(w, c, OF_DUMPS);
		skip_blocks(w, c, passed - 1, each);
		c->blocks[OF_DUMPS].expected = each;
		c->block = block;
	}
	c->blocks[OF_HOURS].expected += expected;
	c->blocks[OF_DAYS].expected += expected;
}

static void
add_to_blocks(struct counted *c, double hits, double expected)
{
	for (unsigned b = 0; b < COUNT_SCALES; b++) {
		c->blocks[b].hits += hits;
		c->blocks[b].expected += expected;
	}
}

/* --- evidence --- */

static void
keep_highest(double highest[COUNT_HIGHEST], double value)
{
	for (unsigned i = 0; i < COUNT_HIGHEST; i++)
		if (value > highest[i]) {
			double next = highest[i];

			highest[i] = value;
			value = next;
		}
}

struct run {
	double hits, expected, dumps;
	int64_t from_ns;
};

static void
add_evidence(struct evidence_sum *e, double gain, const struct run *run)
{
	if (e->sum <= 0 && gain > 0)
		e->began_ns = run->from_ns;
	e->sum += gain;
	if (e->sum > 0) {
		e->hits += run->hits;
		e->expected += run->expected;
		e->dumps += run->dumps;
		e->most = fmax(e->most, e->sum);
		return;
	}
	keep_highest(e->highest, e->most);
	e->sum = e->hits = e->expected = e->dumps = e->most = 0;
}

/* Slow tests compare with the level of a week ago: what was learned of a slow move would hide it. */
static double
slow_expected(const struct count_watch *w, const struct counted *c, double expected)
{
	if (w->days < COUNT_WATCH_DAYS + 7 || c->level <= 0)
		return expected;
	return expected * fmin(1.5, fmax(1 / 1.5, c->level_before / c->level));
}

static void
add_to_tests(const struct count_watch *w, struct counted *c, const struct run *run)
{
	double slow = slow_expected(w, c, run->expected);

	for (unsigned t = 0; t < COUNT_TESTS; t++) {
		double gain =
			run->hits * c->gains[t].hit + (t >= RISES_SLOWLY ? slow : run->expected) * c->gains[t].expected;

		add_evidence(&c->tests[t], fmin(gain, w->limits[t] * STEP_MOST), run);
	}
}

static bool
is_judged(const struct count_watch *w, const struct counted *c, int64_t time_ns)
{
	return w->days >= COUNT_WATCH_DAYS / 2 && w->slots[w->slot].visits >= VISITS_LEAST && c->silent_ns <= time_ns &&
	       c->open.until_ns == 0;
}

/* --- findings --- */

static void
tell(uint32_t number, enum count_kind kind, const struct open_count *of, double varies,
     double score, int64_t told_ns, const struct count_listener *listener)
{
	double dumps = fmax(1, of->dumps), width = exp(LIMIT_WIDTH * sqrt(varies / (of->hits + 0.5)));

	listener->tell(listener->context, &(struct count_finding){ .series = number,
								   .kind = kind,
								   .began_ns = of->began_ns,
								   .told_ns = told_ns,
								   .before = of->expected / dumps,
								   .after = of->hits / dumps,
								   .low = of->hits / dumps / width,
								   .high = (of->hits + 0.5) / dumps * width,
								   .score = score });
}

static void
forget_evidence(struct counted *c)
{
	for (unsigned t = 0; t < COUNT_TESTS; t++)
		c->tests[t].sum = c->tests[t].hits = c->tests[t].expected = c->tests[t].dumps = c->tests[t].most = 0;
	c->burst_most = 0;
}

static enum count_kind
kind_of(const struct count_watch *w, const struct counted *c, const struct open_count *of)
{
	if (of->ratio > 1 && c->rate < FLOOR && c->level * w->all_dumps < NEW_HITS)
		return COUNT_NEW;
	/* one dump without it is no more than chance where it became rare: most of those since it began are */
	if (of->ratio < 1 && c->since_hit >= GONE_VARIES * c->blocks[OF_HOURS].varies &&
	    c->since_hit >= GONE_SINCE * of->expected)
		return COUNT_GONE;
	return of->burst ? COUNT_BURST : of->test >= RISES_SLOWLY ? COUNT_DRIFT : COUNT_SHIFT;
}

static bool
has_say(const struct count_watch *w, const struct counted *c)
{
	return c->loads && c->silent_ns <= w->slot_ns;
}

static void
open_finding(struct count_watch *w, uint32_t number, struct open_count of, double score, int64_t time_ns,
	     const struct count_listener *listener)
{
	struct counted *c = &w->series.at[number];
	int64_t settle_ns = SILENT_DUMPS * count_watch_dump_ns(w);
	enum count_kind kind;

	of.ratio = (of.hits + 0.01) / (of.expected + 0.01);
	kind = kind_of(w, c, &of);
	of.hits = kind == COUNT_GONE ? 0 : of.hits;
	tell(number, kind, &of, c->blocks[of.test >= RISES_SLOWLY ? OF_DAYS : OF_HOURS].varies, score, time_ns,
	     listener);
	if (has_say(w, c))
		w->load_weight -= grains(c->weight * c->rate);
	c->open = (struct open_count){ .until_ns = time_ns + (settle_ns > SILENT_NS ? settle_ns : SILENT_NS),
				       .began_ns = of.began_ns,
				       .ratio = of.ratio,
				       .test = of.test,
				       .burst = of.burst };
	c->silent_ns = c->open.until_ns;
	forget_evidence(c);
}

/* The expected hits of the dump at hand and of those before it, up to `back`. */
static void
sum_recent(const struct count_watch *w, const struct counted *c, unsigned back, struct open_count *to)
{
	for (unsigned r = 0; r <= back; r++) {
		to->expected += fmax(c->rate, FLOOR) * w->recent[r];
		to->dumps++;
	}
	for (unsigned r = 0; r < COUNT_HIGHEST; r++)
		if (c->recent[r].dump != UINT64_MAX && w->dump - c->recent[r].dump <= back)
			to->hits += c->recent[r].hits;
}

static double
judge_burst(const struct count_watch *w, const struct counted *c, struct open_count *worst)
{
	double most = 0;

	for (unsigned back = 0; back < COUNT_HIGHEST; back++) {
		struct open_count of = { .burst = true };
		double is;

		sum_recent(w, c, back, &of);
		if (of.hits <= BURST_TIMES * of.expected)
			continue;
		is = count_burst(of.hits, of.expected, c->blocks[OF_DUMPS].varies);
		if (is > most) {
			most = is;
			*worst = of;
		}
	}
	return most;
}

static bool
is_beyond(const struct count_watch *w, const struct counted *c, unsigned test)
{
	return c->tests[test].sum >= fmax(w->limits[test], ABOVE_HIGHEST * c->tests[test].highest[0]);
}

/* What crossed its limit tells; the test with the most evidence to the same side says what it is. */
static void
judge_sums(struct count_watch *w, uint32_t number, int64_t time_ns, const struct count_listener *listener)
{
	struct counted *c = &w->series.at[number];
	unsigned crossed = 0, best;

	while (crossed < COUNT_TESTS && !is_beyond(w, c, crossed))
		crossed++;
	if (crossed == COUNT_TESTS)
		return;
	best = crossed;
	for (unsigned t = 0; t < COUNT_TESTS; t++)
		if ((test_ratio[t] > 1) == (test_ratio[crossed] > 1) && c->tests[t].sum > c->tests[best].sum)
			best = t;
	open_finding(w, number,
		     (struct open_count){ .hits = c->tests[best].hits,
					  .expected = c->tests[best].expected,
					  .dumps = c->tests[best].dumps,
					  .began_ns = c->tests[best].began_ns,
					  .test = best },
		     sqrt(2 * c->tests[best].sum), time_ns, listener);
}

static void
judge(struct count_watch *w, uint32_t number, double hits, int64_t time_ns, const struct count_listener *listener)
{
	struct counted *c = &w->series.at[number];
	struct open_count of = { 0 };
	double burst = hits > 0 && !c->whole ? judge_burst(w, c, &of) : 0;

	if (count_watch_is_ready(w) && burst >= BURST_LOWEST && burst >= count_burst_limit(c)) {
		of.began_ns = time_ns;
		open_finding(w, number, of, sqrt(2 * burst), time_ns, listener);
		return;
	}
	c->burst_most = fmax(c->burst_most, burst);
	if (count_watch_is_ready(w))
		judge_sums(w, number, time_ns, listener);
}

/* --- a level that was found --- */

/* What was learned of it, as if it had always been so. Of what is new nothing was: the little that came of it since it
 * began is no season. */
static void
rescale(struct count_watch *w, struct counted *c, double ratio)
{
	unsigned slots = season_slots(w->calendar);
	bool fresh = ratio > 1 && c->level < FLOOR;

	ratio = fmin(1e4, fmax(FLOOR, ratio));
	for (unsigned s = 0; s < slots; s++)
		c->season[s] =
			(float)(ratio * (fresh ? FLOOR * w->slots[s].dumps * w->slots[s].shape : (double)c->season[s]));
	c->level_before = fmax(c->level_before, fresh ? FLOOR : 0) * ratio;
	c->level = (fresh ? FLOOR : c->level) * ratio;
	c->rate = fmax(c->rate, fresh ? FLOOR : 0) * ratio;
}

/* Does it last? */
static void
settle_finding(struct count_watch *w, uint32_t number, int64_t time_ns, const struct count_listener *listener)
{
	struct counted *c = &w->series.at[number];
	struct open_count of = c->open;
	double ratio = (of.hits + 0.5) / (of.expected + 0.5), far = of.test >= RISES_SLOWLY ? 1 : sqrt(of.ratio);

	if (of.until_ns == 0 || time_ns < of.until_ns)
		return;
	c->open = (struct open_count){ 0 };
	if (of.ratio > 1 ? ratio <= far : ratio >= far) {
		tell(number, COUNT_WENT_AWAY, &of, c->blocks[OF_HOURS].varies, 0, time_ns, listener);
		return;
	}
	if (of.burst)
		tell(number, COUNT_SHIFT, &of, c->blocks[OF_HOURS].varies,
		     sqrt(2 * fabs(of.hits * log(ratio) - of.expected * (ratio - 1)) / c->blocks[OF_HOURS].varies),
		     time_ns, listener);
	rescale(w, c, of.test >= RISES_SLOWLY ? of.ratio : ratio);
	c->silent_ns = time_ns + RESCALED_NS;
}

/* --- a series takes dumps --- */

static void
take(struct count_watch *w, uint32_t number, const struct run *run, int64_t time_ns,
     const struct count_listener *listener)
{
	struct counted *c = &w->series.at[number];

	if (c->open.until_ns != 0) {
		c->open.hits += run->hits;
		c->open.expected += run->expected;
		c->open.dumps += run->dumps;
	}
	c->since_hit = run->hits > 0 ? 0 : c->since_hit + run->expected;
	if (!is_judged(w, c, time_ns))
		return;
	add_to_tests(w, c, run);
	judge(w, number, run->hits, time_ns, listener);
}

/* The dumps since it was settled, which had none of it, up to the present one, which is not among them. */
static void
settle(struct count_watch *w, uint32_t number, const struct count_listener *listener)
{
	struct counted *c = &w->series.at[number];
	struct run run = { 0, fmax(c->rate, FLOOR) * (w->exposure - c->exposure), w->dumps - c->dumps, c->settled_ns };

	c->exposure = w->exposure;
	c->dumps = w->dumps;
	c->settled_ns = w->latest_ns;
	if (c->whole || run.dumps <= 0)
		return;
	pass_blocks(w, c, run.expected);
	take(w, number, &run, w->latest_ns, listener);
}

static void
take_dump(struct count_watch *w, uint32_t number, double dumps, double load, int64_t time_ns,
	  const struct count_listener *listener)
{
	struct counted *c = &w->series.at[number];
	double hits = c->now;
	struct run run = { hits, fmax(c->rate, FLOOR) * dumps * (c->whole ? 1 : load), dumps, time_ns };

	c->now = 0;
	pass_blocks(w, c, 0);
	add_to_blocks(c, hits, run.expected);
	if (hits > 0) {
		memmove(c->recent + 1, c->recent, (COUNT_HIGHEST - 1) * sizeof *c->recent);
		c->recent[0] = (struct recent_hits){ w->dump, hits };
	}
	take(w, number, &run, time_ns, listener);
}

/* --- slots, hours, days --- */

static unsigned
near_slot(const struct season_period *period, unsigned slot, int away)
{
	int at = (int)(slot - period->first) + away, slots = (int)period->slots;

	return period->first + (unsigned)((at % slots + slots) % slots);
}

/* Its own season leans towards that around it, and this towards the one of all. */
static double
rate_in(const struct count_watch *w, const struct counted *c, const struct season_period *period, unsigned slot)
{
	const struct watched_slot *at = &w->slots[slot];
	double varies = c->blocks[OF_HOURS].varies, hits = 0, expected = 0, around, own;

	for (int i = -2; i <= 2; i++) {
		unsigned near = near_slot(period, slot, i);

		hits += near_slots[i + 2] * (double)c->season[near];
		expected += near_slots[i + 2] * w->slots[near].dumps * w->slots[near].shape * c->level;
	}
	around = (hits + varies * OWN_SEASON) / (expected + varies * OWN_SEASON);
	own = at->dumps * at->shape * c->level;
	return at->shape * c->level * ((double)c->season[slot] + varies * OWN_SLOT * around) /
	       (own + varies * OWN_SLOT);
}

static void
begin_slot(struct count_watch *w, const struct season_place *place, int64_t time_ns)
{
	const struct season_period *period = season_period(w->calendar, place->period);

	w->slot = place->slot;
	w->period = place->period;
	w->day = place->day;
	w->slot_ns = time_ns;
	w->exposure = w->dumps = w->slot_dumps = 0;
	w->load_weight = 0;
	for (uint32_t i = 0; i < w->series.count; i++) {
		struct counted *c = &w->series.at[i];

		c->exposure = c->dumps = 0;
		if (w->days > 0)
			c->rate = rate_in(w, c, period, w->slot);
		if (has_say(w, c))
			w->load_weight += grains(c->weight * c->rate);
	}
}

/* Before anything is judged only all threads, which are never settled later, need take each dump. */
static void
find_eager(struct count_watch *w)
{
	w->eager.count = 0;
	for (uint32_t i = 0; i < w->series.count; i++) {
		find_gains(&w->series.at[i]);
		if (w->series.at[i].whole || (w->days >= COUNT_WATCH_DAYS / 2 && w->series.at[i].rate >= EAGER))
			*array_push(&w->eager) = i;
	}
}

static void
find_limits(struct count_watch *w)
{
	for (unsigned t = 0; t < COUNT_TESTS; t++)
		w->limits[t] = count_watch_limit(t, w->a_day);
}

void
count_watch_resume(struct count_watch *w)
{
	find_limits(w);
	find_eager(w);
}

int64_t
count_watch_hour(int64_t time_ns)
{
	return time_ns / HOUR_NS - (time_ns % HOUR_NS < 0);
}

static void
end_slot(struct count_watch *w)
{
	struct watched_slot *slot = &w->slots[w->slot];
	const struct season_period *period = season_period(w->calendar, w->period);
	double keeps = 1 - 1 / fmax(VISITS_KEPT, period->cycles * WEEKS_KEPT / 52);
	bool anew = slot->day != w->day;

	if (w->slot_dumps <= 0)
		return;
	for (uint32_t i = 0; i < w->series.count; i++) {
		struct counted *c = &w->series.at[i];
		bool held = count_watch_is_ready(w) && (c->open.until_ns != 0 || suspicion(w, c) > SUSPECT_LEARNS);

		c->season[w->slot] = (float)((anew ? keeps : 1) * (double)c->season[w->slot] +
					     (held ? c->rate * w->slot_dumps : c->slot_hits));
		c->slot_hits = 0;
	}
	slot->dumps = (anew ? keeps : 1) * slot->dumps + w->slot_dumps;
	slot->visits += anew;
	slot->day = w->day;
}

static void
note_hour(struct counted *c)
{
	c->burst_hours = FADES_HOURLY * c->burst_hours + 1;
	c->bursts = FADES_HOURLY * c->bursts + (c->burst_most > BURST_LEAST);
	c->burst_excess = FADES_HOURLY * c->burst_excess + fmax(0, c->burst_most - BURST_LEAST);
	c->burst_most = 0;
}

static void
end_hour(struct count_watch *w)
{
	for (uint32_t i = 0; i < w->series.count; i++) {
		struct counted *c = &w->series.at[i];

		end_block(w, c, OF_HOURS);
		for (unsigned h = 0; h < COUNT_HIGHEST; h++)
			for (unsigned t = 0; t < COUNT_TESTS; t++)
				c->tests[t].highest[h] *= FADES_HOURLY;
		if (is_judged(w, c, w->latest_ns))
			note_hour(c);
	}
}

static double
season_hits(const struct count_watch *w, const struct counted *c)
{
	double hits = 0;

	for (unsigned s = 0; s < season_slots(w->calendar); s++)
		hits += (double)c->season[s];
	return hits;
}

/* The season that all have in common: each series by the root of its hits, so that none makes it alone. */
static void
find_shape(struct count_watch *w)
{
	unsigned slots = season_slots(w->calendar);
	int64_t *pooled = mem_new(slots, sizeof *pooled);
	double mean = 0;

	for (uint32_t i = 0; i < w->series.count; i++) {
		const struct counted *c = &w->series.at[i];
		double hits = c->loads ? season_hits(w, c) : 0;

		for (unsigned s = 0; s < slots && hits > 0; s++)
			pooled[s] += grains((double)c->season[s] / sqrt(hits));
	}
	for (unsigned s = 0; s < slots; s++) {
		w->slots[s].shape = w->slots[s].dumps > 0 ? (of_grains(pooled[s]) + 1e-3) / w->slots[s].dumps : 1;
		mean += w->slots[s].dumps > 0 ? of_grains(pooled[s]) + 1e-3 : 0;
	}
	for (unsigned s = 0; s < slots; s++)
		if (w->slots[s].dumps > 0 && mean > 0)
			w->slots[s].shape *= w->all_dumps / mean;
	free(pooled);
}

static int
compare_reals(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
hits_a_day(const struct counted *c)
{
	return c->blocks[OF_DAYS].total * (1 - block_keeps[OF_DAYS]);
}

/* How much days vary by themselves, by the series that show it. */
static void
find_day_noise(struct count_watch *w)
{
	double *noise = mem_new(w->series.count + 1, sizeof *noise), found = NOISE_USUAL * NOISE_USUAL;
	size_t count = 0;

	for (uint32_t i = 0; i < w->series.count; i++) {
		const struct counted *c = &w->series.at[i];
		const struct count_blocks *b = &c->blocks[OF_DAYS];

		if (!c->whole && hits_a_day(c) > NOISY_HITS)
			noise[count++] = (b->squares / b->total - c->blocks[OF_HOURS].varies) / hits_a_day(c);
	}
	qsort(noise, count, sizeof *noise, compare_reals);
	if (count >= NOISY_LEAST)
		found = count % 2 ? noise[count / 2] : (noise[count / 2 - 1] + noise[count / 2]) / 2;
	w->day_noise = fmax(NOISE_LEAST * NOISE_LEAST, found);
	free(noise);
}

static void
find_daily_variation(const struct count_watch *w, struct counted *c)
{
	struct count_blocks *b = &c->blocks[OF_DAYS];
	double a_day = hits_a_day(c), usual = c->blocks[OF_HOURS].varies + w->day_noise * a_day;

	b->varies = fmax(c->blocks[OF_HOURS].varies, (b->squares + 5 * usual * a_day) / (b->total + 5 * a_day + 1e-9));
}

/* How much of a say each has in the common load: none more than a tenth, and none when there are few. */
static void
share_load(struct count_watch *w)
{
	int64_t sum = 0;
	size_t count = 0;

	for (uint32_t i = 0; i < w->series.count; i++) {
		struct counted *c = &w->series.at[i];

		c->weight = c->loads ? 1 / c->blocks[OF_HOURS].varies : 0;
		sum += grains(c->weight * c->level);
		count += c->loads && c->level >= FLOOR;
	}
	for (uint32_t i = 0; i < w->series.count; i++) {
		struct counted *c = &w->series.at[i];

		if (count < LOAD_SERIES)
			c->weight = 0;
		else
			c->weight *= fmin(1, LOAD_SHARE * of_grains(sum) / fmax(c->weight * c->level, 1e-12));
	}
}

static void
end_day(struct count_watch *w)
{
	w->days++;
	w->a_day = w->day_dumps;
	w->day_dumps = 0;
	w->all_dumps = 0;
	for (unsigned s = 0; s < season_slots(w->calendar); s++)
		w->all_dumps += w->slots[s].dumps;
	for (uint32_t i = 0; i < w->series.count; i++) {
		struct counted *c = &w->series.at[i];
		double before = c->level;

		end_block(w, c, OF_DAYS);
		c->level = (season_hits(w, c) + 0.5) / (w->all_dumps + 1);
		c->level_before += w->days <= 7 ? c->level - c->level_before : (before - c->level_before) / 7;
	}
	find_shape(w);
	find_day_noise(w);
	for (uint32_t i = 0; i < w->series.count; i++)
		find_daily_variation(w, &w->series.at[i]);
	share_load(w);
	find_limits(w);
}

/* A gap: dumps on both sides of it are not one window. */
static void
forget_recent(struct count_watch *w)
{
	w->dump += 2 * COUNT_HIGHEST;
	for (unsigned r = 0; r < COUNT_HIGHEST; r++)
		w->recent[r] = 0;
	for (uint32_t i = 0; i < w->series.count; i++) {
		w->series.at[i].blocks[OF_DUMPS].hits = w->series.at[i].blocks[OF_DUMPS].expected = 0;
		w->series.at[i].block = w->dump / COUNT_HIGHEST;
	}
}

static void
come_to(struct count_watch *w, int64_t time_ns, const struct count_listener *listener)
{
	struct season_place place = season_place(w->calendar, time_ns);
	int64_t hour = count_watch_hour(time_ns);
	bool new_slot = place.slot != w->slot || place.day != w->day, new_hour = hour != w->hour;

	if (w->begun && !new_slot && !new_hour)
		return;
	for (uint32_t i = 0; i < w->series.count && w->begun; i++) {
		settle(w, i, listener);
		settle_finding(w, i, time_ns, listener);
	}
	if (w->begun && new_slot)
		end_slot(w);
	if (w->begun && new_hour)
		end_hour(w);
	if (w->begun && place.day != w->day)
		end_day(w);
	w->hour = hour;
	if (w->begun && time_difference(w->latest_ns, time_ns) > HOUR_NS)
		forget_recent(w);
	if (!w->begun || new_slot)
		begin_slot(w, &place, time_ns);
	find_eager(w);
	w->begun = true;
}

/* --- a dump --- */

/* How many times as many threads as usual there are in all, at present. */
static void
find_load(struct count_watch *w, double dumps)
{
	int64_t hits = 0;
	double expected = of_grains(w->load_weight) * dumps, keeps;

	for (size_t i = 0; i < w->hit.count; i++) {
		const struct counted *c = &w->series.at[w->hit.at[i]];

		if (has_say(w, c) && c->weight > 0)
			hits += grains(c->weight * fmin(c->now, 3 * (c->rate * w->load * dumps + 1)));
	}
	keeps = 1 - 1 / fmin(LOAD_DUMPS, fmax(1.5, LOAD_MEMORY / fmax(expected, 1e-9)));
	w->load_hits = keeps * w->load_hits + of_grains(hits);
	w->load_expected = keeps * w->load_expected + expected;
	w->load = (w->load_hits + LOAD_PRIOR) / (w->load_expected + LOAD_PRIOR);
}

static bool
is_learned(const struct count_watch *w)
{
	return w->slots[w->slot].visits < VISITS_LEAST || fabs(log(w->load)) <= log(LOAD_ODD);
}

static bool
is_known(const struct count_watch *w)
{
	return w->days > 0 && w->slots[w->slot].visits > 0;
}

static void
learn(struct count_watch *w, double dumps)
{
	for (size_t i = 0; i < w->hit.count; i++)
		w->series.at[w->hit.at[i]].slot_hits += w->series.at[w->hit.at[i]].now;
	w->slot_dumps += dumps;
}

/* All that have it, and those that are expected of each dump. */
static void
take_all(struct count_watch *w, double dumps, bool idle, int64_t time_ns, const struct count_listener *listener)
{
	double exposure = idle ? 0 : dumps * w->load;

	memmove(w->recent + 1, w->recent, (COUNT_HIGHEST - 1) * sizeof *w->recent);
	w->recent[0] = exposure;
	for (size_t i = 0; i < w->hit.count + w->eager.count; i++) {
		uint32_t number = i < w->hit.count ? w->hit.at[i] : w->eager.at[i - w->hit.count];
		struct counted *c = &w->series.at[number];

		if ((i >= w->hit.count && c->settled_ns == time_ns) || (idle && !c->whole)) {
			c->now = 0;
			continue;
		}
		settle(w, number, listener);
		take_dump(w, number, dumps, w->load, time_ns, listener);
		c->exposure = w->exposure + exposure;
		c->dumps = w->dumps + (idle ? 0 : dumps);
		c->settled_ns = time_ns;
	}
	w->exposure += exposure;
	w->dumps += idle ? 0 : dumps;
}

void
count_watch_dump(struct count_watch *w, int64_t time_ns, double dumps, const struct count_listener *listener)
{
	bool idle;

	come_to(w, time_ns, listener);
	w->day_dumps += dumps;
	if (is_known(w))
		find_load(w, dumps);
	else
		w->load = 1;
	idle = is_known(w) && w->load < LOAD_NONE;
	if (!idle && is_learned(w))
		learn(w, dumps);
	if (is_known(w)) {
		take_all(w, dumps, idle, time_ns, listener);
		w->dump++;
	}
	for (size_t i = 0; i < w->hit.count; i++)
		w->series.at[w->hit.at[i]].now = 0;
	w->hit.count = 0;
	w->latest_ns = time_ns;
}
