/* SPDX-License-Identifier: MIT
 * verbose_gc: logs of collections of OpenJ9 and IBM's VMs, which are XML: -verbose:gc, -Xverbosegclog.
 *
 *	<exclusive-start timestamp="2026-11-20T22:14:44.123">		<af type="tenured" timestamp="Mar 25 22:40:24 2010">
 *	<af-start type="nursery" />					  <tenured freebytes="1" totalbytes="4" />
 *	<gc-start type="scavenge"> <mem-info free="1" total="9">	  <gc type="global"> ... </gc>
 *	<gc-end type="scavenge"> <mem-info free="8" total="9">		  <tenured freebytes="3" totalbytes="4" />
 *	<exclusive-end durationms="3.216" />				  <time totalms="3.571" /> </af>
 *
 * On the left since Java 6 SR 1 (2.6), on the right before. Logs of a live VM have no end, and those of several starts
 * follow each other, so tags are taken one by one. A pause may hold several collections, each with its heap. */
#include "ingest/gc_collection.h"

#include "ingest/civil_moment.h"
#include "ingest/text_lines.h"

#define LEAST_TAGS 3u	/* of such a log, for one that does not begin with its root */
#define CTIME_SIZE 28u	/* "Thu Mar 25 22:40:24 2010" */

struct tag { struct stk_text name, rest; bool closes, empty; };	/* rest: the attributes */

enum part { PART_NONE, PART_BEFORE, PART_AFTER };

struct scan {
	struct findings *findings;
	uint32_t line, opened;		/* opened: where the pause began, */
	struct stk_text opened_by;	/* and its line; empty when there was something to say of it already */
	bool open;			/* within a pause */
	bool collects;			/* it has a collection */
	struct collection pause, heap;
	enum part part;			/* whose heap comes next */
	unsigned deep;			/* old: tags that are open within the pause */
	double used, total;		/* old: areas so far */
	bool beside;			/* within concurrent-end */
	struct metric_time began;	/* of the phase that runs beside the program */
	bool has_began;
	struct stk_text unread;		/* a time that cannot be read */
};

/* --- tags --- */

/* The next tag of the line, whose values may hold any character but ". */
static bool
next_tag(struct stk_text *line, struct tag *tag)
{
	const char *end = line->data + line->size, *from, *at;
	bool quoted = false;

	from = line->size > 0 ? memchr(line->data, '<', line->size) : NULL;
	if (from == NULL)
		return false;
	for (at = from + 1; at < end && (*at != '>' || quoted); at++)
		quoted ^= *at == '"';
	if (at == end)
		return false;
	*line = between(at + 1, end);
	tag->closes = from + 1 < at && from[1] == '/';
	tag->empty = at[-1] == '/';
	from += 1 + tag->closes;
	for (tag->name = text_of(from, 0); from < at && (unsigned char)*from > ' ' && *from != '/'; from++)
		tag->name.size++;
	tag->rest = between(from, at);
	return true;
}

/* The value of an attribute; empty without it. */
static struct stk_text
attribute(const struct tag *tag, const char *name)
{
	const char *end = tag->rest.data + tag->rest.size, *quote;
	size_t size = strlen(name);

	for (const char *at = tag->rest.data; at < end; at = quote + 1) {
		struct stk_text key;

		while (at < end && (unsigned char)*at <= ' ')
			at++;
		quote = memchr(at, '"', (size_t)(end - at));
		if (quote == NULL)
			break;
		key = trimmed(between(at, quote));
		at = quote + 1;
		quote = memchr(at, '"', (size_t)(end - at));
		if (quote == NULL)
			break;
		if (key.size == size + 1 && text_starts(key, name) && key.data[size] == '=')
			return between(at, quote);
	}
	return text_of("", 0);
}

static bool
number_of(const struct tag *tag, const char *name, double *value)
{
	struct stk_text text = attribute(tag, name);

	return text.size > 0 && metric_seconds(text, value) == text.size;
}

