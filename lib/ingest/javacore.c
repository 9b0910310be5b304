/* SPDX-License-Identifier: MIT
 * javacore: the thread dumps of OpenJ9 and of IBM's VMs. Each line begins with a tag; the columns after it differ from
 * version to version, so tags and words are looked for, not columns.
 *
 * A thread gives a sample of its Java stack, which may be empty, and one of the event "native" when it has a native
 * stack. The thread that was current is in the file twice; the list of all threads is what counts. */
#include "ingest/civil_moment.h"
#include "ingest/ingest.h"
#include "ingest/java_symbol.h"
#include "ingest/log_line.h"
#include "ingest/text_lines.h"

static const char native_tag[] = "4XENATIVESTACK";

struct lock {			/* of a stack's line */
	enum stk_relation relation;
	struct stk_text class;	/* as written, with '/' */
	uint64_t address;
	bool before_frames;	/* it is what the thread waits for */
};

struct scan {
	struct findings *findings;
	const char *at, *end;
	uint32_t line;
	bool within;		/* a dump, or the rest of one that began in an earlier piece */
	bool titled;		/* its title was read, and nothing of it reported yet */
	uint32_t title_line;
	int64_t local_ns, utc_ns, zone_ns;	/* of the title; STK_TIME_UNKNOWN */
	struct stk_text vm;
	bool current;		/* the next thread is listed again below */
	struct stk_text segment;	/* what the totals that follow are of */
	uint64_t rings;
	struct { struct stk_text thread, class; uint64_t object; bool monitor; } waits;
};

/* --- lines --- */

static struct stk_text
next_line(struct scan *s)
{
	return take_next_line(&s->at, s->end, &s->line);
}

static struct stk_text
tag_of(struct stk_text line)
{
	const char *blank = line.size > 0 ? memchr(line.data, ' ', line.size) : NULL;

	return blank != NULL ? between(line.data, blank) : line;
}

static struct stk_text
after_tag(struct stk_text line)
{
	return unindented(between(line.data + tag_of(line).size, line.data + line.size));
}

static inline bool
has_tag(struct stk_text line, const char *tag)
{
	size_t size = strlen(tag);

	return text_starts(line, tag) && (line.size == size || line.data[size] == ' ');
}

static inline bool
is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* "3XMTHREADINFO1", "NULL": a digit, or two, and capitals. */
static inline bool
is_tagged(struct stk_text line)
{
	if (line.size > 4 && (unsigned char)(line.data[0] - '0') < 10 && is_capital(line.data[1]) &&
	    is_capital(line.data[2]))
		return line.data[3] != ' ' && line.data[4] != ' ';
	return line.size == 0 || *line.data == ' ' || has_tag(line, "NULL");
}

static bool
is_title(struct stk_text line)
{
	return has_tag(line, "0SECTION") && text_starts(after_tag(line), "TITLE ");
}

/* "0x1F" or "31" after the words. */
static bool
number_after(struct stk_text line, const char *words, uint64_t *number)
{
	const char *at = text_find(line, words), *end = line.data + line.size;

	if (at == NULL)
		return false;
	for (at += strlen(words); at < end && *at == ' '; at++)
		;
	return text_starts(between(at, end), "0x") ? scan_hex(&at, end, number) : scan_decimal(&at, end, number);
}

/* Where the words are for the last time, or NULL. */
static const char *
find_last(struct stk_text text, const char *words)
{
	const char *end = text.data + text.size, *last = NULL;

	for (const char *at = text_find(text, words); at != NULL; at = text_find(between(at + 1, end), words))
		last = at;
	return last;
}

/* --- the title --- */

/* "Date: 2024/08/25 at 15:55:09:123" and, for UTC, " (UTC)" after it. */
static int64_t
read_date(struct stk_text text)
{
	char plain[] = "0000-00-00 00:00:00";
	const char *at, *end;
	int64_t ns;
	uint64_t fraction;
	struct stk_text time;

	if (!text_starts(text, "Date:"))
		return STK_TIME_UNKNOWN;
	text = unindented(between(text.data + 5, text.data + text.size));
	end = text.data + text.size;
	at = text_find(text, " at ");
	if (at == NULL || at - text.data != 10 || end - at < 12)
		return STK_TIME_UNKNOWN;
	time = between(at + 4, at + 12);
	memcpy(plain, text.data, 10);
	memcpy(plain + 11, time.data, 8);
	plain[4] = plain[4] == '/' ? '-' : plain[4];
	plain[7] = plain[7] == '/' ? '-' : plain[7];
	if (!civil_moment_read(text_of(plain, sizeof plain - 1), &ns))
		return STK_TIME_UNKNOWN;
	at += 13;
	if (at < end && at[-1] == ':' && scan_decimal(&at, end, &fraction) && fraction < 1000)
		ns += (int64_t)fraction * 1000000;
	return ns;
}

