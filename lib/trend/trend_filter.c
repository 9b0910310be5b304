/* SPDX-License-Identifier: MIT
 * trend_filter: a cascade of gains. A measure's surprise moves the level by surprise / N, the rate by surprise / (N W),
 * the acceleration by surprise / (N W Z), where N counts discounted measures, W and Z discounted hours of slope. This
 * is Wright's smoothing of irregular series with Hanzak's weights by length for the slopes, written so that intervals
 * cancel. */
#include "trend/trend_filter.h"

#include "base/array.h"
#include "trend/smoothing_spline.h"

#include <float.h>
#include <math.h>

#define FACTOR_LEAST 1e-6
#define SCALE_LEAST  0.05		/* by which errors are divided: in a slot where next to nothing is usual, a
					 * little is no sensation */
#define SLOWER       5		/* times as long remembers slow_deviation */
#define GAP_STEPS    3		/* usual intervals, from which there is a gap */
#define MEAN_TO_SD   1.2533		/* of errors that are normal */
#define PATIENCE     24		/* usual intervals */
#define CYCLES_MOST  4000	/* days that are ended one by one after a gap */
#define COUNT_FLOOR  0.02	/* threads a dump that may be expected of any class */
#define SPEED_LEAST  0.1	/* as which part of its usual speed the level of a rare class forgets, at least */
#define COUNTED_WELL 20		/* threads in a step, from which on chance is the smaller part of what moves a level */

const struct trend_constants trend_constants_usual = {
	.alpha = 0.25, .beta = 0.004, .kappa = 0, .gamma = 0.15, .delta = 0.02
};

/* --- splines --- */

struct spline_shelf { double spar; ARRAY(struct smoothing_spline *) splines; };

void
spline_shelf_open(struct spline_shelf **out, double spar)
{
	*out = mem_new(1, sizeof **out);
	(*out)->spar = spar;
}

void
spline_shelf_close(struct spline_shelf *shelf)
{
	if (shelf == NULL)
		return;
	for (size_t i = 0; i < shelf->splines.count; i++)
		smoothing_spline_close(shelf->splines.at[i]);
	array_release(&shelf->splines);
	free(shelf);
}

void
spline_shelf_smooth(struct spline_shelf *shelf, const double *y, double *fit, size_t n)
{
	size_t i = 0;

	while (i < shelf->splines.count && smoothing_spline_size(shelf->splines.at[i]) != n)
		i++;
	if (i == shelf->splines.count)
		smoothing_spline_open(array_push(&shelf->splines), n, shelf->spar);
	smoothing_spline_fit(shelf->splines.at[i], y, fit);
}

/* --- beginning and ending --- */

/* The sum of weights of measures that have come since ever, at the usual interval. */
static double
steady_weight(double forgotten, double hours, double each)
{
	double kept = pow(1 - forgotten, hours);

	return hours <= 0 || kept >= 1 ? 0 : each / (1 - kept);
}

void
trend_filter_weigh(struct trend_filter *f, const struct trend_rules *rules)
{
	const struct trend_constants *c = &rules->constants;

	f->level_weight = rules->usual_hours > 0 ? steady_weight(c->alpha, rules->usual_hours, 1) : 1;
	f->rate_weight = steady_weight(c->beta, rules->usual_hours, rules->usual_hours);
	f->acceleration_weight = steady_weight(c->kappa, rules->usual_hours, rules->usual_hours);
}

void
trend_filter_open(struct trend_filter *f, const struct trend_rules *rules, int64_t time_ns, double level, bool seasonal)
{
	unsigned slots = season_slots(rules->calendar);

	*f = (struct trend_filter){ .time_ns = time_ns, .day = INT64_MIN, .level = level, .cut = rules->clip };
	/* without a past the first measure is all that there is; of rates some patience keeps two measures close
	 * together from making a slope */
	f->rate_weight = PATIENCE * rules->usual_hours;
	f->acceleration_weight = PATIENCE * rules->usual_hours;
	if (!seasonal || season_calendar_is_flat(rules->calendar))
		return;
	f->factors = mem_new(slots, sizeof *f->factors);
	f->weights = mem_new(slots, sizeof *f->weights);
	for (unsigned s = 0; s < slots; s++)
		f->factors[s] = rules->additive ? 0 : 1;
}

