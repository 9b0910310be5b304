/* SPDX-License-Identifier: MIT
 * season_cycles: measures become means of the slots of days, and days means of longer slots, so that neither a crowd of
 * measures in one slot nor a month of many days is more than one voice. */
#include "trend/season_cycles.h"

#include "base/time_text.h"
#include "trend/high_season.h"

#include <math.h>
#include <stdlib.h>

#define DAY_NS INT64_C(86400000000000)
#define DAY_S 86400
#define MOST_COMPARED 60
#define SLOTS_LEAST 4 /* that a correlation says something of */
#define LEVEL 0.1 /* of the tests, as in the source */
#define WEEKS 13 /* of a quarter: what is left of its last days is of the last one */
#define MONTHS 12
#define TWO_WEEKS 14 /* days that a month needs to be one */

const char *const season_cycle_names[SEASON_CYCLES] = {
	"day", "weekday", "weekend", "week", "month", "quarter", "year"
};

/* The mean of a slot of a day, or of a day. */
struct day_mean {
	int64_t day;
	unsigned slot;
	double value, count;
};

struct day_means {
	struct day_mean *at;
	size_t count, room;
};

static void
add_mean(struct day_means *means, int64_t day, unsigned slot, double value)
{
	struct day_mean *last = means->count == 0 ? NULL : &means->at[means->count - 1];

	if (last == NULL || last->day != day || last->slot != slot) {
		last = array_push(means);
		*last = (struct day_mean){ .day = day, .slot = slot };
	}
	last->count++;
	last->value += (value - last->value) / last->count;
}

static struct day_means
means_of_slots(const struct trend_point *points, size_t count)
{
	struct day_means means = { 0 };

	for (size_t i = 0; i < count; i++)
		add_mean(&means, points[i].place.day, points[i].place.slot, points[i].value);
	return means;
}

static struct day_means
means_of_days(const struct day_means *slots)
{
	struct day_means means = { 0 };

	for (size_t i = 0; i < slots->count; i++)
		add_mean(&means, slots->at[i].day, 0, slots->at[i].value);
	return means;
}

/* --- where a day is --- */

/* Which cycle a mean is of, in which slot of it, and with which day it begins. */
struct place {
	int64_t cycle, begins;
	unsigned slot;
};

static int64_t
first_of_month(int64_t day, int months_back)
{
	struct time_civil date;

	time_civil_of(&date, day * DAY_S);
	day -= date.day - 1;
	while (months_back-- > 0) {
		time_civil_of(&date, --day * DAY_S);
		day -= date.day - 1;
	}
	return day;
}

static bool
find_place(enum season_cycle cycle, const struct day_mean *mean, unsigned per_day, struct place *to)
{
	int64_t monday = mean->day - ((mean->day + 3) % 7 + 7) % 7; /* 1970 began with a Thursday */
	unsigned weekday = (unsigned)(mean->day - monday);
	struct time_civil date;

	time_civil_of(&date, mean->day * DAY_S);
	switch (cycle) {
	case CYCLE_DAY: *to = (struct place){ mean->day, mean->day, mean->slot }; return true;
	case CYCLE_WEEKDAY: *to = (struct place){ mean->day, mean->day, mean->slot }; return weekday < 5;
	case CYCLE_WEEKEND:
		*to = (struct place){ monday, monday + 5, weekday < 5 ? 0 : (weekday - 5) * per_day + mean->slot };
		return weekday >= 5;
	case CYCLE_WEEK: *to = (struct place){ monday, monday, weekday * per_day + mean->slot }; return true;
	case CYCLE_MONTH:
		*to = (struct place){ date.year * MONTHS + date.month, mean->day - date.day + 1,
				      (unsigned)date.day - 1 };
		return true;
	case CYCLE_QUARTER: {
		int64_t begins = first_of_month(mean->day, (date.month - 1) % 3);
		unsigned week = (unsigned)(mean->day - begins) / 7;

		*to = (struct place){ begins, begins, week < WEEKS ? week : WEEKS - 1 };
		return true;
	}
	case CYCLE_YEAR:
		*to = (struct place){ date.year, first_of_month(mean->day, date.month - 1), (unsigned)date.month - 1 };
		return true;
	case SEASON_CYCLES: break;
	}
	return false;
}

static unsigned
slots_of(enum season_cycle cycle, unsigned per_day)
{
	static const unsigned long_ones[] = { [CYCLE_MONTH] = 31, [CYCLE_QUARTER] = WEEKS, [CYCLE_YEAR] = MONTHS };

	return cycle >= CYCLE_MONTH     ? long_ones[cycle]
	       : cycle == CYCLE_WEEK    ? 7 * per_day
	       : cycle == CYCLE_WEEKEND ? 2 * per_day
					: per_day;
}

