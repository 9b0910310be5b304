/* SPDX-License-Identifier: MIT
 * vm_methods: Method -> ConstMethod -> ConstantPool -> Klass -> Symbol, each checked as far as it can be. */
#include "walk/vm_methods.h"

#include "base/array.h"
#include "base/hash_map.h"
#include "base/text_buffer.h"

#include <string.h>

#define METHODS_MAX (1u << 18)		/* kept; beyond that all are read again */
#define SYMBOL_MAX  512u		/* bytes of a name that are read */
#define LINES_MAX   65536u		/* bytes of a table of lines */
#define LINES_PIECE 128u
#define IS_NATIVE   0x100u		/* the access flag */

struct known {
	struct vm_method method;
	uint64_t const_method, pool;
	uint64_t stack;			/* in which it was compared */
	bool has_lines, lines_read;
	unsigned char *lines;
	size_t line_bytes;
};

struct vm_methods {
	const struct vm_layout *layout;
	struct remote_memory *memory;
	ARRAY(struct known *) known;
	struct hash_map index;
	size_t text_bytes;		/* of names and tables of lines */
	uint64_t stack, replaced;
};

void
vm_methods_open(struct vm_methods **out, const struct vm_layout *layout, struct remote_memory *memory)
{
	struct vm_methods *methods = *out = mem_new(1, sizeof *methods);

	methods->layout = layout;
	methods->memory = memory;
}

static void
forget_texts(struct known *known)
{
	free(known->method.name);
	free(known->method.file);
	free(known->lines);
}

static void
forget_all(struct vm_methods *methods)
{
	for (size_t i = 0; i < methods->known.count; i++) {
		forget_texts(methods->known.at[i]);
		free(methods->known.at[i]);
	}
	methods->known.count = methods->text_bytes = 0;
	hash_map_clear(&methods->index);
}

size_t
vm_methods_bytes(const struct vm_methods *methods)
{
	return methods->text_bytes + methods->known.count * sizeof **methods->known.at +
	       methods->known.room * sizeof *methods->known.at + hash_map_bytes(&methods->index);
}

void
vm_methods_forget(struct vm_methods *methods)
{
	forget_all(methods);
	array_release(&methods->known);
	hash_map_release(&methods->index);
}

void
vm_methods_close(struct vm_methods *methods)
{
	if (methods == NULL)
		return;
	vm_methods_forget(methods);
	free(methods);
}

void
vm_methods_begin_stack(struct vm_methods *methods)
{
	methods->stack++;
	if (methods->known.count >= METHODS_MAX)
		forget_all(methods);
}

uint64_t
vm_methods_replaced(const struct vm_methods *methods)
{
	return methods->replaced;
}

/* --- names --- */