void
trend_filter_release(struct trend_filter *f)
{
	free(f->factors);
	free(f->weights);
	f->factors = NULL;
	f->weights = NULL;
}

void
trend_filter_clone(struct trend_filter *to, const struct trend_filter *from, const struct trend_rules *rules,
		   double share)
{
	unsigned slots = season_slots(rules->calendar);

	*to = *from;
	to->level *= share;
	to->rate *= share;
	to->acceleration *= share;
	to->residual *= share;
	to->deviation *= share;
	to->slow_deviation *= share;
	to->last_error *= share;
	if (from->factors == NULL)
		return;
	to->factors = mem_new(slots, sizeof *to->factors);
	to->weights = mem_new(slots, sizeof *to->weights);
	memcpy(to->weights, from->weights, slots * sizeof *to->weights);
	for (unsigned s = 0; s < slots; s++)
		to->factors[s] = from->factors[s] * (rules->additive ? share : 1);
}

size_t
trend_filter_bytes(const struct trend_rules *rules)
{
	size_t slots = season_calendar_is_flat(rules->calendar) ? 0 : season_slots(rules->calendar);

	return sizeof(struct trend_filter) + slots * (sizeof(double) + sizeof(float));
}

/* --- the end of a cycle --- */

double
season_mean(const double *factors, const struct season_calendar *calendar)
{
	double sum = 0, weight = 0;

	for (unsigned p = 0; p < season_periods(calendar); p++) {
		const struct season_period *period = season_period(calendar, p);
		double of_period = 0;

		for (unsigned s = 0; s < period->slots; s++)
			of_period += factors[period->first + s];
		sum += period->cycles * of_period;
		weight += period->cycles * period->slots;
	}
	return weight > 0 ? sum / weight : 1;
}

/* What the level loses the factors get, so that what is expected stays. */
void
trend_filter_renormalise(struct trend_filter *f, const struct trend_rules *rules)
{
	double mean = season_mean(f->factors, rules->calendar);
	unsigned slots = season_slots(rules->calendar);

	if (rules->additive) {
		for (unsigned s = 0; s < slots; s++)
			f->factors[s] -= mean;
		f->level += mean;
		return;
	}
	if (!(mean > FACTOR_LEAST) || !isfinite(mean))
		return;
	for (unsigned s = 0; s < slots; s++)
		f->factors[s] /= mean;
	f->level *= mean;
	f->rate *= mean;
	f->acceleration *= mean;
	/* which are in units of the level, as the noise follows the season */
	f->residual *= mean;
	f->deviation *= mean;
	f->slow_deviation *= mean;
}

static size_t
append_period(double *to, size_t at, const double *factors, const struct season_period *period)
{
	memcpy(to + at, factors + period->first, period->slots * sizeof *to);
	return at + period->slots;
}

static void
keep_least(double *factors, unsigned count, bool additive)
{
	for (unsigned s = 0; s < count && !additive; s++)
		factors[s] = fmax(factors[s], 0);
}

void
trend_filter_smooth(struct trend_filter *f, const struct trend_rules *rules, unsigned before, unsigned ended,
		    unsigned next, unsigned after)
{
	const struct season_period *p = season_period(rules->calendar, ended),
				   *q = season_period(rules->calendar, next),
				   *b = season_period(rules->calendar, before);
	const struct season_period *parts[3];
	size_t n = 0, from;
	double *joined;

	if (ended != next && after == ended) {
		/* an interruption begins: smooth the first */
		parts[0] = p;
		parts[1] = q;
		parts[2] = p;
	} else if (ended != next && before == next) {
		/* it is over: smooth the middle one and what follows it */
		parts[0] = q;
		parts[1] = p;
		parts[2] = q;
	} else {
		parts[0] = b;
		parts[1] = p;
		parts[2] = q;
	}
	joined = mem_new((size_t)parts[0]->slots + parts[1]->slots + parts[2]->slots, sizeof *joined);
	for (unsigned i = 0; i < 3; i++)
		n = append_period(joined, n, f->factors, parts[i]);
	if (n >= 4)
		spline_shelf_smooth(rules->splines, joined, joined, n);
	from = parts[0] == p && parts[1] != p ? 0 : parts[0]->slots;
	keep_least(joined, (unsigned)n, rules->additive);
	memcpy(f->factors + p->first, joined + from, p->slots * sizeof *joined);
	if (parts[0] == q && parts[1] == p && parts[2] == q && q != p)
		memcpy(f->factors + q->first, joined + parts[0]->slots + parts[1]->slots, q->slots * sizeof *joined);
	free(joined);
}

