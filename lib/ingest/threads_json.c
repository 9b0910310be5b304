/* SPDX-License-Identifier: MIT
 * threads_json: dumps of a Java VM's threads in JSON: what jcmd's Thread.dump_to_file writes (JDK 21 to 25), with
 * virtual threads, and what Spring's actuator answers. A thread's stack becomes the text that a thread dump has of it,
 * so that the same reader makes the same frames and locks of both. */
#include "ingest/profile_json.h"

#include "ingest/civil_moment.h"
#include "ingest/text_lines.h"

struct frame_lock { uint64_t depth; struct stk_text object; };	/* no object: it was optimised away */

struct thread {
	struct stk_text name, state, container, owner, carrier;
	struct stk_text waits;		/* the object, "java.lang.Object@6c9fa15f" */
	const char *how;		/* "waiting on " ... */
	uint64_t number;
	int32_t priority;
	int64_t time_ns;
	bool is_virtual, daemon;
	ARRAY(struct stk_text) frames;	/* leaf first, as thread dumps write them */
	ARRAY(struct frame_lock) locks;
	ARRAY(struct stk_text) owned;	/* synchronizers */
};

struct threads {
	struct profile_json p;
	struct thread thread;		/* the present one */
	struct arena arena;		/* its texts */
	struct text_buffer text, note;
	struct stk_text vm;
	int64_t time_ns;
	uint64_t pid;
	bool begun;
	uint64_t expected, seen;	/* threads, by the counts of containers */
};

/* --- values --- */

/* The value of a key that is a text or a number, kept while the thread is read; another value is skipped. A byte that
 * would end a line is a blank. */
static struct stk_text
text_value(struct threads *t)
{
	struct json_reader *json = &t->p.json;
	enum json_kind kind = json_next(json);
	char *copy;

	if (kind != JSON_STRING && kind != JSON_NUMBER) {
		json_pass(json, kind);
		return text_of("", 0);
	}
	copy = arena_alloc(&t->arena, json->text.size + 1);
	for (size_t i = 0; i < json->text.size; i++)
		copy[i] = (unsigned char)json->text.data[i] < ' ' ? ' ' : json->text.data[i];
	return text_of(copy, json->text.size);
}

static uint64_t
number_of(struct stk_text text)
{
	const char *at = text.data;
	uint64_t number = 0;

	(void)scan_decimal(&at, text.data + text.size, &number);
	return number;
}

static int64_t
time_of(struct stk_text text)
{
	int64_t ns;

	return text_ends(text, "Z") && civil_moment_read(text, &ns) ? ns : STK_TIME_UNKNOWN;
}

/* --- frames --- */

/* {"className": "shop.Till", "methodName": "open", "fileName": "Till.java", "lineNumber": 9, "moduleName": null} */
static struct stk_text
frame_of_object(struct threads *t)
{
	struct stk_text class = text_of("", 0), method = class, file = class, module = class, version = class,
			line = class;
	struct text_buffer *to = &t->text;

	while (json_next(&t->p.json) == JSON_KEY) {
		struct stk_text *value = text_is(t->p.json.text, "className") ? &class
					 : text_is(t->p.json.text, "methodName") ? &method
					 : text_is(t->p.json.text, "fileName") ? &file
					 : text_is(t->p.json.text, "moduleName") ? &module
					 : text_is(t->p.json.text, "moduleVersion") ? &version
					 : text_is(t->p.json.text, "lineNumber") ? &line : NULL;

		if (value != NULL)
			*value = text_value(t);
		else
			(void)json_skip(&t->p.json);
	}
	to->count = 0;
	add_text(to, class);
	add_char(to, '.');
	add_text(to, method);
	add_char(to, '(');
	add_text(to, module);
	add_string(to, version.size > 0 ? "@" : "");
	add_text(to, version);
	add_string(to, module.size > 0 ? "/" : "");
	if (text_is(line, "-2"))
		add_string(to, "Native Method");
	else
		add_text(to, file.size > 0 ? file : text_from("Unknown Source"));
	if (file.size > 0 && line.size > 0 && *line.data != '-') {
		add_char(to, ':');
		add_text(to, line);
	}
	add_char(to, ')');
	return text_of(arena_copy(&t->arena, to->at, to->count), to->count);
}

