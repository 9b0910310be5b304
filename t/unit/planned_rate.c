/* SPDX-License-Identifier: MIT
 * planned_rate: when dumps are taken by a plan, and which files are none. */
#include "../lib/tap.h"

#include "stkpipe/error.h"
#include "trend/planned_rate.h"

#include <stdio.h>
#include <string.h>

#define SECOND    INT64_C(1000000000)
#define MINUTE    (60 * SECOND)
#define HOUR      (60 * MINUTE)
#define DAY       (24 * HOUR)
#define MONDAY    (INT64_C(1773619200) * SECOND)	/* 2026-03-16T00:00Z */

#define HEAD_OF(zone, step, periods) \
	"rate-plan: 1\nzone: " zone "\nseason-step: " step "\nperiods: '" periods "'\nconfidence: 95%\nerror: 10%\n"
#define HEAD HEAD_OF("UTC", "15m", "day")

static const char path[] = "plan.yaml";

static struct planned_rate *
open_plan(const char *text, struct stk_error *err)
{
	struct planned_rate *plan;
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
	stk_error_clear(err);
	return planned_rate_open(&plan, path, err) < 0 ? NULL : plan;
}

static void
refused(const char *text, const char *why)
{
	struct stk_error err = { 0 };
	struct planned_rate *plan = open_plan(text, &err);

	ok(plan == NULL && err.code == STK_EUSAGE && strstr(err.text, why) != NULL, "refused: %s", why);
	if (plan != NULL || strstr(err.text, why) == NULL)
		printf("# %s\n", err.text);
	planned_rate_close(plan);
}

/* Moments from one time to another, and how far apart these are at least and at most. */
static unsigned
count(struct planned_rate *plan, int64_t from, int64_t to, int64_t *least, int64_t *most)
{
	unsigned n = 0;
	int64_t last = from - 1;

	*least = INT64_MAX;
	*most = 0;
	for (int64_t at = planned_rate_next(plan, from - 1); at < to; at = planned_rate_next(plan, at)) {
		if (n > 0) {
			*least = at - last < *least ? at - last : *least;
			*most = at - last > *most ? at - last : *most;
		}
		last = at;
		n++;
	}
	return n;
}

static void
test_a_day(void)
{
	struct stk_error err;
	struct planned_rate *plan =
		open_plan(HEAD "dumps:\n  day:\n    00:00: 15m\n    09:00: 7.7s\n    17:30: 1m\n    20:00: 20m\n", &err);
	int64_t least, most;

	is_i64(count(plan, MONDAY + HOUR, MONDAY + 2 * HOUR, &least, &most), 4, "a dump a slot");
	is_i64(count(plan, MONDAY + 9 * HOUR, MONDAY + 9 * HOUR + 15 * MINUTE, &least, &most), 117,
	       "as many as fit into the slot");
	is_i64(least / 1000000, 7692, "... evenly spread");
	is_i64(most / 1000000, 7692, "... from the first to the last");
	is_i64(count(plan, MONDAY + 9 * HOUR, MONDAY + 10 * HOUR, &least, &most), 4 * 117, "the same in those that follow");
	is_i64(count(plan, MONDAY + 17 * HOUR + 30 * MINUTE, MONDAY + 18 * HOUR + 30 * MINUTE, &least, &most), 60,
	       "a minute is a minute");
	is_i64(count(plan, MONDAY + 21 * HOUR, MONDAY + 22 * HOUR, &least, &most), 4,
	       "a slot has a dump, however long the interval");
	is_i64(planned_rate_next(plan, MONDAY - 1), MONDAY, "the first moment of a slot is its beginning");
	is_i64(planned_rate_next(plan, MONDAY), MONDAY + 15 * MINUTE, "a moment is not its own next one");
	is_i64(planned_rate_next(plan, MONDAY + 9 * HOUR - 1), MONDAY + 9 * HOUR, "a busy slot begins on time");
	is_i64(planned_rate_shortest(plan), 15 * MINUTE / 117, "the shortest interval");
	is_i64(planned_rate_interval(plan, MONDAY + 18 * HOUR), MINUTE, "the interval of now");
	planned_rate_close(plan);
}

