/* SPDX-License-Identifier: MIT
 * collect: makes records of what scanners find, in the order of the text.
 *
 * Three things make it fast. A stack's text that was met lately is found by its hash in a small table (recent). One
 * that was not may still be known except for what varies from sample to sample: the leaf's line (in profiles) or the
 * addresses of locks (in thread dumps); that is cut out, and the rest is looked up among all that was ever seen
 * (shapes). Only what is not there is read, and of that only lines that were not met lately. */
#include "ingest/collect.h"

#include "base/arena.h"
#include "base/hash_map.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "base/text_table.h"
#include "base/time_text.h"
#include "ingest/go_symbol.h"
#include "ingest/java_symbol.h"
#include "ingest/off_cpu.h"
#include "ingest/open_names.h"
#include "ingest/whole_input.h"
#include "ingest/scan_text.h"
#include "ingest/text_lines.h"
#include "ingest/trace_point.h"
#include "model/plain_name.h"
#include "model/recorder.h"
#include "stream/writer.h"

#include <stdio.h>
#include <stdlib.h>

#define REJECTED_SHOWN 4096u	/* bytes of a rejected line of an input that is read as a whole */
#define REST_BYTES     65536u	/* of such an input, at once */

#define METRIC_NAME_MAX 200
#define RECENT_STACKS 65536	/* entries, found by hash alone: the memory is bounded, and dropped entries are looked
				 * up again */
#define RECENT_LINES  65536
#define WALL_NS (INT64_C(1000000000) * 1000000000)	/* 2001 */
#define CLOCKS_DIFFER_NS INT64_C(60000000000)	/* at most: of who wrote a text, and of where it was stored */
#define ADDRESSES_MAX 4096	/* of one stack; more are left out */

struct shape {			/* what a stack's text means, without what varies */
	struct text_hash hash;
	uint32_t stack, locks, state;
	bool broken;		/* has lines that were not understood: they are reported each time it is met */
};

struct recent_stack {
	struct text_hash hash;
	uint32_t stack, locks, objects, state;
	bool broken;
};

struct recent_line {
	struct text_hash hash;
	uint32_t frame;
};

struct stack_reading {		/* a stack whose text is being read */
	struct collect *collect;
	ARRAY(uint32_t) frames;	/* in the order they were reported */
	uint32_t said;		/* more than INGEST_DEPTH_MAX are not kept */
	bool root_first;
	bool broken;
	const char *from;	/* where the stack of the sample begins in the text, and in which line */
	uint32_t line;
	ARRAY(struct stk_locks) locks;	/* likewise, without parents yet */
	enum stk_state state;
};

struct section_source {		/* what is kept of a format while the file has sections of another */
	const struct text_format *format;
	struct stk_source row;
	uint32_t source;
};

struct collect {
	struct collect_options options;
	struct recorder *recorder;
	struct stk_error error;
	struct recent_stack *recent;
	struct recent_line *lines;
	ARRAY(struct shape) shapes;
	struct hash_map shape_map;
	struct stack_reading reading;
	char *masked;			/* a stack's text without addresses */
	size_t masked_room;

	const char *file;
	const struct text_format *format;
	bool is_text;			/* the file is */
	uint64_t salt;			/* the same text means something else in another format */
	ARRAY(struct section_source) sections;	/* of the formats met in the file, but the present one */
	int64_t fallback_ns;
	int64_t latest_event_ns;		/* of the file */
	struct stk_source source_row;	/* of the file, or of the dump */
	uint32_t source;		/* 0: not defined yet */
	struct hash_map pid_map;	/* of recordings of several processes: sources by pid */
	ARRAY(struct { uint64_t pid; enum stk_clock clock; uint32_t source; }) pids;
	struct text_table processes;	/* of events, as these name them */
	ARRAY(uint32_t) process_sources;
	struct open_names open_names;		/* of the file */
	struct off_cpu off_cpu;			/* likewise */
	struct id_table threads_of_tids;	/* of events that tell the process */
	struct text_buffer values;		/* of an event */
	struct text_buffer plain;		/* the name of a function */
	struct stk_dump dump_row;
	const struct collect_moment *moment;	/* of a dump that was taken live; NULL */
	bool within;			/* the dump is within a recording, whose source is its own */
	uint32_t dump;			/* 0: none is open */
	const struct text_format *dump_format;	/* that found it */
	bool dump_ended;			/* and its end too */
	bool quiet, flush_next;			/* readers wait for each dump; for the one that is open */
	uint64_t line;			/* the first of the present piece */
	ARRAY(unsigned char) seen;	/* a bit a stack id: it was some sample's */
	ARRAY(uint32_t) followers;	/* by thread: which came next the last time. Dumps mostly have their threads in
					 * the same order */
	uint32_t last_thread;
	uint32_t recent_names[16];	/* ids of strings of which there are few, by their size */

	struct collect_counts counts;
};

/* --- reading a stack --- */

static void
tell_skipped(struct collect *collect, const struct finding *finding)
{
	collect->counts.skipped += finding->is.skipped.lines;
	collect->counts.rejected += collect->is_text ? finding->is.skipped.lines : 0;
	if (finding->is.skipped.reason != SKIP_NOISE)
		collect->counts.broken++;
	if (finding->is.skipped.reason == SKIP_CUT)
		collect->dump_row.cut = 1;
	if (collect->options.skipped != NULL)
		collect->options.skipped(collect->options.context, collect->file, collect->line + finding->line,
					 finding);
}

/* A finding with an impossible part; no line is skipped. */
static void
tell_doubt(struct collect *collect, const struct finding *of, const char *why)
{
	struct finding doubt = { .kind = FOUND_SKIPPED,
				 .line = of->line,
				 .is.skipped = { .text = text_of("", 0), .reason = SKIP_BROKEN, .why = why } };

	tell_skipped(collect, &doubt);
}

/* The dump's end is missing. */
static void
tell_cut(struct collect *collect)
{
	struct finding cut = { .kind = FOUND_SKIPPED,
			       .is.skipped = { .text = text_of("", 0), .reason = SKIP_CUT,
					       .why = "a dump whose end is missing" } };

	tell_skipped(collect, &cut);
}

/* A time that readers would not accept is unknown. */
static int64_t
believed_time(struct collect *collect, const struct finding *of, int64_t time_ns)
{
	if (time_ns == STK_TIME_UNKNOWN || stk_time_is_believed(time_ns))
		return time_ns;
	tell_doubt(collect, of, "a time outside 1823 to 2116 counts as unknown");
	return STK_TIME_UNKNOWN;
}

