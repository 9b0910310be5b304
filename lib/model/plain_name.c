/* SPDX-License-Identifier: MIT
 * plain_name: which of the forms a name may have. */
#include "model/plain_name.h"

#include "model/frame_identity.h"
#include "model/jvm_name.h"
#include "model/native_name.h"

static struct stk_text
first_bytes(struct stk_text text, size_t size)
{
	return text_of(text.data, size);
}

/* --- suffixes --- */

/* "total_[k]", as flame graphs mark functions of the kernel, and "total [k]" */
static struct stk_text
without_mark(struct stk_text name)
{
	bool marked = name.size > 4 && (text_ends(name, "_[k]") || text_ends(name, " [k]"));

	return marked ? first_bytes(name, name.size - 4) : name;
}

/* Where "+0x1a" or "/0x30" begins, which the name ends with; its size when it does not. */
static size_t
number_at(struct stk_text name, char sign)
{
	size_t at = name.size;

	while (at > 0 && ((name.data[at - 1] >= '0' && name.data[at - 1] <= '9') ||
			  (name.data[at - 1] >= 'a' && name.data[at - 1] <= 'f')))
		at--;
	if (at == name.size || at < 4 || name.data[at - 3] != sign || memcmp(name.data + at - 2, "0x", 2) != 0)
		return name.size;
	return at - 3;
}

/* "total+0x1a/0x30": where in the function, and how long that is. The number of a hidden class has no '+'. */
static struct stk_text
without_offset(struct stk_text name)
{
	size_t offset = number_at(first_bytes(name, number_at(name, '/')), '+');

	return offset < number_at(name, '/') ? first_bytes(name, offset) : name;
}

/* "clock_nanosleep@@GLIBC_2.17"; "total@plt" calls total and is not it. */
static struct stk_text
without_version(struct stk_text name)
{
	const char *end = name.data + name.size, *at = memchr(name.data, '@', name.size), *version;

	if (at == NULL || at == name.data)
		return name;
	version = at + 1 < end && at[1] == '@' ? at + 2 : at + 1;
	if (version == end || *version < 'A' || *version > 'Z' || memchr(version, '_', (size_t)(end - version)) == NULL)
		return name;
	for (const char *p = version; p < end; p++)
		if (*p <= ' ' || strchr("()<>[]{}:,;", *p) != NULL)
			return name;
	return first_bytes(name, (size_t)(at - name.data));
}

static struct stk_text
without_suffixes(struct stk_text name)
{
	size_t before;

	do {
		before = name.size;
		if (name.size > 0)
			name = clone_origin(without_version(without_offset(without_mark(name))));
	} while (name.size != before);
	return name;
}

/* --- names --- */

const char *
plain_name_missing(uint64_t which)
{
	return (which & (PLAIN_NATIVE | PLAIN_ALL)) == 0 || native_name_is_built()
		       ? NULL
		       : "built without libiberty, which knows names of C++ and Rust (scala, kotlin, java and suffixes work); install libiberty-dev and build it again";
}

struct stk_text
plain_name(uint64_t which, struct stk_text function, struct text_buffer *room)
{
	struct stk_text name = function;
	bool all = (which & PLAIN_ALL) != 0;

	if (function.size == 0)
		return function;
	room->count = 0;
	if (all || (which & PLAIN_SUFFIXES) != 0)
		name = without_suffixes(name);
	if ((all || (which & PLAIN_NATIVE) != 0) && native_name_add(room, name))
		return text_in(room, 0);
	if (!all && (which & (PLAIN_SCALA | PLAIN_KOTLIN | PLAIN_JAVA)) == 0)
		return name;
	jvm_name_add(room, all ? PLAIN_SCALA | PLAIN_KOTLIN | PLAIN_JAVA : which, name);
	return text_in(room, 0);
}