static bool
number_at(const char *at, const char *end, uint64_t *number)
{
	return scan_decimal(&at, end, number);
}

/* "Timezone: UTC-6 (CST)", "UTC+5:30"; 0 hours for "UTC". */
static int64_t
read_zone(struct stk_text text)
{
	const char *at = text_find(text, "UTC"), *end = text.data + text.size;
	uint64_t hours = 0, minutes = 0;
	bool west;

	if (at == NULL)
		return STK_TIME_UNKNOWN;
	at += 3;
	west = at < end && *at == '-';
	if (at < end && (*at == '-' || *at == '+')) {
		at++;
		if (!scan_decimal(&at, end, &hours) || hours > 14)
			return STK_TIME_UNKNOWN;
		if (at < end && *at == ':' && (!number_at(at + 1, end, &minutes) || minutes > 59))
			return STK_TIME_UNKNOWN;
	}
	return (int64_t)(hours * 60 + minutes) * INT64_C(60000000000) * (west ? -1 : 1);
}

static void
take_title(struct scan *s, struct stk_text line)
{
	if (has_tag(line, "1TIDATETIME"))
		s->local_ns = read_date(after_tag(line));
	else if (has_tag(line, "1TIDATETIMEUTC"))
		s->utc_ns = read_date(after_tag(line));
	else if (has_tag(line, "1TITIMEZONE"))
		s->zone_ns = read_zone(after_tag(line));
	else if (has_tag(line, "1CIJAVAVERSION"))
		s->vm = after_tag(line);
}

static void
begin_title(struct scan *s, uint32_t line)
{
	s->within = s->titled = true;
	s->title_line = line;
	s->local_ns = s->utc_ns = s->zone_ns = STK_TIME_UNKNOWN;
	s->vm = s->segment = text_of("", 0);
	s->current = false;
	s->rings = 0;
}

/* The dump begins, in the stream, with the first thing that is in it: only then is known which VM it is of. */
static void
say_dump(struct scan *s)
{
	struct finding *f;

	if (!s->titled)
		return;
	s->titled = false;
	f = found(s->findings, FOUND_DUMP, s->title_line);
	f->is.dump.vm = s->vm;
	f->is.dump.civil_ns = s->local_ns;
	if (s->utc_ns != STK_TIME_UNKNOWN) {
		f->is.dump.civil_ns = s->utc_ns;
		f->is.dump.zoned = true;
	} else if (s->local_ns != STK_TIME_UNKNOWN && s->zone_ns != STK_TIME_UNKNOWN) {
		f->is.dump.civil_ns = s->local_ns - s->zone_ns;
		f->is.dump.zoned = true;
	}
}

/* --- memory --- */

static void
say_metric(struct scan *s, uint32_t line, const char *name, struct stk_text more, uint64_t value)
{
	struct finding *f;

	say_dump(s);
	f = found(s->findings, FOUND_METRIC, line);
	f->is.metric.name = text_from(name);
	f->is.metric.more = more;
	f->is.metric.value = (double)value;
}

/* "1MEMUSER       JRE: 2,569,088,312 bytes / 4653 allocations" and "2MEMUSER       +--VM: ..."; deeper names repeat. */
static void
take_native_memory(struct scan *s, uint32_t number, struct stk_text line)
{
	struct stk_text text = after_tag(line);
	const char *end = text.data + text.size, *colon, *at;
	uint64_t bytes = 0;

	if (text_starts(text, "+--"))
		text = between(text.data + 3, end);
	colon = text_find(text, ": ");
	if (colon == NULL)
		return;
	for (at = colon + 2; at < end && ((unsigned char)(*at - '0') < 10 || *at == ','); at++)
		if (*at != ',' && bytes < UINT64_MAX / 16)
			bytes = bytes * 10 + (uint64_t)(*at - '0');
	if (text_starts(between(at, end), " bytes"))
		say_metric(s, number, "native.used.", between(text.data, colon), bytes);
}

