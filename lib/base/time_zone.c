/* SPDX-License-Identifier: MIT
 * time_zone: the calendar, and the rules of zones from TZif files (RFC 8536); declared in time_text.h. */
#include "base/arena.h"
#include "base/bytes.h"
#include "base/host.h"
#include "base/memory.h"
#include "base/time_text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ZONE_LOCAL      "/etc/localtime"
#define FILE_MAX        ((size_t)1 << 16)	/* the largest known has 4 KiB */
#define NAME_LENGTH_MAX 100
#define FOOTER_MAX      200
#define DAY             86400
#define OFFSET_MAX      (26 * 3600)		/* beyond every clock on earth, and what RFC 8536 allows */

/* A day of the year on which clocks change: "M3.5.0", "J60" or "59", and the second of that day. */
struct change {
	enum { CHANGE_WEEKDAY, CHANGE_JULIAN, CHANGE_DAY } kind;
	int month, week, day;
	int second;
};

/* What applies after the last transition of the file: a POSIX TZ string, "CET-1CEST,M3.5.0,M10.5.0/3". */
struct footer {
	bool present, has_summer;
	int standard, summer;		/* seconds to add to UTC */
	struct change to_summer, to_standard;
};

struct time_zone {
	struct arena arena;
	size_t count;
	int64_t *at;			/* transitions, in UTC seconds, rising */
	int *offset;			/* what applies from each on */
	int first_offset;		/* before the first of them; the only one of a fixed zone */
	struct footer footer;
};

/* --- the calendar --- */

/* Years are taken to begin in March, so that the leap day is the last; 400 years have 146097 days. */
int64_t
time_days(int year, int month, int day)
{
	int64_t y = (int64_t)year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400, year_of_era = y - era * 400;
	int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

static void
date_of(struct time_civil *to, int64_t days)
{
	int64_t shifted = days + 719468, era = (shifted >= 0 ? shifted : shifted - 146096) / 146097,
		day_of_era = shifted - era * 146097;
	int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100),
		month = (5 * day_of_year + 2) / 153;

	to->day = (int)(day_of_year - (153 * month + 2) / 5 + 1);
	to->month = (int)(month < 10 ? month + 3 : month - 9);
	to->year = (int)(year_of_era + era * 400 + (to->month <= 2));
}

static int64_t
floor_div(int64_t value, int64_t by)
{
	return value / by - (value % by < 0);
}

static int
weekday_of(int64_t days)
{
	return (int)(days + 4 - floor_div(days + 4, 7) * 7);	/* 1970-01-01 was a Thursday */
}

void
time_civil_of(struct time_civil *to, int64_t local_seconds)
{
	int64_t days = floor_div(local_seconds, DAY);
	int second = (int)(local_seconds - days * DAY);

	date_of(to, days);
	to->hour = second / 3600;
	to->minute = second / 60 % 60;
	to->second = second % 60;
	to->weekday = weekday_of(days);
	to->year_day = (int)(days - time_days(to->year, 1, 1)) + 1;
}

static bool
is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* --- the footer: POSIX.1-2017, 8.3, with RFC 8536's hours from -167 to 167 --- */

static bool
take_int(const char **at, int max, int *value)
{
	const char *p = *at;

	for (*value = 0; *p >= '0' && *p <= '9' && *value <= max; p++)
		*value = *value * 10 + (*p - '0');
	if (p == *at || *value > max)
		return false;
	*at = p;
	return true;
}

static bool
take_char(const char **at, char wanted)
{
	if (**at != wanted)
		return false;
	++*at;
	return true;
}

/* [+-]h[h[h]][:mm[:ss]] in seconds. */
static bool
take_clock(const char **at, int *seconds)
{
	int hour, minute = 0, second = 0;
	bool negative = take_char(at, '-');

	if (!negative)
		(void)take_char(at, '+');
	if (!take_int(at, 167, &hour))
		return false;
	if (take_char(at, ':') && !take_int(at, 59, &minute))
		return false;
	if (take_char(at, ':') && !take_int(at, 59, &second))
		return false;
	*seconds = (hour * 60 + minute) * 60 + second;
	if (negative)
		*seconds = -*seconds;
	return true;
}

/* "CET" or "<+0330>": skipped. */
static bool
take_abbreviation(const char **at)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", quoted[] = "+-0123456789";
	size_t length;

	if (!take_char(at, '<')) {
		length = strspn(*at, letters);
		*at += length;
		return length >= 3;
	}
	while (**at != '\0' && (strchr(letters, **at) != NULL || strchr(quoted, **at) != NULL))
		++*at;
	return take_char(at, '>');
}

