/* SPDX-License-Identifier: MIT
 * recorder: gives the same id to the same thing, and writes its definition when it is new. */
#include "model/recorder.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "model/model.h"

#include <stdlib.h>

struct string_entry { const char *data; uint32_t size; };
struct pair { uint32_t parent; uint32_t child; };

/* What was recorded of a kind. Ids continue after the last one, which in an adopted stream may be far above their
 * number. */
struct recorded { struct id_table rows; struct hash_map map; uint32_t last; };

struct recorder {
	struct stk_writer *writer;
	struct stk_error error;
	bool failed;
	struct arena arena;			/* strings */
	struct recorded strings, frames, stacks, locks, objects, threads, sources;
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
	struct recorder *recorder = *out = mem_new(1, sizeof *recorder);

	recorder->writer = writer;
	recorder->strings.rows.size = sizeof(struct string_entry);
	recorder->frames.rows.size = sizeof(struct stk_frame);
	recorder->stacks.rows.size = sizeof(struct pair);
	recorder->locks.rows.size = sizeof(struct stk_locks);
	recorder->objects.rows.size = sizeof(struct stk_objects);
	recorder->threads.rows.size = sizeof(struct stk_thread);
	recorder->sources.rows.size = sizeof(struct stk_source);
	return 0;
}

static void
release(struct recorded *recorded)
{
	id_table_clear(&recorded->rows);
	hash_map_release(&recorded->map);
}

void
recorder_close(struct recorder *recorder)
{
	if (recorder == NULL)
		return;
	release(&recorder->strings);
	release(&recorder->frames);
	release(&recorder->stacks);
	release(&recorder->locks);
	release(&recorder->objects);
	release(&recorder->threads);
	release(&recorder->sources);
	arena_release(&recorder->arena);
	free(recorder);
}

/* Keeps a row and adds it to the map under its hash. */
static void
keep(struct recorded *recorded, uint32_t id, uint64_t hash, const void *row)
{
	memcpy(id_table_at(&recorded->rows, id), row, recorded->rows.size);
	hash_map_put(&recorded->map, hash, id);
	recorded->last = id;
}

/* Writes a new row and keeps it under the next id. Returns that id, or 0. After the first failure, which is remembered,
 * nothing more is written. */
static uint32_t
add(struct recorder *recorder, struct recorded *recorded, uint64_t hash, const void *kept, enum stk_kind kind,
    const void *row)
{
	if (recorder->failed || stk_writer_add(recorder->writer, kind, row, &recorder->error) < 0) {
		recorder->failed = true;
		return 0;
	}
	keep(recorded, recorded->last + 1, hash, kept);
	return recorded->last;
}

static struct string_entry
copy_text(struct recorder *recorder, struct stk_text text)
{
	return (struct string_entry){ arena_copy(&recorder->arena, text.data, text.size), (uint32_t)text.size };
}

uint32_t
recorder_string(struct recorder *recorder, struct stk_text text)
{
	struct recorded *strings = &recorder->strings;
	struct stk_string row = { text };
	struct string_entry entry;
	uint64_t hash;
	uint32_t at, id;

	if (text.size == 0)
		return 0;
	hash = hash_text(text);
	at = hash_map_start(&strings->map, hash);
	while ((id = hash_map_next(&strings->map, hash, &at)) != 0)
		if (recorder_string_is(recorder, id, text))
			return id;
	entry = copy_text(recorder, text);
	return add(recorder, strings, hash, &entry, STK_STRING, &row);
}

static uint64_t
hash_stack(struct pair stack)
{
	return finished(mixed(mixed(0, stack.parent), stack.child));
}

uint32_t
recorder_stack(struct recorder *recorder, uint32_t parent, uint32_t frame)
{
	struct recorded *stacks = &recorder->stacks;
	struct pair wanted = { parent, frame };
	uint64_t hash = hash_stack(wanted);
	uint32_t at = hash_map_start(&stacks->map, hash), id;
	struct stk_stack row = { parent, frame };

	while ((id = hash_map_next(&stacks->map, hash, &at)) != 0)
		if (memcmp(id_table_find(&stacks->rows, id), &wanted, sizeof wanted) == 0)
			return id;
	return add(recorder, stacks, hash, &wanted, STK_STACK, &row);
}

