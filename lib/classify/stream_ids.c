/* SPDX-License-Identifier: MIT
 * stream_ids: what the ids of a stream are to a classifier. */
#include "classify/stream_ids.h"

#include "base/bytes.h"
#include "model/model.h"

#include <stdio.h>
#include <xxhash.h>

#define IDENTITY_MAX 4096	/* bytes of a frame's identity; a longer one is truncated, with its hash in place of the
				 * rest */
#define POOL_MAX     512

void
stream_ids_begin(struct stream_ids *s)
{
	s->frames.size = s->stacks.size = s->sources.size = sizeof(uint32_t);
	s->threads.size = sizeof(struct stream_thread);
}

void
stream_ids_forget(struct stream_ids *s)
{
	id_table_clear(&s->frames);
	id_table_clear(&s->stacks);
	id_table_clear(&s->sources);
	id_table_clear(&s->threads);
	s->pairs.count = 0;
	hash_map_clear(&s->pair_map);
}

void
stream_ids_release(struct stream_ids *s)
{
	stream_ids_forget(s);
	array_release(&s->pairs);
	hash_map_release(&s->pair_map);
	array_release(&s->todo);
}

/* --- frames and stacks --- */

uint32_t
stream_ids_frame(struct stream_ids *s, uint64_t frame)
{
	struct stk_frame row;
	struct frame_names names;
	char text[IDENTITY_MAX];
	/* all that are lost are one */
	uint32_t *known = id_table_at(&s->frames, model_knows(s->model, STK_FRAME, frame) ? frame : 0);
	size_t size;

	if (*known != 0)
		return *known;
	row = model_frame(s->model, frame);
	names = (struct frame_names){ model_string(s->model, row.function),
				      model_string(s->model, row.module),
				      model_string(s->model, row.file),
				      row.line,
				      row.form,
				      row.address,
				      row.offset };
	if (!model_knows(s->model, STK_FRAME, frame))
		names = (struct frame_names){ .function = text_from("?") };
	size = frame_identity(&names, &s->identity, text, sizeof text);
	if (size > sizeof text)
		size = sizeof text - 20 +
		       (size_t)snprintf(text + sizeof text - 20, 20, "...%016llx",
					(unsigned long long)XXH3_64bits(names.function.data, names.function.size));
	return *known = classifier_frame(s->classifier, text_of(text, size));
}

/* Its ancestors first: as many as are new, by a list. A parent that is not defined before its child ends the walk. */
uint32_t
stream_ids_stack(struct stream_ids *s, uint32_t stack)
{
	uint32_t known = 0;

	s->todo.count = 0;
	for (uint64_t at = stack; at != 0; ) {
		uint32_t *place = id_table_at(&s->stacks, at);
		uint64_t parent = model_stack(s->model, at).parent;

		known = *place & STREAM_ID_CLASS ? classifier_get(s->classifier, *place & ~STREAM_ID_CLASS)->stack
						 : *place;
		if (known != 0)
			break;
		*array_push(&s->todo) = (uint32_t)at;
		at = parent < at && model_knows(s->model, STK_STACK, parent) ? parent : 0;
	}
	while (s->todo.count > 0) {
		uint32_t at = s->todo.at[--s->todo.count];

		known = classifier_stack(s->classifier, known, stream_ids_frame(s, model_stack(s->model, at).frame));
		*(uint32_t *)id_table_at(&s->stacks, at) = known;
	}
	return known;
}

/* --- sources, threads and parts --- */

uint32_t
stream_ids_source(struct stream_ids *s, uint64_t source)
{
	const struct stk_source row = model_source(s->model, source);
	struct stk_text name = model_string(s->model, row.name);
	uint32_t *known = id_table_at(&s->sources, model_knows(s->model, STK_SOURCE, source) ? source : 0);
	char text[1024];
	int size;

	if (*known != 0)
		return *known;
	size = row.pid != 0 ? snprintf(text, sizeof text, "%.*s:%llu", (int)(name.size < 900 ? name.size : 900),
				       name.data, (unsigned long long)row.pid)
			    : snprintf(text, sizeof text, "%.*s", (int)(name.size < 900 ? name.size : 900), name.data);
	return *known = dump_sources_number(s->sources_counted, text_of(text, (size_t)size));
}