/* Since Java 6 SR 1 that of ISO, before as ctime has it, without the day of the week. */
static struct metric_time
time_of(struct scan *s, const struct tag *tag)
{
	struct stk_text text = attribute(tag, "timestamp");
	struct metric_time time = { STK_TIME_UNKNOWN, true };
	char ctime[CTIME_SIZE] = "Thu ";

	if (metric_date(text, &time))
		return time;
	if (text.size == 0)
		return time;
	if (text.size <= CTIME_SIZE - 4) {
		memcpy(ctime + 4, text.data, text.size);
		if (civil_ctime_read(text_of(ctime, 4 + text.size), &time.ns))
			return (struct metric_time){ time.ns, false };
	}
	s->unread = text;
	return (struct metric_time){ STK_TIME_UNKNOWN, true };
}

/* --- pauses --- */

static void
say_unread_time(struct scan *s)
{
	if (s->unread.size > 0)
		found_skipped(s->findings, s->line, s->unread, 1, SKIP_BROKEN, "a time that cannot be read");
	s->unread.size = 0;
}

static void
say_unended(struct scan *s)
{
	if (s->open && s->opened_by.size > 0)
		found_skipped(s->findings, s->opened, s->opened_by, 1, SKIP_CUT, "a pause whose end is missing");
}

static void
open_pause(struct scan *s, const struct tag *tag)
{
	say_unended(s);
	s->open = true;
	s->opened = s->line;
	s->collects = false;
	s->part = PART_NONE;
	s->pause = s->heap = (struct collection){ .time = time_of(s, tag) };
	s->opened_by = s->unread.size == 0 ? between(tag->name.data, tag->rest.data + tag->rest.size) : text_of("", 0);
	say_unread_time(s);
}

static void
close_pause(struct scan *s, const struct tag *tag)
{
	if (!s->open)
		s->pause.time = time_of(s, tag);
	if (s->collects)
		collection_say(s->findings, s->line, &s->pause);
	s->pause = (struct collection){ 0 };
	s->open = s->collects = false;
	s->part = PART_NONE;
}

static bool
is_full(struct stk_text type)
{
	return text_starts(type, "global") && !text_starts(type, "global mark");
}

/* A collection, or a step of one, begins in the pause; its heap is that of the tags from here on. */
static void
begin_collection(struct scan *s, const struct tag *tag)
{
	bool full = is_full(attribute(tag, "type"));

	s->collects = true;
	s->pause.full |= full;
	s->heap = (struct collection){ .time = s->open ? s->pause.time : time_of(s, tag), .full = full };
	s->part = PART_BEFORE;
}

/* --- since Java 6 SR 1 --- */

/* What the heap holds, before or after. */
static void
take_heap(struct scan *s, double free, double total)
{
	if (s->part == PART_BEFORE) {
		s->heap.before = total - free;
		s->heap.has_before = true;
	} else if (s->part == PART_AFTER) {
		s->heap.used = total - free;
		s->heap.total = total;
		s->heap.has_heap = true;
		collection_say(s->findings, s->line, &s->heap);
	}
	s->part = PART_NONE;
}

/* Of the first that is said: a collection that asks for another has its own. */
static void
set_cause(struct scan *s, const char *begins, struct stk_text cause)
{
	if (s->pause.cause.size > 0 || cause.size == 0)
		return;
	s->pause.cause_begins = begins;
	s->pause.cause = cause;
}

/* What the program asks for has the name that it has in logs of HotSpot. */
static struct stk_text
asked_by(const struct tag *tag)
{
	struct stk_text reason = attribute(tag, "reason");

	return reason.size == 0 || text_is(reason, "explicit") ? text_from("System.gc()") : reason;
}

static void
take_cause(struct scan *s, const struct tag *tag)
{
	if (text_is(tag->name, "af-start"))
		set_cause(s, "gc.cause.allocation failure, ", attribute(tag, "type"));
	else if (text_is(tag->name, "sys-start"))
		set_cause(s, NULL, asked_by(tag));
	else if (text_is(tag->name, "allocation-taxation"))
		set_cause(s, NULL, text_from("allocation taxation"));
	else if (text_starts(tag->name, "concurrent-") && text_ends(tag->name, "-final"))
		set_cause(s, NULL, text_from("concurrent collection"));
}

