/* SPDX-License-Identifier: MIT
 * strace: system calls as it prints them with -t, -tt or -ttt.
 *
 *	23180 1795634143.110607 read(3, "root:x:0"..., 4096) = 832 <0.000038>
 *	[pid 23181] 19:15:42.994191 close(4 <unfinished ...>
 *	23181 19:15:42.994243 <... close resumed>) = 0 <0.000038>
 *	 > /usr/lib/libc.so.6(read+0x12) [0x10a1c2]
 *
 * A call with its time (-T), or one that others interrupt, has a beginning and an end; of others only the moment is
 * known, a point. */
#include "ingest/civil_moment.h"
#include "ingest/metric_lines.h"
#include "ingest/text_lines.h"
#include "ingest/trace_point.h"

#include <ctype.h>

#define TOOK_MOST    (UINT64_C(1000000000) * 100000000)
#define WALL_SECONDS 100000000	/* less is no time since 1970, but since the line before (-r) */

enum form { FORM_CALL, FORM_UNFINISHED, FORM_RESUMED, FORM_SIGNAL, FORM_EXIT };

struct line {
	enum form form;
	struct stk_text thread, name, result;	/* result: what follows "= ", without the time of the call */
	uint64_t tid;
	int64_t time_ns, took_ns;		/* took_ns: -1 not known */
	bool of_day;				/* the time is one of a day that is not told */
};

/* --- a line: thread, time, what happened --- */

static void
forget_thread(struct line *line)
{
	line->thread = text_of("", 0);
	line->tid = 0;
}

/* "23180 ", "23180<sh> " or "[pid 23180] ", which lines of one thread do not have. */
static const char *
read_thread(struct line *line, const char *at, const char *end)
{
	const char *from = at, *stop;
	bool brackets = text_starts(between(at, end), "[pid ");

	forget_thread(line);
	for (at += brackets ? 5 : 0; at < end && *at == ' '; )
		at++;
	stop = at;
	if (!scan_decimal(&stop, end, &line->tid) || stop == end)
		return from;
	line->thread = between(at, stop);
	if (*stop == '<') {
		const char *close = memchr(stop, '>', (size_t)(end - stop));

		if (close == NULL)
			return from;
		line->thread = between(stop + 1, close);
		stop = close + 1;
	}
	if (brackets && stop < end && *stop == ']')
		stop++;
	if (stop < end && *stop == ' ')
		return stop + 1;
	forget_thread(line);
	return from;
}

static const char *
read_time(struct line *line, const char *at, const char *end)
{
	uint64_t ns;

	while (at < end && *at == ' ')
		at++;
	line->of_day = civil_time_of_day(&at, end, &line->time_ns);
	if (!line->of_day) {
		if (!scan_fixed(&at, end, 9, &ns) || ns < UINT64_C(1000000000) * WALL_SECONDS || ns > INT64_MAX)
			return NULL;
		line->time_ns = (int64_t)ns;
	}
	return at < end && *at == ' ' ? at + 1 : NULL;
}

/* "<0.000038>" at the end. */
static struct stk_text
take_duration(struct line *line, struct stk_text text)
{
	const char *open = text_ends(text, ">") ? memrchr(text.data, '<', text.size) : NULL, *at;
	uint64_t ns;

	line->took_ns = -1;
	if (open == NULL)
		return text;
	at = open + 1;
	if (!scan_fixed(&at, text.data + text.size, 9, &ns) || at + 1 != text.data + text.size || ns > TOOK_MOST)
		return text;
	line->took_ns = (int64_t)ns;
	return trimmed(between(text.data, open));
}

/* What follows the last ") = ". */
static bool
find_result(struct line *line, struct stk_text text)
{
	const char *end = text.data + text.size;

	for (const char *at = end; (at = memrchr(text.data, '=', (size_t)(at - text.data))) != NULL; ) {
		const char *before = at;

		while (before > text.data && before[-1] == ' ')
			before--;
		if (before > text.data && before < at && before[-1] == ')' && end - at > 1 && at[1] == ' ') {
			line->result = between(at + 2, end);
			return true;
		}
	}
	return false;
}

static struct stk_text
word_at(const char *at, const char *end)
{
	const char *from = at;

	while (at < end && (isalnum((unsigned char)*at) || *at == '_' || *at == '?'))
		at++;
	return between(from, at);
}

