/* SPDX-License-Identifier: MIT
 * time_text: moments and durations from text and to text. The calendar and the zones are in time_zone.c. */
#include "base/time_text.h"
#include "base/quantities.h"
#include "base/time_math.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define DAY    86400

#define YEAR_MIN 1678	/* the first and the last that 64 bits of nanoseconds hold in full */
#define YEAR_MAX 2261

struct moment { int year, month, day, hour, minute, second; int64_t ns; };

/* --- civil time --- */

static int64_t
floor_seconds(int64_t ns)
{
	return ns / SECOND - (ns % SECOND < 0);
}

static int64_t
ns_of(int64_t seconds, int64_t ns)
{
	int64_t all;

	if (__builtin_mul_overflow(seconds, SECOND, &all) || __builtin_add_overflow(all, ns, &all))
		return STK_TIME_UNKNOWN;
	return all;
}

/* The offsets of a day before and a day after give the two readings of a time near a change. Both are right in the hour
 * shown twice: the reading by what held before is the earlier. Neither is in the hour left out: there "as if it went
 * on" is again what held before. */
static int64_t
utc_of(int64_t local, const struct time_zone *zone)
{
	int before = time_zone_offset(zone, local - DAY), after = time_zone_offset(zone, local + DAY);

	if (time_zone_offset(zone, local - before) == before || time_zone_offset(zone, local - after) != after)
		return local - before;
	return local - after;
}

int64_t
time_from_civil(int year, int month, int day, int hour, int minute, int second, int64_t ns,
		const struct time_zone *zone)
{
	int64_t local = time_days(year, month, day) * DAY + hour * 3600 + minute * 60 + second;

	return ns_of(utc_of(local, zone), ns);
}

static int64_t
moment_ns(const struct moment *m, const struct time_zone *zone)
{
	return time_from_civil(m->year, m->month, m->day, m->hour, m->minute, m->second, m->ns, zone);
}

/* With the offset written beside it. */
static int64_t
moment_ns_at_offset(const struct moment *m, int offset)
{
	int64_t ns = moment_ns(m, NULL);

	if (ns == STK_TIME_UNKNOWN || __builtin_sub_overflow(ns, offset * SECOND, &ns))
		return STK_TIME_UNKNOWN;
	return ns;
}

static int
month_days(int year, int month)
{
	return (int)((month == 12 ? time_days(year + 1, 1, 1) : time_days(year, month + 1, 1)) -
		     time_days(year, month, 1));
}

/* Second 60 is a leap second: read as the next one. */
static bool
moment_valid(const struct moment *m)
{
	return m->month >= 1 && m->month <= 12 && m->day >= 1 && m->day <= month_days(m->year, m->month) &&
	       m->hour <= 23 && m->minute <= 59 && m->second <= 60;
}

/* --- reading --- */

/* A piece of text that is being read. */
struct scan { const char *at, *end; };

static bool
take(struct scan *scan, char wanted)
{
	if (scan->at == scan->end || *scan->at != wanted)
		return false;
	scan->at++;
	return true;
}

static bool
at_digit(const struct scan *scan)
{
	return scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9';
}

/* Exactly this many digits. */
static bool
take_digits(struct scan *scan, int count, int *value)
{
	for (*value = 0; count > 0; count--) {
		if (!at_digit(scan))
			return false;
		*value = *value * 10 + (*scan->at++ - '0');
	}
	return true;
}

/* The digits after a point, as nanoseconds; finer digits are dropped. */
static bool
take_fraction(struct scan *scan, int64_t *ns)
{
	int64_t worth = SECOND / 10;

	if (!at_digit(scan))
		return false;
	for (*ns = 0; at_digit(scan); worth /= 10)
		*ns += (*scan->at++ - '0') * worth;
	return true;
}

static bool
take_epoch(struct scan *scan, int64_t *seconds)
{
	*seconds = 0;
	if (!at_digit(scan))
		return false;
	while (at_digit(scan))
		if (__builtin_mul_overflow(*seconds, 10, seconds) ||
		    __builtin_add_overflow(*seconds, *scan->at++ - '0', seconds))
			return false;
	return true;
}

