/* SPDX-License-Identifier: MIT
 * capacity: a metric that grows and is set back by restarts, as a heap is: a line for each epoch, which is the time
 * between restarts, and one wave of the day and the weekend for all of them. How far such lines were off in the past
 * says how far this one may be. Pure computation. */
#ifndef TREND_CAPACITY_H
#define TREND_CAPACITY_H

#include <stdbool.h>
#include <stddef.h>

#define CAPACITY_SLOTS_LEAST 48
#define CAPACITY_WAVES 47 /* columns of the wave, at most */

/* A smooth day is three harmonics; in one with edges each hour is on its own. */
enum capacity_day { DAY_FLAT, DAY_SMOOTH, DAY_SHARP };

struct capacity_moment {
	double day; /* since any moment */
	double of_day; /* what the clock shows, 0 to 1 */
	bool weekend;
};

/* An hour, by its middle, and what it is worth: the least measure, or the mean. */
struct capacity_slot {
	struct capacity_moment at;
	double value;
};

struct capacity_line {
	double base, slope; /* without the wave at `start`, and a day */
	double start; /* of the present epoch */
	double middle; /* of its slots */
	double base_variance, slope_variance, spread; /* spread: of a slot around the line */
	double wave[CAPACITY_WAVES], wave_mean;
	enum capacity_day day;
	bool weekends;
	bool multiplies; /* the wave grows with the line; mean: of the line where it is as fitted */
	double mean;
	size_t trials; /* forecasts of what is known by now */
	double factor; /* limits are as many times wider than the line alone says, by these trials */
};

/* Slots in order of time; starts: the first slot of each epoch, the first of them 0. False: too few slots. */
bool capacity_fit(struct capacity_line *out, const struct capacity_slot *slots, size_t count, const size_t *starts,
		  size_t epochs);
/* How badly the epochs explain the slots: of several ways to cut them the one with the least is the best. */
double capacity_misfit(const struct capacity_slot *slots, size_t count, const size_t *starts, size_t epochs);
/* The values without the wave that they have when they are cut so. */
void capacity_take_wave_off(const struct capacity_slot *slots, size_t count, const size_t *starts, size_t epochs,
			    double *to);

double capacity_level(const struct capacity_line *line, double day); /* with the mean of the wave */
double capacity_value(const struct capacity_line *line, const struct capacity_moment *at);
double capacity_drift(const struct capacity_line *line, double day); /* the standard error of the line there, */
double capacity_error(const struct capacity_line *line, double day); /* and of a slot */

#endif
