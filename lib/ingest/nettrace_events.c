/* SPDX-License-Identifier: MIT
 * nettrace_events: by provider and number, or name, of an event. The runtime's own are of one process; those of the
 * "Universal" providers are what a collector of the whole machine writes, of any. */
#include "ingest/nettrace_events.h"

#include "base/time_math.h"
#include "base/time_text.h"
#include "ingest/profile_tables.h"
#include "model/recorder.h"

#define FREQUENCY_MOST INT64_C(9000000000)	/* ticks of a second; times of their parts fit 64 bits */
#define PROCESSES_MOST 1024u			/* with names of addresses, each of which costs 64 KiB */
#define KERNEL_FROM    (UINT64_C(1) << 63)	/* addresses of the kernel */
#define KERNEL         1u
#define ONLY           2u
#define METHOD_LOADED  143
#define METHOD_AT_END  144

struct meaning_of { const char *provider, *name; int event; enum nettrace_meaning meaning; };

static const struct meaning_of meanings[] = {
	{ "Microsoft-DotNETCore-SampleProfiler", NULL, 0, MEANS_SAMPLE },
	{ "Microsoft-Windows-DotNETRuntimeRundown", NULL, METHOD_LOADED, MEANS_METHOD },
	{ "Microsoft-Windows-DotNETRuntimeRundown", NULL, METHOD_AT_END, MEANS_METHOD },
	{ "Microsoft-Windows-DotNETRuntime", NULL, METHOD_LOADED, MEANS_METHOD },
	{ "Microsoft-Windows-DotNETRuntime", NULL, METHOD_AT_END, MEANS_METHOD },
	{ "Universal.Events", "cpu", -1, MEANS_CPU },
	{ "Universal.Events", "cswitch", -1, MEANS_SWITCH },
	{ "Universal.System", "ProcessCreate", -1, MEANS_PROCESS },
	{ "Universal.System", "ProcessMapping", -1, MEANS_MAPPING },
	{ "Universal.System", "ProcessSymbol", -1, MEANS_SYMBOL },
	{ "Universal.System", "ProcessExit", -1, MEANS_NOTHING },
	{ "Universal.System", "ProcessMappingMetadata", -1, MEANS_NOTHING },
};

/* --- opening --- */

static size_t
add_process(struct nettrace *n, uint64_t pid)
{
	*array_push(&n->processes) = (struct nettrace_process){ .pid = pid };
	return n->processes.count;
}

void
nettrace_open(struct nettrace *n)
{
	n->pointer = 8;
	n->kinds.size = sizeof(unsigned);
	n->numbers.size = n->mappings.size = n->pids.size = sizeof(size_t);
	n->threads.size = sizeof(struct nettrace_thread);
	add_process(n, 0);
	add_process(n, 0);
}

void
nettrace_release(struct nettrace *n)
{
	for (size_t i = 0; i < n->processes.count; i++)
		address_map_release(&n->processes.at[i].map);
	array_release(&n->processes);
	array_release(&n->stacks);
	array_release(&n->addresses);
	array_release(&n->samples);
	array_release(&n->name);
	id_table_clear(&n->kinds);
	id_table_clear(&n->numbers);
	id_table_clear(&n->threads);
	id_table_clear(&n->mappings);
	id_table_clear(&n->pids);
	arena_release(&n->names);
}

/* --- parts of the input --- */

uint64_t
nettrace_little(struct cursor *c, unsigned size)
{
	const unsigned char *at = take_bytes(c, size);
	uint64_t value = 0;

	for (unsigned b = 0; at != NULL && b < size; b++)
		value |= (uint64_t)at[b] << (8 * b);
	return value;
}

bool
nettrace_begin_events(struct nettrace *n, struct cursor *block, bool *compressed)
{
	const unsigned char *from = block->at;
	uint64_t head = nettrace_little(block, 2);

	*compressed = (nettrace_little(block, 2) & 1) != 0;
	if (block->bad || head < 4 || (uint64_t)(block->end - from) < head) {
		n->damaged++;
		return false;
	}
	block->at = from + head;
	return true;
}

struct stk_text
nettrace_utf16(struct nettrace *n, struct cursor *c)
{
	n->name.count = 0;
	while (!c->bad && c->at < c->end) {
		uint32_t unit = (uint32_t)nettrace_little(c, 2);

		if (unit == 0)
			break;
		if (unit >> 10 == 0x36 && c->end - c->at >= 2 && (c->at[1] & 0xfc) == 0xdc)
			unit = 0x10000 + ((unit & 0x3ff) << 10 | ((uint32_t)nettrace_little(c, 2) & 0x3ff));
		else if (unit >> 11 == 0x1b)
			unit = 0xfffd;
		add_character(&n->name, unit);
	}
	return text_in(&n->name, 0);
}