static inline struct text_hash
salted(const struct collect *collect, struct text_hash hash)
{
	return (struct text_hash){ hash.low ^ collect->salt, hash.high };
}

uint32_t
recording_frame(struct collect *collect, const struct frame_parts *parts)
{
	struct stk_frame row = { .line = parts->line, .form = parts->form };
	struct stk_text function = parts->function;
	char room[JAVA_SYMBOL_MAX > GO_SYMBOL_MAX ? JAVA_SYMBOL_MAX : GO_SYMBOL_MAX];

	if (parts->is_symbol && !collect->options.raw_symbols)
		function = java_symbol_name(function, room);
	else if (parts->is_slashed && !collect->options.raw_symbols)
		function = java_dotted_name(function, room);
	else if (!collect->options.raw_symbols)
		function = go_symbol_name(function, room);
	if (collect->options.plain_names != 0)
		function = plain_name(collect->options.plain_names, function, &collect->plain);
	row.function = recorder_string(collect->recorder, function);
	row.module = recorder_string(collect->recorder, parts->module);
	row.file = recorder_string(collect->recorder, parts->file);
	if (collect->options.choice.keep_addresses) {
		row.address = parts->address;
		row.offset = parts->offset;
	}
	return recorder_frame(collect->recorder, &row);
}

static uint32_t
define_frame(struct collect *collect, struct stk_text line)
{
	struct frame_parts parts = { .function = line };

	if (!collect->format->read_frame(&parts, line))
		parts = (struct frame_parts){ .function = line };
	return recording_frame(collect, &parts);
}

void
stack_frame(struct stack_reading *reading, struct stk_text line)
{
	struct collect *collect = reading->collect;
	struct text_hash hash = salted(collect, scan_hash(line));
	struct recent_line *recent = &collect->lines[hash.low % RECENT_LINES];

	if (recent->frame == 0 || recent->hash.low != hash.low || recent->hash.high != hash.high) {
		recent->hash = hash;
		recent->frame = define_frame(collect, line);
	}
	if (reading->said++ < INGEST_DEPTH_MAX)
		*array_push(&reading->frames) = recent->frame;
}

void
stack_is_root_first(struct stack_reading *reading)
{
	reading->root_first = true;
}

void
stack_lock(struct stack_reading *reading, enum stk_relation relation, struct stk_text class, uint64_t address)
{
	char room[JAVA_SYMBOL_MAX];

	if (class.size > 0 && memchr(class.data, '/', class.size) != NULL &&
	    memchr(class.data, '.', class.size) == NULL)
		class = java_dotted_name(class, room);	/* of JRockit */
	*array_push(&reading->locks) =
		(struct stk_locks){ .depth = reading->said,
				    .relation = relation,
				    .class = recorder_string(reading->collect->recorder, class) };
	(void)address;		/* find_with_objects has it, from the same line */
}

void
stack_state(struct stack_reading *reading, enum stk_state state)
{
	reading->state = state;
}

void
stack_broken(struct stack_reading *reading, struct stk_text line, const char *why)
{
	struct finding finding = { .kind = FOUND_SKIPPED, .line = reading->line };

	if (reading->from != NULL && line.data > reading->from)
		finding.line += scan_count_lines(reading->from, line.data);
	reading->broken = true;
	finding.is.skipped.text = line;
	finding.is.skipped.lines = 1;
	finding.is.skipped.reason = SKIP_BROKEN;
	finding.is.skipped.why = why;
	tell_skipped(reading->collect, &finding);
}

/* The id of the stack that was read, on top of `parent`. */
static uint32_t
define_stack(struct stack_reading *reading, uint32_t stack)
{
	size_t count = reading->frames.count;

	for (size_t i = 0; i < count; i++)
		stack = recorder_stack(reading->collect->recorder, stack,
				       reading->frames.at[reading->root_first ? i : count - 1 - i]);
	return stack;
}

/* The id of the lock lines that were read. The lines nearest the root come first here too: they change least. */
static uint32_t
define_locks(struct stack_reading *reading)
{
	uint32_t locks = 0;

	for (size_t i = reading->locks.count; i-- > 0;) {
		reading->locks.at[i].parent = locks;
		locks = recorder_locks(reading->collect->recorder, &reading->locks.at[i]);
	}
	return locks;
}

/* Reported where the sample is, and once: to read such a stack each time would take long. */
static void
tell_too_deep(struct stack_reading *reading, struct stk_text text)
{
	struct finding finding = { .kind = FOUND_SKIPPED,
				   .line = reading->line - reading->collect->format->stack_after };

	finding.is.skipped.text = text;
	finding.is.skipped.lines = 1;
	finding.is.skipped.reason = SKIP_BROKEN;
	finding.is.skipped.why = "a stack of more than 65536 frames; those nearest the root are left out";
	tell_skipped(reading->collect, &finding);
}

static void
read_stack(struct collect *collect, struct stk_text text)
{
	struct stack_reading *reading = &collect->reading;

	reading->frames.count = reading->locks.count = 0;
	reading->said = 0;
	reading->root_first = reading->broken = false;
	reading->state = STK_STATE_UNKNOWN;
	collect->format->read_stack(reading, text);
	if (reading->said > INGEST_DEPTH_MAX)
		tell_too_deep(reading, text_of(text.data, text.size < 200 ? text.size : 200));
}

/* --- finding a stack --- */

static struct shape *
find_shape(struct collect *collect, struct text_hash hash)
{
	uint32_t at = hash_map_start(&collect->shape_map, hash.high), id;

	while ((id = hash_map_next(&collect->shape_map, hash.high, &at)) != 0) {
		struct shape *shape = &collect->shapes.at[id - 1];

		if (shape->hash.low == hash.low && shape->hash.high == hash.high)
			return shape;
	}
	return NULL;
}

static struct shape *
add_shape(struct collect *collect, struct text_hash hash, uint32_t stack)
{
	struct shape *shape = array_push(&collect->shapes);

	*shape = (struct shape){ hash, stack, define_locks(&collect->reading), collect->reading.state,
				 collect->reading.broken };
	hash_map_put(&collect->shape_map, hash.high, (uint32_t)collect->shapes.count);
	return shape;
}

static struct shape *
shape_of(struct collect *collect, struct text_hash plain, struct stk_text text)
{
	struct text_hash hash = salted(collect, plain);
	struct shape *shape = find_shape(collect, hash);

	if (shape != NULL && shape->broken)
		read_stack(collect, text);	/* its lines are reported again */
	if (shape != NULL)
		return shape;
	read_stack(collect, text);
	return add_shape(collect, hash, define_stack(&collect->reading, 0));
}

