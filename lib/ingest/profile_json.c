/* SPDX-License-Identifier: MIT
 * profile_json: shapes are found by reading as far as the beginning goes, so that a name in a profile is not taken for
 * a key of it. */
#include "ingest/profile_json.h"

#include "ingest/text_lines.h"
#include "model/recorder.h"

#include <stdio.h>

#define NUMBERS_AT_ONCE 16u		/* room for at least so many: lists of children are short */
#define COLUMN_NUMBERS  4096u		/* room that a column begins with */

/* --- shapes --- */

enum key {
	KEY_SCHEMA, KEY_PROFILES, KEY_META, KEY_VERSION, KEY_TRACE_EVENTS, KEY_NODES, KEY_CALL_FRAME, KEY_PH,
	KEY_RESOURCE_PROFILES, KEY_STRING_TABLE, KEY_THREAD_DUMP, KEY_THREADS, KEY_THREAD_NAME, KEY_STACK_TRACE,
	KEY_ARRAY_THREAD_NAME, KEY_ARRAY_STACK_TRACE, KEY_TIME, KEY_HAPPENING, KEY_KIND, KEY_OWNS_GIL,
	KEY_FRAMES, KEY_HEAD, KEY_HEAD_FUNCTION, KEY_HEAD_FRAME,
	KEY_COUNT
};

/* The keys that decide, wherever they are up to a depth. */
static uint32_t
keys_of(struct stk_text text, bool *array)
{
	static const struct { const char *name; unsigned depth; } keys[KEY_COUNT] = {
		{ "$schema", 1 }, { "profiles", 1 },  { "meta", 1 }, { "preprocessedProfileVersion", 2 },
		{ "traceEvents", 1 }, { "nodes", 1 }, { "callFrame", 3 }, { "ph", 2 },
		{ "resourceProfiles", 1 }, { "stringTable", 2 },
		{ "threadDump", 1 }, { "threads", 1 }, { "threadName", 3 }, { "stackTrace", 3 }, { "threadName", 2 },
		{ "stackTrace", 2 },
		{ "time", 1 }, { "happening", 1 }, { "kind", 1 }, { "owns_gil", 2 }, { "frames", 2 },
		{ "head", 1 }, { "functionName", 2 }, { "callFrame", 2 },
	};
	struct json_reader json;
	enum json_kind kind;
	uint32_t found = 0;

	json_open_text(&json, &text);
	kind = json_next(&json);
	*array = kind == JSON_ARRAY;
	while (kind > JSON_BAD) {
		for (unsigned k = 0; kind == JSON_KEY && k < KEY_COUNT; k++)
			if (json.depth == keys[k].depth && text_is(json.text, keys[k].name))
				found |= UINT32_C(1) << k;
		kind = json_next(&json);
	}
	json_close(&json);
	return found;
}

static bool
begins_as_json(struct stk_text text)
{
	while (text.size > 0 && (strchr(" \t\r\n\xef\xbb\xbf", *text.data) != NULL && *text.data != '\0'))
		text = text_of(text.data + 1, text.size - 1);
	return text.size > 1 && (*text.data == '{' || *text.data == '[');
}

enum profile_shape
profile_shape(struct stk_text text)
{
	uint32_t keys;
	bool array;

#define HAS(key) ((keys >> (key) & 1) != 0)
	if (!begins_as_json(text))
		return SHAPE_NONE;
	keys = keys_of(text, &array);
	if (array)
		return HAS(KEY_PH)                                                     ? SHAPE_CHROME
		       : HAS(KEY_ARRAY_THREAD_NAME) && HAS(KEY_ARRAY_STACK_TRACE) ? SHAPE_THREADS
		       : HAS(KEY_OWNS_GIL) && HAS(KEY_FRAMES) ? SHAPE_PYSPY : SHAPE_NONE;
	if (HAS(KEY_THREAD_DUMP) || (HAS(KEY_THREADS) && HAS(KEY_THREAD_NAME) && HAS(KEY_STACK_TRACE)))
		return SHAPE_THREADS;
	if (HAS(KEY_SCHEMA) && memmem(text.data, text.size, "speedscope.app/file-format-schema", 33) != NULL)
		return SHAPE_SPEEDSCOPE;
	if (HAS(KEY_META) && HAS(KEY_VERSION))
		return SHAPE_FIREFOX;
	if (HAS(KEY_RESOURCE_PROFILES) || HAS(KEY_STRING_TABLE))
		return SHAPE_OTLP;
	if (HAS(KEY_TRACE_EVENTS))
		return SHAPE_CHROME;
	if ((HAS(KEY_NODES) && HAS(KEY_CALL_FRAME)) ||
	    (HAS(KEY_HEAD) && (HAS(KEY_HEAD_FUNCTION) || HAS(KEY_HEAD_FRAME))))
		return SHAPE_CPUPROFILE;
	return HAS(KEY_TIME) && (HAS(KEY_HAPPENING) || HAS(KEY_KIND)) ? SHAPE_EVENTS : SHAPE_NONE;
#undef HAS
}

