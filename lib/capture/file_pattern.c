/* SPDX-License-Identifier: MIT
 * file_pattern: a name is recognised in two steps. The year and the time of day are read from it; then there must be a
 * day for which the pattern gives exactly this name. So the rules of weeks, weekdays and leap years are not repeated
 * here, and a name that strftime would not write never matches. */
#include "capture/file_pattern.h"

#include "base/time_text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define DAY           INT64_C(86400)
#define EPOCH_DIGITS  10		/* of seconds since 1970, from 2001 to 2286 */
/* the year of an ISO week begins and ends within so many days of the calendar's */
#define WEEK_DAYS     7
#define CYCLE_FROM    2000		/* within 28 years every date falls on every weekday */
#define CYCLE_YEARS   28

/* --- making --- */

/* %s is handled here: the C library takes the time for one in the zone of TZ. */
static void
put_epoch(const char *pattern, int64_t utc_seconds, char to[PATH_MAX])
{
	size_t size = 0;

	for (const char *at = pattern; *at != '\0' && size < PATH_MAX - 32; at++) {
		if (*at == '%' && at[1] == 's') {
			size += (size_t)snprintf(to + size, 32, "%lld", (long long)utc_seconds);
			at++;
			continue;
		}
		to[size++] = *at;
		if (*at == '%' && at[1] != '\0')
			to[size++] = *++at;
	}
	to[size] = '\0';
}

static void
make_name(const char *pattern, int64_t utc_seconds, int offset, char to[PATH_MAX])
{
	char with_epoch[PATH_MAX];
	time_t civil = (time_t)(utc_seconds + offset);
	struct tm tm;

	put_epoch(pattern, utc_seconds, with_epoch);
	gmtime_r(&civil, &tm);
	if (strchr(pattern, '%') == NULL || strftime(to, PATH_MAX, with_epoch, &tm) == 0)
		snprintf(to, PATH_MAX, "%s", pattern);
}

void
file_pattern_name(const char *pattern, const struct time_zone *zone, int64_t time_ns, char to[PATH_MAX])
{
	int64_t seconds = time_ns / 1000000000;

	make_name(pattern, seconds, time_zone_offset(zone, seconds), to);
}

static const char *
last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

void
file_pattern_part(const char *name, unsigned part, char to[PATH_MAX])
{
	const char *dot = strrchr(last_component(name), '.');
	int before = dot == NULL ? (int)strlen(name) : (int)(dot - name);

	if (part <= 1)
		snprintf(to, PATH_MAX, "%s", name);
	else
		snprintf(to, PATH_MAX, "%.*s.%u%s", before < PATH_MAX - 300 ? before : PATH_MAX - 300, name, part,
			 dot == NULL ? "" : dot);
}

/* --- conversions --- */

/* What a conversion looks like in a name. */
/* blank: a space instead of a leading zero */
static const struct field { char letter; unsigned char digits; bool blank; } numbers[] = {
	{ 'Y', 4 }, { 'C', 2 }, { 'y', 2 }, { 'G', 4 }, { 'g', 2 }, { 'm', 2 }, { 'd', 2 }, { 'e', 2, true },
		{ 'j', 3 }, { 'U', 2 }, { 'W', 2 }, { 'V', 2 },
	{ 'u', 1 }, { 'w', 1 }, { 'H', 2 }, { 'k', 2, true }, { 'I', 2 }, { 'l', 2, true }, { 'M', 2 }, { 'S', 2 },
		{ 's', EPOCH_DIGITS },
};
static const struct { char letter; const char *stands_for; } shorthands[] = {
	{ 'F', "%Y-%m-%d" }, { 'T', "%H:%M:%S" }, { 'R', "%H:%M" }, { 'D', "%m/%d/%y" }
};
static const struct { char letter, is; } characters[] = { { '%', '%' }, { 'n', '\n' }, { 't', '\t' } };
static const char *const month_names[] = { "January", "February", "March", "April", "May", "June", "July", "August",
	"September", "October", "November", "December", NULL };
static const char *const day_names[] = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
	NULL };