/* "Total memory in use:  536870912 (0x20000000)"; "Bytes of Heap Space Free: 8cfa600" of old VMs. */
static bool
read_total(struct stk_text text, uint64_t *bytes)
{
	const char *at = text_find(text, ":"), *end = text.data + text.size;

	if (at == NULL)
		return false;
	for (at++; at < end && *at == ' '; at++)
		;
	if (text_find(text, "(0x") == NULL)
		return scan_hex(&at, end, bytes);
	return scan_decimal(&at, end, bytes);
}

static void
take_memory(struct scan *s, uint32_t number, struct stk_text line)
{
	struct stk_text none = text_of("", 0);
	uint64_t bytes;

	if (has_tag(line, "1STSEGTYPE"))
		s->segment = after_tag(line);
	else if (has_tag(line, "1MEMUSER") || has_tag(line, "2MEMUSER"))
		take_native_memory(s, number, line);
	if (!text_starts(line, "1STHEAP") && !text_starts(line, "1STSEG"))
		return;
	if (!read_total(after_tag(line), &bytes))
		return;
	if (has_tag(line, "1STHEAPTOTAL") || has_tag(line, "1STHEAPALLOC"))
		say_metric(s, number, "heap.total", none, bytes);
	else if (has_tag(line, "1STHEAPINUSE"))
		say_metric(s, number, "heap.used", none, bytes);
	else if (has_tag(line, "1STSEGTOTAL") && s->segment.size > 0)
		say_metric(s, number, "segment.total.", s->segment, bytes);
	else if (has_tag(line, "1STSEGINUSE") && s->segment.size > 0)
		say_metric(s, number, "segment.used.", s->segment, bytes);
}

/* --- locks --- */

/* "java/lang/Object@0x00000000F0001234": false without an address. */
static bool
read_object(struct stk_text text, struct stk_text *class, const char **gap_end, uint64_t *address)
{
	const char *end = text.data + text.size, *sign = text_find(text, "@0x"), *at;

	if (sign == NULL || sign == text.data)
		return false;
	at = sign + 1;
	if (!scan_hex(&at, end, address))
		return false;
	*class = between(text.data, sign);
	*gap_end = at;
	return memchr(text.data, ' ', class->size) == NULL;
}

/* `Thread "worker-1" (0x00000000001A2B00)` */
static struct stk_text
thread_named(struct stk_text text)
{
	const char *open = text_find(text, "\""), *close = find_last(text, "\" (");

	return open != NULL && close > open ? between(open + 1, close) : text_of("", 0);
}

static void
say_deadlock(struct scan *s, uint32_t number, struct stk_text owner)
{
	struct finding *f;

	say_dump(s);
	f = found(s->findings, FOUND_DEADLOCK, number);
	f->is.deadlock.ring = s->rings;
	f->is.deadlock.thread = s->waits.thread;
	f->is.deadlock.owner = owner;
	f->is.deadlock.class = s->waits.class;
	f->is.deadlock.is_slashed = true;
	f->is.deadlock.object = s->waits.object;
	f->is.deadlock.relation = s->waits.monitor ? STK_RELATION_WAITING_TO_LOCK : STK_RELATION_PARKING;
}

/* Each thread of a ring is followed by what it waits for and the one that owns that; the first one closes the ring. */
static void
take_deadlock(struct scan *s, uint32_t number, struct stk_text line)
{
	const char *unused;

	if (has_tag(line, "1LKDEADLOCK")) {
		s->rings++;
		s->waits.thread.size = 0;
	} else if (has_tag(line, "2LKDEADLOCKTHR")) {
		struct stk_text name = thread_named(after_tag(line));

		if (s->waits.thread.size > 0)
			say_deadlock(s, number, name);
		s->waits.thread = name;
		s->waits.class.size = 0;
		s->waits.object = 0;
		s->waits.monitor = false;
	} else if (has_tag(line, "4LKDEADLOCKMON") || has_tag(line, "4LKDEADLOCKREG")) {
		s->waits.monitor = true;
	} else if (has_tag(line, "4LKDEADLOCKOBJ")) {
		(void)read_object(after_tag(line), &s->waits.class, &unused, &s->waits.object);
	}
}

