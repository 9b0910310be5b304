/* SPDX-License-Identifier: MIT
 * ir_buffer: formats bounded text in place, and copies text of any size. */
#include "probe/ir_buffer.h"

#include "probe/ir_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FORMAT_MOST 1000

void
ir_put(struct ir_buffer *to, const char *format, ...)
{
	va_list args;
	int size;

	array_reserve(to, FORMAT_MOST + 1);
	va_start(args, format);
	size = vsnprintf(to->at + to->count, FORMAT_MOST + 1, format, args);
	va_end(args);
	to->count += size < FORMAT_MOST ? (size_t)size : FORMAT_MOST;
}

void
ir_put_text(struct ir_buffer *to, struct stk_text text)
{
	if (text.size == 0)
		return;
	array_reserve(to, text.size);
	memcpy(to->at + to->count, text.data, text.size);
	to->count += text.size;
}

void
ir_put_name(struct ir_buffer *to, const char *before, struct stk_text name)
{
	bool plain = true;

	for (size_t i = 0; i < name.size; i++)
		plain &= ir_name_char(name.data[i]);
	ir_put(to, "%s%s", plain ? "" : "\"", before);
	ir_put_text(to, name);
	ir_put(to, "%s", plain ? "" : "\"");
}

void
ir_put_string(struct ir_buffer *to, const char *string, size_t size)
{
	ir_put(to, "c\"");
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)string[i];

		if (c < ' ' || c > '~' || c == '"' || c == '\\')
			ir_put(to, "\\%02X", c);
		else
			*array_push(to) = (char)c;
	}
	ir_put(to, "\\00\"");
}
