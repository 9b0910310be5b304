/* SPDX-License-Identifier: MIT
 * content_hash: hashes of definitions are kept by id, each made of those that it refers to. */
#include "timetree/content_hash.h"

#include "base/array.h"
#include "base/id_table.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct content_hashes {
	const struct model *model;
	struct id_table known[STK_DUMP + 1];	/* by kind: uint64_t; 0: not known yet, or not defined */
	ARRAY(uint64_t) todo;
};

void
content_hashes_open(struct content_hashes **out, const struct model *model)
{
	struct content_hashes *h = *out = mem_new(1, sizeof *h);

	h->model = model;
	for (unsigned k = 0; k <= STK_DUMP; k++)
		h->known[k].size = sizeof(uint64_t);
}

void
content_hashes_close(struct content_hashes *h)
{
	if (h == NULL)
		return;
	for (unsigned k = 0; k <= STK_DUMP; k++)
		id_table_clear(&h->known[k]);
	array_release(&h->todo);
	free(h);
}

static uint64_t
hash_words(const uint64_t *words, size_t count, uint64_t seed)
{
	uint64_t hash = XXH3_64bits_withSeed(words, count * sizeof *words, seed);

	return hash == 0 ? 1 : hash;
}

static uint64_t
hash_text(struct stk_text text)
{
	uint64_t hash = text.size == 0 ? 0 : XXH3_64bits(text.data, text.size);

	return text.size > 0 && hash == 0 ? 1 : hash;
}

uint64_t
content_hash_of_row(struct content_hashes *h, unsigned kind, const void *row)
{
	const struct stk_kind_schema *schema = &stk_schema()->kind[kind];
	uint64_t words[STK_COLUMN_MAX];

	for (unsigned c = 0; c < schema->columns; c++) {
		const struct stk_column_schema *column = &schema->column[c];
		const char *at = (const char *)row + column->offset;
		struct stk_text text;

		if (column->type == STK_TYPE_TEXT) {
			memcpy(&text, at, sizeof text);
			words[c] = hash_text(text);
			continue;
		}
		memcpy(&words[c], at, sizeof words[c]);
		if (column->type == STK_TYPE_ID)
			words[c] = content_hash_of_id(h, column->refers, words[c]);
	}
	return hash_words(words, schema->columns, kind);
}

/* A text that is empty is no text at all: who merges gives it no id. */
static uint64_t
hash_definition(struct content_hashes *h, unsigned kind, const void *row)
{
	const struct stk_dump *dump = row;

	if (kind == STK_STRING)
		return hash_text(((const struct stk_string *)row)->text);
	if (kind == STK_DUMP)
		return hash_words((uint64_t[]){ content_hash_of_id(h, STK_SOURCE, dump->source), (uint64_t)dump->time,
					  dump->event },
			3, STK_DUMP);
	return content_hash_of_row(h, kind, row);
}

/* --- what the model knows --- */

union definition {
	struct stk_string string;
	struct stk_frame frame;
	struct stk_stack stack;
	struct stk_source source;
	struct stk_thread thread;
	struct stk_locks locks;
	struct stk_objects objects;
	struct stk_dump dump;
};

static union definition
definition(const struct model *model, unsigned kind, uint64_t id)
{
	switch (kind) {
	case STK_STRING:  return (union definition){ .string.text = model_string(model, id) };
	case STK_FRAME:   return (union definition){ .frame = model_frame(model, id) };
	case STK_STACK:   return (union definition){ .stack = model_stack(model, id) };
	case STK_SOURCE:  return (union definition){ .source = model_source(model, id) };
	case STK_THREAD:  return (union definition){ .thread = model_thread(model, id) };
	case STK_LOCKS:   return (union definition){ .locks = model_locks(model, id) };
	case STK_OBJECTS: return (union definition){ .objects = model_objects(model, id) };
	default:          return (union definition){ .dump = model_dump(model, id) };
	}
}

/* What a definition is above; NULL where its kind has no such column. A chain goes down in ids, else it is damaged. */
static uint64_t *
parent_of(unsigned kind, union definition *row, uint64_t id)
{
	uint64_t *parent = kind == STK_STACK     ? &row->stack.parent
			   : kind == STK_LOCKS   ? &row->locks.parent
			   : kind == STK_OBJECTS ? &row->objects.parent
						 : NULL;

	if (parent != NULL && *parent >= id)
		*parent = 0;
	return parent;
}

/* The lowest of a chain first, by a list: it may be long. */
uint64_t
content_hash_of_id(struct content_hashes *h, unsigned kind, uint64_t id)
{
	size_t begin = h->todo.count;
	uint64_t hash = 0;

	for (uint64_t at = id; at != 0 && kind <= STK_DUMP; ) {
		union definition row;
		uint64_t *parent, *known = id_table_at(&h->known[kind], at);

		hash = *known;
		if (hash != 0 || !model_knows(h->model, kind, at))
			break;
		*array_push(&h->todo) = at;
		row = definition(h->model, kind, at);
		parent = parent_of(kind, &row, at);
		at = parent == NULL ? 0 : *parent;
	}
	while (h->todo.count > begin) {
		uint64_t at = h->todo.at[--h->todo.count];
		union definition row = definition(h->model, kind, at);

		(void)parent_of(kind, &row, at);
		hash = hash_definition(h, kind, &row);
		*(uint64_t *)id_table_at(&h->known[kind], at) = hash;
	}
	return hash;
}

void
content_hashes_define(struct content_hashes *h, unsigned kind, uint64_t id, const void *row)
{
	uint64_t *known = id_table_at(&h->known[kind], id);

	if (*known == 0)
		*known = hash_definition(h, kind, row);
}