/* The period of the cycle that begins with a day, and that of the cycle behind it. */
static void
look_ahead(struct season_calendar *calendar, int64_t day, unsigned *next, unsigned *after)
{
	bool ends = false, any;
	int64_t from = day;

	*next = season_of_day(calendar, day, &ends);
	while (!ends && day - from < 400)
		(void)season_of_day(calendar, ++day, &ends);
	*after = season_of_day(calendar, day + 1, &any);
}

static void
end_cycle(struct trend_filter *f, const struct trend_rules *rules, int64_t day, unsigned ended)
{
	const struct season_period *period = season_period(rules->calendar, ended);
	float kept = (float)(1 - rules->constants.gamma);

	for (unsigned s = period->first; s < period->first + period->slots; s++)
		f->weights[s] *= kept;
	if (!(f->touched >> ended & 1))
		return;
	f->touched &= ~(UINT64_C(1) << ended);
	if (rules->splines != NULL) {
		bool ends;
		unsigned next, after,
			before = season_of_day(rules->calendar, day - (period->days == 0 ? 1 : period->days), &ends);

		look_ahead(rules->calendar, day + 1, &next, &after);
		trend_filter_smooth(f, rules, before, ended, next, after);
	}
	trend_filter_renormalise(f, rules);
}

/* Ends the cycles of the days before this one. */
static void
come_to_day(struct trend_filter *f, const struct trend_rules *rules, int64_t day)
{
	if (f->day == INT64_MIN || day - f->day > CYCLES_MOST)
		f->day = day;
	for (; f->day < day; f->day++) {
		bool ends;
		unsigned period = season_of_day(rules->calendar, f->day, &ends);

		if (ends)
			end_cycle(f, rules, f->day, period);
	}
}

/* --- a measure --- */

/* What is left after so many hours of what each filter remembers. Intervals repeat, so the last powers are kept. */
static const double *
powers_of(struct trend_rules *rules, double hours)
{
	const struct trend_constants *c = &rules->constants;

	if (hours != rules->last_hours || rules->powers[0] <= 0) {
		rules->last_hours = hours;
		rules->powers[0] = pow(1 - c->alpha, hours);
		rules->powers[1] = pow(1 - c->beta, hours);
		rules->powers[2] = c->kappa > 0 ? pow(1 - c->kappa, hours) : 1;
		rules->powers[3] = pow(1 - c->delta, hours);
		rules->powers[5] = hours > 0 ? hours * log1p(-c->alpha) : 0;
		rules->powers[4] = c->phi > 0 && rules->usual_hours > 0 ? pow(c->phi, hours / rules->usual_hours) : 0;
	}
	return rules->powers;
}

double
trend_filter_factor(const struct trend_filter *f, const struct trend_rules *rules, const struct season_place *place)
{
	double factor = f->factors == NULL ? (rules->additive ? 0 : 1) : f->factors[place->slot];

	return rules->additive ? factor + place->year : fmax(factor * (1 + place->year), FACTOR_LEAST);
}

double
trend_filter_factor_error(const struct trend_filter *f, const struct trend_rules *rules, unsigned slot)
{
	double weight = (double)f->weights[slot], each = f->deviation * MEAN_TO_SD;

	if (!(weight > 0))
		return NAN;
	if (!rules->additive)
		each *= f->level > 0 ? fmax(f->factors[slot], SCALE_LEAST) / f->level : NAN;
	return each / sqrt(weight);
}