/* "3XMTHREADBLOCK Blocked on: java/lang/Object@0x..." or "5XESTACKTRACE (entered lock: ...". False when the line names
 * no object. Reading a stack and comparing stacks without addresses share this, so that addresses belong to the locks
 * that are reported, in the same order. */
static bool
lock_read(struct lock *out, struct stk_text line)
{
	static const struct { const char *words; enum stk_relation relation;
	} relations[] = { { "Blocked on: ", STK_RELATION_WAITING_TO_LOCK },
			  { "Waiting on: ", STK_RELATION_WAITING_ON },
			  { "Parked on: ", STK_RELATION_PARKING },
			  { "(entered lock: ", STK_RELATION_LOCKED } };
	struct stk_text text;
	const char *gap_end;

	if (line.size == 0 || *line.data == '4' ||		/* most are frames */
	    (!has_tag(line, "3XMTHREADBLOCK") && !has_tag(line, "5XESTACKTRACE")))
		return false;
	text = after_tag(line);
	for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
		if (!text_starts(text, relations[i].words))
			continue;
		text = unindented(between(text.data + strlen(relations[i].words), text.data + text.size));
		out->relation = relations[i].relation;
		out->before_frames = *line.data == '3';
		return read_object(text, &out->class, &gap_end, &out->address);
	}
	return false;
}

/* Frames and classes of locks; which thread owns a lock, how often it was entered and what was allocated lately vary
 * from dump to dump. */
static size_t
mask(struct stk_text stack, char *to, uint64_t *addresses, size_t room, size_t *count)
{
	const char *end = stack.data + stack.size;
	char *into = to;

	*count = 0;
	for (struct stk_text line = line_at(stack.data, end); line.data < end; line = line_after(line, end)) {
		struct stk_text kept = line;
		struct lock lock;

		if (lock_read(&lock, line)) {
			if (*count < room)
				addresses[*count] = lock.address;
			++*count;
			kept = between(line.data, lock.class.data + lock.class.size);
		} else if (!text_starts(line, "4XE")) {
			continue;
		}
		memcpy(into, kept.data, kept.size);
		into += kept.size;
		if (line.data + line.size < end)
			*into++ = '\n';
	}
	return (size_t)(into - to);
}

/* --- threads --- */

static void
read_state(struct found_sample *sample, struct stk_text header)
{
	static const struct { const char *word; enum stk_state state;
	} states[] = { { "R", STK_STATE_RUNNABLE }, { "CW", STK_STATE_WAITING }, { "P", STK_STATE_WAITING },
		       { "B", STK_STATE_BLOCKED },  { "MW", STK_STATE_BLOCKED }, { "Z", STK_STATE_TERMINATED } };
	const char *at = text_find(header, "state:"), *end = header.data + header.size, *stop;
	struct stk_text word;

	if (at == NULL)
		return;
	for (stop = at += 6; stop < end && *stop >= 'A' && *stop <= 'Z'; stop++)
		;
	word = between(at, stop);
	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		if (text_is(word, states[i].word))
			sample->state = states[i].state;
	if (text_is(word, "S"))
		sample->condition = text_from("suspended");
}

/* `"main" J9VMThread:0x.., omrthread_t:0x.., java/lang/Thread:0x.., state:CW, prio=5`, or with `(TID:0x..`, or
 * `TID:0x..`; the name may have any of these in it. */
static bool
read_header(struct found_sample *sample, struct stk_text text)
{
	static const char *const ids[] = { "\" J9VMThread:", "\" (TID:", "\" TID:" };
	const char *close = NULL, *end = text.data + text.size;
	uint64_t number;

	*sample = (struct found_sample){ .processor = PROCESSOR_UNKNOWN, .time_ns = STK_TIME_UNKNOWN, .weight = 1 };
	if (text_starts(text, "Anonymous native thread")) {
		sample->name = text_of(text.data, 23);
		sample->role = STK_ROLE_VM;
		return true;
	}
	for (size_t i = 0; close == NULL && i < sizeof ids / sizeof *ids; i++)
		close = find_last(text, ids[i]);
	if (text.size == 0 || *text.data != '"' || close == NULL || close == text.data)
		return false;
	sample->name = between(text.data + 1, close);
	text = between(close + 2, end);
	(void)number_after(text, text_starts(text, "J9VMThread") ? "J9VMThread:" : "TID:", &sample->handle);
	(void)number_after(text, "native ID:", &sample->tid);
	if (number_after(text, "prio=", &number) && number <= INT32_MAX)
		sample->priority = (int32_t)number;
	read_state(sample, text);
	return true;
}