static const char *const short_month_names[] = {
	"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", NULL
};
static const char *const short_day_names[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", NULL };
static const char *const halves[] = { "AM", "PM", NULL };
static const char *const small_halves[] = { "am", "pm", NULL };
static const char *const no_zone[] = { "+0000", NULL };		/* strftime gets no zone */
static const struct { char letter; const char *const *names; } words[] = {
	{ 'B', month_names }, { 'b', short_month_names }, { 'h', short_month_names }, { 'A', day_names },
		{ 'a', short_day_names }, { 'p', halves }, { 'P', small_halves }, { 'z', no_zone },
};

#define COUNT(table) (sizeof (table) / sizeof *(table))

static const char *
shorthand(char letter)
{
	for (size_t i = 0; i < COUNT(shorthands); i++)
		if (shorthands[i].letter == letter)
			return shorthands[i].stands_for;
	return NULL;
}

static const struct field *
number_of(char letter)
{
	for (size_t i = 0; i < COUNT(numbers); i++)
		if (numbers[i].letter == letter)
			return &numbers[i];
	return NULL;
}

static const char *const *
words_of(char letter)
{
	for (size_t i = 0; i < COUNT(words); i++)
		if (words[i].letter == letter)
			return words[i].names;
	return NULL;
}

/* NUL: not a character of a text. */
static char
character_of(char letter)
{
	for (size_t i = 0; i < COUNT(characters); i++)
		if (characters[i].letter == letter)
			return characters[i].is;
	return '\0';
}

int
file_pattern_check(const char *pattern, struct stk_error *err)
{
	for (const char *at = pattern; (at = strchr(at, '%')) != NULL; at += 2) {
		char letter = at[1];

		if (letter == '\0')
			return stk_fail(err, STK_EUSAGE,
					"the name ends in a single %%: expected a conversion, or %%%%");
		if (shorthand(letter) == NULL && number_of(letter) == NULL && words_of(letter) == NULL &&
		    character_of(letter) == '\0')
			return stk_fail(err, STK_EUSAGE,
					"%%%c cannot be recognised in file names: expected conversions such as "
					"%%F, %%Y, %%m, %%d, %%H, %%M, %%S, %%j or %%s", letter);
	}
	return 0;
}

/* --- recognising --- */

/* What a name says, by the letter of its conversion; -1: nothing. */
struct said { int64_t value[128]; };

static bool
take_number(const char **at, const struct field *field, struct said *said)
{
	int64_t value = 0;

	for (unsigned i = 0; i < field->digits; i++, ++*at) {
		if (**at >= '0' && **at <= '9')
			value = value * 10 + (**at - '0');
		else if (!field->blank || i > 0 || **at != ' ')
			return false;
	}
	said->value[(unsigned char)field->letter] = value;
	return true;
}

/* No name of a list is a prefix of another one. */
static bool
take_word(const char **at, char letter, const char *const *names, struct said *said)
{
	for (size_t i = 0; names[i] != NULL; i++) {
		size_t size = strlen(names[i]);

		if (strncmp(*at, names[i], size) != 0)
			continue;
		*at += size;
		said->value[(unsigned char)letter] = (int64_t)i;
		return true;
	}
	return false;
}

static bool
take_character(const char **at, char wanted)
{
	return *(*at)++ == wanted;
}

static bool take_all(const char **at, const char *pattern, struct said *said);

static bool
take_conversion(const char **at, char letter, struct said *said)
{
	if (shorthand(letter) != NULL)
		return take_all(at, shorthand(letter), said);
	if (number_of(letter) != NULL)
		return take_number(at, number_of(letter), said);
	if (words_of(letter) != NULL)
		return take_word(at, letter, words_of(letter), said);
	return character_of(letter) != '\0' && take_character(at, character_of(letter));
}

static bool
take_all(const char **at, const char *pattern, struct said *said)
{
	for (; *pattern != '\0'; pattern++) {
		bool good = *pattern == '%' ? take_conversion(at, *++pattern, said) : take_character(at, *pattern);

		if (!good)
			return false;
	}
	return true;
}

/* The first of these conversions that the name has; -1. */
static int64_t
first_said(const struct said *said, const char *letters)
{
	for (; *letters != '\0'; letters++)
		if (said->value[(unsigned char)*letters] >= 0)
			return said->value[(unsigned char)*letters];
	return -1;
}

/* The seconds since midnight; -1 when these are not valid. */
static int64_t
time_of_day(const struct said *said)
{
	int64_t hour = first_said(said, "Hk"), half = first_said(said, "pP"), minute = first_said(said, "M"),
		second = first_said(said, "S");

	if (hour < 0)
		hour = (first_said(said, "Il") >= 0 ? first_said(said, "Il") % 12 : 0) + (half == 1 ? 12 : 0);
	minute = minute < 0 ? 0 : minute;
	second = second < 0 ? 0 : second;
	return hour > 23 || minute > 59 || second > 59 ? -1 : hour * 3600 + minute * 60 + second;
}

/* Of the calendar, or of ISO weeks; -1: the name has none. */
static int
year_of(const struct said *said)
{
	int64_t year = first_said(said, "YG"), century = first_said(said, "C"), in_century = first_said(said, "yg");

	if (year >= 0 || in_century < 0)
		return (int)year;
	if (century < 0)
		century = in_century >= 69 ? 19 : 20;
	return (int)(century * 100 + in_century);
}

/* The days, counted from 1970, that the name may be of. */
static void
days_of(const struct said *said, int64_t *first, int64_t *last)
{
	int64_t month = first_said(said, "m"), day = first_said(said, "de");
	int year = year_of(said);

	if (year < 0) {
		*first = time_days(CYCLE_FROM, 1, 1);
		*last = time_days(CYCLE_FROM + CYCLE_YEARS, 1, 1) - 1;
	} else if (first_said(said, "Yy") >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= 31) {
		*first = *last = time_days(year, (int)month, (int)day);
	} else {
		*first = time_days(year, 1, 1) - WEEK_DAYS;
		*last = time_days(year, 12, 31) + WEEK_DAYS;
	}
}

static bool
is_of_a_time(const char *pattern, const struct time_zone *zone, const char *name)
{
	struct said said;
	const char *at = name;
	int64_t day, last, seconds;
	char made[PATH_MAX];

	memset(&said, 0xff, sizeof said);
	if (!take_all(&at, pattern, &said) || *at != '\0')
		return false;
	if (said.value['s'] > INT64_MAX / 1000000000)
		return false;
	if (said.value['s'] >= 0) {
		file_pattern_name(pattern, zone, said.value['s'] * 1000000000, made);
		return strcmp(made, name) == 0;
	}
	seconds = time_of_day(&said);
	if (seconds < 0)
		return false;
	for (days_of(&said, &day, &last); day <= last; day++) {
		make_name(pattern, day * DAY + seconds, 0, made);
		if (strcmp(made, name) == 0)
			return true;
	}
	return false;
}

/* Whether the name is that of a part whose number is between these dots; the second may be the end of the name. */
static bool
is_part(const char *pattern, const struct time_zone *zone, const char *name, const char *dot, const char *end)
{
	char whole[PATH_MAX], part[PATH_MAX];
	unsigned number = 0;

	for (const char *at = dot + 1; at < end; at++) {
		if (*at < '0' || *at > '9' || number > FILE_PARTS_MAX)
			return false;
		number = number * 10 + (unsigned)(*at - '0');
	}
	if (number < 2 || number >= FILE_PARTS_MAX ||
	    (size_t)snprintf(whole, sizeof whole, "%.*s%s", (int)(dot - name), name, end) >= sizeof whole)
		return false;
	file_pattern_part(whole, number, part);
	return strcmp(part, name) == 0 && is_of_a_time(pattern, zone, whole);
}

bool
file_pattern_made(const char *pattern, const struct time_zone *zone, const char *name)
{
	const char *base = last_component(name), *last = strrchr(base, '.'), *before = last;

	if (is_of_a_time(pattern, zone, name))
		return true;
	if (last == NULL)
		return false;
	while (before > base && *--before != '.')
		continue;
	return is_part(pattern, zone, name, last, last + strlen(last)) ||
		(before < last && *before == '.' && is_part(pattern, zone, name, before, last));
}

/* --- looking for them --- */

/* One * for several conversions in turn. */
static size_t
put_any(char to[PATH_MAX], size_t size)
{
	if (size == 0 || to[size - 1] != '*' || (size > 1 && to[size - 2] == '\\'))
		to[size++] = '*';
	return size;
}

static size_t
put_glob(char to[PATH_MAX], size_t size, const char *pattern)
{
	const char *base = last_component(pattern);

	for (const char *at = pattern; *at != '\0' && size < PATH_MAX - 8; at++) {
		if (*at == '%' && at[1] != '\0') {
			at++;
			size = shorthand(*at) != NULL ? put_glob(to, size, shorthand(*at)) : put_any(to, size);
			continue;
		}
		if (*at == '.' && at >= base)		/* the number of a part may be here */
			size = put_any(to, size);
		if (strchr("*?[\\", *at) != NULL)
			to[size++] = '\\';
		to[size++] = *at;
	}
	return size;
}

void
file_pattern_glob(const char *pattern, char to[PATH_MAX])
{
	size_t size = put_glob(to, 0, pattern);

	if (strchr(last_component(pattern), '.') == NULL)
		size = put_any(to, size);
	to[size] = '\0';
}