static bool
take_change(const char **at, struct change *change)
{
	bool good;

	change->second = 2 * 3600;
	if (take_char(at, 'M')) {
		change->kind = CHANGE_WEEKDAY;
		good = take_int(at, 12, &change->month) && take_char(at, '.') && take_int(at, 5, &change->week) &&
		       take_char(at, '.') && take_int(at, 6, &change->day) && change->month >= 1 && change->week >= 1;
	} else {
		change->kind = take_char(at, 'J') ? CHANGE_JULIAN : CHANGE_DAY;
		good = take_int(at, 365, &change->day) && (change->kind == CHANGE_DAY || change->day >= 1);
	}
	if (good && take_char(at, '/'))
		good = take_clock(at, &change->second);
	return good;
}

/* POSIX counts offsets westward. */
static bool
take_offset(const char **at, int *offset)
{
	if (!take_clock(at, offset) || *offset > OFFSET_MAX || *offset < -OFFSET_MAX)
		return false;
	*offset = -*offset;
	return true;
}

static bool
footer_parse(struct footer *footer, const char *text)
{
	if (!take_abbreviation(&text) || !take_offset(&text, &footer->standard))
		return false;
	if (*text == '\0')
		return true;
	footer->has_summer = true;
	footer->summer = footer->standard + 3600;
	if (!take_abbreviation(&text) || (*text != ',' && *text != '\0' && !take_offset(&text, &footer->summer)))
		return false;
	/* Without rules POSIX leaves them open, and zone files always have them. */
	return take_char(&text, ',') && take_change(&text, &footer->to_summer) && take_char(&text, ',') &&
	       take_change(&text, &footer->to_standard) && *text == '\0';
}

/* Days from 1970 of the month's n-th weekday, the fifth being the last. */
static int64_t
nth_weekday(int year, const struct change *change)
{
	int64_t first = time_days(year, change->month, 1),
		next = change->month == 12 ? time_days(year + 1, 1, 1) : time_days(year, change->month + 1, 1);
	int64_t day = first + (change->day - weekday_of(first) + 7) % 7 + (change->week - 1) * 7;

	return day < next ? day : day - 7;
}

/* The change in a year, in the seconds of the clock before it. */
static int64_t
change_at(const struct change *change, int year)
{
	int64_t day = time_days(year, 1, 1);

	switch (change->kind) {
	case CHANGE_WEEKDAY:
		day = nth_weekday(year, change);
		break;
	case CHANGE_JULIAN:	/* 29 February is not counted */
		day += change->day - 1 + (is_leap(year) && change->day >= 60);
		break;
	case CHANGE_DAY:
		day += change->day;
		break;
	}
	return day * DAY + change->second;
}

static int
footer_offset(const struct footer *footer, int64_t utc_seconds)
{
	struct time_civil civil;
	int64_t summer, standard;
	bool is_summer;

	if (!footer->has_summer)
		return footer->standard;
	time_civil_of(&civil, utc_seconds + footer->standard);
	summer = change_at(&footer->to_summer, civil.year) - footer->standard;
	standard = change_at(&footer->to_standard, civil.year) - footer->summer;
	if (summer < standard)
		is_summer = utc_seconds >= summer && utc_seconds < standard;
	else			/* on the southern half, or winter time as the exception as in Dublin */
		is_summer = utc_seconds >= summer || utc_seconds < standard;
	return is_summer ? footer->summer : footer->standard;
}

/* --- TZif --- */

struct tzif_header { uint32_t utc_flags, standard_flags, leaps, transitions, types, name_bytes; };

static uint32_t
big32(const unsigned char *p)
{
	return __builtin_bswap32(load32(p));
}

static int64_t
big_time(const unsigned char *p, size_t size)
{
	return size == 8 ? (int64_t)__builtin_bswap64(load64(p)) : (int32_t)big32(p);
}

/* Takes "TZif", the version and the six counts, which are compared with what the file can hold before anything is
 * allocated for them. */
static bool
take_header(struct cursor *c, struct tzif_header *header, char *version)
{
	const unsigned char *p = take_bytes(c, 44);

	if (p == NULL || memcmp(p, "TZif", 4) != 0)
		return false;
	*version = (char)p[4];
	*header = (struct tzif_header){ big32(p + 20), big32(p + 24), big32(p + 28),
					big32(p + 32), big32(p + 36), big32(p + 40) };
	return header->transitions <= FILE_MAX && header->types <= 256 && header->leaps == 0 &&
	       header->name_bytes <= FILE_MAX && header->standard_flags <= 256 && header->utc_flags <= 256;
}

