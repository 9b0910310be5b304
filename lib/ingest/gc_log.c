/* SPDX-License-Identifier: MIT
 * gc_log: logs of garbage collections: unified logging (-Xlog:gc*), and PrintGCDetails of JDK 8 and before (serial,
 * parallel, CMS, G1).
 *
 * Each collection gives heap.used (after it), heap.total, gc.pause (seconds), the same after full ones as
 * heap.used.full, after others as heap.used.young, and its pause once more by cause: gc.pause.Allocation Failure. */
#include "ingest/metric_lines.h"

#include "base/time_math.h"
#include "ingest/text_lines.h"

#include <stdlib.h>

#define CAUSE_MAX      60u
#define LINES_ASKED    400	/* of a beginning, for whether it is such a log */
#define HEADER_LINES   40	/* between a collection's first line and the one that has its heap (G1) */

struct collection {
	struct metric_time time;
	struct stk_text cause;
	bool open, full;
	bool has_heap, has_pause;
	double used, total, pause;
};

struct scan { struct findings *findings; uint32_t line; struct collection at; uint32_t since; bool dated; };

/* --- findings --- */

static void
say(struct scan *s)
{
	struct collection *c = &s->at;

	if (c->has_heap) {
		metric_say(s->findings, s->line, c->time, "heap.used", text_of("", 0), c->used);
		metric_say(s->findings, s->line, c->time, c->full ? "heap.used.full" : "heap.used.young",
			   text_of("", 0), c->used);
		if (c->total > 0)
			metric_say(s->findings, s->line, c->time, "heap.total", text_of("", 0), c->total);
	}
	if (c->has_pause) {
		metric_say(s->findings, s->line, c->time, c->full ? "gc.pause.full" : "gc.pause", text_of("", 0),
			   c->pause);
		if (c->cause.size > 0)
			metric_say(s->findings, s->line, c->time, "gc.cause.", c->cause, c->pause);
	}
	*c = (struct collection){ 0 };
}

/* --- numbers --- */

/* 12K, 24.0M, 1G, 0.0B, 12: bytes. Plain numbers are of kB in old logs. */
static bool
take_size(const char **at, const char *end, double *bytes)
{
	double number;
	size_t size = metric_seconds(between(*at, end), &number);
	const char *unit = *at + size;

	if (size == 0 || unit == end)
		return false;
	switch (*unit) {
	case 'B': *bytes = number; break;
	case 'K': *bytes = number * 1024; break;
	case 'M': *bytes = number * 1048576; break;
	case 'G': *bytes = number * 1073741824; break;
	default: return false;
	}
	*at = unit + 1;
	return true;
}

/* The text in brackets at *at, "(...)": skipped; read when it is a size. */
static bool
take_brackets(const char **at, const char *end, double *bytes)
{
	const char *from = *at, *close;

	if (from == end || *from != '(')
		return false;
	close = memchr(from, ')', (size_t)(end - from));
	if (close == NULL)
		return false;
	from++;
	if (!take_size(&from, close, bytes))
		*bytes = 0;
	*at = close + 1;
	return true;
}

