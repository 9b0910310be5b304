/* SPDX-License-Identifier: MIT
 * script_stacks: stacks of scripts as JSON.
 *
 * py-spy dump --json writes a list of threads:
 *	[{"pid": 812, "thread_id": 140, "thread_name": "MainThread", "os_thread_id": 812, "active": false,
 *	  "owns_gil": false, "frames": [{"name": "wait", "filename": "/usr/lib/threading.py", "line": 320}]}]
 *
 * rbspy record writes a raw file, as a rule compressed by gzip, of which its other formats are made: a line "rbspy02",
 * one with facts, and one for each stack. Earlier ones are without the facts (01), and stacks are lists alone (00).
 *	{"trace":[{"name":"wait","relative_path":"work.rb","absolute_path":"/srv/work.rb","lineno":12}],
 *	  "pid":812,"thread_id":7,"time":{"secs_since_epoch":1767225600,"nanos_since_epoch":5},"on_cpu":true}
 *
 * Frames are leaf first. */
#include "base/array.h"
#include "ingest/profile_json.h"
#include "model/recorder.h"

#define RBSPY "rbspy"
#define RBSPY_HEAD 8u		/* bytes: "rbspy02\n" */
#define NS_PER_S 1000000000

struct stacks {
	struct profile_json p;
	ARRAY(uint32_t) frames;		/* of the present stack, leaf first */
	struct stk_text thread_name, command;
	uint64_t pid, tid, thread_id;
	bool named_tid, has_frames, gil;
	bool begun;			/* the dump */
	enum json_kind active;		/* JSON_TRUE, JSON_FALSE or JSON_NULL */
	int64_t time_ns;
};

/* --- values --- */

static uint64_t
number_value(struct stacks *s)
{
	int64_t number = profile_number(&s->p, 0, 0);

	return number > 0 ? (uint64_t)number : 0;
}

/* The value of a key that is true or false; JSON_NULL: it is neither. */
static enum json_kind
truth(struct stacks *s)
{
	enum json_kind kind = json_next(&s->p.json);

	json_pass(&s->p.json, kind);
	return kind == JSON_TRUE || kind == JSON_FALSE ? kind : JSON_NULL;
}

/* Ids of threads of Python are addresses, which may be beyond 2^62. */
static uint64_t
id_value(struct stacks *s)
{
	uint64_t number = 0;

	if (!profile_expects(&s->p, JSON_NUMBER))
		return 0;
	for (size_t i = 0; i < s->p.json.text.size; i++) {
		char c = s->p.json.text.data[i];

		if (c < '0' || c > '9' || __builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(c - '0'), &number))
			return 0;
	}
	return number;
}

/* --- frames --- */

struct frame_keys { const char *name, *file, *better_file, *module, *line; };

static const struct frame_keys of_python = { "name", "filename", "short_filename", "module", "line" },
			       of_ruby = { "name", "relative_path", "absolute_path", "", "lineno" };

static void
read_frame(struct stacks *s, const struct frame_keys *keys)
{
	struct stk_text name = text_of("", 0), file = name, better = name, module = name;
	struct json_reader *json = &s->p.json;
	int64_t line = 0;

	while (json_next(json) == JSON_KEY) {
		struct stk_text *to = text_is(json->text, keys->name) ? &name
				      : text_is(json->text, keys->file) ? &file
				      : text_is(json->text, keys->better_file) ? &better
				      : text_is(json->text, keys->module) ? &module : NULL;

		if (to != NULL)
			*to = profile_text(&s->p);
		else if (text_is(json->text, keys->line))
			line = profile_number(&s->p, 0, 0);
		else
			(void)json_skip(json);
	}
	if (name.size == 0 && file.size == 0 && better.size == 0) {
		profile_broken(&s->p, "an object that is no frame; left out");
		return;
	}
	if (better.size > 0)
		file = better;
	if (text_is(file, "(unknown)"))		/* of a function that is written in C */
		file.size = 0;
	*array_push(&s->frames) = profile_frame(&s->p, name, file, module, line);
}

static void
read_frames(struct stacks *s, const struct frame_keys *keys)
{
	while (profile_next_object(&s->p))
		if (s->frames.count < INGEST_DEPTH_MAX) {
			read_frame(s, keys);
		} else {
			profile_broken(&s->p, "a stack of more than 65536 frames, whose outer ones are left out");
			(void)json_leave(&s->p.json, s->p.json.depth);
		}
	s->has_frames = true;
}

