/* SPDX-License-Identifier: MIT
 * python_objects: the texts, tables and dicts of a thread that does not run do not change; those of other threads may
 * at any time. */
#include "walk/python_objects.h"

#include <string.h>

#define CHARACTERS_MAX 1000u
#define LINES_MAX (1u << 20) /* bytes of a table of lines */
#define ENTRIES_MAX (1u << 17) /* of a dict */
#define MANAGED_DICT (1u << 4) /* flags of a type: its objects have their dict before them, */
#define INLINE_VALUES (1u << 2) /* or their values after them */

static uint64_t
word_in(const unsigned char *bytes, size_t at)
{
	uint64_t word;

	memcpy(&word, bytes + at, sizeof word);
	return word;
}

static bool
is_of_type(const struct python_heap *heap, uint64_t object, uint64_t type)
{
	return object != 0 && object % 8 == 0 && type != 0 &&
	       remote_word(heap->memory, object + heap->layout.object.type) == type;
}

/* --- texts --- */

/* The characters of a str, `width` bytes each. */
struct characters {
	uint64_t at;
	size_t count;
	unsigned width;
};

static bool
find_characters(const struct python_heap *heap, uint64_t text, struct characters *found)
{
	const struct python_layout *layout = &heap->layout;
	unsigned char head[64];
	uint64_t count;
	uint32_t state;

	if (text == 0 || text % 8 != 0 || !remote_read(heap->memory, text, head, layout->text.ascii) ||
	    word_in(head, layout->object.type) != heap->text_type)
		return false;
	count = word_in(head, layout->text.length);
	memcpy(&state, head + layout->text.state, sizeof state);
	found->width = state >> 2 & 7;
	found->count = count < CHARACTERS_MAX ? (size_t)count : CHARACTERS_MAX + 1;
	found->at = text + ((state >> 6 & 1) != 0 ? layout->text.ascii : layout->text.other);
	return (state >> 5 & 1) != 0 && (found->width == 1 || found->width == 2 || found->width == 4);
}

bool
python_text_add(const struct python_heap *heap, uint64_t text, struct text_buffer *to)
{
	unsigned char bytes[4 * (CHARACTERS_MAX + 1)];
	struct text_buffer plain = { 0 };
	struct characters characters;
	size_t shown;

	if (!find_characters(heap, text, &characters) ||
	    !remote_read(heap->memory, characters.at, bytes, characters.count * characters.width))
		return false;
	shown = characters.count > CHARACTERS_MAX ? CHARACTERS_MAX : characters.count;
	for (size_t i = 0; i < shown; i++) {
		uint32_t number = 0;

		memcpy(&number, bytes + i * characters.width, characters.width);
		if (number >= 0xd800 && number < 0xe000) /* a lone half of a character */
			number = '?';
		add_character(&plain, number < 0x110000 ? number : '?');
	}
	add_masked(to, text_in(&plain, 0));
	if (shown < characters.count)
		add_string(to, "...");
	array_release(&plain);
	return true;
}

bool
python_text_is(const struct python_heap *heap, uint64_t text, const char *wanted)
{
	struct characters characters;
	char bytes[64];
	size_t size = strlen(wanted);

	return size <= sizeof bytes && find_characters(heap, text, &characters) && characters.width == 1 &&
	       characters.count == size && remote_read(heap->memory, characters.at, bytes, size) &&
	       memcmp(bytes, wanted, size) == 0;
}

bool
python_bytes_read(const struct python_heap *heap, uint64_t object, struct text_buffer *to)
{
	uint64_t size;

	to->count = 0;
	if (!is_of_type(heap, object, heap->bytes_type) ||
	    !remote_read(heap->memory, object + heap->layout.bytes.size, &size, sizeof size) || size > LINES_MAX)
		return false;
	array_reserve(to, (size_t)size + 1);
	if (!remote_read(heap->memory, object + heap->layout.bytes.bytes, to->at, (size_t)size))
		return false;
	to->count = (size_t)size;
	return true;
}

/* --- lines --- */