struct season_place
trend_filter_place(const struct trend_filter *f, const struct trend_rules *rules, int64_t time_ns)
{
	if (f->factors == NULL && (rules->calendar == NULL || season_year(rules->calendar) == NULL))
		return (struct season_place){ 0 };
	return season_place(rules->calendar, time_ns);
}

static double
hours_between(int64_t from_ns, int64_t to_ns)
{
	return to_ns <= from_ns ? 0 : (double)(to_ns - from_ns) / HOUR_NS;
}

double
trend_filter_expect(const struct trend_filter *f, struct trend_rules *rules, int64_t time_ns)
{
	double hours = hours_between(f->time_ns, time_ns),
	       level = f->level + (f->rate + f->acceleration * hours / 2) * hours;
	struct season_place place = trend_filter_place(f, rules, time_ns);
	double factor = trend_filter_factor(f, rules, &place);

	return rules->additive ? level + factor : level * factor;
}

/* After a gap level and slope may have gone anywhere that errors of that many steps could have moved them to: how many
 * times as far off as one step later a measure may be. Of the variances of errors that repeat, and of a local line with
 * gains a and b a step. */
static double
after_gap(const struct trend_rules *rules, double hours)
{
	const struct trend_constants *c = &rules->constants;
	double n = rules->usual_hours > 0 ? hours / rules->usual_hours : 1, a, b, repeated = c->phi * c->phi;

	if (n < GAP_STEPS)
		return 1;
	repeated = repeated < 1 ? (1 - pow(repeated, n)) / (1 - repeated) : n;
	a = 1 - pow(1 - c->alpha, rules->usual_hours);
	b = a * (1 - pow(1 - c->beta, rules->usual_hours));
	return sqrt(repeated + (n - 1) * (a * a + a * b * n + b * b * n * (2 * n - 1) / 6));
}

/* The measure as far as it can be believed; runs of outliers widen the belief, so that a new level is taken within a
 * few. */
static double
clip(struct trend_filter *f, const struct trend_rules *rules, double error, double deviation)
{
	double limit = f->cut * deviation;

	if (rules->clip <= 0)
		return error;
	if ((double)f->count < rules->clip_after || fabs(error) <= limit) {
		f->cut = fmax(rules->clip, f->cut / 2);
		f->run = 0;
		return error;
	}
	f->cut *= 2;
	f->clipped++;
	f->run = error > 0 ? (f->run > 0 ? f->run + 1 : 1) : (f->run < 0 ? f->run - 1 : -1);
	return error > 0 ? limit : -limit;
}

static void
move_factor(struct trend_filter *f, const struct trend_rules *rules, const struct season_place *place, double seen,
	    double weight)
{
	float *g = &f->weights[place->slot];

	*g += (float)weight;
	if (rules->hold)
		return;
	f->factors[place->slot] += (seen - f->factors[place->slot]) * weight / (double)*g;
	f->touched |= UINT64_C(1) << place->period;
}

/* What a count is off by through chance alone, in its own units, and what is expected of a slot by the chance of the
 * few cycles that it was seen in: one that had no thread yet may have one. */
static double
chance_of_count(const struct trend_filter *f, const struct season_place *place, double expected)
{
	double cycles = f->factors != NULL ? fmax((double)f->weights[place->slot], 1) : INFINITY;

	if (f->dumps <= 0)
		return 0;
	return sqrt((fmax(expected, 0) * (1 + 1 / cycles) + 1 / (f->dumps * cycles) + COUNT_FLOOR) / f->dumps);
}

/* What a measure says of the level, where 1 is what one says in a slot whose factor is 1. A night with next to no
 * threads says next to nothing: divided by a small factor, itself uncertain, its few threads would make a level of
 * several times the true one. Of many threads every slot says the same. */
static double
say_on_level(const struct trend_filter *f, const struct trend_rules *rules, double level, double scale)
{
	double usual = level * f->dumps;

	if (f->dumps <= 0 || rules->additive || !(level > 0))
		return 1;
	return scale * (usual + COUNTED_WELL) / (usual * scale + COUNTED_WELL);
}

