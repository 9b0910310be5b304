/* SPDX-License-Identifier: MIT
 * binary_in_text: texts have control characters, too: terminals' colours and bells, the separators of FIX and of CSV,
 * the zero bytes that a file has where its beginning was cut off while a program wrote to it. But they have two or
 * three different ones; and zero bytes in many places are UTF-16, or numbers. */
#include "ingest/binary_in_text.h"

#include "ingest/text_lines.h"

#define KINDS_LEAST 5u	/* different control characters */
#define HOLES_LEAST 8u	/* runs of zero bytes */

/* Below a blank, and neither a blank itself, an end of a line or page, nor what begins a colour. */
static inline bool
is_odd(unsigned char byte)
{
	return byte < ' ' && (byte < '\t' || byte > '\r') && byte != 27;
}

/* How many there are, counted without branches: nearly all texts have none. */
static size_t
count_odd(struct stk_text text)
{
	const unsigned char *at = (const unsigned char *)text.data;
	size_t count = 0;

	for (size_t i = 0; i < text.size; i++)
		count += is_odd(at[i]);
	return count;
}

static const char *
first_odd(struct stk_text text)
{
	const char *at = text.data;

	while (!is_odd((unsigned char)*at))
		at++;
	return at;
}

const char *
binary_in_text(struct stk_text text)
{
	uint32_t kinds = 0, holes = 0;

	if (count_odd(text) < KINDS_LEAST)
		return NULL;
	for (size_t i = 0; i < text.size; i++) {
		unsigned char byte = (unsigned char)text.data[i];

		if (!is_odd(byte))
			continue;
		kinds |= UINT32_C(1) << byte;
		holes += byte == 0 && (i == 0 || text.data[i - 1] != 0);
	}
	if ((unsigned)__builtin_popcount(kinds) < KINDS_LEAST && holes < HOLES_LEAST)
		return NULL;
	return line_start(text.data, first_odd(text));
}