/* --- cycles --- */

struct one_cycle {
	int64_t number, begins;
	unsigned known;
};

struct cycles {
	unsigned slots;
	struct one_cycle *at;
	size_t count, room;
	double *values; /* of each cycle a row of slots; NAN where there is no measure */
};

static void
begin_cycle(struct cycles *c, const struct place *place)
{
	size_t n = c->count * c->slots;

	*array_push(c) = (struct one_cycle){ place->cycle, place->begins, 0 };
	c->values = mem_resize(c->values, n + c->slots, sizeof *c->values);
	for (size_t i = 0; i < c->slots; i++)
		c->values[n + i] = NAN;
}

static struct cycles
cycles_of(enum season_cycle cycle, const struct day_means *means, unsigned per_day)
{
	struct cycles c = { .slots = slots_of(cycle, per_day) };
	double *counts = mem_new(c.slots, sizeof *counts);

	for (size_t i = 0; i < means->count; i++) {
		struct place place;
		double *value;

		if (!find_place(cycle, &means->at[i], per_day, &place))
			continue;
		if (c.count == 0 || c.at[c.count - 1].number != place.cycle) {
			begin_cycle(&c, &place);
			memset(counts, 0, c.slots * sizeof *counts);
		}
		value = &c.values[(c.count - 1) * c.slots + place.slot];
		c.at[c.count - 1].known += counts[place.slot]++ <= 0;
		*value = isnan(*value) ? means->at[i].value
				       : *value + (means->at[i].value - *value) / counts[place.slot];
	}
	free(counts);
	return c;
}

static void
release_cycles(struct cycles *c)
{
	free(c->values);
	array_release(c);
}

static bool
is_whole(const struct cycles *c, size_t i)
{
	return 4 * c->at[i].known >= 3 * c->slots;
}

static struct cycle_pair
compare_cycles(const struct cycles *c, size_t latest, size_t earlier, enum season_method method)
{
	const double *a = c->values + latest * c->slots, *b = c->values + earlier * c->slots;
	struct season_verdict shifted = season_test(a, b, c->slots, SEASON_SHIFT, LEVEL);
	struct cycle_pair pair = { .latest_day = c->at[latest].begins,
				   .earlier_day = c->at[earlier].begins,
				   .verdict = season_test(a, b, c->slots, method, LEVEL),
				   .shift_p = shifted.p };

	pair.season = pair.verdict.exists && shifted.exists;
	return pair;
}

/* Measures that are days apart say nothing of a day. */
static struct day_means
means_for(enum season_cycle cycle, const struct trend_point *points, size_t count)
{
	struct day_means slots = means_of_slots(points, count), days;

	if (cycle < CYCLE_MONTH)
		return slots;
	days = means_of_days(&slots);
	array_release(&slots);
	return days;
}

static unsigned
slots_a_day(const struct season_calendar *calendar)
{
	return (unsigned)(DAY_NS / season_slot_ns(calendar));
}

size_t
season_cycles_compare(enum season_cycle cycle, struct season_calendar *calendar, const struct trend_point *points,
		      size_t count, enum season_method method, struct cycle_pairs *pairs)
{
	struct day_means means;
	struct cycles c;
	size_t latest, before = pairs->count;

	if (slots_of(cycle, slots_a_day(calendar)) < SLOTS_LEAST)
		return 0;
	means = means_for(cycle, points, count);
	c = cycles_of(cycle, &means, slots_a_day(calendar));
	latest = c.count;
	while (latest > 0 && !is_whole(&c, latest - 1))
		latest--;
	for (size_t i = latest; i-- > 1 && pairs->count - before < MOST_COMPARED;)
		if (is_whole(&c, i - 1))
			*array_push(pairs) = compare_cycles(&c, latest - 1, i - 1, method);
	release_cycles(&c);
	array_release(&means);
	return pairs->count - before;
}

/* --- the year upon other seasons --- */

#define YEAR_DAYS 365.25
#define YEARS 2 /* that are needed */
#define YEAR_FULL 0.75 /* of its days */

struct year_levels {
	double at[64], days[64];
	size_t count;
	double last;
};