static bool
read_call(struct line *line, struct stk_text text)
{
	static const char resumed[] = "<... ", unfinished[] = "<unfinished ...>";
	const char *end = text.data + text.size;

	text = take_duration(line, text);
	if (text_starts(text, resumed)) {
		line->name = word_at(text.data + sizeof resumed - 1, end);
		line->form = FORM_RESUMED;
		(void)find_result(line, text);
		return line->name.size > 0;
	}
	line->name = word_at(text.data, end);
	if (line->name.size == 0 || line->name.data + line->name.size == end || line->name.data[line->name.size] != '(')
		return false;
	line->form = text_ends(text, unfinished) || text_ends(text, "<detached ...>") ? FORM_UNFINISHED : FORM_CALL;
	return line->form == FORM_UNFINISHED || find_result(line, text);
}

/* "--- SIGCHLD {si_signo=SIGCHLD, ...} ---", "+++ exited with 0 +++" */
static bool
read_other(struct line *line, struct stk_text text)
{
	bool is_signal = text_starts(text, "--- ") && text_ends(text, " ---");

	if (!is_signal && !(text_starts(text, "+++ ") && text_ends(text, " +++")))
		return false;
	text = text_of(text.data + 4, text.size < 8 ? 0 : text.size - 8);
	line->name = word_at(text.data, text.data + text.size);
	line->form = is_signal ? FORM_SIGNAL : FORM_EXIT;
	line->result = unindented(between(line->name.data + line->name.size, text.data + text.size));
	return line->name.size > 0;
}

static bool
read_line(struct line *line, struct stk_text text)
{
	const char *end = text.data + text.size, *at = read_time(line, read_thread(line, text.data, end), end);

	if (at == NULL) {		/* its only number is the time */
		forget_thread(line);
		at = read_time(line, text.data, end);
	}
	line->result = text_of("", 0);
	line->took_ns = -1;
	if (at == NULL)
		return false;
	text = trimmed(between(at, end));
	return read_other(line, text) || read_call(line, text);
}

/* " > /usr/lib/libc.so.6(read+0x12) [0x10a1c2]" */
static bool
is_frame(struct stk_text text)
{
	return text_starts(text, " > ");
}

static bool
begins_call(struct stk_text text)
{
	struct line line;

	return !is_frame(text) && read_line(&line, text);
}

/* --- the scan --- */

static void
say_event(struct findings *findings, uint32_t number, const struct line *line, enum stk_happening what, int64_t time_ns,
	  struct stk_text values)
{
	struct finding *finding = found(findings, FOUND_EVENT, number);

	finding->is.event.thread = line->thread;
	finding->is.event.tid = line->tid;
	finding->is.event.name = line->name;
	finding->is.event.happening = what;
	finding->is.event.time_ns = time_ns;
	finding->is.event.zoned = !line->of_day;
	finding->is.event.of_day = line->of_day;
	finding->is.event.processor = PROCESSOR_UNKNOWN;
	finding->is.event.values = values;
}

/* The place of the event that a stack below is of, from 1. */
static size_t
say_line(struct findings *findings, uint32_t number, const struct line *line)
{
	static const struct stk_text none = { "", 0 };
	size_t place = findings->list.count + 1;

	if (line->form == FORM_UNFINISHED) {
		say_event(findings, number, line, STK_HAPPENING_START, line->time_ns, none);
	} else if (line->form == FORM_RESUMED) {
		say_event(findings, number, line, STK_HAPPENING_STOP, line->time_ns, line->result);
	} else if (line->form == FORM_CALL && line->took_ns >= 0) {
		say_event(findings, number, line, STK_HAPPENING_START, line->time_ns, none);
		say_event(findings, number, line, STK_HAPPENING_STOP, line->time_ns + line->took_ns, line->result);
	} else {
		say_event(findings, number, line, STK_HAPPENING_POINT, line->time_ns, line->result);
	}
	return place;
}

/* Frames from `at` on: where they end. */
static const char *
stack_end(const char *at, const char *end)
{
	while (at < end && is_frame(line_at(at, end))) {
		at = scan_line_end(at, end);
		at += at < end;
	}
	return at;
}

/* last: the event that it is of; 0: none. */
static void
place_stack(struct findings *findings, uint32_t number, struct stk_text stack, size_t last)
{
	if (last > 0)
		findings->list.at[last - 1].is.event.stack = stack;
	else
		found_skipped(findings, number, stack, scan_count_lines(stack.data, stack.data + stack.size),
			      SKIP_NOISE, "a stack without a call");
}