static void
read_frames(struct threads *t)
{
	enum json_kind kind;
	char *copy;

	if (!profile_expects(&t->p, JSON_ARRAY))
		return;
	while ((kind = json_next(&t->p.json)) > JSON_BAD && kind != JSON_ARRAY_END) {
		if (kind == JSON_STRING) {
			struct stk_text text = t->p.json.text;

			copy = arena_copy(&t->arena, text.data, text.size);
			for (size_t i = 0; i < text.size; i++)
				copy[i] = (unsigned char)copy[i] < ' ' ? ' ' : copy[i];
			*array_push(&t->thread.frames) = text_of(copy, text.size);
		} else if (kind == JSON_OBJECT) {
			*array_push(&t->thread.frames) = frame_of_object(t);
		} else {
			json_pass(&t->p.json, kind);
		}
	}
}

/* --- locks --- */

/* {"className": "java.lang.Object", "identityHashCode": 460}; the place of a frame too, of a monitor. */
static struct frame_lock
lock_of_object(struct threads *t)
{
	struct frame_lock lock = { 0 };
	struct stk_text class = text_of("", 0);
	uint64_t hash = 0;
	struct text_buffer *to = &t->text;

	while (json_next(&t->p.json) == JSON_KEY) {
		if (text_is(t->p.json.text, "className"))
			class = text_value(t);
		else if (text_is(t->p.json.text, "identityHashCode"))
			hash = number_of(text_value(t));
		else if (text_is(t->p.json.text, "lockedStackDepth"))
			lock.depth = number_of(text_value(t));
		else
			(void)json_skip(&t->p.json);
	}
	to->count = 0;
	add_text(to, class);
	add_char(to, '@');
	add_hex(to, hash & UINT32_MAX, 1);
	lock.object = text_of(arena_copy(&t->arena, to->at, to->count), to->count);
	return lock;
}

/* [{"depth": 3, "locks": ["java.lang.Object@6c9fa15f", null]}] */
static void
read_monitors(struct threads *t)
{
	struct json_reader *json = &t->p.json;
	enum json_kind kind;

	if (!profile_expects(&t->p, JSON_ARRAY))
		return;
	while (profile_next_object(&t->p)) {
		size_t first = t->thread.locks.count;
		uint64_t depth = 0;

		while (json_next(json) == JSON_KEY) {
			if (text_is(json->text, "depth")) {
				depth = number_of(text_value(t));
			} else if (!text_is(json->text, "locks")) {
				(void)json_skip(json);
			} else if (profile_expects(&t->p, JSON_ARRAY)) {
				while ((kind = json_next(json)) > JSON_BAD && kind != JSON_ARRAY_END) {
					struct frame_lock *lock = array_push(&t->thread.locks);

					*lock = (struct frame_lock){ 0 };
					if (kind == JSON_STRING)
						lock->object = text_of(arena_copy(&t->arena, json->text.data,
										  json->text.size), json->text.size);
					json_pass(json, kind);
				}
			}
		}
		for (; first < t->thread.locks.count; first++)
			t->thread.locks.at[first].depth = depth;
	}
}

static void
read_locked_objects(struct threads *t, bool synchronizers)
{
	if (!profile_expects(&t->p, JSON_ARRAY))
		return;
	while (profile_next_object(&t->p)) {
		struct frame_lock lock = lock_of_object(t);

		if (synchronizers)
			*array_push(&t->thread.owned) = lock.object;
		else
			*array_push(&t->thread.locks) = lock;
	}
}

