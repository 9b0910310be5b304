/* SPDX-License-Identifier: MIT */
#include "ingest/log_line.h"

#include "ingest/civil_moment.h"
#include "ingest/text_lines.h"

/* What a line of a log begins with: 9 is a digit, A a capital letter, a any letter, all else for
 * itself. */
static const char *const stamps[] = {
	"9999-99-99", "9999/99/99", "99/99/9999", "99.99.9999", "99-Aaa-9999", "99/Aaa/9999", "99:99:99",
	"A9999 99:99:99", "Aaa  9 99:99:99", "Aaa 99 99:99:99"
};

static const char *const levels[] = { "TRACE", "DEBUG", "INFO",   "NOTICE", "WARNING", "WARN", "ERROR",	 "SEVERE",
				      "FATAL", "CRITICAL", "FINE", "CONFIG", "trace",	"debug", "info", "notice",
				      "warning", "warn",  "error", "fatal",  "critical" };

static const char *const keys[] = { "time=", "level=", "ts=", "msg=", "lvl=", "{\"" };

static bool
is_letter(char c)
{
	return (unsigned char)((c | 0x20) - 'a') < 26;
}

static bool
is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static bool
begins_with(struct stk_text line, const char *shape)
{
	for (size_t i = 0; shape[i] != '\0'; i++)
		if (i >= line.size || !(shape[i] == '9'	  ? is_digit(line.data[i])
					: shape[i] == 'A' ? line.data[i] >= 'A' && line.data[i] <= 'Z'
					: shape[i] == 'a' ? is_letter(line.data[i])
							  : line.data[i] == shape[i]))
			return false;
	return true;
}

/* A level ends as a word does: INFORMATION is none. */
static bool
begins_with_level(struct stk_text line)
{
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
		size_t size;

		if (line.size == 0 || *line.data != *levels[i])
			continue;
		size = strlen(levels[i]);
		if (text_starts(line, levels[i]) && line.size > size && !is_letter(line.data[size]) &&
		    !is_digit(line.data[size]) && strchr("_.(;$", line.data[size]) == NULL)
			return true;
	}
	return false;
}

/* "2.345s]" and "2345ms]" of a Java VM's own log */
static bool
begins_with_uptime(struct stk_text line)
{
	const char *at = line.data, *end = line.data + line.size;

	while (at < end && (is_digit(*at) || *at == '.' || *at == ','))
		at++;
	return at > line.data && (text_starts(between(at, end), "s]") || text_starts(between(at, end), "ms]"));
}

static bool
begins_with_stamp(struct stk_text line)
{
	int64_t unused;

	for (size_t i = 0; i < sizeof stamps / sizeof *stamps; i++)
		if (begins_with(line, stamps[i]))
			return !civil_moment_read(line, &unused);
	return begins_with_uptime(line);
}

/* After "<11>", which syslog has before the month. */
static struct stk_text
without_priority(struct stk_text line)
{
	const char *at = line.data + 1, *end = line.data + line.size;

	if (line.size < 3 || *line.data != '<')
		return line;
	while (at < end && is_digit(*at))
		at++;
	return at < end && *at == '>' && at > line.data + 1 ? between(at + 1, end) : line;
}

bool
log_line_is(struct stk_text line)
{
	bool bracket = line.size > 1 && *line.data == '[';
	struct stk_text words = bracket ? text_of(line.data + 1, line.size - 1) : without_priority(line);
	const char *close = bracket ? text_find(words, "] ") : NULL;

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (text_starts(line, keys[i]))
			return true;
	return begins_with_level(words) || begins_with_stamp(words) ||
	       (close != NULL && begins_with_level(unindented(between(close + 1, words.data + words.size))));
}

struct stk_text
first_unlogged(struct stk_text line, const char *end)
{
	for (unsigned lines = 0; lines < LOG_LINES_BETWEEN && line.size > 0 && log_line_is(line); lines++)
		line = line_after(line, end);
	return line;
}