/* --- reading --- */

void
profile_open(struct profile_json *p, struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	*p = (struct profile_json){ .collect = to, .recorder = recording_definitions(to), .err = err,
				    .from = from };
	json_open(&p->json, from->read, from->context);
	p->json.counts_lines = recording_lists_rejects(to);
}

void
profile_broken(struct profile_json *p, const char *why)
{
	if (p->json.wrong != NULL)
		return;			/* which explains the rest */
	if (!p->broken)
		recording_broken(p->collect, why);
	p->broken = true;
}

static void
record_batch(struct profile_json *p)
{
	if (p->result == 0)
		p->result = recording_samples(p->collect, &p->batch, p->err);
	p->batch.count = 0;
}

int
profile_close(struct profile_json *p)
{
	int64_t offset;
	const char *wrong = json_wrong(&p->json, &offset);

	record_batch(p);
	if (p->negative > 0)
		recording_broken(p->collect, "weights below 0, as a difference of profiles has them; they count 0");
	if (p->fractions > 0)
		recording_broken(p->collect, "weights that are not whole numbers; rounded");
	if (wrong != NULL && !p->open_end) {
		snprintf(p->complaint, sizeof p->complaint, "not JSON at byte %lld: %s; what precedes it was read",
			 (long long)offset, wrong);
		recording_broken(p->collect, p->complaint);
		recording_rejected_rest(p->collect, p->from, between(p->json.at, p->json.end), json_line(&p->json));
	}
	json_close(&p->json);
	arena_release(&p->arena);
	return p->result < 0 ? -1 : recorder_error(p->recorder, p->err);
}

struct stk_text
profile_kept(struct profile_json *p)
{
	return text_of(arena_copy(&p->arena, p->json.text.data, p->json.text.size), p->json.text.size);
}

struct stk_text
profile_text(struct profile_json *p)
{
	enum json_kind kind = json_next(&p->json);

	if (kind == JSON_STRING || kind == JSON_NUMBER)
		return profile_kept(p);
	json_pass(&p->json, kind);
	return text_of("", 0);
}

uint32_t
profile_frame(struct profile_json *p, struct stk_text name, struct stk_text file, struct stk_text module, int64_t line)
{
	struct frame_parts parts = { .function = name.size > 0 ? name : text_from("(anonymous)"), .file = file,
				     .module = module, .line = line > 0 ? line : 0, .form = STK_FORM_PLAIN };

	return recording_frame(p->collect, &parts);
}

/* The place of " (EVENT)" at the end of a name, or its size. */
static size_t
event_at(struct stk_text name)
{
	const char *open = name.size > 3 && name.data[name.size - 1] == ')' ? memrchr(name.data, '(', name.size) : NULL;

	return open != NULL && open > name.data && open[-1] == ' ' ? (size_t)(open - 1 - name.data) : name.size;
}

struct profile_thread
profile_thread(struct profile_json *p, struct stk_text name, uint64_t tid, bool ours,
	       struct stk_text event)
{
	struct stk_thread row = { .source = recording_source(p->collect), .tid = tid };
	size_t end = ours ? event_at(name) : name.size;
	struct stk_text of = end < name.size ? text_of(name.data + end + 2, name.size - end - 3) : event;
	struct profile_thread thread;