static void
read_park_blocker(struct threads *t)
{
	if (!profile_expects(&t->p, JSON_OBJECT))
		return;
	while (json_next(&t->p.json) == JSON_KEY) {
		if (text_is(t->p.json.text, "object")) {
			t->thread.waits = text_value(t);
			t->thread.how = "parking to wait for ";
		} else if (text_is(t->p.json.text, "owner")) {
			t->thread.owner = text_value(t);
		} else {
			(void)json_skip(&t->p.json);
		}
	}
}

/* --- a thread --- */

static void
add_lock(struct text_buffer *to, const char *how, struct stk_text object)
{
	add_string(to, "\t- ");
	add_string(to, how);
	add_text(to, object);
	add_char(to, '\n');
}

static void
add_locks_at(struct threads *t, uint64_t depth)
{
	for (size_t i = 0; i < t->thread.locks.count; i++) {
		const struct frame_lock *lock = &t->thread.locks.at[i];

		if (lock->depth != depth)
			continue;
		if (lock->object.size > 0)
			add_lock(&t->text, "locked ", lock->object);
		else
			add_lock(&t->text, "eliminated ", text_from("<owner is scalar replaced>"));
	}
}

static struct stk_text
stack_text(struct threads *t)
{
	const struct thread *thread = &t->thread;
	struct text_buffer *to = &t->text;
	/* the actuator says what a blocked thread waits for in the same words as the others */
	const char *how = text_is(thread->state, "BLOCKED") ? "waiting to lock " : thread->how;

	to->count = 0;
	if (thread->state.size > 0) {
		add_string(to, "   java.lang.Thread.State: ");
		add_text(to, thread->state);
		add_char(to, '\n');
	}
	for (size_t f = 0; f < thread->frames.count; f++) {
		add_string(to, "\tat ");
		add_text(to, thread->frames.at[f]);
		add_char(to, '\n');
		if (f == 0 && thread->waits.size > 0)
			add_lock(to, how, thread->waits);
		add_locks_at(t, f);
	}
	for (size_t i = 0; i < thread->owned.count; i++)
		add_lock(to, "", thread->owned.at[i]);
	return text_of(to->at, to->count);
}

static void
add_note(struct text_buffer *to, const char *words, struct stk_text value)
{
	if (value.size == 0)
		return;
	add_string(to, to->count > 0 ? ", " : "");
	add_string(to, words);
	add_text(to, value);
}

static void
begin_dump(struct threads *t)
{
	if (t->begun || t->p.result < 0)
		return;
	t->begun = true;
	recording_process(t->p.collect, t->pid, 0, 0, 0);
	t->p.result = recording_begin_dump(t->p.collect, t->time_ns, t->vm, t->p.err);
}

static void
add_thread(struct threads *t)
{
	const struct thread *thread = &t->thread;
	struct found_sample sample = { .processor = PROCESSOR_UNKNOWN, .time_ns = STK_TIME_UNKNOWN, .weight = 1 };

	begin_dump(t);
	t->note.count = 0;
	add_note(&t->note, "in ", thread->container);
	add_note(&t->note, "owned by ", thread->owner);
	add_note(&t->note, "carried by #", thread->carrier);
	sample.name = thread->name;
	sample.number = thread->number;
	sample.priority = thread->priority;
	sample.role = thread->is_virtual ? STK_ROLE_VIRTUAL : thread->daemon ? STK_ROLE_DAEMON : STK_ROLE_JAVA;
	sample.note = text_of(t->note.at, t->note.count);
	sample.stack = stack_text(t);
	if (sample.stack.size > 0)
		sample.hash = scan_hash(sample.stack);
	if (thread->time_ns != STK_TIME_UNKNOWN && t->time_ns != STK_TIME_UNKNOWN && thread->time_ns > t->time_ns)
		sample.age_ns = thread->time_ns - t->time_ns;
	t->seen++;
	if (t->p.result == 0)
		t->p.result = recording_thread(t->p.collect, &sample, t->p.err);
}

