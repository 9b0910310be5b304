/* SPDX-License-Identifier: MIT
 * quantities: numbers, sizes and durations as people write them. */
#include "base/quantities.h"
#include "base/time_math.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct unit { const char *name; int64_t size; };

static const struct unit size_units[] = { { "", 1 },
					  { "k", INT64_C(1) << 10 },
					  { "K", INT64_C(1) << 10 },
					  { "M", INT64_C(1) << 20 },
					  { "G", INT64_C(1) << 30 },
					  { "T", INT64_C(1) << 40 },
					  { NULL, 0 } };

static const struct unit duration_units[] = { { "ns", 1 },
					      { "us", 1000 },
					      { "ms", 1000000 },
					      { "s", INT64_C(1000000000) },
					      { "m", INT64_C(60000000000) },
					      { "min", INT64_C(60000000000) },
					      { "h", INT64_C(3600000000000) },
					      { "d", INT64_C(86400000000000) },
					      { "w", INT64_C(604800000000000) },
					      { NULL, 0 } };

/* Decimal digits at *at. False when there are none or they do not fit. */
static bool
take_number(const char **at, int64_t *value)
{
	const char *p = *at;

	*value = 0;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, *p - '0', value))
			return false;
	if (p == *at)
		return false;
	*at = p;
	return true;
}

/* The digits after a point, in billionths; those beyond the ninth are dropped. */
static bool
take_billionths(const char **at, int64_t *billionths)
{
	int64_t worth = 100000000;
	const char *p = *at;

	*billionths = 0;
	if (*p != '.')
		return true;
	for (p++; *p >= '0' && *p <= '9'; p++, worth /= 10)
		*billionths += (*p - '0') * worth;
	if (p == *at + 1)
		return false;
	*at = p;
	return true;
}

static int64_t
take_unit(const char **at, const struct unit *units)
{
	size_t length = 0;

	while (isalpha((unsigned char)(*at)[length]))
		length++;
	for (; units->name != NULL; units++) {
		if (strlen(units->name) != length || strncmp(*at, units->name, length) != 0)
			continue;
		*at += length;
		return units->size;
	}
	return 0;
}

/* A number, perhaps with a fraction, and its unit: adds its value. */
static bool
take_quantity(const char **at, const struct unit *units, int64_t *sum)
{
	int64_t whole, billionths, unit, part;
	const int64_t billion = 1000000000;

	if (!take_number(at, &whole) || !take_billionths(at, &billionths) || (unit = take_unit(at, units)) == 0)
		return false;
	/* billionths * unit / billion, in two parts that both fit */
	part = billionths * (unit / billion) + billionths * (unit % billion) / billion;
	return !__builtin_mul_overflow(whole, unit, &whole) && !__builtin_add_overflow(whole, part, &whole) &&
	       !__builtin_add_overflow(*sum, whole, sum);
}

int
size_parse(const char *text, int64_t *bytes, struct stk_error *err)
{
	const char *at = text;
	int64_t sum = 0;

	if (!take_quantity(&at, size_units, &sum) || *at != '\0')
		return stk_fail(err, STK_EUSAGE, "expected a size such as 4096, 64k or 1G, not '%s'", text);
	*bytes = sum;
	return 0;
}

int
duration_parse(const char *text, int64_t *ns, struct stk_error *err)
{
	const char *at = text;
	int64_t sum = 0;
	bool good = *at != '\0';

	while (good && *at != '\0')
		good = take_quantity(&at, duration_units, &sum);
	if (!good && strcmp(text, "0") != 0)
		return stk_fail(err, STK_EUSAGE, "expected a duration such as 20s, 15m or 1h30m, not '%s'", text);
	if (sum > DURATION_MOST)
		return stk_fail(err, STK_EUSAGE, "the duration '%s' is too long: expected at most %lldd", text,
				(long long)(DURATION_MOST / INT64_C(86400000000000)));
	*ns = sum;
	return 0;
}

int
number_parse(const char *text, int64_t *number, struct stk_error *err)
{
	const char *at = text;
	int64_t value;

	if (!take_number(&at, &value) || *at != '\0')
		return stk_fail(err, STK_EUSAGE, "expected a number, not '%s'", text);
	*number = value;
	return 0;
}

bool
real_parse(const char *text, bool percent, double *value)
{
	const char *digits = text + (*text == '-');
	double number;
	char *end;

	/* strtod takes words and hexadecimal, too */
	if (strspn(digits, "0123456789.") == 0 || strpbrk(text, "xX") != NULL)
		return false;
	number = strtod(text, &end);
	if (percent && *end == '%')
		end++;
	if (end == text || *end != '\0' || !isfinite(number))
		return false;
	*value = number;
	return true;
}

bool
amount_parse(const char *text, double *amount)
{
	size_t size = strspn(text, "0123456789.eE+-");
	char *end;
	double value = strtod(text, &end);

	if (size == 0 || end != text + size || !isfinite(value))
		return false;
	for (const struct unit *u = size_units; u->name != NULL; u++)
		if (strcmp(end, u->name) == 0) {
			*amount = value * (double)u->size;
			return true;
		}
	return false;
}