static uint32_t
stack_of(struct stacks *s)
{
	uint32_t stack = 0;

	for (size_t f = s->frames.count; f > 0; f--)
		stack = recorder_stack(s->p.recorder, stack, s->frames.at[f - 1]);
	return stack;
}

/* --- a thread --- */

static void
begin_thread(struct stacks *s)
{
	s->frames.count = 0;
	s->thread_name = s->command = text_of("", 0);
	s->pid = s->tid = s->thread_id = 0;
	s->named_tid = s->has_frames = s->gil = false;
	s->active = JSON_NULL;
	s->time_ns = STK_TIME_UNKNOWN;
}

/* The dump is of the process of its first thread. */
static void
begin_dump(struct stacks *s)
{
	if (s->begun || s->p.result < 0)
		return;
	s->begun = true;
	recording_process(s->p.collect, s->pid, recorder_string(s->p.recorder, s->command), 0, 0);
	s->p.result = recording_begin_dump(s->p.collect, STK_TIME_UNKNOWN, text_of("", 0), s->p.err);
}

static void
add_sample(struct stacks *s, struct stk_text condition)
{
	struct stk_thread thread = { .tid = s->named_tid ? s->tid : s->thread_id };
	struct stk_sample row = { .time = s->time_ns, .weight = 1, .processor = -1 };

	thread.source = recording_source_of(s->p.collect, s->pid, s->command);
	thread.name = recorder_string(s->p.recorder, s->thread_name);
	row.thread = recorder_thread(s->p.recorder, &thread);
	row.stack = stack_of(s);
	row.condition = recorder_string(s->p.recorder, condition);
	row.state = s->active == JSON_TRUE ? STK_STATE_RUNNING
		    : s->active == JSON_FALSE ? STK_STATE_SLEEPING : STK_STATE_UNKNOWN;
	if (s->p.result == 0)
		s->p.result = recording_sample(s->p.collect, &row, s->p.err);
	arena_reset(&s->p.arena);
}

/* --- py-spy --- */

static void
read_process(struct stacks *s)
{
	if (!profile_expects(&s->p, JSON_OBJECT))
		return;
	while (json_next(&s->p.json) == JSON_KEY)
		if (text_is(s->p.json.text, "command_line"))
			s->command = profile_text(&s->p);
		else
			(void)json_skip(&s->p.json);
}

static void
read_python_thread(struct stacks *s)
{
	struct json_reader *json = &s->p.json;
	enum json_kind kind;

	begin_thread(s);
	while ((kind = json_next(json)) == JSON_KEY) {
		if (text_is(json->text, "pid"))
			s->pid = number_value(s);
		else if (text_is(json->text, "thread_id"))
			s->thread_id = id_value(s);
		else if (text_is(json->text, "os_thread_id"))
			s->named_tid = (s->tid = id_value(s)) != 0;
		else if (text_is(json->text, "thread_name"))
			s->thread_name = profile_text(&s->p);
		else if (text_is(json->text, "active"))
			s->active = truth(s);
		else if (text_is(json->text, "owns_gil"))
			s->gil = truth(s) == JSON_TRUE;
		else if (text_is(json->text, "process_info"))
			read_process(s);
		else if (!text_is(json->text, "frames"))
			(void)json_skip(json);
		else if (profile_expects(&s->p, JSON_ARRAY))
			read_frames(s, &of_python);
	}
	if (kind != JSON_OBJECT_END)
		return;			/* the text ends in it */
	if (!s->has_frames)
		profile_broken(&s->p, "a thread without a list of frames");
	begin_dump(s);
	add_sample(s, text_from(s->active == JSON_NULL ? "" : s->active == JSON_FALSE ? "idle"
				: s->gil ? "active+gil" : "active"));
}

static int
read_python(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct stacks s = { .pid = 0 };
	enum json_kind kind;
	int result;

	profile_open(&s.p, to, from, err);
	s.p.json.several = true;
	while (s.p.result == 0 && (kind = json_next(&s.p.json)) > JSON_BAD) {
		if (kind != JSON_ARRAY) {
			json_pass(&s.p.json, kind);
			profile_broken(&s.p, "no list where the threads of a process are expected");
			continue;
		}
		s.begun = false;
		while (s.p.result == 0 && profile_next_object(&s.p))
			read_python_thread(&s);
		begin_thread(&s);
		begin_dump(&s);
		recording_end_dump(to);
	}
	result = profile_close(&s.p);
	array_release(&s.frames);
	return result;
}

