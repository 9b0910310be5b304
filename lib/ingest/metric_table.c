/* SPDX-License-Identifier: MIT
 * metric_table: metrics as lines: "time,name,value" with commas, semicolons or tabs; and what jstat -gc -t prints. */
#include "ingest/metric_lines.h"

#include "base/delimited.h"
#include "base/time_math.h"
#include "ingest/text_lines.h"

#include <math.h>

#define FIELDS      3u
#define LINES_ASKED 20
#define JSTAT_MOST  20u

/* --- time, name, value --- */

static bool
take_time(struct stk_text field, struct metric_time *time)
{
	double number;

	if (metric_date(field, time))
		return true;
	if (!delimited_number(field, &number))
		return false;
	number *= fabs(number) > 1e11 ? 1e6 : 1e9;	/* milliseconds, or seconds since 1970 */
	*time = (struct metric_time){ int64_of(rint(number)), true };
	return stk_time_is_believed(time->ns);
}

static bool
is_header(const struct stk_text *fields)
{
	return text_is(fields[1], "name") && text_is(fields[2], "value");
}

/* What is wrong with a line, or NULL. room: as large as the line. */
static const char *
read_line(struct stk_text line, struct metric_time *time, struct stk_text *name, double *value, char *room)
{
	struct stk_text fields[FIELDS];
	size_t count = delimited_split(line, delimiter_of(line), fields, FIELDS, room);

	if (count != FIELDS)
		return "a metric is a time, a name and a value";
	if (is_header(fields))
		return "";
	if (!take_time(fields[0], time))
		return "a metric whose time cannot be read";
	if (fields[1].size == 0)
		return "a metric without a name";
	if (!delimited_number(fields[2], value))
		return "a metric whose value is not a number";
	if (!stk_measure_is_believed(*value))
		return "a metric whose value is not finite, or beyond 1e100";
	*name = fields[1];
	return NULL;
}

/* Where a name that had quotes is in its line, between these: what was read does not last. Its own are double there. */
static struct stk_text
name_in_line(struct stk_text line, struct stk_text name)
{
	const char *end = line.data + line.size;

	for (const char *from = line.data; from < end; from++) {
		const char *at = from + 1;
		size_t same = 0;

		while (*from == '"' && at < end && same < name.size && *at == name.data[same++])
			at += *at == '"' ? 2 : 1;
		if (*from == '"' && same == name.size && at < end && *at == '"')
			return between(from + 1, at);
	}
	return text_of("", 0);
}

static void
say_row(struct findings *findings, uint32_t number, struct metric_time time, struct stk_text name, bool quoted,
	double value)
{
	metric_say(findings, number, time, "", name, value);
	findings->list.at[findings->list.count - 1].is.metric.quoted = quoted;
}

static void
scan_table(struct findings *findings, struct stk_text piece)
{
	const char *end = piece.data + piece.size, *next;
	uint32_t number = 0;

	for (const char *at = piece.data; at < end; at = next + (next < end)) {
		struct metric_time time;
		struct stk_text name, line;
		double value;
		char room[4096];
		const char *wrong;
		bool quoted;

		next = scan_line_end(at, end);
		line = trimmed(between(at, next));
		wrong = line.size >= sizeof room              ? "a metric of more than 4 kB"
			: line.size == 0 || *line.data == '#' ? ""
							      : read_line(line, &time, &name, &value, room);
		quoted = wrong == NULL && name.data >= room && name.data < room + sizeof room;
		if (wrong == NULL)
			say_row(findings, number, time, quoted ? name_in_line(line, name) : name, quoted, value);
		else if (*wrong != '\0')
			found_skipped(findings, number, line, 1, SKIP_BROKEN, wrong);
		number += next < end;
	}
	findings->lines = number;
}

/* A row, whose name is not a number as well, or the heading "time,name,value". */
static bool
is_certain_row(struct stk_text line)
{
	struct metric_time unused;
	struct stk_text name;
	double value;
	char room[1024];
	const char *wrong;

	line = trimmed(line);
	if (line.size < sizeof "1,a,1" - 1 || line.size >= sizeof room || strchr("0123456789\"t", *line.data) == NULL)
		return false;
	if (strchr("0123456789e", line.data[line.size - 1]) == NULL)
		return false;		/* most lines of logs, without reading them */
	wrong = read_line(line, &unused, &name, &value, room);
	return wrong == NULL ? !delimited_number(name, &value) : *wrong == '\0';
}

static const char *
find_table(struct stk_text text)
{
	return metric_find(text, is_certain_row);
}

static int
recognise_table(struct stk_text text)
{
	const char *end = text.data + text.size, *next;
	unsigned good = 0, bad = 0, lines = 0;

	for (const char *at = text.data; at < end && lines < LINES_ASKED; at = next + (next < end)) {
		struct metric_time time;
		struct stk_text name, line;
		double value;
		char room[4096];
		const char *wrong;

		next = scan_line_end(at, end);
		line = trimmed(between(at, next));
		if (line.size == 0 || line.size >= sizeof room || *line.data == '#')
			continue;
		lines++;
		wrong = read_line(line, &time, &name, &value, room);
		if (lines == 1 && wrong != NULL && *wrong == '\0')
			return 94;		/* its header says so */
		good += wrong == NULL || *wrong == '\0';
		bad += wrong != NULL && *wrong != '\0';
	}
	return good > 0 && good > 3 * bad ? 91 : 0;
}

