/* SPDX-License-Identifier: MIT
 * recorder: gives the same id to the same thing, and writes its definition when it is new. */
#include "model/recorder.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/hash_map.h"
#include "base/memory.h"
#include "model/model.h"

#include <stdlib.h>

struct string_entry { const char *data; uint32_t size; };
struct pair { uint32_t parent; uint32_t child; };

struct recorder {
	struct stk_writer *writer;
	struct stk_error error;
	bool failed;
	struct arena arena;			/* strings */
	ARRAY(struct string_entry) strings;	/* by id - 1, as are the others */
	ARRAY(struct stk_frame) frames;
	ARRAY(struct pair) stacks;
	ARRAY(struct stk_locks) locks;
	ARRAY(struct stk_objects) objects;
	ARRAY(struct stk_thread) threads;
	ARRAY(struct stk_source) sources;
	struct hash_map string_map, frame_map, stack_map, locks_map, objects_map, thread_map, source_map;
};

/* --- hashing: all of a row's words into one --- */

static inline uint64_t
mixed(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static inline uint64_t
finished(uint64_t hash)
{
	hash *= UINT64_C(0xbf58476d1ce4e5b9);
	return hash ^ hash >> 32;
}

static uint64_t
hash_words(const void *row, size_t size)
{
	uint64_t hash = size, word;

	for (size_t at = 0; at + sizeof word <= size; at += sizeof word) {
		memcpy(&word, (const char *)row + at, sizeof word);
		hash = mixed(hash, word);
	}
	return finished(hash);
}

static uint64_t
hash_text(struct stk_text text)
{
	uint64_t hash = text.size, word;
	size_t at = 0;

	for (; at + sizeof word <= text.size; at += sizeof word) {
		memcpy(&word, text.data + at, sizeof word);
		hash = mixed(hash, word);
	}
	word = 0;
	if (at < text.size)
		memcpy(&word, text.data + at, text.size - at);
	return finished(mixed(hash, word));
}

/* --- --- */

int
recorder_open(struct recorder **out, struct stk_writer *writer)
{
	*out = mem_new(1, sizeof **out);
	(*out)->writer = writer;
	return 0;
}

void
recorder_close(struct recorder *recorder)
{
	if (recorder == NULL)
		return;
	array_release(&recorder->strings);
	array_release(&recorder->frames);
	array_release(&recorder->stacks);
	array_release(&recorder->locks);
	array_release(&recorder->objects);
	array_release(&recorder->threads);
	array_release(&recorder->sources);
	hash_map_release(&recorder->string_map);
	hash_map_release(&recorder->frame_map);
	hash_map_release(&recorder->stack_map);
	hash_map_release(&recorder->locks_map);
	hash_map_release(&recorder->objects_map);
	hash_map_release(&recorder->thread_map);
	hash_map_release(&recorder->source_map);
	arena_release(&recorder->arena);
	free(recorder);
}

/* Writes a definition; the first failure is kept, and then nothing more is written. */
static void
define(struct recorder *recorder, enum stk_kind kind, const void *row)
{
	if (!recorder->failed && stk_writer_add(recorder->writer, kind, row, &recorder->error) < 0)
		recorder->failed = true;
}

uint32_t
recorder_string(struct recorder *recorder, struct stk_text text)
{
	uint64_t hash;
	uint32_t at, id;
	struct stk_string row = { text };

	if (text.size == 0)
		return 0;
	hash = hash_text(text);
	at = hash_map_start(&recorder->string_map, hash);
	while ((id = hash_map_next(&recorder->string_map, hash, &at)) != 0) {
		const struct string_entry *known = &recorder->strings.at[id - 1];

		if (known->size == text.size && memcmp(known->data, text.data, text.size) == 0)
			return id;
	}
	*array_push(&recorder->strings) = (struct string_entry){ arena_copy(&recorder->arena, text.data, text.size), (uint32_t)text.size };
	hash_map_put(&recorder->string_map, hash, (uint32_t)recorder->strings.count);
	define(recorder, STK_STRING, &row);
	return (uint32_t)recorder->strings.count;
}

uint32_t
recorder_stack(struct recorder *recorder, uint32_t parent, uint32_t frame)
{
	struct pair wanted = { parent, frame };
	uint64_t hash = finished(mixed(mixed(0, parent), frame));
	uint32_t at = hash_map_start(&recorder->stack_map, hash), id;
	struct stk_stack row = { parent, frame };

	while ((id = hash_map_next(&recorder->stack_map, hash, &at)) != 0)
		if (memcmp(&recorder->stacks.at[id - 1], &wanted, sizeof wanted) == 0)
			return id;
	*array_push(&recorder->stacks) = wanted;
	hash_map_put(&recorder->stack_map, hash, (uint32_t)recorder->stacks.count);
	define(recorder, STK_STACK, &row);
	return (uint32_t)recorder->stacks.count;
}

/* The kinds whose rows are words and nothing else: found by all their words. */
#define RECORD(NAME, name, rows, map) \
static uint32_t \
record_##name(struct recorder *recorder, const struct stk_##name *row) \
{ \
	uint64_t hash = hash_words(row, sizeof *row); \
	uint32_t at = hash_map_start(&recorder->map, hash), id; \
\
	while ((id = hash_map_next(&recorder->map, hash, &at)) != 0) \
		if (memcmp(&recorder->rows.at[id - 1], row, sizeof *row) == 0) \
			return id; \
	*array_push(&recorder->rows) = *row; \
	hash_map_put(&recorder->map, hash, (uint32_t)recorder->rows.count); \
	define(recorder, STK_##NAME, row); \
	return (uint32_t)recorder->rows.count; \
}
RECORD(FRAME, frame, frames, frame_map)
RECORD(LOCKS, locks, locks, locks_map)
RECORD(OBJECTS, objects, objects, objects_map)
RECORD(THREAD, thread, threads, thread_map)
RECORD(SOURCE, source, sources, source_map)
#undef RECORD

uint32_t
recorder_frame(struct recorder *recorder, const struct stk_frame *frame)
{
	return record_frame(recorder, frame);
}

uint32_t
recorder_locks(struct recorder *recorder, const struct stk_locks *locks)
{
	return record_locks(recorder, locks);
}

uint32_t
recorder_objects(struct recorder *recorder, uint32_t parent, uint64_t address)
{
	return record_objects(recorder, &(struct stk_objects){ parent, address });
}

uint32_t
recorder_thread(struct recorder *recorder, const struct stk_thread *thread)
{
	return record_thread(recorder, thread);
}

uint32_t
recorder_source(struct recorder *recorder, const struct stk_source *source)
{
	return record_source(recorder, source);
}

void
recorder_turn(struct recorder *recorder, struct stk_writer *writer)
{
	recorder->writer = writer;
}

/* An id that was lost keeps its place, and is never found. */
#define ADOPT(NAME, name, rows, map) \
	for (uint32_t id = 1; id < model_ids(model, STK_##NAME); id++) { \
		struct stk_##name row = model_##name(model, id); \
\
		*array_push(&recorder->rows) = row; \
		if (model_knows(model, STK_##NAME, id)) \
			hash_map_put(&recorder->map, hash_words(&row, sizeof row), id); \
	}

void
recorder_adopt(struct recorder *recorder, const struct model *model)
{
	for (uint32_t id = 1; id < model_ids(model, STK_STRING); id++) {
		struct stk_text text = model_string(model, id);

		*array_push(&recorder->strings) = (struct string_entry){ arena_copy(&recorder->arena, text.data, text.size), (uint32_t)text.size };
		if (model_knows(model, STK_STRING, id))
			hash_map_put(&recorder->string_map, hash_text(text), id);
	}
	for (uint32_t id = 1; id < model_ids(model, STK_STACK); id++) {
		struct stk_stack stack = model_stack(model, id);

		*array_push(&recorder->stacks) = (struct pair){ (uint32_t)stack.parent, (uint32_t)stack.frame };
		if (model_knows(model, STK_STACK, id))
			hash_map_put(&recorder->stack_map, finished(mixed(mixed(0, (uint32_t)stack.parent), (uint32_t)stack.frame)), id);
	}
	ADOPT(FRAME, frame, frames, frame_map)
	ADOPT(LOCKS, locks, locks, locks_map)
	ADOPT(OBJECTS, objects, objects, objects_map)
	ADOPT(THREAD, thread, threads, thread_map)
	ADOPT(SOURCE, source, sources, source_map)
}
#undef ADOPT

bool
recorder_string_is(const struct recorder *recorder, uint32_t id, struct stk_text text)
{
	const struct string_entry *known;

	if (id == 0 || id > recorder->strings.count)
		return text.size == 0;
	known = &recorder->strings.at[id - 1];
	return known->size == text.size && memcmp(known->data, text.data, text.size) == 0;
}

bool
recorder_thread_is(const struct recorder *recorder, uint32_t id, const struct stk_thread *thread, struct stk_text name)
{
	const struct stk_thread *known;

	if (id == 0 || id > recorder->threads.count)
		return false;
	known = &recorder->threads.at[id - 1];
	return known->tid == thread->tid && known->handle == thread->handle && known->number == thread->number && known->source == thread->source &&
		known->role == thread->role && known->priority == thread->priority && known->os_priority == thread->os_priority &&
		recorder_string_is(recorder, (uint32_t)known->name, name);
}

uint32_t
recorder_count(const struct recorder *recorder, enum stk_kind kind)
{
	switch (kind) {
	case STK_STRING:  return (uint32_t)recorder->strings.count;
	case STK_FRAME:   return (uint32_t)recorder->frames.count;
	case STK_STACK:   return (uint32_t)recorder->stacks.count;
	case STK_SOURCE:  return (uint32_t)recorder->sources.count;
	case STK_THREAD:  return (uint32_t)recorder->threads.count;
	case STK_LOCKS:   return (uint32_t)recorder->locks.count;
	case STK_OBJECTS: return (uint32_t)recorder->objects.count;
	default:          return 0;
	}
}

size_t
recorder_bytes(const struct recorder *recorder)
{
	return recorder->arena.bytes + recorder->strings.room * sizeof *recorder->strings.at + recorder->frames.room * sizeof *recorder->frames.at +
		recorder->stacks.room * sizeof *recorder->stacks.at + recorder->locks.room * sizeof *recorder->locks.at +
		recorder->objects.room * sizeof *recorder->objects.at + recorder->threads.room * sizeof *recorder->threads.at +
		hash_map_bytes(&recorder->string_map) + hash_map_bytes(&recorder->frame_map) + hash_map_bytes(&recorder->stack_map) +
		hash_map_bytes(&recorder->objects_map) + hash_map_bytes(&recorder->thread_map);
}

int
recorder_error(const struct recorder *recorder, struct stk_error *err)
{
	if (!recorder->failed)
		return 0;
	return stk_fail(err, recorder->error.code, "%s", recorder->error.text);
}