/* "09:00", "09:00:30", "09:00:30.25" */
static bool
take_clock(struct scan *scan, struct moment *m)
{
	if (!take_digits(scan, 2, &m->hour) || !take(scan, ':') || !take_digits(scan, 2, &m->minute))
		return false;
	if (!take(scan, ':'))
		return true;
	if (!take_digits(scan, 2, &m->second))
		return false;
	return (!take(scan, '.') && !take(scan, ',')) || take_fraction(scan, &m->ns);
}

static bool
take_date(struct scan *scan, struct moment *m)
{
	return take_digits(scan, 4, &m->year) && take(scan, '-') && take_digits(scan, 2, &m->month) &&
	       take(scan, '-') && take_digits(scan, 2, &m->day);
}

/* The date, perhaps followed by a time, perhaps followed by an offset. The text ends with a NUL. */
static bool
parse_date(struct scan scan, const struct time_zone *zone, int64_t *ns)
{
	struct moment m = { 0 };
	int offset;

	if (!take_date(&scan, &m))
		return false;
	if (scan.at < scan.end) {
		if ((!take(&scan, 'T') && !take(&scan, 't') && !take(&scan, ' ')) || !take_clock(&scan, &m) ||
		    !moment_valid(&m))
			return false;
		if (scan.at < scan.end && time_take_offset(&scan.at, &offset)) {
			*ns = moment_ns_at_offset(&m, offset);
			return scan.at == scan.end;
		}
	}
	if (scan.at != scan.end || !moment_valid(&m))
		return false;
	*ns = moment_ns(&m, zone);
	return true;
}

static bool
parse_clock(struct scan scan, int64_t now_ns, const struct time_zone *zone, int64_t *ns)
{
	int64_t now = floor_seconds(now_ns);
	struct time_civil today;
	struct moment m = { 0 };

	time_civil_of(&today, now + time_zone_offset(zone, now));
	m.year = today.year;
	m.month = today.month;
	m.day = today.day;
	if (!take_clock(&scan, &m) || scan.at != scan.end || !moment_valid(&m))
		return false;
	*ns = moment_ns(&m, zone);
	return true;
}

/* Seconds to the end of the text: 7, 0.7, and .7 as bc writes it. */
static bool
take_seconds(struct scan *scan, int64_t *seconds, int64_t *part)
{
	*seconds = *part = 0;
	if (take(scan, '.'))
		return take_fraction(scan, part) && scan->at == scan->end;
	return take_epoch(scan, seconds) && (!take(scan, '.') || take_fraction(scan, part)) && scan->at == scan->end;
}

static bool
parse_epoch(struct scan scan, int64_t *ns)
{
	int64_t seconds, part;
	bool negative;

	if (!take(&scan, '@'))
		return false;
	negative = take(&scan, '-');
	if (!take_seconds(&scan, &seconds, &part))
		return false;
	*ns = negative ? ns_of(-seconds, -part) : ns_of(seconds, part);
	return true;
}

static bool
parse_before(const char *text, int64_t now_ns, int64_t *ns)
{
	struct stk_error ignored = { 0 };
	int64_t before;

	return *text == '-' && duration_parse(text + 1, &before, &ignored) == 0 &&
	       !__builtin_sub_overflow(now_ns, before, ns);
}

/* Seconds as they are printed for a clock that counts from an unknown start, without the @ that a bound needs. */
static bool
is_bare_seconds(const char *text)
{
	struct scan scan = { text, text + strlen(text) };
	int64_t seconds, part;

	return take_seconds(&scan, &seconds, &part);
}

int
time_parse(const char *text, int64_t now_ns, const struct time_zone *zone, int64_t *ns, struct stk_error *err)
{
	struct scan scan = { text, text + strlen(text) };
	bool good;

	if (strcmp(text, "now") == 0) {
		*ns = now_ns;
		good = true;
	} else
		good = parse_epoch(scan, ns) || parse_before(text, now_ns, ns) || parse_clock(scan, now_ns, zone, ns) ||
		       parse_date(scan, zone, ns);
	if (!good && is_bare_seconds(text))
		return stk_fail(err, STK_EUSAGE, "expected '@%s' for a time in seconds, or one such as 09:00, not '%s'", text,
				text);
	if (!good)
		return stk_fail(
			err, STK_EUSAGE,
			"expected a time such as 2026-11-19T09:00:00Z, 09:00, -2h, @1700000000 or now, not '%s'", text);
	if (*ns == STK_TIME_UNKNOWN)
		return stk_fail(err, STK_EUSAGE, "the time '%s' is out of range: expected %d to %d", text, YEAR_MIN,
				YEAR_MAX);
	return 0;
}

