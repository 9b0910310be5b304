/* SPDX-License-Identifier: MIT
 * sjk: traces of SJK (sjk stcap, stcpy; files *.std): threads of a Java VM sampled through JMX, with their counters,
 * and collections of garbage. Twelve bytes say the version, the rest is one stream of zlib, of records:
 *
 *	1 text				UTF-8 as Java writes it; texts have numbers from 1 in their order
 *	2 frame				numbers of package, class, method, file; line + 2
 *	3 sample			see read_old_sample, read_event
 *	4 text that is replaced		its place, which is used again
 *	5, 6				names of counters; sets of counters and tags, made of earlier ones
 *
 * Integers are of 7 bits a byte, the least ones first; the last byte that is possible has all 8. */
#include "base/array.h"
#include "base/host.h"
#include "base/id_table.h"
#include "base/text_table.h"
#include "ingest/text_lines.h"
#include "ingest/whole_input.h"
#include "model/recorder.h"

#include <zlib.h>

#define MAGIC_SIZE 12u
#define ANCHOR_MS  INT64_C(1391255854894)	/* times count from here */
#define MS_MOST    (STK_TIME_MOST / 1000000)
#define PIECE      65536u
#define SET_MOST   1024u	/* tags, or counters, of a set */
#define DEPTH_MOST INGEST_DEPTH_MAX

enum record { RECORD_TEXT = 1, RECORD_FRAME, RECORD_SAMPLE, RECORD_SLOT, RECORD_COUNTER, RECORD_TAGS };
enum delta { DELTA_END, DELTA_ADD_TAG, DELTA_ADD_KEY, DELTA_SET, DELTA_REMOVE_KEY, DELTA_REMOVE_TAG };

struct tag { uint32_t key, value; };			/* numbers of texts */
struct tag_set { struct tag *at; uint32_t count; bool defined; };	/* sorted by key and value */
struct counter { uint32_t key; int64_t value; };

struct trace {
	struct collect *collect;
	struct recorder *recorder;
	struct stk_error *err;
	int version;
	/* bytes */
	const struct recording_bytes *from;
	z_stream zlib;
	unsigned char *in, *out;
	const unsigned char *at, *end;
	bool zlib_ended, at_end, bad;			/* at_end: a byte was asked for that is not there */
	/* what records refer to */
	struct text_table texts;
	ARRAY(uint32_t) strings, frames, names;		/* numbers of texts, ids of frames, names of counters */
	struct id_table slots, tag_sets, counter_sets;	/* uint32_t, tag_set, tag_set */
	/* the present sample */
	ARRAY(struct counter) counters;
	ARRAY(uint32_t) stack;
	uint64_t samples, lost, unplaced, deep;
	bool failed;
};

/* --- bytes --- */

static bool
inflate_more(struct trace *t)
{
	while (!t->zlib_ended) {
		int result;

		if (t->zlib.avail_in == 0) {
			t->zlib.avail_in = (uInt)t->from->read(t->from->context, t->in, PIECE);
			t->zlib.next_in = t->in;
			if (t->zlib.avail_in == 0)
				return false;
		}
		t->zlib.next_out = t->out;
		t->zlib.avail_out = PIECE;
		result = inflate(&t->zlib, Z_NO_FLUSH);
		if (result == Z_MEM_ERROR)
			host_out_of_memory(1, PIECE);
		t->zlib_ended = result == Z_STREAM_END;
		t->bad |= result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR;
		t->at = t->out;
		t->end = t->zlib.next_out;
		if (t->at < t->end)
			return true;
		if (t->bad)
			return false;
	}
	return false;
}

/* The next byte; 0 at the end. */
static unsigned
take_byte(struct trace *t)
{
	if (t->at == t->end && (t->at_end || t->bad || !inflate_more(t))) {
		t->at_end = true;
		return 0;
	}
	return *t->at++;
}

static uint64_t
take_integer(struct trace *t, unsigned most)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < most; i++) {
		unsigned byte = take_byte(t);

		if (i + 1 == most)
			return value | (uint64_t)byte << (7 * i);
		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80)
			break;
	}
	return value;
}

