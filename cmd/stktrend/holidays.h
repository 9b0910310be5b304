/* SPDX-License-Identifier: MIT
 * holidays: days that are periods of their own, from a file: a date and a name a line, or an iCalendar file. */
#ifndef STKTREND_HOLIDAYS_H
#define STKTREND_HOLIDAYS_H

#include "trend_options.h"

#include "trend/season_calendar.h"

/* A line that is not a date is left out, of which the listener hears. -1 with *err: the file cannot be read, or holds no dates. */
int holidays_read(const char *path, struct season_calendar *calendar, const struct trend_listener *listener, struct stk_error *err) STK_MUST_CHECK;

#endif