/* "CPU usage total: 1.264468000 secs, user: ..., current category="GC"" */
static void
read_cpu(struct found_sample *sample, struct stk_text text)
{
	const char *at = text_find(text, "total: "), *end = text.data + text.size;
	uint64_t ns;

	if (at != NULL) {
		at += 7;
		if (scan_fixed(&at, end, 9, &ns) && ns <= INT64_MAX)
			sample->cpu_ns = (int64_t)ns;
	}
	at = text_find(text, "category=\"");
	if (at != NULL && !text_starts(between(at + 10, end), "Application"))
		sample->role = STK_ROLE_VM;
}

/* Who owns what a thread waits for: `Owned by: "worker-2"`. Nobody and unknown ones are no owners. */
static struct stk_text
owner_in(struct stk_text line)
{
	const char *at = text_find(line, "Owned by: \""), *close = find_last(line, "\" (");

	return at != NULL && close > at + 10 ? between(at, close + 1) : text_of("", 0);
}

struct thread {
	struct found_sample sample;
	struct stk_text native;
	uint32_t line;
};

static struct stk_text
extended(struct stk_text text, struct stk_text line)
{
	return text.size == 0 ? line : between(text.data, line.data + line.size);
}

/* A line below a thread's header. */
static void
take_thread_line(struct scan *s, struct thread *thread, uint32_t number, struct stk_text line)
{
	struct found_sample *sample = &thread->sample;
	uint64_t value;

	if (text_starts(line, "4XESTACKERR") || text_starts(line, "1XMWLKTHDERR")) {
		found_skipped(s->findings, number, line, 1, SKIP_BROKEN, "the VM could not walk a stack to its end");
	} else if (has_tag(line, native_tag)) {
		thread->native = extended(thread->native, line);
	} else if (text_starts(line, "4XE") || text_starts(line, "5XE")) {
		sample->stack = extended(sample->stack, line);
	} else if (has_tag(line, "3XMTHREADBLOCK")) {
		sample->stack = extended(sample->stack, line);
		sample->note = owner_in(line);
	} else if (has_tag(line, "3XMJAVALTHREAD")) {
		(void)number_after(line, "getId:", &sample->number);
		if (text_find(line, "isDaemon:true") != NULL && sample->role == STK_ROLE_JAVA)
			sample->role = STK_ROLE_DAEMON;
	} else if (has_tag(line, "3XMTHREADINFO1")) {
		(void)number_after(line, "native thread ID:", &sample->tid);
		if (number_after(line, "native priority:", &value) && value <= INT32_MAX)
			sample->os_priority = (int32_t)value;
	} else if (has_tag(line, "3XMCPUTIME")) {
		read_cpu(sample, line);
	}
}

/* Over the frames of a Java stack that begin at s->at, which are most of a dump, without looking at what else they may
 * be. Returns the last of them; empty when there are none. */
static struct stk_text
pass_frames(struct scan *s, struct stk_text *stack)
{
	static const char tag[] = "4XESTACKTRACE ";
	struct stk_text last = text_of(s->at, 0);

	while ((size_t)(s->end - s->at) >= sizeof tag - 1 && memcmp(s->at, tag, sizeof tag - 1) == 0) {
		last = next_line(s);
		*stack = extended(*stack, last);
	}
	return last;
}

static bool
is_end(struct stk_text line)
{
	return has_tag(line, "1TIDMPCOMPLETE") || (has_tag(line, "NULL") && text_find(line, "END OF DUMP") != NULL);
}

static inline bool
is_of_thread(struct stk_text line)
{
	return line.size == 0 || (has_tag(line, "NULL") && !is_end(line)) || text_starts(line, "4XE") || text_starts(line, "5XE") ||
	       (text_starts(line, "3XM") && !has_tag(line, "3XMTHREADINFO"));
}

