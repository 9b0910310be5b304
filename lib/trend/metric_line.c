/* SPDX-License-Identifier: MIT
 * metric_line: hours of the series become slots of the line. */
#include "trend/metric_line.h"

#include "base/time_math.h"
#include "trend/restarts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOUR INT64_C(3600000000000)
#define DAY_NS 8.64e13
#define YEARS_MOST 20
#define HOURS_READ (METRIC_HOURS_MOST / 2)
#define SPARSE 4 /* hours by one that has measures: more are too far apart */
#define SATURDAY 5
#define THURSDAY 3 /* the first of January 1970 */

/* --- hours --- */

struct hours {
	struct capacity_slot *at;
	int64_t *number; /* since 1970 */
	size_t count;
};

static void
hours_release(struct hours *h)
{
	free(h->at);
	free(h->number);
}

static struct capacity_moment
moment_of(int64_t origin_ns, const struct time_zone *zone, int64_t time_ns)
{
	int64_t local = time_ns + (int64_t)time_zone_offset(zone, time_units(time_ns, 1000000000)) * 1000000000,
		day = time_units(local, 24 * HOUR), weekday = (day % 7 + 7 + THURSDAY) % 7;

	return (struct capacity_moment){ .day = (double)(time_ns - origin_ns) / DAY_NS,
					 .of_day = (double)(local - day * 24 * HOUR) / DAY_NS,
					 .weekend = weekday >= SATURDAY };
}

static void
add_hour(struct hours *h, int64_t hour, double value)
{
	h->number[h->count] = hour;
	h->at[h->count++].value = value;
}

/* Measures of hours before those that were kept, as they were before an update; of a plain series all. */
static void
add_points(struct hours *h, const struct series *s, const struct kept_point *points, size_t count)
{
	struct metric_hours own = { .least = s->hours.least };
	int64_t until = s->hours.count > 0 ? s->hours.at[0].hour : INT64_MAX;

	for (size_t i = 0; i < count && time_units(points[i].time_ns, HOUR) < until; i++)
		metric_hours_take(&own, points[i].time_ns, points[i].value);
	for (size_t i = 0; i < own.count; i++)
		add_hour(h, own.at[i].hour, metric_hours_value(&own, i));
	metric_hours_release(&own);
}

static bool
hours_find(struct hours *h, const struct series *s, const struct kept_point *points, size_t count)
{
	size_t room = count + s->hours.count + 1;

	*h = (struct hours){ .at = mem_new(room, sizeof *h->at), .number = mem_new(room, sizeof *h->number) };
	add_points(h, s, points, count);
	for (size_t i = 0; i < s->hours.count; i++)
		add_hour(h, s->hours.at[i].hour, metric_hours_value(&s->hours, i));
	if (h->count > HOURS_READ) {
		memmove(h->number, h->number + (h->count - HOURS_READ), HOURS_READ * sizeof *h->number);
		memmove(h->at, h->at + (h->count - HOURS_READ), HOURS_READ * sizeof *h->at);
		h->count = HOURS_READ;
	}
	return h->count >= CAPACITY_SLOTS_LEAST && h->number[h->count - 1] - h->number[0] < SPARSE * (int64_t)h->count;
}

/* --- the line --- */

bool
metric_line_fit(struct metric_line *out, const struct series_set *set, uint32_t number, const struct kept_point *points,
		size_t count)
{
	const struct series *s = series_set_at(set, number);
	struct hours h;
	size_t *starts;

	*out = (struct metric_line){ .zone = set->options->zone };
	if (!hours_find(&h, s, points, count)) {
		hours_release(&h);
		return false;
	}
	out->origin_ns = h.number[0] * HOUR;
	out->last_ns = h.number[h.count - 1] * HOUR + HOUR / 2;
	for (size_t i = 0; i < h.count; i++)
		h.at[i].at = moment_of(out->origin_ns, out->zone, h.number[i] * HOUR + HOUR / 2);
	out->epochs = restarts_find(h.at, h.count, &starts);
	(void)capacity_fit(&out->line, h.at, h.count, starts, out->epochs);
	out->starts_ns = mem_new(out->epochs, sizeof *out->starts_ns);
	for (size_t e = 0; e < out->epochs; e++)
		out->starts_ns[e] = h.number[starts[e]] * HOUR;
	free(starts);
	hours_release(&h);
	return true;
}

void
metric_line_release(struct metric_line *m)
{
	free(m->starts_ns);
	m->starts_ns = NULL;
}

double
metric_line_value(const struct metric_line *m, int64_t time_ns)
{
	struct capacity_moment at = moment_of(m->origin_ns, m->zone, time_ns);

	return capacity_value(&m->line, &at);
}

double
metric_line_drift(const struct metric_line *m, int64_t time_ns)
{
	return capacity_drift(&m->line, (double)(time_ns - m->origin_ns) / DAY_NS);
}

double
metric_line_error(const struct metric_line *m, int64_t time_ns)
{
	return capacity_error(&m->line, (double)(time_ns - m->origin_ns) / DAY_NS);
}

/* Whether the line may reach a limit within a day from a moment on: with all of the wave it does not go further. */
static bool
may_reach(const struct metric_line *m, double day, double limit, double z)
{
	double level = fmax(capacity_level(&m->line, day), capacity_level(&m->line, day + 1)),
	       wave = fabs(m->line.wave_mean),
	       error = fmax(capacity_error(&m->line, day), capacity_error(&m->line, day + 1)),
	       least = fmin(capacity_error(&m->line, day), capacity_error(&m->line, day + 1));

	for (size_t c = 0; c < CAPACITY_WAVES; c++)
		wave += fabs(m->line.wave[c]);
	wave *= m->line.multiplies ? fabs(level / m->line.mean) : 1;
	return level + wave + z * (z > 0 ? error : least) >= limit;
}

int64_t
metric_line_reaches(const struct metric_line *m, double limit, double z)
{
	for (int64_t day = 0; day < 365 * YEARS_MOST; day++) {
		int64_t from = time_sum(m->last_ns, day * 24 * HOUR);

		if (from == INT64_MAX || !may_reach(m, (double)(from - m->origin_ns) / DAY_NS, limit, z))
			continue;
		for (int64_t hour = 0; hour < 24; hour++) {
			int64_t at = from + hour * HOUR;

			if (metric_line_value(m, at) + z * metric_line_error(m, at) >= limit)
				return at - HOUR / 2;
		}
	}
	return INT64_MAX;
}
