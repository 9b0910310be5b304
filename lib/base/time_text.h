/* SPDX-License-Identifier: MIT
 * time_text: moments and durations as people write them. A moment is int64_t nanoseconds since 1970 UTC;
 * STK_TIME_UNKNOWN is none. Nothing here reads the clock, the locale or the environment: `now` and the zone are given,
 * TZ comes from the host. */
#ifndef BASE_TIME_TEXT_H
#define BASE_TIME_TEXT_H

#include "stkpipe/error.h"
#include "stkpipe/rows.h"	/* struct stk_text, STK_TIME_UNKNOWN */

#include <stdbool.h>
#include <stdint.h>

#define TIME_TEXT_MAX 64

struct time_zone;	/* the rules of one zone */

/* "UTC", "local" (the host's TZ, or else /etc/localtime; UTC without either), "+02:00", "-0530", or a name of the zone
 * database ("Europe/Berlin", read from the host's folder of zones). -1 with *err when there is no such zone. */
int  time_zone_open(struct time_zone **out, const char *name, struct stk_error *err) STK_MUST_CHECK;
void time_zone_close(struct time_zone *zone);
/* The name of the zone that "local" is, for readers on other machines: a name of the zone database, or "" when it has
 * none. Returns `to`. */
char *time_zone_local_name(char to[TIME_TEXT_MAX]);
/* What the zone's clocks show for a moment: seconds to add to UTC. zone NULL: UTC. */
int  time_zone_offset(const struct time_zone *zone, int64_t utc_seconds);
bool time_zone_is_utc(const struct time_zone *zone);	/* always; NULL is */
/* For a clock that counts from an unknown start: moments without a date, printed as seconds. Nobody closes it. */
const struct time_zone *time_zone_undated(void);

/* The calendar: proleptic Gregorian. Days are counted from 1970-01-01. */
/* weekday 0 is Sunday; year_day 1 is 1 January */
struct time_civil { int year, month, day, hour, minute, second, weekday, year_day; };
int64_t time_days(int year, int month, int day);
/* The date and time that a clock shows at local_seconds = utc_seconds + time_zone_offset(zone, utc_seconds). */
void    time_civil_of(struct time_civil *to, int64_t local_seconds);

/* "Z", "+02:00", "+0200" or "+02" at *at: moves past it. False, and *at unchanged, when there is none. */
bool    time_take_offset(const char **at, int *seconds);

/* From a civil date and time in a zone (NULL: UTC) to nanoseconds. In an hour that the clock shows twice the first is
 * meant; in one that it skips, the old offset is used. STK_TIME_UNKNOWN beyond what 64 bits of nanoseconds hold
 * (1677-09-21 to 2262-04-11). */
int64_t time_from_civil(int year, int month, int day, int hour, int minute, int second, int64_t ns,
			const struct time_zone *zone);

/* A moment as an option takes it: RFC 3339 ("2026-11-19T09:00:00+01:00", "2026-11-19 09:00", "2026-11-19"),
 * "@1700000000.5", "09:00" (on the day of `now`), "-2h" (before `now`), "now". */
int time_parse(const char *text, int64_t now_ns, const struct time_zone *zone, int64_t *ns,
	       struct stk_error *err) STK_MUST_CHECK;

/* "FROM..TO", from the first moment on and before the second; either may be left out: then it is INT64_MIN or
 * INT64_MAX. Moments are clamped to valid ones. */
struct time_window { int64_t from_ns, to_ns; };
int time_window_parse(const char *text, int64_t now_ns, const struct time_zone *zone, struct time_window *window,
		      struct stk_error *err) STK_MUST_CHECK;

/* Finds and reads a moment by a pattern like strptime's: %Y %m %d %H %M %S %f (fraction) %s (epoch seconds) %y %b %j %z
 * %% and `*` for any run. True when `text` holds the pattern anywhere. Used for --time-from name:PATTERN. */
bool time_match(struct stk_text text, const char *pattern, const struct time_zone *zone, int64_t *ns);

/* RFC 3339 with as many fraction digits as needed (0, 3, 6 or 9) in the zone (NULL: UTC, "Z"; undated: as
 * seconds_print does); "-" for STK_TIME_UNKNOWN. Returns `to`. */
char *time_print(char to[TIME_TEXT_MAX], int64_t ns, const struct time_zone *zone);
/* The same without the date where `before`, which time_print wrote, has it too. */
char *time_print_after(char to[TIME_TEXT_MAX], int64_t ns, const struct time_zone *zone, const char *before);

/* Seconds with 0, 3, 6 or 9 digits after the point. */
char *seconds_print(char to[TIME_TEXT_MAX], int64_t ns);

/* "20s", "1h30m", "1.25ms": short and exact to three digits. */
char *duration_print(char to[TIME_TEXT_MAX], int64_t ns);

#endif