/* The callers' stack, known or new, with the leaf's frame on top. */
static void
find_under_leaf(struct collect *collect, const struct found_sample *sample, struct recent_stack *out)
{
	struct stk_text callers =
		text_of(sample->stack.data + sample->leaf_size, sample->stack.size - sample->leaf_size);
	struct shape *shape = shape_of(collect, scan_hash(callers), callers);
	uint32_t parent = shape->stack;

	out->broken = shape->broken;
	read_stack(collect, text_of(sample->stack.data, sample->leaf_size));
	out->broken |= collect->reading.broken;
	out->stack = define_stack(&collect->reading, parent);
}

/* The stack without the addresses of locks, which are objects. */
static void
find_with_objects(struct collect *collect, const struct found_sample *sample, struct recent_stack *out)
{
	uint64_t addresses[ADDRESSES_MAX];
	size_t count = 0, size;
	struct shape *shape;

	if (sample->stack.size > collect->masked_room) {
		free(collect->masked);
		collect->masked_room = sample->stack.size * 2;
		collect->masked = mem_new(collect->masked_room, 1);
	}
	size = collect->format->mask(sample->stack, collect->masked, addresses, ADDRESSES_MAX, &count);
	shape = shape_of(collect, scan_hash(text_of(collect->masked, size)), sample->stack);
	out->stack = shape->stack;
	out->locks = shape->locks;
	out->state = shape->state;
	out->broken = shape->broken;
	if (!collect->options.only_stacks)
		for (size_t i = count < ADDRESSES_MAX ? count : ADDRESSES_MAX; i-- > 0;)
			out->objects = recorder_objects(collect->recorder, out->objects, addresses[i]);
}

/* Counts a sample's stack when it is a new one. Inner nodes of the tree of stacks need not belong to a sample. */
static void
count_stack(struct collect *collect, uint32_t stack)
{
	size_t byte = stack / 8, had = collect->seen.count;

	if (byte >= had) {
		array_reserve(&collect->seen, byte + 1 - had);
		memset(collect->seen.at + had, 0, byte + 1 - had);
		collect->seen.count = byte + 1;
	}
	if ((collect->seen.at[byte] >> stack % 8 & 1) != 0)
		return;
	collect->counts.stacks += stack != 0;
	collect->seen.at[byte] |= (unsigned char)(1u << stack % 8);
}

static const struct recent_stack *
find_stack(struct collect *collect, const struct found_sample *sample)
{
	static const struct recent_stack none;
	struct recent_stack found = { .hash = salted(collect, sample->hash) };
	struct recent_stack *recent = &collect->recent[found.hash.low % RECENT_STACKS];

	if (sample->stack.size == 0)
		return &none;
	if (recent->hash.low == found.hash.low && recent->hash.high == found.hash.high) {
		if (recent->broken)
			read_stack(collect, sample->stack);
		return recent;
	}
	if (collect->format->mask != NULL) {
		find_with_objects(collect, sample, &found);
	} else if (sample->leaf_size > 0 && sample->leaf_size < sample->stack.size) {
		find_under_leaf(collect, sample, &found);
	} else {
		const struct shape *shape = shape_of(collect, sample->hash, sample->stack);

		found.stack = shape->stack;
		found.locks = shape->locks;
		found.state = shape->state;
		found.broken = shape->broken;
	}
	count_stack(collect, found.stack);
	*recent = found;
	return recent;
}

/* --- sources, dumps, samples --- */

static void
set_format(struct collect *collect, const struct text_format *format)
{
	collect->format = format;
	collect->salt = scan_hash(text_from(format->name)).low;
}

static int64_t
civil_to_utc(const struct collect *collect, int64_t civil_ns)
{
	int64_t seconds = civil_ns / 1000000000, guess;

	if (collect->options.zone == NULL)
		return civil_ns;
	/* we look for the offset at the moment: take the offset near it, and repeat once from there */
	guess = seconds - time_zone_offset(collect->options.zone, seconds);
	return civil_ns - INT64_C(1000000000) * time_zone_offset(collect->options.zone, guess);
}

static uint32_t
present_source(struct collect *collect)
{
	if (collect->source == 0)
		collect->source = recorder_source(collect->recorder, &collect->source_row);
	return collect->source;
}

/* 0: it is not a number. */
static uint64_t
pid_of(struct stk_text process)
{
	uint64_t pid = 0;

	for (size_t i = 0; i < process.size; i++) {
		if (process.size > 10 || process.data[i] < '0' || process.data[i] > '9')
			return 0;
		pid = pid * 10 + (uint64_t)(process.data[i] - '0');
	}
	return pid;
}

/* Of a process by its number or its name. */
static uint32_t
source_of_process(struct collect *collect, struct stk_text process)
{
	uint32_t number = text_table_number(&collect->processes, process);
	struct stk_source row = collect->source_row;

	array_lengthen(&collect->process_sources, number);
	if (collect->process_sources.at[number - 1] == 0) {
		row.pid = pid_of(process);
		row.process = row.pid != 0 ? 0 : recorder_string(collect->recorder, process);
		collect->process_sources.at[number - 1] = recorder_source(collect->recorder, &row);
	}
	return collect->process_sources.at[number - 1];
}

/* Of a format that writes times of any clock alike: no machine runs for that long, so such a time is one of 1970. */
static void
choose_clock(struct collect *collect, int64_t time_ns)
{
	if (collect->format->is_of_any_clock && time_ns != STK_TIME_UNKNOWN)
		recording_clock(collect, time_ns >= WALL_NS ? STK_CLOCK_WALL : STK_CLOCK_MONOTONIC);
}

/* Recordings name the process of each sample: each is a source of its own, and one of each clock. */
static uint32_t
source_of_pid(struct collect *collect, uint64_t pid, struct stk_text command)
{
	uint64_t hash = pid * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at = hash_map_start(&collect->pid_map, hash), id;
	struct stk_source row = collect->source_row;

	if (pid == 0)
		return present_source(collect);
	while ((id = hash_map_next(&collect->pid_map, hash, &at)) != 0)
		if (collect->pids.at[id - 1].pid == pid && collect->pids.at[id - 1].clock == row.clock)
			return collect->pids.at[id - 1].source;
	row.pid = pid;
	if (!collect->format->names_threads)
		row.process = recorder_string(collect->recorder, command);
	array_reserve(&collect->pids, 1);
	collect->pids.at[collect->pids.count].pid = pid;
	collect->pids.at[collect->pids.count].clock = row.clock;
	collect->pids.at[collect->pids.count].source = recorder_source(collect->recorder, &row);
	hash_map_put(&collect->pid_map, hash, (uint32_t)++collect->pids.count);
	return collect->pids.at[collect->pids.count - 1].source;
}

