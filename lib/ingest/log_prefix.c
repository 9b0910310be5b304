/* SPDX-License-Identifier: MIT
 * log_prefix: tries what the first line begins with, up to each of its blanks, on the lines that follow. A prefix has
 * a time of day, or ends with '|': the frames of a folded stack may have any other character. */
#include "ingest/log_prefix.h"

#include "base/text_buffer.h"
#include "ingest/civil_moment.h"
#include "ingest/clean.h"
#include "ingest/ingest.h"
#include "ingest/text_lines.h"

#define LINES_ASKED  256
#define WITHIN       (16u << 10)	/* bytes of the beginning */
#define BREAKS_MAX   16			/* blanks of a line that may end its prefix */
#define FIRST_LINES  3

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

/* Formats that may be found behind a prefix: lines of the others begin with a time themselves. Dumps of HotSpot are not
 * here: what finds them finds their prefix, also in the middle of a log. */
static bool
can_have_prefix(const struct text_format *format)
{
	static const struct text_format *const formats[] = {
		&perf_script_format, &folded_format,  &folded_dumps_format, &process_dump_format,
		&bpftrace_format,    &dtrace_format,  &go_heap_format,	    &go_profile_format,
		&javacore_format,    &austin_format,  &threads_text_format, &coroutines_format
	};

	for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
		if (format == formats[f])
			return true;
	return false;
}

/* Of one of these, further on among lines of a log. */
static bool
has_section(struct stk_text text)
{
	for (size_t f = 0; text_formats[f] != NULL; f++)
		if (can_have_prefix(text_formats[f]) && text_formats[f]->find != NULL && text.size > 0 &&
		    text_formats[f]->find(text) != NULL)
			return true;
	return false;
}

/* Whether all lines have it and it leaves one of these, or threads of another VM, whose dumps have no head. */
static bool
leaves_known(struct text_buffer *room, struct stk_text prefix, struct stk_text beginning)
{
	const struct text_format *format;

	if (!can_end(prefix) || !strip(room, prefix, beginning))
		return false;
	format = text_format_recognised(text_in(room, 0));
	return format == &thread_dump_format || can_have_prefix(format) || has_section(text_in(room, 0));
}

/* Whether it is one word, a moment with its zone, as "2026-03-01T09:00:00.25Z": before folded stacks it is their time. */
static bool
is_time_of_stacks(struct stk_text prefix, struct stk_text beginning)
{
	struct stk_text word = trimmed(prefix);

	return word.size > CIVIL_MOMENT_SIZE && word.data[10] == 'T' && memchr(word.data, ' ', word.size) == NULL &&
	       text_format_recognised(beginning) == &folded_format;
}

/* Of what the line begins with, the longest that is a prefix. It ends after a blank, or after all that follow each
 * other: what was logged may be indented. */
static struct stk_text
longest_prefix(struct text_buffer *room, struct stk_text line, struct stk_text beginning)
{
	struct stk_text best = text_of("", 0);
	const char *end = line.data + line.size, *at = line.data;

	for (unsigned breaks = 0; breaks < BREAKS_MAX && at < end && at - line.data < CLEAN_PREFIX_MAX; breaks++) {
		const char *first;

		while (at < end && *at != ' ' && *at != '\t')
			at++;
		first = at + (at < end && *at == ' ');
		while (at < end && *at == ' ')
			at++;
		if (first < end && leaves_known(room, between(line.data, first), beginning))
			best = between(line.data, first);
		if (at != first && at < end && at - line.data <= CLEAN_PREFIX_MAX &&
		    leaves_known(room, between(line.data, at), beginning))
			best = between(line.data, at);
		at += at < end && *at == '\t';
	}
	return best;
}

struct stk_text
log_prefix_learn(struct stk_text beginning)
{
	struct text_buffer room = { 0 };
	const char *end;
	struct stk_text line, prefix = text_of("", 0);
	unsigned asked = 0;

	beginning.size = beginning.size < WITHIN ? beginning.size : WITHIN;
	end = beginning.data + beginning.size;
	/* the first lines may have nothing but the prefix */
	for (line = line_at(beginning.data, end); line.data < end && asked < FIRST_LINES && prefix.size == 0;
	     line = line_after(line, end)) {
		prefix = longest_prefix(&room, line, beginning);
		asked += line.size > 0;
	}
	if (prefix.size > 0 && is_time_of_stacks(prefix, beginning))
		prefix.size = 0;
	if (prefix.size > 0) {
		const struct text_format *as_it_is = text_format_recognised(beginning);

		if (as_it_is != NULL && !can_have_prefix(as_it_is) &&
		    !(strip(&room, prefix, beginning) && has_section(text_in(&room, 0))))
			prefix.size = 0;
	}
	array_release(&room);
	return prefix;
}
