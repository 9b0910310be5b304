/* SPDX-License-Identifier: MIT
 * plain_series: reads lines one by one; a bad row costs itself. */
#include "trend/plain_series.h"

#include "base/delimited.h"
#include "base/input.h"
#include "base/text_buffer.h"
#include "base/time_math.h"

#include <math.h>

#define LINE_MOST    (1u << 20)
#define COLUMNS_MOST 1024u
#define TOLD_MOST    10u

struct reading {
	struct plain_series *plain;
	const struct plain_source *source;
	char delimiter;
	uint64_t line, left_out;
	unsigned time_column, columns;
	unsigned of_column[COLUMNS_MOST];	/* the series of a column plus 1; 0 none */
	int64_t last_ns;
	struct stk_text fields[COLUMNS_MOST];
	char *room;
};

static void
leave_out(struct reading *r, const char *why, struct stk_text field)
{
	if (r->left_out++ < TOLD_MOST)
		trend_left_out(&r->source->listener, "%s:%llu: %s '%.*s'; left out", r->source->path,
			       (unsigned long long)r->line, why, (int)(field.size > 60 ? 60 : field.size), field.data);
}

static bool
is_wanted(const char *wanted, struct stk_text name)
{
	while (wanted != NULL && *wanted != '\0') {
		size_t size = strcspn(wanted, ",");

		if (size == name.size && memcmp(wanted, name.data, size) == 0)
			return true;
		wanted += size + (wanted[size] == ',');
	}
	return false;
}

static bool
all_numbers(const struct stk_text *fields, unsigned count)
{
	double value;

	for (unsigned c = 0; c < count; c++)
		if (!delimited_number(fields[c], &value))
			return false;
	return count > 0;
}

static int
take_header(struct reading *r, struct stk_text line, struct stk_error *err)
{
	const struct plain_source *s = r->source;
	struct plain_series *plain = r->plain;

	if (line.size >= 3 && memcmp(line.data, "\xef\xbb\xbf", 3) == 0) {
		line.data += 3;
		line.size -= 3;
	}
	r->delimiter = delimiter_of(line);
	r->columns = (unsigned)delimited_split(line, r->delimiter, r->fields, COLUMNS_MOST, r->room);
	if (r->columns > COLUMNS_MOST)
		return stk_fail(err, STK_EDATA, "%s:1: %u columns, at most %u", s->path, r->columns, COLUMNS_MOST);
	if (all_numbers(r->fields, r->columns))
		return stk_fail(err, STK_EDATA, "%s:1: numbers: expected names of columns in the first line", s->path);
	r->time_column = s->time == NULL ? 0 : COLUMNS_MOST;
	for (unsigned c = 0; c < r->columns && s->time != NULL; c++)
		if (text_is(r->fields[c], s->time))
			r->time_column = c;
	if (r->time_column == COLUMNS_MOST)
		return stk_fail(err, STK_EDATA, "%s:1: no column '%s': expected one of the header's names", s->path,
				s->time);
	for (unsigned c = 0; c < r->columns; c++) {
		char *name;

		if (c == r->time_column || (s->columns != NULL && !is_wanted(s->columns, r->fields[c])))
			continue;
		name = arena_copy(&plain->arena, r->fields[c].data, r->fields[c].size);
		*array_push(&plain->names) = text_of(name, r->fields[c].size);
		*array_push(&plain->points) = (struct plain_points){ 0 };
		r->of_column[c] = (unsigned)plain->names.count;
	}
	if (plain->names.count == 0)
		return stk_fail(err, STK_EDATA, "%s:1: %s%s%s: expected names of columns in the first line", s->path,
				s->columns != NULL ? "no column '" : "one column", s->columns != NULL ? s->columns : "",
				s->columns != NULL ? "'" : "");
	return 0;
}

/* Civil times, or a number of seconds or milliseconds since 1970. */
static bool
take_time(const struct reading *r, struct stk_text field, int64_t *time_ns)
{
	char text[100];
	struct stk_error err = { 0 };
	double number;

	if (delimited_number(field, &number)) {
		number *= fabs(number) > 1e11 ? 1e6 : 1e9;
		*time_ns = int64_of(rint(number));
		return stk_time_is_believed(*time_ns);
	}
	if (field.size == 0 || field.size >= sizeof text)
		return false;
	memcpy(text, field.data, field.size);
	text[field.size] = '\0';
	return ((text[0] >= '0' && text[0] <= '9') || text[0] == '@') &&
	       time_parse(text, r->source->now_ns, r->source->zone, time_ns, &err) == 0 &&
	       stk_time_is_believed(*time_ns);
}

