/* SPDX-License-Identifier: MIT
 * holidays: days that are periods of their own, from a file: a date and a name a line, or an iCalendar file. */
#ifndef TREND_HOLIDAYS_H
#define TREND_HOLIDAYS_H

#include "trend/season_calendar.h"
#include "trend/trend_options.h"

/* A line that is not a date is left out and reported to the listener. -1 with *err: the file cannot be read, or holds
 * no dates. */
int holidays_read(const char *path, struct season_calendar *calendar, const struct trend_listener *listener,
		  struct stk_error *err) STK_MUST_CHECK;

#endif