static size_t
add_key(char *to, size_t size, size_t room, const char *key, struct stk_text value)
{
	int more = snprintf(to + size, room - size, "%s%s=%.*s", size > 0 ? " " : "", key, (int)value.size, value.data);

	return size + ((size_t)more < room - size ? (size_t)more : room - size - 1);
}

static uint32_t
part_of(struct stream_ids *s, uint32_t source, struct stk_text thread, const char *state)
{
	char text[2048], pool[POOL_MAX];
	size_t size = 0, pool_size = thread_pool(thread, pool, sizeof pool);

	if (s->by_source)
		size = add_key(text, size, sizeof text, "source", dump_sources_get(s->sources_counted, source).source);
	if (s->by_pool)
		size = add_key(text, size, sizeof text, "pool",
			       text_of(pool, pool_size < sizeof pool ? pool_size : sizeof pool));
	if (state != NULL)
		size = add_key(text, size, sizeof text, "state", text_from(state));
	return size == 0 ? 0 : classifier_part(s->classifier, text_of(text, size), s->by_source ? source : 0);
}

const struct stream_thread *
stream_ids_new_thread(struct stream_ids *s, uint64_t thread)
{
	struct stk_thread row = model_thread(s->model, thread);
	struct stk_text name = model_string(s->model, row.name);
	struct stream_thread *entry = id_table_at(&s->threads, thread);
	uint64_t numbers[3];

	entry->known = true;
	entry->source = stream_ids_source(s, row.source);
	entry->part = part_of(s, entry->source, name, NULL);
	numbers[0] = row.number;
	numbers[1] = row.tid;
	numbers[2] = entry->source;
	if (name.size > 0 || row.number != 0 || row.tid != 0)
		entry->hash = XXH3_64bits_withSeed(name.data, name.size, XXH3_64bits(numbers, sizeof numbers));
	return entry;
}

uint32_t
stream_ids_part_in_state(struct stream_ids *s, uint64_t thread, uint64_t state)
{
	static const char *const names[STATES_COUNT] = { "unknown",    "new",     "runnable",
							 "blocked",    "waiting", "timed-waiting",
							 "terminated", "running", "sleeping" };
	uint32_t source = stream_ids_thread(s, thread)->source, *part;

	state = state < STATES_COUNT ? state : 0;
	part = &((struct stream_thread *)id_table_at(&s->threads, thread))->parts[state];
	if (*part == 0)
		*part = part_of(s, source, model_string(s->model, model_thread(s->model, thread).name), names[state]);
	return *part;
}

uint32_t *
stream_ids_class_in_part(struct stream_ids *s, uint32_t stack, uint32_t part)
{
	uint64_t hash = (((uint64_t)part << 32 | stack) ^ UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
	uint32_t at = hash_map_start(&s->pair_map, hash), id;

	while ((id = hash_map_next(&s->pair_map, hash, &at)) != 0)
		if (s->pairs.at[id - 1].stack == stack && s->pairs.at[id - 1].part == part)
			return &s->pairs.at[id - 1].class;
	*array_push(&s->pairs) = (struct class_in_part){ stack, part, 0 };
	hash_map_put(&s->pair_map, hash, (uint32_t)s->pairs.count);
	return &s->pairs.at[s->pairs.count - 1].class;
}

size_t
stream_ids_bytes(const struct stream_ids *s)
{
	return id_table_bytes(&s->frames) + id_table_bytes(&s->stacks) + id_table_bytes(&s->threads) +
	       s->pairs.room * sizeof *s->pairs.at + hash_map_bytes(&s->pair_map);
}