/* Whether a line that is of no javacore is within a thread, which goes on below it and others, and not where the next
 * one begins. */
static bool
is_between(const struct scan *s, struct stk_text before, struct stk_text line)
{
	struct scan ahead;
	struct stk_text next;

	if (line.size == 0 || is_tagged(line) || before.size == 0 || has_tag(before, "NULL"))
		return false;
	ahead = *s;
	next = next_line(&ahead);
	for (unsigned lines = 0; lines < LOG_LINES_BETWEEN && next.size > 0 && !is_tagged(next); lines++)
		next = next_line(&ahead);
	return next.size > 0 && is_of_thread(next);
}

static void
say_thread(struct scan *s, struct thread *thread)
{
	say_dump(s);
	thread->sample.hash = scan_hash(thread->sample.stack);
	found(s->findings, FOUND_SAMPLE, thread->line)->is.sample = thread->sample;
	if (thread->native.size == 0)
		return;
	thread->sample.event = text_from("native");
	thread->sample.stack = thread->native;
	thread->sample.hash = scan_hash(thread->native);
	thread->sample.note.size = 0;
	thread->sample.cpu_ns = 0;
	found(s->findings, FOUND_SAMPLE, thread->line)->is.sample = thread->sample;
}

static void
take_thread(struct scan *s, uint32_t number, struct stk_text header)
{
	struct thread thread = { .line = number };
	bool known = read_header(&thread.sample, after_tag(header));
	struct stk_text last = header;

	while (s->at < s->end) {
		struct stk_text text = pass_frames(s, &thread.sample.stack);
		const char *before = s->at;
		uint32_t line = s->line;

		if (text.size > 0) {
			last = text;
			continue;
		}
		text = next_line(s);
		if (is_between(s, last, text)) {
			found_skipped(s->findings, line, text, 1, SKIP_NOISE, "within a thread");
			continue;
		}
		if (!is_of_thread(text)) {
			s->at = before;
			s->line = line;
			break;
		}
		last = text;
		take_thread_line(s, &thread, line, text);
	}
	if (s->current)
		found_skipped(s->findings, number, header, 1, SKIP_NOISE, "the current thread, which is listed again");
	else if (!known)
		found_skipped(s->findings, number, header, 1, SKIP_BROKEN, "a thread's header that is not understood");
	else
		say_thread(s, &thread);
	s->current = false;
}

/* --- scanning --- */

static void
end_dump(struct scan *s, uint32_t line)
{
	if (s->within) {
		say_dump(s);
		found(s->findings, FOUND_DUMP_END, line);
	}
	s->within = false;
}

static void
take_line(struct scan *s, uint32_t number, struct stk_text line)
{
	if (is_title(line)) {
		say_dump(s);		/* of one that was cut in its head */
		begin_title(s, number);
	} else if (has_tag(line, "3XMTHREADINFO")) {
		s->within = true;
		take_thread(s, number, line);
	} else if (line.size > 0 && is_of_thread(line) && !has_tag(line, "NULL")) {
		found_skipped(s->findings, number, line, 1, SKIP_BROKEN, "a part of a thread without its header");
	} else if (line.size > 0 && !has_tag(line, "NULL") && (!s->within || !is_tagged(line))) {
		found_skipped(s->findings, number, line, 1, SKIP_NOISE, "not part of a javacore");
	} else if (is_end(line)) {
		end_dump(s, number);
	} else if (text_starts(line, "1XMWLKTHDERR")) {
		found_skipped(s->findings, number, line, 1, SKIP_BROKEN, "the VM could not walk all its threads");
	} else if (has_tag(line, "1XMCURTHDINFO") || text_starts(line, "1XMTHDINFO")) {
		s->current = has_tag(line, "1XMCURTHDINFO");
	} else {
		take_title(s, line);
		take_memory(s, number, line);
		take_deadlock(s, number, line);
	}
}

/* A piece that is not the first one begins within a dump, at a line that only a dump has. */
static void
scan_piece(struct findings *findings, struct stk_text piece)
{
	struct scan s = { .findings = findings, .at = piece.data, .end = piece.data + piece.size };

	s.within = piece.size > 1 && is_tagged(line_at(s.at, s.end)) && (unsigned char)(*piece.data - '0') < 10;
	while (s.at < s.end) {
		uint32_t number = s.line;
		struct stk_text line = next_line(&s);

		take_line(&s, number, line);
	}
	say_dump(&s);
	findings->lines = s.line;
}

