/* SPDX-License-Identifier: MIT
 * bytes: reading and writing numbers in memory without casting structs: little-endian words, varints (LEB128, at most
 * 10 bytes), zigzag, a cursor that cannot run over its end, and a text that is a pointer and a size. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include "stkpipe/rows.h"	/* struct stk_text */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t
load32(const void *from)
{
	const unsigned char *p = from;

	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t
load64(const void *from)
{
	return load32(from) | (uint64_t)load32((const char *)from + 4) << 32;
}

static inline void
store32(void *to, uint32_t value)
{
	unsigned char *p = to;

	p[0] = (unsigned char)value;
	p[1] = (unsigned char)(value >> 8);
	p[2] = (unsigned char)(value >> 16);
	p[3] = (unsigned char)(value >> 24);
}

static inline void
store64(void *to, uint64_t value)
{
	store32(to, (uint32_t)value);
	store32((char *)to + 4, (uint32_t)(value >> 32));
}

/* Small numbers of either sign become small numbers: 0 -1 1 -2 are 0 1 2 3. */
static inline uint64_t
zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t
unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (~(value & 1) + 1));
}

#define VARINT_MAX 10

/* Writes value at `to`, which has VARINT_MAX bytes of room; the end of what was written. */
static inline unsigned char *
put_varint(unsigned char *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (unsigned char)(value | 0x80);
	*to++ = (unsigned char)value;
	return to;
}

/* Reads on from `at` and never past `end`. Once something was missing or malformed `bad` stays set and all reads return
 * 0. */
struct cursor { const unsigned char *at, *end; bool bad; };

static inline uint64_t
take_varint(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; c->at < c->end && shift < 70; shift += 7) {
		unsigned char byte = *c->at++;

		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return c->bad ? 0 : value;
	}
	c->bad = true;
	return 0;
}

/* size bytes in place, or NULL. */
static inline const unsigned char *
take_bytes(struct cursor *c, size_t size)
{
	const unsigned char *from = c->at;

	if (c->bad || (size_t)(c->end - c->at) < size) {
		c->bad = true;
		return NULL;
	}
	c->at += size;
	return from;
}

static inline struct stk_text
text_of(const char *data, size_t size)
{
	return (struct stk_text){ data, size };
}

static inline struct stk_text
text_from(const char *string)
{
	return text_of(string, strlen(string));
}

/* The text before the first separator, or all of it; rest becomes what follows the separator. */
static inline struct stk_text
text_take(struct stk_text *rest, char separator)
{
	const char *end = rest->size > 0 ? memchr(rest->data, separator, rest->size) : NULL;
	struct stk_text taken = text_of(rest->data, end != NULL ? (size_t)(end - rest->data) : rest->size);

	*rest = text_of(taken.data + taken.size + (end != NULL), rest->size - taken.size - (end != NULL));
	return taken;
}

static inline bool
text_equal(struct stk_text a, struct stk_text b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* By bytes; below 0, 0 or above 0. */
static inline int
text_compare(struct stk_text a, struct stk_text b)
{
	size_t size = a.size < b.size ? a.size : b.size;
	int order = size > 0 ? memcmp(a.data, b.data, size) : 0;

	return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* Characters of a text, as far as one can tell without knowing the font. */
static inline size_t
text_characters(struct stk_text text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.size; i++)
		count += ((unsigned char)text.data[i] & 0xc0) != 0x80;
	return count;
}

static inline bool
text_is(struct stk_text text, const char *string)
{
	return text_equal(text, text_from(string));
}

static inline bool
text_is_digits(struct stk_text text)
{
	for (size_t i = 0; i < text.size; i++)
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
	return text.size > 0;
}

static inline bool
text_starts(struct stk_text text, const char *string)
{
	size_t size = strlen(string);

	return text.size >= size && memcmp(text.data, string, size) == 0;
}

static inline bool
text_ends(struct stk_text text, const char *string)
{
	size_t size = strlen(string);

	return text.size >= size && memcmp(text.data + text.size - size, string, size) == 0;
}

#endif