/* The dump's row is in the stream from its first thread on, so that samples can refer to it; what is known only at its
 * end is filled in then. */
static void
end_dump(struct collect *collect)
{
	if (collect->dump == 0)
		return;
	if (collect->dump_format->ends_dumps && !collect->dump_ended)
		tell_cut(collect);
	(void)stk_writer_amend(collect->options.writer, STK_DUMP, collect->dump, &collect->dump_row);
	stk_writer_hold(collect->options.writer, false);
	collect->dump = 0;
}

/* Readers that wait get a dump when the next one begins: only then it is whole. */
static int
flush_dump(struct collect *collect, struct stk_error *err)
{
	if (!collect->quiet && !collect->flush_next)
		return 0;
	collect->flush_next = false;
	return stk_writer_flush(collect->options.writer, err);
}

static int
begin_dump(struct collect *collect, int64_t civil_ns, bool zoned, struct stk_text vm, struct stk_error *err)
{
	const struct collect_moment *moment = collect->moment;
	int64_t time = civil_ns == STK_TIME_UNKNOWN ? collect->fallback_ns
		       : zoned                      ? civil_ns
						    : civil_to_utc(collect, civil_ns);

	end_dump(collect);
	if (flush_dump(collect, err) < 0)
		return -1;
	if (moment != NULL)
		time = moment->time_ns;		/* our clock is finer, and the VM may be in another zone */
	if (!collect->within) {
		if (moment == NULL || *moment->vm == '\0')
			collect->source_row.vm = recorder_string(collect->recorder, vm);
		collect->source_row.clock = time == STK_TIME_UNKNOWN ? STK_CLOCK_UNKNOWN : STK_CLOCK_WALL;
		collect->source_row.zone = time == STK_TIME_UNKNOWN || moment != NULL
			? 0 : recorder_string(collect->recorder, text_from(collect->options.zone_name));
		collect->source = 0;
	}
	collect->dump_row = (struct stk_dump){ .time = time, .source = present_source(collect) };
	if (moment != NULL) {
		collect->dump_row.event = moment->event;
		collect->dump_row.skew = moment->skew_ns;
		collect->dump_row.took = moment->took_ns;
		collect->dump_row.cut = moment->cut;
	}
	collect->dump = stk_writer_next_id(collect->options.writer, STK_DUMP);
	collect->dump_format = collect->format;
	collect->dump_ended = false;
	collect->counts.dumps++;
	if (stk_writer_add(collect->options.writer, STK_DUMP, &collect->dump_row, err) < 0)
		return -1;
	stk_writer_hold(collect->options.writer, true);
	return 0;
}

/* What a dump says of its process, unless whoever took it knows that. */
static void
name_process(struct collect *collect, const struct finding *dump)
{
	if (collect->within || collect->moment != NULL)
		return;
	collect->source_row.pid = dump->is.dump.pid;
	collect->source_row.process = recorder_string(collect->recorder, dump->is.dump.process);
}

static uint32_t
thread_of(struct collect *collect, const struct found_sample *sample)
{
	struct stk_thread row = { .number = sample->number,
				  .tid = sample->tid,
				  .handle = sample->handle,
				  .priority = sample->priority,
				  .os_priority = sample->os_priority,
				  .role = sample->role };
	uint32_t last = collect->last_thread, id;

	row.source = source_of_pid(collect, sample->pid, sample->name);
	if (last < collect->followers.count &&
	    recorder_thread_is(collect->recorder, collect->followers.at[last], &row, sample->name))
		return collect->last_thread = collect->followers.at[last];
	row.name = recorder_string(collect->recorder, sample->name);
	id = recorder_thread(collect->recorder, &row);
	while (collect->followers.count <= last)
		*array_push(&collect->followers) = 0;
	collect->followers.at[last] = id;
	return collect->last_thread = id;
}

static uint32_t
thread_of_event(struct collect *collect, const struct found_sample *of, struct stk_text process)
{
	struct stk_thread row = { .tid = of->tid };

	if (process.size == 0)
		return thread_of(collect, of);
	row.source = source_of_process(collect, process);
	row.name = recorder_string(collect->recorder, of->name);
	return recorder_thread(collect->recorder, &row);
}

/* The thread that a tid is of. Switches name the next thread without its process: it has the one that it had last. */
static uint32_t
thread_of_tid(struct collect *collect, const struct finding *finding, const struct found_sample *of)
{
	const uint32_t *known = finding->is.event.of_tid ? id_table_find(&collect->threads_of_tids, of->tid) : NULL;
	uint32_t thread = known != NULL ? *known : thread_of_event(collect, of, finding->is.event.process);

	if (of->pid != 0)
		*(uint32_t *)id_table_at(&collect->threads_of_tids, of->tid) = thread;
	return thread;
}

/* The id of a string of which there are few. */
static uint32_t
name_of(struct collect *collect, struct stk_text name)
{
	uint32_t *recent = &collect->recent_names[name.size % 16];

	if (name.size == 0)
		return 0;
	if (*recent == 0 || !recorder_string_is(collect->recorder, *recent, name))
		*recent = recorder_string(collect->recorder, name);
	return *recent;
}

/* Threads without a dump's head before them: a dump whose beginning is missing. Stacks at ticks have an event. */
static bool
dump_is_missing(const struct collect *collect, const struct found_sample *sample)
{
	return collect->format->is_dump && collect->dump == 0 && sample->event.size == 0;
}

static int
add_sample(struct collect *collect, const struct finding *finding, struct stk_error *err)
{
	const struct found_sample *sample = &finding->is.sample;
	const struct recent_stack *stack;
	struct stk_sample row = { .weight = sample->weight, .processor = sample->processor };

	if (collect->dump_format != collect->format)
		end_dump(collect);
	choose_clock(collect, sample->time_ns);
	if (dump_is_missing(collect, sample) && begin_dump(collect, STK_TIME_UNKNOWN, false, text_of("", 0), err) < 0)
		return -1;
	if (sample->time_ns != STK_TIME_UNKNOWN && collect->source == 0 &&
	    collect->source_row.clock == STK_CLOCK_UNKNOWN)
		collect->source_row.clock = STK_CLOCK_WALL;	/* of a format that seldom has times */
	collect->reading.from = sample->stack.data;
	collect->reading.line = finding->line + collect->format->stack_after;
	stack = find_stack(collect, sample);
	row.stack = stack->stack;
	row.locks = stack->locks;
	row.objects = stack->objects;
	row.state = stack->state != STK_STATE_UNKNOWN ? stack->state : sample->state;
	row.thread = thread_of(collect, sample);
	row.dump = collect->dump;
	row.time = collect->dump != 0 ? collect->dump_row.time : believed_time(collect, finding, sample->time_ns);
	row.event = name_of(collect, sample->event);
	row.condition = name_of(collect, sample->condition);
	row.note = recorder_string(collect->recorder, sample->note);
	row.age = sample->age_ns;
	if (collect->dump != 0 && sample->time_ns != STK_TIME_UNKNOWN && row.time != STK_TIME_UNKNOWN &&
	    sample->time_ns > row.time)
		row.age = sample->time_ns - row.time;
	if (!collect->options.only_stacks) {
		row.cpu = sample->cpu_ns;
		row.elapsed = sample->elapsed_ns;
		row.allocated = sample->allocated;
		row.classes = sample->classes;
	}
	if (collect->options.choice.as_off_cpu && row.time != STK_TIME_UNKNOWN)
		collect->counts.unreturned += !off_cpu_works(&collect->off_cpu, off_cpu_who(sample->tid, row.thread),
							     row.time);
	collect->counts.samples++;
	collect->dump_row.threads++;
	return stk_writer_add(collect->options.writer, STK_SAMPLE, &row, err);
}

