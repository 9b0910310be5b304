/* SPDX-License-Identifier: MIT
 * jfr: Java Flight Recordings, of the JDK's own recorder and of async-profiler, read without a Java VM. A chunk is held
 * in memory, one at a time; its events are taken in the order of their times. What events mean is known by their names;
 * of others, those with a stack are samples too. */
#include "ingest/jfr_chunk.h"
#include "ingest/whole_input.h"

#include "base/text_buffer.h"
#include "model/recorder.h"

#include <stdlib.h>

#define READ_BYTES (1u << 20)
#define PLACE_MAX  512		/* bytes of a method's name with its class, of a path or peer */

struct jfr {
	struct collect *collect;
	struct recorder *recorder;
	struct stk_error *err;
	struct jfr_chunk *chunk;
	bool told_process, led;		/* led: the first sample was one of what a recording is made for */
	ARRAY(struct known_stack { uint32_t stack; }) stacks;	/* by the id of their entry */
	uint32_t cut_frame;		/* at the root of stacks that are cut there; 0: none was met */
	struct text_buffer room, span_values;
	struct jfr_values values, parts, more;	/* of an event, of what it refers to, and of what that refers to */
};

/* An event's meaning. 0, or -1: the output failed. */
typedef int take_event(struct jfr *j, const struct jfr_type *type);

enum weighs { WEIGHS_ONE, WEIGHS_SPAN, WEIGHS_SAMPLES, WEIGHS_PERIOD, WEIGHS_BYTES };

struct meaning {
	const char *name;
	take_event *take;
	enum weighs weighs;
	enum stk_state state;
};

/* --- what samples refer to --- */

static uint32_t
string_id(struct jfr *j, struct stk_text text)
{
	return recorder_string(j->recorder, text);
}

