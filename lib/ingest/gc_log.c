/* SPDX-License-Identifier: MIT
 * gc_log: logs of garbage collections: unified logging (-Xlog:gc*), and PrintGCDetails of JDK 8 and before (serial,
 * parallel, CMS, G1).
 *
 * Before JDK 9 a collection is one bracket, "[GC ... secs]", in which options put lines of any number; a record is
 * found by the depth of brackets, not by lines. */
#include "ingest/gc_collection.h"

#include "base/time_math.h"
#include "ingest/text_lines.h"

#include <stdlib.h>

#define CAUSE_MAX      60u
#define LINES_ASKED    400	/* of a beginning, for whether it is such a log */
#define HEADER_LINES   40	/* between a collection's first line and the one that has its heap (G1) */

#define RECORDS_MAX    4	/* collections within each other: CMSScavengeBeforeRemark puts one into the remark */
#define RECORD_LINES   1000	/* of an open record; one with more was cut */
#define CUT_LINES_BACK 65536u	/* bytes at the end of a piece in which the start of a collection is looked for */

struct record { struct collection is; int depth; };	/* depth: of its own bracket */

/* A cycle of Z: what was met of it before the line with its heap. */
struct z_cycle { uint64_t id; struct metric_time began; double pauses; bool has_begun, has_pauses; };

struct scan {
	struct findings *findings;
	uint32_t line;
	struct collection at;	/* waits for the line with its heap (G1), or for the end of its cycle (Shenandoah) */
	uint32_t since;
	bool dated;
	bool cycle;		/* at is a cycle of Shenandoah, number cycle_id */
	uint64_t cycle_id;
	double capacity;	/* Z's, as it was last said */
	struct z_cycle z;
	struct record records[RECORDS_MAX];
	unsigned open;		/* records */
	int depth;		/* of brackets; 0 outside of a record */
	uint32_t opened;	/* the line of the first one */
};

/* --- findings --- */

static void
say(struct scan *s)
{
	collection_say(s->findings, s->line, &s->at);
	s->at = (struct collection){ 0 };
	s->cycle = false;
}

