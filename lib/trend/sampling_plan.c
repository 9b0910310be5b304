/* SPDX-License-Identifier: MIT
 * sampling_plan: counts of a class are like those of an M/G/inf queue: Poisson, and correlated from dump to dump by the
 * part that is still there. */
#include "trend/sampling_plan.h"

#include "base/probability.h"

#include <math.h>

#define ROUNDS 50

/* What a dump sees again of the one before. */
static double
seen_again(const struct sampling_goal *goal, double interval_hours)
{
	return goal->stay_hours > 0 ? exp(-interval_hours / goal->stay_hours) : 0;
}

double
sampling_dumps(const struct sampling_goal *goal, double intensity, double interval_hours)
{
	double z = normal_quantile(0.5 + goal->confidence / 2) / goal->relative_error,
	       phi = seen_again(goal, interval_hours);
	double cycles = goal->gamma > 0 && goal->gamma < 1 ? (2 - goal->gamma) / goal->gamma : 1;

	return z * z / intensity * (1 + phi) / (1 - phi) / cycles;
}

double
sampling_interval(const struct sampling_goal *goal, double intensity)
{
	double interval = goal->slot_hours;

	if (!(intensity > 0))
		return goal->most_hours;
	for (int i = 0; i < ROUNDS; i++) {
		double next = goal->slot_hours / sampling_dumps(goal, intensity, fmax(interval, 1e-9));

		interval = (interval + next) / 2;
	}
	return fmin(fmax(interval, goal->least_hours), goal->most_hours);
}
