/* SPDX-License-Identifier: MIT
 * log_fields: pairs and rows are taken apart as far as the text. */
#include "ingest/log_fields.h"

#include "base/delimited.h"
#include "base/memory.h"
#include "ingest/civil_moment.h"
#include "ingest/text_lines.h"

#include <stdlib.h>
#include <strings.h>

#define COLUMNS_MAX 256

/* --- logfmt --- */

static bool
is_hex(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* Four digits; 0: there are none. */
static uint32_t
hex_at(const char *at, const char *end)
{
	char digits[5] = { 0 };

	for (size_t i = 0; i < 4; i++) {
		if (end - at < 4 || !is_hex(at[i]))
			return 0;
		digits[i] = at[i];
	}
	return (uint32_t)strtoul(digits, NULL, 16);
}

/* After a backslash; the place after it. */
static const char *
take_escape(struct text_buffer *to, const char *at, const char *end)
{
	static const char letters[] = "ntr", means[] = "\n\t\r";
	const char *letter = strchr(letters, *at);
	uint32_t number = *at == 'u' ? hex_at(at + 1, end) : 0;

	if (number != 0) {
		add_character(to, number);
		return at + 5;
	}
	add_char(to, letter != NULL ? means[letter - letters] : *at);
	return at + 1;
}

/* A value, quoted or up to a blank; the place after it. `to` may be NULL. */
static const char *
take_value(struct text_buffer *to, const char *at, const char *end)
{
	const char *from = at;

	if (at == end || *at != '"') {
		while (at < end && *at != ' ')
			at++;
		if (to != NULL)
			add_text(to, between(from, at));
		return at;
	}
	for (at++; at < end && *at != '"';) {
		bool escape = *at == '\\' && at + 1 < end;

		if (to == NULL)
			at += escape ? 2 : 1;
		else if (escape)
			at = take_escape(to, at + 1, end);
		else
			add_char(to, *at++);
	}
	return at < end ? at + 1 : end;
}

bool
logfmt_text(struct text_buffer *to, struct stk_text line)
{
	const char *at = line.data, *end = line.data + line.size;

	while (at < end) {
		const char *key = at;
		struct stk_text name;

		while (at < end && *at != '=' && *at != ' ' && *at != '"')
			at++;
		if (at == end || *at != '=' || at == key)
			return false;
		name = between(key, at);
		if (text_is(name, "msg") || text_is(name, "message")) {
			to->count = 0;
			(void)take_value(to, at + 1, end);
			return true;
		}
		at = take_value(NULL, at + 1, end);
		while (at < end && *at == ' ')
			at++;
	}
	return false;
}

/* --- aws logs --output text --- */

#define EPOCH_DIGITS 13u	/* of milliseconds */

bool
aws_text(struct stk_text *text, struct stk_text line)
{
	struct stk_text left = line, field;
	bool begins = text_starts(line, "EVENTS\t"), ends;

	if (begins) {
		(void)text_take(&left, '\t');
		field = text_take(&left, '\t');
		begins = text_is_digits(field);
		if (field.size != EPOCH_DIGITS) {	/* the id of an event, a time, the name of the stream */
			begins &= text_is_digits(text_take(&left, '\t'));
			(void)text_take(&left, '\t');
		}
	}
	ends = left.size > EPOCH_DIGITS && left.data[left.size - EPOCH_DIGITS - 1] == '\t' &&
	       text_is_digits(text_of(left.data + left.size - EPOCH_DIGITS, EPOCH_DIGITS));
	if (ends)
		left.size -= EPOCH_DIGITS + 1;
	*text = left;
	return begins || ends;
}

/* --- logcli --- */

/* The end of labels in braces, of which a text in quotes may have one; NULL: they do not end. */
static const char *
labels_end(const char *at, const char *end)
{
	while (at < end && *at != '}')
		at = *at == '"' ? take_value(NULL, at, end) : at + 1;
	return at < end ? at + 1 : NULL;
}

bool
logcli_read(struct log_record *out, struct stk_text line)
{
	const char *end = line.data + line.size, *at;
	struct stk_text left = line, time = text_take(&left, ' ');

	if (time.size < CIVIL_MOMENT_SIZE || time.size >= LOG_TIME_MAX || time.data[10] != 'T' || left.size < 2 ||
	    *left.data != '{' || (at = labels_end(left.data + 1, end)) == NULL || (at < end && *at != ' '))
		return false;
	memcpy(out->time, time.data, time.size);
	out->time[time.size] = '\0';
	out->text.count = 0;
	add_text(&out->text, between(at + 1, end));
	return true;
}

/* --- tables --- */

bool
log_table_ends_row(struct log_table *table, char c)
{
	bool quoted = table->at == ROW_QUOTED;

	if (quoted) {
		table->at = c == '"' ? ROW_QUOTE : ROW_QUOTED;
		return false;
	}
	if (c == '"' && table->at != ROW_PLAIN)
		table->at = ROW_QUOTED;		/* of a field that begins, or one of two */
	else
		table->at = c == '\n' || (table->delimiter != 0 ? c == table->delimiter : strchr("\t,;", c) != NULL)
				    ? ROW_FIELD_BEGINS : ROW_PLAIN;
	return c == '\n';
}

static bool
is_text_column(struct stk_text name)
{
	static const char *const names[] = { "message", "_raw", "@message", "log", "line", "msg", "content", "body",
					     "textPayload", "jsonPayload.message", "_source.message", "event.original",
					     "LogMessage", "LogEntry", "fields.message" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == name.size && strncasecmp(names[i], name.data, name.size) == 0)
			return true;
	return false;
}

static bool
is_time_column(struct stk_text name)
{
	static const char *const words[] = { "time", "Time", "date", "Date" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (text_find(name, words[i]) != NULL)
			return true;
	return false;
}

bool
log_table_head(struct log_table *table, struct stk_text row)
{
	struct stk_text columns[COLUMNS_MAX];
	char *room = mem_new(row.size + 1, 1);
	size_t count;

	table->delimiter = delimiter_of(row);
	count = delimited_split(row, table->delimiter, columns, COLUMNS_MAX, room);
	table->columns = count < COLUMNS_MAX ? count : COLUMNS_MAX;
	table->text = table->time = 0;
	for (size_t c = 0; c < table->columns; c++) {
		if (table->text == 0 && is_text_column(columns[c]))
			table->text = c + 1;
		else if (table->time == 0 && is_time_column(columns[c]))
			table->time = c + 1;
	}
	/* a table of numbers may have a column of such a name, but not with a time */
	if (table->time == 0 && (table->text == 0 || !text_is(columns[table->text - 1], "_raw")))
		table->text = 0;
	free(room);
	return table->text != 0;
}

/* "Jan 2, 2026 @ 03:04:05.678", as Kibana writes times, in the form that can be compared. False: it is another. */
static bool
add_kibana_time(struct text_buffer *to, struct stk_text time)
{
	static const char months[12][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	struct stk_text clock = time, month = text_take(&clock, ' '), day = text_take(&clock, ' ');
	struct stk_text year = text_take(&clock, ' '), at = text_take(&clock, ' ');
	unsigned number = 0;

	while (number < 12 && !text_is(month, months[number]))
		number++;
	if (number == 12 || day.size < 2 || day.size > 3 || !text_ends(day, ",") || !text_is(at, "@"))
		return false;
	add_text(to, year);
	add_format(to, "-%02u-%s", number + 1, day.size == 2 ? "0" : "");
	add_text(to, text_of(day.data, day.size - 1));
	add_char(to, 'T');
	add_text(to, clock);
	return true;
}

static void
note_time(struct log_record *out, struct stk_text time)
{
	struct text_buffer made = { 0 };

	if (add_kibana_time(&made, time))
		time = text_in(&made, 0);
	time.size = time.size < LOG_TIME_MAX ? time.size : 0;
	memcpy(out->time, time.data, time.size);
	out->time[time.size] = '\0';
	array_release(&made);
}

bool
log_table_row(const struct log_table *table, struct log_record *out, struct stk_text row)
{
	struct stk_text fields[COLUMNS_MAX];
	char *room = mem_new(row.size + 1, 1);
	size_t count = delimited_split(row, table->delimiter, fields, table->columns, room);
	bool has = count >= table->text;

	out->text.count = 0;
	if (has)
		add_text(&out->text, fields[table->text - 1]);
	note_time(out, has && table->time > 0 && count >= table->time ? fields[table->time - 1] : text_of("", 0));
	free(room);
	return has;
}

bool
log_table_is(struct stk_text beginning)
{
	struct log_table table = { .columns = 0 };
	size_t head = 0;

	while (head < beginning.size && !log_table_ends_row(&table, beginning.data[head]))
		head++;
	if (head + 1 >= beginning.size)
		return false;
	return log_table_head(&table, text_of(beginning.data, head));
}
