/* SPDX-License-Identifier: MIT
 * season_calendar: days are looked up once and remembered around the last one asked for. */
#include "trend/season_calendar.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/time_math.h"

#include <stdio.h>
#include <xxhash.h>

#define DAY_NS         INT64_C(86400000000000)
#define DAY_S          86400
#define RULES_MOST     32
#define DAYS_KNOWN     1024		/* a power of two: days remembered at once */
#define SLOTS_MOST     100000		/* of all periods */
#define MONTHS 12
#define RULES_SIZE 2000

enum day_rule { RULE_ALL, RULE_WEEKDAYS, RULE_MONTH, RULE_DATE, RULE_MONTH_END, RULE_QUARTER_END, RULE_MONTHS };

struct rule {
	enum day_rule kind;
	unsigned weekdays;		/* bit 0 is Sunday */
	bool long_cycle;		/* days in a row are one cycle */
	int month, day, count;
	unsigned period;
};

struct holiday { int64_t day; unsigned period; };
struct known_day {
	int64_t day;
	bool known, ends;
	unsigned period, index;
	double year;
};

struct season_calendar {
	struct season_period periods[SEASON_PERIODS_MOST];
	unsigned periods_count, slots, per_day;
	char text[RULES_SIZE];		/* of the rules */
	struct rule rules[RULES_MOST];
	unsigned rules_count;
	ARRAY(struct holiday) holidays;
	int64_t slot_ns;
	const struct time_zone *zone;
	int shift_s;
	unsigned year_parts;
	bool year_known;
	double year[MONTHS];
	struct known_day known[DAYS_KNOWN];
	/* the local day asked for last: most moments are in the same */
	int64_t from_ns, to_ns, local_ns;	/* UTC moments that it spans while the offset holds; what to add to
						 * one */
};

/* --- the rules --- */

static const char weekday_names[7][4] = { "sun", "mon", "tue", "wed", "thu", "fri", "sat" };

static int
take_weekday(const char **at)
{
	for (int d = 0; d < 7; d++)
		if (strncmp(*at, weekday_names[d], 3) == 0) {
			*at += 3;
			return d;
		}
	return -1;
}

/* mon, mon-fri, mon+wed, sat~sun */
static bool
take_weekdays(struct rule *rule, const char *at)
{
	int day = take_weekday(&at);

	rule->kind = RULE_WEEKDAYS;
	while (day >= 0) {
		int to = day;
		char how = *at;

		rule->weekdays |= 1u << day;
		if (how == '\0')
			return true;
		at++;
		to = take_weekday(&at);
		if (to < 0 || (how != '-' && how != '~' && how != '+'))
			return false;
		for (int d = day; how != '+' && d != to; d = (d + 1) % 7)
			rule->weekdays |= 1u << d;
		rule->long_cycle |= how == '~';
		day = to;
	}
	return false;
}

/* One or two digits from 1 to most; *at moves past them. */
static bool
take_number(const char **at, int most, int *value)
{
	const char *from = *at;

	for (*value = 0; *at < from + 2 && **at >= '0' && **at <= '9'; ++*at)
		*value = *value * 10 + (**at - '0');
	return *at > from && *value >= 1 && *value <= most;
}

static bool
take_word(const char **at, const char *word)
{
	size_t size = strlen(word);

	if (strncmp(*at, word, size) != 0)
		return false;
	*at += size;
	return true;
}

static bool
take_days(struct rule *rule, const char *text)
{
	if (strcmp(text, "all") == 0) {
		rule->kind = RULE_ALL;
		return true;
	}
	if (strcmp(text, "months") == 0) {
		rule->kind = RULE_MONTHS;
		return true;
	}
	if (take_word(&text, "month:")) {
		rule->kind = RULE_MONTH;
		return take_number(&text, 12, &rule->month) && *text == '\0';
	}
	if (take_word(&text, "date:")) {
		rule->kind = RULE_DATE;
		return take_number(&text, 12, &rule->month) && take_word(&text, "-") &&
		       take_number(&text, 31, &rule->day) && *text == '\0';
	}
	if (take_word(&text, "month-end:")) {
		rule->kind = RULE_MONTH_END;
		rule->long_cycle = true;
		return take_number(&text, 27, &rule->count) && *text == '\0';
	}
	if (take_word(&text, "quarter-end:")) {
		rule->kind = RULE_QUARTER_END;
		rule->long_cycle = true;
		return take_number(&text, 31, &rule->count) && *text == '\0';
	}
	return take_weekdays(rule, text);
}

