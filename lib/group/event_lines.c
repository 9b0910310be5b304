/* SPDX-License-Identifier: MIT
 * event_lines: one event per line. */
#include "group/event_lines.h"

#include "base/bytes.h"
#include "base/text_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MOST 6	/* one more than is read: the last one read ends at its tab */

static unsigned
split_line(char *line, char *fields[FIELDS_MOST])
{
	unsigned count = 0;

	for (char *field; count < FIELDS_MOST && (field = strsep(&line, "\t\n")) != NULL; )
		fields[count++] = field;
	return count;
}

static bool
read_time(const char *text, const struct time_zone *zone, int64_t *time)
{
	struct stk_error unheard = { 0 };
	char at[64];

	if (strlen(text) > 60)
		return false;
	(void)snprintf(at, sizeof at, "%s%s", strchr(text, 'T') == NULL && text[0] != '@' ? "@" : "", text);
	if (time_parse(at, 0, zone, time, &unheard) < 0) {
		stk_error_clear(&unheard);
		return false;
	}
	return stk_time_is_believed(*time);
}

static bool
read_happening(const char *text, uint64_t *happening)
{
	static const char *const happenings[] = { "point", "start", "stop", "switch-out", "switch-in" };

	for (unsigned h = 0; h < sizeof happenings / sizeof *happenings; h++)
		if (strcmp(text, happenings[h]) == 0) {
			*happening = h;
			return true;
		}
	return false;
}

static bool
read_value(const char *text, double *value)
{
	char *end;

	if (*text == '\0')
		return true;
	*value = strtod(text, &end);
	return *end == '\0' && stk_measure_is_believed(*value);
}

int
event_line_read(char *line, const struct time_zone *zone, struct event_line *out)
{
	char *fields[FIELDS_MOST];
	unsigned count = split_line(line, fields);
	struct stk_event *event = &out->event;

	if (*fields[0] == '\0' || *fields[0] == '#' || strcmp(fields[0], "time") == 0)
		return 0;
	if (count < 3)
		return -1;
	*event = (struct stk_event){ .name = text_from(count > 3 ? fields[3] : "") };
	out->thread = text_from(fields[1]);
	return read_time(fields[0], zone, &event->time) && read_happening(fields[2], &event->happening) &&
		read_value(count > 4 ? fields[4] : "", &event->value) ? 1 : -1;
}

int
event_lines_read(const char *path, const struct time_zone *zone, const struct event_line_listener *listener,
		 struct stk_error *err)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	struct text_table threads = { 0 };
	char *line = NULL;
	size_t room = 0;
	int result = 0;

	if (file == NULL)
		return stk_fail_errno(err, "cannot open %s", path);
	for (unsigned number = 1; getline(&line, &room, file) >= 0; number++) {
		struct event_line read;
		int got = event_line_read(line, zone, &read);

		if (got < 0)
			listener->no_event(listener->context, path, number);
		if (got > 0)
			listener->event(listener->context, text_table_number(&threads, read.thread), &read);
	}
	if (ferror(file))
		result = stk_fail_errno(err, "cannot read %s", path);
	free(line);
	text_table_release(&threads);
	if (file != stdin)
		fclose(file);
	return result;
}
