/* SPDX-License-Identifier: MIT
 * event_lines: a line an event. */
#include "event_lines.h"

#include "base/bytes.h"
#include "base/text_table.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fields of a line, up to `most`. */
static unsigned
split_line(char *line, char **fields, unsigned most)
{
	unsigned count = 0;

	for (char *field; count < most && (field = strsep(&line, "\t\n")) != NULL; )
		fields[count++] = field;
	return count;
}

static bool
read_event(char **fields, unsigned count, struct stk_event *event, const struct time_zone *zone)
{
	static const char *const happenings[] = { "point", "start", "stop", "switch-out", "switch-in" };
	struct stk_error unheard = { 0 };
	char at[64];
	unsigned h = 0;
	char *end;

	*event = (struct stk_event){ .name = text_of("", 0) };
	if (count < 3 || strlen(fields[0]) > 60)
		return false;
	(void)snprintf(at, sizeof at, "%s%s", strchr(fields[0], 'T') == NULL && fields[0][0] != '@' ? "@" : "", fields[0]);
	if (time_parse(at, 0, zone, &event->time, &unheard) < 0) {
		stk_error_clear(&unheard);
		return false;
	}
	if (!stk_time_is_believed(event->time))
		return false;
	while (h < 5 && strcmp(fields[2], happenings[h]) != 0)
		h++;
	if (h == 5)
		return false;
	event->happening = h;
	event->name = text_from(count > 3 ? fields[3] : "");
	if (count > 4 && *fields[4] != '\0') {
		event->value = strtod(fields[4], &end);
		if (*end != '\0' || !stk_measure_is_believed(event->value))
			return false;
	}
	return true;
}

int
event_lines_read(const char *path, struct grouping **groupings, unsigned groupings_count, const struct time_zone *zone, struct stk_error *err)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	struct text_table threads = { 0 };
	char *line = NULL, *fields[6];
	size_t room = 0;
	unsigned number = 0, bad = 0;
	int result = 0;

	if (file == NULL)
		return stk_fail_errno(err, "cannot open %s", path);
	while (getline(&line, &room, file) >= 0) {
		struct stk_event event;
		unsigned count = split_line(line, fields, 6);

		number++;
		if (count == 0 || *fields[0] == '\0' || *fields[0] == '#' || strcmp(fields[0], "time") == 0)
			continue;
		if (!read_event(fields, count, &event, zone)) {
			if (bad++ < 10)
				program_warn("%s:%u: no event: expected time, thread, point or start or stop or switch-out or switch-in, name, value, with tabs between", path, number);
			continue;
		}
		for (unsigned i = 0; i < groupings_count; i++)
			event_time_take(grouping_events(groupings[i]), text_table_number(&threads, text_from(fields[1])), &event, 0);
	}
	if (ferror(file))
		result = stk_fail_errno(err, "cannot read %s", path);
	if (bad > 10)
		program_warn("%s: %u lines are no events", path, bad);
	free(line);
	text_table_release(&threads);
	if (file != stdin)
		fclose(file);
	return result;
}