const struct text_format metric_table_format = {
	.name = "metrics",
	.about = "lines of time, name and value, with commas, semicolons or tabs between",
	.shown_by = "lines of a time, a name and a number",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_UNKNOWN,
	.ends_at_section = true,
	.recognise = recognise_table,
	.find = find_table,
	.cut = metric_cut,
	.cut_tail = metric_cut,
	.scan = scan_table,
	.read_stack = metric_no_stack,
	.read_frame = metric_no_frame
};

/* --- jstat -gc -t --- */

/* The numbers of a line; 0 when it is not such a line. */
static unsigned
read_numbers(struct stk_text line, double *numbers)
{
	const char *end = line.data + line.size;
	unsigned count = 0;

	for (line = unindented(line); line.size > 0; line = unindented(line)) {
		size_t size = metric_seconds(line, &numbers[count < JSTAT_MOST ? count : 0]);

		if (size == 0 && *line.data == '-')
			size = 1;		/* what this collector does not have */
		if (size == 0 || ++count > JSTAT_MOST)
			return 0;
		line = between(line.data + size, end);
		if (line.size > 0 && *line.data != ' ' && *line.data != '\t')
			return 0;
	}
	return count;
}

/* Whether a line that is none of jstat's begins as these do: damaged, or cut; else it is of something else. */
static bool
begins_with_number(struct stk_text line)
{
	double number;
	size_t size;

	line = unindented(line);
	size = metric_seconds(line, &number);
	return size > 0 && (size == line.size || line.data[size] == ' ' || line.data[size] == '\t');
}

static bool
is_jstat_header(struct stk_text line)
{
	return text_find(line, "S0C") != NULL && text_find(line, " EU ") != NULL && text_find(line, "GCT") != NULL;
}

/* Timestamp S0C S1C S0U S1U EC EU OC OU MC MU CCSC CCSU YGC YGCT FGC FGCT [CGC CGCT] GCT, in kB and seconds. */
static void
say_jstat(struct findings *findings, uint32_t line, const double *n, unsigned count)
{
	struct metric_time time = { int64_of(n[0] * 1e9 + 0.5), true };
	struct stk_text none = text_of("", 0);

	metric_say(findings, line, time, "heap.used", none, (n[3] + n[4] + n[6] + n[8]) * 1024);
	metric_say(findings, line, time, "heap.total", none, (n[1] + n[2] + n[5] + n[7]) * 1024);
	metric_say(findings, line, time, "old.used", none, n[8] * 1024);
	metric_say(findings, line, time, "metaspace.used", none, n[10] * 1024);
	metric_say(findings, line, time, "gc.young.count", none, n[13]);
	metric_say(findings, line, time, "gc.full.count", none, n[15]);
	metric_say(findings, line, time, "gc.seconds", none, n[count - 1]);
}

static void
scan_jstat(struct findings *findings, struct stk_text piece)
{
	const char *end = piece.data + piece.size, *next;
	uint32_t number = 0;

	for (const char *at = piece.data; at < end; at = next + (next < end)) {
		double numbers[JSTAT_MOST] = { 0 };
		struct stk_text line;
		unsigned count;

		next = scan_line_end(at, end);
		line = trimmed(between(at, next));
		count = read_numbers(line, numbers);
		if (count == 18 || count == 20)
			say_jstat(findings, number, numbers, count);
		else if (count == 17 || count == 19)
			found_skipped(findings, number, line, 1, SKIP_BROKEN,
				      "a line of jstat without a time: use jstat -t");
		else if (line.size > 0 && !is_jstat_header(line))
			found_skipped(findings, number, line, 1, begins_with_number(line) ? SKIP_BROKEN : SKIP_NOISE,
				      "a line that jstat -gc -t does not print");
		number += next < end;
	}
	findings->lines = number;
}

static int
recognise_jstat(struct stk_text text)
{
	return text.size > 0 && is_jstat_header(line_at(text.data, text.data + text.size)) ? 95 : 0;
}

static const char *
find_jstat(struct stk_text text)
{
	const char *end = text.data + text.size, *at = text_find(text, "S0C");

	for (; at != NULL; at = text_find(between(at + 1, end), "S0C")) {
		const char *newline = at > text.data ? memrchr(text.data, '\n', (size_t)(at - text.data)) : NULL;
		const char *from = newline != NULL ? newline + 1 : text.data;

		if (is_jstat_header(line_at(from, end)))
			return from;
	}
	return NULL;
}

const struct text_format jstat_format = { .name = "jstat",
					  .about = "what jstat -gc -t prints: times count from 1970",
					  .shown_by = "its header: S0C S1C ... GCT",
					  .clock = STK_CLOCK_MONOTONIC,
					  .runtime = STK_RUNTIME_JVM,
					  .ends_at_section = true,
					  .recognise = recognise_jstat,
					  .find = find_jstat,
					  .cut = metric_cut,
					  .cut_tail = metric_cut,
					  .scan = scan_jstat,
					  .read_stack = metric_no_stack,
					  .read_frame = metric_no_frame };