static int
parse_bound(const char *text, int64_t now_ns, const struct time_zone *zone, int64_t *bound, struct stk_error *err)
{
	if (*text == '\0')
		return 0;
	if (time_parse(text, now_ns, zone, bound, err) < 0)
		return -1;
	*bound = time_clamp(*bound);
	return 0;
}

int
time_window_parse(const char *text, int64_t now_ns, const struct time_zone *zone, struct time_window *window,
		  struct stk_error *err)
{
	const char *dots = strstr(text, "..");
	char first[TIME_TEXT_MAX];

	*window = (struct time_window){ INT64_MIN, INT64_MAX };
	if (dots == NULL || (size_t)(dots - text) >= sizeof first)
		return stk_fail(err, STK_EUSAGE,
				"expected a window FROM..TO such as 09:00..10:00, -2h.. or ..now, not '%s'", text);
	memcpy(first, text, (size_t)(dots - text));
	first[dots - text] = '\0';
	if (parse_bound(first, now_ns, zone, &window->from_ns, err) < 0)
		return -1;
	return parse_bound(dots + 2, now_ns, zone, &window->to_ns, err);
}

/* --- patterns --- */

struct match {
	struct moment moment;
	int year_day, offset;
	int64_t epoch;
	bool has_year, has_year_day, has_offset, has_epoch;
};

static bool
take_month_name(struct scan *scan, int *month)
{
	static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";

	if (scan->end - scan->at < 3)
		return false;
	for (*month = 1; *month <= 12; ++*month) {
		const char *name = names + (*month - 1) * 3;

		if (tolower((unsigned char)scan->at[0]) != name[0] || tolower((unsigned char)scan->at[1]) != name[1] ||
		    tolower((unsigned char)scan->at[2]) != name[2])
			continue;
		scan->at += 3;
		return true;
	}
	return false;
}

/* time_take_offset needs a NUL after the text. */
static bool
take_offset(struct scan *scan, int *offset)
{
	char copy[8] = "";
	const char *at = copy;
	size_t size = (size_t)(scan->end - scan->at);

	memcpy(copy, scan->at, size < sizeof copy - 1 ? size : sizeof copy - 1);
	if (!time_take_offset(&at, offset))
		return false;
	scan->at += at - copy;
	return true;
}

/* This many digits, in bounds: a place where they are not is not the one that the pattern means. */
static bool
take_in(struct scan *scan, int digits, int low, int high, int *value)
{
	return take_digits(scan, digits, value) && *value >= low && *value <= high;
}

/* Two-digit years as POSIX has them: 69 to 99 are of the 20th century. */
static bool
take_short_year(struct scan *scan, int *year)
{
	if (!take_digits(scan, 2, year))
		return false;
	*year += *year >= 69 ? 1900 : 2000;
	return true;
}

/* "19", or " 9" as dates in logs have it. */
static bool
take_day(struct scan *scan, int *day)
{
	return take_in(scan, take(scan, ' ') ? 1 : 2, 1, 31, day);
}

static bool
take_field(struct scan *scan, char field, struct match *match)
{
	struct moment *m = &match->moment;

	switch (field) {
	case 'Y':
		match->has_year = true;
		return take_in(scan, 4, YEAR_MIN, YEAR_MAX, &m->year);
	case 'y':
		match->has_year = true;
		return take_short_year(scan, &m->year);
	case 'm': return take_in(scan, 2, 1, 12, &m->month);
	case 'b': return take_month_name(scan, &m->month);
	case 'd': return take_day(scan, &m->day);
	case 'j':
		match->has_year_day = true;
		return take_in(scan, 3, 1, 366, &match->year_day);
	case 'H': return take_in(scan, 2, 0, 23, &m->hour);
	case 'M': return take_in(scan, 2, 0, 59, &m->minute);
	case 'S': return take_in(scan, 2, 0, 60, &m->second);
	case 'f': return take_fraction(scan, &m->ns);
	case 's':
		match->has_epoch = true;
		return take_epoch(scan, &match->epoch);
	case 'z':
		match->has_offset = true;
		return take_offset(scan, &match->offset);
	case '%': return take(scan, '%');
	default:  return false;
	}
}

