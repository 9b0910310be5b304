/* SPDX-License-Identifier: MIT
 * ftrace: events of the Linux kernel's tracer as lines, from /sys/kernel/tracing/trace, trace_pipe or `trace-cmd
 * report`, and the marks that programs write there (atrace).
 *
 *	            bash-1977  [000] d..2. 17284.993652: sched_switch: prev_comm=bash prev_pid=1977 ...
 *	=> __schedule
 *
 * A thread is a command and its number. Threads that have no processor are idle: one for each processor. */
#include "ingest/log_line.h"
#include "ingest/metric_lines.h"
#include "ingest/text_lines.h"
#include "ingest/trace_point.h"

#define HEAD       "# tracer: "
#define PROCESSORS 256u		/* whose last events are known */
#define UNDECIDED  128u		/* lines at the end of a text */
#define NOT_KEPT   SIZE_MAX	/* in the place of an event */

struct line {
	struct stk_text command, event, arguments;
	uint64_t tid;
	int32_t processor;
	int64_t time_ns;
};

/* --- a line: command-tid, [processor], flags, time: event: arguments --- */

/* "bash-1977", of which the command may have blanks and hyphens. */
static bool
read_thread(struct line *line, struct stk_text text)
{
	struct stk_text task = trimmed(unindented(text));
	const char *end, *dash, *at;

	if (task.size > 0 && task.data[task.size - 1] == ')') {		/* (  1977): the process */
		const char *open = memrchr(task.data, '(', task.size);

		if (open == NULL)
			return false;
		task = trimmed(between(task.data, open));
	}
	end = task.data + task.size;
	dash = task.size > 0 ? memrchr(task.data, '-', task.size) : NULL;
	if (dash == NULL || dash == task.data)
		return false;
	at = dash + 1;
	line->command = between(task.data, dash);
	return scan_decimal(&at, end, &line->tid) && at == end;
}

/* "[000] d..2. 17284.993652:" */
static const char *
read_moment(struct line *line, const char *at, const char *end)
{
	uint64_t processor, ns;
	const char *word;

	if (!scan_decimal(&at, end, &processor) || processor > INT32_MAX || at == end || *at++ != ']')
		return NULL;
	line->processor = (int32_t)processor;
	for (unsigned words = 0; words < 2; words++) {		/* flags may stand before the time */
		while (at < end && *at == ' ')
			at++;
		word = at;
		if (scan_fixed(&at, end, 9, &ns) && at < end && *at == ':' && ns <= INT64_MAX &&
		    memchr(word, '.', (size_t)(at - word)) != NULL) {
			line->time_ns = (int64_t)ns;
			return at + 1;
		}
		for (at = word; at < end && *at != ' '; )
			at++;
	}
	return NULL;
}

static void
read_event(struct line *line, struct stk_text text)
{
	const char *end, *at;

	text = trimmed(unindented(text));
	end = text.data + text.size;
	for (at = text.data; at < end && *at != ' ' && *at != '(' && !(*at == ':' && (at + 1 == end || at[1] == ' ')); )
		at++;
	line->event = between(text.data, at);
	line->arguments = unindented(between(at + (at < end), end));
}

/* A call of the kernel: "sys_read(fd: 3, count: 2)", and "sys_read -> 0x2" at its end. */
static bool
read_call(struct line *line, struct trace_point *out)
{
	static const char system[] = "sys_", returns[] = "-> ";
	const char *after = line->event.data + line->event.size;
	bool ends = text_starts(line->arguments, returns);

	if (!text_starts(line->event, system) || (!ends && *after != '('))
		return false;
	out->name = text_of(line->event.data + sizeof system - 1, line->event.size - (sizeof system - 1));
	out->happening = ends ? STK_HAPPENING_STOP : STK_HAPPENING_START;
	if (ends)
		line->arguments = between(line->arguments.data + sizeof returns - 1,
					  line->arguments.data + line->arguments.size);
	else if (text_ends(line->arguments, ")"))
		line->arguments.size--;
	return true;
}

