/* SPDX-License-Identifier: MIT
 * go_functions: every number may lie, so each is read with the bounds of the table; a program chooses what is in it. */
#include "capture/go_functions.h"

#define MAGIC_2  UINT32_C(0xfffffffb)	/* the versions of Go that had it first: 1.2, */
#define MAGIC_16 UINT32_C(0xfffffffa)
#define MAGIC_18 UINT32_C(0xfffffff0)
#define MAGIC_20 UINT32_C(0xfffffff1)
#define HEAD     8u			/* magic, two zeros, bytes of an instruction, bytes of a pointer */
#define NAME_MAX_BYTES 4096u
#define IS_ENTRY 1u			/* a function's flag */

bool
go_functions_number(const struct go_functions *go, uint64_t at, unsigned size, uint64_t *value)
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
	return go_functions_number(go, HEAD + (uint64_t)i * go->word, go->word, value);
}

static bool
read_head(struct go_functions *go, uint32_t magic)
{
	bool whole;

	go->field = go->word;
	go->text = go->files = go->units = 0;
	if (!read_word(go, 0, &go->count))
		return false;
	if (magic == MAGIC_2) {
		go->list = HEAD + go->word;
		go->details = go->names = go->steps = 0;
		go->flags = go->fixed = 0;
		return true;
	}
	go->flags = magic == MAGIC_20 ? 37 : 33;	/* 1.16 has a zero there */
	go->fixed = go->flags + 3;
	if (magic == MAGIC_16) {
		whole = read_word(go, 2, &go->names) && read_word(go, 3, &go->units) && read_word(go, 4, &go->files) &&
			read_word(go, 5, &go->steps) && read_word(go, 6, &go->list);
	} else {
		go->field = 4;
		whole = (magic == MAGIC_18 || magic == MAGIC_20) && read_word(go, 2, &go->text) &&
			read_word(go, 3, &go->names) && read_word(go, 4, &go->units) && read_word(go, 5, &go->files) &&
			read_word(go, 6, &go->steps) && read_word(go, 7, &go->list);
	}
	go->details = go->list;
	return whole;
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
	       go->steps < table.size && go->count <= (table.size - go->list) / (2 * go->field);
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
	if (!go_functions_number(go, go->list + 2 * i * go->field, go->field, from))
		return false;
	*from += go->text;
	return true;
}

/* The i-th function that the address is in. */
static bool
find(const struct go_functions *go, uint64_t address, uint64_t *i, uint64_t *from)
{
	uint64_t low = 0, high = go->count, end;

	while (low < high) {		/* the first that begins after the address */
		uint64_t middle = low + (high - low) / 2;

		if (!read_begin(go, middle, from))
			return false;
		if (*from <= address)
			low = middle + 1;
		else
			high = middle;
	}
	*i = low - 1;
	return low > 0 && read_begin(go, low - 1, from) && read_begin(go, low, &end) && address < end;
}

/* Where in the table the numbers of the i-th function are that follow its address. */
static bool
read_details(const struct go_functions *go, uint64_t i, uint64_t *at)
{
	if (!go_functions_number(go, go->list + (2 * i + 1) * go->field, go->field, at) || *at > go->table.size)
		return false;
	*at += go->details + go->field;
	return true;
}

bool
go_functions_text(const struct go_functions *go, uint64_t at, struct stk_text *text)
{
	uint64_t most;
	const char *end;

	if (at >= go->table.size)
		return false;
	most = go->table.size - at;
	if (most > NAME_MAX_BYTES)
		most = NAME_MAX_BYTES;
	end = memchr(go->table.data + at, '\0', (size_t)most);
	*text = text_of(go->table.data + at, end != NULL ? (size_t)(end - go->table.data - at) : (size_t)most);
	return text->size > 0;
}

bool
go_functions_name(const struct go_functions *go, uint64_t at, struct stk_text *name)
{
	return at < go->table.size - go->names && go_functions_text(go, go->names + at, name);
}

static bool
read_name(const struct go_functions *go, uint64_t i, struct stk_text *name)
{
	uint64_t details, at;

	return read_details(go, i, &details) && go_functions_number(go, details, 4, &at) &&
	       go_functions_name(go, at, name);
}

bool
go_functions_find(const struct go_functions *go, uint64_t address, struct go_function *found)
{
	uint64_t i;

	return find(go, address, &i, &found->from) && read_name(go, i, &found->name);
}

bool
go_functions_details(const struct go_functions *go, uint64_t address, struct go_details *details)
{
	uint64_t i;

	return find(go, address, &i, &details->from) && read_details(go, i, &details->at);
}

/* --- frames --- */

/* Bytes of seven bits, the lowest first. */
static bool
read_varint(const struct go_functions *go, uint64_t *at, uint32_t *value)
{
	uint64_t byte;

	*value = 0;
	for (unsigned shift = 0; shift < 32; shift += 7) {
		if (*at >= go->table.size)
			return false;
		byte = (unsigned char)go->table.data[(*at)++];
		*value |= (uint32_t)((byte & 0x7f) << shift);
		if (byte < 0x80)
			return true;
	}
	return false;
}

/* The value at an address of a function, from pairs of how much the value changes and for how many instructions it
 * holds; a change of 0 that is not the first is the end. */
static bool
value_at(const struct go_functions *go, uint64_t at, uint64_t offset, int64_t *value)
{
	unsigned quantum = (unsigned char)go->table.data[6];
	uint32_t change, length;
	uint64_t end = 0;

	*value = -1;
	for (bool first = true; read_varint(go, &at, &change) && (change != 0 || first); first = false) {
		*value += (change & 1) != 0 ? -(int64_t)(change >> 1) - 1 : (int64_t)(change >> 1);
		if (!read_varint(go, &at, &length))
			return false;
		end += (uint64_t)length * quantum;
		if (offset < end)
			return true;
	}
	return false;
}

bool
go_functions_step(const struct go_functions *go, uint64_t steps, uint64_t offset, int64_t *value)
{
	return steps != 0 && steps < go->table.size - go->steps && value_at(go, go->steps + steps, offset, value);
}

static bool
read_flags(const struct go_functions *go, uint64_t details, unsigned *flags)
{
	*flags = 0;
	if (go->flags == 0)
		return true;
	if (details + go->flags >= go->table.size)
		return false;
	*flags = (unsigned char)go->table.data[details + go->flags];
	return true;
}

bool
go_functions_frame(const struct go_functions *go, uint64_t address, struct go_frame *frame)
{
	uint64_t i, from, details, steps;
	unsigned flags;
	int64_t size;

	if (!find(go, address, &i, &from) || !read_details(go, i, &details) ||
	    !go_functions_number(go, details + 12, 4, &steps) || steps == 0 ||
	    !read_flags(go, details, &flags))
		return false;
	*frame = (struct go_frame){ .is_entry = (flags & IS_ENTRY) != 0 };
	if (!value_at(go, go->steps + steps, address - from, &size) || size < 0 || size > UINT32_MAX)
		return frame->is_entry;
	frame->size = (uint32_t)size;
	return true;
}
