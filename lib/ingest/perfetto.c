/* SPDX-License-Identifier: MIT
 * perfetto: traces of Perfetto, of which the samples of linux.perf are read: packets of protocol buffers, whose texts,
 * frames and stacks are named once in a sequence of packets and referred to by number until the sequence begins anew.
 * Names of processes and the clocks may come after the samples, so the packets are gone through twice. */
#include "base/memory.h"
#include "ingest/packed_packets.h"
#include "ingest/profile_tables.h"
#include "model/recorder.h"

#include <stdlib.h>

#define BOOT_CLOCK  6u
#define WALL_CLOCK  1u
#define CLOCKS      64u		/* greater ones are of a sequence, and relative */

enum packet_field {
	PACKET_PROCESS_TREE = 2, PACKET_CLOCKS = 6, PACKET_TIME = 8, PACKET_SEQUENCE = 10, PACKET_INTERNED = 12,
	PACKET_FLAGS = 13, PACKET_CONFIG = 33, PACKET_SYNC = 36, PACKET_HEAP = 37, PACKET_STREAMED = 54,
	PACKET_CLOCK = 58, PACKET_DEFAULTS = 59, PACKET_TRACK = 60, PACKET_SYMBOLS = 61, PACKET_SAMPLE = 66,
	PACKET_STACK_SAMPLE = 135
};
enum interned_field {
	INTERNED_FUNCTION = 5, INTERNED_FRAME = 6, INTERNED_STACK = 7, INTERNED_PATH = 17, INTERNED_SOURCE = 18,
	INTERNED_MAPPING = 19
};

struct frame { uint64_t function, mapping, address, source; int64_t line; uint32_t id; };	/* id: 0 until used */
struct stack { struct stk_text message; uint32_t id; bool known; };
struct mapping { struct stk_text message; };

struct sequence {
	struct id_table functions, paths, sources, mappings, frames, stacks;
	uint64_t clock;
	uint32_t event;
};

struct process { struct stk_text name; };
struct thread { uint64_t pid; struct stk_text name; };

/* What is of interest in a packet. */
struct packet {
	uint64_t time, sequence, clock, flags;
	bool timed;
	struct stk_text interned, defaults, sample;
};

struct sample { uint64_t pid, tid, stack; int64_t processor; bool lost, skipped, partial; uint64_t lost_count; };

struct perfetto {
	struct collect *collect;
	struct recorder *recorder;
	struct stk_error *err;
	struct packets packets;
	struct id_table sequences, processes, threads;		/* of struct sequence *, by their numbers */
	ARRAY(struct sequence *) all_sequences;
	ARRAY(uint64_t) way;					/* of the present stack: frames, root first */
	struct text_buffer path;
	int64_t to_wall[CLOCKS];
	bool knows[CLOCKS], wall;
	uint64_t samples, lost, skipped, partial, timeless, missing, heaps, newer, symbols, others;
};

/* --- names and clocks --- */

static void
note_thread(struct perfetto *p, struct stk_text message, uint32_t of_pid, uint32_t of_tid, uint32_t of_name)
{
	struct proto_reader reader = proto_read(message);
	struct thread thread = { 0 }, *known;
	struct proto_field field;
	uint64_t tid = 0;

	while (proto_next(&reader, &field))
		if (field.number == of_tid && field.wire == PROTO_NUMBER)
			tid = (uint32_t)field.value;
		else if (field.number == of_pid && field.wire == PROTO_NUMBER)
			thread.pid = (uint32_t)field.value;
		else if (field.number == of_name && field.wire == PROTO_BYTES)
			thread.name = field.bytes;
	known = id_table_at(&p->threads, tid);
	if (thread.name.size > 0 || known->name.size == 0)
		*known = thread;
}

/* name: of the first of several, which is the command. */
static void
note_process(struct perfetto *p, struct stk_text message, uint32_t of_name)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;
	struct stk_text name = { 0 };
	struct process *known;
	uint64_t pid = 0;

	while (proto_next(&reader, &field))
		if (field.number == 1 && field.wire == PROTO_NUMBER)
			pid = (uint32_t)field.value;
		else if (field.number == of_name && field.wire == PROTO_BYTES && name.size == 0)
			name = field.bytes;
	known = id_table_at(&p->processes, pid);
	if (known->name.size == 0)
		known->name = name;
}

static void
note_tree(struct perfetto *p, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;

	while (proto_next(&reader, &field))
		if (field.number == 1 && field.wire == PROTO_BYTES)
			note_process(p, field.bytes, 3);
		else if (field.number == 2 && field.wire == PROTO_BYTES)
			note_thread(p, field.bytes, 3, 1, 2);
}