/* One piece of the pattern, up to its next `*` or its end, right here. */
static bool
take_piece(struct scan *scan, struct scan piece, struct match *match)
{
	for (; piece.at < piece.end; piece.at++) {
		if (*piece.at != '%') {
			if (!take(scan, *piece.at))
				return false;
		} else if (++piece.at == piece.end || !take_field(scan, *piece.at, match)) {
			return false;
		}
	}
	return true;
}

/* The same, here or later. A piece matches in only one way at a given place, so the first place is as good as any for
 * the pieces after it. */
static bool
find_piece(struct scan *scan, struct scan piece, struct match *match)
{
	for (const char *from = scan->at; from <= scan->end; from++) {
		struct scan attempt = { from, scan->end };
		struct match found = *match;

		if (!take_piece(&attempt, piece, &found))
			continue;
		*scan = attempt;
		*match = found;
		return true;
	}
	return false;
}

static struct scan
next_piece(const char **pattern)
{
	struct scan piece = { *pattern, *pattern + strcspn(*pattern, "*") };

	*pattern = *piece.end == '*' ? piece.end + 1 : piece.end;
	return piece;
}

static bool
match_ns(struct match *match, const struct time_zone *zone, int64_t *ns)
{
	struct moment *m = &match->moment;

	if (match->has_epoch) {
		*ns = ns_of(match->epoch, m->ns);
		return *ns != STK_TIME_UNKNOWN;
	}
	if (!match->has_year || !moment_valid(m))
		return false;
	if (match->has_year_day) {
		if (match->year_day == 366 && month_days(m->year, 2) != 29)
			return false;
		m->month = 1;
		m->day = match->year_day;
	}
	*ns = match->has_offset ? moment_ns_at_offset(m, match->offset) : moment_ns(m, zone);
	return *ns != STK_TIME_UNKNOWN;
}

static bool
match_from(struct scan scan, const char *pattern, const struct time_zone *zone, int64_t *ns)
{
	struct match match = { .moment = { .month = 1, .day = 1 } };

	if (!take_piece(&scan, next_piece(&pattern), &match))
		return false;
	while (*pattern != '\0')
		if (!find_piece(&scan, next_piece(&pattern), &match))
			return false;
	return match_ns(&match, zone, ns);
}

bool
time_match(struct stk_text text, const char *pattern, const struct time_zone *zone, int64_t *ns)
{
	for (size_t i = 0; i <= text.size; i++)
		if (match_from((struct scan){ text.data + i, text.data + text.size }, pattern, zone, ns))
			return true;
	return false;
}

/* --- printing --- */

/* ".5" becomes ".500": thousandths, millionths or billionths, as many as it takes. */
static void
print_fraction(char to[16], int64_t ns)
{
	if (ns == 0)
		to[0] = '\0';
	else if (ns % 1000000 == 0)
		snprintf(to, 16, ".%03d", (int)(ns / 1000000));
	else if (ns % 1000 == 0)
		snprintf(to, 16, ".%06d", (int)(ns / 1000));
	else
		snprintf(to, 16, ".%09d", (int)ns);
}

static void
print_offset(char to[16], int offset, const struct time_zone *zone)
{
	int size = offset < 0 ? -offset : offset;

	if (time_zone_is_utc(zone))
		snprintf(to, 16, "Z");
	else
		snprintf(to, 16, "%c%02d:%02d", offset < 0 ? '-' : '+', size / 3600 % 100, size / 60 % 60);
}

char *
seconds_print(char to[TIME_TEXT_MAX], int64_t ns)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns, fraction = size % 1000000000;
	int digits = fraction == 0 ? 0 : fraction % 1000000 == 0 ? 3 : fraction % 1000 == 0 ? 6 : 9;

	for (int d = digits; d < 9; d++)
		fraction /= 10;
	if (digits == 0)
		snprintf(to, TIME_TEXT_MAX, "%s%llu", ns < 0 ? "-" : "", (unsigned long long)(size / 1000000000));
	else
		snprintf(to, TIME_TEXT_MAX, "%s%llu.%0*llu", ns < 0 ? "-" : "", (unsigned long long)(size / 1000000000),
			 digits, (unsigned long long)fraction);
	return to;
}