/* The text that a field of `values` is or refers to. */
#define TEXT(j, values, field) \
	(JFR_HAS(values, field) ? jfr_text((j)->chunk, &(values)->of[JFR_##field]) : text_of("", 0))

/* The name of a class as thread dumps have it: dots, and for a hidden class "X$$Lambda$14/0x0000000800c01000". A
 * recording has + in place of that slash, and a hash after another. */
static void
add_class(struct text_buffer *to, struct stk_text name)
{
	const char *hidden = name.size > 0 ? memmem(name.data, name.size, "+0x", 3) : NULL;
	const char *slash = name.size > 0 ? memmem(name.data, name.size, "/0x", 3) : NULL;
	size_t end = name.size, i;

	if (hidden == NULL)
		hidden = slash;
	if (hidden != NULL)
		end = (size_t)(hidden - name.data);
	for (i = 0; i < end; i++)
		add_char(to, name.data[i] == '/' ? '.' : name.data[i]);
	if (hidden == NULL)
		return;
	add_char(to, '/');
	for (i++; i < name.size && name.data[i] != '/'; i++)
		add_char(to, name.data[i]);
}

/* "java.base@17.0.15", as thread dumps write it, of a class that has a module with a name. */
static void
add_module(struct jfr *j, struct text_buffer *to, const struct jfr_value *package)
{
	struct jfr_values of_package, module;
	struct stk_text name, version;

	if (!jfr_follow(j->chunk, package, &of_package) || !JFR_HAS(&of_package, module) ||
	    !jfr_follow(j->chunk, &of_package.of[JFR_module], &module))
		return;
	name = TEXT(j, &module, name);
	version = TEXT(j, &module, version);
	if (name.size == 0)
		return;
	add_text(to, name);
	if (version.size > 0) {
		add_char(to, '@');
		add_text(to, version);
	}
}

/* What async-profiler writes as the signature of a function that is not Java's. */
static bool
is_native(struct stk_text descriptor)
{
	return text_is(descriptor, "()L;");
}

/* The frame whose fields are in j->parts. */
static uint32_t
frame_id(struct jfr *j)
{
	struct frame_parts parts = { .form = STK_FORM_JAVA };
	struct stk_text kind = TEXT(j, &j->parts, type), class = text_of("", 0), method;
	struct jfr_values *of = &j->more, of_class;
	size_t split;

	if (!JFR_HAS(&j->parts, method) || !jfr_follow(j->chunk, &j->parts.of[JFR_method], of)) {
		parts.function = text_from("[unknown]");
		parts.form = STK_FORM_PLAIN;
		return recording_frame(j->collect, &parts);
	}
	parts.line = JFR_HAS(&j->parts, lineNumber) ? (int32_t)j->parts.of[JFR_lineNumber].number : 0;
	method = TEXT(j, of, name);
	j->room.count = 0;
	if (JFR_HAS(of, type)) {
		class = jfr_text(j->chunk, &of->of[JFR_type]);
		if (jfr_follow(j->chunk, &of->of[JFR_type], &of_class) && JFR_HAS(&of_class, package))
			add_module(j, &j->room, &of_class.of[JFR_package]);
	}
	split = j->room.count;
	if (is_native(TEXT(j, of, descriptor)) || text_is(kind, "Kernel") || text_is(kind, "C++")) {
		parts.form = STK_FORM_NATIVE;
		parts.line = 0;
		parts.function = method;
		parts.module = text_is(kind, "Kernel") && class.size == 0 ? text_from("[kernel.kallsyms]") : class;
		return recording_frame(j->collect, &parts);
	}
	if (class.size > 0) {
		add_class(&j->room, class);
		add_char(&j->room, '.');
	}
	add_text(&j->room, method);
	parts.module = text_of(j->room.at, split);
	parts.function = text_in(&j->room, split);
	parts.line = parts.line <= 0 && text_is(kind, "Native") ? STK_LINE_NATIVE : parts.line < 0 ? 0 : parts.line;
	return recording_frame(j->collect, &parts);
}

/* The stack of an entry: frames are in it leaf first. */
static uint32_t
read_stack(struct jfr *j, const struct jfr_type *type, struct jfr_cursor from)
{
	ARRAY(uint32_t) frames = { 0 };
	const struct jfr_field *field;
	struct jfr_values values;
	uint64_t count;
	uint32_t stack = 0;

	if (!jfr_read(j->chunk, type, &from, &values) || !JFR_HAS(&values, frames) ||
	    !values.of[JFR_frames].field->many)
		return 0;
	field = values.of[JFR_frames].field;
	count = values.of[JFR_frames].number;
	from = (struct jfr_cursor){ values.of[JFR_frames].at, from.at, false };
	for (uint64_t i = 0; i < count; i++) {
		struct jfr_value frame = { .field = field, .at = from.at };

		if (field->pooled) {
			struct jfr_field one = *field;

			one.many = false;
			frame.field = &one;
			frame.number = jfr_number(&from);
			if (!jfr_follow(j->chunk, &frame, &j->parts))
				continue;
		} else if (!jfr_read(j->chunk, &j->chunk->types.at[field->type], &from, &j->parts)) {
			break;
		}
		if (frames.count < INGEST_DEPTH_MAX)
			*array_push(&frames) = frame_id(j);
	}
	if (JFR_HAS(&values, truncated) && values.of[JFR_truncated].number != 0) {
		if (j->cut_frame == 0)
			j->cut_frame = recording_frame(j->collect, &(struct frame_parts){
				.function = text_from("[truncated]"), .form = STK_FORM_PLAIN });
		stack = recorder_stack(j->recorder, stack, j->cut_frame);
	}
	while (frames.count > 0)
		stack = recorder_stack(j->recorder, stack, frames.at[--frames.count]);
	array_release(&frames);
	return stack;
}

/* Ids of entries are places in j->stacks, from 1. */
static uint32_t
stack_of(struct jfr *j, const struct jfr_values *of)
{
	const struct jfr_value *value = &of->of[JFR_stackTrace];
	struct jfr_entry *entry = JFR_HAS(of, stackTrace) ? jfr_entry_of(j->chunk, value) : NULL;
	uint32_t stack;

	if (entry == NULL)
		return 0;
	if (entry->id == 0) {
		stack = read_stack(j, &j->chunk->types.at[value->field->type], jfr_entry_cursor(j->chunk, entry));
		array_push(&j->stacks)->stack = stack;
		entry->id = (uint32_t)j->stacks.count;
	}
	return j->stacks.at[entry->id - 1].stack;
}

static struct stk_text
thread_name(struct jfr *j, const struct jfr_values *of)
{
	struct stk_text name = TEXT(j, of, javaName);

	return name.size > 0 ? name : TEXT(j, of, osName);
}

static uint32_t
define_thread(struct jfr *j, const struct jfr_values *of)
{
	struct stk_thread row = { .source = recording_source(j->collect), .role = STK_ROLE_VM };

	row.tid = JFR_HAS(of, osThreadId) ? of->of[JFR_osThreadId].number : 0;
	row.number = JFR_HAS(of, javaThreadId) && (int64_t)of->of[JFR_javaThreadId].number > 0
			     ? of->of[JFR_javaThreadId].number : 0;
	if (row.number > 0)
		row.role = JFR_HAS(of, virtual) && of->of[JFR_virtual].number != 0 ? STK_ROLE_VIRTUAL : STK_ROLE_JAVA;
	row.name = string_id(j, thread_name(j, of));
	return recorder_thread(j->recorder, &row);
}

static uint32_t
thread_of(struct jfr *j, const struct jfr_values *of)
{
	const struct jfr_value *value = JFR_HAS(of, sampledThread) ? &of->of[JFR_sampledThread]
							       : JFR_HAS(of, eventThread) ? &of->of[JFR_eventThread]
											  : NULL;
	struct jfr_entry *entry = value != NULL ? jfr_entry_of(j->chunk, value) : NULL;

	if (entry == NULL)
		return 0;
	if (entry->id == 0 && jfr_follow(j->chunk, value, &j->parts))
		entry->id = define_thread(j, &j->parts);
	return entry->id;
}

static enum stk_state
state_of(struct jfr *j, const struct jfr_values *of, bool of_system)
{
	static const struct { const char *name; enum stk_state state; } states[] = {
		{ "STATE_NEW", STK_STATE_NEW },
		{ "STATE_TERMINATED", STK_STATE_TERMINATED },
		{ "STATE_RUNNABLE", STK_STATE_RUNNABLE },
		{ "STATE_DEFAULT", STK_STATE_RUNNABLE },
		{ "STATE_SLEEPING", STK_STATE_TIMED_WAITING },
		{ "STATE_IN_OBJECT_WAIT", STK_STATE_WAITING },
		{ "STATE_IN_OBJECT_WAIT_TIMED", STK_STATE_TIMED_WAITING },
		{ "STATE_PARKED", STK_STATE_WAITING },
		{ "STATE_PARKED_TIMED", STK_STATE_TIMED_WAITING },
		{ "STATE_BLOCKED_ON_MONITOR_ENTER", STK_STATE_BLOCKED },
	};
	struct stk_text name = TEXT(j, of, state);

	/* a profiler that looks from outside sees that the system runs the thread, or not */
	if (of_system && text_is(name, "STATE_SLEEPING"))
		return STK_STATE_SLEEPING;
	for (size_t s = 0; s < sizeof states / sizeof *states; s++)
		if (text_is(name, states[s].name))
			return states[s].state;
	return STK_STATE_UNKNOWN;
}

/* --- samples --- */

static int64_t
time_of(const struct jfr *j)
{
	return JFR_HAS(&j->values, startTime) ? jfr_time_ns(j->chunk, &j->values.of[JFR_startTime]) : STK_TIME_UNKNOWN;
}

static uint64_t
span_of(const struct jfr *j, const struct jfr_value *value)
{
	int64_t ns = jfr_span_ns(j->chunk, value);

	return ns > 0 ? (uint64_t)ns : 0;
}

static uint64_t
weight_of(const struct jfr *j, enum weighs weighs)
{
	const struct jfr_values *v = &j->values;

	switch (weighs) {
	case WEIGHS_ONE:
		return 1;
	case WEIGHS_SPAN:
		return JFR_HAS(v, duration) ? span_of(j, &v->of[JFR_duration]) : 1;
	case WEIGHS_SAMPLES:
		return JFR_HAS(v, samples) ? v->of[JFR_samples].number : 1;
	case WEIGHS_PERIOD:
		return JFR_HAS(v, samplingPeriod) ? span_of(j, &v->of[JFR_samplingPeriod]) : 1;
	case WEIGHS_BYTES:
		return JFR_HAS(v, weight)           ? v->of[JFR_weight].number
		       : JFR_HAS(v, tlabSize)       ? v->of[JFR_tlabSize].number
		       : JFR_HAS(v, allocationSize) ? v->of[JFR_allocationSize].number
		       : JFR_HAS(v, size)           ? v->of[JFR_size].number
						    : 0;
	}
	return 1;
}

/* What is waited for: a class, and where it is. */
static void
take_lock(struct jfr *j, struct stk_sample *row)
{
	const struct jfr_values *v = &j->values;
	bool parks = JFR_HAS(v, parkedClass);
	struct stk_text class = parks ? TEXT(j, v, parkedClass) : TEXT(j, v, monitorClass);
	struct stk_locks lock = { .relation = parks                              ? STK_RELATION_PARKING
					      : row->state == STK_STATE_BLOCKED ? STK_RELATION_WAITING_TO_LOCK
										: STK_RELATION_WAITING_ON };

	if (class.size == 0)
		return;
	j->room.count = 0;
	add_class(&j->room, class);
	lock.class = string_id(j, text_in(&j->room, 0));
	row->locks = recorder_locks(j->recorder, &lock);
	row->objects = recorder_objects(j->recorder, 0, JFR_HAS(v, address) ? v->of[JFR_address].number : 0);
}

/* What an event is about, besides: the class of what was allocated, the path or peer of what was read, the thread that
 * had the lock. */
static struct stk_text
subject_of(struct jfr *j)
{
	const struct jfr_values *v = &j->values;
	struct stk_text text = TEXT(j, v, host);
	struct jfr_values owner;

	j->room.count = 0;
	if (JFR_HAS(v, objectClass))
		add_class(&j->room, jfr_text(j->chunk, &v->of[JFR_objectClass]));
	else if (JFR_HAS(v, path) || JFR_HAS(v, tag))
		add_text(&j->room, JFR_HAS(v, path) ? TEXT(j, v, path) : TEXT(j, v, tag));
	else if (JFR_HAS(v, previousOwner) && jfr_follow(j->chunk, &v->of[JFR_previousOwner], &owner))
		add_text(&j->room, thread_name(j, &owner));
	if (JFR_HAS(v, port)) {
		if (text.size == 0 && JFR_HAS(v, address))
			text = TEXT(j, v, address);
		add_text(&j->room, text);
		add_char(&j->room, ':');
		add_unsigned(&j->room, v->of[JFR_port].number);
	}
	return text_in(&j->room, 0);
}

static const struct meaning *meaning_of(const struct jfr_type *type);

/* What an event measured, and what it is about. */
static struct stk_text
values_of(struct jfr *j)
{
	const struct jfr_values *v = &j->values;
	struct stk_text subject = subject_of(j);
	struct text_buffer *to = &j->span_values;

	to->count = 0;
	if (JFR_HAS(v, bytesRead) || JFR_HAS(v, bytesWritten)) {
		add_string(to, "bytes=");
		add_unsigned(to, JFR_HAS(v, bytesRead) ? v->of[JFR_bytesRead].number : v->of[JFR_bytesWritten].number);
		add_char(to, 'B');
	}
	if (to->count > 0 && subject.size > 0)
		add_char(to, ' ');
	if (subject.size > 0)
		add_string(to, "of:");
	for (size_t i = 0; i < subject.size; i++)
		add_char(to, subject.data[i] == ' ' ? '_' : subject.data[i]);
	return text_in(to, 0);
}

/* A span that a program names itself has that name. */
static int
take_span(struct jfr *j, const struct jfr_type *type)
{
	struct stk_text tag = TEXT(j, &j->values, tag);
	struct stk_event row = { .time = time_of(j), .happening = STK_HAPPENING_START, .processor = -1 };

	row.name = tag.size > 0 ? tag : type->name;
	row.thread = thread_of(j, &j->values);
	row.stack = stack_of(j, &j->values);
	if (recording_event_row(j->collect, &row, j->err) < 0)
		return -1;
	row.happening = STK_HAPPENING_STOP;
	row.stack = 0;
	row.values = values_of(j);
	if (row.time != STK_TIME_UNKNOWN)
		row.time += (int64_t)span_of(j, &j->values.of[JFR_duration]);
	return recording_event_row(j->collect, &row, j->err);
}

/* --as-events: what lasted. */
static bool
is_span(const struct jfr *j, const struct jfr_type *type, const struct meaning *meaning)
{
	return recording_as_events(j->collect) && JFR_HAS(&j->values, duration) &&
	       (type->meaning == 0 || meaning->weighs == WEIGHS_SPAN);
}

static int
take_sample(struct jfr *j, const struct jfr_type *type)
{
	const struct meaning *meaning = meaning_of(type);
	struct stk_sample row = { .time = time_of(j), .processor = -1 };

	if (is_span(j, type, meaning))
		return take_span(j, type);

	row.weight = weight_of(j, meaning->weighs);
	row.state = meaning->state;
	if (JFR_HAS(&j->values, state))
		row.state = state_of(j, &j->values, meaning->weighs == WEIGHS_SAMPLES);
	row.thread = thread_of(j, &j->values);
	row.stack = stack_of(j, &j->values);
	if (row.stack == 0 && type->meaning == 0)
		return 0;		/* no more than all the events whose kind has no stack */
	row.event = string_id(j, type->name);
	take_lock(j, &row);
	row.note = string_id(j, subject_of(j));
	if (JFR_HAS(&j->values, failed) && j->values.of[JFR_failed].number != 0)
		row.condition = string_id(j, text_from("stack not taken"));
	return recording_sample(j->collect, &row, j->err);
}

/* --- what has no stack --- */

static int
say_metric(struct jfr *j, const char *name, struct stk_text more, double value)
{
	return recording_metric(j->collect, time_of(j), name, more, value, j->err);
}

static int
take_lost(struct jfr *j, const struct jfr_type *type)
{
	(void)type;
	return say_metric(j, "samples.lost", text_of("", 0), (double)j->values.of[JFR_lostSamples].number);
}

static int
take_heap(struct jfr *j, const struct jfr_type *type)
{
	bool before = text_starts(TEXT(j, &j->values, when), "Before");
	struct stk_text none = text_of("", 0);

	(void)type;
	if (!JFR_HAS(&j->values, heapUsed))
		return 0;
	if (say_metric(j, before ? "heap.before" : "heap.used", none, (double)j->values.of[JFR_heapUsed].number) < 0)
		return -1;
	if (before || !JFR_HAS(&j->values, heapSpace) ||
	    !jfr_follow(j->chunk, &j->values.of[JFR_heapSpace], &j->parts) || !JFR_HAS(&j->parts, committedSize))
		return 0;
	return say_metric(j, "heap.total", none, (double)j->parts.of[JFR_committedSize].number);
}

/* What lasts longer than its pauses runs beside the program. */
static int
take_collection(struct jfr *j, const struct jfr_type *type)
{
	struct stk_text name = TEXT(j, &j->values, name), cause = TEXT(j, &j->values, cause), none = text_of("", 0);
	double span = JFR_HAS(&j->values, duration) ? (double)span_of(j, &j->values.of[JFR_duration]) / 1e9 : 0;
	double pause = JFR_HAS(&j->values, sumOfPauses) ? (double)span_of(j, &j->values.of[JFR_sumOfPauses]) / 1e9
							: span;
	bool full = text_is(name, "G1Full") || text_is(name, "SerialOld") || text_is(name, "ParallelOld") ||
		    text_is(name, "PSMarkSweep");

	(void)type;
	if (say_metric(j, full ? "gc.pause.full" : "gc.pause", none, pause) < 0 ||
	    (cause.size > 0 && say_metric(j, "gc.cause.", cause, pause) < 0))
		return -1;
	return span > pause && name.size > 0 ? say_metric(j, "gc.concurrent.", name, span - pause) : 0;
}

static int
take_load(struct jfr *j, const struct jfr_type *type)
{
	static const struct { enum jfr_name field; const char *name; } shares[] = {
		{ JFR_jvmUser, "cpu.user" }, { JFR_jvmSystem, "cpu.system" }, { JFR_machineTotal, "cpu.machine" },
	};

	(void)type;
	for (size_t s = 0; s < sizeof shares / sizeof *shares; s++)
		if ((j->values.has >> shares[s].field & 1) != 0 &&
		    say_metric(j, shares[s].name, text_of("", 0), j->values.of[shares[s].field].real) < 0)
			return -1;
	return 0;
}

static int
take_threads(struct jfr *j, const struct jfr_type *type)
{
	(void)type;
	return JFR_HAS(&j->values, activeCount)
		       ? say_metric(j, "threads", text_of("", 0), (double)j->values.of[JFR_activeCount].number) : 0;
}

static int
take_resident(struct jfr *j, const struct jfr_type *type)
{
	(void)type;
	return JFR_HAS(&j->values, size)
		       ? say_metric(j, "memory.resident", text_of("", 0), (double)j->values.of[JFR_size].number) : 0;
}

static int
take_dump(struct jfr *j, const struct jfr_type *type)
{
	(void)type;
	return recording_dump(j->collect, time_of(j), TEXT(j, &j->values, result), j->err);
}

/* "shop.Main --port 80": the class, as process names are. */
static int
take_process(struct jfr *j, const struct jfr_type *type)
{
	struct stk_text arguments = TEXT(j, &j->values, javaArguments), version = TEXT(j, &j->values, jvmVersion);
	struct stk_text process = text_take(&arguments, ' ');

	(void)type;
	if (j->told_process)
		return 0;
	j->told_process = true;
	j->room.count = 0;
	add_text(&j->room, TEXT(j, &j->values, jvmName));
	if (version.size > 0) {
		add_string(&j->room, " (");
		add_text(&j->room, text_take(&version, ' '));
		add_char(&j->room, ')');
	}
	recording_process(j->collect, JFR_HAS(&j->values, pid) ? j->values.of[JFR_pid].number : 0,
			  string_id(j, process), string_id(j, text_in(&j->room, 0)), 0);
	return 0;
}

/* --- meanings --- */

static const struct meaning meanings[] = {
	/* what other events with a stack are */
	{ "", take_sample, WEIGHS_ONE, STK_STATE_UNKNOWN },
	{ "jdk.JVMInformation", take_process, WEIGHS_ONE, STK_STATE_UNKNOWN },
	{ "jdk.ExecutionSample", take_sample, WEIGHS_ONE, STK_STATE_RUNNABLE },
	{ "jdk.NativeMethodSample", take_sample, WEIGHS_ONE, STK_STATE_RUNNABLE },
	{ "jdk.CPUTimeSample", take_sample, WEIGHS_PERIOD, STK_STATE_RUNNABLE },
	{ "jdk.CPUTimeSamplesLost", take_lost, WEIGHS_ONE, STK_STATE_UNKNOWN },
	{ "profiler.WallClockSample", take_sample, WEIGHS_SAMPLES, STK_STATE_UNKNOWN },
	{ "jdk.ObjectAllocationSample", take_sample, WEIGHS_BYTES, STK_STATE_RUNNABLE },
	{ "jdk.ObjectAllocationInNewTLAB", take_sample, WEIGHS_BYTES, STK_STATE_RUNNABLE },
	{ "jdk.ObjectAllocationOutsideTLAB", take_sample, WEIGHS_BYTES, STK_STATE_RUNNABLE },
	{ "profiler.LiveObject", take_sample, WEIGHS_BYTES, STK_STATE_UNKNOWN },
	{ "profiler.Malloc", take_sample, WEIGHS_BYTES, STK_STATE_RUNNABLE },
	{ "jdk.JavaMonitorEnter", take_sample, WEIGHS_SPAN, STK_STATE_BLOCKED },
	{ "profiler.NativeLock", take_sample, WEIGHS_SPAN, STK_STATE_BLOCKED },
	{ "jdk.JavaMonitorWait", take_sample, WEIGHS_SPAN, STK_STATE_WAITING },
	{ "jdk.ThreadPark", take_sample, WEIGHS_SPAN, STK_STATE_WAITING },
	{ "jdk.ThreadSleep", take_sample, WEIGHS_SPAN, STK_STATE_TIMED_WAITING },
	{ "jdk.SocketRead", take_sample, WEIGHS_SPAN, STK_STATE_RUNNABLE },
	{ "jdk.SocketWrite", take_sample, WEIGHS_SPAN, STK_STATE_RUNNABLE },
	{ "jdk.FileRead", take_sample, WEIGHS_SPAN, STK_STATE_RUNNABLE },
	{ "jdk.FileWrite", take_sample, WEIGHS_SPAN, STK_STATE_RUNNABLE },
	{ "jdk.FileForce", take_sample, WEIGHS_SPAN, STK_STATE_RUNNABLE },
	{ "jdk.VirtualThreadPinned", take_sample, WEIGHS_SPAN, STK_STATE_WAITING },
	{ "jdk.MethodTrace", take_sample, WEIGHS_SPAN, STK_STATE_UNKNOWN },
	{ "profiler.Span", take_sample, WEIGHS_SPAN, STK_STATE_UNKNOWN },
	{ "jdk.ThreadDump", take_dump, WEIGHS_ONE, STK_STATE_UNKNOWN },
	{ "jdk.GCHeapSummary", take_heap, WEIGHS_ONE, STK_STATE_UNKNOWN },
	{ "jdk.GarbageCollection", take_collection, WEIGHS_ONE, STK_STATE_UNKNOWN },
	{ "jdk.CPULoad", take_load, WEIGHS_ONE, STK_STATE_UNKNOWN },
	{ "jdk.JavaThreadStatistics", take_threads, WEIGHS_ONE, STK_STATE_UNKNOWN },
	{ "jdk.ResidentSetSize", take_resident, WEIGHS_ONE, STK_STATE_UNKNOWN },
};

#define MEANT_NOTHING (-1)

static const struct meaning *
meaning_of(const struct jfr_type *type)
{
	return &meanings[type->meaning];
}

static bool
has_duration(const struct jfr_chunk *chunk, const struct jfr_type *type)
{
	for (uint32_t f = 0; f < type->count; f++)
		if (chunk->fields.at[type->first + f].name == JFR_duration)
			return true;
	return false;
}

static void
find_meanings(struct jfr_chunk *chunk, bool as_events)
{
	for (size_t t = 0; t < chunk->types.count; t++) {
		struct jfr_type *type = &chunk->types.at[t];

		type->meaning = type->has_stack || (as_events && type->is_event && has_duration(chunk, type))
					? 0 : MEANT_NOTHING;
		for (size_t m = 1; m < sizeof meanings / sizeof *meanings; m++)
			if (text_is(type->name, meanings[m].name))
				type->meaning = (int)m;
	}
}

/* --- chunks --- */

struct moment { int64_t time_ns; uint32_t at, type; };

static int
compare_moments(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return x->time_ns != y->time_ns ? (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns)
					: (x->at > y->at) - (x->at < y->at);
}

/* Without --event, a filter counts the event of the first sample. So the first row is a sample of the kind that the
 * recording was made for. */
static void
lead(struct jfr *j, struct moment *moments, size_t count)
{
	size_t best = count;
	int least = 0;

	for (size_t i = 0; i < count && !j->led; i++) {
		const struct jfr_type *type = &j->chunk->types.at[moments[i].type];

		if (meaning_of(type)->take != take_sample || type->meaning == 0 ||
		    (best < count && type->meaning >= least))
			continue;
		best = i;
		least = type->meaning;
	}
	if (best < count) {
		struct moment first = moments[best];

		memmove(moments + 1, moments, best * sizeof *moments);
		moments[0] = first;
		j->led = true;
	}
}

static int
take_event_at(struct jfr *j, const struct moment *moment)
{
	const struct jfr_type *type = &j->chunk->types.at[moment->type];
	struct jfr_cursor from = { j->chunk->bytes + moment->at, j->chunk->bytes + j->chunk->size, false };

	if (!jfr_read(j->chunk, type, &from, &j->values)) {
		j->chunk->damaged = true;
		return 0;
	}
	return meaning_of(type)->take(j, type);
}

/* Threads write events in blocks of their own: their order in the chunk is not that of their times. The process is
 * needed first. */
static int
take_events(struct jfr *j)
{
	ARRAY(struct moment) moments = { 0 };
	struct jfr_cursor fields;
	struct jfr_type *type;
	size_t at = 0;
	int result = 0;

	find_meanings(j->chunk, recording_as_events(j->collect));
	while (jfr_event_next(j->chunk, &at, &type, &fields)) {
		struct moment *moment;
		struct jfr_cursor from = fields;

		if (type->meaning == MEANT_NOTHING)
			continue;
		if (!jfr_read(j->chunk, type, &from, &j->values)) {
			j->chunk->damaged = true;
			continue;
		}
		moment = array_push(&moments);
		*moment = (struct moment){ time_of(j), (uint32_t)(fields.at - j->chunk->bytes),
					   (uint32_t)(type - j->chunk->types.at) };
		if (meaning_of(type)->take == take_process) {
			moments.count--;
			result = take_process(j, type);
		}
	}
	if (moments.count > 0)
		qsort(moments.at, moments.count, sizeof *moments.at, compare_moments);
	lead(j, moments.at, moments.count);
	for (size_t i = 0; i < moments.count && result == 0; i++)
		result = take_event_at(j, &moments.at[i]);
	array_release(&moments);
	return result;
}

static int
take_chunk(struct jfr *j, const unsigned char *bytes, size_t size)
{
	struct jfr_chunk chunk;
	const char *wrong = jfr_chunk_open(&chunk, bytes, size);
	int result = 0;

	if (wrong != NULL) {
		recording_broken(j->collect, wrong);
	} else {
		j->chunk = &chunk;
		result = take_events(j);
		if (chunk.header.size == 0 || chunk.header.size > (int64_t)size)
			recording_broken(j->collect, "the recording is cut off: what is there of its last chunk was read");
		else if (chunk.damaged)
			recording_broken(j->collect, "a chunk of which a part cannot be read; the rest of it was");
		else if (!chunk.header.finished)
			recording_broken(j->collect,
					 "a recording that was not finished: what was flushed to it was read");
	}
	jfr_chunk_close(&chunk);
	j->stacks.count = 0;
	return result;
}

/* --- bytes --- */

struct bytes { ARRAY(unsigned char) held; bool ended; };

/* Reads until this many are held; false: there are no more. */
static bool
hold(struct bytes *b, const struct recording_bytes *from, size_t wanted)
{
	while (b->held.count < wanted && !b->ended) {
		size_t got;

		array_reserve(&b->held, READ_BYTES);
		got = from->read(from->context, b->held.at + b->held.count, READ_BYTES);
		b->held.count += got;
		b->ended = got == 0;
	}
	return b->held.count >= wanted;
}

static void
drop_bytes(struct bytes *b, size_t size)
{
	b->held.count -= size;
	memmove(b->held.at, b->held.at + size, b->held.count);
}

/* Drops what is not a chunk. False: nothing is left. */
static bool
find_chunk(struct jfr *j, struct bytes *b, const struct recording_bytes *from)
{
	struct jfr_header header;
	bool told = false;

	while (hold(b, from, JFR_HEADER_SIZE)) {
		const unsigned char *next;

		if (jfr_header_read(&header, b->held.at))
			return true;
		if (!told)
			recording_broken(j->collect, "bytes between chunks that are none; left out");
		told = true;
		next = memmem(b->held.at + 1, b->held.count - 1, "FLR", 4);
		drop_bytes(b, next != NULL ? (size_t)(next - b->held.at) : b->held.count - 3);
	}
	if (b->held.count > 0 && !told)
		recording_broken(j->collect, "the recording ends within the header of a chunk");
	return false;
}

static int
read_recording(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct jfr j = { .collect = to, .recorder = recording_definitions(to), .err = err };
	struct bytes b = { .ended = false };
	int result = 0;

	while (result == 0 && find_chunk(&j, &b, from)) {
		struct jfr_header header;
		size_t size;

		(void)jfr_header_read(&header, b.held.at);
		if (header.size > UINT32_MAX) {
			recording_broken(to, "a chunk of more than 4 GB; left out, with what follows it");
			break;
		}
		(void)hold(&b, from, header.size < (int64_t)JFR_HEADER_SIZE ? UINT32_MAX : (size_t)header.size);
		size = header.size >= (int64_t)JFR_HEADER_SIZE && (size_t)header.size < b.held.count
			       ? (size_t)header.size : b.held.count;
		if (size > UINT32_MAX)
			size = UINT32_MAX;
		result = take_chunk(&j, b.held.at, size);
		drop_bytes(&b, size);
	}
	array_release(&b.held);
	array_release(&j.stacks);
	array_release(&j.room);
	array_release(&j.span_values);
	return result < 0 ? -1 : recorder_error(j.recorder, err);
}

static int
recognise(struct stk_text text)
{
	return text.size >= 4 && memcmp(text.data, "FLR", 4) == 0 ? 100 : 0;
}

const struct text_format jfr_format = {
	.name = "jfr",
	.about = "recordings of Java Flight Recorder and async-profiler: samples, waits, allocations, dumps, heap",
	.shown_by = "its first bytes: FLR",
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_JVM,
	.recognise = recognise,
	.read = read_recording
};