static uint32_t
take_int(struct trace *t)
{
	return (uint32_t)take_integer(t, 4);
}

static int64_t
take_long(struct trace *t)
{
	return (int64_t)take_integer(t, 9);
}

/* 8 bytes, the first of them the upper ones */
static int64_t
take_word(struct trace *t)
{
	uint64_t word = 0;

	for (int i = 0; i < 8; i++)
		word = word << 8 | take_byte(t);
	return (int64_t)word;
}

/* The number of a text. Java writes characters beyond U+FFFF as two halves of three bytes, and NUL as two bytes. */
static uint32_t
take_text(struct trace *t)
{
	struct text_buffer text = { 0 };
	unsigned size = take_byte(t) << 8;
	uint32_t number;

	size |= take_byte(t);
	for (unsigned i = 0; i < size && !t->at_end; i++)
		add_char(&text, (char)take_byte(t));
	for (size_t i = 0; i + 6 <= text.count; i++) {
		unsigned char *c = (unsigned char *)text.at + i;
		uint32_t high, low, point;

		if (c[0] != 0xed || c[1] < 0xa0 || c[1] > 0xaf || c[3] != 0xed || c[4] < 0xb0 || c[4] > 0xbf)
			continue;
		high = (uint32_t)(c[1] & 0x0f) << 6 | (c[2] & 0x3f);
		low = (uint32_t)(c[4] & 0x0f) << 6 | (c[5] & 0x3f);
		point = 0x10000 + (high << 10 | low);
		c[0] = (unsigned char)(0xf0 | point >> 18);
		c[1] = (unsigned char)(0x80 | (point >> 12 & 0x3f));
		c[2] = (unsigned char)(0x80 | (point >> 6 & 0x3f));
		c[3] = (unsigned char)(0x80 | (point & 0x3f));
		memmove(c + 4, c + 6, text.count - i - 6);
		text.count -= 2;
	}
	number = text_table_number(&t->texts, text_in(&text, 0));
	array_release(&text);
	return number;
}

/* --- what records refer to --- */

static struct stk_text
text_of_number(const struct trace *t, uint32_t number)
{
	return text_table_text(&t->texts, number);
}

/* The text of a number in a record; 0 is none. */
static uint32_t
string_at(struct trace *t, uint32_t index)
{
	if (index == 0)
		return 0;
	t->lost += index > t->strings.count;
	return index <= t->strings.count ? t->strings.at[index - 1] : 0;
}

static uint32_t
slot_at(struct trace *t, uint32_t index)
{
	const uint32_t *text = id_table_find(&t->slots, index);

	t->lost += index != 0 && text == NULL;
	return text != NULL ? *text : 0;
}

/* package.class.method(file:line) */
static void
read_frame(struct trace *t)
{
	struct stk_text package = text_of_number(t, string_at(t, take_int(t))),
			class = text_of_number(t, string_at(t, take_int(t))),
			method = text_of_number(t, string_at(t, take_int(t)));
	struct frame_parts parts = { .file = text_of_number(t, string_at(t, take_int(t))), .form = STK_FORM_JAVA };
	int64_t line = (int64_t)take_int(t) - 2;
	struct text_buffer name = { 0 };

	add_text(&name, package);
	add_string(&name, package.size > 0 ? "." : "");
	add_text(&name, class);
	add_string(&name, class.size > 0 && method.size > 0 ? "." : "");
	add_text(&name, method);
	parts.function = text_in(&name, 0);
	if (line == -2) {
		parts.line = STK_LINE_NATIVE;
		parts.file.size = 0;
	} else {
		parts.line = line > 0 && parts.file.size > 0 ? line : parts.file.size == 0 ? STK_LINE_NO_SOURCE : 0;
	}
	if (!t->at_end)
		*array_push(&t->frames) = recording_frame(t->collect, &parts);
	array_release(&name);
}

/* --- sets of tags and counters --- */

static int
compare_tags(const struct trace *t, struct tag a, struct tag b)
{
	int by_key = a.key == b.key ? 0 : text_compare(text_of_number(t, a.key), text_of_number(t, b.key));

	return by_key != 0 ? by_key
	       : a.value == b.value ? 0 : text_compare(text_of_number(t, a.value), text_of_number(t, b.value));
}