/* Pairs: so many bytes of instructions, then so many lines further. */
static int64_t
line_by_lnotab(struct stk_text table, int64_t line, int64_t instruction)
{
	int64_t at = 0;

	for (size_t i = 0; i + 1 < table.size; i += 2) {
		at += (unsigned char)table.data[i];
		if (at > instruction)
			break;
		line += (signed char)table.data[i + 1];
	}
	return line;
}

/* Pairs: so many lines further, for so many bytes of instructions; -128: these have no line. */
static int64_t
line_of_310(struct stk_text table, int64_t line, int64_t instruction)
{
	int64_t first = line, end = 0;

	for (size_t i = 0; i + 1 < table.size; i += 2) {
		signed char further = (signed char)table.data[i + 1];

		end += (unsigned char)table.data[i];
		line += further == -128 ? 0 : further;
		if (instruction < end)
			return instruction < 0 ? first : further == -128 ? 0 : line;
	}
	return instruction < 0 ? first : 0;
}

/* Six bits a byte, the lowest first. */
static uint32_t
next_number(struct stk_text table, size_t *at)
{
	uint32_t value = 0;

	for (unsigned shift = 0; *at < table.size && shift < 30; shift += 6) {
		unsigned char byte = (unsigned char)table.data[(*at)++];

		value |= (uint32_t)(byte & 63) << shift;
		if ((byte & 64) == 0)
			break;
	}
	return value;
}

static int64_t
next_signed(struct stk_text table, size_t *at)
{
	uint32_t value = next_number(table, at);

	return (value & 1) != 0 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* Entries: a byte with a form and the number of instructions, then what the form has. The first byte alone has its
 * highest bit set. */
static int64_t
line_by_locations(struct stk_text table, int64_t line, int64_t instruction)
{
	enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG, NONE };
	int64_t end = 0;

	if (instruction < 0)
		return line;
	for (size_t i = 0; i < table.size;) {
		unsigned char head = (unsigned char)table.data[i++];
		unsigned form = head >> 3 & 15;

		if (form == LONG || form == NO_COLUMNS)
			line += next_signed(table, &i);
		else if (form >= ONE_LINE && form < NO_COLUMNS)
			line += form - ONE_LINE;
		end += 2 * ((head & 7) + 1);
		if (instruction < end)
			return form == NONE ? 0 : line;
		while (i < table.size && ((unsigned char)table.data[i] & 128) == 0)
			i++;
	}
	return 0;
}

int64_t
python_line(enum python_lines kind, struct stk_text table, int64_t first_line, int64_t instruction)
{
	int64_t line = kind == PYTHON_LNOTAB      ? line_by_lnotab(table, first_line, instruction)
		       : kind == PYTHON_LINES_310 ? line_of_310(table, first_line, instruction)
						  : line_by_locations(table, first_line, instruction);

	return line > 0 ? line : 0;
}

/* --- dicts --- */

/* The keys of a dict: a table of indices, then entries in the order in which they came. */
struct keys {
	uint64_t entries;
	size_t count;
	bool has_hashes;
};

static bool
read_keys(const struct python_heap *heap, uint64_t at, struct keys *keys)
{
	bool old = heap->layout.minor < 11;
	unsigned char head[40];
	uint64_t count, indices;

	if (at == 0 || at % 8 != 0 || !remote_read(heap->memory, at, head, sizeof head))
		return false;
	count = word_in(head, old ? 32 : 24);
	if (old) {
		uint64_t size = word_in(head, 8);

		indices = size * (size <= 0xff ? 1 : size <= 0xffff ? 2 : size <= UINT32_MAX ? 4 : 8);
		if (size > 2 * ENTRIES_MAX)
			return false;
	} else {
		if (head[9] > 24)
			return false;
		indices = UINT64_C(1) << head[9];
	}
	*keys = (struct keys){ at + (old ? 40 : 32) + indices, (size_t)count, old || head[10] == 0 };
	return count <= ENTRIES_MAX;
}

