/* SPDX-License-Identifier: MIT
 * metric_line: restarts are falls, of the hours as they are or of what the wave of the day leaves of them: a fall each
 * evening is no restart, and the wave must not hide one. What explains the hours best is taken. */
#include "trend/metric_line.h"

#include "base/time_math.h"
#include "trend/epochs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOUR INT64_C(3600000000000)
#define DAY_NS 8.64e13
#define YEARS_MOST 20
#define HOURS_READ (METRIC_HOURS_MOST / 2)
#define SPARSE 4 /* hours by one that has measures: more are too far apart */
#define CLEARLY 10.0 /* less misfit that other restarts must have */
#define ROUNDS 4
#define SATURDAY 5
#define THURSDAY 3 /* the first of January 1970 */

/* --- hours --- */

struct hours {
	struct capacity_slot *at;
	int64_t *number; /* since 1970 */
	double *level; /* the values, or what the wave leaves of them */
	size_t count;
};

static void
hours_release(struct hours *h)
{
	free(h->at);
	free(h->number);
	free(h->level);
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

	*h = (struct hours){ .at = mem_new(room, sizeof *h->at),
			     .number = mem_new(room, sizeof *h->number),
			     .level = mem_new(room, sizeof *h->level) };
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

/* --- restarts --- */

static size_t
find_epochs(const struct hours *h, const double *values, double deviations, size_t **starts)
{
	double *days = mem_new(h->count, sizeof *days);
	size_t epochs;

	/* slots of epochs are whole hours, as these are */
	for (size_t i = 0; i < h->count; i++)
		days[i] = ((double)h->number[i] + 0.5) / 24;
	epochs = epochs_find(days, values, h->count, deviations, starts);
	free(days);
	return epochs;
}

struct cuts {
	size_t *starts, epochs;
	double misfit;
};

/* Takes other cuts when they explain the hours clearly better. */
static void
offer_cuts(struct cuts *best, const struct hours *h, double deviations)
{
	struct cuts cuts;

	cuts.epochs = find_epochs(h, h->level, deviations, &cuts.starts);
	if (cuts.epochs == best->epochs && memcmp(cuts.starts, best->starts, cuts.epochs * sizeof *cuts.starts) == 0) {
		free(cuts.starts);
		return;
	}
	cuts.misfit = capacity_misfit(h->at, h->count, cuts.starts, cuts.epochs);
	if (!(cuts.misfit < best->misfit - CLEARLY)) {
		free(cuts.starts);
		return;
	}
	free(best->starts);
	*best = cuts;
}

/* By falls of the hours as they are, then by those of what the wave leaves, which is known the better the more restarts
 * are. */
static struct cuts
find_restarts(struct hours *h)
{
	static const double deviations[] = { EPOCHS_FALL, 4.5, 3 };
	const size_t none = 0;
	struct cuts best = { .starts = mem_new(1, sizeof *best.starts), .epochs = 1 };

	best.misfit = capacity_misfit(h->at, h->count, best.starts, best.epochs);
	for (size_t i = 0; i < h->count; i++)
		h->level[i] = h->at[i].value;
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t d = 0; d < sizeof deviations / sizeof *deviations; d++)
			offer_cuts(&best, h, deviations[d]);
		capacity_take_wave_off(h->at, h->count, round == 0 ? &none : best.starts, round == 0 ? 1 : best.epochs,
				       h->level);
	}
	return best;
}

/* --- the line --- */

bool
metric_line_fit(struct metric_line *out, const struct series_set *set, uint32_t number, const struct kept_point *points,
		size_t count)
{
	const struct series *s = series_set_at(set, number);
	struct hours h;
	struct cuts cuts;

	*out = (struct metric_line){ .zone = set->options->zone };
	if (!hours_find(&h, s, points, count)) {
		hours_release(&h);
		return false;
	}
	out->origin_ns = h.number[0] * HOUR;
	out->last_ns = h.number[h.count - 1] * HOUR + HOUR / 2;
	for (size_t i = 0; i < h.count; i++)
		h.at[i].at = moment_of(out->origin_ns, out->zone, h.number[i] * HOUR + HOUR / 2);
	cuts = find_restarts(&h);
	(void)capacity_fit(&out->line, h.at, h.count, cuts.starts, cuts.epochs);
	out->epochs = cuts.epochs;
	out->starts_ns = mem_new(cuts.epochs, sizeof *out->starts_ns);
	for (size_t e = 0; e < cuts.epochs; e++)
		out->starts_ns[e] = h.number[cuts.starts[e]] * HOUR;
	free(cuts.starts);
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