/* Lines that strace does not write are those of the program, which may print to the same place. */
static void
pass_other(struct findings *findings, uint32_t number, struct stk_text text)
{
	struct line line;
	const char *end = text.data + text.size, *at = read_thread(&line, text.data, end);
	bool looks_so = find_result(&line, text) && read_call(&line, trimmed(unindented(between(at, end))));

	if (text.size > 0)
		found_skipped(findings, number, text, 1, looks_so ? SKIP_BROKEN : SKIP_NOISE,
			      looks_so ? "a call without a time of the clock (strace -ttt writes it)"
				       : "a line that is not of strace");
}

static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	const char *end = piece.data + piece.size, *next;
	size_t last = 0;
	uint32_t number = 0;

	for (const char *at = piece.data; at < end; at = next) {
		struct stk_text text = line_at(at, end);
		struct line line;

		if (is_frame(text)) {
			next = stack_end(at, end);
			place_stack(findings, number, between(at, next), last);
			last = 0;
		} else {
			next = text.data + text.size;
			next += next < end;
			last = read_line(&line, text) ? say_line(findings, number, &line) : 0;
			if (last == 0)
				pass_other(findings, number, text);
		}
		number += scan_count_lines(at, next);
	}
	findings->lines = number;
}

static size_t
cut(struct stk_text text)
{
	return metric_cut_before(text, begins_call);
}

/* What a call returned: bytes, or an error, as which strace counts an interrupted call that returned nothing yet; other
 * numbers only name something. */
static void
read_values(struct text_buffer *to, struct stk_text name, struct stk_text values)
{
	struct stk_text rest = values, returned = text_take(&rest, ' ');

	if ((text_is(returned, "-1") || text_is(returned, "?")) && rest.size > 0 && isupper((unsigned char)*rest.data)) {
		add_string(to, "errors=1 error:");
		add_text(to, text_take(&rest, ' '));
	} else if (returned.size > 0 && isdigit((unsigned char)*returned.data) && !text_starts(returned, "0x")) {
		add_string(to, trace_moves_bytes(name) ? "bytes=" : "returned:");
		add_text(to, returned);
		if (trace_moves_bytes(name))
			add_char(to, 'B');
	} else {
		trace_arguments(to, values);
	}
}

static void
read_stack(struct stack_reading *reading, struct stk_text stack)
{
	const char *end = stack.data + stack.size;

	for (struct stk_text line = line_at(stack.data, end); line.data < end; line = line_after(line, end))
		if (line.size > 3)
			stack_frame(reading, trimmed(text_of(line.data + 3, line.size - 3)));
}

/* "/usr/lib/libc.so.6(read+0x12) [0x10a1c2]", or without a function in the brackets. */
static bool
read_frame(struct frame_parts *parts, struct stk_text line)
{
	const char *end = line.data + line.size, *open = line.size > 0 ? memrchr(line.data, '(', line.size) : NULL;
	struct stk_text function;

	if (open == NULL)
		return false;
	function = between(open + 1, end);
	function = text_take(&function, ')');
	*parts = (struct frame_parts){ .function = text_take(&function, '+'),
				       .module = trimmed(between(line.data, open)),
				       .form = STK_FORM_NATIVE };
	if (parts->function.size == 0)
		parts->function = text_from("[unknown]");
	return true;
}

/* --- the beginning of a file, or of a section of one --- */

/* With the time that the call took, which no other log has. */
static bool
is_certain(struct stk_text text)
{
	struct line line;

	return !is_frame(text) && read_line(&line, text) && line.took_ns >= 0;
}

static const char *
find(struct stk_text text)
{
	return metric_find(text, is_certain);
}

static enum line_sort
sort_of(struct stk_text text)
{
	return begins_call(text) ? LINE_OURS : text.size == 0 || is_frame(text) ? LINE_EITHER : LINE_FOREIGN;
}

static int
recognise(struct stk_text text)
{
	return metric_lines_are(text, sort_of) ? 93 : 0;
}

const struct text_format strace_format = {
	.name = "strace",
	.about = "system calls as strace prints them with times (-ttt -T), also of several threads (-f) and with stacks (-k)",
	.shown_by = "lines of a time and a call with its result",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_NATIVE,
	.recognise = recognise,
	.find = find,
	.cut = cut,
	.cut_tail = cut,
	.scan = scan_piece,
	.read_stack = read_stack,
	.read_frame = read_frame,
	.read_values = read_values
};