struct tags { ARRAY(struct tag) list; };

static void
add_tag(struct trace *t, struct tags *to, struct tag tag)
{
	size_t place = 0;

	while (place < to->list.count && compare_tags(t, to->list.at[place], tag) < 0)
		place++;
	if (place < to->list.count && compare_tags(t, to->list.at[place], tag) == 0)
		return;
	if (to->list.count >= SET_MOST) {
		t->bad = true;
		return;
	}
	(void)array_push(&to->list);
	memmove(to->list.at + place + 1, to->list.at + place, (to->list.count - 1 - place) * sizeof *to->list.at);
	to->list.at[place] = tag;
}

/* value 0: all of the key */
static void
remove_tags(struct tags *from, uint32_t key, uint32_t value)
{
	size_t kept = 0;

	for (size_t i = 0; i < from->list.count; i++)
		if (from->list.at[i].key != key || (value != 0 && from->list.at[i].value != value))
			from->list.at[kept++] = from->list.at[i];
	from->list.count = kept;
}

/* Changes to a set; what is added comes after all that is removed. */
static void
read_delta(struct trace *t, struct tags *set)
{
	struct tags added = { 0 };
	enum delta delta;

	while ((delta = (enum delta)take_byte(t)) != DELTA_END && !t->bad) {
		struct tag tag = { string_at(t, take_int(t)), 0 };

		if (delta == DELTA_ADD_TAG || delta == DELTA_SET || delta == DELTA_REMOVE_TAG)
			tag.value = slot_at(t, take_int(t));
		if (delta == DELTA_SET || delta == DELTA_REMOVE_KEY)
			remove_tags(set, tag.key, 0);
		if (delta == DELTA_REMOVE_TAG)
			remove_tags(set, tag.key, tag.value);
		if (delta == DELTA_ADD_TAG || delta == DELTA_ADD_KEY || delta == DELTA_SET)
			add_tag(t, &added, tag);
		t->bad |= delta > DELTA_REMOVE_TAG;
	}
	for (size_t i = 0; i < added.list.count; i++)
		add_tag(t, set, added.list.at[i]);
	array_release(&added.list);
}

static void
read_set(struct trace *t, struct id_table *sets)
{
	uint32_t number = take_int(t), base = take_int(t);
	const struct tag_set *from = id_table_find(sets, base);
	struct tag_set *to;
	struct tags tags = { 0 };

	t->lost += base != 0 && (from == NULL || !from->defined);
	for (uint32_t i = 0; from != NULL && i < from->count; i++)
		*array_push(&tags.list) = from->at[i];
	read_delta(t, &tags);
	to = id_table_at(sets, number);
	free(to->at);
	*to = (struct tag_set){ tags.list.at, (uint32_t)tags.list.count, true };
}

static const struct tag_set *
set_at(struct trace *t, const struct id_table *sets, uint32_t number)
{
	static const struct tag_set empty;
	const struct tag_set *set = id_table_find(sets, number);

	t->lost += number != 0 && (set == NULL || !set->defined);
	return set != NULL ? set : &empty;
}

static bool
has_tag(const struct trace *t, const struct tag_set *set, const char *key, const char *value)
{
	for (uint32_t i = 0; i < set->count; i++)
		if (text_is(text_of_number(t, set->at[i].key), key) &&
		    text_is(text_of_number(t, set->at[i].value), value))
			return true;
	return false;
}

static struct stk_text
tag_of(const struct trace *t, const struct tag_set *set, const char *key)
{
	for (uint32_t i = 0; i < set->count; i++)
		if (text_is(text_of_number(t, set->at[i].key), key))
			return text_of_number(t, set->at[i].value);
	return text_of("", 0);
}

/* --- samples --- */

/* Frames, leaf first */
static void
take_stack(struct trace *t)
{
	uint32_t depth = take_int(t);

	t->stack.count = 0;
	for (uint32_t f = 0; f < depth && !t->at_end; f++) {
		uint32_t frame = take_int(t);

		t->lost += frame == 0 || frame > t->frames.count;
		t->deep += t->stack.count == DEPTH_MOST;
		if (frame != 0 && frame <= t->frames.count && t->stack.count < DEPTH_MOST)
			*array_push(&t->stack) = t->frames.at[frame - 1];
	}
}

