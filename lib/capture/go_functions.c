/* SPDX-License-Identifier: MIT
 * go_functions: every number may lie, so each is read with the bounds of the table; a program chooses what is in it. */
#include "capture/go_functions.h"

#define MAGIC_2  UINT32_C(0xfffffffb)	/* the versions of Go that had it first: 1.2, */
#define MAGIC_16 UINT32_C(0xfffffffa)
#define MAGIC_18 UINT32_C(0xfffffff0)
#define MAGIC_20 UINT32_C(0xfffffff1)
#define HEAD     8u			/* magic, two zeros, bytes of an instruction, bytes of a pointer */
#define NAME_MAX_BYTES 4096u

/* A number of 4 or 8 bytes. */
static bool
read_number(const struct go_functions *go, uint64_t at, unsigned size, uint64_t *value)
{
	if (at > go->table.size || size > go->table.size - at)
		return false;
	*value = size == 4 ? load32(go->table.data + at) : load64(go->table.data + at);
	return true;
}

/* The words after the head. */
static bool
read_word(const struct go_functions *go, unsigned i, uint64_t *value)
{
	return read_number(go, HEAD + (uint64_t)i * go->word, go->word, value);
}

static bool
read_head(struct go_functions *go, uint32_t magic)
{
	go->field = go->word;
	go->text = 0;
	if (!read_word(go, 0, &go->count))
		return false;
	if (magic == MAGIC_2) {
		go->list = HEAD + go->word;
		go->details = go->names = 0;
		return true;
	}
	if (magic == MAGIC_16)
		return read_word(go, 2, &go->names) && read_word(go, 6, &go->list) &&
		       ((go->details = go->list), true);
	go->field = 4;
	return (magic == MAGIC_18 || magic == MAGIC_20) && read_word(go, 2, &go->text) &&
	       read_word(go, 3, &go->names) && read_word(go, 7, &go->list) && ((go->details = go->list), true);
}

bool
go_functions_read(struct go_functions *go, struct stk_text table)
{
	const unsigned char *head = (const unsigned char *)table.data;

	*go = (struct go_functions){ .table = table };
	if (table.size < HEAD || head[4] != 0 || head[5] != 0 || (head[6] != 1 && head[6] != 2 && head[6] != 4) ||
	    (head[7] != 4 && head[7] != 8))
		return false;
	go->word = head[7];
	/* each function has two numbers, and there is one more at the end */
	return read_head(go, load32(head)) && go->list < table.size && go->names < table.size &&
	       go->count <= (table.size - go->list) / (2 * go->field);
}

size_t
go_functions_text_at(const struct go_functions *go)
{
	return load32(go->table.data) == MAGIC_2 || load32(go->table.data) == MAGIC_16 ? 0 : HEAD + 2 * go->word;
}

/* Where the i-th function begins; after the last one, where that ends. */
static bool
read_begin(const struct go_functions *go, uint64_t i, uint64_t *from)
{
	if (!read_number(go, go->list + 2 * i * go->field, go->field, from))
		return false;
	*from += go->text;
	return true;
}

static bool
read_name(const struct go_functions *go, uint64_t i, struct stk_text *name)
{
	uint64_t details, at, most;
	const char *end;

	if (!read_number(go, go->list + (2 * i + 1) * go->field, go->field, &details) || details > go->table.size ||
	    !read_number(go, go->details + details + go->field, 4, &at) ||
	    at >= go->table.size - go->names)
		return false;
	at += go->names;
	most = go->table.size - at;
	if (most > NAME_MAX_BYTES)
		most = NAME_MAX_BYTES;
	end = memchr(go->table.data + at, '\0', (size_t)most);
	*name = text_of(go->table.data + at, end != NULL ? (size_t)(end - go->table.data - at) : (size_t)most);
	return name->size > 0;
}

bool
go_functions_find(const struct go_functions *go, uint64_t address, struct go_function *found)
{
	uint64_t low = 0, high = go->count, from, end;

	while (low < high) {		/* the first that begins after the address */
		uint64_t middle = low + (high - low) / 2;

		if (!read_begin(go, middle, &from))
			return false;
		if (from <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || !read_begin(go, low - 1, &found->from) || !read_begin(go, low, &end) || address >= end)
		return false;
	return read_name(go, low - 1, &found->name);
}
