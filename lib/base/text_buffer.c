/* SPDX-License-Identifier: MIT
 * text_buffer: numbers and texts as they are written into a growing text. */
#include "base/text_buffer.h"

#include "base/terminal_text.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void
add_unsigned(struct text_buffer *to, uint64_t value)
{
	char digits[20];
	size_t n = sizeof digits;

	do
		digits[--n] = (char)('0' + value % 10);
	while ((value /= 10) != 0);
	add_bytes(to, digits + n, sizeof digits - n);
}

void
add_signed(struct text_buffer *to, int64_t value)
{
	if (value < 0)
		add_char(to, '-');
	add_unsigned(to, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void
add_character(struct text_buffer *to, uint32_t number)
{
	array_reserve(to, 4);
	to->count += utf8_write(to->at + to->count, number);
}

void
add_hex(struct text_buffer *to, uint64_t value, int digits)
{
	char text[17];

	add_bytes(to, text, (size_t)snprintf(text, sizeof text, "%0*llx", digits, (unsigned long long)value));
}

void
add_format(struct text_buffer *to, const char *format, ...)
{
	char text[500];
	va_list list;
	int size;

	va_start(list, format);
	size = vsnprintf(text, sizeof text, format, list);
	va_end(list);
	if (size > 0)
		add_bytes(to, text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
}

/* digits d1 d2 ... dn and an exponent e mean d1.d2...dn times ten to the e. Python writes an exponent when e < -4 or e
 * >= 16. */
static void
add_decimal(struct text_buffer *to, const char *digits, int n, int e)
{
	if (e < -4 || e >= 16) {
		add_char(to, digits[0]);
		if (n > 1) {
			add_char(to, '.');
			add_bytes(to, digits + 1, (size_t)n - 1);
		}
		add_format(to, "e%c%02d", e < 0 ? '-' : '+', abs(e));
		return;
	}
	if (e < 0) {
		add_string(to, "0.");
		for (int i = -1; i > e; i--)
			add_char(to, '0');
		add_bytes(to, digits, (size_t)n);
		return;
	}
	for (int i = 0; i <= e; i++)
		add_char(to, i < n ? digits[i] : '0');
	add_char(to, '.');
	if (n > e + 1)
		add_bytes(to, digits + e + 1, (size_t)(n - e - 1));
	else
		add_char(to, '0');
}

void
add_real(struct text_buffer *to, double value)
{
	char text[40], digits[20];
	int n = 0, precision = fabs(value) < DBL_MIN ? 0 : DBL_DIG - 1;		/* fewer have zeros there */

	if (!isfinite(value)) {
		add_string(to, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
		return;
	}
	do				/* 17 digits are always enough */
		snprintf(text, sizeof text, "%.*e", precision, value);
	while (strtod(text, NULL) != value && precision++ < 17);
	for (const char *at = text; *at != 'e'; at++)
		if (*at >= '0' && *at <= '9' && n < (int)sizeof digits)
			digits[n++] = *at;
	while (n > 1 && digits[n - 1] == '0')
		n--;
	if (signbit(value))
		add_char(to, '-');
	add_decimal(to, digits, n, (int)strtol(strchr(text, 'e') + 1, NULL, 10));
}

void
add_masked(struct text_buffer *to, struct stk_text text)
{
	size_t from = to->count;

	add_text(to, text);
	if (text.size > 0)
		to->count = from + mask_text(to->at + from, text.size, "");
}

/* The letter of a character's backslash escape; 0 none. */
static char
escape_letter(char c)
{
	return c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\\' ? c : '\0';
}

/* Bytes of the control character at `at`: also of one of those from U+0080 on, or the byte that a terminal takes for
 * one; 0 when it is not one. */
static size_t
control_size(const char *at, const char *end)
{
	unsigned char c = (unsigned char)*at;
	size_t size;

	if (c < 0x80)
		return c < 0x20 || c == 0x7f;
	size = utf8_size(at, end);
	return size == 0 ? c < 0xa0 : size == 2 && utf8_number(at, size) < 0xa0 ? size : 0;
}

void
add_escaped(struct text_buffer *to, struct stk_text text)
{
	const char *at = text.data, *end = at + text.size, *from = at;

	while (at < end) {
		char letter = escape_letter(*at);
		size_t size = letter != '\0' ? 1 : control_size(at, end), known;

		if (size == 0) {
			known = (unsigned char)*at < 0x80 ? 1 : utf8_size(at, end);
			at += known > 0 ? known : 1;
			continue;
		}
		add_bytes(to, from, (size_t)(at - from));
		for (from = at + size; at < from; at++)
			if (letter != '\0') {
				add_char(to, '\\');
				add_char(to, letter);
			} else {
				add_string(to, "\\x");
				add_hex(to, (unsigned char)*at, 2);
			}
	}
	add_bytes(to, from, (size_t)(end - from));
}

/* One that is not printable, as JSON writes characters in digits: those beyond U+FFFF in two halves. */
static void
add_json_number(struct text_buffer *to, uint32_t character)
{
	if (character >= 0x10000)
		add_format(to, "\\u%04x\\u%04x", 0xd800 + ((character - 0x10000) >> 10), 0xdc00 + (character & 0x3ff));
	else
		add_format(to, "\\u%04x", character);
}

/* Bytes that JSON has as they are: most of what there is. */
static size_t
plain_size(const char *at, const char *end)
{
	const char *from = at;

	while (at < end && *at >= ' ' && *at <= '~' && *at != '"' && *at != '\\')
		at++;
	return (size_t)(at - from);
}

void
add_json_text(struct text_buffer *to, struct stk_text text)
{
	static const char special[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *at = text.data, *end = at + text.size, *found;

	add_char(to, '"');
	while (at < end) {
		size_t plain = plain_size(at, end), size;

		add_bytes(to, at, plain);
		at += plain;
		if (at == end)
			break;
		size = utf8_size(at, end);
		if (size == 0)
			add_format(to, "\\udc%02x", (unsigned char)*at);
		else if (*at != '\0' && (found = strchr(special, *at)) != NULL) {
			add_char(to, '\\');
			add_char(to, letters[found - special]);
		} else if (printable_size(at, end) == 0)
			add_json_number(to, utf8_number(at, size));
		else
			add_bytes(to, at, size);
		at += size == 0 ? 1 : size;
	}
	add_char(to, '"');
}

void
add_yaml_text(struct text_buffer *to, struct stk_text text)
{
	add_char(to, '\'');
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] == '\'')
			add_char(to, '\'');
		add_char(to, text.data[i]);
	}
	add_char(to, '\'');
}
