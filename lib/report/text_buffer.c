/* SPDX-License-Identifier: MIT
 * text_buffer: numbers and texts as they are written into a growing text. */
#include "report/text_buffer.h"

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

/* digits d1 d2 ... dn and an exponent e mean d1.d2...dn times ten to the e. Python writes an exponent when e < -4 or e >= 16. */
static void
add_decimal(struct text_buffer *to, const char *digits, int n, int e)
{
	if (e < -4 || e >= 16) {
		add_char(to, digits[0]);
		if (n > 1)
			add_char(to, '.'), add_bytes(to, digits + 1, (size_t)n - 1);
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
	int n = 0, precision = 0;

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
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return size;
}

void
add_masked(struct text_buffer *to, struct stk_text text)
{
	const char *at = text.data, *end = at + text.size;

	while (at < end) {
		size_t size = utf8_size(at, end);
		bool control = size == 0 || (unsigned char)*at < 0x20 || *at == 0x7f || (size == 2 && (unsigned char)at[0] == 0xc2 && (unsigned char)at[1] < 0xa0);

		if (control)
			add_char(to, '?');
		else
			add_bytes(to, at, size);
		at += size == 0 ? 1 : size;
	}
}

void
add_escaped(struct text_buffer *to, struct stk_text text)
{
	size_t from = 0;

	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i], letter = c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\\' ? c : '\0';

		if (letter == '\0')
			continue;
		add_bytes(to, text.data + from, i - from);
		add_char(to, '\\'), add_char(to, letter);
		from = i + 1;
	}
	add_bytes(to, text.data + from, text.size - from);
}

void
add_json_text(struct text_buffer *to, struct stk_text text)
{
	static const char special[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *at = text.data, *end = at + text.size, *found;

	add_char(to, '"');
	while (at < end) {
		size_t size = utf8_size(at, end);

		if (size == 0)
			add_format(to, "\\udc%02x", (unsigned char)*at);
		else if (*at != '\0' && (found = strchr(special, *at)) != NULL)
			add_char(to, '\\'), add_char(to, letters[found - special]);
		else if ((unsigned char)*at < 0x20)
			add_format(to, "\\u%04x", (unsigned char)*at);
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
