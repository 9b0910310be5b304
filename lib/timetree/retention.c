/* SPDX-License-Identifier: MIT
 * retention: ages are unsigned, since a recording may be longer than a signed number of nanoseconds says. */
#include "timetree/retention.h"

#include "base/time_math.h"

int64_t
retention_at(const struct retention *retention, int64_t time, int64_t last)
{
	uint64_t age = (uint64_t)last - (uint64_t)time;

	if (time == STK_TIME_UNKNOWN || retention->steps == 0)
		return RETENTION_RAW;
	for (unsigned s = 0; s < retention->steps; s++)
		if (age < (uint64_t)retention->step[s].age_ns)
			return retention->step[s].resolution_ns;
	return RETENTION_NONE;
}

struct tree_interval
retention_bucket(int64_t time, int64_t resolution)
{
	int64_t from = time_floor(time, resolution);

	return (struct tree_interval){ from, from + resolution };
}