static unsigned
cycle_days(const struct rule *rule)
{
	unsigned days = 0;

	if (!rule->long_cycle)
		return 1;
	if (rule->kind != RULE_WEEKDAYS)
		return (unsigned)rule->count;
	for (int d = 0; d < 7; d++)
		days += rule->weekdays >> d & 1;
	return days;
}

static int
add_period(struct season_calendar *c, struct stk_text name, unsigned days, unsigned *number, struct stk_error *err)
{
	struct season_period *period = &c->periods[c->periods_count];

	if (c->periods_count == SEASON_PERIODS_MOST)
		return stk_fail(err, STK_EUSAGE, "more than %d periods", SEASON_PERIODS_MOST);
	(void)snprintf(period->name, sizeof period->name, "%.*s", (int)name.size, name.data);
	period->days = days;
	period->first = c->slots;
	period->slots = days == 0 ? 12 : days * c->per_day;
	period->cycles = 1;
	c->slots += period->slots;
	if (c->slots > SLOTS_MOST)
		return stk_fail(err, STK_EUSAGE, "%u slots in all periods together, at most %d: expected longer slots",
				c->slots, SLOTS_MOST);
	*number = c->periods_count++;
	return 0;
}

static int
add_rule(struct season_calendar *c, const char *text, size_t size, struct stk_error *err)
{
	const char *equals = memchr(text, '=', size);
	struct rule *rule = &c->rules[c->rules_count];
	char days[40];

	if (c->rules_count == RULES_MOST)
		return stk_fail(err, STK_EUSAGE, "periods: more than %d rules", RULES_MOST);
	*rule = (struct rule){ 0 };
	if (equals == NULL || equals == text || size - (size_t)(equals + 1 - text) >= sizeof days)
		return stk_fail(err, STK_EUSAGE, "periods: expected NAME=DAYS, not '%.*s'", (int)size, text);
	(void)snprintf(days, sizeof days, "%.*s", (int)(size - (size_t)(equals + 1 - text)), equals + 1);
	if (!take_days(rule, days))
		return stk_fail(
			err, STK_EUSAGE,
			"periods: expected days such as mon-fri, sat~sun, all, month:12, date:12-24, month-end:3 or quarter-end:3, not '%s'",
			days);
	if (add_period(c, text_of(text, (size_t)(equals - text)), rule->kind == RULE_MONTHS ? 0 : cycle_days(rule),
		       &rule->period, err) < 0)
		return -1;
	c->rules_count++;
	return 0;
}

static const char *
rules_of_name(const char *name)
{
	static const char *const names[][2] = {
		{ "none", "all=all" },
		{ "day", "day=all" },
		{ "week", "weekday=mon-fri,weekend=sat~sun" },
		{ "months", "year=months" },
		{ "weekdays", "mon=mon,tue=tue,wed=wed,thu=thu,fri=fri,sat=sat,sun=sun" },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i][0]) == 0)
			return names[i][1];
	return name;
}

/* "*months" at the end of the rules: they are the rest. */
static size_t
take_year(struct season_calendar *c, const char *rules)
{
	static const struct {
		const char *name;
		unsigned parts;
	} years[] = { { "*months", 12 }, { "*quarters", 4 } };
	size_t size = strlen(rules);

	for (size_t i = 0; i < sizeof years / sizeof *years; i++) {
		size_t end = strlen(years[i].name);

		if (size > end && strcmp(rules + size - end, years[i].name) == 0) {
			c->year_parts = years[i].parts;
			return size - end;
		}
	}
	return size;
}

