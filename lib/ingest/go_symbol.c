/* SPDX-License-Identifier: MIT
 * go_symbol: only what the compiler escapes is read, and only in what looks like its work. */
#include "ingest/go_symbol.h"

#include "base/bytes.h"

/* The value of a hexadecimal digit, which Go writes small; -1: none. */
static int
digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The character that "%2e" at a place is, or -1. */
static int
escaped_at(struct stk_text symbol, size_t at)
{
	int high, low, c;

	if (symbol.data[at] != '%' || symbol.size - at < 3)
		return -1;
	high = digit_of(symbol.data[at + 1]);
	low = digit_of(symbol.data[at + 2]);
	if (high < 0 || low < 0)
		return -1;
	c = high * 16 + low;
	return c == '.' || c == '%' || c == '"' || c <= ' ' || c >= 0x7f ? c : -1;
}

/* Whether it has an escaped dot in the last part of a path, and one that ends the path. */
static bool
is_go_path(struct stk_text symbol)
{
	const char *end = symbol.data + symbol.size, *slash = memrchr(symbol.data, '/', symbol.size);
	const char *last = slash != NULL ? slash + 1 : symbol.data, *dot = memmem(last, (size_t)(end - last), "%2e", 3);

	return dot != NULL && dot > last && memchr(dot, '.', (size_t)(end - dot)) != NULL;
}

struct stk_text
go_symbol_name(struct stk_text symbol, char *room)
{
	size_t size = 0;

	if (symbol.size == 0 || symbol.size > GO_SYMBOL_MAX || memchr(symbol.data, '%', symbol.size) == NULL ||
	    !is_go_path(symbol))
		return symbol;
	for (size_t at = 0; at < symbol.size; at++) {
		int c = escaped_at(symbol, at);

		if (c == 0 || c == '\n')
			return symbol;		/* no package has these in its path */
		room[size++] = c > 0 ? (char)c : symbol.data[at];
		at += c > 0 ? 2 : 0;
	}
	return size == symbol.size ? symbol : text_of(room, size);
}