/* A phase that runs beside the program: its end says how long it took, or when it ended. */
static void
take_beside(struct scan *s, const struct tag *tag)
{
	struct collection is = { .time = s->began, .concurrent = attribute(tag, "type"), .has_pause = true };

	if (text_is(tag->name, "concurrent-start") && !tag->closes) {
		s->began = time_of(s, tag);
		s->has_began = true;
	} else if (text_is(tag->name, "concurrent-end") && !tag->closes) {
		struct metric_time end = time_of(s, tag);

		s->beside = !tag->empty;
		if (s->has_began && end.ns >= s->began.ns && s->began.ns != STK_TIME_UNKNOWN) {
			is.pause = (double)(end.ns - s->began.ns) / 1e9;
			collection_say(s->findings, s->line, &is);
		} else {
			found_skipped(s->findings, s->line, tag->rest, 1, SKIP_NOISE,
				      "the end of a phase whose beginning is not here");
		}
		s->has_began = false;
	} else if (text_is(tag->name, "concurrent-end")) {
		s->beside = false;
	}
}

static void
take_new(struct scan *s, const struct tag *tag)
{
	double free, total, ms;

	if (text_is(tag->name, "exclusive-start") && !tag->closes)
		open_pause(s, tag);
	else if (text_is(tag->name, "exclusive-end")) {
		s->pause.has_pause = number_of(tag, "durationms", &ms);
		s->pause.pause = s->pause.has_pause ? ms / 1000 : 0;
		close_pause(s, tag);
	} else if (text_is(tag->name, "gc-start") && !tag->closes)
		begin_collection(s, tag);
	else if (text_is(tag->name, "gc-end") && !tag->closes)
		s->part = PART_AFTER;
	else if (text_is(tag->name, "gc-op") && !tag->closes && !s->beside)
		s->collects = true;
	else if (text_is(tag->name, "mem-info") && number_of(tag, "free", &free) && number_of(tag, "total", &total))
		take_heap(s, free, total);
	else if (text_starts(tag->name, "concurrent-"))
		take_beside(s, tag);
	if (!tag->closes)
		take_cause(s, tag);
}

/* --- before --- */

static bool
is_old_pause(const struct tag *tag)
{
	return text_is(tag->name, "af") || text_is(tag->name, "sys") || text_is(tag->name, "con");
}

static void
open_old(struct scan *s, const struct tag *tag)
{
	open_pause(s, tag);
	s->deep = 0;
	s->used = s->total = 0;
	if (text_is(tag->name, "af"))
		set_cause(s, "gc.cause.allocation failure, ", attribute(tag, "type"));
	else
		set_cause(s, NULL, text_is(tag->name, "sys") ? asked_by(tag) : text_from("concurrent collection"));
}

/* The areas that were said so far are the heap before or after. */
static void
settle_areas(struct scan *s, bool after)
{
	if (s->total > 0 && !after) {
		s->heap.before = s->used;
		s->heap.has_before = true;
	} else if (s->total > 0) {
		s->heap.used = s->used;
		s->heap.total = s->total;
		s->heap.has_heap = true;
		collection_say(s->findings, s->line, &s->heap);
	}
	s->used = s->total = 0;
}

static void
close_old(struct scan *s, const struct tag *tag)
{
	if (s->collects)
		settle_areas(s, true);
	close_pause(s, tag);
}

/* Nursery and tenure are directly within the pause, before and after the collection. */
static void
take_old(struct scan *s, const struct tag *tag)
{
	double free, total, ms;

	if (is_old_pause(tag) && !tag->closes && !tag->empty) {
		open_old(s, tag);
		return;
	}
	if (is_old_pause(tag) && tag->closes && s->open) {
		close_old(s, tag);
		return;
	}
	if (!s->open)
		return;
	if (text_is(tag->name, "gc") && !tag->closes) {
		bool full = s->heap.full | is_full(attribute(tag, "type"));

		if (!s->collects)
			settle_areas(s, false);
		s->collects = true;
		s->heap.full = s->pause.full = full;
	} else if (s->deep == 0 && number_of(tag, "freebytes", &free) && number_of(tag, "totalbytes", &total)) {
		s->used += total - free;
		s->total += total;
	} else if (s->deep == 0 && text_is(tag->name, "time") && number_of(tag, "totalms", &ms)) {
		s->pause.has_pause = true;
		s->pause.pause = ms / 1000;
	}
	if (tag->closes)
		s->deep -= s->deep > 0;
	else if (!tag->empty)
		s->deep++;
}

/* --- scanning --- */