static void
clear_thread(struct threads *t, struct stk_text container)
{
	struct thread *thread = &t->thread;

	thread->frames.count = thread->locks.count = thread->owned.count = 0;
	thread->name = thread->state = thread->owner = thread->carrier = thread->waits = text_of("", 0);
	thread->container = container;
	thread->how = "waiting on ";
	thread->number = 0;
	thread->priority = 0;
	thread->time_ns = STK_TIME_UNKNOWN;
	thread->is_virtual = thread->daemon = false;
	arena_reset(&t->arena);
}

/* Keys of jcmd's file. False: it is none of them. */
static bool
read_jcmd_key(struct threads *t, struct stk_text key)
{
	struct thread *thread = &t->thread;

	if (text_is(key, "tid"))
		thread->number = number_of(text_value(t));
	else if (text_is(key, "name"))
		thread->name = text_value(t);
	else if (text_is(key, "time"))
		thread->time_ns = time_of(text_value(t));
	else if (text_is(key, "state"))
		thread->state = text_value(t);
	else if (text_is(key, "virtual"))
		thread->is_virtual = json_next(&t->p.json) == JSON_TRUE;
	else if (text_is(key, "carrier"))
		thread->carrier = text_value(t);
	else if (text_is(key, "stack"))
		read_frames(t);
	else if (text_is(key, "monitorsOwned"))
		read_monitors(t);
	else if (text_is(key, "parkBlocker"))
		read_park_blocker(t);
	else if (text_is(key, "blockedOn") || text_is(key, "waitingOn"))
		thread->waits = text_value(t);
	else
		return false;
	return true;
}

/* Keys of the actuator's answer. */
static bool
read_actuator_key(struct threads *t, struct stk_text key)
{
	struct thread *thread = &t->thread;

	if (text_is(key, "threadName"))
		thread->name = text_value(t);
	else if (text_is(key, "threadId"))
		thread->number = number_of(text_value(t));
	else if (text_is(key, "threadState"))
		thread->state = text_value(t);
	else if (text_is(key, "daemon"))
		thread->daemon = json_next(&t->p.json) == JSON_TRUE;
	else if (text_is(key, "priority"))
		thread->priority = (int32_t)(number_of(text_value(t)) & 0xff);
	else if (text_is(key, "stackTrace"))
		read_frames(t);
	else if (text_is(key, "lockedMonitors"))
		read_locked_objects(t, false);
	else if (text_is(key, "lockedSynchronizers"))
		read_locked_objects(t, true);
	else if (text_is(key, "lockName"))
		thread->waits = text_value(t);
	else if (text_is(key, "lockOwnerName"))
		thread->owner = text_value(t);
	else
		return false;
	return true;
}

/* A thread that the text ends in is not one. */
static void
read_thread(struct threads *t, struct stk_text container)
{
	bool has_stack = false;
	enum json_kind kind;

	clear_thread(t, container);
	while ((kind = json_next(&t->p.json)) == JSON_KEY) {
		struct stk_text key = t->p.json.text;

		has_stack |= text_is(key, "stack") || text_is(key, "stackTrace");
		if (!read_jcmd_key(t, key) && !read_actuator_key(t, key))
			(void)json_skip(&t->p.json);
	}
	if (kind != JSON_OBJECT_END)
		return;
	if (!has_stack)
		profile_broken(&t->p, "an object without a stack, which is no thread");
	if (!has_stack && t->thread.name.size == 0 && t->thread.number == 0)
		return;
	if (text_starts(t->thread.waits, "java.util.concurrent.locks.") && t->thread.how[0] == 'w' &&
	    !text_is(t->thread.state, "BLOCKED"))
		t->thread.how = "parking to wait for ";
	add_thread(t);
}

static void
read_thread_list(struct threads *t, struct stk_text container)
{
	if (!profile_expects(&t->p, JSON_ARRAY))
		return;
	while (profile_next_object(&t->p))
		read_thread(t, container);
}