/* What is left of the weight of a level. That of a rare class is remembered for longer, as more steps must be counted
 * to know it as well: by the root, as a level that walks is followed best. */
static double
level_kept(const struct trend_filter *f, const double *kept, double level)
{
	double usual = fmax(level, 0) * f->dumps;

	return f->dumps > 0 ? exp(fmax(sqrt(usual / (usual + COUNTED_WELL)), SPEED_LEAST) * kept[5]) : kept[0];
}

void
trend_filter_update_at(struct trend_filter *f, struct trend_rules *rules, const struct season_place *place,
		       int64_t time_ns, double value, double weight, struct trend_step *step)
{
	double hours = hours_between(f->time_ns, time_ns);
	const double *kept = powers_of(rules, hours);
	double factor, scale, level, error, believed, surprise, floor, chance, wider, expected, gain, share, says;

	if (f->factors != NULL && place->day != f->day)
		come_to_day(f, rules, place->day);
	factor = trend_filter_factor(f, rules, place);
	scale = rules->additive ? 1 : fmax(factor, SCALE_LEAST);
	level = f->level + (f->rate + f->acceleration * hours / 2) * hours;
	expected = rules->additive ? level + factor : level * factor;
	floor = rules->floor * fabs(level);
	/* errors are kept in units of the level: noise grows with the season */
	surprise = (value - expected) / scale;
	error = surprise - kept[4] * f->last_error;
	wider = after_gap(rules, hours);
	chance = chance_of_count(f, place, expected) / scale;
	believed = clip(f, rules, error, fmax(fmax(f->deviation, floor), chance) * wider);
	step->predicted = value - error * scale;
	step->error = error * scale;
	step->deviation = fmax(f->deviation, floor) * wider * scale;
	step->clipped = believed != error;
	step->used = step->clipped ? step->predicted + believed * scale : value;
	surprise += believed - error;

	/* a count far beyond chance is of another level, of which the past says little */
	if (f->dumps > 0 && step->clipped && kept[0] < 1)
		f->level_weight = fmin(f->level_weight, 1 / (1 - kept[0]) / 4);
	f->level_weight = level_kept(f, kept, level) * f->level_weight + weight;
	f->rate_weight = kept[1] * f->rate_weight + hours;
	says = weight * say_on_level(f, rules, level, scale);
	gain = surprise * fmin(says / f->level_weight, 1);
	f->level = level + gain;
	/* after a gap the level takes it all, and what it took is not repeated */
	f->last_error = wider > 1 ? surprise - gain : surprise;
	f->rate += f->acceleration * hours;
	if (rules->constants.beta <= 0) {	/* no rate was asked for */
		f->rate = 0;
	} else if (f->rate_weight > 0) {
		gain /= f->rate_weight;
		f->rate += gain;
	}
	if (rules->constants.kappa > 0) {
		f->acceleration_weight = kept[2] * f->acceleration_weight + hours;
		if (f->rate_weight > 0 && f->acceleration_weight > 0)
			f->acceleration += gain / f->acceleration_weight;
	}
	if (f->factors != NULL && (rules->additive || f->level > 0))
		move_factor(f, rules, place,
			    rules->additive ? step->used - f->level - place->year
					    : step->used / f->level / (1 + place->year),
			    weight);
	f->residual_weight = kept[3] * f->residual_weight + says;
	share = says / f->residual_weight;
	f->residual += (believed / wider - f->residual) * share;
	f->slow_deviation += (fabs(believed) / wider - f->slow_deviation) * share / SLOWER;
	f->deviation += (fabs(believed) / wider - f->deviation) * share;
	f->time_ns = time_ns > f->time_ns ? time_ns : f->time_ns;
	f->count++;
}

void
trend_filter_update(struct trend_filter *f, struct trend_rules *rules, int64_t time_ns, double value, double weight,
		    struct trend_step *step)
{
	struct season_place place = trend_filter_place(f, rules, time_ns);

	trend_filter_update_at(f, rules, &place, time_ns, value, weight, step);
}