static void
note_track(struct perfetto *p, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;

	while (proto_next(&reader, &field))
		if (field.number == 3 && field.wire == PROTO_BYTES)
			note_process(p, field.bytes, 6);
		else if (field.number == 4 && field.wire == PROTO_BYTES)
			note_thread(p, field.bytes, 1, 2, 5);
}

/* The first moment that is known by several clocks, of which one is that of the wall. */
static void
note_clocks(struct perfetto *p, struct stk_text message)
{
	struct proto_reader reader = proto_read(message), clock;
	struct proto_field field, part;
	uint64_t at[CLOCKS] = { 0 };

	while (proto_next(&reader, &field)) {
		uint64_t number = 0, time = 0;

		if (field.number != 1 || field.wire != PROTO_BYTES)
			continue;
		clock = proto_read(field.bytes);
		while (proto_next(&clock, &part))
			if (part.wire == PROTO_NUMBER && part.number <= 2)
				*(part.number == 1 ? &number : &time) = part.value;
		if (number < CLOCKS)
			at[number] = time;
	}
	for (unsigned c = 0; c < CLOCKS && at[WALL_CLOCK] != 0; c++)
		if (at[c] != 0 && !p->knows[c]) {
			p->to_wall[c] = (int64_t)(at[WALL_CLOCK] - at[c]);
			p->knows[c] = p->wall = true;
		}
}

static void
note_packet(struct perfetto *p, struct stk_text packet)
{
	struct proto_reader reader = proto_read(packet);
	struct proto_field field;

	while (proto_next(&reader, &field)) {
		if (field.wire != PROTO_BYTES)
			continue;
		switch (field.number) {
		case PACKET_PROCESS_TREE: note_tree(p, field.bytes); break;
		case PACKET_TRACK:        note_track(p, field.bytes); break;
		case PACKET_CLOCKS:       note_clocks(p, field.bytes); break;
		case PACKET_SYMBOLS:      p->symbols++; break;
		case PACKET_HEAP:         p->heaps++; break;
		case PACKET_STREAMED:     p->newer++; break;
		case PACKET_STACK_SAMPLE: p->newer++; break;
		case PACKET_INTERNED: case PACKET_DEFAULTS: case PACKET_SAMPLE: case PACKET_CONFIG: case PACKET_SYNC:
			break;
		default: p->others++;
		}
	}
	p->missing += reader.broken;
}

/* --- what a sequence names --- */

static void
forget_sequence(struct sequence *s)
{
	id_table_clear(&s->functions);
	id_table_clear(&s->paths);
	id_table_clear(&s->sources);
	id_table_clear(&s->mappings);
	id_table_clear(&s->frames);
	id_table_clear(&s->stacks);
}

static struct sequence *
sequence_of(struct perfetto *p, uint64_t number)
{
	struct sequence **known = id_table_at(&p->sequences, number), *s = *known;

	if (s != NULL)
		return s;
	s = *known = *array_push(&p->all_sequences) = mem_new(1, sizeof *s);
	s->functions.size = s->paths.size = s->sources.size = sizeof(struct stk_text);
	s->mappings.size = sizeof(struct mapping);
	s->frames.size = sizeof(struct frame);
	s->stacks.size = sizeof(struct stack);
	s->clock = BOOT_CLOCK;
	return s;
}

static void
name_text(struct id_table *in, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct stk_text text = { 0 };
	struct proto_field field;
	uint64_t id = 0;

	while (proto_next(&reader, &field))
		if (field.number == 1 && field.wire == PROTO_NUMBER)
			id = field.value;
		else if (field.number == 2 && field.wire == PROTO_BYTES)
			text = field.bytes;
	*(struct stk_text *)id_table_at(in, id) = text;
}

static void
name_frame(struct sequence *s, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct frame frame = { 0 };
	struct proto_field field;
	uint64_t of[7] = { 0 };

	while (proto_next(&reader, &field))
		if (field.wire == PROTO_NUMBER && field.number < 7)
			of[field.number] = field.value;
	frame.function = of[2];
	frame.mapping = of[3];
	frame.address = of[4];
	frame.source = of[5];
	frame.line = of[6] <= INT32_MAX ? (int64_t)of[6] : 0;
	*(struct frame *)id_table_at(&s->frames, of[1]) = frame;
}