static int64_t
time_of(struct trace *t, int64_t ms)
{
	if (ms >= -MS_MOST && ms <= MS_MOST)
		return ms * 1000000;
	t->lost++;
	return STK_TIME_UNKNOWN;
}

static void
add_sample(struct trace *t, uint64_t thread_number, struct stk_text name, int64_t time_ns, unsigned state)
{
	struct stk_thread thread = { .source = recording_source(t->collect), .number = thread_number };
	struct stk_sample row = { .time = time_ns, .weight = 1, .processor = PROCESSOR_UNKNOWN };

	for (size_t c = 0; c < t->counters.count; c++) {
		struct stk_text key = text_of_number(t, t->counters.at[c].key);
		int64_t value = t->counters.at[c].value;

		if (text_is(key, "java.cpu-time.ms"))
			row.cpu = value >= 0 && value <= MS_MOST ? value * 1000000 : 0;
		else if (text_is(key, "java.allocated.bytes"))
			row.allocated = value > 0 ? (uint64_t)value : 0;
		else if (text_is(key, "thread.javaId") && value > 0)
			thread.number = (uint64_t)value;
	}
	thread.name = recorder_string(t->recorder, name);
	row.thread = recorder_thread(t->recorder, &thread);
	for (size_t f = t->stack.count; f > 0; f--)
		row.stack = recorder_stack(t->recorder, (uint32_t)row.stack, t->stack.at[f - 1]);
	row.state = state <= STK_STATE_TERMINATED ? (enum stk_state)state : STK_STATE_UNKNOWN;
	t->samples++;
	t->failed = recording_sample(t->collect, &row, t->err) < 0;
}

/* Version 1: a thread and a time of 8 bytes, and the stack. Version 2: a thread, its name, a time, a state, a bit for
 * each counter that is there, these, and the stack. */
static void
read_old_sample(struct trace *t)
{
	int64_t thread = t->version == 1 ? take_word(t) : take_long(t), ms;
	struct stk_text name = text_of("", 0);
	uint32_t state = 0;
	ARRAY(unsigned char) mask = { 0 };

	if (t->version == 1) {
		ms = take_word(t);
	} else {
		name = text_of_number(t, slot_at(t, take_int(t)));
		ms = take_long(t);
		ms = ms <= INT64_MAX - ANCHOR_MS ? ms + ANCHOR_MS : INT64_MAX;
		state = take_int(t);
	}
	t->counters.count = 0;
	for (size_t c = 0; t->version == 2 && c < t->names.count; c += 8)
		*array_push(&mask) = (unsigned char)take_byte(t);
	for (size_t c = 0; c < mask.count * 8 && c < t->names.count; c++)
		if ((mask.at[c / 8] >> c % 8 & 1) != 0) {
			struct counter counter = { t->names.at[c], take_long(t) };

			*array_push(&t->counters) = counter;
		}
	array_release(&mask);
	take_stack(t);
	if (!t->at_end)
		add_sample(t, thread > 0 ? (uint64_t)thread : 0, name, time_of(t, ms), state);
}

static unsigned
state_named(struct stk_text name)
{
	static const char *const names[] = { "NEW", "RUNNABLE", "BLOCKED", "WAITING", "TIMED_WAITING", "TERMINATED" };

	for (unsigned s = 0; s < sizeof names / sizeof *names; s++)
		if (text_is(name, names[s]))
			return s + 1;
	return STK_STATE_UNKNOWN;
}

/* Spaces of memory that are not of the heap: "jvm.memory-space.metaspace.used" */
static bool
is_heap(struct stk_text key)
{
	static const char *const others[] = { "code", "metaspace", "class-space", "perm" };

	for (size_t o = 0; o < sizeof others / sizeof *others; o++)
		if (text_find(key, others[o]) != NULL)
			return false;
	return true;
}