char *
time_print(char to[TIME_TEXT_MAX], int64_t ns, const struct time_zone *zone)
{
	int64_t seconds = floor_seconds(ns);
	int offset = time_zone_offset(zone, seconds);
	char fraction[16], behind[16];
	struct time_civil civil;

	if (ns == STK_TIME_UNKNOWN)
		return memcpy(to, "-", sizeof "-");
	if (zone != NULL && zone == time_zone_undated())
		return seconds_print(to, ns);
	offset -= offset % 60;	/* RFC 3339 has no seconds in offsets; local mean time before 1900 had */
	time_civil_of(&civil, seconds + offset);
	print_fraction(fraction, (ns % SECOND + SECOND) % SECOND);
	print_offset(behind, offset, zone);
	snprintf(to, TIME_TEXT_MAX, "%04d-%02d-%02dT%02d:%02d:%02d%s%s", civil.year, civil.month, civil.day, civil.hour,
		 civil.minute, civil.second, fraction, behind);
	return to;
}

char *
time_print_after(char to[TIME_TEXT_MAX], int64_t ns, const struct time_zone *zone, const char *before)
{
	const char *clock = strchr(time_print(to, ns, zone), 'T');

	if (clock != NULL && strncmp(to, before, (size_t)(clock + 1 - to)) == 0)
		memmove(to, clock + 1, strlen(clock + 1) + 1);
	return to;
}

/* Three digits: "1.25ms", "12.5ms", "125ms". False when rounding makes a thousand of it. */
static bool
print_three(char *to, uint64_t ns, uint64_t unit, const char *name)
{
	uint64_t grain = ns >= 100 * unit ? unit : ns >= 10 * unit ? unit / 10 : unit / 100, rounded;
	char digits[32];
	size_t length;

	rounded = (ns + grain / 2) / grain * grain;
	if (rounded >= 1000 * unit)
		return false;
	snprintf(digits, sizeof digits, "%llu.%03llu", (unsigned long long)(rounded / unit),
		 (unsigned long long)(rounded % unit * 1000 / unit));
	for (length = strlen(digits); digits[length - 1] == '0'; length--)
		digits[length - 1] = '\0';
	if (digits[length - 1] == '.')
		digits[length - 1] = '\0';
	snprintf(to, 32, "%s%s", digits, name);
	return true;
}

/* Two units: "1h30m"; the second is left out when it is none. */
static void
print_pair(char *to, uint64_t whole, const char *name, uint64_t part, const char *part_name)
{
	if (part == 0)
		snprintf(to, 32, "%llu%s", (unsigned long long)whole, name);
	else
		snprintf(to, 32, "%llu%s%u%s", (unsigned long long)whole, name, (unsigned)part, part_name);
}

/* From a minute on, rounded to the smaller of the two units before these are chosen: 59m59.9s is 1h. */
static void
print_long(char *to, uint64_t ns)
{
	uint64_t seconds = (ns + SECOND / 2) / SECOND, minutes = (ns + 30 * SECOND) / (60 * SECOND),
		 hours = (ns + 1800 * SECOND) / (3600 * SECOND);

	if (seconds < 3600)
		print_pair(to, seconds / 60, "m", seconds % 60, "s");
	else if (minutes < 24 * 60)
		print_pair(to, minutes / 60, "h", minutes % 60, "m");
	else
		print_pair(to, hours / 24, "d", hours % 24, "h");
}

char *
duration_print(char to[TIME_TEXT_MAX], int64_t ns)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	char *at = to;

	if (ns == 0)
		return memcpy(to, "0s", sizeof "0s");
	if (ns < 0)
		*at++ = '-';
	if (size < 1000)
		snprintf(at, 32, "%lluns", (unsigned long long)size);
	else if (!(size < 1000000 && print_three(at, size, 1000, "us")) &&
		 !(size < SECOND && print_three(at, size, 1000000, "ms")) &&
		 !(size < 60 * SECOND - 50000000 && print_three(at, size, SECOND, "s")))
		print_long(at, size);
	return to;
}