static int64_t
time_of_metric(struct collect *collect, const struct finding *finding)
{
	int64_t time = believed_time(collect, finding, finding->is.metric.time_ns);

	if (!finding->is.metric.timed)
		return collect->dump != 0 ? collect->dump_row.time : collect->fallback_ns;
	return finding->is.metric.zoned || collect->source_row.clock == STK_CLOCK_MONOTONIC || time == STK_TIME_UNKNOWN
		       ? time
		       : civil_to_utc(collect, time);
}

/* The name, and what follows it. */
static struct stk_text
metric_name(char *room, struct stk_text name, struct stk_text more, bool quoted)
{
	if (more.size == 0)
		return name;
	if (quoted) {
		size_t size = 0;

		for (size_t i = 0; i < more.size && size < METRIC_NAME_MAX; i++) {
			room[size++] = more.data[i];
			i += more.data[i] == '"' && i + 1 < more.size && more.data[i + 1] == '"';
		}
		return text_of(room, size);
	}
	name.size = name.size < METRIC_NAME_MAX ? name.size : METRIC_NAME_MAX;
	more.size = more.size < METRIC_NAME_MAX - name.size ? more.size : METRIC_NAME_MAX - name.size;
	memcpy(room, name.data, name.size);
	memcpy(room + name.size, more.data, more.size);
	return text_of(room, name.size + more.size);
}

static int
add_metric(struct collect *collect, const struct finding *finding, struct stk_error *err)
{
	struct stk_metric row = { .time = time_of_metric(collect, finding),
				  .source = present_source(collect),
				  .value = finding->is.metric.value };
	char room[METRIC_NAME_MAX];

	if (!stk_measure_is_believed(row.value)) {
		tell_doubt(collect, finding, "a metric whose value is not finite, or beyond 1e100");
		return 0;
	}
	row.name = metric_name(room, finding->is.metric.name, finding->is.metric.more, finding->is.metric.quoted);
	collect->counts.metrics++;
	return stk_writer_add(collect->options.writer, STK_METRIC, &row, err);
}

/* What ends without a name has that of the last that began, of those that may; activities are known by their numbers
 * instead. A call of the kernel within which a program says that something of its own ends is none of these. */
static struct stk_text
name_of_event(struct collect *collect, const struct stk_event *row, bool is_named, struct stk_text name)
{
	if (is_named)
		return name;
	if (row->activity == 0 && row->happening == STK_HAPPENING_START)
		open_names_begin(&collect->open_names, (uint32_t)row->thread, name);
	return row->activity == 0 && row->happening == STK_HAPPENING_STOP
		       ? open_names_end(&collect->open_names, (uint32_t)row->thread, name)
		       : name;
}

static struct stk_text
values_of_event(struct collect *collect, const struct finding *finding)
{
	if (collect->format->read_values == NULL || finding->is.event.values.size == 0)
		return finding->is.event.values;
	collect->values.count = 0;
	collect->format->read_values(&collect->values, finding->is.event.name, finding->is.event.values);
	return text_in(&collect->values, 0);
}

/* A time of day, of the last day on which it is not after the file was written. Without that the day is not known, and
 * times count from midnight. */
static int64_t
time_on_day(struct collect *collect, int64_t time_ns)
{
	int64_t day_ns = INT64_C(86400000000000), days = collect->fallback_ns / day_ns + 1, time;

	if (collect->fallback_ns == STK_TIME_UNKNOWN) {
		collect->source_row.clock = STK_CLOCK_MONOTONIC;
		return time_ns;
	}
	do
		time = civil_to_utc(collect, days * day_ns + time_ns);
	while (time > collect->fallback_ns + CLOCKS_DIFFER_NS && days-- > 0);
	return time;
}

static int64_t
time_of_event(struct collect *collect, const struct finding *finding)
{
	int64_t time = believed_time(collect, finding, finding->is.event.time_ns);

	if (finding->is.event.of_day)
		return time_on_day(collect, finding->is.event.time_ns);
	return finding->is.event.zoned || time == STK_TIME_UNKNOWN ? time : civil_to_utc(collect, time);
}

static int
write_event(struct collect *collect, struct stk_event *row, struct stk_error *err)
{
	collect->counts.events++;
	collect->counts.late_events += row->time != STK_TIME_UNKNOWN && row->time < collect->latest_event_ns;
	if (row->time > collect->latest_event_ns)
		collect->latest_event_ns = row->time;
	return stk_writer_add(collect->options.writer, STK_EVENT, row, err);
}

static int
write_off_cpu(struct collect *collect, const struct stk_sample *away, struct stk_error *err)
{
	struct stk_sample row = *away;

	row.event = name_of(collect, text_from("off-cpu"));
	collect->counts.samples++;
	return stk_writer_add(collect->options.writer, STK_SAMPLE, &row, err);
}

/* A switch, as a sample of the time away when it is over. */
static int
add_switch(struct collect *collect, const struct finding *finding, const struct stk_event *row, struct stk_error *err)
{
	uint64_t who = off_cpu_who(finding->is.event.tid, row->thread);
	struct stk_sample away;

	if (row->time > collect->latest_event_ns)
		collect->latest_event_ns = row->time;
	if (row->happening == STK_HAPPENING_SWITCH_OUT)
		collect->counts.unreturned += !off_cpu_leave(&collect->off_cpu, who, row,
							     trace_left_state(finding->is.event.values));
	else if (off_cpu_return(&collect->off_cpu, who, row->time, &away))
		return write_off_cpu(collect, &away, err);
	return 0;
}

