/* SPDX-License-Identifier: MIT
 * civil_moment: reads a date and time. */
#include "ingest/civil_moment.h"

#include "ingest/scan_text.h"

#include "base/time_text.h"
#include "ingest/text_lines.h"

static bool
take_digits(const char **at, const char *end, int count, int *value)
{
	if (end - *at < count)
		return false;
	for (*value = 0; count > 0; count--, ++*at) {
		if ((unsigned char)(**at - '0') > 9)
			return false;
		*value = *value * 10 + (**at - '0');
	}
	return true;
}

static bool
take_byte(const char **at, const char *end, const char *one_of)
{
	if (*at == end || **at == '\0' || strchr(one_of, **at) == NULL)
		return false;
	++*at;
	return true;
}

/* A fraction of a second and a zone, both of which may be missing. */
static bool
take_fraction_and_zone(const char **at, const char *end, int64_t *ns)
{
	int64_t unit = 100000000;
	int number;

	if (take_byte(at, end, ".,"))
		for (; *at < end && (unsigned char)(**at - '0') < 10; ++*at, unit /= 10)
			*ns += (**at - '0') * unit;
	if (take_byte(at, end, "Z") || !take_byte(at, end, "+-"))
		return true;
	return take_digits(at, end, 2, &number) && (take_byte(at, end, ":") || true) &&
	       take_digits(at, end, 2, &number);
}

bool
civil_moment_read(struct stk_text text, int64_t *civil_ns)
{
	const char *at = text.data, *end = text.data + trimmed(text).size;
	int year, month, day, hour, minute, second;
	int64_t ns = 0;

	if (!(take_digits(&at, end, 4, &year) && take_byte(&at, end, "-") && take_digits(&at, end, 2, &month) &&
	      take_byte(&at, end, "-") && take_digits(&at, end, 2, &day) && take_byte(&at, end, " T") &&
	      take_digits(&at, end, 2, &hour) && take_byte(&at, end, ":") && take_digits(&at, end, 2, &minute) &&
	      take_byte(&at, end, ":") && take_digits(&at, end, 2, &second)))
		return false;
	if (!take_fraction_and_zone(&at, end, &ns) || at != end || month < 1 || month > 12 || day < 1 || day > 31 ||
	    hour > 23 || minute > 59 || second > 60)
		return false;
	*civil_ns = time_from_civil(year, month, day, hour, minute, second, ns, NULL);
	return true;
}

/* "UTC ": what date puts before the year. */
static void
pass_zone(const char **at, const char *end)
{
	const char *to = *at;

	while (to < end && *to >= 'A' && *to <= 'Z')
		to++;
	if (to < end && *to == ' ' && to - *at > 1)
		*at = to + 1;
}

bool
civil_ctime_read(struct stk_text text, int64_t *civil_ns)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	const char *at = text.data, *end = at + trimmed(text).size, *month;
	int year, day, hour, minute, second;

	if (end - at < 24 || at[3] != ' ' || at[7] != ' ')
		return false;
	month = memmem(months, sizeof months - 1, at + 4, 3);
	at += 8 + (at[8] == ' ');
	if (month == NULL || (month - months) % 3 != 0 || !take_digits(&at, end, at[-2] == ' ' ? 1 : 2, &day) ||
	    !take_byte(&at, end, " ") || !take_digits(&at, end, 2, &hour) || !take_byte(&at, end, ":") ||
	    !take_digits(&at, end, 2, &minute) || !take_byte(&at, end, ":") || !take_digits(&at, end, 2, &second) ||
	    !take_byte(&at, end, " "))
		return false;
	pass_zone(&at, end);
	if (!take_digits(&at, end, 4, &year) || at != end || day < 1 || day > 31 || hour > 23 || minute > 59 ||
	    second > 60)
		return false;
	*civil_ns = time_from_civil(year, (int)(month - months) / 3 + 1, day, hour, minute, second, 0, NULL);
	return true;
}

bool
civil_time_of_day(const char **at, const char *end, int64_t *ns)
{
	uint64_t hours, minutes, seconds;
	const char *p = *at;

	if (!scan_decimal(&p, end, &hours) || p == end || *p++ != ':' || !scan_decimal(&p, end, &minutes) || p == end ||
	    *p++ != ':' || !scan_fixed(&p, end, 9, &seconds) || hours > 23 || minutes > 59 || seconds >= 61000000000u)
		return false;
	*ns = (int64_t)((hours * 60 + minutes) * 60 * 1000000000 + seconds);
	*at = p;
	return true;
}
