/* SPDX-License-Identifier: MIT
 * log_prefix: tries what the first line begins with, up to each of its blanks, on the lines that follow. A prefix has
 * a time of day, or ends with '|': the frames of a folded stack may have any other character. */
#include "ingest/log_prefix.h"

#include "base/text_buffer.h"
#include "ingest/clean.h"
#include "ingest/ingest.h"
#include "ingest/text_lines.h"

#define LINES_ASKED  64
#define WITHIN       (16u << 10)	/* bytes of the beginning */
#define BREAKS_MAX   16			/* blanks of a line that may end its prefix */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A prefix ends where a separator, a time or a number ends, or a level; the first word of what follows is none. */
static bool
can_end(struct stk_text prefix)
{
	static const char levels[][8] = { "INFO", "DEBUG", "WARN", "ERROR", "TRACE", "stdout", "stderr" };
	struct stk_text trim = trimmed(prefix);

	if (trim.size < 3 || memchr(prefix.data, ';', prefix.size) != NULL)
		return false;
	if (trim.data[trim.size - 1] == '|')
		return true;
	if (!clean_has_clock(prefix))
		return false;
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (text_ends(trim, levels[i]))
			return true;
	return is_digit(trim.data[trim.size - 1]) || trim.data[trim.size - 1] == 'Z' ||
	       strchr("-:]>)", trim.data[trim.size - 1]) != NULL;
}

/* The beginning without the prefix. False: not all of its lines have it. */
static bool
strip(struct text_buffer *to, struct stk_text prefix, struct stk_text beginning)
{
	const char *end = beginning.data + beginning.size;
	struct stk_text line = line_at(beginning.data, end);

	to->count = 0;
	for (unsigned lines = 0; lines < LINES_ASKED && line.data + line.size < end; lines++) {
		size_t size = 0;

		if (!clean_prefix_matches(prefix, line, &size))
			return false;
		add_text(to, between(line.data + size, line.data + line.size));
		add_char(to, '\n');
		line = line_after(line, end);
	}
	return true;
}

static bool
is_profile(const struct text_format *format)
{
	return format == &perf_script_format || format == &folded_format || format == &process_dump_format;
}

/* Of what the line begins with, the longest that all lines have and that leaves a profile. */
static struct stk_text
longest_prefix(struct text_buffer *room, struct stk_text line, struct stk_text beginning)
{
	struct stk_text best = text_of("", 0);
	const char *end = line.data + line.size, *at = line.data;

	for (unsigned breaks = 0; breaks < BREAKS_MAX && at < end; breaks++) {
		struct stk_text prefix;

		while (at < end && *at != ' ' && *at != '\t')
			at++;
		while (at < end && *at == ' ')
			at++;
		prefix = between(line.data, at);
		if (prefix.size > CLEAN_PREFIX_MAX)
			break;
		if (at < end && can_end(prefix) && strip(room, prefix, beginning) &&
		    is_profile(text_format_recognised(text_in(room, 0))))
			best = prefix;
		at += at < end && *at == '\t';
	}
	return best;
}

struct stk_text
log_prefix_learn(struct stk_text beginning)
{
	struct text_buffer room = { 0 };
	const char *end;
	struct stk_text line, prefix;

	beginning.size = beginning.size < WITHIN ? beginning.size : WITHIN;
	end = beginning.data + beginning.size;
	for (line = line_at(beginning.data, end); line.size == 0 && line.data < end; line = line_after(line, end))
		continue;
	prefix = longest_prefix(&room, line, beginning);
	array_release(&room);
	if (prefix.size > 0) {
		const struct text_format *as_it_is = text_format_recognised(beginning);

		if (as_it_is != NULL && !is_profile(as_it_is))
			prefix.size = 0;
	}
	return prefix;
}
