/* SPDX-License-Identifier: MIT
 * terminal_text: the one place that knows what may be printed to a terminal. */
#include "base/terminal_text.h"

#include <string.h>

size_t
utf8_size(const char *at, const char *end)
{
	const unsigned char *p = (const unsigned char *)at;
	size_t size = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;

	if (size < 2 || (size_t)(end - at) < size)
		return size < 2 ? size : 0;
	for (size_t i = 1; i < size; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return size;
}

uint32_t
utf8_number(const char *at, size_t size)
{
	static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t number = (unsigned char)*at & first[size];

	for (size_t i = 1; i < size; i++)
		number = number << 6 | ((unsigned char)at[i] & 0x3f);
	return number;
}

size_t
utf8_write(char *to, uint32_t number)
{
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t size;

	if (number >= 0xd800 && number < 0xe000)
		number = 0xfffd;
	size = number < 0x80 ? 1 : number < 0x800 ? 2 : number < 0x10000 ? 3 : 4;
	for (size_t i = size - 1; i > 0; i--, number >>= 6)
		to[i] = (char)(0x80 | (number & 0x3f));
	to[0] = (char)(first[size] | number);
	return size;
}

bool
is_printable(uint32_t character)
{
	/* controls; then soft hyphen, marks and overrides of direction, separators of lines, joiners and other
	 * characters without a width, byte order marks, annotations, non-characters, tags */
	static const struct { uint32_t first, last;
	} masked[] = { { 0x00, 0x1f },     { 0x7f, 0x9f },     { 0xad, 0xad },     { 0x61c, 0x61c },
		       { 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
		       { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xfffe, 0xffff }, { 0xe0000, 0xe007f } };

	for (size_t i = 0; i < sizeof masked / sizeof *masked; i++)
		if (character <= masked[i].last)
			return character < masked[i].first;
	return true;
}

size_t
printable_size(const char *at, const char *end)
{
	size_t size = utf8_size(at, end);

	return size > 0 && is_printable(utf8_number(at, size)) ? size : 0;
}

size_t
mask_text(char *text, size_t size, const char *kept)
{
	char *to = text;

	for (const char *at = text, *end = text + size; at < end; ) {
		size_t whole = utf8_size(at, end), shown = printable_size(at, end);

		if (shown == 0 && *at != '\0' && strchr(kept, *at) != NULL)
			shown = 1;
		if (shown > 0)
			memmove(to, at, shown);
		else
			*to = '?';
		to += shown > 0 ? shown : 1;
		at += whole > 0 ? whole : 1;
	}
	return (size_t)(to - text);
}
