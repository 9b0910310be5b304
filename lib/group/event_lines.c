/* SPDX-License-Identifier: MIT
 * event_lines: one event per line. */
#include "group/event_lines.h"

#include "base/bytes.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
event_lines_read(const char *path, const struct time_zone *zone, const struct event_line_listener *listener,
		 struct stk_error *err)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	int result = 0;

	if (file == NULL)
		return stk_fail_errno(err, "cannot open %s", path);
	for (unsigned number = 1; mem_line(&line, &room, file) >= 0; number++) {
		struct event_line read;
		int got = event_line_read(text_from(line), zone, &read);

		if (got < 0)
			listener->no_event(listener->context, path, number);
		if (got > 0)
			listener->event(listener->context, &read);
	}
	if (ferror(file))
		result = stk_fail_errno(err, "cannot read %s", path);
	free(line);
	if (file != stdin)
		fclose(file);
	return result;
}