/* The means of years that end with the last day, the latest first. */
static void
measure_years(struct year_levels *l, const struct day_means *days)
{
	const int64_t last = days->at[days->count - 1].day;

	*l = (struct year_levels){ .last = (double)last };
	for (size_t i = days->count; i-- > 0;) {
		size_t year = (size_t)((double)(last - days->at[i].day) / YEAR_DAYS);

		if (year >= sizeof l->at / sizeof *l->at)
			break;
		l->count = year + 1 > l->count ? year + 1 : l->count;
		l->days[year]++;
		l->at[year] += (days->at[i].value - l->at[year]) / l->days[year];
	}
	for (size_t year = 0; year < l->count; year++)
		if (l->days[year] < YEAR_FULL * YEAR_DAYS) {
			l->count = year;
			break;
		}
}

/* On the line between the middles of years, and beyond the outer ones on the same line. */
static double
level_of_day(const struct year_levels *l, int64_t day)
{
	double at = (l->last - (double)day) / YEAR_DAYS - 0.5;
	size_t year = at <= 0 ? 0 : (size_t)at;

	year = year + 2 > l->count ? l->count - 2 : year;
	return l->at[year] + (l->at[year + 1] - l->at[year]) * (at - (double)year);
}

bool
season_year_parts_find(const struct trend_point *points, size_t count, unsigned parts, bool additive, double *values)
{
	struct day_means slots = means_of_slots(points, count), days = means_of_days(&slots);
	double counts[MONTHS] = { 0 }, mean = 0;
	struct year_levels levels = { 0 };
	bool known;

	if (days.count > 0)
		measure_years(&levels, &days);
	known = levels.count >= YEARS;
	for (unsigned p = 0; p < parts; p++)
		values[p] = 0;
	for (size_t i = 0; i < days.count && known; i++) {
		double level = level_of_day(&levels, days.at[i].day);
		struct time_civil date;
		unsigned part;

		if (levels.last - (double)days.at[i].day >= YEAR_DAYS * (double)levels.count ||
		    (!additive && !(level > 0)))
			continue;
		time_civil_of(&date, days.at[i].day * DAY_S);
		part = ((unsigned)date.month - 1) * parts / MONTHS;
		counts[part]++;
		values[part] += ((additive ? days.at[i].value - level : days.at[i].value / level - 1) - values[part]) /
				counts[part];
	}
	array_release(&slots);
	array_release(&days);
	for (unsigned p = 0; p < parts && known; p++) {
		known = counts[p] > 0;
		mean += values[p] / parts;
	}
	for (unsigned p = 0; p < parts; p++)
		values[p] = additive ? values[p] - mean : (1 + values[p]) / (1 + mean) - 1;
	return known;
}

/* --- the high season --- */

static void
find_months(struct high_months *h, const struct cycles *years)
{
	double sums[MONTHS] = { 0 };

	for (size_t y = 0; y < years->count; y++) {
		const double *months = years->values + y * MONTHS;
		double mean = 0;

		for (size_t m = 0; m < MONTHS; m++)
			mean += months[m] / MONTHS;
		if (years->at[y].known < MONTHS || !(mean > 0))
			continue;
		h->years++;
		for (size_t m = 0; m < MONTHS; m++)
			sums[m] += months[m] / mean;
	}
	h->known = h->years > 0;
	for (size_t m = 0; m < MONTHS && h->known; m++)
		h->factors[m] = sums[m] / (double)h->years;
}

/* The days of the latest months in a row that are high, from the first of them to the last day that was seen. */
static void
find_latest(struct high_months *h, const struct day_means *days)
{
	size_t seen = 0;
	bool inside = false;

	for (size_t i = days->count; i-- > 0;) {
		struct time_civil date;
		bool ends = i == 0;

		time_civil_of(&date, days->at[i].day * DAY_S);
		if (h->high[date.month - 1]) {
			if (!inside)
				h->to_day = days->at[i].day + 1;
			inside = true;
			seen++;
			h->from_day = days->at[i].day;
		} else {
			ends = true;
		}
		if (inside && ends) {
			if (seen >= TWO_WEEKS)
				return;
			inside = false;
			seen = 0;
		}
	}
	h->from_day = h->to_day = 0;
}

struct high_months
season_high_months(struct season_calendar *calendar, const struct trend_point *points, size_t count)
{
	struct day_means days = means_for(CYCLE_YEAR, points, count);
	struct cycles years = cycles_of(CYCLE_YEAR, &days, slots_a_day(calendar));
	struct high_months h = { 0 };

	find_months(&h, &years);
	if (h.known) {
		h.threshold = high_season(h.factors, MONTHS, 1, h.high);
		find_latest(&h, &days);
	}
	release_cycles(&years);
	array_release(&days);
	return h;
}