/* The number of a message, whose other fields are read when it is used. */
static uint64_t
number_of(struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;

	while (proto_next(&reader, &field))
		if (field.number == 1 && field.wire == PROTO_NUMBER)
			return field.value;
	return 0;
}

static void
name_all(struct sequence *s, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;

	while (proto_next(&reader, &field)) {
		if (field.wire != PROTO_BYTES)
			continue;
		switch (field.number) {
		case INTERNED_FUNCTION: name_text(&s->functions, field.bytes); break;
		case INTERNED_PATH:     name_text(&s->paths, field.bytes); break;
		case INTERNED_SOURCE:   name_text(&s->sources, field.bytes); break;
		case INTERNED_FRAME:    name_frame(s, field.bytes); break;
		case INTERNED_MAPPING:
			*(struct mapping *)id_table_at(&s->mappings, number_of(field.bytes)) =
				(struct mapping){ field.bytes };
			break;
		case INTERNED_STACK:
			*(struct stack *)id_table_at(&s->stacks, number_of(field.bytes)) =
				(struct stack){ .message = field.bytes };
			break;
		}
	}
}

/* The clock of a sequence, and what its samples count. */
static void
set_defaults(struct perfetto *p, struct sequence *s, struct stk_text message)
{
	struct proto_reader reader = proto_read(message), samples, base;
	struct proto_field field, of_samples, of_base;

	s->clock = BOOT_CLOCK;
	s->event = 0;
	while (proto_next(&reader, &field)) {
		if (field.number == PACKET_CLOCK && field.wire == PROTO_NUMBER)
			s->clock = field.value;
		if (field.number != 12 || field.wire != PROTO_BYTES)
			continue;
		samples = proto_read(field.bytes);
		while (proto_next(&samples, &of_samples)) {
			if (of_samples.number != 1 || of_samples.wire != PROTO_BYTES)
				continue;
			base = proto_read(of_samples.bytes);
			while (proto_next(&base, &of_base))
				if (of_base.number == 10 && of_base.wire == PROTO_BYTES)
					s->event = recorder_string(p->recorder, of_base.bytes);
		}
	}
}

/* --- stacks --- */

static struct stk_text
text_named(struct perfetto *p, const struct id_table *in, uint64_t id)
{
	const struct stk_text *text = id != 0 ? id_table_find(in, id) : NULL;

	p->missing += id != 0 && text == NULL;
	return text != NULL ? *text : text_of("", 0);
}

/* "/system/lib64/libc.so", whose parts have names of their own. */
static struct stk_text
module_of(struct perfetto *p, struct sequence *s, uint64_t id)
{
	const struct mapping *mapping = id_table_find(&s->mappings, id);
	struct proto_reader reader;
	struct proto_field field;
	uint64_t part;

	p->path.count = 0;
	p->missing += mapping == NULL;
	if (mapping == NULL)
		return text_of("", 0);
	reader = proto_read(mapping->message);
	while (proto_next(&reader, &field)) {
		struct proto_numbers numbers = proto_numbers(&field, PROTO_NUMBER);

		if (field.number != 7 || (field.wire != PROTO_NUMBER && field.wire != PROTO_BYTES))
			continue;
		while (proto_next_number(&numbers, &part)) {
			struct stk_text text = text_named(p, &s->paths, part);

			if (p->path.count > 0 || (text.size > 0 && *text.data != '/' && *text.data != '['))
				add_char(&p->path, '/');
			add_text(&p->path, text);
		}
	}
	return text_in(&p->path, 0);
}

static uint32_t
frame_of(struct perfetto *p, struct sequence *s, uint64_t id)
{
	struct frame *frame = id_table_find(&s->frames, id);
	struct frame_parts parts = { .function = text_from("[unknown]"), .form = STK_FORM_NATIVE, .is_symbol = true };
	struct stk_text name;

	if (frame != NULL && frame->id != 0)
		return frame->id;
	p->missing += frame == NULL;
	if (frame == NULL)
		return recording_frame(p->collect, &parts);
	name = text_named(p, &s->functions, frame->function);
	if (name.size > 0)
		parts.function = name;
	if (frame->mapping != 0)
		parts.module = module_of(p, s, frame->mapping);
	parts.file = text_named(p, &s->sources, frame->source);
	parts.line = frame->line;
	parts.address = frame->address;
	return frame->id = recording_frame(p->collect, &parts);
}

static void
read_way(struct perfetto *p, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct proto_field field;
	uint64_t frame;

	p->way.count = 0;
	while (proto_next(&reader, &field)) {
		struct proto_numbers numbers = proto_numbers(&field, PROTO_NUMBER);

		if (field.number != 2 || (field.wire != PROTO_NUMBER && field.wire != PROTO_BYTES))
			continue;
		while (proto_next_number(&numbers, &frame))
			*array_push(&p->way) = frame;
	}
	p->missing += reader.broken;
}