int
season_calendar_open(struct season_calendar **out, const char *rules, int64_t slot_ns, const struct time_zone *zone,
		     int shift_s, struct stk_error *err)
{
	struct season_calendar *c = mem_new(1, sizeof *c);
	char name[RULES_SIZE];
	const char *at = name;
	size_t length = take_year(c, rules);

	*out = c;
	if (length >= sizeof name)
		return stk_fail(err, STK_EUSAGE, "periods: longer than %d characters", RULES_SIZE);
	memcpy(name, rules, length);
	name[length] = '\0';
	at = rules_of_name(name);
	(void)snprintf(c->text, sizeof c->text, "%s", rules);
	c->slot_ns = slot_ns;
	c->zone = zone;
	c->shift_s = shift_s;
	c->from_ns = c->to_ns = 0;
	if (slot_ns <= 0 || slot_ns > DAY_NS || DAY_NS % slot_ns != 0) {
		char text[TIME_TEXT_MAX];

		return stk_fail(err, STK_EUSAGE, "slot: %s does not divide a day: expected 15m, 30m, 1h or the like",
				duration_print(text, slot_ns));
	}
	if (DAY_NS / slot_ns > SLOTS_MOST && strcmp(name, "none") != 0)
		return stk_fail(err, STK_EUSAGE, "%lld slots in a day, at most %d: expected longer slots",
				(long long)(DAY_NS / slot_ns), SLOTS_MOST);
	c->per_day = strcmp(name, "none") == 0 ? 1 : (unsigned)(DAY_NS / slot_ns);
	while (*at != '\0') {
		size_t size = strcspn(at, ",");

		if (add_rule(c, at, size, err) < 0)
			return -1;
		at += size + (at[size] == ',');
	}
	if (c->rules_count == 0)
		return stk_fail(err, STK_EUSAGE, "periods: expected at least one NAME=DAYS");
	season_calendar_settle(c);
	return 0;
}

void
season_calendar_close(struct season_calendar *calendar)
{
	if (calendar == NULL)
		return;
	array_release(&calendar->holidays);
	free(calendar);
}

/* --- holidays --- */

static int
compare_holidays(const void *a, const void *b)
{
	int64_t x = ((const struct holiday *)a)->day, y = ((const struct holiday *)b)->day;

	return (x > y) - (x < y);
}

int
season_calendar_holiday(struct season_calendar *c, int64_t day, struct stk_text name, struct stk_error *err)
{
	char wanted[sizeof c->periods->name];
	unsigned period = c->rules_count;

	(void)snprintf(wanted, sizeof wanted, "%.*s", (int)name.size, name.data);
	while (period < c->periods_count && strcmp(c->periods[period].name, wanted) != 0)
		period++;
	if (period == c->periods_count && add_period(c, text_from(wanted), 1, &period, err) < 0)
		return -1;
	*array_push(&c->holidays) = (struct holiday){ day, period };
	return 0;
}

const char *
season_calendar_rules(const struct season_calendar *c)
{
	return c->text;
}

bool
season_calendar_holiday_at(const struct season_calendar *c, size_t i, int64_t *day, const char **name)
{
	if (i >= c->holidays.count)
		return false;
	*day = c->holidays.at[i].day;
	*name = c->periods[c->holidays.at[i].period].name;
	return true;
}

uint64_t
season_calendar_holidays(const struct season_calendar *c, int64_t to_day)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < c->holidays.count && c->holidays.at[i].day <= to_day; i++) {
		const char *name = c->periods[c->holidays.at[i].period].name;
		int64_t day = c->holidays.at[i].day;

		if (i > 0 && day == c->holidays.at[i - 1].day)
			continue;
		hash = XXH3_64bits_withSeed(name, strlen(name), XXH3_64bits_withSeed(&day, sizeof day, hash));
	}
	return hash;
}

static const struct holiday *
find_holiday(const struct season_calendar *c, int64_t day)
{
	struct holiday wanted = { .day = day };

	return c->holidays.count == 0
		       ? NULL
		       : bsearch(&wanted, c->holidays.at, c->holidays.count, sizeof wanted, compare_holidays);
}

/* --- days --- */

