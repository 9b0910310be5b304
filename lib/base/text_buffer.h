/* SPDX-License-Identifier: MIT
 * text_buffer: a text that grows at its end, and the numbers that are written into it. A zeroed struct is an empty one;
 * free with array_release. */
#ifndef BASE_TEXT_BUFFER_H
#define BASE_TEXT_BUFFER_H

#include "base/array.h"
#include "base/bytes.h"
#include "stkpipe/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct text_buffer { char *at; size_t count, room; };

static inline void
add_bytes(struct text_buffer *to, const char *from, size_t size)
{
	if (size == 0)
		return;
	array_reserve(to, size);
	memcpy(to->at + to->count, from, size);
	to->count += size;
}

static inline void
add_char(struct text_buffer *to, char c)
{
	*array_push(to) = c;
}

static inline void
add_text(struct text_buffer *to, struct stk_text text)
{
	add_bytes(to, text.data, text.size);
}

static inline void
add_string(struct text_buffer *to, const char *string)
{
	add_bytes(to, string, strlen(string));
}

static inline struct stk_text
text_in(const struct text_buffer *buffer, size_t from)
{
	return buffer->at == NULL ? text_of("", 0) : text_of(buffer->at + from, buffer->count - from);
}

/* "a	b" in place of what the buffer had, such as a key of two parts; text_take takes them apart. */
static inline struct stk_text
text_joined(struct text_buffer *buffer, struct stk_text a, struct stk_text b)
{
	buffer->count = 0;
	add_text(buffer, a);
	add_char(buffer, '\t');
	add_text(buffer, b);
	return text_in(buffer, 0);
}

void add_unsigned(struct text_buffer *to, uint64_t value);
void add_signed(struct text_buffer *to, int64_t value);
void add_character(struct text_buffer *to, uint32_t number);	/* in UTF-8, see utf8_write */
void add_hex(struct text_buffer *to, uint64_t value, int digits);	/* at least this many, padded with zeros */
/* up to 500 bytes, for numbers and fixed words */
void add_format(struct text_buffer *to, const char *format, ...) STK_PRINTF(2, 3);

/* The shortest decimal that reads back as the same double, as Python's repr writes it: 1.0, 0.1, 1e+16, 1e-05. "nan",
 * "inf" and "-inf" for what is not a finite number. */
void add_real(struct text_buffer *to, double value);

/* The text for people: what is not printable is masked with '?', so that a terminal does not obey what a stream
 * holds. */
void add_masked(struct text_buffer *to, struct stk_text text);

/* The text for tables of programs: tab, newline, carriage return and backslash as \t \n \r \\, other bytes of control
 * characters as \xNN. */
void add_escaped(struct text_buffer *to, struct stk_text text);

/* The text as a JSON string. What is not printable is in digits, \uNNNN. Bytes that are not UTF-8 become lone
 * surrogates, \udc80 to \udcff, as Python's surrogateescape has them. */
void add_json_text(struct text_buffer *to, struct stk_text text);

/* The text in single quotes of YAML. */
void add_yaml_text(struct text_buffer *to, struct stk_text text);

#endif