static uint32_t
stack_of(struct perfetto *p, struct sequence *s, uint64_t id)
{
	struct stack *stack = id_table_find(&s->stacks, id);
	size_t from = 0;

	p->missing += stack == NULL;
	if (stack == NULL || stack->known)
		return stack != NULL ? stack->id : 0;
	read_way(p, stack->message);
	if (p->way.count > INGEST_DEPTH_MAX) {
		recording_broken(p->collect, "a stack of more than 65536 frames; those nearer to the root are left out");
		from = p->way.count - INGEST_DEPTH_MAX;
	}
	for (; from < p->way.count; from++)
		stack->id = recorder_stack(p->recorder, stack->id, frame_of(p, s, p->way.at[from]));
	stack->known = true;
	return stack->id;
}

/* --- samples --- */

static uint32_t
thread_of(struct perfetto *p, const struct sample *sample)
{
	const struct thread *known = id_table_find(&p->threads, sample->tid);
	const struct process *process = id_table_find(&p->processes, sample->pid);
	struct stk_text name = known != NULL ? known->name : text_of("", 0);
	struct stk_thread thread = { .tid = sample->tid };

	if (name.size == 0 && process != NULL && sample->tid == sample->pid)
		name = process->name;
	thread.source = recording_source_of(p->collect, sample->pid, process != NULL ? process->name : text_of("", 0));
	thread.name = recorder_string(p->recorder, name);
	return recorder_thread(p->recorder, &thread);
}

static int64_t
time_of(struct perfetto *p, const struct packet *packet, const struct sequence *s)
{
	uint64_t clock = packet->clock != 0 ? packet->clock : s->clock;

	if (packet->timed && (p->wall ? clock < CLOCKS && p->knows[clock] : clock < CLOCKS))
		return (int64_t)packet->time + (p->wall ? p->to_wall[clock] : 0);
	p->timeless++;
	return STK_TIME_UNKNOWN;
}

static struct sample
read_sample(struct perfetto *p, struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct sample sample = { .processor = PROCESSOR_UNKNOWN };
	struct proto_field field;

	while (proto_next(&reader, &field)) {
		if (field.wire != PROTO_NUMBER)
			continue;
		switch (field.number) {
		case 1:  sample.processor = (int64_t)(field.value & INT32_MAX); break;
		case 2:  sample.pid = (uint32_t)field.value; break;
		case 3:  sample.tid = (uint32_t)field.value; break;
		case 4:  sample.stack = field.value; break;
		case 16: sample.partial = field.value != 1; break;
		case 17: sample.lost_count = field.value; sample.lost = true; break;
		case 18: sample.skipped = true; break;
		}
	}
	p->missing += reader.broken;
	return sample;
}

static int
take_sample(struct perfetto *p, const struct packet *packet, struct sequence *s)
{
	struct sample sample = read_sample(p, packet->sample);
	struct stk_sample row = { .weight = 1, .processor = sample.processor };

	p->lost += sample.lost_count;
	p->skipped += sample.skipped && !sample.lost;
	if (sample.lost || sample.skipped)
		return 0;
	p->samples++;
	p->partial += sample.partial;
	row.time = time_of(p, packet, s);
	row.event = s->event != 0 ? s->event : recorder_string(p->recorder, text_from("perf"));
	row.thread = thread_of(p, &sample);
	row.stack = sample.stack != 0 ? stack_of(p, s, sample.stack) : 0;
	return recording_sample(p->collect, &row, p->err);
}

static struct packet
read_packet(struct stk_text message)
{
	struct proto_reader reader = proto_read(message);
	struct packet packet = { 0 };
	struct proto_field field;

	while (proto_next(&reader, &field)) {
		bool bytes = field.wire == PROTO_BYTES;

		switch (field.number) {
		case PACKET_TIME:     packet.time = field.value; packet.timed = true; break;
		case PACKET_SEQUENCE: packet.sequence = field.value; break;
		case PACKET_CLOCK:    packet.clock = field.value; break;
		case PACKET_FLAGS:    packet.flags = field.value; break;
		case PACKET_INTERNED: packet.interned = field.bytes; break;
		case PACKET_DEFAULTS: packet.defaults = field.bytes; break;
		case PACKET_SAMPLE:   packet.sample = bytes ? field.bytes : packet.sample; break;
		}
	}
	return packet;
}

