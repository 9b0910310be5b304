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

/* The latest moment of the resolution. */
static int64_t
latest_of(const struct retention *retention, int64_t resolution, int64_t last)
{
	unsigned s = 0;

	while (s < retention->steps && retention->step[s].resolution_ns != resolution)
		s++;
	if (s == 0 || s == retention->steps || last < INT64_MIN + retention->step[s - 1].age_ns)
		return last;
	return last - retention->step[s - 1].age_ns;
}

struct tree_interval
retention_bucket_of_old(const struct retention *retention, int64_t time, int64_t resolution, int64_t last)
{
	struct tree_interval bucket = retention_bucket(time, resolution);
	int64_t latest = latest_of(retention, resolution, last);

	if (latest >= time && latest < bucket.to - 1)
		bucket.to = latest + 1;
	return bucket;
}
