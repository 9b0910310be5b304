/* SPDX-License-Identifier: MIT
 * simpleperf: what simpleperf report-sample --protobuf writes: messages of protocol buffers after each other, with
 * their sizes. Files, whose symbols samples refer to by number, and names of threads come last, so the input is held in
 * memory and read twice. */
#include "base/memory.h"
#include "ingest/java_symbol.h"
#include "ingest/profile_tables.h"
#include "model/recorder.h"

#include <stdlib.h>

#define MAGIC       "SIMPLEPERF"
#define HEAD_BYTES  12u			/* and the version */
#define CACHED      4096u		/* frames; a power of two */
#define NO_SYMBOL   UINT32_MAX
#define UNKNOWN     "[unknown]"

enum record_field { RECORD_SAMPLE = 1, RECORD_LOST, RECORD_FILE, RECORD_THREAD, RECORD_META, RECORD_SWITCH };
enum execution { EXECUTION_NATIVE, EXECUTION_INTERPRETED, EXECUTION_JIT };

struct file { struct stk_text path; size_t first, count; };	/* symbols */
struct thread { uint64_t pid; struct stk_text name; };
struct entry { uint64_t address; uint32_t file, symbol, execution; };
struct cached { struct entry is; uint32_t frame; };

struct simpleperf {
	struct collect *collect;
	struct recorder *recorder;
	struct stk_error *err;
	struct text_buffer all;
	struct id_table files, threads;		/* by id */
	ARRAY(struct stk_text) symbols;
	ARRAY(uint32_t) events;			/* ids of names */
	ARRAY(uint32_t) frames;			/* of the present stack, leaf first */
	struct cached *cache;
	uint64_t samples, said, lost, switches, partial, missing;
	bool over, told;			/* the input has its end; says how many samples there are */
	size_t end;				/* of the report, when it has one */
};

/* --- records --- */

/* The next record: false at the end, or where the input is damaged. */
static bool
next_record(struct simpleperf *s, size_t *at, struct proto_field *record)
{
	const char *from = s->all.at + *at;
	struct proto_reader reader;
	uint32_t size;

	if (s->all.count - *at < 4)
		return false;
	size = load32(from);
	s->over = size == 0;
	s->end = *at + 4;
	if (size == 0 || size > s->all.count - *at - 4)
		return false;
	*at += 4 + size;
	reader = proto_read(text_of(from + 4, size));
	if (!proto_next(&reader, record))
		*record = (struct proto_field){ .wire = PROTO_NUMBER };
	s->missing += reader.broken || record->wire != PROTO_BYTES;
	return true;
}

static void
note_file(struct simpleperf *s, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct file file = { .first = s->symbols.count };
	struct proto_field field;
	uint64_t id = 0;

	while (proto_next(&reader, &field))
		if (field.number == 1 && field.wire == PROTO_NUMBER)
			id = (uint32_t)field.value;
		else if (field.number == 2 && field.wire == PROTO_BYTES)
			file.path = field.bytes;
		else if (field.number == 3 && field.wire == PROTO_BYTES)
			*array_push(&s->symbols) = field.bytes;
	s->missing += reader.broken;
	file.count = s->symbols.count - file.first;
	*(struct file *)id_table_at(&s->files, id) = file;
}

static void
note_thread(struct simpleperf *s, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct thread thread = { 0 };
	struct proto_field field;
	uint64_t id = 0;

	while (proto_next(&reader, &field))
		if (field.number == 1 && field.wire == PROTO_NUMBER)
			id = (uint32_t)field.value;
		else if (field.number == 2 && field.wire == PROTO_NUMBER)
			thread.pid = (uint32_t)field.value;
		else if (field.number == 3 && field.wire == PROTO_BYTES)
			thread.name = field.bytes;
	s->missing += reader.broken;
	*(struct thread *)id_table_at(&s->threads, id) = thread;
}

static void
note_lost(struct simpleperf *s, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;

	while (proto_next(&reader, &field))
		if (field.wire == PROTO_NUMBER && field.number <= 2)
			*(field.number == 1 ? &s->said : &s->lost) = field.value;
	s->told = true;
}