static int
days_in_month(const struct time_civil *date)
{
	return (int)(time_days(date->month == 12 ? date->year + 1 : date->year, date->month == 12 ? 1 : date->month + 1,
			       1) -
		     time_days(date->year, date->month, 1));
}

static bool
rule_matches(const struct rule *rule, const struct time_civil *date)
{
	switch (rule->kind) {
	case RULE_ALL: case RULE_MONTHS: return true;
	case RULE_WEEKDAYS:    return rule->weekdays >> date->weekday & 1;
	case RULE_MONTH:       return date->month == rule->month;
	case RULE_DATE:        return date->month == rule->month && date->day == rule->day;
	case RULE_MONTH_END:   return date->day > days_in_month(date) - rule->count;
	case RULE_QUARTER_END: return date->month % 3 == 0 && date->day > days_in_month(date) - rule->count;
	}
	return false;
}

static const struct rule *
rule_of_day(const struct season_calendar *c, int64_t day, unsigned *period)
{
	const struct holiday *holiday = find_holiday(c, day);
	const struct rule *rule = c->rules;
	struct time_civil date;

	if (holiday != NULL) {
		*period = holiday->period;
		return NULL;
	}
	time_civil_of(&date, day * DAY_S);
	while (rule < c->rules + c->rules_count - 1 && !rule_matches(rule, &date))
		rule++;
	*period = rule->period;
	return rule;
}

/* Which day of its cycle a day is: in a weekend Sunday is the second even after a Saturday that was a holiday. */
static unsigned
index_in_cycle(const struct rule *rule, int64_t day)
{
	struct time_civil date;
	unsigned index = 0;

	if (rule == NULL || !rule->long_cycle)
		return 0;
	time_civil_of(&date, day * DAY_S);
	if (rule->kind != RULE_WEEKDAYS)
		return (unsigned)(date.day - (days_in_month(&date) - rule->count) - 1);
	for (int d = (date.weekday + 6) % 7; d != date.weekday && (rule->weekdays >> d & 1); d = (d + 6) % 7)
		index++;
	return index < cycle_days(rule) ? index : 0;
}

/* --- the year --- */

/* The day since 1970 on which a part of a year begins; part may be -1 or the number of parts. */
static int64_t
part_begins(const struct season_calendar *c, int year, int part)
{
	int parts = (int)c->year_parts, months = MONTHS / parts;

	if (part < 0)
		return time_days(year - 1, MONTHS - months + 1, 1);
	return part >= parts ? time_days(year + 1, 1 + (part - parts) * months, 1)
			     : time_days(year, 1 + part * months, 1);
}

static double
middle_of(const struct season_calendar *c, int year, int part)
{
	return (double)(part_begins(c, year, part) + part_begins(c, year, part + 1)) / 2;
}

/* On the line between the middles of the part that a day is in and of the one that it is nearer to. */
static double
year_of_day(const struct season_calendar *c, int64_t day)
{
	struct time_civil date;
	int parts = (int)c->year_parts, part, other;
	double at = (double)day + 0.5, here, there;

	if (!c->year_known)
		return 0;
	time_civil_of(&date, day * DAY_S);
	part = (date.month - 1) * parts / MONTHS;
	here = middle_of(c, date.year, part);
	other = at < here ? part - 1 : part + 1;
	there = middle_of(c, date.year, other);
	return c->year[part] + (c->year[(other + parts) % parts] - c->year[part]) * (at - here) / (there - here);
}

unsigned
season_year_parts(const struct season_calendar *c)
{
	return c->year_parts;
}

void
season_year_set(struct season_calendar *c, const double *parts)
{
	c->year_known = parts != NULL && c->year_parts > 0;
	if (c->year_known)
		memcpy(c->year, parts, c->year_parts * sizeof *parts);
	memset(c->known, 0, sizeof c->known);
}

const double *
season_year(const struct season_calendar *c)
{
	return c->year_known ? c->year : NULL;
}