/* A collection that is known at once. */
static void
say_now(struct scan *s, const struct collection *is)
{
	collection_say(s->findings, s->line, is);
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
take_change(const char *at, const char *end, struct collection *to)
{
	double before, used, total = 0;

	if (!take_size(&at, end, &before))
		return false;
	(void)take_brackets(&at, end, &total);
	if (end - at < 2 || at[0] != '-' || at[1] != '>')
		return false;
	at += 2;
	total = 0;
	if (!take_size(&at, end, &used))
		return false;
	(void)take_brackets(&at, end, &total);
	to->before = before;
	to->used = used;
	to->total = total;
	return to->has_heap = to->has_before = true;
}

/* "46468K(83008K), 0.0039 secs]" of marks, which free nothing. */
static bool
take_occupancy(const char *at, const char *end, struct collection *to)
{
	double used, total = 0;

	if (!take_size(&at, end, &used) || !take_brackets(&at, end, &total) || total <= 0 || at == end || *at != ',')
		return false;
	to->before = to->used = used;
	to->total = total;
	return to->has_heap = to->has_before = true;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The last change of the whole heap: one that is not in brackets. */
static void
find_change(struct stk_text text, struct collection *to)
{
	const char *end = text.data + text.size;
	int deep = 0;

	for (const char *at = text.data; at < end; at++) {
		deep += *at == '[' ? 1 : *at == ']' ? -1 : 0;
		if (is_digit(*at) && (at == text.data || at[-1] == ' ' || at[-1] == ']') && deep <= 0)
			(void)take_change(at, end, to);
	}
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

/* What is in the brackets before a line: which decorations there are is asked for by the user; all may be missing. */
struct decorations { struct metric_time date; bool dated, timed, gc, bad; double uptime; };

/* "0.313s", "0,313s", "1795343200818ms", "313000000ns": uptime, or since 1970 when it is that large. */
static void
take_clock(struct decorations *is, struct stk_text in)
{
	const char *at = in.data, *end = in.data + in.size;
	double number = 0, unit;

	while (at < end && is_digit(*at))
		number = number * 10 + (*at++ - '0');
	if (at == in.data)
		return;
	if (at < end && (*at == '.' || *at == ',')) {
		double part = 0.1;

		for (at++; at < end && is_digit(*at); part /= 10)
			number += part * (*at++ - '0');
	}
	in = between(at, end);
	unit = text_is(in, "s") ? 1 : text_is(in, "ms") ? 1e3 : text_is(in, "ns") ? 1e9 : 0;
	if (unit <= 0)
		return;
	number /= unit;
	if (number > 1e9 && unit > 1 && !is->dated) {
		/* whole units: seconds as a double would lose the last digits */
		is->date = (struct metric_time){ int64_of(number * unit + 0.5) * (int64_t)(1e9 / unit), true };
		is->dated = true;
	} else if (number <= 1e9 && !is->timed) {
		is->uptime = number;
		is->timed = true;
	}
}

static struct stk_text
take_decorations(struct stk_text line, struct decorations *is)
{
	*is = (struct decorations){ 0 };
	while (line.size > 0 && *line.data == '[') {
		const char *close = memchr(line.data, ']', line.size);
		struct stk_text in;

		if (close == NULL)
			break;
		in = trimmed(between(line.data + 1, close));
		if (is->dated || !metric_date(in, &is->date))
			take_clock(is, in);
		else
			is->dated = true;
		is->gc |= text_starts(in, "gc");
		is->bad |= in.size > 0 && *in.data == '.';	/* a time without its first digits */
		line = between(close + 1, line.data + line.size);
	}
	line = unindented(line);
	is->gc |= text_starts(line, "GC(") && line.size > 3 && is_digit(line.data[3]);
	return line;
}

static bool
is_pause(struct stk_text text)
{
	return text_starts(text, "Pause ") || text_starts(text, "Garbage Collection (") ||
	       text_starts(text, "Minor Collection (") || text_starts(text, "Major Collection (");
}

/* The last parentheses before the heap are the cause: those before it give the kind of pause, as do all with a small
 * letter, "(unload classes)" of Shenandoah. */
static struct stk_text
last_cause(struct stk_text text)
{
	static const char *const z_kinds[] = { "Minor", "Major" };	/* of the cycle that a pause is of */
	struct stk_text cause = text_of("", 0);
	const char *end = text.data + text.size;

	for (const char *at = text.data; at < end && (at = memchr(at, '(', (size_t)(end - at))) != NULL; at++)
		if (at > text.data && at[-1] == ' ') {
			struct stk_text in = cause_in(between(at, end));

			if (in.size > 0 && *in.data >= 'A' && *in.data <= 'Z')
				cause = in;
		}
	for (size_t k = 0; k < sizeof z_kinds / sizeof *z_kinds; k++)
		if (text_is(cause, z_kinds[k]))
			cause.size = 0;
	return cause;
}

/* "3.455ms" or "0.123s" at the end. */
static bool
last_span(struct stk_text text, double *seconds)
{
	const char *end = text.data + text.size, *from = end;
	double number, unit;
	size_t size;

	while (from > text.data && from[-1] != ' ')
		from--;
	size = metric_seconds(between(from, end), &number);
	text = between(from + size, end);
	unit = text_is(text, "ms") ? 1000 : text_is(text, "s") ? 1 : 0;
	if (size == 0 || unit <= 0)
		return false;
	*seconds = number / unit;
	return true;
}

/* The name of a phase: what is before its brackets, sizes and time. */
static struct stk_text
phase_name(struct stk_text text)
{
	size_t size = 0;

	while (size < text.size && size < CAUSE_MAX && text.data[size] != '(' &&
	       !(is_digit(text.data[size]) && size > 0 && text.data[size - 1] == ' '))
		size++;
	return trimmed(text_of(text.data, size));
}

/* Shenandoah has no line for a cycle: its heap is that before the first clean-up and after the last. */
static bool
take_cleanup(struct scan *s, uint64_t id, struct stk_text text, struct metric_time time)
{
	struct collection is = { .time = time };

	if (!text_starts(text, "Concurrent cleanup "))
		return false;
	find_change(text, &is);
	if (!is.has_heap)
		return false;
	if (s->at.open && (!s->cycle || s->cycle_id != id))
		say(s);
	if (s->at.open)
		is.before = s->at.before;
	is.open = true;
	s->at = is;
	s->cycle = true;
	s->cycle_id = id;
	s->since = s->line;
	return true;
}

/* "Capacity: 2048M (100%) 2048M (100%) 2048M (100%) 2048M (100%)": the 4th is after relocation. */
static void
take_capacity(struct scan *s, struct stk_text text)
{
	const char *end = text.data + text.size;
	unsigned count = 0;
	double bytes;

	for (const char *at = text.data; at < end && count < 4; at++)
		if (is_digit(*at) && at[-1] == ' ' && take_size(&at, end, &bytes) && ++count == 4)
			s->capacity = bytes;
}

static struct metric_time
time_of(const struct scan *s, const struct decorations *is)
{
	if (is->dated && (s->dated || !is->timed))
		return is->date;
	return is->timed ? (struct metric_time){ int64_of(is->uptime * 1e9 + 0.5), true }
			 : (struct metric_time){ STK_TIME_UNKNOWN, true };
}

/* A line of Z about a whole cycle: the first is where it began, and the last, which has its heap, ends it. Where that
 * has no time, it is since the first. */
static void
take_z_cycle(struct scan *s, struct stk_text text, struct collection *is)
{
	is->concurrent = phase_name(text);	/* the pauses within it have lines of their own */
	if (!is->has_heap && !is->has_pause) {
		s->z.began = is->time;
		s->z.has_begun = is->time.ns != STK_TIME_UNKNOWN;
		return;
	}
	is->cause = last_cause(text);
	if (!is->has_pause && s->z.has_begun && s->z.began.zoned == is->time.zoned && is->time.ns >= s->z.began.ns) {
		is->pause = (double)(is->time.ns - s->z.began.ns) / 1e9;
		is->has_pause = true;
	}
	if (s->z.has_pauses && is->cause.size > 0)
		metric_say(s->findings, s->line, is->time, "gc.cause.", is->cause, s->z.pauses);
	s->z.has_begun = s->z.has_pauses = false;
	s->z.pauses = 0;
}

static void
take_unified_text(struct scan *s, struct stk_text text, struct metric_time time)
{
	struct collection is = { .time = time };
	bool concurrent = text_starts(text, "Concurrent ");

	if (!is_pause(text) && !concurrent)
		return;
	is.full = text_starts(text, "Pause Full") || text_starts(text, "Garbage") || text_starts(text, "Major");
	if (!concurrent)
		find_change(text, &is);
	is.has_pause = last_span(text, &is.pause);
	if (concurrent)
		is.concurrent = phase_name(text_of(text.data + 11, text.size - 11));
	else if (!text_starts(text, "Pause "))
		take_z_cycle(s, text, &is);
	else
		is.cause = last_cause(text);
	if (!concurrent && is.concurrent.size == 0 && is.has_pause) {
		s->z.pauses += is.pause;
		s->z.has_pauses = true;
	}
	if (is.has_heap && is.total <= 0)
		is.total = s->capacity;
	if (is.has_heap || is.has_pause)	/* else the line that says that it begins */
		say_now(s, &is);
}

static bool
scan_unified(struct scan *s, struct stk_text line)
{
	struct decorations is;
	struct stk_text text = take_decorations(line, &is);
	const char *close, *at;
	uint64_t id = 0;

	if (!is.gc || !text_starts(text, "GC(") || (is.bad && !is.dated && !is.timed))
		return false;
	close = memchr(text.data, ')', text.size);
	at = text.data + 3;
	if (close == NULL || !scan_decimal(&at, close, &id))
		return true;
	text = trimmed(unindented(between(close + 1, text.data + text.size)));
	if (text_starts(text, "Y: ") || text_starts(text, "O: ") || text_starts(text, "y: "))
		text = text_of(text.data + 3, text.size - 3);
	if (s->at.open && s->cycle && s->cycle_id != id)
		say(s);
	if (s->z.id != id)
		s->z = (struct z_cycle){ .id = id };
	if (text_starts(text, "Capacity: "))
		take_capacity(s, text);
	else if (!take_cleanup(s, id, text, time_of(s, &is)))
		take_unified_text(s, text, time_of(s, &is));
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
	if (memchr(at, '.', size) == NULL && memchr(at, ',', size) == NULL)
		size = 0;	/* "1: 6144 [3: 18432] @ 0x4a1b2c" of a heap of Go */
	if (size > 0 && end - at > (long)size + 1 && at[size] == ':' && at[size + 1] == ' ') {
		if (!*dated || !s->dated)
			*time = (struct metric_time){ int64_of(uptime * 1e9 + 0.5), true };
		at += size + 2;
		known = true;
	}
	if (end - at > 3 && *at == '#' && is_digit(at[1])) {	/* PrintGCID */
		const char *id = at + 1;
		uint64_t unused;

		if (scan_decimal(&id, end, &unused) && text_starts(between(id, end), ": "))
			at = id + 2;
	}
	*line = between(at, end);
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
is_collection(struct stk_text text)
{
	return text_starts(text, "[GC") || text_starts(text, "[Full GC");
}

static void
open_record(struct scan *s, struct stk_text from, struct metric_time time)
{
	static const char concurrent[] = "[GC concurrent-";
	struct record *record = &s->records[s->open];
	struct stk_text name;

	if (s->open == RECORDS_MAX)
		return;
	*record = (struct record){ .is = { .time = time,
					   .full = text_starts(from, "[Full GC"),
					   .cause = cause_of_details(from) },
				   .depth = s->depth };
	if (text_starts(from, concurrent)) {
		name = text_of(from.data + sizeof concurrent - 1, from.size - sizeof concurrent + 1);
		for (from.size = 0; from.size < name.size && strchr(",]", name.data[from.size]) == NULL; from.size++)
			;
		name.size = from.size;
		if (text_ends(name, "-end"))
			name.size -= 4;
		record->is.concurrent = name;
	}
	s->open++;
}

/* Its bracket is closed, or will never be. */
static void
close_record(struct scan *s)
{
	struct record *record = &s->records[--s->open];
	struct collection *is = &record->is;

	if (is->has_heap || is->concurrent.size > 0) {
		say_now(s, is);
		return;
	}
	if (s->at.open)
		say(s);
	s->at = *is;		/* G1: its heap is some lines below */
	s->at.open = true;
	s->since = s->line;
}

/* "[CMS-concurrent-mark: 0.010/0.012 secs]", which may be within another record: the second number is the time that
 * passed. */
static void
take_cms_phase(struct scan *s, struct stk_text text, struct metric_time time)
{
	static const char words[] = "[CMS-concurrent-";
	const char *end = text.data + text.size, *colon, *slash;
	struct collection is = { .time = time };

	if (!text_starts(text, words) || (colon = memchr(text.data, ':', text.size)) == NULL ||
	    (slash = memchr(colon, '/', (size_t)(end - colon))) == NULL ||
	    memchr(text.data, ']', (size_t)(slash - text.data)) != NULL ||
	    metric_seconds(between(slash + 1, end), &is.pause) == 0 || (size_t)(colon - text.data) > CAUSE_MAX)
		return;
	is.has_pause = true;
	is.concurrent = between(text.data + sizeof words - 1, colon);
	say_now(s, &is);
}

/* What is directly within the innermost record. */
static void
take_own(struct scan *s, const char *from, const char *at, const char *end)
{
	struct collection *is = &s->records[s->open - 1].is;

	if (*at == ',' && end - at > 2 && at[1] == ' ') {
		double seconds;
		size_t size = metric_seconds(between(at + 2, end), &seconds);

		if (size > 0 && text_starts(between(at + 2 + size, end), " secs")) {
			is->pause = seconds;
			is->has_pause = true;
		}
	} else if (is_digit(*at) && (at == from || at[-1] == ' ' || at[-1] == ']') && is->concurrent.size == 0) {
		if (!take_change(at, end, is))
			(void)take_occupancy(at, end, is);
	}
}

/* Follows the brackets of a line. */
static void
follow(struct scan *s, struct stk_text text, struct metric_time time)
{
	const char *end = text.data + text.size;

	for (const char *at = text.data; at < end; at++) {
		struct stk_text rest = between(at, end);

		if (*at == '[' && !text_starts(rest, "[0x")) {	/* that is a range, which ends with ')' */
			s->depth++;
			if (is_collection(rest))
				open_record(s, rest, time);
			else
				take_cms_phase(s, rest, time);
		} else if (*at == ']' && s->depth > 0) {
			if (s->open > 0 && s->records[s->open - 1].depth == s->depth)
				close_record(s);
			s->depth--;
		} else if (s->open > 0 && s->records[s->open - 1].depth == s->depth) {
			take_own(s, text.data, at, end);
		}
	}
	if (s->open == 0)
		s->depth = 0;
}

static void
close_all(struct scan *s)
{
	while (s->open > 0)
		close_record(s);
	s->depth = 0;
}

static bool
scan_details(struct scan *s, struct stk_text line)
{
	struct metric_time time = { STK_TIME_UNKNOWN, true };
	struct stk_text text = line;
	bool dated = false, stamped;
	const char *heap;

	/* the heap of a G1 collection is some lines below its beginning */
	if (s->at.open && s->open == 0 && line.size > 0 && *line.data == ' ' &&
	    (heap = text_find(line, "Heap: ")) != NULL) {
		if (take_change(heap + 6, line.data + line.size, &s->at))
			say(s);
		return true;
	}
	stamped = line.size > 0 && is_digit(*line.data) && take_stamp(s, &text, &time, &dated);
	/* a remark may have a collection within it; any other record was cut when the next one begins */
	if (s->open > 0 && (!is_collection(text) || text_starts(s->records[0].is.cause, "CMS Final Remark"))) {
		follow(s, text, stamped ? time : s->records[s->open - 1].is.time);
		return true;
	}
	if (!stamped && !is_collection(text))
		return false;
	close_all(s);
	if (s->at.open && is_collection(text) && !text_starts(text, "[GC concurrent-"))
		say(s);
	s->opened = s->line;
	if (is_collection(text) || text_starts(text, "[CMS-concurrent-"))
		follow(s, text, time);
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
		else if (line.size > 0 && !((*line.data == '[' || *line.data == 'G') && scan_unified(&s, line)) &&
			 !scan_details(&s, line))
			found_skipped(findings, s.line, line, 1, SKIP_NOISE, "a log line that is not a collection");
		if (s.at.open && !s.cycle && s.line - s.since > HEADER_LINES)
			say(&s);
		if (s.open > 0 && s.line - s.opened > RECORD_LINES)
			close_all(&s);
		s.line += next < end;
	}
	close_all(&s);
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

/* "GC(3) Pause Full (System.gc()) 36M->21M(46M) 2.6ms", of a log without any decoration */
static bool
is_pause_with_heap(struct stk_text text)
{
	const char *close = text_starts(text, "GC(") ? memchr(text.data, ')', text.size) : NULL;
	struct collection is = { 0 };

	if (close == NULL)
		return false;
	text = unindented(between(close + 1, text.data + text.size));
	find_change(text, &is);
	return is.has_heap && (is_pause(text) || text_starts(text, "Concurrent "));
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
		bool date = false;
		struct decorations is;
		struct scan none = { .dated = true };

		next = scan_line_end(at, end);
		rest = line = between(at, next);
		if (line.size == 0)
			continue;
		if (is_collection(line)) {
			struct collection heap = { 0 };

			find_change(text_of(line.data + 1, line.size - 1), &heap);
			if (!heap.has_heap)	/* -verbose:gc alone has neither date nor time */
				continue;
		} else if (*line.data == '[' || text_starts(line, "GC(")) {
			rest = take_decorations(line, &is);
			if (!is.gc || (!is.dated && !is.timed && !is_pause_with_heap(rest)))
				continue;
			date = is.dated;
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

		if (line.size > 8 && (is_digit(*line.data) || *line.data == '[' || *line.data == 'G') &&
		    text_find(line, "GC") != NULL && count_collections(line, &dated) > 0 && dated == wanted)
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

/* The number of a unified line's collection. */
static bool
unified_id(struct stk_text line, uint64_t *id)
{
	struct decorations unused;
	const char *at;

	if (line.size == 0 || (*line.data != '[' && *line.data != 'G'))
		return false;
	line = take_decorations(line, &unused);
	if (!text_starts(line, "GC("))
		return false;
	at = line.data + 3;
	return scan_decimal(&at, line.data + line.size, id);
}

static bool
begins_record(struct stk_text line)
{
	struct metric_time unused;
	struct scan none = { .dated = true };
	bool dated;

	if (line.size == 0 || (!is_digit(*line.data) && *line.data != '['))
		return false;
	if (is_digit(*line.data) && !take_stamp(&none, &line, &unused, &dated))
		return false;
	return is_collection(line) && !text_starts(line, "[GC concurrent-");
}

/* Before the last line that begins a collection, so that none is in two pieces: of unified lines the first with its
 * number. Where there is none near the end, before any line that could begin one. */
static size_t
cut(struct stk_text text)
{
	size_t whole = metric_cut(text), next = whole, last = 0;
	uint64_t next_id = 0, id;
	bool has_next = false;

	for (size_t size = whole; size > 0 && whole - size < CUT_LINES_BACK;) {
		size_t from = size - 1;
		struct stk_text line;

		while (from > 0 && text.data[from - 1] != '\n')
			from--;
		line = text_of(text.data + from, size - from - 1);
		if (begins_record(line) && from > 0)
			return from;
		if (unified_id(line, &id)) {
			if (has_next && id < next_id)
				return next;
			next = from;
			next_id = id;
			has_next = true;
		}
		if (last == 0 && from > 0 && (is_digit(text.data[from]) || text.data[from] == '['))
			last = from;
		size = from;
	}
	return last;
}

const struct text_format gc_log_format = {
	.name = "gc-log",
	.about = "logs of garbage collections with dates: -Xlog:gc*, PrintGCDetails with PrintGCDateStamps",
	.shown_by = "collections with dates",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_JVM,
	.is_between = true,
	.ends_at_dump = true,
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
	.is_between = true,
	.ends_at_dump = true,
	.recognise = recognise_uptime,
	.find = find_uptime,
	.cut = cut,
	.cut_tail = cut,
	.scan = scan_uptime,
	.read_stack = metric_no_stack,
	.read_frame = metric_no_frame
};
