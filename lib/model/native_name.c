/* SPDX-License-Identifier: MIT
 * native_name: a symbol of some hundred bytes can have a name of gigabytes, because parts of it refer to earlier parts.
 * libiberty cannot be asked to stop: so it is left by a jump out of the function that takes the name. It keeps what it
 * works with on the stack, which is why symbols have a greatest size. */
#include "model/native_name.h"

#include "model/plain_name.h"

#ifdef HAVE_IBERTY

#include <libiberty/demangle.h>
#include <setjmp.h>

struct naming_room {
	struct text_buffer *to;
	size_t from;			/* where the name begins in it */
	jmp_buf too_long;
};

static void
take_part(const char *part, size_t size, void *context)
{
	struct naming_room *room = context;

	if (size > PLAIN_NAME_MAX - (room->to->count - room->from))
		longjmp(room->too_long, 1);
	add_bytes(room->to, part, size);
}

/* A legacy symbol of Rust is one of C++ as well, whose name would have the hash. */
static bool
demangle(const char *symbol, struct naming_room *room)
{
	const int style = DMGL_PARAMS | DMGL_ANSI;

	if (setjmp(room->too_long) != 0)
		return false;
	if (rust_demangle_callback(symbol, style, take_part, room))
		return true;
	room->to->count = room->from;
	return cplus_demangle_v3_callback(symbol, style | DMGL_NO_RECURSE_LIMIT, take_part, room) != 0;
}

static bool
is_mangled(struct stk_text symbol)
{
	return text_starts(symbol, "_Z") || text_starts(symbol, "_R");
}

/* Those of macOS have one more '_', those of a library a version, "@@ACME_1.2", or "@plt", which is kept. */
bool
native_name_add(struct text_buffer *to, struct stk_text symbol)
{
	struct naming_room room = { .to = to, .from = to->count };
	const char *at = symbol.size == 0 ? NULL : memchr(symbol.data, '@', symbol.size);
	size_t size = at == NULL ? symbol.size : (size_t)(at - symbol.data);
	char text[PLAIN_SYMBOL_MAX + 1];

	if (size > 1 && text_starts(symbol, "__")) {
		symbol = text_of(symbol.data + 1, symbol.size - 1);
		size--;
	}
	if (size > PLAIN_SYMBOL_MAX || !is_mangled(symbol) || memchr(symbol.data, '\0', size) != NULL)
		return false;
	memcpy(text, symbol.data, size);
	text[size] = '\0';
	if (!demangle(text, &room) || to->count == room.from) {
		to->count = room.from;
		return false;
	}
	add_bytes(to, symbol.data + size, symbol.size - size);
	return true;
}

bool
native_name_is_built(void)
{
	return true;
}

#else

bool
native_name_add(struct text_buffer *to, struct stk_text symbol)
{
	(void)to;
	(void)symbol;
	return false;
}

bool
native_name_is_built(void)
{
	return false;
}

#endif

/* --- names that people typed --- */

/* The size of a name without the parameters at its end. */
static size_t
size_without_parameters(struct stk_text name)
{
	size_t at = name.size;
	unsigned depth = 0;

	while (at > 0 && name.data[at - 1] != ')')
		at--;
	for (; at > 0; at--) {
		depth += name.data[at - 1] == ')';
		if (name.data[at - 1] == '(' && --depth == 0)
			return at - 1;
	}
	return name.size;
}

bool
native_name_is(struct stk_text symbol, struct stk_text name)
{
	struct text_buffer plain = { 0 };
	bool is = text_equal(symbol, name);

	if (!is && native_name_add(&plain, symbol)) {
		struct stk_text whole = text_in(&plain, 0);

		is = text_equal(whole, name) || text_equal(text_of(whole.data, size_without_parameters(whole)), name);
	}
	array_release(&plain);
	return is;
}