/* "<idle>-0     [001]": what is idle has a name for each processor. */
static struct stk_text
of_processor(struct stk_text text, const char *bracket, const char *after)
{
	const char *close = memchr(bracket, ']', (size_t)(after - bracket));

	return between(unindented(text).data, close + 1);
}

static bool
read_line(struct line *line, struct stk_text text)
{
	const char *end = text.data + text.size;

	for (const char *at = text.data; at < end && (at = memchr(at, '[', (size_t)(end - at))) != NULL; at++) {
		const char *after = read_moment(line, at + 1, end);

		if (after == NULL || !read_thread(line, between(text.data, at)))
			continue;
		if (line->tid == 0)
			line->command = of_processor(text, at, after);
		read_event(line, between(after, end));
		return line->event.size > 0;
	}
	return false;
}

static bool
is_stack_head(const struct line *line)
{
	return text_starts(line->event, "<stack") || text_starts(line->arguments, "<stack") ||
	       text_starts(line->event, "<user") || text_starts(line->arguments, "<user");
}

/* "=> function" */
static bool
is_frame(struct stk_text text)
{
	return text_starts(unindented(text), "=> ");
}

/* --- what events mean --- */

struct scan {
	struct findings *findings;
	const char *at, *end;
	uint32_t number;
	struct { int32_t processor; size_t event; } last[PROCESSORS];	/* places of events whose stack may follow, from
									 * 1 */
	size_t stack_of;		/* the event of the stack that comes; 0: none */
};

/* The last event of a processor: its lines stand among those of others. */
static size_t
last_event(const struct scan *scan, int32_t processor)
{
	unsigned slot = (unsigned)processor % PROCESSORS;

	return scan->last[slot].processor == processor ? scan->last[slot].event : 0;
}

static void
note_event(struct scan *scan, int32_t processor, size_t event)
{
	unsigned slot = (unsigned)processor % PROCESSORS;

	scan->last[slot].processor = processor;
	scan->last[slot].event = event;
}

static struct finding *
say_event(struct scan *scan, const struct line *line, struct trace_point point)
{
	struct finding *finding = found(scan->findings, FOUND_EVENT, scan->number);

	finding->is.event.thread = line->command;
	finding->is.event.tid = line->tid;
	finding->is.event.name = point.name;
	finding->is.event.happening = point.happening;
	finding->is.event.time_ns = line->time_ns;
	finding->is.event.zoned = finding->is.event.is_named = true;
	finding->is.event.processor = line->processor;
	return finding;
}

/* The thread of the line goes, another comes. One that is idle is neither. */
static void
say_switch(struct scan *scan, const struct line *line)
{
	struct line next = *line;

	if (!trace_next_thread(line->arguments, &next.command, &next.tid)) {
		found_skipped(scan->findings, scan->number, line_at(scan->at, scan->end), 1, SKIP_BROKEN,
			      "a switch that does not say which thread runs next");
		return;
	}
	if (line->tid != 0)
		say_event(scan, line, (struct trace_point){ line->event, STK_HAPPENING_SWITCH_OUT })->is.event.values =
			line->arguments;
	note_event(scan, line->processor, line->tid != 0 ? scan->findings->list.count : NOT_KEPT);
	if (next.tid != 0)
		(void)say_event(scan, &next, (struct trace_point){ line->event, STK_HAPPENING_SWITCH_IN });
}

static void
read_number(struct stk_text text, double *value)
{
	const char *at = text.data;
	bool negative = text.size > 0 && *at == '-';
	uint64_t number = 0;

	at += negative;
	(void)scan_decimal(&at, text.data + text.size, &number);
	*value = negative ? -(double)number : (double)number;
}

/* What a program wrote: "B|1977|name" begins, "E|1977" ends what began last, S and F do so across threads, C is a
 * quantity, I a point. Anything else is a point of its own. */
