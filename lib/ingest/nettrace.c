/* SPDX-License-Identifier: MIT
 * nettrace: traces of .NET's EventPipe (dotnet-trace, .NET Core 3.0 to 9): the samples of its sample profiler, with the
 * names of methods that the runtime writes at the end of a trace. The input is a stream of objects; those that matter
 * are blocks of events, of metadata, which says what events are, and of stacks, whose numbers are valid up to the next
 * point of the sequence. */
#include "base/arena.h"
#include "base/time_math.h"
#include "base/time_text.h"
#include "ingest/address_map.h"
#include "ingest/profile_tables.h"
#include "model/recorder.h"

#define MAGIC          "Nettrace"
#define SERIALIZATION  "!FastSerialization.1"
#define HEAD_BYTES     (8 + 4 + 20)
#define TRACE_BYTES    48
#define NAME_MOST      256	/* of an object */
#define FREQUENCY_MOST INT64_C(9000000000)	/* ticks of a second; times of their parts fit 64 bits */
#define GUID_BYTES     16
#define SAMPLER        "Microsoft-DotNETCore-SampleProfiler"
#define RUNDOWN        "Microsoft-Windows-DotNETRuntimeRundown"
#define RUNTIME        "Microsoft-Windows-DotNETRuntime"
#define METHOD_LOADED  143
#define METHOD_AT_END  144

enum tag { TAG_NULL = 1, TAG_BEGIN = 5, TAG_END = 6 };
enum meaning { MEANS_OTHER, MEANS_SAMPLE, MEANS_METHOD };

struct address_stack { size_t first, count; uint32_t id; bool known; };
struct stack_number { size_t stack; };			/* from 1 */
struct kind { enum meaning meaning; };
struct sample { int64_t ticks; uint64_t thread; size_t stack; uint32_t where; };

/* Of the present event; each says only what differs from the one before in its block. */
struct event { uint32_t kind, stack, payload; uint64_t thread; int64_t ticks; };

struct nettrace {
	struct collect *collect;
	struct recorder *recorder;
	struct stk_error *err;
	struct address_map map;
	struct arena names;
	struct id_table kinds, numbers;			/* of struct kind, of struct stack_number */
	ARRAY(struct address_stack) stacks;
	ARRAY(uint64_t) addresses;
	ARRAY(struct sample) samples;
	struct text_buffer name;
	const char *start;
	int64_t sync_ns, sync_ticks, frequency;
	uint32_t pointer, pid;
	uint64_t methods, others, missing, damaged;
	bool has_trace, over;
};

/* --- parts of the input --- */

static uint64_t
take_little(struct cursor *c, unsigned size)
{
	const unsigned char *at = take_bytes(c, size);
	uint64_t value = 0;

	for (unsigned b = 0; at != NULL && b < size; b++)
		value |= (uint64_t)at[b] << (8 * b);
	return value;
}

/* A text of UTF-16 up to its zero, as UTF-8; valid until the next one. */
static struct stk_text
take_utf16(struct nettrace *n, struct cursor *c)
{
	n->name.count = 0;
	while (!c->bad && c->at < c->end) {
		uint32_t unit = (uint32_t)take_little(c, 2);

		if (unit == 0)
			break;
		if (unit >> 10 == 0x36 && c->end - c->at >= 2 && (c->at[1] & 0xfc) == 0xdc)
			unit = 0x10000 + ((unit & 0x3ff) << 10 | ((uint32_t)take_little(c, 2) & 0x3ff));
		else if (unit >> 11 == 0x1b)
			unit = 0xfffd;
		add_character(&n->name, unit);
	}
	return text_in(&n->name, 0);
}

static struct cursor
cursor_of(const unsigned char *at, size_t size)
{
	return (struct cursor){ .at = at, .end = at == NULL ? at : at + size };
}

/* --- metadata, methods, samples --- */

static void
take_metadata(struct nettrace *n, struct cursor payload)
{
	uint64_t id = take_little(&payload, 4), event;
	struct stk_text provider = take_utf16(n, &payload);
	bool sampler = text_is(provider, SAMPLER);
	bool runtime = text_is(provider, RUNDOWN) || text_is(provider, RUNTIME);
	struct kind kind = { MEANS_OTHER };

	event = take_little(&payload, 4);
	if (sampler && event == 0)
		kind.meaning = MEANS_SAMPLE;
	else if (runtime && (event == METHOD_LOADED || event == METHOD_AT_END))
		kind.meaning = MEANS_METHOD;
	n->damaged += payload.bad;
	*(struct kind *)id_table_at(&n->kinds, id) = kind;
}