static bool
is_tag_line(struct stk_text line)
{
	return line.size > 2 && *line.data == '<' && line.data[line.size - 1] == '>' && line.data[1] != ' ';
}

static void
take_line(struct scan *s, struct stk_text line)
{
	struct tag tag;

	while (next_tag(&line, &tag)) {
		take_new(s, &tag);
		take_old(s, &tag);
	}
}

static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	const char *at = piece.data, *end = piece.data + piece.size;
	struct scan s = { .findings = findings };

	while (at < end) {
		uint32_t next = s.line;
		struct stk_text line = unindented(take_next_line(&at, end, &next));

		if (is_tag_line(line))
			take_line(&s, line);
		else if (line.size > 0)
			found_skipped(findings, s.line, line, 1, SKIP_NOISE, "not part of a log of collections");
		s.line = next;
	}
	findings->lines = s.line;
	say_unended(&s);
}

/* --- recognising, cutting --- */

static bool
begins_pause(struct stk_text line)
{
	line = unindented(line);
	return text_starts(line, "<exclusive-start ") || text_starts(line, "<af ") || text_starts(line, "<sys ") ||
	       text_starts(line, "<con ");
}

/* Tags that nothing else has. */
static bool
is_ours(struct stk_text line)
{
	static const char *const tags[] = { "<verbosegc ", "<exclusive-start ", "<exclusive-end ", "<cycle-start ",
					    "<gc-start ", "<gc-end ", "<mem-info ", "<concurrent-start " };

	line = unindented(line);
	if (line.size == 0 || *line.data != '<')
		return false;
	for (size_t t = 0; t < sizeof tags / sizeof *tags; t++)
		if (text_starts(line, tags[t]))
			return true;
	return text_starts(line, "<af type=\"") || text_starts(line, "<sys reason=\"");
}

static const char *
find(struct stk_text text)
{
	const char *end = text.data + text.size;

	for (const char *at = text.data; at < end && (at = memchr(at, '<', (size_t)(end - at))) != NULL; at++) {
		const char *from = at;

		while (from > text.data && (from[-1] == ' ' || from[-1] == '\t'))
			from--;
		if ((from == text.data || from[-1] == '\n') && is_ours(line_at(at, end)))
			return from;
	}
	return NULL;
}

static int
recognise(struct stk_text text)
{
	const char *end = text.data + text.size;
	unsigned tags = 0;

	for (struct stk_text line = line_at(text.data, end); line.data < end; line = line_after(line, end)) {
		if (text_starts(unindented(line), "<verbosegc "))
			return 95;
		tags += is_ours(line);
	}
	return tags >= LEAST_TAGS ? 90 : 0;
}

/* Before the last pause that begins while nothing runs beside the program, which ends outside of pauses. *sure: what
 * precedes the text cannot change that. */
static size_t
last_pause(struct stk_text text, bool *sure)
{
	size_t size = metric_cut(text), from, last = 0;

	*sure = true;
	for (; size > 0; size = from) {
		const char *newline = memrchr(text.data, '\n', size - 1);
		struct stk_text line;

		from = newline == NULL ? 0 : (size_t)(newline + 1 - text.data);
		line = unindented(text_of(text.data + from, size - 1 - from));
		if (last > 0 && (begins_pause(line) || text_starts(line, "<concurrent-end ")))
			return last;
		if (text_starts(line, "<concurrent-start "))
			last = 0;
		else if (begins_pause(line))
			last = from;
	}
	*sure = false;
	return last;
}

static size_t
cut(struct stk_text text)
{
	bool unused;

	return last_pause(text, &unused);
}

static size_t
cut_tail(struct stk_text tail)
{
	bool sure;
	size_t size = last_pause(tail, &sure);

	return sure ? size : 0;
}

const struct text_format verbose_gc_format = {
	.name = "verbose-gc",
	.about = "collections of OpenJ9 and IBM's VMs: the XML of -verbose:gc and -Xverbosegclog",
	.shown_by = "a tag <verbosegc>, or the tags of its pauses",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_JVM,
	.recognise = recognise,
	.find = find,
	.cut = cut,
	.cut_tail = cut_tail,
	.scan = scan_piece,
	.read_stack = metric_no_stack,
	.read_frame = metric_no_frame
};
