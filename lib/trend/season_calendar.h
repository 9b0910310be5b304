/* SPDX-License-Identifier: MIT
 * season_calendar: which slot of which period a moment is in. A period is a kind of day, or of days in a row, that
 * repeats: weekdays of 96 slots, weekends of 192, a holiday. Slots count the local time of day, so that 9 o'clock is 9
 * o'clock in summer and in winter.
 *
 * Rules, with commas between, the first that matches a day wins; a day that none matches is of the last one:
 *	NAME=DAYS	mon, mon-fri, mon+wed: such days are alike; sat~sun: they are one long cycle; all
 *			month:12, date:12-24, month-end:3, quarter-end:3 (the last three days, one cycle)
 * or one of the names none, day (every day alike), week (weekday=mon-fri,weekend=sat~sun), weekdays (seven periods),
 * months (a year of 12 slots).
 *
 * *months or *quarters after these: a season of the year upon them. Its parts are given by whoever knows them; between
 * the middles of two parts a day is between both. */
#ifndef TREND_SEASON_CALENDAR_H
#define TREND_SEASON_CALENDAR_H

#include "base/time_text.h"

#define SEASON_PERIODS_MOST 64

struct season_period {
	char name[32];
	unsigned days;			/* of a cycle; 0: it has slots of months */
	unsigned first, slots;		/* its slots among those of all periods */
	double cycles;			/* a year */
};

struct season_place {
	int64_t day;			/* local days since 1970 */
	unsigned period, slot;		/* the slot among those of all periods */
	double year;			/* of the season of the year: by what part of the level a day is above it; where
					 * seasons add, by how much. 0: there is none */
};

struct season_calendar;

/* slot_ns must divide a day. The zone is borrowed; shift_s: seconds to add to what its clocks show. */
int season_calendar_open(struct season_calendar **out, const char *rules, int64_t slot_ns, const struct time_zone *zone,
			 int shift_s, struct stk_error *err) STK_MUST_CHECK;
void season_calendar_close(struct season_calendar *calendar);

/* A day that is a period of its name's own whatever the rules say. Before any place is asked for. -1: too many
 * names. */
int season_calendar_holiday(struct season_calendar *calendar, int64_t day, struct stk_text name,
			    struct stk_error *err) STK_MUST_CHECK;
/* What the holidays up to a day are, as one number: calendars that give the same one treat these days alike. */
uint64_t season_calendar_holidays(const struct season_calendar *calendar, int64_t to_day);
/* The rules as text, which season_calendar_open takes, and its i-th holiday; false: there are no more. */
const char *season_calendar_rules(const struct season_calendar *calendar);
bool season_calendar_holiday_at(const struct season_calendar *calendar, size_t i, int64_t *day, const char **name);
/* After the last holiday: counts how often a year each period comes. */
void season_calendar_settle(struct season_calendar *calendar);

struct season_place season_place(struct season_calendar *calendar, int64_t time_ns);
/* The period of a day, and whether its cycle ends with it. */
unsigned season_of_day(struct season_calendar *calendar, int64_t day, bool *ends);

unsigned season_slots(const struct season_calendar *calendar);		/* of all periods */
unsigned season_periods(const struct season_calendar *calendar);
const struct season_period *season_period(const struct season_calendar *calendar, unsigned period);
int64_t season_slot_ns(const struct season_calendar *calendar);
bool season_calendar_is_flat(const struct season_calendar *calendar);	/* one slot: no season */
/* Parts of a year upon the periods: 12 months, 4 quarters, or 0. */
unsigned season_year_parts(const struct season_calendar *calendar);
/* What places are to say of the year from now on, a value for each part, as in season_place. NULL: nothing. */
void season_year_set(struct season_calendar *calendar, const double *parts);
const double *season_year(const struct season_calendar *calendar);	/* NULL: nothing was set */
/* Days after which everything repeats, but for a season of the year upon them: 7 for a week, 1 when all days are alike,
 * 366 for months. */
unsigned season_cycle_days(const struct season_calendar *calendar);

#endif