/* Its number, module, address, size, token, flags; the type, the name, the signature. */
static void
take_method(struct nettrace *n, struct cursor payload)
{
	uint64_t address, size;
	struct text_buffer whole = { 0 };
	struct stk_text part;

	(void)take_bytes(&payload, 16);
	address = take_little(&payload, 8);
	size = take_little(&payload, 4);
	(void)take_bytes(&payload, 8);
	part = take_utf16(n, &payload);
	add_text(&whole, part);
	part = take_utf16(n, &payload);
	if (whole.count > 0 && part.size > 0)
		add_char(&whole, '.');
	add_text(&whole, part);
	if (payload.bad)
		n->damaged++;
	else if (whole.count > 0 && size > 0)
		address_map_name(&n->map, address, size,
				 text_of(arena_copy(&n->names, whole.at, whole.count), whole.count));
	n->methods += !payload.bad;
	array_release(&whole);
}

static void
take_event(struct nettrace *n, const struct event *event, struct cursor payload)
{
	const struct kind *kind = id_table_find(&n->kinds, event->kind);
	const struct stack_number *number;

	n->missing += kind == NULL;
	n->others += kind != NULL && kind->meaning == MEANS_OTHER;
	if (kind == NULL || kind->meaning == MEANS_OTHER)
		return;
	if (kind->meaning == MEANS_METHOD) {
		take_method(n, payload);
		return;
	}
	number = event->stack != 0 ? id_table_find(&n->numbers, event->stack) : NULL;
	n->missing += event->stack != 0 && number == NULL;
	*array_push(&n->samples) = (struct sample){ event->ticks, event->thread, number != NULL ? number->stack : 0,
						    (uint32_t)take_little(&payload, 4) };
}

/* --- blocks --- */

/* An event's head where only what differs is written. */
static void
read_compressed(struct cursor *c, struct event *event)
{
	unsigned flags = (unsigned)take_little(c, 1);

	if ((flags & 1) != 0)
		event->kind = (uint32_t)take_varint(c);
	if ((flags & 2) != 0) {			/* number in the sequence, thread that wrote it, processor */
		(void)take_varint(c);
		(void)take_varint(c);
		(void)take_varint(c);
	}
	if ((flags & 4) != 0)
		event->thread = take_varint(c);
	if ((flags & 8) != 0)
		event->stack = (uint32_t)take_varint(c);
	event->ticks = (int64_t)((uint64_t)event->ticks + take_varint(c));
	if ((flags & 16) != 0)
		(void)take_bytes(c, GUID_BYTES);
	if ((flags & 32) != 0)
		(void)take_bytes(c, GUID_BYTES);
	if ((flags & 128) != 0)
		event->payload = (uint32_t)take_varint(c);
}

static void
read_plain(struct cursor *c, struct event *event)
{
	(void)take_little(c, 4);		/* size */
	event->kind = (uint32_t)take_little(c, 4) & INT32_MAX;
	(void)take_little(c, 4);		/* number in the sequence */
	event->thread = take_little(c, 8);
	(void)take_bytes(c, 12);		/* thread that wrote it, processor */
	event->stack = (uint32_t)take_little(c, 4);
	event->ticks = (int64_t)take_little(c, 8);
	(void)take_bytes(c, 2 * (size_t)GUID_BYTES);
	event->payload = (uint32_t)take_little(c, 4);
}

static void
read_events(struct nettrace *n, struct cursor block, bool metadata)
{
	const unsigned char *from = block.at;
	uint64_t head = take_little(&block, 2), flags = take_little(&block, 2);
	struct event event = { 0 };

	if (block.bad || head < 4 || (uint64_t)(block.end - from) < head) {
		n->damaged++;
		return;
	}
	block.at = from + head;
	while (block.at < block.end && !block.bad) {
		const unsigned char *payload;

		if ((flags & 1) != 0)
			read_compressed(&block, &event);
		else
			read_plain(&block, &event);
		payload = take_bytes(&block, event.payload);
		if (payload == NULL)
			break;
		if (metadata)
			take_metadata(n, cursor_of(payload, event.payload));
		else
			take_event(n, &event, cursor_of(payload, event.payload));
		while ((flags & 1) == 0 && block.at < block.end && ((const char *)block.at - n->start) % 4 != 0)
			block.at++;
	}
	n->damaged += block.bad;
}