static struct known_day *
know_day(struct season_calendar *c, int64_t day)
{
	struct known_day *known = &c->known[(uint64_t)day % DAYS_KNOWN];
	const struct rule *rule, *next_rule;
	unsigned next;

	if (known->known && known->day == day)
		return known;
	rule = rule_of_day(c, day, &known->period);
	next_rule = rule_of_day(c, day + 1, &next);
	known->index = index_in_cycle(rule, day);
	known->year = year_of_day(c, day);
	known->day = day;
	known->known = true;
	if (rule != NULL && rule->kind == RULE_MONTHS) {
		struct time_civil date;

		time_civil_of(&date, day * DAY_S);
		known->index = (unsigned)date.month - 1;
		known->ends = date.month == 12 && date.day == 31;
	} else {
		known->ends = next != known->period || index_in_cycle(next_rule, day + 1) == 0;
	}
	return known;
}

void
season_calendar_settle(struct season_calendar *c)
{
	int64_t from = time_days(2024, 1, 1), to = time_days(2052, 1, 1);
	double years;

	if (c->holidays.count > 0) {
		struct time_civil first, last;

		qsort(c->holidays.at, c->holidays.count, sizeof *c->holidays.at, compare_holidays);
		time_civil_of(&first, c->holidays.at[0].day * DAY_S);
		time_civil_of(&last, c->holidays.at[c->holidays.count - 1].day * DAY_S);
		from = time_days(first.year, 1, 1);
		to = time_days(last.year + 1, 1, 1);
	}
	memset(c->known, 0, sizeof c->known);
	for (unsigned p = 0; p < c->periods_count; p++)
		c->periods[p].cycles = 0;
	years = (double)(to - from) / 365.25;
	for (int64_t day = from; day < to && day < from + 40 * 366; day++) {
		const struct known_day *known = know_day(c, day);

		c->periods[known->period].cycles += known->ends ? 1 / years : 0;
	}
}

static unsigned
slot_of(const struct season_calendar *c, const struct known_day *day, int64_t ns_of_day)
{
	const struct season_period *period = &c->periods[day->period];
	unsigned slot;

	if (period->days == 0)
		return period->first + day->index;
	slot = c->per_day == 1 ? day->index : day->index * c->per_day + (unsigned)(ns_of_day / c->slot_ns);
	return period->first + (slot < period->slots ? slot : period->slots - 1);
}

/* The offset can change within a day: what is remembered holds for a quarter of an hour at most, between which no clock
 * is set. */
struct season_place
season_place(struct season_calendar *c, int64_t time_ns)
{
	static const int64_t quarter = INT64_C(900000000000);
	int64_t local, day;
	const struct known_day *known;

	if (time_ns < c->from_ns || time_ns >= c->to_ns) {
		c->from_ns = time_units(time_ns, quarter) * quarter;
		c->to_ns = c->from_ns + quarter;
		c->local_ns =
			((int64_t)time_zone_offset(c->zone, time_units(time_ns, 1000000000)) + c->shift_s) * 1000000000;
	}
	local = time_ns + c->local_ns;
	day = time_units(local, DAY_NS);
	known = know_day(c, day);
	return (struct season_place){ .day = day,
				      .period = known->period,
				      .slot = slot_of(c, known, local - day * DAY_NS),
				      .year = known->year };
}

unsigned
season_of_day(struct season_calendar *c, int64_t day, bool *ends)
{
	const struct known_day *known = know_day(c, day);

	*ends = known->ends;
	return known->period;
}

unsigned
season_slots(const struct season_calendar *c)
{
	return c->slots;
}

unsigned
season_periods(const struct season_calendar *c)
{
	return c->periods_count;
}

const struct season_period *
season_period(const struct season_calendar *c, unsigned period)
{
	return &c->periods[period];
}

int64_t
season_slot_ns(const struct season_calendar *c)
{
	return c->slot_ns;
}

bool
season_calendar_is_flat(const struct season_calendar *c)
{
	return c->slots == 1;
}

unsigned
season_cycle_days(const struct season_calendar *c)
{
	unsigned days = 1;

	for (unsigned r = 0; r < c->rules_count; r++) {
		if (c->rules[r].kind == RULE_MONTHS)
			return 366;
		if (c->rules[r].kind != RULE_ALL)
			days = 7;
	}
	return days;
}