static int
add_event(struct collect *collect, const struct finding *finding, struct stk_error *err)
{
	struct found_sample of = { .name = finding->is.event.thread,
				   .pid = finding->is.event.pid,
				   .tid = finding->is.event.tid,
				   .stack = finding->is.event.stack,
				   .hash = scan_hash(finding->is.event.stack) };
	struct stk_event row = { .time = time_of_event(collect, finding),
				 .happening = finding->is.event.happening,
				 .value = finding->is.event.value,
				 .values = values_of_event(collect, finding),
				 .processor = finding->is.event.processor,
				 .activity = finding->is.event.activity };

	choose_clock(collect, finding->is.event.time_ns);
	collect->reading.from = of.stack.data;
	collect->reading.line = finding->line;
	row.stack = find_stack(collect, &of)->stack;
	row.thread = thread_of_tid(collect, finding, &of);
	if (collect->options.choice.as_off_cpu &&
	    (row.happening == STK_HAPPENING_SWITCH_OUT || row.happening == STK_HAPPENING_SWITCH_IN))
		return add_switch(collect, finding, &row, err);
	row.name = name_of_event(collect, &row, finding->is.event.is_named, finding->is.event.name);
	return write_event(collect, &row, err);
}

static int
add_deadlock(struct collect *collect, const struct finding *finding, struct stk_error *err)
{
	struct stk_deadlock row = { .dump = collect->dump,
				    .ring = finding->is.deadlock.ring,
				    .relation = finding->is.deadlock.relation,
				    .object = collect->options.only_stacks ? 0 : finding->is.deadlock.object };
	char room[JAVA_SYMBOL_MAX];

	row.thread = recorder_string(collect->recorder, finding->is.deadlock.thread);
	row.class = recorder_string(collect->recorder, finding->is.deadlock.is_slashed
							       ? java_dotted_name(finding->is.deadlock.class, room)
							       : finding->is.deadlock.class);
	row.owner = recorder_string(collect->recorder, finding->is.deadlock.owner);
	return stk_writer_add(collect->options.writer, STK_DEADLOCK, &row, err);
}

static void
add_facts(struct collect *collect, const struct finding *finding)
{
	collect->dump_row.listed += finding->is.facts.listed;
	collect->dump_row.exiting += finding->is.facts.exiting;
	collect->dump_row.jni_refs += finding->is.facts.jni_refs;
	collect->dump_row.weak_refs += finding->is.facts.weak_refs;
}

static void
add_capture(struct collect *collect, const struct finding *finding)
{
	if (finding->is.capture.host.size > 0)
		collect->source_row.host = recorder_string(collect->recorder, finding->is.capture.host);
	if (finding->is.capture.process.size > 0)
		collect->source_row.process = recorder_string(collect->recorder, finding->is.capture.process);
}

/* Another format's findings follow: it has a clock, and so a source, of its own. */
static void
change_format(struct collect *collect, const struct text_format *format)
{
	struct section_source *kept, *next = NULL;

	if (format == collect->format)
		return;
	kept = NULL;
	for (size_t i = 0; i < collect->sections.count; i++) {
		if (collect->sections.at[i].format == collect->format)
			kept = &collect->sections.at[i];
		if (collect->sections.at[i].format == format)
			next = &collect->sections.at[i];
	}
	if (kept == NULL) {
		size_t of_next = next == NULL ? 0 : (size_t)(next - collect->sections.at);

		kept = array_push(&collect->sections);
		next = next == NULL ? NULL : &collect->sections.at[of_next];
	}
	*kept = (struct section_source){ collect->format, collect->source_row, collect->source };
	set_format(collect, format);
	if (next != NULL) {
		collect->source_row = next->row;
		collect->source = next->source;
	} else {
		collect->source_row.runtime = format->runtime;
		collect->source_row.clock = format->clock;
		collect->source_row.zone = 0;
		collect->source = 0;
	}
}

static int
collect_finding(struct collect *collect, const struct finding *finding, struct stk_error *err)
{
	switch (finding->kind) {
	case FOUND_SAMPLE:
		return add_sample(collect, finding, err);
	case FOUND_DUMP:
		name_process(collect, finding);
		return begin_dump(collect, believed_time(collect, finding, finding->is.dump.civil_ns),
				  finding->is.dump.zoned, finding->is.dump.vm, err);
	case FOUND_DUMP_END:
		collect->dump_ended = true;
		end_dump(collect);
		return 0;
	case FOUND_DUMP_FACTS:
		add_facts(collect, finding);
		return 0;
	case FOUND_METRIC:
		return add_metric(collect, finding, err);
	case FOUND_EVENT:
		return add_event(collect, finding, err);
	case FOUND_DEADLOCK:
		return add_deadlock(collect, finding, err);
	case FOUND_CAPTURE:
		add_capture(collect, finding);
		return 0;
	case FOUND_SKIPPED:
		tell_skipped(collect, finding);
		return 0;
	case FOUND_SECTION:
	case FOUND_FORMAT:
		change_format(collect, finding->is.section.format);
		return 0;
	case FOUND_PREFIX:
	case FOUND_WRAPPED:
		return 0;
	}
	return 0;
}

int
collect_findings(struct collect *collect, const struct findings *findings, uint64_t first_line,
		 const struct finding **stop, struct stk_error *err)
{
	*stop = NULL;
	collect->line = first_line;
	collect->counts.blank += findings->blank;
	for (size_t i = 0; i < findings->list.count; i++) {
		const struct finding *finding = &findings->list.at[i];

		if (collect_finding(collect, finding, err) < 0)
			return -1;
		if (finding->kind == FOUND_PREFIX || finding->kind == FOUND_FORMAT || finding->kind == FOUND_WRAPPED) {
			*stop = finding;
			collect->counts.lines += finding->line;
			return recorder_error(collect->recorder, err);
		}
	}
	collect->counts.lines += findings->lines;
	return recorder_error(collect->recorder, err);
}

/* --- of formats that read whole inputs by themselves --- */

struct recorder *
recording_definitions(struct collect *collect)
{
	return collect->recorder;
}

void
recording_process(struct collect *collect, uint64_t pid, uint32_t process, uint32_t vm, uint32_t host)
{
	collect->source_row.pid = pid;
	collect->source_row.process = process;
	collect->source_row.vm = vm;
	collect->source_row.host = host;
	collect->source = 0;
}

void
recording_clock(struct collect *collect, enum stk_clock clock)
{
	if (collect->source_row.clock != clock)
		collect->source = 0;
	collect->source_row.clock = clock;
}

