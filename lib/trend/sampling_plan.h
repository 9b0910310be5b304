/* SPDX-License-Identifier: MIT
 * sampling_plan: how often to take dumps so that the mean count of a class in a slot is known with a stated confidence,
 * at least cost: the busier the class, the fewer dumps say as much. */
#ifndef TREND_SAMPLING_PLAN_H
#define TREND_SAMPLING_PLAN_H

struct sampling_goal {
	double relative_error;		/* half the width of the interval, as a part of the mean: 0.1 */
	double confidence;		/* two-sided: 0.9 */
	double gamma;			/* of the seasonal factors: how many cycles are counted together */
	double stay_hours;		/* how long a thread stays in the class; 0: no dump sees it twice */
	double slot_hours;
	double least_hours, most_hours;	/* between dumps */
};

/* Dumps that one slot needs, and the interval between them, for a class of which a dump has `intensity` on average. */
double sampling_dumps(const struct sampling_goal *goal, double intensity, double interval_hours);
double sampling_interval(const struct sampling_goal *goal, double intensity);

#endif
