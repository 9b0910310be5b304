/* SPDX-License-Identifier: MIT
 * time_text: moments and durations there and back, in zones with all their oddities. */
#include "../lib/tap.h"

#include "base/time_text.h"

#define SECOND INT64_C(1000000000)
#define NOW    (INT64_C(1795075200) * SECOND)	/* 2026-11-19T08:00:00Z, a Thursday */

static struct stk_error err;

static struct time_zone *
zone_of(const char *name)
{
	struct time_zone *zone;

	stk_error_clear(&err);
	if (time_zone_open(&zone, name, &err) == 0)
		return zone;
	printf("Bail out! %s\n", err.text);
	exit(99);
}

/* --- the calendar --- */

static void
test_calendar(void)
{
	struct time_civil civil;
	bool good = true;
	int64_t day = time_days(1600, 1, 1);

	for (int year = 1600; year < 2400; year++)
		for (int month = 1; month <= 12; month++, day++)
			for (int d = 1;
			     time_civil_of(&civil, (day = time_days(year, month, d)) * 86400), civil.month == month;
			     d++)
				good = good && civil.year == year && civil.day == d &&
				       civil.weekday == (int)((day % 7 + 11) % 7);
	ok(good, "every day of 800 years comes back, with its weekday");
	is_i64(time_days(1970, 1, 1), 0, "the first day is 0");
	is_i64(time_days(2000, 3, 1) - time_days(2000, 2, 28), 2, "2000 had a leap day");
	is_i64(time_days(1900, 3, 1) - time_days(1900, 2, 28), 1, "1900 had none");
	time_civil_of(&civil, -1);
	ok(civil.year == 1969 && civil.month == 12 && civil.day == 31 && civil.hour == 23 && civil.second == 59 &&
		   civil.year_day == 365,
	   "before 1970 time runs forward too");
}

/* --- moments --- */

struct moment_case { const char *text; int64_t seconds, ns; };

