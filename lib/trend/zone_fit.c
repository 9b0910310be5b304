/* SPDX-License-Identifier: MIT
 * zone_fit: first as if clocks never changed: whole hours, then quarters around the best of them. Then with the clocks
 * of all zones that were changed on the way and showed that offset. What one step ahead is missed by is taken as if
 * errors were Laplace's, one an hour at most: those nearer to each other are no news. */
#include "trend/zone_fit.h"

#include "base/time_math.h"
#include "trend/prediction.h"
#include "trend/season_cycles.h"
#include "trend/series_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIT_CYCLES 3 /* two to begin with, one to be judged by */
#define QUARTER_S  900
#define HOUR_S	   3600
#define SURE	   8.0 /* natural units of evidence, from which one is better than another; */
#define SURE_HOURS 16.0 /* of offsets, which are compared over all of the time */

#define HOUR_LEAST (-12)
#define HOUR_MOST  14

struct fit {
	const struct trend_options *options;
	struct trend_point *points;
	size_t count;
	struct trend_constants constants; /* of the best offset */
	double error, measures;		  /* of one step ahead with it; that say something of their own */
	double hours[HOUR_MOST - HOUR_LEAST + 1]; /* the error of each whole hour */
};

static struct series_options
options_of(const struct fit *fit, const struct time_zone *zone, int shift_s)
{
	struct series_options options = prediction_options(fit->options, zone, shift_s);

	options.periods = options.periods == NULL ? "week" : options.periods;
	options.spar_given = options.additive_given = true;
	options.spar = SPAR_NONE;
	options.evaluations = 30;
	return options;
}

static int
check_cycles(const struct fit *fit, struct series_model *model, struct stk_error *err)
{
	double seen = trend_cycles_seen(series_model_rules(model), fit->points, fit->count);

	if (seen >= FIT_CYCLES)
		return 0;
	return stk_fail(err, STK_EUSAGE, "a zone is fitted to %d cycles of %s periods or more: %.1f seen", FIT_CYCLES,
			series_model_periods(model), seen);
}

/* The error of one step ahead in a zone, with constants that are given, or else are set to the best. */
static int
error_in(const struct fit *fit, const struct time_zone *zone, int shift_s, bool given,
	 struct trend_constants *constants, double *error, struct stk_error *err)
{
	struct series_options options = options_of(fit, zone, shift_s);
	struct series_model *model;
	int result;

	options.constants_given |= given;
	options.constants = given ? *constants : options.constants;
	series_model_open(&model, &options);
	result = series_model_choose(model, fit->points, fit->count, err);
	if (result == 0)
		result = check_cycles(fit, model, err);
	*error = result < 0 ? INFINITY : series_model_error(model);
	if (result == 0)
		*constants = series_model_rules(model)->constants;
	series_model_close(model);
	return result;
}

static int
try_offset(struct fit *fit, int shift_s, int *best_s, double *error, struct stk_error *err)
{
	if (error_in(fit, NULL, shift_s, true, &fit->constants, error, err) < 0)
		return -1;
	if (*error < fit->error) {
		fit->error = *error;
		*best_s = shift_s;
	}
	return 0;
}

/* All with the same constants: what differs is the zone alone. */
static int
try_offsets(struct fit *fit, int *best_s, struct stk_error *err)
{
	double error;
	int hour;

	fit->error = INFINITY;
	for (int hours = HOUR_LEAST; hours <= HOUR_MOST; hours++)
		if (try_offset(fit, hours * HOUR_S, best_s, &fit->hours[hours - HOUR_LEAST], err) < 0)
			return -1;
	hour = *best_s;
	for (int quarter = -3; quarter <= 3; quarter++)
		if (quarter != 0 && try_offset(fit, hour + quarter * QUARTER_S, best_s, &error, err) < 0)
			return -1;
	return 0;
}

