/* SPDX-License-Identifier: MIT
 * tracepoint: the format is a text of lines "	field:pid_t pid;	offset:24;	size:4;	signed:1;". */
#include "capture/tracepoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_MAX 8192
#define OFFSET_MAX 4096

/* The number after a word of a line. */
static bool
number_after(const char *line, const char *word, uint32_t *number)
{
	const char *at = strstr(line, word);
	unsigned long value;
	char *end;

	if (at == NULL)
		return false;
	at += strlen(word);
	value = strtoul(at, &end, 10);
	*number = (uint32_t)value;
	return end != at && *end == ';' && value <= OFFSET_MAX;
}

bool
tracepoint_field(const char *format, const char *field, struct tracepoint *out)
{
	size_t size = strlen(field);

	for (const char *line = format; line != NULL; line = strchr(line, '\n')) {
		const char *name, *end;
		char text[300];

		line += *line == '\n';
		snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
		name = strstr(text, "field:");
		end = name == NULL ? NULL : strchr(name, ';');
		if (end != NULL && (size_t)(end - name) > size + 6 && end[-(long)size - 1] == ' ' &&
		    strncmp(end - size, field, size) == 0)
			return number_after(end, "offset:", &out->offset) && number_after(end, "size:", &out->size);
	}
	return false;
}

static bool
read_text(const char *folder, const char *name, const char *file, char *to, size_t room)
{
	char path[200];
	size_t size;
	FILE *from;

	snprintf(path, sizeof path, "%s/events/%s/%s", folder, name, file);
	from = fopen(path, "re");
	if (from == NULL)
		return false;
	size = fread(to, 1, room - 1, from);
	(void)fclose(from);
	to[size] = '\0';
	return size > 0;
}

int
tracepoint_read(struct tracepoint *out, const char *name, const char *field, struct stk_error *err)
{
	static const char *const folders[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char text[FORMAT_MAX];
	char *end;

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		errno = 0;
		if (!read_text(folders[i], name, "id", text, sizeof text))
			continue;
		out->number = strtoull(text, &end, 10);
		if (end != text && read_text(folders[i], name, "format", text, sizeof text) &&
		    tracepoint_field(text, field, out))
			return 0;
	}
	return stk_fail(err, STK_ESYSTEM, "%s/events/%s cannot be read: %s", folders[0], name,
			errno == ENOENT ? "is tracefs mounted?" : errno != 0 ? strerror(errno) : "an unknown format");
}