/* The kinds whose rows are only words: found by all their words. */
#define RECORD(NAME, name, kind) \
static uint32_t \
record_##name(struct recorder *recorder, const struct stk_##name *row) \
{ \
	struct recorded *recorded = &recorder->kind; \
	uint64_t hash = hash_words(row, sizeof *row); \
	uint32_t at = hash_map_start(&recorded->map, hash), id; \
\
	while ((id = hash_map_next(&recorded->map, hash, &at)) != 0) \
		if (memcmp(id_table_find(&recorded->rows, id), row, sizeof *row) == 0) \
			return id; \
	return add(recorder, recorded, hash, row, STK_##NAME, row); \
}
RECORD(FRAME, frame, frames)
RECORD(LOCKS, locks, locks)
RECORD(OBJECTS, objects, objects)
RECORD(THREAD, thread, threads)
RECORD(SOURCE, source, sources)
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

/* Roles are those of Java VMs: a thread that is given none, and is of another program, has none of them. */
static uint64_t
role_of(const struct recorder *recorder, const struct stk_thread *thread)
{
	const struct stk_source *source;

	if (thread->role != STK_ROLE_JAVA)
		return thread->role;
	source = id_table_find(&recorder->sources.rows, (uint32_t)thread->source);
	return source != NULL && source->runtime == STK_RUNTIME_JVM ? STK_ROLE_JAVA : STK_ROLE_OTHER;
}

uint32_t
recorder_thread(struct recorder *recorder, const struct stk_thread *thread)
{
	struct stk_thread row = *thread;

	row.role = role_of(recorder, thread);
	return record_thread(recorder, &row);
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

/* What the stream lost is never found; its ids are not given again. */
#define ADOPT(NAME, name, kind) \
	for (uint32_t id = model_next(model, STK_##NAME, 0); id != 0; id = model_next(model, STK_##NAME, id)) { \
		struct stk_##name row = model_##name(model, id); \
\
		keep(&recorder->kind, id, hash_words(&row, sizeof row), &row); \
	}

void
recorder_adopt(struct recorder *recorder, struct model *model)
{
	for (uint32_t id = model_next(model, STK_STRING, 0); id != 0; id = model_next(model, STK_STRING, id)) {
		struct string_entry entry = copy_text(recorder, model_string(model, id));

		keep(&recorder->strings, id, hash_text(model_string(model, id)), &entry);
	}
	for (uint32_t id = model_next(model, STK_STACK, 0); id != 0; id = model_next(model, STK_STACK, id)) {
		struct stk_stack stack = model_stack(model, id);
		struct pair pair = { (uint32_t)stack.parent, (uint32_t)stack.frame };

		keep(&recorder->stacks, id, hash_stack(pair), &pair);
	}
	ADOPT(FRAME, frame, frames)
	ADOPT(LOCKS, locks, locks)
	ADOPT(OBJECTS, objects, objects)
	ADOPT(THREAD, thread, threads)
	ADOPT(SOURCE, source, sources)
}
#undef ADOPT

struct stk_text
recorder_string_text(const struct recorder *recorder, uint32_t id)
{
	const struct string_entry *known = id_table_find(&recorder->strings.rows, id);

	return known == NULL ? text_of("", 0) : text_of(known->data, known->size);
}

bool
recorder_string_is(const struct recorder *recorder, uint32_t id, struct stk_text text)
{
	const struct string_entry *known = id_table_find(&recorder->strings.rows, id);

	if (known == NULL)
		return text.size == 0;
	return known->size == text.size && memcmp(known->data, text.data, text.size) == 0;
}

bool
recorder_thread_is(const struct recorder *recorder, uint32_t id, const struct stk_thread *thread, struct stk_text name)
{
	const struct stk_thread *known = id_table_find(&recorder->threads.rows, id);

	return known != NULL && known->tid == thread->tid && known->handle == thread->handle &&
	       known->number == thread->number && known->source == thread->source &&
	       known->role == role_of(recorder, thread) &&
	       known->priority == thread->priority && known->os_priority == thread->os_priority &&
	       recorder_string_is(recorder, (uint32_t)known->name, name);
}

static size_t
bytes_of(const struct recorded *recorded)
{
	return id_table_bytes(&recorded->rows) + hash_map_bytes(&recorded->map);
}

size_t
recorder_bytes(const struct recorder *recorder)
{
	return recorder->arena.bytes + bytes_of(&recorder->strings) + bytes_of(&recorder->frames) +
	       bytes_of(&recorder->stacks) + bytes_of(&recorder->locks) + bytes_of(&recorder->objects) +
	       bytes_of(&recorder->threads) + bytes_of(&recorder->sources);
}

int
recorder_error(const struct recorder *recorder, struct stk_error *err)
{
	if (!recorder->failed)
		return 0;
	return stk_fail(err, recorder->error.code, "%s", recorder->error.text);
}