/* A text of the Universal providers: its size in two bytes. */
static struct stk_text
take_sized(struct cursor *c)
{
	size_t size = (size_t)nettrace_little(c, 2);
	const unsigned char *at = take_bytes(c, size);

	return at == NULL ? text_of("", 0) : text_of((const char *)at, size);
}

static struct stk_text
kept(struct nettrace *n, struct stk_text text)
{
	return text.size == 0 ? text_of("", 0) : text_of(arena_copy(&n->names, text.data, text.size), text.size);
}

void
nettrace_clock(struct nettrace *n, struct cursor *c)
{
	int date[8];

	for (unsigned d = 0; d < 8; d++)
		date[d] = (int)nettrace_little(c, 2);
	n->sync_ticks = (int64_t)nettrace_little(c, 8);
	n->frequency = (int64_t)nettrace_little(c, 8);
	n->pointer = (uint32_t)nettrace_little(c, 4);
	if (n->frequency <= 0 || n->frequency > FREQUENCY_MOST || (n->pointer != 4 && n->pointer != 8) ||
	    date[1] < 1 || date[1] > 12 || date[3] < 1 || date[3] > 31 || date[0] > 9999) {
		n->damaged++;
		n->pointer = 8;
		n->has_trace = false;		/* there may have been another one */
		return;
	}
	n->sync_ns = time_from_civil(date[0], date[1], date[3], date[4], date[5], date[6],
				     (int64_t)date[7] * 1000000, NULL);
	n->has_trace = true;
}

void
nettrace_kind(struct nettrace *n, uint64_t kind, struct stk_text provider, uint64_t event, struct stk_text name)
{
	enum nettrace_meaning meaning = MEANS_OTHER;

	for (unsigned i = 0; i < sizeof meanings / sizeof *meanings; i++) {
		const struct meaning_of *is = &meanings[i];

		if (text_is(provider, is->provider) &&
		    (is->name != NULL ? text_is(name, is->name) : event == (uint64_t)is->event))
			meaning = is->meaning;
	}
	*(unsigned *)id_table_at(&n->kinds, kind) = meaning + 1;
}

void
nettrace_stacks(struct nettrace *n, struct cursor block)
{
	uint64_t id = nettrace_little(&block, 4), count = nettrace_little(&block, 4);

	for (; count > 0 && !block.bad; count--, id++) {
		uint64_t size = nettrace_little(&block, 4);
		struct cursor stack = cursor_of(take_bytes(&block, size), size);
		struct address_stack is = { .first = n->addresses.count };

		while (!block.bad && stack.at < stack.end && !stack.bad)
			*array_push(&n->addresses) = nettrace_little(&stack, n->pointer);
		is.count = n->addresses.count - is.first;
		if (block.bad)
			break;
		*array_push(&n->stacks) = is;
		*(size_t *)id_table_at(&n->numbers, (uint32_t)id) = n->stacks.count;
	}
	n->damaged += block.bad;
}

/* --- processes --- */

/* The place of a process, from 1. */
static size_t
process_of(struct nettrace *n, uint64_t pid)
{
	size_t *place;

	if (!n->has_threads || pid == 0)
		return ONLY;
	place = id_table_at(&n->pids, pid);
	if (*place == 0 && n->processes.count >= PROCESSES_MOST)
		n->crowded = true;
	else if (*place == 0)
		*place = add_process(n, pid);
	return *place == 0 ? ONLY : *place;
}

static struct nettrace_thread
thread_of(const struct nettrace *n, uint64_t number)
{
	const struct nettrace_thread *known = n->has_threads ? id_table_find(&n->threads, number) : NULL;

	return known != NULL ? *known : (struct nettrace_thread){ .tid = n->has_threads ? 0 : number };
}

static struct address_map *
map_of(struct nettrace *n, size_t process, uint64_t address)
{
	return &n->processes.at[(address >= KERNEL_FROM ? KERNEL : process) - 1].map;
}

/* What the system has, the name, and what it is within. */
static void
take_process(struct nettrace *n, uint64_t pid, struct cursor payload)
{
	struct stk_text name;

	(void)take_varint(&payload);
	name = take_sized(&payload);
	n->damaged += payload.bad;
	if (!payload.bad && pid != 0)
		n->processes.at[process_of(n, pid) - 1].name = kept(n, name);
}