/* With usual constants first, then with those that suit what was found. */
static int
find_offset(struct fit *fit, int *best_s, struct stk_error *err)
{
	double error;

	fit->constants = fit->options->constants_given ? fit->options->constants : trend_constants_usual;
	if (try_offsets(fit, best_s, err) < 0 ||
	    error_in(fit, NULL, *best_s, false, &fit->constants, &error, err) < 0)
		return -1;
	return try_offsets(fit, best_s, err);
}

/* How much more likely the measures are with these clocks than with the offset alone. */
static int
evidence_of(const struct fit *fit, const struct zone_clock *clock, double *evidence, struct stk_error *err)
{
	struct trend_constants constants = fit->constants;
	double error;

	if (error_in(fit, clock->zone, 0, true, &constants, &error, err) < 0)
		return -1;
	*evidence = fit->measures * log(fit->error / fmax(error, 1e-300));
	return 0;
}

/* How many hours fit about as well that are no neighbours of what was found. `more`: its evidence beyond the best
 * offset. */
static unsigned
count_doubts(const struct fit *fit, const struct zone_fit *found, double more)
{
	int near_s = found->zone == NULL ? HOUR_S : 2 * HOUR_S;
	unsigned count = 0;

	for (int hours = HOUR_LEAST; hours <= HOUR_MOST; hours++) {
		double less = fit->measures * log(fit->hours[hours - HOUR_LEAST] / fit->error);

		count += abs(hours * HOUR_S - found->shift_s) >= near_s && less + more < SURE_HOURS;
	}
	return count;
}

/* The evidence for the one that is chosen; 0: none is. */
static double
choose_clock(struct zone_fit *out, struct zone_clocks *clocks, const double *evidence)
{
	size_t best = clocks->count;
	double most = -SURE;

	for (size_t i = 0; i < clocks->count; i++)
		if (evidence[i] > most) {
			most = evidence[i];
			best = i;
		}
	if (best == clocks->count)
		return 0;
	memcpy(out->name, clocks->at[best].name, sizeof out->name);
	out->unsure = most < SURE;
	if (out->unsure)
		return 0;
	out->alike = clocks->at[best].zones;
	for (size_t i = 0; i < clocks->count; i++)
		out->rivals += i != best && evidence[i] > most - SURE;
	out->zone = clocks->at[best].zone;
	clocks->at[best].zone = NULL;
	return most;
}

static int
find_clock(struct zone_fit *out, const struct fit *fit, struct stk_error *err)
{
	struct zone_clocks clocks;
	double *evidence, more = 0;
	int result = 0;

	zone_clocks_open(&clocks, fit->points[0].time_ns, fit->points[fit->count - 1].time_ns);
	out->unlisted = !clocks.listed;
	out->missing = clocks.missing;
	evidence = mem_new(clocks.count + 1, sizeof *evidence);
	for (size_t i = 0; i < clocks.count && result == 0; i++) {
		evidence[i] = -INFINITY;
		if (clocks.at[i].changes.count > 1 && zone_clock_covers(&clocks.at[i], out->shift_s))
			result = evidence_of(fit, &clocks.at[i], &evidence[i], err);
	}
	if (result == 0)
		more = choose_clock(out, &clocks, evidence);
	out->doubts = count_doubts(fit, out, more);
	free(evidence);
	zone_clocks_close(&clocks);
	return result;
}

int
zone_fit_find(struct zone_fit *out, const struct trend_options *options, struct trend_point *points, size_t count,
	      struct stk_error *err)
{
	struct fit fit = { .options = options, .points = points, .count = count, .error = INFINITY };
	double hours;

	*out = (struct zone_fit){ 0 };
	if (find_offset(&fit, &out->shift_s, err) < 0)
		return -1;
	hours = (double)(points[count - 1].time_ns - points[0].time_ns) / HOUR_NS;
	fit.measures = fmin((double)count, hours);
	return fit.error > 0 ? find_clock(out, &fit, err) : 0;
}

void
zone_fit_release(struct zone_fit *fit)
{
	time_zone_close(fit->zone);
	fit->zone = NULL;
}