/* Weekdays and weekends, of two days, in a zone, with a holiday; the clock goes forward on Sunday, 2026-03-29. */
static void
test_a_week(void)
{
	struct stk_error err;
	struct planned_rate *plan = open_plan(
		HEAD_OF("Europe/Berlin", "1h", "weekday=mon-fri,weekend=sat~sun")
		"held:\n  - series: 'abc'\nholidays:\n  2026-03-18: 'Feast'\n"
		"dumps:\n  weekday:\n    00:00: 1h\n    09:00: 10m\n    10:00: 1h\n"
		"  weekend:\n    00:00: 30m\n    24:00: 15m\n  Feast:\n    00:00: 1m\n", &err);
	int64_t least, most;

	ok(plan != NULL, "a plan of a week");
	if (plan == NULL)
		printf("# %s\n", err.text);
	is_i64(count(plan, MONDAY - HOUR, MONDAY + 23 * HOUR, &least, &most), 23 + 6, "a weekday of its zone");
	is_i64(count(plan, MONDAY + 8 * HOUR, MONDAY + 9 * HOUR, &least, &most), 6, "9 o'clock is 9 o'clock in winter");
	is_i64(count(plan, MONDAY + 14 * DAY + 7 * HOUR, MONDAY + 14 * DAY + 8 * HOUR, &least, &most), 6,
	       "... and in summer");
	is_i64(count(plan, MONDAY + 2 * DAY - HOUR, MONDAY + 3 * DAY - HOUR, &least, &most), 24 * 60, "a holiday");
	is_i64(count(plan, MONDAY + 5 * DAY - HOUR, MONDAY + 7 * DAY - HOUR, &least, &most), 24 * 2 + 24 * 4,
	       "a weekend is one period of two days");
	is_i64(count(plan, MONDAY + 13 * DAY - HOUR, MONDAY + 14 * DAY - 2 * HOUR, &least, &most), 23 * 4,
	       "a day of 23 hours");
	planned_rate_close(plan);
}

static void
test_refused(void)
{
	refused("", "expected 'rate-plan: ...'");
	refused("- 1\n", "expected a plan");
	refused("rate-plan: [\n", path);
	refused("rate-plan: 2\nzone: UTC\nseason-step: 15m\nperiods: day\n", ":1:12: expected version 1");
	refused(HEAD_OF("Nowhere", "15m", "day"), ":2:7: ");
	refused(HEAD_OF("UTC", "7m", "day"), "does not divide a day");
	refused(HEAD_OF("UTC", "15", "day"), ":3:14: ");
	refused(HEAD_OF("UTC", "15m", "days"), ":4:10: ");
	refused(HEAD_OF("UTC", "15m", "months"), "a season of the year");
	refused(HEAD "dump:\n", ":7:1: not a part of a plan");
	refused(HEAD, "expected 'dumps:'");
	refused(HEAD "dumps:\n  week:\n    00:00: 1m\n", "the period 'day' is missing");
	refused(HEAD "dumps:\n  day:\n    00:00: 1m\n  week:\n    00:00: 1m\n", "no others");
	refused(HEAD "dumps:\n  day: 1m\n", "expected 00:00: INTERVAL");
	refused(HEAD "dumps:\n  day: {}\n", "expected 00:00: INTERVAL");
	refused(HEAD "dumps:\n  day:\n    01:00: 1m\n", "expected 00:00 first");
	refused(HEAD "dumps:\n  day:\n    00:00: 1m\n    09:07: 1m\n", ":10:5: expected a time of day at which a slot begins");
	refused(HEAD "dumps:\n  day:\n    00:00: 1m\n    9h: 1m\n", "expected a time of day");
	refused(HEAD "dumps:\n  day:\n    00:00: 1m\n    10:00: 1m\n    09:00: 2m\n", "in their order");
	refused(HEAD "dumps:\n  day:\n    00:00: 1m\n    24:00: 1m\n", "fewer days");
	refused(HEAD "dumps:\n  day:\n    00:00: soon\n", ":9:12: ");
	refused(HEAD "dumps:\n  day:\n    00:00: 1us\n", "at least 1ms");
	refused(HEAD "dumps:\n  day:\n    00:00: [1m]\n", "expected a duration");
	refused(HEAD "holidays:\n  yesterday: x\ndumps:\n  day:\n    00:00: 1m\n", "expected a date");
	refused(HEAD "holidays:\n  2026-12-25: Feast\ndumps:\n  day:\n    00:00: 1m\n", "the period 'Feast' is missing");
}

int
main(void)
{
	scratch();
	test_a_day();
	test_a_week();
	test_refused();
	return tap_end();
}