static void
read_stacks(struct nettrace *n, struct cursor block)
{
	uint64_t id = take_little(&block, 4), count = take_little(&block, 4);

	for (; count > 0 && !block.bad; count--, id++) {
		uint64_t size = take_little(&block, 4);
		struct cursor stack = cursor_of(take_bytes(&block, size), size);
		struct address_stack is = { .first = n->addresses.count };

		while (!block.bad && stack.at < stack.end && !stack.bad)
			*array_push(&n->addresses) = take_little(&stack, n->pointer);
		is.count = n->addresses.count - is.first;
		if (block.bad)
			break;
		*array_push(&n->stacks) = is;
		((struct stack_number *)id_table_at(&n->numbers, (uint32_t)id))->stack = n->stacks.count;
	}
	n->damaged += block.bad;
}

/* The moment that ticks count from, how many there are in a second, the size of an address, the process. */
static void
read_trace(struct nettrace *n, struct cursor c)
{
	int date[8];

	for (unsigned d = 0; d < 8; d++)
		date[d] = (int)take_little(&c, 2);
	n->sync_ticks = (int64_t)take_little(&c, 8);
	n->frequency = (int64_t)take_little(&c, 8);
	n->pointer = (uint32_t)take_little(&c, 4);
	n->pid = (uint32_t)take_little(&c, 4);
	if (n->frequency <= 0 || n->frequency > FREQUENCY_MOST || (n->pointer != 4 && n->pointer != 8) ||
	    date[1] < 1 || date[1] > 12 || date[3] < 1 || date[3] > 31 || date[0] > 9999) {
		n->damaged++;
		n->pointer = 8;
		return;
	}
	n->sync_ns = time_from_civil(date[0], date[1], date[3], date[4], date[5], date[6],
				     (int64_t)date[7] * 1000000, NULL);
	n->has_trace = true;
}

/* --- objects --- */

/* The name of the type of an object. */
static bool
take_type(struct cursor *c, struct stk_text *name)
{
	static const unsigned char begins[] = { TAG_BEGIN, TAG_BEGIN, TAG_NULL };
	const unsigned char *tags = take_bytes(c, sizeof begins);
	uint64_t size;

	if (tags == NULL || memcmp(tags, begins, sizeof begins) != 0)
		return false;
	(void)take_bytes(c, 8);			/* its version, and the least that a reader must know */
	size = take_little(c, 4);
	if (size > NAME_MOST)
		return false;
	*name = text_of((const char *)take_bytes(c, size), size);
	return take_little(c, 1) == TAG_END && !c->bad;
}

/* A block has its size, and begins where four divides its place in the file. */
static bool
take_block(struct nettrace *n, struct cursor *c, struct cursor *block)
{
	uint64_t size = take_little(c, 4);
	const unsigned char *at;

	while (c->at < c->end && ((const char *)c->at - n->start) % 4 != 0)
		c->at++;
	at = take_bytes(c, size);
	*block = cursor_of(at, size);
	return at != NULL;
}

static bool
read_object(struct nettrace *n, struct cursor *c)
{
	struct cursor block;
	struct stk_text name;

	if (!take_type(c, &name))
		return false;
	if (text_is(name, "Trace")) {
		read_trace(n, cursor_of(take_bytes(c, TRACE_BYTES), TRACE_BYTES));
	} else if (!take_block(n, c, &block)) {
		return false;
	} else if (text_is(name, "EventBlock") || text_is(name, "MetadataBlock")) {
		read_events(n, block, text_is(name, "MetadataBlock"));
	} else if (text_is(name, "StackBlock")) {
		read_stacks(n, block);
	} else if (text_is(name, "SPBlock")) {
		id_table_clear(&n->numbers);
	}
	return take_little(c, 1) == TAG_END && !c->bad;
}

static void
read_objects(struct nettrace *n, struct stk_text all)
{
	struct cursor c = cursor_of((const unsigned char *)all.data + HEAD_BYTES, all.size - HEAD_BYTES);

	n->start = all.data;
	while (c.at < c.end && *c.at != TAG_NULL)
		if (!read_object(n, &c))
			return;
	n->over = c.at < c.end;
}

/* --- samples --- */

