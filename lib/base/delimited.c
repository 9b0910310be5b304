/* SPDX-License-Identifier: MIT
 * delimited: one pass over a line. */
#include "base/delimited.h"

#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>

char
delimiter_of(struct stk_text line)
{
	static const char all[] = "\t;,";
	bool quoted = false, has[3] = { false };

	for (size_t i = 0; i < line.size; i++) {
		quoted ^= line.data[i] == '"';
		for (size_t d = 0; d < 3 && !quoted; d++)
			has[d] |= line.data[i] == all[d];
	}
	for (size_t d = 0; d < 3; d++)
		if (has[d])
			return all[d];
	return 0;
}

/* A field in quotes, from after the first quote: written at `to`, whose end moves. Returns the place after the last
 * quote. */
static size_t
unquote(struct stk_text line, size_t at, char **to)
{
	while (at < line.size) {
		if (line.data[at] == '"') {
			if (at + 1 == line.size || line.data[at + 1] != '"')
				return at + 1;
			at++;
		}
		*(*to)++ = line.data[at++];
	}
	return at;
}

size_t
delimited_split(struct stk_text line, char delimiter, struct stk_text *fields, size_t most, char *room)
{
	size_t at = 0, count = 0;

	while (line.size > 0 && (line.data[line.size - 1] == '\r' || line.data[line.size - 1] == '\n'))
		line.size--;
	for (;;) {
		struct stk_text field;

		if (at < line.size && line.data[at] == '"') {
			char *from = room;

			at = unquote(line, at + 1, &room);
			field = text_of(from, (size_t)(room - from));
			while (at < line.size && (delimiter == 0 || line.data[at] != delimiter))
				at++;
		} else {
			size_t from = at;

			while (at < line.size && (delimiter == 0 || line.data[at] != delimiter))
				at++;
			field = text_of(line.data + from, at - from);
		}
		if (count < most)
			fields[count] = field;
		count++;
		if (at >= line.size)
			return count;
		at++;
	}
}

bool
delimited_number(struct stk_text field, double *value)
{
	char text[64], *end;

	while (field.size > 0 && field.data[0] == ' ') {
		field.data++;
		field.size--;
	}
	while (field.size > 0 && field.data[field.size - 1] == ' ')
		field.size--;
	if (field.size == 0 || field.size >= sizeof text)
		return false;
	(void)snprintf(text, sizeof text, "%.*s", (int)field.size, field.data);
	*value = strtod(text, &end);
	return *end == '\0' && end == text + field.size;
}