/* Its number, the process, where it begins and ends there and begins in the file; the file. */
static void
take_mapping(struct nettrace *n, struct cursor payload)
{
	uint64_t number = take_varint(&payload), pid = take_varint(&payload), from = take_varint(&payload);
	uint64_t to = take_varint(&payload);
	size_t process = process_of(n, pid);
	struct stk_text file;
	struct address_map *map;

	(void)take_varint(&payload);
	file = take_sized(&payload);
	if (payload.bad || to <= from) {
		n->damaged++;
		return;
	}
	*(size_t *)id_table_at(&n->mappings, number) = process;
	map = map_of(n, process, from);
	*array_push(&map->mapped) = (struct mapped){ from, to, kept(n, file) };
	map->sorted = false;
}

/* Its number, that of the mapping, where it begins and ends; the name. */
static void
take_symbol(struct nettrace *n, uint64_t pid, struct cursor payload)
{
	const size_t *process;
	uint64_t from, to;
	struct stk_text name;

	(void)take_varint(&payload);
	process = id_table_find(&n->mappings, take_varint(&payload));
	process = process != NULL && *process != 0 ? process : NULL;
	from = take_varint(&payload);
	to = take_varint(&payload);
	name = take_sized(&payload);
	if (payload.bad || to <= from) {
		n->damaged++;
		return;
	}
	n->methods++;
	if (name.size > 0)
		address_map_name(map_of(n, process != NULL ? *process : process_of(n, pid), from), from, to - from,
				 kept(n, name));
}

/* Its number, module, address, size, token, flags; the type, the name, the signature. */
static void
take_method(struct nettrace *n, uint64_t pid, struct cursor payload)
{
	uint64_t address, size;
	struct text_buffer whole = { 0 };
	struct stk_text part;

	(void)take_bytes(&payload, 16);
	address = nettrace_little(&payload, 8);
	size = nettrace_little(&payload, 4);
	(void)take_bytes(&payload, 8);
	part = nettrace_utf16(n, &payload);
	add_text(&whole, part);
	part = nettrace_utf16(n, &payload);
	if (whole.count > 0 && part.size > 0)
		add_char(&whole, '.');
	add_text(&whole, part);
	if (payload.bad)
		n->damaged++;
	else if (whole.count > 0 && size > 0)
		address_map_name(map_of(n, process_of(n, pid), address), address, size, kept(n, text_in(&whole, 0)));
	n->methods += !payload.bad;
	array_release(&whole);
}

/* --- events --- */

static void
take_sample(struct nettrace *n, const struct nettrace_event *event, enum nettrace_meaning meaning,
	    struct cursor payload)
{
	const size_t *stack = event->stack != 0 ? id_table_find(&n->numbers, event->stack) : NULL;
	struct nettrace_sample sample = { .thread = thread_of(n, event->thread), .meaning = meaning,
					  .ticks = event->ticks, .processor = event->processor };

	n->missing += event->stack != 0 && (stack == NULL || *stack == 0);
	n->missing += n->has_threads && sample.thread.tid == 0 && id_table_find(&n->threads, event->thread) == NULL;
	sample.stack = stack != NULL ? *stack : 0;
	sample.value = meaning == MEANS_SAMPLE ? nettrace_little(&payload, 4) : take_varint(&payload);
	n->damaged += payload.bad && meaning != MEANS_SAMPLE;
	*array_push(&n->samples) = sample;
}

void
nettrace_take(struct nettrace *n, const struct nettrace_event *event, struct cursor payload)
{
	const unsigned *kind = id_table_find(&n->kinds, event->kind);
	enum nettrace_meaning meaning = kind != NULL && *kind > 0 ? (enum nettrace_meaning)(*kind - 1) : MEANS_NOTHING;
	uint64_t pid = thread_of(n, event->thread).pid;

	n->missing += kind == NULL || *kind == 0;
	switch (meaning) {
	case MEANS_OTHER:   n->others++; break;
	case MEANS_SAMPLE: case MEANS_CPU: case MEANS_SWITCH:
		take_sample(n, event, meaning, payload);
		break;
	case MEANS_METHOD:  take_method(n, pid, payload); break;
	case MEANS_PROCESS: take_process(n, pid, payload); break;
	case MEANS_MAPPING: take_mapping(n, payload); break;
	case MEANS_SYMBOL:  take_symbol(n, pid, payload); break;
	default:            break;
	}
}

/* --- samples --- */

