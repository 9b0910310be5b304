/* SPDX-License-Identifier: MIT
 * prediction: a plain series followed measure by measure as if each were the last one known: what was expected of
 * it is what its past alone says. */
#ifndef TREND_PREDICTION_H
#define TREND_PREDICTION_H

#include "trend/plain_series.h"
#include "trend/series_set.h"

struct predicted_point {
	const struct trend_point *point;
	double predicted, low, high;	/* NAN: nothing could be expected of the first one */
	bool clipped;
};

/* The options of a model of a series in a zone; shift_s: seconds to add to what its clocks show. */
struct series_options prediction_options(const struct trend_options *o, const struct time_zone *zone, int shift_s);

/* Called for each point with what was expected of it. */
struct prediction_listener {
	void (*take)(void *context, const struct predicted_point *point);
	void *context;
};

/* Follows all points of a series of the set, by the set's options; listener may be NULL. The series' filter, model
 * and changes are those after the last. -1 with *err: there are no points (STK_EUSAGE), or the options ask for
 * periods that cannot be. */
int predict_series(struct series_set *set, uint32_t number, struct plain_points *points,
		   const struct prediction_listener *listener, struct stk_error *err) STK_MUST_CHECK;

#endif