	row.name = recorder_string(p->recorder, text_of(name.data, end));
	thread.thread = recorder_thread(p->recorder, &row);
	thread.event = recorder_string(p->recorder, of);
	return thread;
}

void
profile_sample(struct profile_json *p, const struct profile_thread *of, int64_t time_ns, uint32_t stack, int64_t weight,
	       enum stk_state state)
{
	struct stk_sample row = { .time = time_ns, .thread = of->thread, .stack = stack, .event = of->event,
				  .weight = profile_row_weight(p, weight), .state = state, .processor = -1 };

	if (sample_batch_add(&p->batch, &row))
		record_batch(p);
}

uint32_t
profile_rows(struct profile_json *p, const struct profile_thread *of, size_t wanted, struct profile_rows *rows)
{
	struct sample_batch *batch = &p->batch;
	uint32_t at = batch->count;

	sample_batch_alike(batch, of->thread, of->event);
	*rows = (struct profile_rows){ batch->time + at, batch->stack + at, batch->weight + at, batch->state + at };
	return wanted < SAMPLE_BATCH_MAX - at ? (uint32_t)wanted : SAMPLE_BATCH_MAX - at;
}

void
profile_rows_add(struct profile_json *p, uint32_t count)
{
	p->batch.count += count;
	if (p->batch.count == SAMPLE_BATCH_MAX)
		record_batch(p);
}

/* --- columns --- */

void
profile_next_numbers(struct profile_json *p, struct numbers *to, int scale)
{
	do {
		array_reserve(to, NUMBERS_AT_ONCE);
		to->count += json_next_integers(&p->json, scale, to->at + to->count, to->room - to->count);
	} while (to->count == to->room);
}

enum json_kind
profile_numbers_ahead(struct profile_json *p, struct numbers *to, int scale)
{
	enum json_kind kind;

	for (;;) {
		int64_t value;

		profile_next_numbers(p, to, scale);
		kind = json_next(&p->json);
		if (kind != JSON_NUMBER)
			return kind;
		if (!json_integer(p->json.text, scale, &value) || value < STK_TIME_LEAST || value > STK_TIME_MOST) {
			profile_broken(p, "a number beyond 2^62; left out");
			value = NO_NUMBER;
		}
		*array_push(to) = value;
	}
}

void
profile_numbers(struct profile_json *p, struct numbers *to, int scale)
{
	enum json_kind kind;

	to->count = 0;
	if (!profile_expects(p, JSON_ARRAY))
		return;
	array_reserve(to, COLUMN_NUMBERS);
	while ((kind = profile_numbers_ahead(p, to, scale)) > JSON_BAD && kind != JSON_ARRAY_END) {
		json_pass(&p->json, kind);
		*array_push(to) = NO_NUMBER;
	}
}

bool
profile_next_object(struct profile_json *p)
{
	enum json_kind kind;

	while ((kind = json_next_likely(&p->json, JSON_OBJECT)) > JSON_BAD && kind != JSON_ARRAY_END) {
		if (kind == JSON_OBJECT)
			return true;
		if (kind == JSON_ARRAY)
			(void)json_leave(&p->json, p->json.depth);
		profile_broken(p, "a value in a list of objects that is none; left out");
	}
	return false;
}

bool
profile_expects(struct profile_json *p, enum json_kind wanted)
{
	enum json_kind kind = json_next_likely(&p->json, wanted);

	if (kind == wanted)
		return true;
	json_pass(&p->json, kind);
	return false;
}

/* Some writers have 64-bit numbers as texts, which JavaScript's numbers do not hold. */
int64_t
profile_number(struct profile_json *p, int scale, int64_t otherwise)
{
	enum json_kind kind;
	int64_t value;

	if (json_next_integer(&p->json, scale, &value))
		return value;
	kind = json_next(&p->json);
	json_pass(&p->json, kind);
	if (kind != JSON_NUMBER && (kind != JSON_STRING || !text_is_digits(p->json.text)))
		return otherwise;
	if (json_integer(p->json.text, scale, &value) && value >= STK_TIME_LEAST && value <= STK_TIME_MOST)
		return value;
	profile_broken(p, "a number beyond 2^62; left out");
	return otherwise;
}