/* A collection: its metrics are named as those of logs. */
static void
add_collection(struct trace *t, struct stk_text name, int64_t time_ns)
{
	double before = 0, used = 0, pause = -1;
	bool heap = false;

	for (size_t c = 0; c < t->counters.count; c++) {
		struct stk_text key = text_of_number(t, t->counters.at[c].key);
		double value = (double)t->counters.at[c].value;

		if (text_is(key, "duration")) {
			pause = value / 1e6;
		} else if (text_starts(key, "jvm.memory-space.") && is_heap(key)) {
			before += text_ends(key, ".before") ? value : 0;
			used += text_ends(key, ".used") ? value : 0;
			heap |= text_ends(key, ".used");
		}
	}
	if (heap)
		t->failed |= recording_metric(t->collect, time_ns, "heap.before", text_of("", 0), before, t->err) < 0 ||
			     recording_metric(t->collect, time_ns, "heap.used", text_of("", 0), used, t->err) < 0;
	if (pause >= 0 && !t->failed)
		t->failed = recording_metric(t->collect, time_ns, "gc.pause", text_of("", 0), pause, t->err) < 0 ||
			    recording_metric(t->collect, time_ns, "gc.cause.", name, pause, t->err) < 0;
}

/* What an event has, its tags say: a time, counters, a stack. */
static void
read_event(struct trace *t)
{
	static const char parts[] = "(stored-parts)";
	const struct tag_set *tags = set_at(t, &t->tag_sets, take_int(t));
	bool stacked = has_tag(t, tags, parts, "thread-stack");
	int64_t time_ns = STK_TIME_UNKNOWN;

	if (has_tag(t, tags, parts, "timestamp")) {
		int64_t ms = take_long(t);

		time_ns = time_of(t, ms <= INT64_MAX - ANCHOR_MS ? ms + ANCHOR_MS : INT64_MAX);
	}
	t->counters.count = 0;
	if (has_tag(t, tags, parts, "counters")) {
		const struct tag_set *set = set_at(t, &t->counter_sets, take_int(t));

		for (uint32_t c = 0; c < set->count; c++)
			if (c == 0 || set->at[c].key != set->at[c - 1].key) {
				struct counter counter = { set->at[c].key, take_long(t) };

				*array_push(&t->counters) = counter;
			}
	}
	t->stack.count = 0;
	if (stacked)
		take_stack(t);
	if (t->at_end)
		return;
	if (stacked)
		add_sample(t, 0, tag_of(t, tags, "thread.javaName"), time_ns,
			   state_named(tag_of(t, tags, "thread.javaState")));
	else if (tag_of(t, tags, "jvm.gc.name").size > 0)
		add_collection(t, tag_of(t, tags, "jvm.gc.name"), time_ns);
	else
		t->unplaced++;
}

/* --- the trace --- */

static void
read_record(struct trace *t, unsigned kind)
{
	uint32_t slot;

	switch (kind) {
	case RECORD_TEXT:
		*array_push(&t->strings) = take_text(t);
		break;
	case RECORD_FRAME:
		read_frame(t);
		break;
	case RECORD_SAMPLE:
		if (t->version == 4)
			read_event(t);
		else
			read_old_sample(t);
		break;
	case RECORD_SLOT:
		slot = take_int(t);
		*(uint32_t *)id_table_at(&t->slots, slot) = take_text(t);
		break;
	case RECORD_COUNTER:
		if (t->version == 4)
			read_set(t, &t->counter_sets);
		else
			*array_push(&t->names) = take_text(t);
		break;
	case RECORD_TAGS:
		if (t->version == 4)
			read_set(t, &t->tag_sets);
		else
			t->bad = true;
		break;
	default:
		t->bad = true;
		break;
	}
}

/* Texts that version 4 has from the beginning */
static void
preset_texts(struct trace *t)
{
	static const char *const keys[] = {
		"(stored-parts)", "jvm.event", "thread.javaId", "thread.javaName", "thread.javaState",
		"java.cpu-time.ms", "java.cpu-time.user.ms", "java.allocated.bytes", "java.wait-count",
		"java.wait-time.ms", "java.blocked-count", "java.blocked-time.ms", "jvm.gc.name",
		"jvm.gc.memory-spaces", "jvm.gc.count", "jvm.gc.total-time"
	};
	static const char *const values[] = {
		"", "counters", "tags", "thread-details", "thread-stack", "timestamp", "jvm.thread-snapshot",
		"jvm.event.gc", "jvm.event.stw"
	};

	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
		*array_push(&t->strings) = text_table_number(&t->texts, text_from(keys[k]));
	for (size_t v = 0; v < sizeof values / sizeof *values; v++)
		*(uint32_t *)id_table_at(&t->slots, v + 1) = text_table_number(&t->texts, text_from(values[v]));
}