static void
note_meta(struct simpleperf *s, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;

	while (proto_next(&reader, &field))
		if (field.number == 1 && field.wire == PROTO_BYTES)
			*array_push(&s->events) = recorder_string(s->recorder, field.bytes);
}

/* All but the samples. */
static void
read_definitions(struct simpleperf *s)
{
	struct proto_field record;

	for (size_t at = HEAD_BYTES; next_record(s, &at, &record);) {
		s->samples += record.number == RECORD_SAMPLE;
		s->switches += record.number == RECORD_SWITCH;
		if (record.number == RECORD_FILE)
			note_file(s, record.bytes);
		else if (record.number == RECORD_THREAD)
			note_thread(s, record.bytes);
		else if (record.number == RECORD_LOST)
			note_lost(s, record.bytes);
		else if (record.number == RECORD_META)
			note_meta(s, record.bytes);
	}
}

/* --- samples --- */

static uint32_t
read_frame(struct simpleperf *s, const struct entry *entry)
{
	struct frame_parts parts = { .function = text_from(UNKNOWN), .form = STK_FORM_NATIVE,
				     .address = entry->address };
	const struct file *file = id_table_find(&s->files, entry->file);

	s->missing += file == NULL || (entry->symbol != NO_SYMBOL && entry->symbol >= file->count);
	if (file != NULL && entry->symbol < file->count)
		parts.function = s->symbols.at[file->first + entry->symbol];
	if (file != NULL)
		parts.module = file->path;
	parts.is_symbol = is_java_symbol(parts.function);
	if (entry->execution == EXECUTION_INTERPRETED || entry->execution == EXECUTION_JIT)
		parts.form = STK_FORM_JAVA;
	return recording_frame(s->collect, &parts);
}

/* The same entries come again and again. */
static uint32_t
frame_of(struct simpleperf *s, const struct entry *entry)
{
	uint64_t hash = (entry->address + ((uint64_t)entry->file << 32 | entry->symbol)) * UINT64_C(0x9e3779b97f4a7c15);
	struct cached *cached = &s->cache[hash >> 32 & (CACHED - 1)];

	if (cached->frame == 0 || cached->is.address != entry->address || cached->is.file != entry->file ||
	    cached->is.symbol != entry->symbol || cached->is.execution != entry->execution)
		*cached = (struct cached){ *entry, read_frame(s, entry) };
	return cached->frame;
}

static void
take_entry(struct simpleperf *s, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct entry entry = { 0 };
	struct proto_field field;

	while (proto_next(&reader, &field))
		if (field.wire != PROTO_NUMBER)
			continue;
		else if (field.number == 1)
			entry.address = field.value;
		else if (field.number <= 4)
			*(field.number == 2   ? &entry.file
			  : field.number == 3 ? &entry.symbol
					      : &entry.execution) = (uint32_t)field.value;
	s->missing += reader.broken;
	*array_push(&s->frames) = frame_of(s, &entry);
}

static uint32_t
stack_of(struct simpleperf *s)
{
	uint32_t stack = 0;
	size_t from = s->frames.count;

	if (from > INGEST_DEPTH_MAX) {
		recording_broken(s->collect, "a stack of more than 65536 frames; those nearer to the root are left out");
		from = INGEST_DEPTH_MAX;
	}
	for (size_t i = from; i > 0; i--)
		stack = recorder_stack(s->recorder, stack, s->frames.at[i - 1]);
	return stack;
}

static uint32_t
thread_of(struct simpleperf *s, uint64_t tid)
{
	const struct thread *known = id_table_find(&s->threads, tid), *main = NULL;
	struct stk_thread thread = { .tid = tid };

	if (known != NULL && known->pid != 0)
		main = id_table_find(&s->threads, known->pid);
	thread.source = recording_source_of(s->collect, known != NULL ? known->pid : 0,
					    main != NULL ? main->name : known != NULL ? known->name : text_of("", 0));
	if (known != NULL)
		thread.name = recorder_string(s->recorder, known->name);
	return recorder_thread(s->recorder, &thread);
}

