/* SPDX-License-Identifier: MIT
 * collect_stacks: what a sample's stack is, of its text.
 *
 * Three things make it fast. A stack's text that was met lately is found by its hash in a small table (recent). One
 * that was not may still be known except for what varies from sample to sample: the leaf's line (in profiles) or the
 * addresses of locks (in thread dumps); that is cut out, and the rest is looked up among all that was ever seen
 * (shapes). Only what is not there is read, and of that only lines that were not met lately. */
#include "ingest/collect_inside.h"

#include "base/memory.h"
#include "ingest/go_symbol.h"
#include "ingest/java_symbol.h"
#include "ingest/whole_input.h"
#include "model/plain_name.h"
#include "model/recorder.h"

#include <stdlib.h>

#define ADDRESSES_MAX 4096	/* of one stack; more are left out */

/* --- reading --- */

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
	collect_tell_skipped(reading->collect, &finding);
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
	collect_tell_skipped(reading->collect, &finding);
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

/* --- finding --- */

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

void
collect_count_stack(struct collect *collect, uint32_t stack)
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

const struct recent_stack *
collect_find_stack(struct collect *collect, const struct found_sample *sample)
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
	collect_count_stack(collect, found.stack);
	*recent = found;
	return recent;
}