static void
free_sets(struct id_table *sets)
{
	uint64_t id;

	for (uint64_t from = 0; id_table_next(sets, from, &id); from = id + 1)
		free(((struct tag_set *)id_table_find(sets, id))->at);
	id_table_clear(sets);
}

/* Whether there is more than blanks below the end of what is packed. */
static bool
has_more(struct trace *t)
{
	do {
		for (; t->zlib.avail_in > 0; t->zlib.avail_in--)
			if (*t->zlib.next_in++ > ' ')
				return true;
		t->zlib.avail_in = (uInt)t->from->read(t->from->context, t->in, PIECE);
		t->zlib.next_in = t->in;
	} while (t->zlib.avail_in > 0);
	return false;
}

static void
say_what_is_lost(struct trace *t, bool whole)
{
	if (t->bad)
		recording_broken(t->collect, "a record that cannot be read; what precedes it was");
	else if (!whole)
		recording_broken(t->collect, "a trace that ends early: it is cut off, or was not closed");
	else if (has_more(t))
		recording_broken(t->collect, "more below the end of a trace, which is not read there");
	if (t->lost > 0)
		recording_broken(t->collect, "references to what the trace does not have");
	if (t->deep > 0)
		recording_broken(t->collect, "stacks of more than 65536 frames, whose outer ones are left out");
	recording_unplaced(t->collect, t->unplaced, "events that are neither samples nor collections");
}

static int
read_trace(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct trace t = { .collect = to, .recorder = recording_definitions(to), .err = err, .from = from,
			   .slots = { .size = sizeof(uint32_t) }, .tag_sets = { .size = sizeof(struct tag_set) },
			   .counter_sets = { .size = sizeof(struct tag_set) } };
	char magic[MAGIC_SIZE] = "";
	bool whole = false;

	for (size_t got = 0, size; got < sizeof magic; got += size)
		if ((size = from->read(from->context, magic + got, sizeof magic - got)) == 0)
			break;
	t.version = magic[0] == 'E' ? 4 : magic[10] == '2' ? 2 : 1;
	if (inflateInit(&t.zlib) != Z_OK)
		return stk_fail(err, STK_ESYSTEM, "out of memory");
	t.in = mem_new(PIECE, 1);
	t.out = mem_new(PIECE, 1);
	if (t.version == 4)
		preset_texts(&t);
	while (!t.at_end && !t.bad && !t.failed) {
		unsigned kind = take_byte(&t);

		if (t.at_end)
			whole = t.zlib_ended;
		else
			read_record(&t, kind);
	}
	say_what_is_lost(&t, whole);
	inflateEnd(&t.zlib);
	free(t.in);
	free(t.out);
	text_table_release(&t.texts);
	array_release(&t.strings);
	array_release(&t.frames);
	array_release(&t.names);
	array_release(&t.counters);
	array_release(&t.stack);
	id_table_clear(&t.slots);
	free_sets(&t.tag_sets);
	free_sets(&t.counter_sets);
	return t.failed ? -1 : recorder_error(t.recorder, err);
}

static int
recognise(struct stk_text text)
{
	return text_starts(text, "TRACEDUMP_1 ") || text_starts(text, "TRACEDUMP_2 ") ||
			       text_starts(text, "EVENTDUMP_1 ")
		       ? 100
		       : 0;
}

const struct text_format sjk_format = {
	.name = "sjk",
	.about = "traces of SJK (sjk stcap, files *.std): sampled threads of a Java VM, collections",
	.shown_by = "its first bytes: TRACEDUMP_1, TRACEDUMP_2 or EVENTDUMP_1",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_JVM,
	.recognise = recognise,
	.read = read_trace
};