static void
take_row(struct reading *r, struct stk_text line)
{
	size_t count = delimited_split(line, r->delimiter, r->fields, COLUMNS_MOST, r->room);
	int64_t time_ns;

	if (count <= r->time_column) {
		leave_out(r, "expected a time, not", line);
		return;
	}
	if (!take_time(r, r->fields[r->time_column], &time_ns)) {
		leave_out(r, "expected a time such as 2026-11-19 09:00:00 or seconds since 1970, not",
			  r->fields[r->time_column]);
		return;
	}
	if (r->last_ns != STK_TIME_UNKNOWN && time_ns < r->last_ns) {
		leave_out(r, "the time is before that of the row above:", r->fields[r->time_column]);
		return;
	}
	r->last_ns = time_ns;
	for (unsigned c = 0; c < r->columns; c++) {
		double value;

		if (r->of_column[c] == 0 || c >= count || r->fields[c].size == 0)
			continue;
		if (!delimited_number(r->fields[c], &value) || !stk_measure_is_believed(value)) {
			leave_out(r, "expected a number, not", r->fields[c]);
			continue;
		}
		*array_push(&r->plain->points.at[r->of_column[c] - 1]) = (struct trend_point){ .time_ns = time_ns,
			.value = value, .weight = 1 };
	}
}

static int
take_line(struct reading *r, struct stk_text line, struct stk_error *err)
{
	r->line++;
	if (r->line == 1)
		return take_header(r, line, err);
	while (line.size > 0 && (line.data[line.size - 1] == '\r' || line.data[line.size - 1] == ' '))
		line.size--;
	if (line.size > 0)
		take_row(r, line);
	return 0;
}

static int
take_lines(struct reading *r, struct input *input, struct stk_error *err)
{
	struct text_buffer left = { 0 };
	char *chunk = mem_new(LINE_MOST, 1);
	long got = 0;
	int result = 0;

	while (result == 0 && (got = input_read(input, chunk, LINE_MOST, err)) > 0) {
		size_t from = 0;

		add_bytes(&left, chunk, (size_t)got);
		for (const char *end; result == 0 && (end = memchr(left.at + from, '\n', left.count - from)) != NULL;
		     from = (size_t)(end - left.at) + 1)
			result = end - left.at - (long)from > (long)LINE_MOST
					 ? stk_fail(err, STK_EDATA, "%s:%llu: a line of more than 1 MB",
						    r->source->path, (unsigned long long)r->line + 1)
					 : take_line(r, text_of(left.at + from, (size_t)(end - left.at) - from), err);
		memmove(left.at, left.at + from, left.count - from);
		left.count -= from;
		if (left.count > LINE_MOST && result == 0)
			result = stk_fail(err, STK_EDATA, "%s:%llu: a line of more than 1 MB", r->source->path,
					  (unsigned long long)r->line + 1);
	}
	if (got < 0 && err->code == STK_EDATA) {
		trend_left_out(&r->source->listener, "%s:%llu: %s; what was before it is used", r->source->path,
			       (unsigned long long)r->line, err->text);
		stk_error_clear(err);
		got = 0;
	}
	if (result == 0 && got == 0 && left.count > 0)
		result = take_line(r, text_of(left.at, left.count), err);
	free(chunk);
	array_release(&left);
	return got < 0 ? -1 : result;
}

int
plain_series_read(struct plain_series *plain, const struct plain_source *source, struct stk_error *err)
{
	struct reading *r = mem_new(1, sizeof *r);
	struct input *input = NULL;
	int result;

	*r = (struct reading){ .plain = plain, .source = source, .last_ns = STK_TIME_UNKNOWN,
		.room = mem_new(2 * LINE_MOST, 1) };
	result = input_open(&input, source->path, NULL, err);
	if (result < 0) {
		struct stk_error why = *err;

		stk_error_clear(err);
		(void)stk_fail(err, STK_ESYSTEM, "%s: %s", source->path, why.text);
	} else {
		result = take_lines(r, input, err);
	}
	input_close(input);
	if (result == 0 && r->line == 0)
		result = stk_fail(err, STK_EDATA, "%s: is empty: expected a header and rows", source->path);
	if (r->left_out > TOLD_MOST)
		trend_left_out(&source->listener, "%s: %llu more rows or fields were left out", source->path,
			       (unsigned long long)(r->left_out - TOLD_MOST));
	free(r->room);
	free(r);
	return result;
}

void
plain_series_release(struct plain_series *plain)
{
	for (size_t i = 0; i < plain->points.count; i++)
		array_release(&plain->points.at[i]);
	array_release(&plain->points);
	array_release(&plain->names);
	arena_release(&plain->arena);
}