static int
take_packet(struct perfetto *p, struct stk_text message)
{
	struct packet packet = read_packet(message);
	struct sequence *s;

	if (packet.interned.size == 0 && packet.sample.data == NULL && packet.defaults.size == 0 && packet.flags == 0)
		return 0;
	s = sequence_of(p, packet.sequence);
	if ((packet.flags & 1) != 0)
		forget_sequence(s);
	if (packet.defaults.size > 0)
		set_defaults(p, s, packet.defaults);
	name_all(s, packet.interned);
	return packet.sample.data != NULL ? take_sample(p, &packet, s) : 0;
}

/* --- the trace --- */

static void
say_what_is_lost(struct perfetto *p)
{
	recording_unplaced(p->collect, p->others, "packets of other data than samples");
	recording_unplaced(p->collect, p->lost, "records that the kernel lost while the trace was taken");
	recording_unplaced(p->collect, p->skipped, "samples that perfetto could not unwind at all");
	recording_unplaced(p->collect, p->partial, "stacks that perfetto could not unwind to their root");
	recording_unplaced(p->collect, p->symbols, "tables of symbols beside the trace");
	if (p->heaps > 0)
		recording_broken(p->collect, "heap profiles in a trace are not read: traceconv profile makes pprof of them");
	if (p->newer > 0)
		recording_broken(p->collect, "samples of another kind than those of linux.perf, which are not read");
	if (p->timeless > 0)
		recording_broken(p->collect, "samples whose clock the trace does not explain; they have no time");
	if (p->missing > 0)
		recording_broken(p->collect, "packets that are damaged, or refer to what is not there");
	if (p->samples == 0)
		recording_broken(p->collect, "a trace without samples of linux.perf, which are what is read of one");
}

static void
release(struct perfetto *p)
{
	for (size_t i = 0; i < p->all_sequences.count; i++) {
		forget_sequence(p->all_sequences.at[i]);
		free(p->all_sequences.at[i]);
	}
	array_release(&p->all_sequences);
	array_release(&p->way);
	array_release(&p->path);
	id_table_clear(&p->sequences);
	id_table_clear(&p->processes);
	id_table_clear(&p->threads);
	packets_release(&p->packets);
}

static int
read_trace(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct perfetto p = { .collect = to, .recorder = recording_definitions(to), .err = err };
	struct text_buffer all = { 0 };
	int result = 0;

	p.sequences.size = sizeof(struct sequence *);
	p.processes.size = sizeof(struct process);
	p.threads.size = sizeof(struct thread);
	if (!profile_hold(&all, from))
		recording_broken(to, "a trace of more than 2 GB; what follows is left out");
	packets_find(&p.packets, text_in(&all, 0), to);
	for (size_t i = 0; i < p.packets.list.count; i++)
		note_packet(&p, p.packets.list.at[i]);
	recording_clock(to, p.wall ? STK_CLOCK_WALL : STK_CLOCK_MONOTONIC);
	for (size_t i = 0; i < p.packets.list.count && result == 0; i++)
		result = take_packet(&p, p.packets.list.at[i]);
	say_what_is_lost(&p);
	release(&p);
	array_release(&all);
	return result < 0 ? -1 : recorder_error(p.recorder, err);
}

/* --- recognising --- */

/* Only packets at the top, of which some have what all traces have: a sequence, a time. */
static int
recognise(struct stk_text text)
{
	struct proto_reader reader = proto_read(text);
	struct proto_field field, part;
	unsigned sure = 0;

	reader.beginning = true;
	while (proto_next(&reader, &field)) {
		struct proto_reader packet = proto_read(field.bytes);

		if (field.number != 1 || field.wire != PROTO_BYTES)
			return 0;
		packet.beginning = true;
		while (proto_next(&packet, &part))
			sure += part.wire == PROTO_NUMBER ? part.number == PACKET_TIME || part.number == PACKET_SEQUENCE
							  : part.number == PACKET_COMPRESSED;
		if (packet.broken && reader.at < reader.end)
			return 0;
	}
	return sure > 0 ? 94 : 0;
}

const struct text_format perfetto_format = {
	.name = "perfetto",
	.about = "traces of Perfetto: samples of linux.perf, with their processes and wall-clock times",
	.shown_by = "packets of a trace with times and sequences, in protocol buffers",
	.clock = STK_CLOCK_MONOTONIC,
	.runtime = STK_RUNTIME_NATIVE,
	.recognise = recognise,
	.read = read_trace
};