static uint32_t
stack_of(struct nettrace *n, size_t number, size_t process)
{
	struct address_stack *stack = number != 0 ? &n->stacks.at[number - 1] : NULL;

	if (stack == NULL || (stack->known && stack->process == process))
		return stack != NULL ? stack->id : 0;
	stack->id = 0;
	for (size_t i = stack->count < INGEST_DEPTH_MAX ? stack->count : INGEST_DEPTH_MAX; i > 0; i--) {
		uint64_t address = n->addresses.at[stack->first + i - 1];

		stack->id = recorder_stack(n->recorder, stack->id,
					   address_map_frame(map_of(n, process, address), n->collect, address, i > 1));
	}
	if (stack->count > INGEST_DEPTH_MAX && !stack->known)
		recording_broken(n->collect, "a stack of more than 65536 frames; those nearer to the root are left out");
	stack->known = true;
	stack->process = process;
	return stack->id;
}

/* Ticks as nanoseconds. False: too many. */
static bool
ns_of(const struct nettrace *n, int64_t ticks, int64_t *ns)
{
	return !__builtin_mul_overflow(ticks / n->frequency, INT64_C(1000000000), ns) &&
	       !__builtin_add_overflow(*ns, ticks % n->frequency * 1000000000 / n->frequency, ns);
}

static int64_t
time_of(const struct nettrace *n, int64_t ticks)
{
	int64_t passed, ns;

	if (!n->has_trace || __builtin_sub_overflow(ticks, n->sync_ticks, &passed) || !ns_of(n, passed, &ns) ||
	    __builtin_add_overflow(ns, n->sync_ns, &ns))
		return STK_TIME_UNKNOWN;
	return ns;
}

/* Of a tick what it says, of a switch the nanoseconds that the thread did not run. */
static uint64_t
weight_of(const struct nettrace *n, const struct nettrace_sample *sample)
{
	int64_t ns;

	if (sample->meaning == MEANS_SAMPLE)
		return 1;
	if (sample->meaning == MEANS_CPU)
		return sample->value;
	return n->has_trace && sample->value <= INT64_MAX && ns_of(n, (int64_t)sample->value, &ns) ? (uint64_t)ns : 0;
}

static int
take_samples(struct nettrace *n)
{
	uint32_t managed = recorder_string(n->recorder, text_from("managed"));
	uint32_t external = recorder_string(n->recorder, text_from("external"));
	uint32_t events[] = { [MEANS_SAMPLE] = recorder_string(n->recorder, text_from("samples")),
			      [MEANS_CPU] = recorder_string(n->recorder, text_from("cpu")),
			      [MEANS_SWITCH] = recorder_string(n->recorder, text_from("cswitch")) };

	for (size_t i = 0; i < n->samples.count; i++) {
		const struct nettrace_sample *sample = &n->samples.at[i];
		size_t process = process_of(n, sample->thread.pid);
		struct stk_thread thread = { .tid = sample->thread.tid, .name = sample->thread.name };
		struct stk_sample row = { .processor = n->has_threads ? (int64_t)sample->processor : PROCESSOR_UNKNOWN,
					  .event = events[sample->meaning],
					  .weight = weight_of(n, sample),
					  .time = time_of(n, sample->ticks) };

		thread.source = sample->thread.pid == 0
					? recording_source(n->collect)
					: recording_source_of(n->collect, sample->thread.pid,
							      n->processes.at[process - 1].name);
		row.thread = recorder_thread(n->recorder, &thread);
		if (sample->meaning == MEANS_SAMPLE)
			row.condition = sample->value == 2 ? managed : sample->value == 1 ? external : 0;
		row.stack = stack_of(n, sample->stack, process);
		if (recording_sample(n->collect, &row, n->err) < 0)
			return -1;
	}
	return 0;
}

int
nettrace_settle(struct nettrace *n)
{
	int result;

	recording_process(n->collect, n->pid, 0, 0, 0);
	result = take_samples(n);
	recording_unplaced(n->collect, n->others, "events that are not of the sample profiler");
	if (!n->over)
		recording_broken(n->collect, "a trace that is cut off or damaged; what precedes that was read");
	profile_say_rest(n->collect, n->rest);
	if (n->samples.count > 0 && n->methods == 0)
		recording_broken(n->collect, "a trace without names of methods, which the runtime writes when it ends");
	if (n->damaged + n->missing > 0)
		recording_broken(n->collect, "blocks that are damaged, or refer to what is not there");
	if (n->crowded)
		recording_broken(n->collect, "a trace of more than 1024 processes; addresses of the others have no names");
	if (n->samples.count == 0)
		recording_broken(n->collect, "a trace without samples: dotnet-trace collect --profile cpu-sampling");
	return result < 0 ? -1 : recorder_error(n->recorder, n->err);
}
