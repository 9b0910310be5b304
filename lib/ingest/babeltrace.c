/* SPDX-License-Identifier: MIT
 * babeltrace: events of LTTng and other traces in the Common Trace Format, as babeltrace and babeltrace2 print them.
 *
 *	[19:19:12.534588201] (+0.000007144) vm lttng_ust_libc:calloc: { cpu_id = 0 }, { vtid = 17042, procname = "cat" }, { size = 1 }
 *
 * A thread is what the contexts vtid (or tid) and procname say. */
#include "ingest/civil_moment.h"
#include "ingest/metric_lines.h"
#include "ingest/text_lines.h"
#include "ingest/trace_point.h"


struct line {
	struct stk_text event, fields;
	int64_t time_ns;
	bool zoned, of_day;
};

/* "19:19:12.534588201", with a date before it, or seconds since 1970. */
static bool
read_time(struct line *line, struct stk_text text)
{
	const char *at = text.data, *end = at + text.size;
	uint64_t ns;

	line->of_day = civil_time_of_day(&at, end, &line->time_ns) && at == end;
	line->zoned = false;
	if (line->of_day || civil_moment_read(text, &line->time_ns))
		return true;
	at = text.data;
	if (!scan_fixed(&at, end, 9, &ns) || at != end || ns > INT64_MAX)
		return false;
	line->zoned = true;
	line->time_ns = (int64_t)ns;
	return true;
}

static bool
read_line(struct line *line, struct stk_text text)
{
	const char *end, *close, *head, *blank;

	text = trimmed(text);
	end = text.data + text.size;
	close = text.size > 1 && *text.data == '[' ? memchr(text.data, ']', text.size) : NULL;
	if (close == NULL || !read_time(line, between(text.data + 1, close)) || !text_starts(between(close, end), "] (+"))
		return false;
	close = memchr(close, ')', (size_t)(end - close));
	head = close == NULL ? NULL : text_find(between(close + 1, end), ": {");
	if (head == NULL)
		return false;
	blank = memrchr(close, ' ', (size_t)(head - close));	/* the host may stand before the event */
	line->event = between(blank != NULL ? blank + 1 : head, head);
	line->fields = between(head + 2, end);
	return line->event.size > 0;
}

/* What follows "name = "; without its quotes. Empty when it is not there. */
static struct stk_text
field(struct stk_text fields, const char *name)
{
	const char *end = fields.data + fields.size;
	size_t size = strlen(name);

	for (const char *at = fields.data; (at = text_find(between(at, end), name)) != NULL; at += size) {
		struct stk_text value = between(at + size + 3, end);

		if (at == fields.data || at[-1] != ' ' || !text_starts(between(at + size, end), " = "))
			continue;
		if (value.size > 0 && *value.data == '"') {
			value = text_of(value.data + 1, value.size - 1);
			return text_take(&value, '"');
		}
		value = text_take(&value, ' ');
		return text_ends(value, ",") ? text_of(value.data, value.size - 1) : value;
	}
	return text_of("", 0);
}

static uint64_t
number_of(struct stk_text text)
{
	const char *at = text.data;
	uint64_t number = 0;

	(void)scan_decimal(&at, at + text.size, &number);
	return number;
}

static struct finding *
say_event(struct findings *findings, uint32_t number, const struct line *line, struct trace_point point)
{
	struct finding *finding = found(findings, FOUND_EVENT, number);
	struct stk_text processor = field(line->fields, "cpu_id");

	finding->is.event.name = point.name;
	finding->is.event.happening = point.happening;
	finding->is.event.time_ns = line->time_ns;
	finding->is.event.zoned = line->zoned;
	finding->is.event.of_day = line->of_day;
	finding->is.event.processor = processor.size == 0 || number_of(processor) > INT32_MAX
		? PROCESSOR_UNKNOWN : (int32_t)number_of(processor);
	return finding;
}

/* A thread that goes or comes; one that is idle does neither. */
static void
say_switch(struct findings *findings, uint32_t number, const struct line *line, const char *command, const char *tid,
	   enum stk_happening what)
{
	struct finding *finding;

	if (number_of(field(line->fields, tid)) == 0)
		return;
	finding = say_event(findings, number, line, (struct trace_point){ line->event, what });
	finding->is.event.thread = field(line->fields, command);
	finding->is.event.tid = number_of(field(line->fields, tid));
	if (what == STK_HAPPENING_SWITCH_OUT)
		finding->is.event.values = line->fields;
}

static void
say_line(struct findings *findings, uint32_t number, const struct line *line)
{
	struct finding *finding;
	struct stk_text tid = field(line->fields, "vtid");

	if (text_is(line->event, "sched_switch")) {
		say_switch(findings, number, line, "prev_comm", "prev_tid", STK_HAPPENING_SWITCH_OUT);
		say_switch(findings, number, line, "next_comm", "next_tid", STK_HAPPENING_SWITCH_IN);
		return;
	}
	finding = say_event(findings, number, line, trace_point_of(line->event));
	finding->is.event.thread = field(line->fields, "procname");
	finding->is.event.tid = number_of(tid.size > 0 ? tid : field(line->fields, "tid"));
	finding->is.event.values = line->fields;
}

static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	const char *end = piece.data + piece.size;
	uint32_t number = 0;

	for (const char *at = piece.data; at < end; ) {
		struct stk_text text = line_at(at, end);
		struct line line;

		if (read_line(&line, text))
			say_line(findings, number, &line);
		else if (trimmed(text).size > 0)
			found_skipped(findings, number, text, 1,
				      text_find(text, "] (+") != NULL ? SKIP_BROKEN : SKIP_NOISE,
				      "an event is a time, the time since the one before, a name and fields");
		at = text.data + text.size;
		number += at < end;
		at += at < end;
	}
	findings->lines = number;
}

static void
read_values(struct text_buffer *to, struct stk_text name, struct stk_text values)
{
	(void)name;
	trace_arguments(to, values);
}

static enum line_sort
sort_of(struct stk_text text)
{
	struct line line;

	return read_line(&line, text) ? LINE_OURS : text.size == 0 ? LINE_EITHER : LINE_FOREIGN;
}

static int
recognise(struct stk_text text)
{
	return metric_lines_are(text, sort_of) ? 95 : 0;
}

static bool
is_event(struct stk_text text)
{
	return sort_of(text) == LINE_OURS;
}

static const char *
find(struct stk_text text)
{
	return metric_find(text, is_event);
}

const struct text_format babeltrace_format = {
	.name = "babeltrace",
	.about = "events of LTTng and other traces, as babeltrace prints them",
	.shown_by = "lines of a time in brackets, an event and its fields in braces",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_NATIVE,
	.recognise = recognise,
	.find = find,
	.cut = metric_cut,
	.cut_tail = metric_cut,
	.scan = scan_piece,
	.read_stack = metric_no_stack,
	.read_frame = metric_no_frame,
	.read_values = read_values
};
