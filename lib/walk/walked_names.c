/* SPDX-License-Identifier: MIT
 * walked_names: only lines of native frames change. */
#include "walk/walked_names.h"

#include <inttypes.h>
#include <stdio.h>

static void
add_clean(struct text_buffer *to, const char *text)
{
	for (; *text != '\0'; text++)
		add_char(to, *text == '\t' || *text == '\n' ? ' ' : *text);
}

static void
add_field(struct text_buffer *to, const char *text)
{
	add_char(to, '\t');
	add_clean(to, text != NULL ? text : "[unknown]");
}

static void
add_source(struct text_buffer *to, const char *source, uint32_t line)
{
	char number[16];

	if (source == NULL)
		return;
	add_field(to, source);
	add_bytes(to, number, (size_t)snprintf(number, sizeof number, "\t%" PRIu32, line));
}

static void
add_native(struct native_names *names, struct stk_text line, struct text_buffer *to)
{
	uint64_t address = strtoull(line.data + 2, NULL, 16);	/* the line ends with a newline */
	const struct native_name *name = native_names_of(names, address);
	char offset[24];

	for (size_t i = 0; i < name->inlined_count; i++) {
		add_char(to, 'i');
		add_bytes(to, line.data + 1, line.size - 1);
		add_field(to, name->file);
		add_field(to, name->inlined[i].symbol);
		add_source(to, name->inlined[i].source, name->inlined[i].line);
		add_char(to, '\n');
	}
	add_text(to, line);
	add_field(to, name->file);
	add_field(to, name->symbol);
	add_bytes(to, offset, (size_t)snprintf(offset, sizeof offset, "\t%" PRIx64, name->offset));
	add_source(to, name->source, name->line);
}

void
walked_names_add(struct native_names *names, struct stk_text stack, struct text_buffer *to)
{
	const char *end = stack.data + stack.size;

	for (const char *at = stack.data; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct stk_text line = text_of(at, (size_t)((newline != NULL ? newline : end) - at));

		if (line.size > 2 && line.data[0] == 'n' && newline != NULL)
			add_native(names, line, to);
		else
			add_text(to, line);
		add_char(to, '\n');
		at = newline != NULL ? newline + 1 : end;
	}
}