static int
recognise_python(struct stk_text text)
{
	return profile_shape(text) == SHAPE_PYSPY ? 100 : 0;
}

const struct text_format pyspy_json_format = {
	.name = "pyspy-json",
	.about = "threads of a Python program in JSON: py-spy dump --json",
	.shown_by = "JSON, a list of threads with thread_id, owns_gil and frames",
	.clock = STK_CLOCK_UNKNOWN,
	.runtime = STK_RUNTIME_SCRIPT,
	.recognise = recognise_python,
	.read = read_python
};

/* --- rbspy --- */

/* {"secs_since_epoch": 1767225600, "nanos_since_epoch": 5} */
static void
read_moment(struct stacks *s)
{
	int64_t seconds = NO_NUMBER, nanos = 0;

	if (!profile_expects(&s->p, JSON_OBJECT))
		return;
	while (json_next(&s->p.json) == JSON_KEY)
		if (text_is(s->p.json.text, "secs_since_epoch"))
			seconds = profile_number(&s->p, 9, NO_NUMBER);
		else if (text_is(s->p.json.text, "nanos_since_epoch"))
			nanos = profile_number(&s->p, 0, 0);
		else
			(void)json_skip(&s->p.json);
	if (seconds != NO_NUMBER)
		s->time_ns = seconds + (nanos >= 0 && nanos < NS_PER_S ? nanos : 0);
}

/* A stack, or the facts of the recording, which has none. */
static void
read_ruby_object(struct stacks *s)
{
	struct json_reader *json = &s->p.json;
	bool facts = false;
	enum json_kind kind;

	begin_thread(s);
	while ((kind = json_next(json)) == JSON_KEY) {
		if (text_is(json->text, "pid"))
			s->pid = number_value(s);
		else if (text_is(json->text, "thread_id"))
			s->thread_id = id_value(s);
		else if (text_is(json->text, "on_cpu"))
			s->active = truth(s);
		else if (text_is(json->text, "time"))
			read_moment(s);
		else if (text_is(json->text, "trace")) {
			if (profile_expects(&s->p, JSON_ARRAY))
				read_frames(s, &of_ruby);
		} else {
			facts |= text_is(json->text, "rbspy_version") || text_is(json->text, "sample_rate");
			(void)json_skip(json);
		}
	}
	if (kind != JSON_OBJECT_END)
		return;
	if (s->has_frames)
		add_sample(s, text_of("", 0));
	else if (!facts)
		profile_broken(&s->p, "a sample without a stack; left out");
}

static int
read_ruby(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct stacks s = { .pid = 0 };
	char head[RBSPY_HEAD];
	enum json_kind kind;
	int result;

	for (size_t got = 0, size; got < sizeof head; got += size)
		if ((size = from->read(from->context, head + got, sizeof head - got)) == 0)
			break;
	profile_open(&s.p, to, from, err);
	s.p.json.lines = 1;		/* the head */
	s.p.json.several = true;
	while (s.p.result == 0 && (kind = json_next(&s.p.json)) > JSON_BAD) {
		begin_thread(&s);
		if (kind == JSON_OBJECT) {
			read_ruby_object(&s);
		} else if (kind == JSON_ARRAY) {
			read_frames(&s, &of_ruby);
			if (s.p.json.wrong == NULL)
				add_sample(&s, text_of("", 0));
		} else {
			json_pass(&s.p.json, kind);
			profile_broken(&s.p, "a line that is no stack; left out");
		}
	}
	result = profile_close(&s.p);
	array_release(&s.frames);
	return result;
}

static int
recognise_ruby(struct stk_text text)
{
	return text.size >= RBSPY_HEAD && text_starts(text, RBSPY "0") && text.data[6] >= '0' && text.data[6] <= '2' &&
			       text.data[7] == '\n'
		       ? 100
		       : 0;
}

const struct text_format rbspy_format = {
	.name = "rbspy",
	.about = "what rbspy record keeps of a Ruby program, its raw file: stacks with their times",
	.shown_by = "its first line, rbspy and the version: " RBSPY "02",
	.is_text = true,
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_SCRIPT,
	.recognise = recognise_ruby,
	.read = read_ruby
};
