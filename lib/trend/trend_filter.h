/* SPDX-License-Identifier: MIT
 * trend_filter: five exponential filters over one series at irregular times: its level, rate, acceleration, seasonal
 * factors and residual. Each measure weighs by how long ago it was, each slope by how long it lasted, so that measures
 * close together do no harm: nothing is ever divided by an interval.
 *
 * A filter is small: 12 bytes a slot and 200 more. What many filters have in common is in trend_rules. Times are in
 * hours inside, so rates are an hour. */
#ifndef TREND_TREND_FILTER_H
#define TREND_TREND_FILTER_H

#include "trend/season_calendar.h"

#define HOUR_NS 3.6e12

struct trend_constants {	/* what is forgotten in an hour, 0 to 1; of the season: in a cycle */
	double alpha;		/* measure */
	double beta;		/* rate */
	double kappa;		/* acceleration; 0: there is none */
	double gamma;		/* seasonal factors */
	double delta;		/* residual */
	double phi;		/* of the last error that the next one repeats, one usual interval later */
};

extern const struct trend_constants trend_constants_usual;

struct spline_shelf;
struct trend_rules;

/* How a filter is to work. Its own state is a cache of powers; one may serve many filters, in one thread. */
struct trend_rules {
	struct trend_constants constants;
	struct season_calendar *calendar;	/* borrowed */
	bool additive;			/* seasons add to the level, not multiply */
	double usual_hours;		/* the mean interval between measures: what a filter is patient by as it
					 * begins */
	double clip;			/* errors beyond so many mean deviations are cut off; 0: never. 6 is usual */
	double clip_after;		/* once so many were seen. 50 is usual */
	double floor;			/* of the mean deviation, as a part of the level: a series that never moved does
					 * not call everything an outlier */
	bool hold;			/* factors stay as they are: only their weights count on */
	struct spline_shelf *splines;	/* factors are smoothed as each cycle ends; NULL: not */
	double last_hours, powers[6];	/* the filter's own; the last is the logarithm of the first */
};

struct trend_filter {
	int64_t time_ns;		/* of the last measure */
	int64_t day;			/* up to which cycles were ended; INT64_MIN: none yet */
	double level, rate, acceleration;
	double level_weight, rate_weight, acceleration_weight, residual_weight;
	double residual, deviation;	/* its mean, and the mean of its size */
	double slow_deviation;		/* the same over a time five times as long */
	double last_error;
	double cut;			/* present cut-off, in mean deviations */
	uint64_t count, clipped;
	uint64_t touched;		/* periods that had a measure in the present cycle, a bit each */
	int32_t run;			/* errors beyond the cut-off one after another; below 0: to the low side */
	double dumps;			/* of whose threads a measure is the mean, as its owner sets it before an
					 * update; 0: it is not a count */
	double *factors;		/* one a slot; NULL: there is no season */
	float *weights;			/* of each factor */
};

struct trend_step {
	double predicted;		/* one step ahead, before the measure was known */
	double error;			/* measure - predicted */
	double used;			/* the measure after clipping */
	double deviation;		/* mean size of errors to expect, in units of the measure */
	bool clipped;
};

/* Begins at a level; all factors are neutral, without weight. A filter that is not seasonal has none. Borrows
 * nothing. */
void trend_filter_open(struct trend_filter *filter, const struct trend_rules *rules, int64_t time_ns, double level,
		       bool seasonal);
/* Its weights as of a filter that ran since ever at usual intervals: when what it begins with is more than one
 * measure. */
void trend_filter_weigh(struct trend_filter *filter, const struct trend_rules *rules);
void trend_filter_release(struct trend_filter *filter);
/* A copy that goes its own way: where a segment was split. share: of the level. */
void trend_filter_clone(struct trend_filter *to, const struct trend_filter *from, const struct trend_rules *rules,
			double share);

/* Adds a measure that counts for `weight` usual ones. Times must not run backwards. */
void trend_filter_update(struct trend_filter *filter, struct trend_rules *rules, int64_t time_ns, double value,
			 double weight, struct trend_step *step);
/* The same for callers that know the place of the moment already. */
void trend_filter_update_at(struct trend_filter *filter, struct trend_rules *rules, const struct season_place *place,
			    int64_t time_ns, double value, double weight, struct trend_step *step);
/* What the filter expects at a moment, without damping. The factors of seasons to come are those of now. */
double trend_filter_expect(const struct trend_filter *filter, struct trend_rules *rules, int64_t time_ns);
/* Its seasonal factor of a place, with that of the year: 1, or 0 where seasons add, when it has none. */
double trend_filter_factor(const struct trend_filter *filter, const struct trend_rules *rules,
			   const struct season_place *place);
/* The standard error of the factor of a slot: of as many measures as its weight, each off by as much as errors are.
 * Splines make it smaller than that. NAN: it has no measure. */
double trend_filter_factor_error(const struct trend_filter *filter, const struct trend_rules *rules, unsigned slot);
/* The place of a moment, where that makes a difference to the filter. */
struct season_place trend_filter_place(const struct trend_filter *filter, const struct trend_rules *rules,
				       int64_t time_ns);

/* Smooths the factors of a period whose cycle has just ended (the periods of the cycles before it, after it and after
 * that one), and makes 1 (0) the common level again. Part of update; here for tests and for beginnings. */
void trend_filter_smooth(struct trend_filter *filter, const struct trend_rules *rules, unsigned before, unsigned ended,
			 unsigned next, unsigned after);
void trend_filter_renormalise(struct trend_filter *filter, const struct trend_rules *rules);
/* The weighted mean of factors over a year. */
double season_mean(const double *factors, const struct season_calendar *calendar);

size_t trend_filter_bytes(const struct trend_rules *rules);

/* Splines of the sizes that were asked for. */
void spline_shelf_open(struct spline_shelf **out, double spar);
void spline_shelf_close(struct spline_shelf *shelf);
void spline_shelf_smooth(struct spline_shelf *shelf, const double *y, double *fit, size_t n);

#endif