/* --- stacks --- */

/* HotSpot's names, so that a rule for a class holds for both. */
static void
say_lock(struct stack_reading *reading, const struct lock *lock)
{
	char room[JAVA_SYMBOL_MAX];

	stack_lock(reading, lock->relation, java_dotted_name(lock->class, room), lock->address);
}

static bool
take_frame(struct stack_reading *reading, struct stk_text line)
{
	struct stk_text words = trimmed(after_tag(line));

	if (has_tag(line, native_tag))
		stack_frame(reading, trimmed(line));
	else if (has_tag(line, "4XESTACKTRACE") && text_starts(words, "at "))
		stack_frame(reading, between(words.data + 3, words.data + words.size));
	else if (text_starts(line, "4XE") && !text_starts(line, "4XESTACKERR"))
		stack_broken(reading, line, "a line of a stack that is not understood");
	else
		return false;
	return true;
}

/* The line of what a thread waits for precedes its frames; the lock belongs to the first of them. */
static void
read_stack(struct stack_reading *reading, struct stk_text stack)
{
	const char *end = stack.data + stack.size;
	struct lock lock, waits = { 0 };
	bool waiting = false, framed = false;

	for (struct stk_text line = line_at(stack.data, end); line.data < end; line = line_after(line, end)) {
		bool is_lock = lock_read(&lock, line), is_frame = !is_lock && take_frame(reading, line);

		if (waiting && (is_lock || is_frame)) {
			say_lock(reading, &waits);
			waiting = false;
		}
		framed |= is_frame;
		if (is_lock && lock.before_frames && !framed) {
			waits = lock;
			waiting = true;
		} else if (is_lock) {
			say_lock(reading, &lock);
		}
	}
	if (waiting)
		say_lock(reading, &waits);
}

/* "vmi.c:209, 0x00996FF5" from `at` on */
static void
read_native_place(struct frame_parts *parts, const char *at, const char *end)
{
	const char *comma = memchr(at, ',', (size_t)(end - at));
	const char *colon = comma != NULL ? memrchr(at, ':', (size_t)(comma - at)) : NULL;
	uint64_t line;

	if (colon == NULL || !number_at(colon + 1, comma, &line) || line > INT32_MAX)
		return;
	parts->file = between(at, colon);
	parts->line = (int64_t)line;
}

/* "libc.so.6+0x101643])" from ` [` on */
static void
read_native_module(struct frame_parts *parts, struct stk_text text)
{
	const char *open = find_last(text, " ["), *end = text.data + text.size, *plus;

	if (open == NULL || !text_ends(text, "])"))
		return;
	plus = memrchr(open, '+', (size_t)(end - open));
	parts->module = between(open + 2, plus != NULL ? plus : end - 2);
}

/* "clone+0x43 (0x00002AE37BE88643 [libc.so.6+0x101643])", "(0x00007fff [libfoo.so+0x1234])", "0x00007fff", and on
 * Windows "JVM_MaxMemory+0x5 (vmi.c:209, 0x00996FF5 [jvm+0x6ff5])" */
static bool
read_native_frame(struct frame_parts *parts, struct stk_text text)
{
	const char *end = text.data + text.size, *bare = text_find(text, "(0x");
	const char *open = bare != NULL ? bare : text_find(text, " ("), *mark;

	parts->form = STK_FORM_NATIVE;
	parts->function = text_from("[unknown]");
	read_native_module(parts, text);
	(void)number_after(text, bare != NULL ? "(" : ", ", &parts->address);
	if (bare == NULL && open != NULL)
		read_native_place(parts, open + 2, end);
	text = trimmed(between(text.data, open != NULL ? open : end));
	mark = find_last(text, "+0x");
	if (mark != NULL) {
		const char *at = mark + 1;

		(void)scan_hex(&at, text.data + text.size, &parts->offset);
		text = between(text.data, mark);
	}
	if (text.size > 0 && !text_starts(text, "0x"))
		parts->function = text;
	return true;
}