/* used[(total)]->used(total) at a place. */
static bool
take_change(const char *at, const char *end, double *used, double *total)
{
	double before, unused;

	if (!take_size(&at, end, &before))
		return false;
	(void)take_brackets(&at, end, &unused);
	if (end - at < 2 || at[0] != '-' || at[1] != '>')
		return false;
	at += 2;
	*total = 0;
	if (!take_size(&at, end, used))
		return false;
	(void)take_brackets(&at, end, total);
	return true;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The last change of the whole heap: one that is not in brackets deeper than `depth`. */
static bool
find_change(struct stk_text text, int depth, double *used, double *total)
{
	const char *end = text.data + text.size;
	bool known = false;
	int deep = 0;

	for (const char *at = text.data; at < end; at++) {
		deep += *at == '[' ? 1 : *at == ']' ? -1 : 0;
		if (is_digit(*at) && (at == text.data || at[-1] == ' ' || at[-1] == ']') && deep <= depth &&
		    take_change(at, end, used, total))
			known = true;
	}
	return known;
}

/* The text in the last parentheses before a place, or the first of all. */
static struct stk_text
cause_in(struct stk_text text)
{
	const char *open = memchr(text.data, '(', text.size), *close;

	if (open == NULL)
		return text_of("", 0);
	close = memchr(open, ')', (size_t)(text.data + text.size - open));
	if (close == NULL || (size_t)(close - open) > CAUSE_MAX)
		return text_of("", 0);
	if (close + 1 < text.data + text.size && *(close + 1) == ')')	/* System.gc() */
		close++;
	return (unsigned char)((*(open + 1) | 0x20) - 'a') < 26 ? between(open + 1, close) : text_of("", 0);
}

/* --- unified logging: [2026-11-20T22:14:44.123+0100][12.345s][info][gc] GC(3) Pause Young (Normal) (G1 Evacuation
 * Pause) 24M->4M(256M) 3.455ms --- */

static struct stk_text
take_decorations(struct stk_text line, struct metric_time *date, bool *dated, double *uptime, bool *timed, bool *gc)
{
	while (line.size > 0 && *line.data == '[') {
		const char *close = memchr(line.data, ']', line.size);
		struct stk_text in;
		double number;
		size_t size;

		if (close == NULL)
			break;
		in = between(line.data + 1, close);
		size = metric_seconds(in, &number);
		if (metric_date(in, date))
			*dated = true;
		else if (size > 0 && size + 1 == in.size && in.data[size] == 's') {
			*uptime = number;
			*timed = true;
		} else if (size > 0 && size + 2 == in.size && in.data[size] == 'm' && in.data[size + 1] == 's' &&
			   !*timed) {
			*uptime = number / 1000;
			*timed = true;
		} else if (text_starts(in, "gc"))
			*gc = true;
		line = between(close + 1, line.data + line.size);
	}
	return unindented(line);
}

static bool
is_pause(struct stk_text text)
{
	return text_starts(text, "Pause ") || text_starts(text, "Garbage Collection (") ||
	       text_starts(text, "Minor Collection (") || text_starts(text, "Major Collection (");
}

/* The last parentheses before the heap are the cause: those before it give the kind of pause. */
static struct stk_text
last_cause(struct stk_text text)
{
	struct stk_text cause = text_of("", 0);
	const char *end = text.data + text.size;

	for (const char *at = text.data; at < end && (at = memchr(at, '(', (size_t)(end - at))) != NULL; at++)
		if (at > text.data && at[-1] == ' ') {
			struct stk_text in = cause_in(between(at, end));

			if (in.size > 0 && !is_digit(in.data[0]))
				cause = in;
		}
	return cause;
}

static bool
scan_unified(struct scan *s, struct stk_text line)
{
	struct metric_time date = { 0 };
	bool dated = false, timed = false, gc = false;
	double uptime = 0, number;
	struct stk_text text = take_decorations(line, &date, &dated, &uptime, &timed, &gc);
	const char *close, *end;
	size_t from;

	if (!gc || !text_starts(text, "GC(") || (!dated && !timed))
		return false;
	close = memchr(text.data, ')', text.size);
	if (close == NULL)
		return true;
	text = trimmed(unindented(between(close + 1, text.data + text.size)));
	if (!is_pause(text))
		return true;
	s->at = (struct collection){ .open = true,
				     .full = text_starts(text, "Pause Full") || text_starts(text, "Garbage") ||
					     text_starts(text, "Major") };
	s->at.time = s->dated && dated ? date : (struct metric_time){ int64_of(uptime * 1e9 + 0.5), true };
	s->at.has_heap = find_change(text, 0, &s->at.used, &s->at.total);
	s->at.cause = last_cause(text);
	/* 3.455ms at the end; concurrent collectors end with 0.123s */
	end = text.data + text.size;
	for (from = text.size; from > 0 && text.data[from - 1] != ' '; )
		from--;
	number = 0;
	if (metric_seconds(between(text.data + from, end), &number) > 0 && text.size >= 2 && text_ends(text, "ms")) {
		s->at.has_pause = true;
		s->at.pause = number / 1000;
	}
	if (!s->at.has_heap && !s->at.has_pause)		/* the line that says that it begins */
		s->at = (struct collection){ 0 };
	else
		say(s);
	return true;
}

/* --- JDK 8: 2014-07-01T00:00:00.123+0000: 1.994: [GC (Allocation Failure) [PSYoungGen: 1K->2K(3K)] 4K->5K(6K),
 * 0.0040346 secs] --- */

static bool
take_stamp(struct scan *s, struct stk_text *line, struct metric_time *time, bool *dated)
{
	const char *end = line->data + line->size, *at = line->data, *colon;
	double uptime;
	size_t size;
	bool known = false;

	*dated = false;
	colon = line->size > 24 && line->data[4] == '-' ? text_find(between(at + 19, end), ": ") : NULL;
	if (colon != NULL && metric_date(between(at, colon), time)) {
		*dated = known = true;
		at = colon + 2;
	}
	size = metric_seconds(between(at, end), &uptime);
	if (size > 0 && end - at > (long)size + 1 && at[size] == ':' && at[size + 1] == ' ') {
		if (!*dated || !s->dated)
			*time = (struct metric_time){ int64_of(uptime * 1e9 + 0.5), true };
		at += size + 2;
		known = true;
	}
	*line = between(at, end);
	return known;
}

/* ", 0.0040346 secs]": the last one outside inner brackets. */
static bool
find_pause(struct stk_text text, double *pause)
{
	const char *end = text.data + text.size;
	bool known = false;
	int deep = 0;

	for (const char *at = text.data; at < end; at++) {
		deep += *at == '[' ? 1 : *at == ']' ? -1 : 0;
		if (*at == ',' && deep == 1 && end - at > 2 && at[1] == ' ') {
			size_t size = metric_seconds(between(at + 2, end), pause);

			if (size > 0 && text_starts(between(at + 2 + size, end), " secs"))
				known = true;
		}
	}
	return known;
}

/* [GC (Cause), [GC pause (Cause), [Full GC (Cause): directly after the first words. */
static struct stk_text
cause_of_details(struct stk_text line)
{
	static const char *const words[] = { "[GC pause (", "[GC (", "[Full GC (" };

	for (size_t w = 0; w < sizeof words / sizeof *words; w++)
		if (text_starts(line, words[w]))
			return cause_in(line);
	return text_of("", 0);
}

static bool
scan_details(struct scan *s, struct stk_text line)
{
	struct metric_time time = { 0 };
	bool dated;
	const char *heap;

	/* the heap of a G1 collection is some lines below its beginning */
	if (s->at.open && line.size > 0 && *line.data == ' ' && (heap = text_find(line, "Heap: ")) != NULL) {
		s->at.has_heap = take_change(heap + 6, line.data + line.size, &s->at.used, &s->at.total);
		say(s);
		return true;
	}
	if (line.size == 0 || !is_digit(*line.data) || !take_stamp(s, &line, &time, &dated))
		return false;
	if (!text_starts(line, "[GC") && !text_starts(line, "[Full GC"))
		return true;
	if (s->at.open)
		say(s);
	s->at = (struct collection){ .time = time,
				     .open = true,
				     .full = text_starts(line, "[Full GC"),
				     .cause = cause_in(text_of(line.data, line.size < 80 ? line.size : 80)) };
	s->at.cause = cause_of_details(line);
	s->since = s->line;
	s->at.has_heap = find_change(line, 1, &s->at.used, &s->at.total);
	s->at.has_pause = find_pause(line, &s->at.pause);
	if (s->at.has_heap)
		say(s);
	return true;
}

/* --- the formats --- */

static void
scan_lines(struct findings *findings, struct stk_text piece, bool dated)
{
	struct scan s = { .findings = findings, .dated = dated };
	const char *end = piece.data + piece.size, *next;

	for (const char *at = piece.data; at < end; at = next + (next < end)) {
		struct stk_text line;

		next = scan_line_end(at, end);
		line = between(at, next);
		if (line.size > INGEST_LINE_MAX)
			found_skipped(findings, s.line, text_of(line.data, 200), 1, SKIP_TOO_LONG,
				      "a line of more than 1 MiB");
		else if (line.size > 0 && !(*line.data == '[' && scan_unified(&s, line)) && !scan_details(&s, line))
			found_skipped(findings, s.line, line, 1, SKIP_NOISE, "a log line that is not a collection");
		if (s.at.open && s.line - s.since > HEADER_LINES)
			say(&s);
		s.line += next < end;
	}
	if (s.at.open)
		say(&s);
	findings->lines = s.line;
}

static void
scan_dated(struct findings *findings, struct stk_text piece)
{
	scan_lines(findings, piece, true);
}

static void
scan_uptime(struct findings *findings, struct stk_text piece)
{
	scan_lines(findings, piece, false);
}

/* How many collections are in a beginning; *dated: they have dates. */
static unsigned
count_collections(struct stk_text text, bool *dated)
{
	const char *end = text.data + text.size, *next;
	unsigned count = 0, lines = 0;

	*dated = false;
	for (const char *at = text.data; at < end && lines < LINES_ASKED; at = next + (next < end), lines++) {
		struct metric_time time = { 0 };
		struct stk_text line, rest;
		bool date = false, timed = false, gc = false;
		double uptime;
		struct scan none = { .dated = true };

		next = scan_line_end(at, end);
		rest = line = between(at, next);
		if (line.size == 0)
			continue;
		if (*line.data == '[') {
			rest = take_decorations(line, &time, &date, &uptime, &timed, &gc);
			if (!gc || (!date && !timed))
				continue;
		} else if (!is_digit(*line.data) || !take_stamp(&none, &rest, &time, &date) ||
			   (!text_starts(rest, "[GC") && !text_starts(rest, "[Full GC"))) {
			continue;
		}
		count++;
		*dated |= date;
	}
	return count;
}

static int
recognise_dated(struct stk_text text)
{
	bool dated;

	return count_collections(text, &dated) > 0 && dated ? 92 : 0;
}

static int
recognise_uptime(struct stk_text text)
{
	bool dated;

	return count_collections(text, &dated) > 0 && !dated ? 92 : 0;
}

static const char *
find(struct stk_text text, bool wanted)
{
	const char *end = text.data + text.size;

	for (struct stk_text line = line_at(text.data, end); line.data < end; line = line_after(line, end)) {
		bool dated;

		if (line.size > 8 && (is_digit(*line.data) || *line.data == '[') && text_find(line, "GC") != NULL &&
		    count_collections(line, &dated) > 0 && dated == wanted)
			return line.data;
	}
	return NULL;
}

static const char *
find_dated(struct stk_text text)
{
	return find(text, true);
}

static const char *
find_uptime(struct stk_text text)
{
	return find(text, false);
}

/* Before the last line that begins a collection, so that none is in two pieces. */
static size_t
cut(struct stk_text text)
{
	size_t size = metric_cut(text), whole = size;

	while (size > 0) {
		size_t line = size - 1;

		while (line > 0 && text.data[line - 1] != '\n')
			line--;
		if (is_digit(text.data[line]) || text.data[line] == '[')
			return line;
		size = line;
		if (whole - size > 65536)
			break;
	}
	return 0;
}

const struct text_format gc_log_format = {
	.name = "gc-log",
	.about = "logs of garbage collections with dates: -Xlog:gc*, PrintGCDetails with PrintGCDateStamps",
	.shown_by = "collections with dates",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_JVM,
	.recognise = recognise_dated,
	.find = find_dated,
	.cut = cut,
	.cut_tail = cut,
	.scan = scan_dated,
	.read_stack = metric_no_stack,
	.read_frame = metric_no_frame
};

const struct text_format gc_log_uptime_format = {
	.name = "gc-log-uptime",
	.about = "the same with only seconds since the start: times count from 1970",
	.shown_by = "collections with seconds since the start",
	.clock = STK_CLOCK_MONOTONIC,
	.runtime = STK_RUNTIME_JVM,
	.recognise = recognise_uptime,
	.find = find_uptime,
	.cut = cut,
	.cut_tail = cut,
	.scan = scan_uptime,
	.read_stack = metric_no_stack,
	.read_frame = metric_no_frame
};