static int
take_sample(struct simpleperf *s, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct stk_sample row = { .time = STK_TIME_UNKNOWN, .processor = PROCESSOR_UNKNOWN };
	uint64_t tid = 0, event = 0, count = 0;
	struct proto_field field;

	s->frames.count = 0;
	while (proto_next(&reader, &field)) {
		bool number = field.wire == PROTO_NUMBER;

		if (field.number == 1 && number)
			row.time = (int64_t)field.value;
		else if (field.number == 2 && number)
			tid = (uint32_t)field.value;
		else if (field.number == 3 && field.wire == PROTO_BYTES)
			take_entry(s, field.bytes);
		else if (field.number == 4 && number)
			count = field.value;
		else if (field.number == 5 && number)
			event = field.value;
		else if (field.number == 6)
			s->partial++;
	}
	s->missing += reader.broken || (event >= s->events.count && s->events.count > 0);
	row.event = event < s->events.count ? s->events.at[event] : 0;
	row.weight = count > 0 && count <= PROFILE_WEIGHT_MOST ? count : 1;
	row.thread = thread_of(s, tid);
	row.stack = stack_of(s);
	return recording_sample(s->collect, &row, s->err);
}

static int
take_samples(struct simpleperf *s)
{
	struct proto_field record;

	for (size_t at = HEAD_BYTES; next_record(s, &at, &record);)
		if (record.number == RECORD_SAMPLE && record.wire == PROTO_BYTES && take_sample(s, record.bytes) < 0)
			return -1;
	return 0;
}

/* --- the input --- */

static void
say_what_is_lost(struct simpleperf *s)
{
	recording_unplaced(s->collect, s->switches, "switches of threads on and off processors");
	recording_unplaced(s->collect, s->partial, "stacks that simpleperf could not unwind to their root");
	recording_unplaced(s->collect, s->lost, "samples that simpleperf lost while it recorded");
	if (!s->over)
		recording_broken(s->collect, "a report that is cut off or damaged; what precedes it was read");
	else
		profile_say_rest(s->collect, text_in(&s->all, s->end));
	if (s->over && s->told && s->said != s->samples)
		recording_broken(s->collect, "a report that says it has another number of samples");
	if (s->missing > 0)
		recording_broken(s->collect, "records that are damaged, or refer to what is not there");
}

static int
read_report(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct simpleperf s = { .collect = to, .recorder = recording_definitions(to), .err = err };
	int result = 0;

	s.files.size = sizeof(struct file);
	s.threads.size = sizeof(struct thread);
	s.cache = mem_new(CACHED, sizeof *s.cache);
	if (!profile_hold(&s.all, from))
		recording_broken(to, "a report of more than 2 GB; what follows is left out");
	if (s.all.count < HEAD_BYTES || memcmp(s.all.at, MAGIC, sizeof MAGIC - 1) != 0 || s.all.at[10] != 1) {
		recording_broken(to, "no report of simpleperf of version 1");
	} else {
		read_definitions(&s);
		result = take_samples(&s);
		say_what_is_lost(&s);
	}
	array_release(&s.all);
	array_release(&s.symbols);
	array_release(&s.events);
	array_release(&s.frames);
	id_table_clear(&s.files);
	id_table_clear(&s.threads);
	free(s.cache);
	return result < 0 ? -1 : recorder_error(s.recorder, err);
}

static int
recognise(struct stk_text text)
{
	return text_starts(text, MAGIC) ? 100 : 0;
}

const struct text_format simpleperf_format = {
	.name = "simpleperf",
	.about = "reports of Android's simpleperf: report-sample --protobuf",
	.shown_by = "its first bytes: " MAGIC,
	.clock = STK_CLOCK_MONOTONIC,
	.runtime = STK_RUNTIME_NATIVE,
	.recognise = recognise,
	.read = read_report
};
