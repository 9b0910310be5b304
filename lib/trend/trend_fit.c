/* SPDX-License-Identifier: MIT
 * trend_fit: constants are sought on a logistic scale, where they cannot leave 0 to 1. */
#include "trend/trend_fit.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORST 1e300

/* --- Nelder and Mead --- */

struct corner { double at[NELDER_MEAD_MOST], value; };

struct simplex {
	double (*of)(void *context, const double *at);
	void *context;
	unsigned n;
	int left;			/* evaluations */
	struct corner corners[NELDER_MEAD_MOST + 1];
	double centre[NELDER_MEAD_MOST];
};

static void
evaluate(struct simplex *s, struct corner *corner)
{
	double value = s->of(s->context, corner->at);

	corner->value = isfinite(value) ? value : WORST;
	s->left--;
}

static void
sort_corners(struct simplex *s)
{
	for (unsigned i = 1; i <= s->n; i++)
		for (unsigned k = i; k > 0 && s->corners[k].value < s->corners[k - 1].value; k--) {
			struct corner swap = s->corners[k];

			s->corners[k] = s->corners[k - 1];
			s->corners[k - 1] = swap;
		}
}

/* The point as far from the centre, seen from the worst corner, as `by` says. */
static struct corner
step_from_worst(struct simplex *s, double by)
{
	struct corner corner = { .value = 0 };

	for (unsigned d = 0; d < s->n; d++)
		corner.at[d] = s->centre[d] + by * (s->corners[s->n].at[d] - s->centre[d]);
	evaluate(s, &corner);
	return corner;
}

static void
shrink(struct simplex *s)
{
	for (unsigned i = 1; i <= s->n; i++) {
		for (unsigned d = 0; d < s->n; d++)
			s->corners[i].at[d] = (s->corners[i].at[d] + s->corners[0].at[d]) / 2;
		evaluate(s, &s->corners[i]);
	}
}

static void
improve(struct simplex *s)
{
	struct corner *worst = &s->corners[s->n], reflected, other;

	memset(s->centre, 0, sizeof s->centre);
	for (unsigned i = 0; i < s->n; i++)
		for (unsigned d = 0; d < s->n; d++)
			s->centre[d] += s->corners[i].at[d] / s->n;
	reflected = step_from_worst(s, -1);
	if (reflected.value < s->corners[0].value) {
		other = step_from_worst(s, -2);
		*worst = other.value < reflected.value ? other : reflected;
	} else if (reflected.value < s->corners[s->n - 1].value) {
		*worst = reflected;
	} else {
		other = step_from_worst(s, reflected.value < worst->value ? -0.5 : 0.5);
		if (other.value < fmin(reflected.value, worst->value))
			*worst = other;
		else
			shrink(s);
	}
	sort_corners(s);
}

double
nelder_mead(double (*of)(void *context, const double *at), void *context, double *at, unsigned n, double width,
	    int evaluations)
{
	struct simplex s = { .of = of, .context = context, .n = n, .left = evaluations };

	for (unsigned i = 0; i <= n; i++) {
		memcpy(s.corners[i].at, at, n * sizeof *at);
		if (i > 0)
			s.corners[i].at[i - 1] += width;
		evaluate(&s, &s.corners[i]);
	}
	sort_corners(&s);
	while (s.left > 0 && s.corners[n].value - s.corners[0].value > 1e-5 * fabs(s.corners[0].value))
		improve(&s);
	memcpy(at, s.corners[0].at, n * sizeof *at);
	return s.corners[0].value;
}

/* --- the loss --- */

size_t
trend_fit_begin(const struct trend_rules *rules, const struct trend_point *points, size_t count)
{
	double hours = 2.0 * 24 * season_cycle_days(rules->calendar);
	size_t begin = 1;

	if (season_calendar_is_flat(rules->calendar))
		return count < 20 ? count : 10;
	while (begin < count && (double)(points[begin].time_ns - points[0].time_ns) < hours * HOUR_NS)
		begin++;
	return begin;
}

/* From a filter whose season was found already. */
static struct trend_loss
loss_from(struct trend_filter *filter, struct trend_rules *rules, const struct trend_point *points, size_t count,
	  size_t begin, size_t from, bool squares)
{
	struct trend_loss loss = { 0 };
	struct trend_step step;
	double sum = 0;

	trend_start_replay(filter, rules, points, begin);
	for (size_t i = begin; i < count; i++) {
		trend_filter_update_at(filter, rules, &points[i].place, points[i].time_ns, points[i].value,
				       points[i].weight, &step);
		if (i < from)
			continue;
		sum += squares ? step.error * step.error : fabs(step.error);
		loss.count++;
	}
	loss.mean_error = loss.count > 0 ? sum / (double)loss.count : 0;
	return loss;
}