static size_t
body_bytes(const struct tzif_header *h, size_t time_size)
{
	return h->transitions * (time_size + 1) + h->types * 6 + h->name_bytes + h->standard_flags + h->utc_flags;
}

static bool
take_transitions(struct time_zone *zone, struct cursor *c, const struct tzif_header *header, size_t time_size)
{
	const unsigned char *p = take_bytes(c, body_bytes(header, time_size)), *index, *types;

	if (p == NULL || header->types == 0)
		return false;
	index = p + header->transitions * time_size;
	types = index + header->transitions;
	zone->at = arena_alloc(&zone->arena, header->transitions * sizeof *zone->at);
	zone->offset = arena_alloc(&zone->arena, header->transitions * sizeof *zone->offset);
	zone->count = header->transitions;
	zone->first_offset = (int)(int32_t)big32(types);	/* RFC 8536 3.2: type 0 */
	for (size_t i = 0; i < zone->count; i++) {
		zone->at[i] = big_time(p + i * time_size, time_size);
		if (index[i] >= header->types || (i > 0 && zone->at[i] <= zone->at[i - 1]))
			return false;
		zone->offset[i] = (int)(int32_t)big32(types + 6 * index[i]);
		if (zone->offset[i] > OFFSET_MAX || zone->offset[i] < -OFFSET_MAX)
			return false;
	}
	return zone->first_offset <= OFFSET_MAX && zone->first_offset >= -OFFSET_MAX;
}

/* "\n", a TZ string that may be empty, "\n". */
static bool
take_footer(struct footer *footer, struct cursor *c)
{
	char text[FOOTER_MAX];
	const unsigned char *p = take_bytes(c, 1), *end;
	size_t size;

	if (p == NULL || *p != '\n' || (end = memchr(c->at, '\n', (size_t)(c->end - c->at))) == NULL)
		return false;
	size = (size_t)(end - c->at);
	if (size >= sizeof text)
		return false;
	memcpy(text, c->at, size);
	text[size] = '\0';
	footer->present = size != 0;
	return size == 0 || footer_parse(footer, text);
}

/* Version 1 has 4-byte times; later ones repeat everything with 8 bytes, and have the footer. */
static bool
tzif_parse(struct time_zone *zone, struct cursor *c)
{
	struct tzif_header header;
	char version;

	if (!take_header(c, &header, &version))
		return false;
	if (version == '\0')
		return take_transitions(zone, c, &header, 4);
	return take_bytes(c, body_bytes(&header, 4)) != NULL && take_header(c, &header, &version) &&
	       take_transitions(zone, c, &header, 8) && take_footer(&zone->footer, c);
}

static int
zone_read(struct time_zone *zone, const char *path, const char *name, struct stk_error *err)
{
	FILE *file = fopen(path, "re");
	unsigned char *bytes;
	struct cursor c = { 0 };
	size_t size;
	bool good;

	if (file == NULL && errno == ENOMEM)
		host_out_of_memory(1, BUFSIZ);	/* not that there is no such zone */
	if (file == NULL)
		return stk_fail_errno(err, "no time zone '%s': cannot open %s", name, path);
	bytes = mem_new(FILE_MAX, 1);
	size = fread(bytes, 1, FILE_MAX, file);
	c.at = bytes;
	c.end = bytes + size;
	good = !ferror(file) && size < FILE_MAX && tzif_parse(zone, &c);
	fclose(file);
	free(bytes);
	return good ? 0
		    : stk_fail(err, STK_EUSAGE, "no time zone '%s': %s is not a zone file of a supported version", name,
			       path);
}

/* --- opening --- */

/* Two digits, at most max. */
static bool
take_pair(const char **at, int max, int *value)
{
	const char *p = *at;

	if (p[0] < '0' || p[0] > '9' || p[1] < '0' || p[1] > '9')
		return false;
	*value = (p[0] - '0') * 10 + (p[1] - '0');
	*at = p + 2;
	return *value <= max;
}

bool
time_take_offset(const char **at, int *seconds)
{
	const char *p = *at;
	int hour, minute = 0;
	bool negative = *p == '-', colon;

	if (*p == 'Z' || *p == 'z') {
		*at = p + 1;
		*seconds = 0;
		return true;
	}
	if (*p != '+' && *p != '-')
		return false;
	p++;
	if (!take_pair(&p, 23, &hour))
		return false;
	colon = *p == ':';
	p += colon;
	if ((colon || (*p >= '0' && *p <= '9')) && !take_pair(&p, 59, &minute))
		return false;
	*seconds = (hour * 60 + minute) * (negative ? -60 : 60);
	*at = p;
	return true;
}