static uint32_t
stack_of(struct nettrace *n, size_t number)
{
	struct address_stack *stack = number != 0 ? &n->stacks.at[number - 1] : NULL;

	if (stack == NULL || stack->known)
		return stack != NULL ? stack->id : 0;
	for (size_t i = stack->count < INGEST_DEPTH_MAX ? stack->count : INGEST_DEPTH_MAX; i > 0; i--)
		stack->id = recorder_stack(n->recorder, stack->id,
					   address_map_frame(&n->map, n->collect, n->addresses.at[stack->first + i - 1],
							     i > 1));
	if (stack->count > INGEST_DEPTH_MAX)
		recording_broken(n->collect, "a stack of more than 65536 frames; those nearer to the root are left out");
	stack->known = true;
	return stack->id;
}

static int64_t
time_of(const struct nettrace *n, int64_t ticks)
{
	int64_t passed, ns;

	if (!n->has_trace || __builtin_sub_overflow(ticks, n->sync_ticks, &passed) ||
	    __builtin_mul_overflow(passed / n->frequency, INT64_C(1000000000), &ns) ||
	    __builtin_add_overflow(ns, n->sync_ns + passed % n->frequency * 1000000000 / n->frequency, &ns))
		return STK_TIME_UNKNOWN;
	return ns;
}

static int
take_samples(struct nettrace *n)
{
	struct stk_sample row = { .weight = 1, .processor = PROCESSOR_UNKNOWN };
	uint32_t managed = recorder_string(n->recorder, text_from("managed"));
	uint32_t external = recorder_string(n->recorder, text_from("external"));
	struct stk_thread thread = { .source = recording_source(n->collect) };

	row.event = recorder_string(n->recorder, text_from("samples"));
	for (size_t i = 0; i < n->samples.count; i++) {
		const struct sample *sample = &n->samples.at[i];

		thread.tid = sample->thread;
		row.thread = recorder_thread(n->recorder, &thread);
		row.time = time_of(n, sample->ticks);
		row.condition = sample->where == 2 ? managed : sample->where == 1 ? external : 0;
		row.stack = stack_of(n, sample->stack);
		if (recording_sample(n->collect, &row, n->err) < 0)
			return -1;
	}
	return 0;
}

static void
say_what_is_lost(struct nettrace *n)
{
	recording_unplaced(n->collect, n->others, "events that are not of the sample profiler");
	if (!n->over)
		recording_broken(n->collect, "a trace that is cut off or damaged; what precedes that was read");
	if (n->samples.count > 0 && n->methods == 0)
		recording_broken(n->collect, "a trace without names of methods, which the runtime writes when it ends");
	if (n->damaged + n->missing > 0)
		recording_broken(n->collect, "blocks that are damaged, or refer to what is not there");
	if (n->samples.count == 0)
		recording_broken(n->collect, "a trace without samples: dotnet-trace collect --profile cpu-sampling");
}

static int
read_file(struct collect *to, const struct recording_bytes *from, struct stk_error *err)
{
	struct nettrace n = { .collect = to, .recorder = recording_definitions(to), .err = err, .pointer = 8 };
	struct text_buffer all = { 0 };
	int result = 0;

	n.kinds.size = sizeof(struct kind);
	n.numbers.size = sizeof(struct stack_number);
	if (!profile_hold(&all, from))
		recording_broken(to, "a trace of more than 2 GB; what follows is left out");
	if (all.count < HEAD_BYTES || memcmp(all.at, MAGIC, 8) != 0 || load32(all.at + 8) != 20 ||
	    memcmp(all.at + 12, SERIALIZATION, 20) != 0) {
		recording_broken(to, "a trace of another version than .NET Core 3.0 to .NET 9 write");
	} else {
		read_objects(&n, text_in(&all, 0));
		recording_process(to, n.pid, 0, 0, 0);
		result = take_samples(&n);
		say_what_is_lost(&n);
	}
	array_release(&all);
	array_release(&n.stacks);
	array_release(&n.addresses);
	array_release(&n.samples);
	array_release(&n.name);
	id_table_clear(&n.kinds);
	id_table_clear(&n.numbers);
	address_map_release(&n.map);
	arena_release(&n.names);
	return result < 0 ? -1 : recorder_error(n.recorder, err);
}

static int
recognise(struct stk_text text)
{
	return text.size > 8 && text_starts(text, MAGIC) && (text.data[8] == 20 || text.data[8] == 0) ? 100 : 0;
}

const struct text_format nettrace_format = {
	.name = "nettrace",
	.about = "traces of .NET's EventPipe (dotnet-trace): samples of managed threads, with names of methods",
	.shown_by = "its first bytes: " MAGIC,
	.clock = STK_CLOCK_WALL,
	.runtime = STK_RUNTIME_UNKNOWN,
	.recognise = recognise,
	.read = read_file
};