struct trend_loss
trend_loss(struct trend_rules *rules, const struct trend_point *points, size_t count, size_t begin, size_t from,
	   bool squares)
{
	struct trend_filter filter;
	struct trend_loss loss;

	trend_start_season(&filter, rules, points, begin);
	loss = loss_from(&filter, rules, points, count, begin, from, squares);
	trend_filter_release(&filter);
	return loss;
}

/* --- the fit --- */

struct fit {
	struct trend_rules *rules;
	const struct trend_point *points;
	size_t count, begin, from;
	struct trend_filter start;
};

static double
part_of(double z)
{
	return 1 / (1 + exp(-z));
}

static double
logit(double part)
{
	part = fmin(fmax(part, 1e-9), 1 - 1e-9);
	return log(part / (1 - part));
}

/* alpha and beta are sought per usual interval: a series of a measure a day and one of a measure a second are alike to
 * it. */
static void
set_constants(struct trend_rules *rules, const double *at)
{
	struct trend_constants *c = &rules->constants;
	double hours = rules->usual_hours > 0 ? rules->usual_hours : 1;

	c->alpha = 1 - pow(1 - part_of(at[0]), 1 / hours);
	c->beta = 1 - pow(1 - part_of(at[1]), 1 / hours);
	c->gamma = part_of(at[2]);
	c->phi = part_of(at[3]);
	rules->powers[0] = 0;
}

static double
loss_now(struct fit *fit)
{
	struct trend_filter filter;
	struct trend_loss loss;

	trend_filter_clone(&filter, &fit->start, fit->rules, 1);
	loss = loss_from(&filter, fit->rules, fit->points, fit->count, fit->begin, fit->from, false);
	trend_filter_release(&filter);
	return loss.mean_error;
}

static double
loss_at(void *context, const double *at)
{
	struct fit *fit = context;

	set_constants(fit->rules, at);
	return loss_now(fit);
}

static void
constants_to(const struct trend_rules *rules, double at[4])
{
	const struct trend_constants *c = &rules->constants;
	double hours = rules->usual_hours > 0 ? rules->usual_hours : 1;

	at[0] = logit(1 - pow(1 - c->alpha, hours));
	at[1] = logit(1 - pow(1 - c->beta, hours));
	at[2] = logit(c->gamma);
	at[3] = logit(c->phi > 0 ? c->phi : 0.2);
}

struct trend_loss
trend_fit(struct trend_rules *rules, const struct trend_point *points, size_t count, size_t from, int evaluations)
{
	struct fit fit = { .rules = rules,
			   .points = points,
			   .count = count,
			   .begin = trend_fit_begin(rules, points, count),
			   .from = from };
	double at[4];

	constants_to(rules, at);
	if (fit.begin >= count)
		return (struct trend_loss){ 0 };
	trend_start_season(&fit.start, rules, points, fit.begin);
	(void)nelder_mead(loss_at, &fit, at, 4, 1, evaluations);
	trend_filter_release(&fit.start);
	set_constants(rules, at);
	return trend_loss(rules, points, count, fit.begin, from, false);
}

/* --- many --- */

struct many { struct fit *fits; double *before; size_t count; };

static double
loss_of_many(void *context, const double *at)
{
	struct many *many = context;
	double sum = 0;

	for (size_t i = 0; i < many->count; i++)
		sum += loss_at(&many->fits[i], at) / many->before[i];
	return sum / (double)many->count;
}

double
trend_fit_many(struct trend_rules *rules, const struct trend_past *pasts, size_t count, int evaluations, size_t *used)
{
	struct many many = { .fits = mem_new(count + 1, sizeof *many.fits),
			     .before = mem_new(count + 1, sizeof *many.before) };
	double at[4], best = 1;

	for (size_t i = 0; i < count; i++) {
		struct fit fit = { .rules = rules, .points = pasts[i].points, .count = pasts[i].count };
		double before;

		fit.begin = trend_fit_begin(rules, fit.points, fit.count);
		if (fit.begin >= fit.count)
			continue;
		trend_start_season(&fit.start, rules, fit.points, fit.begin);
		fit.start.dumps = pasts[i].dumps;
		before = loss_now(&fit);
		if (!(before > 0)) {
			trend_filter_release(&fit.start);
			continue;
		}
		many.fits[many.count] = fit;
		many.before[many.count++] = before;
	}
	*used = many.count;
	if (many.count > 0) {
		constants_to(rules, at);
		best = nelder_mead(loss_of_many, &many, at, 4, 1, evaluations);
		set_constants(rules, at);
	}
	for (size_t i = 0; i < many.count; i++)
		trend_filter_release(&many.fits[i].start);
	free(many.fits);
	free(many.before);
	return best;
}
