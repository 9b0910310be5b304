/* SPDX-License-Identifier: MIT
 * text_lines: texts as lines and words, for formats that are read line by line. Nothing is copied. */
#ifndef INGEST_TEXT_LINES_H
#define INGEST_TEXT_LINES_H

#include "base/bytes.h"
#include "ingest/scan_text.h"

static inline const char *
text_end(struct stk_text text)
{
	return text.data + text.size;
}

/* From one place to another; empty when they are in reverse order. */
static inline struct stk_text
between(const char *from, const char *to)
{
	return to > from ? text_of(from, (size_t)(to - from)) : text_of(to, 0);
}

/* The line that begins at `at`, without its newline. */
static inline struct stk_text
line_at(const char *at, const char *end)
{
	return between(at, scan_line_end(at, end));
}

/* Without the mark that a file in UTF-8 may begin with: where such files were joined, names have it. */
static inline struct stk_text
without_mark(struct stk_text text)
{
	return text_starts(text, "\xef\xbb\xbf") ? text_of(text.data + 3, text.size - 3) : text;
}

/* The start of the line that `at` is in, or ends; `from` starts the text. */
static inline const char *
line_start(const char *from, const char *at)
{
	const char *newline = at > from ? memrchr(from, '\n', (size_t)(at - from)) : NULL;

	return newline != NULL ? newline + 1 : from;
}

/* The size of the whole lines of a text: where formats of which each line is a section are cut. */
static inline size_t
whole_lines_size(struct stk_text text)
{
	const char *newline = text.size > 0 ? memrchr(text.data, '\n', text.size) : NULL;

	return newline != NULL ? (size_t)(newline + 1 - text.data) : 0;
}

static inline const char *
text_find(struct stk_text text, const char *string)
{
	return text.size > 0 ? scan_find(text, string, strlen(string)) : NULL;
}

/* Whether any of the words, which all begin with this character, is in the text. Fast where the character is rare. */
static inline bool
find_any(struct stk_text text, char first, const char *const *words, size_t count)
{
	const char *end = text.data + text.size;

	for (const char *at = text.data; at < end && (at = memchr(at, first, (size_t)(end - at))) != NULL; at++)
		for (size_t w = 0; w < count; w++)
			if (text_starts(between(at, end), words[w]))
				return true;
	return false;
}

/* Without blanks and the like at its end. */
static inline struct stk_text
trimmed(struct stk_text text)
{
	while (text.size > 0 && (unsigned char)text.data[text.size - 1] <= ' ')
		text.size--;
	return text;
}

static inline struct stk_text
unindented(struct stk_text line)
{
	while (line.size > 0 && (*line.data == ' ' || *line.data == '\t')) {
		line.data++;
		line.size--;
	}
	return line;
}

/* " 0xffffffff8103ce3b : cpu_idle+0xd6/0x120 [kernel]", as SystemTap prints frames and no other tool. */
static inline bool
is_systemtap_frame(struct stk_text line)
{
	const char *at = line.data + 3, *end = line.data + line.size;
	uint64_t address;

	return text_starts(line, " 0x") && scan_hex(&at, end, &address) && text_starts(between(at, end), " : ");
}

/* The line at *at, without blanks at its end; *at and the number of the line move to the next one. */
static inline struct stk_text
take_next_line(const char **at, const char *end, uint32_t *number)
{
	struct stk_text line = line_at(*at, end);
	const char *stop = line.data + line.size;

	*number += stop < end;
	*at = stop < end ? stop + 1 : end;
	return trimmed(line);
}

/* The line after `line`; empty at the end. */
static inline struct stk_text
line_after(struct stk_text line, const char *end)
{
	const char *stop = line.data + line.size;

	return stop < end ? line_at(stop + 1, end) : text_of(end, 0);
}

#endif