/* "Object.java:221(Compiled Code)", "Native Method", "Bytecode PC:8" */
static void
read_place(struct frame_parts *parts, struct stk_text place)
{
	const char *compiled = text_find(place, "(Compiled Code)"), *colon;
	uint64_t line;

	if (compiled != NULL)
		place = between(place.data, compiled);
	if (text_is(place, "Native Method")) {
		parts->line = STK_LINE_NATIVE;
		return;
	}
	if (place.size == 0 || text_starts(place, "Bytecode PC:") || text_is(place, "Unknown Source")) {
		parts->line = STK_LINE_NO_SOURCE;
		return;
	}
	colon = memrchr(place.data, ':', place.size);
	parts->file = place;
	if (colon == NULL || !number_at(colon + 1, place.data + place.size, &line) || line > INT32_MAX)
		return;
	parts->file = between(place.data, colon);
	parts->line = (int64_t)line;
}

static bool
read_frame(struct frame_parts *parts, struct stk_text line)
{
	const char *open, *end;

	*parts = (struct frame_parts){ 0 };
	if (has_tag(line, native_tag))
		return read_native_frame(parts, after_tag(line));
	line = trimmed(line);
	end = line.data + line.size;
	open = line.size > 1 && end[-1] == ')' ? memchr(line.data, '(', line.size) : NULL;
	if (open == NULL || open == line.data)
		return false;
	parts->form = STK_FORM_JAVA;
	parts->function = between(line.data, open);
	parts->is_slashed = true;
	read_place(parts, between(open + 1, end - 1));
	return true;
}

/* --- the beginning and the end of a piece --- */

static const char *
find(struct stk_text text)
{
	const char *end = text.data + text.size;

	for (struct stk_text line = line_at(text.data, end); line.data < end; line = line_after(line, end))
		if (is_title(line) || (has_tag(line, "3XMTHREADINFO") && text_find(line, "state:") != NULL))
			return line.data;
	return NULL;
}

/* What a VM writes begins with its title, below lines that only separate: nothing else needs to be asked then. */
static bool
begins_with_title(struct stk_text text)
{
	const char *end = text.data + text.size;
	struct stk_text line = line_at(text.data, end);

	while (line.data < end && has_tag(line, "NULL"))
		line = line_after(line, end);
	return is_title(line);
}

static int
recognise(struct stk_text text)
{
	if (begins_with_title(text))
		return 100;
	return find(text) != NULL ? 97 : 0;
}

/* Whether a piece may end before the line: what precedes the threads stays together, as the title and the VM's version
 * belong to the dump, and the current thread stays with the line that says so. */
static bool
may_begin(struct stk_text line, const char *begin)
{
	const char *at = line.data;

	if (is_title(line) || has_tag(line, "2CLTEXTCLLOAD"))
		return true;
	if (!has_tag(line, "3XMTHREADINFO"))
		return false;
	while (at > begin) {
		const char *before = at - 1 > begin ? memrchr(begin, '\n', (size_t)(at - 1 - begin)) : NULL;
		struct stk_text above = trimmed(between(before == NULL ? begin : before + 1, at - 1));

		if (above.size > 0 && !has_tag(above, "NULL"))
			return !has_tag(above, "1XMCURTHDINFO");
		at = above.data;
	}
	return false;
}

static size_t
cut(struct stk_text text)
{
	const char *newline = text.size > 0 ? memrchr(text.data, '\n', text.size) : NULL;

	while (newline != NULL && newline > text.data) {
		const char *before = memrchr(text.data, '\n', (size_t)(newline - text.data));

		if (before == NULL)
			return 0;
		if (may_begin(trimmed(between(before + 1, newline)), text.data))
			return (size_t)(before + 1 - text.data);
		newline = before;
	}
	return 0;
}

const struct text_format javacore_format = {
	.name = "javacore",
	.about = "dumps of OpenJ9 and IBM's VMs: threads, native stacks, locks, memory",
	.shown_by = "a line \"0SECTION       TITLE\", or tags \"3XMTHREADINFO\"",
	.is_dump = true,
	.ends_dumps = true,
	.mask = mask,
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_JVM,
	.recognise = recognise,
	.find = find,
	.cut = cut,
	.cut_tail = cut,
	.scan = scan_piece,
	.read_stack = read_stack,
	.read_frame = read_frame
};
