/* SPDX-License-Identifier: MIT
 * retention: what is kept of samples as they age: for each age the length of time that is counted together. Pure. */
#ifndef TIMETREE_RETENTION_H
#define TIMETREE_RETENTION_H

#include "timetree/tree_shape.h"

#define RETENTION_STEPS_MOST 16

/* What is younger than age_ns, but not than the step before it, is counted by resolution_ns; 0: kept as it is. */
struct retention_step { int64_t age_ns, resolution_ns; };

/* The youngest step first; without any, all is kept as it is. */
struct retention {
	struct retention_step step[RETENTION_STEPS_MOST];
	unsigned steps;
};

#define RETENTION_RAW   0
#define RETENTION_NONE -1

/* The resolution for a moment of a recording whose latest time is `last`: in ns; RETENTION_RAW: kept as it is;
 * RETENTION_NONE: older than every step. A sample that is exactly as old as a step belongs to the next one. A time that
 * is not known is kept. */
int64_t retention_at(const struct retention *retention, int64_t time, int64_t last);

/* The interval of `resolution` that holds a moment: intervals are counted from 1970. */
struct tree_interval retention_bucket(int64_t time, int64_t resolution);

/* The same without the part in which samples are too young for it. */
struct tree_interval retention_bucket_of_old(const struct retention *retention, int64_t time, int64_t resolution,
					     int64_t last);

#endif