static bool
zone_fixed(struct time_zone *zone, const char *name)
{
	return strcmp(name, "UTC") == 0 || (time_take_offset(&name, &zone->first_offset) && *name == '\0');
}

/* Names of the database have no dots, so that none can climb out of its directory. */
static bool
name_allowed(const char *name)
{
	size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/");

	return length > 0 && length <= NAME_LENGTH_MAX && name[length] == '\0' && name[0] != '/';
}

/* "CET-1CEST,M3.5.0,M10.5.0/3": the rule at the end of a zone file is a zone, too. */
static bool
zone_by_rule(struct time_zone *zone, const char *rule)
{
	if (!footer_parse(&zone->footer, rule))
		return false;
	zone->footer.present = true;
	zone->first_offset = zone->footer.standard;
	return true;
}

static int zone_named(struct time_zone *zone, const char *name, struct stk_error *err);

static int
zone_local(struct time_zone *zone, struct stk_error *err)
{
	const char *name = host_local_zone();
	struct stk_error unheard = { 0 };

	if (name == NULL)
		return access(ZONE_LOCAL, F_OK) < 0 ? 0 : zone_read(zone, ZONE_LOCAL, "local", err);
	name += *name == ':';
	if (*name == '\0' || strcmp(name, "local") == 0 || zone_named(zone, name, &unheard) == 0)
		return 0;
	return zone_by_rule(zone, name)
		       ? 0
		       : stk_fail(err, STK_EUSAGE, "local: TZ is '%s', which is not a time zone", name);
}

static int
zone_named(struct time_zone *zone, const char *name, struct stk_error *err)
{
	char path[PATH_MAX];
	const char *folder = host_zone_folder();

	if (strcmp(name, "local") == 0)
		return zone_local(zone, err);
	if (!name_allowed(name))
		return stk_fail(err, STK_EUSAGE,
				"no time zone '%s': expected UTC, local, +02:00 or a name such as Europe/Berlin", name);
	if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
		return stk_fail(err, STK_EUSAGE, "no time zone '%s': the name of its folder is too long", name);
	return zone_read(zone, path, name, err);
}

int
time_zone_open(struct time_zone **out, const char *name, struct stk_error *err)
{
	struct time_zone *zone = mem_new(1, sizeof *zone);

	*out = NULL;
	if (!zone_fixed(zone, name) && zone_named(zone, name, err) < 0) {
		time_zone_close(zone);
		return -1;
	}
	*out = zone;
	return 0;
}

/* Where the database is, a name is what a link to it ends in. */
static void
name_of_link(char to[TIME_TEXT_MAX])
{
	char target[PATH_MAX];
	ssize_t size = readlink(ZONE_LOCAL, target, sizeof target - 1);
	const char *name;

	target[size < 0 ? 0 : size] = '\0';
	name = strstr(target, "zoneinfo/");
	if (name != NULL)
		(void)snprintf(to, TIME_TEXT_MAX, "%s", name + strlen("zoneinfo/"));
}

char *
time_zone_local_name(char to[TIME_TEXT_MAX])
{
	const char *name = host_local_zone();
	struct stk_error unheard = { 0 };
	struct time_zone *zone;

	*to = '\0';
	if (name != NULL)
		(void)snprintf(to, TIME_TEXT_MAX, "%s", *name == ':' ? name + 1 : name);
	else
		name_of_link(to);
	if (!name_allowed(to) || time_zone_open(&zone, to, &unheard) < 0)
		*to = '\0';
	else
		time_zone_close(zone);
	return to;
}

void
time_zone_close(struct time_zone *zone)
{
	if (zone == NULL)
		return;
	arena_release(&zone->arena);
	free(zone);
}

/* --- asking --- */

/* How many transitions are at or before the moment. */
static size_t
transitions_until(const struct time_zone *zone, int64_t utc_seconds)
{
	size_t low = 0, high = zone->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (zone->at[middle] <= utc_seconds)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int
time_zone_offset(const struct time_zone *zone, int64_t utc_seconds)
{
	size_t before;

	if (zone == NULL)
		return 0;
	before = transitions_until(zone, utc_seconds);
	if (before == zone->count && zone->footer.present)
		return footer_offset(&zone->footer, utc_seconds);
	return before == 0 ? zone->first_offset : zone->offset[before - 1];
}

const struct time_zone *
time_zone_undated(void)
{
	static const struct time_zone undated;

	return &undated;
}

bool
time_zone_is_utc(const struct time_zone *zone)
{
	return zone == NULL ||
	       (zone->count == 0 && zone->first_offset == 0 && !zone->footer.has_summer && zone->footer.standard == 0);
}