/* Values are with their keys, or in an array of their own (0: they are with the keys). */
static bool
read_entries(const struct python_heap *heap, const struct keys *keys, uint64_t values, struct python_entries *to)
{
	size_t step = keys->has_hashes ? 24 : 16;
	const unsigned char *bytes;

	to->list.count = 0;
	to->scratch.count = 0;
	array_reserve(&to->scratch, keys->count * step + 1);
	if (!remote_read(heap->memory, keys->entries, to->scratch.at, keys->count * step))
		return false;
	bytes = (const unsigned char *)to->scratch.at;
	for (size_t i = 0; i < keys->count; i++) {
		struct python_entry entry = { .key = word_in(bytes, i * step + step - 16),
					      .value = word_in(bytes, i * step + step - 8) };

		entry.hash = keys->has_hashes ? word_in(bytes, i * step) : 0;
		if (values != 0 && !remote_read(heap->memory, values + 8 * i, &entry.value, sizeof entry.value))
			return false;
		if (entry.key != 0 && entry.value != 0)
			*array_push(&to->list) = entry;
	}
	return true;
}

bool
python_dict_read(const struct python_heap *heap, uint64_t dict, struct python_entries *to)
{
	const struct python_layout *layout = &heap->layout;
	uint64_t values;
	struct keys keys;

	to->list.count = 0;
	if (!is_of_type(heap, dict, heap->dict_type) ||
	    !read_keys(heap, remote_word(heap->memory, dict + layout->dict.keys), &keys))
		return false;
	values = remote_word(heap->memory, dict + layout->dict.values);
	return read_entries(heap, &keys, values != 0 ? values + layout->dict.first_value : 0, to);
}

void
python_entries_release(struct python_entries *entries)
{
	array_release(&entries->list);
	array_release(&entries->scratch);
}

uint64_t
python_entry_named(const struct python_heap *heap, const struct python_entries *entries, const char *name)
{
	for (size_t i = 0; i < entries->list.count; i++)
		if (python_text_is(heap, entries->list.at[i].key, name))
			return entries->list.at[i].value;
	return 0;
}

/* --- attributes --- */

/* Where the values of an object are that has no dict of its own, and in *dict its dict if it has one. */
static uint64_t
find_values(const struct python_heap *heap, uint64_t object, uint64_t type, uint64_t *dict)
{
	const struct python_layout *layout = &heap->layout;
	uint64_t flags = remote_word(heap->memory, type + layout->type.flags), word;

	*dict = 0;
	if (layout->attributes == PYTHON_DICT_AT_OFFSET) {
		uint64_t offset = remote_word(heap->memory, type + layout->type.dict_offset);

		*dict = offset >= 16 && offset < 4096 ? remote_word(heap->memory, object + offset) : 0;
		return 0;
	}
	if ((flags & MANAGED_DICT) == 0)
		return 0;
	word = remote_word(heap->memory, object - 24);
	if (layout->attributes == PYTHON_VALUES_311) {
		*dict = word;
		return word == 0 ? remote_word(heap->memory, object - 32) : 0;
	}
	if (layout->attributes == PYTHON_VALUES_312) {
		*dict = (word & 1) == 0 ? word : 0;
		return (word & 1) != 0 ? word + 1 : 0;
	}
	*dict = word;
	return word == 0 && (flags & INLINE_VALUES) != 0
		       ? object + remote_word(heap->memory, type + layout->type.basic_size)
		       : 0;
}

bool
python_attributes_read(const struct python_heap *heap, uint64_t object, struct python_entries *to)
{
	uint64_t type, values, dict;
	struct keys keys;

	to->list.count = 0;
	if (object == 0 || object % 8 != 0)
		return false;
	type = remote_word(heap->memory, object + heap->layout.object.type);
	if (type == 0 || type % 8 != 0)
		return false;
	values = find_values(heap, object, type, &dict);
	if (dict != 0)
		return python_dict_read(heap, dict, to);
	return values != 0 && read_keys(heap, remote_word(heap->memory, type + heap->layout.type.keys), &keys) &&
	       read_entries(heap, &keys, values + heap->layout.dict.first_value, to);
}