static void
say_mark(struct scan *scan, const struct line *line)
{
	struct stk_text rest = line->arguments, letter = text_take(&rest, '|'), name;
	struct finding *finding;

	if (letter.size != 1 || strchr("BECSFI", *letter.data) == NULL) {
		say_event(scan, line, (struct trace_point){ line->event, STK_HAPPENING_POINT })->is.event.values =
			line->arguments;
		return;
	}
	(void)text_take(&rest, '|');
	name = text_take(&rest, '|');
	finding = say_event(scan, line, (struct trace_point){ name, STK_HAPPENING_POINT });
	finding->is.event.is_named = *letter.data != 'B' && *letter.data != 'E';
	if (*letter.data == 'B' || *letter.data == 'S')
		finding->is.event.happening = STK_HAPPENING_START;
	else if (*letter.data == 'E' || *letter.data == 'F')
		finding->is.event.happening = STK_HAPPENING_STOP;
	if (*letter.data == 'C')
		read_number(rest, &finding->is.event.value);
	else if (*letter.data == 'S' || *letter.data == 'F')
		(void)scan_decimal(&rest.data, rest.data + rest.size, &finding->is.event.activity);
}

static void
say_line(struct scan *scan, struct line *line)
{
	struct trace_point call;

	if (text_is(line->event, "sched_switch")) {
		say_switch(scan, line);
		return;
	}
	if (text_is(line->event, "tracing_mark_write") || text_is(line->event, "print"))
		say_mark(scan, line);
	else if (read_call(line, &call))
		say_event(scan, line, call)->is.event.values = line->arguments;
	else
		say_event(scan, line, trace_point_of(line->event))->is.event.values = line->arguments;
	note_event(scan, line->processor, scan->findings->list.count);
}

/* --- the scan --- */

static void
pass_line(struct scan *scan)
{
	const char *end = scan_line_end(scan->at, scan->end);

	scan->number += end < scan->end;
	scan->at = end + (end < scan->end);
}

/* The frames below the line of a stack belong to the event before it, unless that has a stack already. */
static void
pass_stack(struct scan *scan)
{
	const char *from = scan->at;
	uint32_t number = scan->number;
	size_t place = scan->stack_of;
	struct finding *event = place == 0 || place == NOT_KEPT ? NULL : &scan->findings->list.at[place - 1];

	while (scan->at < scan->end && is_frame(line_at(scan->at, scan->end)))
		pass_line(scan);
	scan->stack_of = 0;
	if (event != NULL && event->is.event.stack.size == 0)
		event->is.event.stack = between(from, scan->at);
	else
		found_skipped(scan->findings, number, between(from, scan->at), scan->number - number,
			      place == 0 ? SKIP_BROKEN : SKIP_NOISE,
			      event != NULL      ? "the second stack of an event"
			      : place == NOT_KEPT ? "the stack of a processor that was idle"
						  : "a stack without an event");
}

static void
pass_other(struct scan *scan, struct stk_text line)
{
	if (line.size == 0 || *line.data == '#' || text_starts(line, "cpus=") || text_starts(line, "version = "))
		return;
	if (text_find(line, "LOST") != NULL && text_find(line, "EVENTS") != NULL)
		found_skipped(scan->findings, scan->number, line, 1, SKIP_BROKEN, "the tracer lost events here");
	else if (log_line_is(line))
		found_skipped(scan->findings, scan->number, line, 1, SKIP_NOISE, "a line of a log");
	else
		found_skipped(scan->findings, scan->number, line, 1,
			      text_find(line, "buffer started") != NULL ? SKIP_NOISE : SKIP_BROKEN,
			      "an event is command-thread, [processor], a time and a name");
}