uint32_t
recording_source(struct collect *collect)
{
	return present_source(collect);
}

uint32_t
recording_source_of(struct collect *collect, uint64_t pid, struct stk_text process)
{
	return source_of_pid(collect, pid, process);
}

void
recording_broken(struct collect *collect, const char *why)
{
	struct finding doubt = { .kind = FOUND_SKIPPED };

	tell_doubt(collect, &doubt, why);
}

void
recording_rejected(struct collect *collect, uint64_t line, struct stk_text text, bool lost, const char *why)
{
	struct finding finding = { .kind = FOUND_SKIPPED,
				   .is.skipped = { .text = text, .lines = 1, .why = why,
						   .reason = lost ? SKIP_BROKEN : SKIP_NOISE } };

	if (finding.is.skipped.text.size > REJECTED_SHOWN)
		finding.is.skipped.text.size = REJECTED_SHOWN;
	collect->line = line;
	tell_skipped(collect, &finding);
	collect->counts.rejected++;
	collect->line = 0;		/* what is reported of the whole is of no line */
}

void
recording_rejected_lines(struct collect *collect, uint64_t line, struct stk_text text, bool lost, const char *why)
{
	const char *end;

	if (text.size == 0)
		return;			/* its data may be NULL */
	end = text.data + text.size;
	for (struct stk_text one = line_at(text.data, end); one.data < end; one = line_after(one, end), line++)
		if (trimmed(one).size > 0)
			recording_rejected(collect, line, trimmed(one), lost, why);
}

bool
recording_lists_rejects(const struct collect *collect)
{
	return collect->options.choice.count_blank;
}

void
recording_rejected_rest(struct collect *collect, const struct recording_bytes *from, struct stk_text left,
			uint64_t line)
{
	static const char why[] = "follows what cannot be read";
	struct text_buffer text = { 0 };
	size_t got, whole;

	if (!recording_lists_rejects(collect))
		return;
	array_reserve(&text, REST_BYTES);
	add_text(&text, left);
	do {
		whole = whole_lines_size(text_in(&text, 0));
		if (whole == 0 && text.count > REST_BYTES)
			text.count = REST_BYTES;	/* of one line */
		recording_rejected_lines(collect, line, text_of(text.at, whole), false, why);
		line += scan_count_lines(text.at, text.at + whole);
		text.count -= whole;
		memmove(text.at, text.at + whole, text.count);
		array_reserve(&text, REST_BYTES);
		got = from->read(from->context, text.at + text.count, REST_BYTES);
		text.count += got;
	} while (got > 0);
	recording_rejected_lines(collect, line, text_in(&text, 0), false, why);
	array_release(&text);
}

void
recording_unplaced(struct collect *collect, uint64_t count, const char *why)
{
	char text[24];
	struct finding finding = { .kind = FOUND_SKIPPED, .is.skipped = { .reason = SKIP_NOISE, .why = why } };
	int size = snprintf(text, sizeof text, "%llu of them", (unsigned long long)count);

	finding.is.skipped.text = text_of(text, (size_t)size);
	finding.is.skipped.lines = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
	if (count > 0)
		tell_skipped(collect, &finding);
}

int
recording_sample(struct collect *collect, struct stk_sample *row, struct stk_error *err)
{
	static const struct finding whole_input;

	row->time = collect->dump != 0 ? collect->dump_row.time : believed_time(collect, &whole_input, row->time);
	row->dump = collect->dump;
	collect->dump_row.threads += collect->dump != 0;
	if (collect->options.only_stacks) {
		row->objects = row->allocated = row->classes = 0;
		row->cpu = row->elapsed = SPAN_UNKNOWN;
	}
	count_stack(collect, (uint32_t)row->stack);
	collect->counts.samples++;
	return stk_writer_add(collect->options.writer, STK_SAMPLE, row, err);
}

void
sample_batch_alike(struct sample_batch *batch, uint32_t thread, uint32_t event)
{
	uint32_t from = batch->count;

	if (batch->alike_thread == thread && batch->alike_event == event && batch->alike_from <= from && thread != 0)
		return;
	batch->alike_from = from;
	batch->alike_thread = thread;
	batch->alike_event = event;
	for (uint32_t i = from; i < SAMPLE_BATCH_MAX; i++) {
		batch->thread[i] = thread;
		batch->event[i] = event;
		batch->processor[i] = (uint64_t)-1;
		batch->note[i] = 0;
	}
}

/* Whether any time may be one that believed_time does not leave as it is: without branches, by the two highest bits. */
static bool
any_is_far(const uint64_t *times, uint32_t count)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < count; i++)
		all |= times[i] - (uint64_t)STK_TIME_LEAST;
	return all > (uint64_t)STK_TIME_MOST - (uint64_t)STK_TIME_LEAST;
}

static void
count_stacks(struct collect *collect, const uint64_t *stacks, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t byte = stacks[i] / 8;

		if (byte >= collect->seen.count || (collect->seen.at[byte] >> stacks[i] % 8 & 1) == 0)
			count_stack(collect, (uint32_t)stacks[i]);
	}
}

int
recording_samples(struct collect *collect, struct sample_batch *batch, struct stk_error *err)
{
	static const struct finding whole_input;
	const uint64_t *columns[STK_COLUMN_MAX] = {
		[STK_COLUMN(sample, time)] = batch->time,     [STK_COLUMN(sample, thread)] = batch->thread,
		[STK_COLUMN(sample, stack)] = batch->stack,   [STK_COLUMN(sample, event)] = batch->event,
		[STK_COLUMN(sample, weight)] = batch->weight, [STK_COLUMN(sample, state)] = batch->state,
		[STK_COLUMN(sample, processor)] = batch->processor,
		[STK_COLUMN(sample, note)] = batch->noted ? batch->note : NULL
	};
	uint32_t count = batch->count;

	batch->count = 0;
	batch->noted = false;
	if (any_is_far(batch->time, count))
		for (uint32_t i = 0; i < count; i++)
			batch->time[i] = (uint64_t)believed_time(collect, &whole_input, (int64_t)batch->time[i]);
	count_stacks(collect, batch->stack, count);
	collect->counts.samples += count;
	return count == 0 ? 0 : writer_add_columns(collect->options.writer, STK_SAMPLE, columns, 0, count, err);
}

int
recording_metric(struct collect *collect, int64_t time_ns, const char *name, struct stk_text more, double value,
		 struct stk_error *err)
{
	struct finding finding = { .kind = FOUND_METRIC };

	finding.is.metric.name = text_from(name);
	finding.is.metric.more = more;
	finding.is.metric.value = value;
	finding.is.metric.timed = finding.is.metric.zoned = true;
	finding.is.metric.time_ns = time_ns;
	return add_metric(collect, &finding, err);
}