/* --- a dump --- */

static void
read_containers(struct threads *t)
{
	if (!profile_expects(&t->p, JSON_ARRAY))
		return;
	while (profile_next_object(&t->p)) {
		struct stk_text container = text_of("", 0);

		while (json_next(&t->p.json) == JSON_KEY) {
			if (text_is(t->p.json.text, "container")) {
				container = profile_text(&t->p);
				if (text_is(container, "<root>"))
					container.size = 0;
			} else if (text_is(t->p.json.text, "threads")) {
				read_thread_list(t, container);
			} else if (text_is(t->p.json.text, "threadCount")) {
				t->expected += number_of(profile_text(&t->p));
			} else {
				(void)json_skip(&t->p.json);
			}
		}
	}
}

static void
read_dump(struct threads *t)
{
	if (!profile_expects(&t->p, JSON_OBJECT))
		return;
	while (json_next(&t->p.json) == JSON_KEY) {
		if (text_is(t->p.json.text, "processId"))
			t->pid = number_of(profile_text(&t->p));
		else if (text_is(t->p.json.text, "time"))
			t->time_ns = time_of(profile_text(&t->p));
		else if (text_is(t->p.json.text, "runtimeVersion"))
			t->vm = profile_text(&t->p);
		else if (text_is(t->p.json.text, "threadContainers"))
			read_containers(t);
		else
			(void)json_skip(&t->p.json);
	}
	begin_dump(t);
}

/* What jcmd or the actuator writes. */
static void
read_answer(struct threads *t)
{
	bool has_threads = false;

	while (json_next(&t->p.json) == JSON_KEY) {
		bool dump = text_is(t->p.json.text, "threadDump"), list = text_is(t->p.json.text, "threads");

		has_threads |= dump || list;
		if (dump)
			read_dump(t);
		else if (list)
			read_thread_list(t, text_of("", 0));
		else
			(void)json_skip(&t->p.json);
	}
	if (!has_threads)
		profile_broken(&t->p, "an object that is no dump of threads; only dumps are read here");
}

/* One value: a dump of jcmd, an answer of the actuator, or its list of threads alone. */
static void
read_value(struct threads *t, enum json_kind kind)
{
	t->begun = false;
	t->time_ns = STK_TIME_UNKNOWN;
	t->vm = text_of("", 0);
	t->pid = t->expected = t->seen = 0;
	if (kind == JSON_ARRAY) {
		while (profile_next_object(&t->p))
			read_thread(t, text_of("", 0));
	} else if (kind == JSON_OBJECT) {
		read_answer(t);
	} else {
		profile_broken(&t->p, "no object where a dump of threads is expected");
	}
	if (t->begun && t->p.result == 0)
		recording_end_dump(t->p.collect);
	if (t->expected > t->seen)
		profile_broken(&t->p, "a container has fewer threads than its count says");
}

static int
read_threads(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct threads t = { .begun = false };
	enum json_kind kind;
	int result;

	profile_open(&t.p, to, from, err);
	t.p.json.several = true;
	while (t.p.result == 0 && (kind = json_next(&t.p.json)) > JSON_BAD)
		read_value(&t, kind);
	result = profile_close(&t.p);
	array_release(&t.thread.frames);
	array_release(&t.thread.locks);
	array_release(&t.thread.owned);
	array_release(&t.text);
	array_release(&t.note);
	arena_release(&t.arena);
	return result;
}

static int
recognise(struct stk_text text)
{
	return profile_shape(text) == SHAPE_THREADS ? 100 : 0;
}

const struct text_format threads_json_format = {
	.name = "threads-json",
	.about = "threads of a Java VM in JSON: jcmd Thread.dump_to_file, Spring's actuator",
	.shown_by = "JSON with threadDump and threadContainers, or threads with threadName and stackTrace",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_JVM,
	.recognise = recognise,
	.read = read_threads
};
