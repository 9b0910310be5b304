/* SPDX-License-Identifier: MIT
 * event_line: the fields of a line, one after the other. */
#include "base/event_line.h"

#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum field { TIME, THREAD, HAPPENING, NAME, VALUE, ACTIVITY, STACK, PROCESSOR, PROCESS, VALUES, FIELDS };

#define NUMBER_MAX 64

/* How many there are, at most FIELDS; those that are missing are empty. */
static unsigned
split_line(struct stk_text line, struct stk_text fields[FIELDS])
{
	unsigned count = 0;

	while (line.size > 0 && (line.data[line.size - 1] == '\n' || line.data[line.size - 1] == '\r'))
		line.size--;
	for (unsigned f = 0; f < FIELDS; f++)
		fields[f] = text_of("", 0);
	for (size_t from = 0, to; from <= line.size && count < FIELDS; from = to + 1) {
		const char *tab = memchr(line.data + from, '\t', line.size - from);

		to = tab == NULL ? line.size : (size_t)(tab - line.data);
		fields[count++] = text_of(line.data + from, to - from);
	}
	return count;
}

/* Whether a zone follows the time of day: "10:00:00Z", "10:00:00+02:00". */
static bool
has_zone(const char *date)
{
	const char *clock = strchr(date, 'T');

	return clock != NULL && strpbrk(clock, "Z+-") != NULL;
}

static bool
read_time(struct stk_text field, const struct time_zone *zone, struct event_line *out)
{
	struct stk_error unheard = { 0 };
	char text[NUMBER_MAX];
	bool is_date = field.size > 0 && memchr(field.data, 'T', field.size) != NULL;

	if (field.size > NUMBER_MAX - 4)
		return false;
	(void)snprintf(text, sizeof text, "%s%.*s", is_date || text_starts(field, "@") ? "" : "@", (int)field.size,
		       field.data);
	out->zoned = !is_date || has_zone(text);
	if (time_parse(text, 0, zone, &out->event.time, &unheard) < 0) {
		stk_error_clear(&unheard);
		return false;
	}
	return stk_time_is_believed(out->event.time);
}

static bool
read_happening(struct stk_text field, uint64_t *happening)
{
	static const struct { const char *word; enum stk_happening means; } words[] = {
		{ "point", STK_HAPPENING_POINT },	      { "start", STK_HAPPENING_START },
		{ "begin", STK_HAPPENING_START },	      { "stop", STK_HAPPENING_STOP },
		{ "end", STK_HAPPENING_STOP },		      { "switch-out", STK_HAPPENING_SWITCH_OUT },
		{ "switch-in", STK_HAPPENING_SWITCH_IN }
	};

	for (unsigned w = 0; w < sizeof words / sizeof *words; w++)
		if (text_is(field, words[w].word)) {
			*happening = words[w].means;
			return true;
		}
	return false;
}

static bool
read_value(struct stk_text field, double *value)
{
	char text[NUMBER_MAX], *end;

	if (field.size >= sizeof text)
		return false;
	(void)snprintf(text, sizeof text, "%.*s", (int)field.size, field.data);
	*value = field.size == 0 ? 0 : strtod(text, &end);
	return field.size == 0 || (*end == '\0' && stk_measure_is_believed(*value));
}

/* Decimal digits; none are 0. */
static bool
read_digits(struct stk_text field, uint64_t *activity)
{
	*activity = 0;
	for (size_t i = 0; i < field.size; i++) {
		unsigned digit = (unsigned)(unsigned char)field.data[i] - '0';

		if (digit > 9 || __builtin_mul_overflow(*activity, 10, activity) ||
		    __builtin_add_overflow(*activity, digit, activity))
			return false;
	}
	return true;
}

/* The last half of a trace id of W3C's trace context: 32 hexadecimal digits, alone or in a traceparent. */
static bool
read_trace(struct stk_text field, uint64_t *activity)
{
	if (field.size == 55 && field.data[2] == '-' && field.data[35] == '-')
		field = text_of(field.data + 3, 32);
	if (field.size != 32)
		return false;
	*activity = 0;
	for (size_t i = 0; i < field.size; i++) {
		char c = field.data[i];
		unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
				 : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;

		if (digit == 16)
			return false;
		*activity = *activity << 4 | digit;
	}
	return true;
}

static bool
read_activity(struct stk_text field, uint64_t *activity)
{
	return field.size >= 32 ? read_trace(field, activity) : read_digits(field, activity);
}

static bool
read_processor(struct stk_text field, int64_t *processor)
{
	uint64_t number;

	if (!read_digits(field, &number) || number > INT32_MAX)
		return false;
	*processor = field.size == 0 ? -1 : (int64_t)number;
	return true;
}

/* Whether columns are in the order in which they are read. */
static bool
is_heading(const struct stk_text fields[FIELDS], unsigned count)
{
	static const char *const names[FIELDS] = { "time", "thread", "happening", "name", "value", "activity", "stack",
		"processor", "process", "values" };

	for (unsigned f = 0; f < count; f++)
		if (!text_is(fields[f], names[f]))
			return false;
	return true;
}

int
event_line_read(struct stk_text line, const struct time_zone *zone, struct event_line *out)
{
	struct stk_text fields[FIELDS];
	unsigned count = split_line(line, fields);

	if (fields[TIME].size == 0 || *fields[TIME].data == '#')
		return 0;
	if (text_is(fields[TIME], "time"))
		return is_heading(fields, count) ? 0 : -1;
	if (count <= HAPPENING)
		return -1;
	*out = (struct event_line){
		.thread = fields[THREAD], .stack = fields[STACK], .process = fields[PROCESS],
		.event = { .name = fields[NAME], .values = fields[VALUES] }
	};
	return read_time(fields[TIME], zone, out) && read_happening(fields[HAPPENING], &out->event.happening) &&
			       read_value(fields[VALUE], &out->event.value) &&
			       read_activity(fields[ACTIVITY], &out->event.activity) &&
			       read_processor(fields[PROCESSOR], &out->event.processor)
		       ? 1
		       : -1;
}