static void
test_parse(void)
{
	static const struct moment_case cases[] = {
		{ "2026-11-19T08:00:00Z", 1795075200, 0 },
		{ "2026-11-19T09:00:00+01:00", 1795075200, 0 },
		{ "2026-11-19 09:00:00+0100", 1795075200, 0 },
		{ "2026-11-19T03:00-05", 1795075200, 0 },
		{ "2026-11-19 08:00", 1795075200, 0 },
		{ "2026-11-19", 1795046400, 0 },
		{ "2026-11-19t08:00z", 1795075200, 0 },
		{ "2026-11-19T08:00:00.5Z", 1795075200, 500000000 },
		{ "2026-11-19T08:00:00,123456789Z", 1795075200, 123456789 },
		{ "2026-11-19T08:00:00.1234567899", 1795075200, 123456789 },
		{ "1969-12-31T23:59:59.25Z", -1, 250000000 },
		{ "2016-12-31T23:59:60Z", 1483228800, 0 },
		{ "2024-02-29", 1709164800, 0 },
		{ "@1700000000", 1700000000, 0 },
		{ "@1700000000.5", 1700000000, 500000000 },
		{ "@-1.5", -2, 500000000 },
		{ "@0", 0, 0 },
		{ "@.7", 0, 700000000 },
		{ "@-.5", -1, 500000000 },
		{ "now", 1795075200, 0 },
		{ "-2h", 1795068000, 0 },
		{ "-1d12h", 1794945600, 0 },
		{ "09:00", 1795078800, 0 },
		{ "09:00:30.25", 1795078830, 250000000 },
		{ "00:00", 1795046400, 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t got = 0;

		stk_error_clear(&err);
		ok(time_parse(cases[i].text, NOW, NULL, &got, &err) == 0, "'%s' is a time", cases[i].text);
		is_i64(got, cases[i].seconds * SECOND + cases[i].ns, "'%s' is the right one", cases[i].text);
	}
}

static void
test_refused(void)
{
	static const char *const cases[] = {
		"",
		"yesterday",
		"2026-13-01",
		"2026-02-29",
		"2026-00-10",
		"2026-11-31",
		"2026-11-19T24:00",
		"2026-11-19T08:60",
		"2026-11-19T08:00:61",
		"2026-11-19T",
		"2026-11-19T08:00Z ",
		"2026-11-19T08:00+25:00",
		"2026-11-19T08:00+1",
		"2026-11-19Z",
		"26-11-19",
		"@",
		"@x",
		"@1.",
		"@.",
		"@-.",
		"@99999999999999999999",
		"@9999999999999",
		"-2",
		"-",
		"+2h",
		"9:00",
		"09:0",
		"09:00Z",
		"25:00",
		"1600-01-01",
		"2300-01-01",
		"now ",
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t got;

		stk_error_clear(&err);
		ok(time_parse(cases[i], NOW, NULL, &got, &err) == -1 && err.code == STK_EUSAGE, "'%s' is no time",
		   cases[i]);
	}
}

/* What monotonic clocks print is one character from what is read. */
static void
test_bare_seconds(void)
{
	int64_t got;

	stk_error_clear(&err);
	ok(time_parse("100.2", NOW, NULL, &got, &err) == -1 && err.code == STK_EUSAGE, "bare seconds are refused");
	is_text(err.text, "expected '@100.2' for a time in seconds, or one such as 09:00, not '100.2'", "saying what is");
	ok(time_parse("@100.2", NOW, NULL, &got, &err) == 0 && got == INT64_C(100200000000),
	   "and what the message says is read");
}

static void
test_print(void)
{
	static const struct moment_case cases[] = {
		{ "2026-11-19T08:00:00Z", 1795075200, 0 },
		{ "1970-01-01T00:00:00.500Z", 0, 500000000 },
		{ "1970-01-01T00:00:00.000001Z", 0, 1000 },
		{ "1970-01-01T00:00:00.000000001Z", 0, 1 },
		{ "1969-12-31T23:59:59.999999999Z", 0, -1 },
		{ "2024-02-29T23:59:59Z", 1709251199, 0 },
		{ "2262-04-11T23:47:16.854775807Z", 9223372036, 854775807 },
		{ "1677-09-21T00:12:43.145224193Z", -9223372036, -854775807 },
	};
	char text[TIME_TEXT_MAX];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		is_text(time_print(text, cases[i].seconds * SECOND + cases[i].ns, NULL), cases[i].text, "%s is printed",
			cases[i].text);
	is_text(time_print(text, STK_TIME_UNKNOWN, NULL), "-", "no time is a dash");
	is_i64(time_from_civil(2300, 1, 1, 0, 0, 0, 0, NULL), STK_TIME_UNKNOWN, "a year beyond 64 bits is unknown");
}

/* --- durations --- */

static void
test_durations(void)
{
	static const struct { int64_t ns; const char *text;
	} cases[] = {
		{ 0, "0s" },
		{ 1, "1ns" },
		{ 999, "999ns" },
		{ 1000, "1us" },
		{ 1250, "1.25us" },
		{ 1254, "1.25us" },
		{ 12540, "12.5us" },
		{ 125400, "125us" },
		{ 1250000, "1.25ms" },
		{ 999499, "999us" },
		{ 999500, "1ms" },
		{ 999999999, "1s" },
		{ 20 * SECOND, "20s" },
		{ 1500000000, "1.5s" },
		{ 59900000000, "59.9s" },
		{ 59960000000, "1m" },
		{ 60 * SECOND, "1m" },
		{ 90 * SECOND, "1m30s" },
		{ 3599600000000, "1h" },
		{ 5400 * SECOND, "1h30m" },
		{ 86399 * SECOND, "1d" },
		{ 36 * 3600 * SECOND, "1d12h" },
		{ 7 * 86400 * SECOND, "7d" },
		{ -90 * SECOND, "-1m30s" },
		{ -1, "-1ns" },
		{ INT64_MAX, "106752d" },
		{ INT64_MIN, "-106752d" },
	};
	char text[TIME_TEXT_MAX];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		is_text(duration_print(text, cases[i].ns), cases[i].text, "%" PRId64 " ns", cases[i].ns);
}

/* --- zones --- */

/* A clock's reading in a zone, what moment is meant, and how that prints again. */
struct zone_case { const char *zone, *text, *utc, *again; };

static const struct zone_case zone_cases[] = {
	/* the hour left out in spring is read as if the clock had gone on; of the hour shown twice in autumn the first
	 * is meant */
	{ "Europe/Berlin", "2026-03-29T01:59:59", "2026-03-29T00:59:59Z", "2026-03-29T01:59:59+01:00" },
	{ "Europe/Berlin", "2026-03-29T02:30:00", "2026-03-29T01:30:00Z", "2026-03-29T03:30:00+02:00" },
	{ "Europe/Berlin", "2026-03-29T03:00:00", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00+02:00" },
	{ "Europe/Berlin", "2026-10-25T01:59:59", "2026-10-24T23:59:59Z", "2026-10-25T01:59:59+02:00" },
	{ "Europe/Berlin", "2026-10-25T02:30:00", "2026-10-25T00:30:00Z", "2026-10-25T02:30:00+02:00" },
	{ "Europe/Berlin", "2026-10-25T03:00:00", "2026-10-25T02:00:00Z", "2026-10-25T03:00:00+01:00" },
	{ "Europe/Berlin", "2026-10-25T02:30:00+01:00", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00+01:00" },
	/* the same two hundred years later, which only the footer knows */
	{ "Europe/Berlin", "2226-03-26T02:30:00", "2226-03-26T01:30:00Z", "2226-03-26T03:30:00+02:00" },
	{ "Europe/Berlin", "2226-07-01T12:00:00", "2226-07-01T10:00:00Z", "2226-07-01T12:00:00+02:00" },
	{ "Europe/Berlin", "2226-10-29T02:30:00", "2226-10-29T00:30:00Z", "2226-10-29T02:30:00+02:00" },
	{ "Europe/Berlin", "2226-12-24T18:00:00", "2226-12-24T17:00:00Z", "2226-12-24T18:00:00+01:00" },
	/* history: double summer time, and local mean time of 53:28 */
	{ "Europe/Berlin", "1945-06-15T12:00:00", "1945-06-15T09:00:00Z", "1945-06-15T12:00:00+03:00" },
	{ "Europe/Berlin", "1890-01-01T00:00:00", "1889-12-31T23:06:32Z", "1889-12-31T23:59:32+00:53" },
	/* the southern half */
	{ "Australia/Sydney", "2226-01-01T00:00:00", "2225-12-31T13:00:00Z", "2226-01-01T00:00:00+11:00" },
	{ "Australia/Sydney", "2226-07-01T00:00:00", "2226-06-30T14:00:00Z", "2226-07-01T00:00:00+10:00" },
	/* half an hour of summer time */
	{ "Australia/Lord_Howe", "2027-01-01T00:00:00", "2026-12-31T13:00:00Z", "2027-01-01T00:00:00+11:00" },
	{ "Australia/Lord_Howe", "2027-07-01T00:00:00", "2027-06-30T13:30:00Z", "2027-07-01T00:00:00+10:30" },
	/* winter time as the exception */
	{ "Europe/Dublin", "2226-01-01T12:00:00", "2226-01-01T12:00:00Z", "2226-01-01T12:00:00+00:00" },
	{ "Europe/Dublin", "2226-07-01T12:00:00", "2226-07-01T11:00:00Z", "2226-07-01T12:00:00+01:00" },
	/* a day that never was */
	{ "Pacific/Apia", "2011-12-29T23:59:59", "2011-12-30T09:59:59Z", "2011-12-29T23:59:59-10:00" },
	{ "Pacific/Apia", "2011-12-31T00:00:00", "2011-12-30T10:00:00Z", "2011-12-31T00:00:00+14:00" },
	/* no summer time, and odd minutes */
	{ "Asia/Kathmandu", "2226-07-01T00:00:00", "2226-06-30T18:15:00Z", "2226-07-01T00:00:00+05:45" },
	{ "America/New_York", "2040-03-11T02:30:00", "2040-03-11T07:30:00Z", "2040-03-11T03:30:00-04:00" },
	{ "America/New_York", "2040-11-04T01:30:00", "2040-11-04T05:30:00Z", "2040-11-04T01:30:00-04:00" },
};

static const struct zone_case fixed_cases[] = {
	{ "UTC", "2026-11-19T08:00:00", "2026-11-19T08:00:00Z", "2026-11-19T08:00:00Z" },
	{ "+02:00", "2026-11-19T08:00:00", "2026-11-19T06:00:00Z", "2026-11-19T08:00:00+02:00" },
	{ "-0530", "2026-11-19T08:00:00", "2026-11-19T13:30:00Z", "2026-11-19T08:00:00-05:30" },
	{ "+14", "2026-11-19T08:00:00", "2026-11-18T18:00:00Z", "2026-11-19T08:00:00+14:00" },
};

static void
test_zone_case(const struct zone_case *c)
{
	struct time_zone *zone = zone_of(c->zone);
	char text[TIME_TEXT_MAX];
	int64_t ns = 0;

	ok(time_parse(c->text, NOW, zone, &ns, &err) == 0, "%s %s is a time", c->zone, c->text);
	is_text(time_print(text, ns, NULL), c->utc, "%s %s in UTC", c->zone, c->text);
	is_text(time_print(text, ns, zone), c->again, "%s %s printed again", c->zone, c->text);
	time_zone_close(zone);
}

static void
test_zones(void)
{
	struct time_zone *zone;
	int64_t ns;

	if (access("/usr/share/zoneinfo/Europe/Berlin", R_OK) < 0) {
		skip("no /usr/share/zoneinfo", "named zones");
		return;
	}
	for (size_t i = 0; i < sizeof zone_cases / sizeof *zone_cases; i++)
		test_zone_case(&zone_cases[i]);
	zone = zone_of("Europe/Berlin");
	ok(time_parse("00:30", INT64_C(1795046400) * SECOND - SECOND * 1800, zone, &ns, &err) == 0 &&
		   ns == INT64_C(1795044600) * SECOND,
	   "a clock's reading is of the zone's day, which begins before UTC's");
	time_zone_close(zone);
}

static void
test_zone_names(void)
{
	static const char *const cases[] = {
		"",
		"../x",
		"../../../etc/passwd",
		"/etc/localtime",
		"Europe/../Europe/Berlin",
		"No/Such_Zone",
		"Europe",
		"zone.tab",
		"+25:00",
		"+1",
		"+01:0",
		"+01:00x",
		"Europe/Berlin ",
	};
	struct time_zone *zone = zone_of("local");

	time_zone_close(zone);
	time_zone_close(NULL);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		stk_error_clear(&err);
		ok(time_zone_open(&zone, cases[i], &err) == -1 && zone == NULL && err.text[0] != '\0',
		   "'%s' is no zone", cases[i]);
	}
	for (size_t i = 0; i < sizeof fixed_cases / sizeof *fixed_cases; i++)
		test_zone_case(&fixed_cases[i]);
}

/* --- patterns --- */

static void
test_patterns(void)
{
	static const struct { const char *text, *pattern, *found; } cases[] = {
		{ "dump-20261119-080000.txt", "%Y%m%d-%H%M%S", "2026-11-19T08:00:00Z" },
		{ "/var/log/host1/2026-11-19/threads.0800.gz", "%Y-%m-%d/threads.%H%M", "2026-11-19T08:00:00Z" },
		{ "td_2026-11-19T08:00:00.250+0100", "%Y-%m-%dT%H:%M:%S.%f%z", "2026-11-19T07:00:00.250Z" },
		{ "host42-1795075200.jstack", "-%s.", "2026-11-19T08:00:00Z" },
		{ "a-1795075200.5", "-%s.%f", "2026-11-19T08:00:00.500Z" },
		{ "2026-11-19/host/0800", "%Y-%m-%d/*/%H%M", "2026-11-19T08:00:00Z" },
		{ "dump 123456789 of 20261119", "dump*%Y%m%d", "2026-11-19T00:00:00Z" },
		{ "Nov  9 2026", "%b %d %Y", "2026-11-09T00:00:00Z" },
		{ "19NOV26", "%d%b%y", "2026-11-19T00:00:00Z" },
		{ "69001", "%y%j", "1969-01-01T00:00:00Z" },
		{ "2024-366", "%Y-%j", "2024-12-31T00:00:00Z" },
		{ "100%2026", "%%%Y", "2026-01-01T00:00:00Z" },
		{ "99991231 20261119", "%Y%m%d", "2026-11-19T00:00:00Z" },
		{ "2026-366", "%Y-%j", NULL },
		{ "20261319", "%Y%m%d", NULL },
		{ "20260230", "%Y%m%d", NULL },
		{ "no time", "%Y", NULL },
		{ "08:00", "%H:%M", NULL },
		{ "2026", "%Y%", NULL },
		{ "2026", "%Y%q", NULL },
		{ "", "%Y", NULL },
	};
	char text[TIME_TEXT_MAX];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t ns = 0;
		bool found = time_match((struct stk_text){ cases[i].text, strlen(cases[i].text) }, cases[i].pattern,
					NULL, &ns);

		if (cases[i].found == NULL)
			ok(!found, "'%s' is not in '%s'", cases[i].pattern, cases[i].text);
		else
			is_text(found ? time_print(text, ns, NULL) : NULL, cases[i].found, "'%s' is in '%s'",
				cases[i].pattern, cases[i].text);
	}
}

int
main(void)
{
	test_calendar();
	test_parse();
	test_refused();
	test_bare_seconds();
	test_print();
	test_durations();
	test_zones();
	test_zone_names();
	test_patterns();
	return tap_end();
}