int
recording_event(struct collect *collect, const struct event_line *line, struct stk_error *err)
{
	struct finding finding = { .kind = FOUND_EVENT };

	found_event(&finding, line);
	return add_event(collect, &finding, err);
}

bool
recording_as_events(const struct collect *collect)
{
	return collect->options.choice.as_events;
}

int
recording_event_row(struct collect *collect, struct stk_event *row, struct stk_error *err)
{
	static const struct finding whole_input;

	row->time = believed_time(collect, &whole_input, row->time);
	count_stack(collect, (uint32_t)row->stack);
	row->name = name_of_event(collect, row, false, row->name);
	return write_event(collect, row, err);
}

int
recording_dump(struct collect *collect, int64_t time_ns, struct stk_text text, struct stk_error *err)
{
	const struct text_format *format = collect->format;
	const struct collect_moment taken = { .time_ns = time_ns };
	struct findings findings = { .brief = true };
	int result = 0;

	thread_dump_format.scan(&findings, text);
	set_format(collect, &thread_dump_format);
	collect->moment = &taken;
	collect->within = true;
	for (size_t i = 0; i < findings.list.count && result == 0; i++)
		result = collect_finding(collect, &findings.list.at[i], err);
	end_dump(collect);
	findings_release(&findings);
	collect->within = false;
	collect->moment = NULL;
	set_format(collect, format);
	return result;
}

int
recording_begin_dump(struct collect *collect, int64_t time_ns, struct stk_text vm, struct stk_error *err)
{
	const struct text_format *format = collect->format;
	int result;

	collect->source_row.vm = recorder_string(collect->recorder, vm);
	collect->source_row.clock = time_ns == STK_TIME_UNKNOWN && collect->fallback_ns == STK_TIME_UNKNOWN
					    ? STK_CLOCK_UNKNOWN : STK_CLOCK_WALL;
	set_format(collect, &thread_dump_format);
	collect->within = true;
	result = begin_dump(collect, time_ns, true, vm, err);
	collect->within = false;
	set_format(collect, format);
	return result;
}

int
recording_thread(struct collect *collect, const struct found_sample *sample, struct stk_error *err)
{
	const struct text_format *format = collect->format;
	struct finding finding = { .kind = FOUND_SAMPLE };
	int result;

	finding.is.sample = *sample;
	set_format(collect, &thread_dump_format);
	result = collect_finding(collect, &finding, err);
	set_format(collect, format);
	return result;
}

void
recording_end_dump(struct collect *collect)
{
	end_dump(collect);
}

/* --- files --- */

void
collect_begin_file(struct collect *collect, const char *file, const char *source, const struct text_format *format,
		   int64_t fallback_ns)
{
	collect->file = file;
	set_format(collect, format);
	collect->is_text = format->read == NULL;
	collect->line = 0;
	collect->sections.count = 0;
	collect->fallback_ns = fallback_ns;
	collect->latest_event_ns = INT64_MIN;
	collect->source = collect->dump = 0;
	collect->moment = NULL;
	collect->source_row = (struct stk_source){ .name = recorder_string(collect->recorder, text_from(source)),
						   .runtime = format->runtime,
						   .clock = format->clock };
	collect->pids.count = 0;
	hash_map_clear(&collect->pid_map);
	text_table_clear(&collect->processes);
	collect->process_sources.count = 0;
	open_names_clear(&collect->open_names);
	id_table_clear(&collect->threads_of_tids);
	collect->threads_of_tids.size = sizeof(uint32_t);
}

void
collect_moment(struct collect *collect, const struct collect_moment *moment)
{
	collect->moment = moment;
	collect->source_row.pid = moment->pid;
	collect->source_row.host = recorder_string(collect->recorder, text_from(moment->host));
	collect->source_row.process = recorder_string(collect->recorder, text_from(moment->process));
	collect->source_row.vm = recorder_string(collect->recorder, text_from(moment->vm));
	collect->source_row.runtime = moment->runtime;
	collect->source_row.clock = STK_CLOCK_WALL;
}

uint32_t
collect_source(struct collect *collect)
{
	return present_source(collect);
}

void
collect_lines(struct collect *collect, uint64_t lines, uint64_t blank)
{
	collect->counts.lines += lines;
	collect->counts.blank += blank;
}

int
collect_end_file(struct collect *collect, struct stk_error *err)
{
	struct stk_sample away;
	size_t at = 0;

	end_dump(collect);
	while (off_cpu_next(&collect->off_cpu, &at, collect->latest_event_ns, &away))
		if (write_off_cpu(collect, &away, err) < 0)
			return -1;
	off_cpu_clear(&collect->off_cpu);
	return recorder_error(collect->recorder, err);
}

int
collect_open(struct collect **out, const struct collect_options *options)
{
	struct collect *collect = *out = mem_new(1, sizeof *collect);

	collect->options = *options;
	collect->reading.collect = collect;
	collect->recent = mem_new(RECENT_STACKS, sizeof *collect->recent);
	collect->lines = mem_new(RECENT_LINES, sizeof *collect->lines);
	return recorder_open(&collect->recorder, options->writer);
}

void
collect_close(struct collect *collect)
{
	if (collect == NULL)
		return;
	recorder_close(collect->recorder);
	array_release(&collect->shapes);
	array_release(&collect->reading.frames);
	array_release(&collect->reading.locks);
	array_release(&collect->pids);
	text_table_release(&collect->processes);
	array_release(&collect->process_sources);
	open_names_release(&collect->open_names);
	off_cpu_release(&collect->off_cpu);
	id_table_clear(&collect->threads_of_tids);
	array_release(&collect->values);
	array_release(&collect->plain);
	array_release(&collect->sections);
	array_release(&collect->seen);
	array_release(&collect->followers);
	hash_map_release(&collect->shape_map);
	hash_map_release(&collect->pid_map);
	free(collect->recent);
	free(collect->lines);
	free(collect->masked);
	free(collect);
}

int
collect_flush(struct collect *collect, struct stk_error *err)
{
	collect->quiet = false;
	collect->flush_next = collect->dump != 0;
	return collect->flush_next ? 0 : stk_writer_flush(collect->options.writer, err);
}

void
collect_quiet(struct collect *collect)
{
	collect->quiet = true;
}

void
collect_counts(const struct collect *collect, struct collect_counts *counts)
{
	*counts = collect->counts;
	counts->bytes = recorder_bytes(collect->recorder) + collect->shapes.room * sizeof *collect->shapes.at +
			hash_map_bytes(&collect->shape_map);
}