/* False: not a symbol. */
static bool
add_symbol(struct vm_methods *methods, uint64_t at, struct text_buffer *to)
{
	const struct vm_layout *is = methods->layout;
	unsigned char head[VM_SYMBOL_HEAD];
	uint32_t count;
	uint16_t length;
	char text[SYMBOL_MAX];

	if (at == 0 || !remote_read(methods->memory, at, head, sizeof head))
		return false;
	if (is->symbol_length >= 0) {
		memcpy(&length, head + is->symbol_length, sizeof length);
	} else {
		memcpy(&count, head + is->symbol_length_and_count, sizeof count);
		length = (uint16_t)(count >> 16);
	}
	if (length > SYMBOL_MAX)
		length = SYMBOL_MAX;
	if (length == 0 || !remote_read(methods->memory, at + (unsigned)is->symbol_body, text, length))
		return false;
	for (unsigned i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ')
			return false;
	add_bytes(to, text, length);
	return true;
}

/* "com/acme/Shop" and "com/acme/Shop+0x00080": of a hidden class, which dumps write with a slash. */
static void
write_as_dumps(char *class, size_t size)
{
	char *plus;

	for (size_t i = 0; i < size; i++)
		if (class[i] == '/')
			class[i] = '.';
	plus = memrchr(class, '+', size);
	if (plus != NULL)
		*plus = '/';
}

static char *
text_taken(struct vm_methods *methods, struct text_buffer *text)
{
	add_char(text, '\0');
	methods->text_bytes += text->room;
	return text->at;
}

/* The symbol that an entry of a pool holds; its lowest bit is a mark. */
static uint64_t
pool_symbol(struct vm_methods *methods, uint64_t pool, uint16_t index)
{
	return index == 0 ? 0
			  : remote_word(methods->memory,
					pool + (unsigned)methods->layout->pool_size + 8 * (uint64_t)index) &
				    ~UINT64_C(1);
}

static bool
read_name(struct vm_methods *methods, struct vm_method *method, uint64_t pool, uint16_t name_index)
{
	const struct vm_layout *is = methods->layout;
	uint64_t class = remote_word(methods->memory, pool + (unsigned)is->pool_holder);
	struct text_buffer name = { 0 };

	if (class == 0 || !add_symbol(methods, remote_word(methods->memory, class + (unsigned)is->class_name), &name)) {
		array_release(&name);
		return false;
	}
	write_as_dumps(name.at, name.count);
	add_char(&name, '.');
	if (!add_symbol(methods, pool_symbol(methods, pool, name_index), &name)) {
		array_release(&name);
		return false;
	}
	method->name = text_taken(methods, &name);
	return true;
}

static void
read_file(struct vm_methods *methods, struct vm_method *method, uint64_t pool)
{
	const struct vm_layout *is = methods->layout;
	uint64_t at = is->pool_source >= 0 ? pool + (unsigned)is->pool_source
					   : remote_word(methods->memory, pool + (unsigned)is->pool_holder) +
						     (unsigned)is->class_source;
	struct text_buffer file = { 0 };
	uint16_t index;

	if ((is->pool_source >= 0 || is->class_source >= 0) && remote_read(methods->memory, at, &index, sizeof index) &&
	    add_symbol(methods, pool_symbol(methods, pool, index), &file))
		method->file = text_taken(methods, &file);
	else
		array_release(&file);
}

/* --- methods --- */

static uint16_t
short_in(const unsigned char *bytes, int at)
{
	uint16_t value;

	memcpy(&value, bytes + at, sizeof value);
	return value;
}

/* All that is known of it but its lines. */
static bool
read_method(struct vm_methods *methods, struct known *known, uint64_t at, uint64_t const_method)
{
	const struct vm_layout *is = methods->layout;
	unsigned char head[VM_HEAD_MAX];
	uint32_t flags;

	if (!remote_read(methods->memory, const_method, head, (size_t)is->const_method_size))
		return false;
	*known = (struct known){ .const_method = const_method };
	memcpy(&known->pool, head + is->constants, sizeof known->pool);
	known->method.at = at;
	known->method.code_at = const_method + (unsigned)is->const_method_size;
	known->method.code_size = short_in(head, is->code_size);
	known->has_lines = is->const_flags >= 0 && (short_in(head, is->const_flags) & is->has_lines) != 0;
	if (remote_read(methods->memory, at + (unsigned)is->access_flags, &flags, sizeof flags))
		known->method.is_native = (flags & IS_NATIVE) != 0;
	if (!read_name(methods, &known->method, known->pool, short_in(head, is->name_index)))
		return false;
	read_file(methods, &known->method, known->pool);
	return true;
}

static struct known *
find(const struct vm_methods *methods, uint64_t address, uint64_t hash)
{
	uint32_t at = hash_map_start(&methods->index, hash), id;

	while ((id = hash_map_next(&methods->index, hash, &at)) != 0)
		if (methods->known.at[id - 1]->method.at == address)
			return methods->known.at[id - 1];
	return NULL;
}

const struct vm_method *
vm_methods_at(struct vm_methods *methods, uint64_t address)
{
	uint64_t hash = address * UINT64_C(0x9e3779b97f4a7c15), const_method;
	struct known *known, fresh;

	if (address < 4096 || address % 8 != 0)
		return NULL;
	known = find(methods, address, hash);
	if (known != NULL && known->stack == methods->stack)
		return &known->method;
	const_method = remote_word(methods->memory, address + (unsigned)methods->layout->const_method);
	if (const_method < 4096 || const_method % 8 != 0)
		return NULL;
	if (known == NULL || known->const_method != const_method) {
		if (!read_method(methods, &fresh, address, const_method))
			return NULL;
		if (known == NULL) {
			known = *array_push(&methods->known) = mem_new(1, sizeof *known);
			hash_map_put(&methods->index, hash, (uint32_t)methods->known.count);
		} else {
			methods->replaced++;
			forget_texts(known);
		}
		*known = fresh;
	}
	known->stack = methods->stack;
	return &known->method;
}

/* --- lines --- */

bool
vm_unpack(const unsigned char *bytes, size_t size, size_t *at, unsigned base, uint32_t *number)
{
	unsigned shift = 0, byte;

	*number = 0;
	do {
		if (*at >= size || bytes[*at] < base)
			return false;
		byte = bytes[(*at)++];
		*number += (byte - base) << shift;
		shift += 6;
	} while (byte >= 192 && shift <= 24);
	return true;
}

struct line_walk {
	const unsigned char *bytes;
	size_t size, at;
	unsigned base;
	int64_t bytecode, line;
};

static int64_t
signed_of(uint32_t number)
{
	return (number & 1) != 0 ? -(int64_t)(number >> 1) - 1 : (int64_t)(number >> 1);
}

/* The next pair. False: the table ends, or more bytes are needed (`at` is unchanged then, and not the terminator's). */
static bool
next_pair(struct line_walk *walk)
{
	size_t at = walk->at;
	uint32_t bytecodes, lines;

	if (at >= walk->size || walk->bytes[at] == 0)
		return false;
	if (walk->bytes[at] != 0xff) {
		walk->bytecode += walk->bytes[at] >> 3;
		walk->line += walk->bytes[at] & 7;
		walk->at++;
		return true;
	}
	at++;
	if (!vm_unpack(walk->bytes, walk->size, &at, walk->base, &bytecodes) ||
	    !vm_unpack(walk->bytes, walk->size, &at, walk->base, &lines))
		return false;
	walk->bytecode += signed_of(bytecodes);
	walk->line += signed_of(lines);
	walk->at = at;
	return true;
}

/* The table follows the bytecodes; only its end says how long it is. */
static void
read_lines(struct vm_methods *methods, struct known *known)
{
	struct line_walk walk = { .base = methods->layout->packed_base };
	uint64_t from = known->method.code_at + known->method.code_size;

	known->lines_read = true;
	while (known->has_lines && known->line_bytes < LINES_MAX) {
		known->lines = mem_resize(known->lines, known->line_bytes + LINES_PIECE, 1);
		methods->text_bytes += LINES_PIECE;
		if (!remote_read(methods->memory, from + known->line_bytes, known->lines + known->line_bytes,
				 LINES_PIECE))
			return;
		known->line_bytes += LINES_PIECE;
		walk.bytes = known->lines;
		walk.size = known->line_bytes;
		while (next_pair(&walk))
			continue;
		if (walk.at < walk.size && walk.bytes[walk.at] == 0)
			return;
	}
}

int64_t
vm_method_line(struct vm_methods *methods, const struct vm_method *method, int64_t bytecode)
{
	/* methods are handed out as members of what is known about them */
	struct known *known = (struct known *)(uintptr_t)method;
	struct line_walk walk = { .base = methods->layout->packed_base };
	int64_t line = -1, best = -1;

	if (!known->lines_read)
		read_lines(methods, known);
	walk.bytes = known->lines;
	walk.size = known->line_bytes;
	while (next_pair(&walk))
		if (walk.bytecode <= bytecode && walk.bytecode >= best) {
			best = walk.bytecode;
			line = walk.line;
		}
	return line > 0 && line <= UINT16_MAX ? line : -1;
}