static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	struct scan scan = { .findings = findings, .at = piece.data, .end = piece.data + piece.size };

	while (scan.at < scan.end) {
		struct stk_text text = line_at(scan.at, scan.end);
		struct line line;

		if (is_frame(text)) {
			pass_stack(&scan);
			continue;
		}
		if (!read_line(&line, text))
			pass_other(&scan, trimmed(unindented(text)));
		else if (is_stack_head(&line))
			scan.stack_of = last_event(&scan, line.processor);
		else
			say_line(&scan, &line);
		pass_line(&scan);
	}
	findings->lines = scan.number;
}

/* Stacks come some lines after their events, with lines of other processors between: a piece begins with an event after
 * which no stack is of an event before. What is near the end of the text is not decided, as more may follow. */
static size_t
cut(struct stk_text text)
{
	size_t size = metric_cut(text), lines = 0, pending = 0;
	bool is_head[PROCESSORS] = { false };		/* the first line of a processor, from here on, is of a stack */

	while (size > 0) {
		const char *newline = memrchr(text.data, '\n', size - 1);
		size_t from = newline == NULL ? 0 : (size_t)(newline + 1 - text.data);
		struct line line;

		if (read_line(&line, text_of(text.data + from, size - 1 - from))) {
			bool *head = &is_head[(unsigned)line.processor % PROCESSORS];

			pending -= *head;
			*head = is_stack_head(&line);
			pending += *head;
			if (pending == 0 && lines >= UNDECIDED)
				return from;
		}
		lines++;
		size = from;
	}
	return 0;
}

static void
read_stack(struct stack_reading *reading, struct stk_text stack)
{
	const char *end = stack.data + stack.size;

	for (struct stk_text line = line_at(stack.data, end); line.data < end; line = line_after(line, end)) {
		struct stk_text frame = trimmed(unindented(line));

		if (frame.size > 3)
			stack_frame(reading, text_of(frame.data + 3, frame.size - 3));
	}
}

/* "__schedule+0x1d3/0x2e0", "ext4_sync_file (ffffffffc0123450)", " <00007f2d>" of a program without symbols. */
static bool
read_frame(struct frame_parts *parts, struct stk_text line)
{
	struct stk_text module = trace_part(line, " [", "]"), name = text_take(&line, ' ');

	*parts = (struct frame_parts){ .function = text_take(&name, '+'), .module = module, .form = STK_FORM_NATIVE };
	return parts->function.size > 0;
}

/* --- the beginning of a file --- */

static enum line_sort
sort_of(struct stk_text text)
{
	struct line line;

	return read_line(&line, text)				     ? LINE_OURS
	       : text.size == 0 || *text.data == '#' || is_frame(text) ? LINE_EITHER
								       : LINE_FOREIGN;
}

/* Its head, with a comment or an event below. */
static const char *
find(struct stk_text text)
{
	const char *end = text.data + text.size;

	for (const char *at = text_find(text, HEAD); at != NULL; at = text_find(between(at + 1, end), HEAD)) {
		struct stk_text below = line_after(line_at(at, end), end);
		struct line unused;

		if ((at == text.data || at[-1] == '\n') && (text_starts(below, "#") || read_line(&unused, below)))
			return at;
	}
	return NULL;
}

static int
recognise(struct stk_text text)
{
	return text_starts(text, HEAD) ? 97 : metric_lines_are(text, sort_of) ? 94 : 0;
}

const struct text_format ftrace_format = {
	.name = "ftrace",
	.about = "events of the Linux kernel's tracer, as its file trace, trace-cmd report and atrace print them",
	.shown_by = "lines of command-thread, [processor], a time and an event",
	.clock = STK_CLOCK_MONOTONIC,
	.runtime = STK_RUNTIME_NATIVE,
	.ends_at_section = true,
	.recognise = recognise,
	.find = find,
	.cut = cut,
	.cut_tail = cut,
	.scan = scan_piece,
	.read_stack = read_stack,
	.read_frame = read_frame,
	.read_values = trace_values
};
